//! Benchmarks: the page against a minimal page, the algorithms natively, and the document with the figures.
//!
//! Judges no time: machines differ, and busy ones most of all.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::checks::flows;
use crate::error::{Context, Result};
use crate::page::{self, files};
use crate::run::{cargo, run, say};
use crate::workspace::Workspace;

/// The latest figures are between these lines of the document.
const BEGIN: &str = "<!-- figures: `cargo xtask bench` writes what follows -->\n";
const END: &str = "<!-- end of the figures -->\n";

/// Benchmarks the page against a minimal page, served with brotli as by a host. A quick run measures each figure once
/// and does not update the document.
pub(crate) fn page(workspace: &Workspace, quick: bool) -> Result<()> {
    let dist = page::build(workspace)?;
    let out = workspace.root.join("target/bench");
    let site = out.join("site");
    pack(&dist, &site)?;
    let runs = if quick { "1" } else { "5" };
    let mut command = flows(workspace, &site)?;
    command.args(["--", "--jobs", "1", "long-bench-page"]);
    if !quick {
        command.arg("long-bench-profile");
    }
    run(command.env("NEXUS_BENCH", "1").env("NEXUS_BENCH_RUNS", runs).env("NEXUS_BENCH_OUT", &out))?;
    if quick { Ok(()) } else { write_down(workspace, &[out.join("page.md"), out.join("profile.md")]) }
}

/// Copies a built folder with a brotli copy of each file, without the service worker, which would answer instead of
/// the host.
fn pack(dist: &Path, site: &Path) -> Result<()> {
    drop(fs::remove_dir_all(site));
    for file in files(dist)? {
        let to: PathBuf = site.join(file.strip_prefix(dist).unwrap_or(&file));
        fs::create_dir_all(to.parent().unwrap_or(site)).context("creating the packed folder")?;
        let bytes = fs::read(&file).context(format_args!("reading {}", file.display()))?;
        let bytes = if file.ends_with("index.html") { without_worker(&bytes) } else { bytes };
        let mut packed = brotli::CompressorWriter::new(Vec::new(), 64 * 1024, 11, 22);
        packed.write_all(&bytes).context("packing")?;
        fs::write(format!("{}.br", to.display()), packed.into_inner()).context("writing a packed file")?;
        fs::write(&to, bytes).context("copying the built folder")?;
    }
    Ok(())
}

/// Removes the line that registers the service worker.
fn without_worker(page: &[u8]) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let Some((before, rest)) = page.split_once("<meta name=\"nexus-worker\"") else {
        return page.into_owned().into();
    };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    format!("{before}{after}").into()
}

/// Writes the tables into the document, with the commit and its date.
fn write_down(workspace: &Workspace, tables: &[PathBuf]) -> Result<()> {
    let path = workspace.root.join("docs/performance.md");
    let document = fs::read_to_string(&path).context(format_args!("reading {}", path.display()))?;
    let tables: std::io::Result<Vec<String>> = tables.iter().map(fs::read_to_string).collect();
    let tables = tables.context("reading the results")?.join("\n");
    let mut git = Command::new("git");
    git.current_dir(&workspace.root).args(["log", "-1", "--date=short", "--format=%h of %cd"]);
    let commit = git.output().context("getting the commit from git")?.stdout;
    let commit = String::from_utf8_lossy(&commit);
    fs::write(&path, with_figures(&document, commit.trim(), &tables)?).context("writing the document")?;
    say(format_args!("wrote the figures to {}", path.display()));
    Ok(())
}

fn with_figures(document: &str, commit: &str, table: &str) -> Result<String> {
    let no_place = "docs/performance.md has no place for the figures";
    let (before, rest) = document.split_once(BEGIN).context(no_place)?;
    let (_, after) = rest.split_once(END).context(no_place)?;
    Ok(format!("{before}{BEGIN}\nMeasured at {commit}.\n\n{}\n\n{END}{after}", table.trim()))
}

/// Runs the benchmarks that need no browser.
pub(crate) fn native(workspace: &Workspace) -> Result<()> {
    for arguments in [
        "bench --locked --package nexus-providers --bench decode",
        "bench --locked --package nexus-text --bench markdown",
        "bench --locked --package nexus-engine --bench engine",
    ] {
        run(Command::new(cargo()).current_dir(&workspace.root).args(arguments.split_whitespace()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_figures_of_the_document_change() {
        let document = format!("# Speed\n\n{BEGIN}\nold\n\n{END}\nWhat was found.\n");
        let written = with_figures(&document, "abc of today", "| new |\n").unwrap();
        assert_eq!(
            written,
            format!("# Speed\n\n{BEGIN}\nMeasured at abc of today.\n\n| new |\n\n{END}\nWhat was found.\n")
        );
        assert_eq!(with_figures(&written, "abc of today", "| new |").unwrap(), written);
        assert!(with_figures("# Speed\n", "abc", "").is_err());
    }
}
