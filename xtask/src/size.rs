//! Never builds, and never counts what the first load does not fetch.
//!
//! Owns what the first load weighs, file by file, and the budget it must keep.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::error::{Context, Error, Result};
use crate::page::files;
use crate::workspace::Workspace;

/// What one file weighs, in bytes, as it is and as hosts send it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Weight {
    name: String,
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Prints the table, and fails above the budget.
pub(crate) fn size(workspace: &Workspace, dist: &Path) -> Result<()> {
    let path = workspace.root.join("xtask/size-budget.toml");
    let budget = fs::read_to_string(&path).context(format_args!("reading {}", path.display()))?;
    let cap = kilobytes(&budget, "brotli_kb")?;
    let (goal, aim) = (kilobytes(&budget, "goal_kb")?, kilobytes(&budget, "aim_kb")?);
    let weights = first_load(dist)?;
    println!("{}", table(&weights));
    let total = weights.iter().map(|weight| weight.brotli).sum::<usize>();
    println!("budget now {cap} kB brotli, goal {goal} kB, aim {aim} kB");
    if total > goal * 1000 {
        println!("the goal is missed by {}", shown(total - goal * 1000));
    }
    if total > cap * 1000 {
        return Err(Error::new(format!(
            "the first load weighs {} as brotli, above the budget of {cap} kB",
            shown(total)
        )));
    }
    Ok(())
}

/// Each file that opening the war room fetches: those that its page names, and the page.
fn first_load(dist: &Path) -> Result<Vec<Weight>> {
    let page = fs::read_to_string(dist.join("index.html")).context("reading the built page")?;
    let mut weights = Vec::new();
    for file in files(dist)? {
        let name = file.strip_prefix(dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if name == "index.html" || page.contains(&format!("./{name}\"")) {
            let bytes = fs::read(&file).context(format_args!("reading {}", file.display()))?;
            weights.push(weigh(name, &bytes)?);
        }
    }
    weights.sort_by_key(|weight| std::cmp::Reverse(weight.brotli));
    Ok(weights)
}

fn weigh(name: String, bytes: &[u8]) -> Result<Weight> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes).context("packing as gzip")?;
    let gzip = gzip.finish().context("packing as gzip")?;
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 64 * 1024, 11, 22);
    brotli.write_all(bytes).context("packing as brotli")?;
    let brotli = brotli.into_inner();
    Ok(Weight { name, raw: bytes.len(), gzip: gzip.len(), brotli: brotli.len() })
}

fn table(weights: &[Weight]) -> String {
    let total = Weight {
        name: "total of the first load".to_owned(),
        raw: weights.iter().map(|weight| weight.raw).sum(),
        gzip: weights.iter().map(|weight| weight.gzip).sum(),
        brotli: weights.iter().map(|weight| weight.brotli).sum(),
    };
    let rows: Vec<&Weight> = weights.iter().chain([&total]).collect();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$} {:>10} {:>10} {:>10}", "file", "raw", "gzip", "brotli");
    for row in rows {
        let Weight { name, raw, gzip, brotli } = row;
        let (raw, gzip, brotli) = (shown(*raw), shown(*gzip), shown(*brotli));
        // Writing to a string cannot fail.
        write!(text, "\n{name:width$} {raw:>10} {gzip:>10} {brotli:>10}").unwrap_or_default();
    }
    text
}

fn shown(bytes: usize) -> String {
    format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100)
}

/// A whole number of kilobytes from a line `key = number`.
fn kilobytes(budget: &str, key: &str) -> Result<usize> {
    budget
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == key)
        .and_then(|(_, value)| value.trim().parse().ok())
        .context(format_args!("size-budget.toml gives no whole number for {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_of_the_repository_can_be_read_and_its_aim_lies_below() {
        let budget = include_str!("../size-budget.toml");
        let cap = kilobytes(budget, "brotli_kb").unwrap();
        let goal = kilobytes(budget, "goal_kb").unwrap();
        assert_eq!(goal, 350);
        assert!(goal <= cap && kilobytes(budget, "aim_kb").unwrap() <= goal);
        assert!(kilobytes(budget, "gzip_kb").is_err());
    }

    #[test]
    fn packing_can_be_undone_and_saves() {
        let text = "one shared mind ".repeat(1_000);
        let weight = weigh("text".to_owned(), text.as_bytes()).unwrap();
        assert_eq!(weight.raw, 16_000);
        assert!(0 < weight.gzip && weight.gzip < 400, "{weight:?}");
        assert!(0 < weight.brotli && weight.brotli < 100, "{weight:?}");
    }

    #[test]
    fn the_table_adds_up() {
        let weight = |name: &str, raw, gzip, brotli| Weight { name: name.to_owned(), raw, gzip, brotli };
        let rows = [weight("nexus.wasm", 600_000, 240_060, 180_000), weight("a.js", 950, 400, 300)];
        let table = table(&rows);
        let total = table.lines().last().unwrap();
        assert_eq!(total, "total of the first load   600.9 kB   240.4 kB   180.3 kB");
        assert_eq!(table.lines().count(), 4);
    }

    #[test]
    fn only_what_the_page_names_is_part_of_the_first_load() {
        let dist = std::env::temp_dir().join(format!("nexus-size-{}", std::process::id()));
        fs::create_dir_all(dist.join("settings")).unwrap();
        fs::write(dist.join("index.html"), r#"<script src="./boot-1.js"></script>"#).unwrap();
        fs::write(dist.join("settings/index.html"), "another screen").unwrap();
        fs::write(dist.join("boot-1.js"), "1").unwrap();
        fs::write(dist.join("later-2.js"), "2").unwrap();
        let names: Vec<String> = first_load(&dist).unwrap().into_iter().map(|weight| weight.name).collect();
        fs::remove_dir_all(&dist).unwrap();
        assert_eq!(names, ["index.html", "boot-1.js"]);
    }
}
