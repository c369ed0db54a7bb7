//! Merges the modules of lazy parts into few packs.
//!
//! The splitter writes one module for each set of parts that share code: more than two hundred, most of them small. A
//! pack merges the modules that are needed together: one request, compiled while streaming.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest;
use crate::error::{Context, Result};
use crate::split::Named;
use crate::wasm::merged;

/// File names of each part, by the part's name.
type Parts = BTreeMap<String, Vec<String>>;

/// Merges modules into packs, and returns them with the packs of each part. `needed` names the modules of each part,
/// `shrink` minimises a module.
pub(crate) fn packs(
    modules: &BTreeMap<String, Vec<u8>>,
    needed: &Parts,
    shrink: impl Fn(&[u8]) -> Result<Vec<u8>>,
) -> Result<(Vec<Named>, Parts)> {
    let mut packs = Vec::new();
    let mut pack_of = BTreeMap::new();
    let mut grouped: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for stem in modules.keys() {
        let users: BTreeSet<&str> =
            needed.iter().filter(|(_, stems)| stems.contains(stem)).map(|(part, _)| part.as_str()).collect();
        grouped.entry(group(&users)).or_default().push(stem);
    }
    for (group, stems) in grouped {
        let members: Vec<&[u8]> =
            stems.iter().filter_map(|stem| modules.get(*stem)).map(Vec::as_slice).collect();
        let bytes = shrink(&merged(&members)?)?;
        let name = format!("nexus-{}-{}.wasm", group.replace('_', "-"), digest::short(&bytes));
        pack_of.extend(stems.into_iter().map(|stem| (stem, name.clone())));
        packs.push(Named { name, bytes });
    }
    let mut parts = Parts::new();
    for (part, stems) in needed {
        let files: &mut Vec<String> = parts.entry(part.clone()).or_default();
        for stem in stems {
            let pack = pack_of.get(stem).context(format_args!("the part `{stem}` was not written"))?;
            if !files.contains(pack) {
                files.push(pack.clone());
            }
        }
    }
    Ok((packs, parts))
}

/// The pack for modules used by these parts. A visit starts with the first start or the war room: the war room's view
/// is one file, the engine's code another, and what both need a third, so that a new visitor's engine loads nothing
/// of the war room. Code that reads stored rows, which a new visitor does not have, is in the third.
fn group(users: &BTreeSet<&str>) -> String {
    let is_drawn = users.contains("war_room");
    let mut all = users.iter();
    match (all.next(), all.next()) {
        _ if users.contains("first_start") && (is_drawn || users.contains("work")) => "start".to_owned(),
        _ if users.contains("first_start") => "first_start".to_owned(),
        _ if users.contains("rows") || is_drawn && users.contains("work") => "shared".to_owned(),
        _ if is_drawn => "room".to_owned(),
        _ if users.contains("work") => "work".to_owned(),
        // Agents' Markdown is rendered before any other screen is opened.
        _ if users.contains("reader") => "reader".to_owned(),
        (Some(only), None) => (*only).to_owned(),
        _ => "screens".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> String {
        name.to_owned()
    }

    #[test]
    fn modules_that_are_needed_together_are_merged() {
        let modules: BTreeMap<String, Vec<u8>> = [
            "split_settings",
            "split_war_room",
            "split_reader",
            "chunk_1",
            "chunk_2",
            "chunk_3",
            "chunk_4",
            "chunk_5",
        ]
        .into_iter()
        .map(|stem| (named(stem), part_with(stem)))
        .collect();
        let needed: Parts = [
            ("settings", vec!["chunk_1", "chunk_2", "chunk_3", "split_settings"]),
            ("war_room", vec!["chunk_1", "chunk_2", "chunk_5", "split_war_room"]),
            ("reader", vec!["split_reader"]),
            ("board", vec!["chunk_3", "chunk_4"]),
            ("work", vec!["chunk_4", "chunk_5"]),
            ("first_start", vec!["chunk_2"]),
        ]
        .into_iter()
        .map(|(part, stems)| (named(part), stems.into_iter().map(named).collect()))
        .collect();
        let (packs, parts) = packs(&modules, &needed, |bytes| Ok(bytes.to_vec())).unwrap();
        let beginnings: Vec<&str> = packs.iter().map(|pack| pack.name.rsplit_once('-').unwrap().0).collect();
        assert_eq!(
            beginnings,
            [
                "nexus-reader",
                "nexus-room",
                "nexus-screens",
                "nexus-settings",
                "nexus-shared",
                "nexus-start",
                "nexus-work"
            ]
        );
        let of_part = |part: &str| -> Vec<&str> {
            parts[part].iter().map(|name| name.rsplit_once('-').unwrap().0).collect()
        };
        assert_eq!(of_part("war_room"), ["nexus-room", "nexus-start", "nexus-shared"]);
        assert_eq!(of_part("reader"), ["nexus-reader"]);
        assert_eq!(of_part("work"), ["nexus-work", "nexus-shared"]);
        let shared = packs.iter().find(|pack| pack.name.starts_with("nexus-shared-")).unwrap();
        let contains = |stem: &str| shared.bytes.windows(stem.len()).any(|text| text == stem.as_bytes());
        assert!(contains("chunk_5") && !contains("chunk_2"));
    }

    /// A module with its name as data.
    fn part_with(stem: &str) -> Vec<u8> {
        let mut data = wasm_encoder::DataSection::new();
        data.passive(stem.bytes());
        let mut module = wasm_encoder::Module::new();
        module.section(&data);
        module.finish()
    }

    #[test]
    fn a_missing_module_is_an_error() {
        let needed = [(named("settings"), vec![named("split_settings")])].into();
        assert!(packs(&BTreeMap::new(), &needed, |bytes| Ok(bytes.to_vec())).is_err());
    }
}
