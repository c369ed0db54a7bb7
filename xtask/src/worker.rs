//! Writes the worker that lets the page start without a network (public/sw.js), with the list of all files of the build
//! and their hashes.

use std::env;
use std::fs;
use std::path::Path;

use crate::brief::brief;
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::page;

/// The variable that, set to `off`, builds a page without a worker. Where it is published, earlier workers remove
/// themselves.
const SWITCH: &str = "NEXUS_WORKER";
const FILE: &str = "sw.js";
const WORKER: &str = include_str!("../../public/sw.js");
const NO_WORKER: &str = include_str!("../../public/sw-off.js");
/// What the worker never answers for: itself, what only the tools read, and what runs in frames without an origin.
const LEFT_OUT: [&str; 4] = [FILE, page::PARTS, "preview.html", "check.html"];

/// The name of the build in this folder, by what is in all of its files but the pages; `None` for a build without a worker.
pub(crate) fn build_name(folder: &Path, released: bool) -> Result<Option<String>> {
    if !released || env::var(SWITCH).is_ok_and(|wish| wish == "off") {
        return Ok(None);
    }
    let files = files(folder)?;
    let lasting = files.iter().filter(|(name, _)| !name.ends_with(".html"));
    let list: String = lasting.map(|(name, integrity)| format!("{name} {integrity}\n")).collect();
    Ok(Some(digest::short(list.as_bytes())))
}

/// The page with the name of its build, by which public/offline.js knows that there is a worker.
pub(crate) fn named(page: &str, build: &str) -> String {
    page.replacen("</head>", &format!(r#"<meta name="nexus-worker" content="{build}"></head>"#), 1)
}

/// Writes the worker of a finished folder, or the one that removes others.
pub(crate) fn write(folder: &Path, build: Option<&str>) -> Result<()> {
    let text = match build {
        Some(build) => filled(build, &files(folder)?)?,
        None => NO_WORKER.to_owned(),
    };
    fs::write(folder.join(FILE), brief(&text)).context("writing the worker")
}

fn filled(build: &str, files: &[(String, String)]) -> Result<String> {
    let (name, list) = (r#"const BUILD = "";"#, "const FILES = {};");
    if !(WORKER.contains(name) && WORKER.contains(list)) {
        return Err(Error::new("public/sw.js has no place for the name of the build and its files"));
    }
    let lines: String =
        files.iter().map(|(name, integrity)| format!("\"{name}\":\"{integrity}\",\n")).collect();
    let filled = WORKER.replacen(name, &format!("const BUILD = \"{build}\";"), 1);
    Ok(filled.replacen(list, &format!("const FILES = {{\n{lines}}};"), 1))
}

/// The files that the worker keeps, each with its hash, in order.
fn files(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for file in page::files(folder)? {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if LEFT_OUT.contains(&name.as_str()) || name.ends_with(".map") {
            continue;
        }
        let bytes = fs::read(&file).context(format_args!("reading {name}"))?;
        found.push((name, digest::integrity(&bytes)));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worker_lists_each_file_of_the_build_with_its_hash_and_no_other() {
        let folder = env::temp_dir().join(format!("nexus-worker-{}", std::process::id()));
        fs::create_dir_all(folder.join("settings")).unwrap();
        for name in ["index.html", "settings/index.html", "nexus-1a_bg.wasm", "watchdog.js", "icon-192.png"] {
            fs::write(folder.join(name), name).unwrap();
        }
        for name in LEFT_OUT {
            fs::write(folder.join(name), name).unwrap();
        }
        let build = build_name(&folder, true).unwrap().unwrap();
        write(&folder, Some(&build)).unwrap();
        let worker = fs::read_to_string(folder.join(FILE)).unwrap();
        // Pages carry the name of the build, so they have no part in it.
        fs::write(folder.join("index.html"), named("<head></head>", &build)).unwrap();
        assert_eq!(build_name(&folder, true).unwrap(), Some(build.clone()));
        fs::write(folder.join("watchdog.js"), "another").unwrap();
        let other = build_name(&folder, true).unwrap();
        write(&folder, None).unwrap();
        let without = fs::read_to_string(folder.join(FILE)).unwrap();
        fs::remove_dir_all(&folder).unwrap();

        assert!(worker.contains(&format!("const BUILD = \"{build}\";")), "{worker}");
        let list = worker.split_once("const FILES = {").unwrap().1.split_once("};").unwrap().0;
        let line = |name: &str| format!("\"{name}\":\"{}\",\n", digest::integrity(name.as_bytes()));
        let expected =
            ["icon-192.png", "index.html", "nexus-1a_bg.wasm", "settings/index.html", "watchdog.js"];
        assert_eq!(list.trim_start(), expected.map(line).concat());
        assert_ne!(other, Some(build));
        assert!(without.contains("unregister") && !without.contains("respondWith"), "{without}");
    }

    #[test]
    fn a_build_that_is_not_published_has_no_worker() {
        assert_eq!(build_name(&env::temp_dir(), false).unwrap(), None);
    }
}
