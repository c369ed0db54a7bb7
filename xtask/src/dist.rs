//! Builds the release: the page with compressed copies and headers, the hashes of all files, and a bill of materials.
//!
//! The build is reproducible at any path.

mod headers;
mod sbom;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::digest;
use crate::error::{Context as _, Error, Result};
use crate::page;
use crate::run::{cargo, output, run, say};
use crate::workspace::Workspace;

/// Folder of the page.
const SITE: &str = "site";
/// File of hashes for `sha256sum --check`.
const HASHES: &str = "SHA256SUMS";
const BILL: &str = "sbom.cdx.json";
/// Extensions of files that compress well.
const COMPRESSED: [&str; 9] = ["html", "css", "js", "mjs", "wasm", "svg", "json", "txt", "webmanifest"];
/// Minimum size for compression, in bytes.
const COMPRESSED_FROM: usize = 512;

/// Output folder.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("publish")
}

/// Builds everything and returns the output folder.
pub(crate) fn dist(workspace: &Workspace) -> Result<PathBuf> {
    let built = page::build(workspace)?;
    let into = folder(workspace);
    if into.exists() {
        fs::remove_dir_all(&into).context("removing the previous output")?;
    }
    let site = into.join(SITE);
    copy_compressed(&built, &site)?;
    fs::write(site.join("_headers"), headers::of(&paths(&built)?)).context("writing the headers")?;
    fs::write(into.join(BILL), sbom::of(workspace)?).context("writing the bill of materials")?;
    let hashes = hashes(&into)?;
    fs::write(into.join(HASHES), &hashes).context("writing the hashes")?;
    say(format_args!("{} is ready: {} files", into.display(), hashes.lines().count()));
    Ok(into)
}

/// Builds here and in a copy of the checkout at another path, and compares the hashes of all files.
pub(crate) fn dist_twice(workspace: &Workspace) -> Result<()> {
    let here = dist(workspace)?;
    // Outside the checkout, whose `.cargo/config.toml` would be merged with the copy's.
    let copy = std::env::temp_dir().join("nexus-elsewhere/checkout");
    if copy.exists() {
        fs::remove_dir_all(&copy).context("removing the previous copy")?;
    }
    let mut listed = Command::new("git");
    listed.current_dir(&workspace.root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listed = output(&mut listed).context("`git ls-files` failed")?;
    for name in listed.split('\0').filter(|name| workspace.root.join(name).is_file()) {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().unwrap_or(&copy)).context("creating a folder of the copy")?;
        fs::copy(workspace.root.join(name), to).context(format_args!("copying {name}"))?;
    }
    let mut again = Command::new(cargo());
    run(again.current_dir(&copy).env_remove("CARGO_TARGET_DIR").args(["xtask", "dist"]))?;
    let sums = |folder: &Path| fs::read_to_string(folder.join(HASHES)).context("reading the hashes");
    let different = different(&sums(&here)?, &sums(&copy.join("target/publish"))?);
    if different.is_empty() {
        say("both builds are identical");
        return Ok(());
    }
    Err(Error::new(format!("the builds differ in {}", different.join(", "))))
}

/// Files whose hashes differ or exist in one list only.
fn different(one: &str, other: &str) -> Vec<String> {
    let lines = |list: &str| list.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let names = lines(one)
        .symmetric_difference(&lines(other))
        .filter_map(|line| line.split_once("  "))
        .map(|(_, name)| name.to_owned())
        .collect::<BTreeSet<_>>();
    names.into_iter().collect()
}

/// Paths of the files in a folder, sorted, with `/` as separator.
fn paths(folder: &Path) -> Result<Vec<String>> {
    let files = page::files(folder)?;
    let name =
        |file: &PathBuf| file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
    Ok(files.iter().map(name).collect())
}

/// Copies the page, with a brotli and a gzip copy of each file if that is smaller.
fn copy_compressed(from: &Path, to: &Path) -> Result<()> {
    for name in paths(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        let bytes = fs::read(&source).context(format_args!("reading {name}"))?;
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).context("creating a folder")?;
        }
        fs::write(&target, &bytes).context(format_args!("writing {name}"))?;
        let is_text = COMPRESSED.iter().any(|end| name.rsplit('.').next() == Some(end));
        if !is_text || bytes.len() < COMPRESSED_FROM {
            continue;
        }
        for (end, packed) in [("br", brotli(&bytes)?), ("gz", gzip(&bytes)?)] {
            if packed.len() < bytes.len() {
                fs::write(to.join(format!("{name}.{end}")), packed)
                    .context(format_args!("packing {name}"))?;
            }
        }
    }
    Ok(())
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    let options = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &options).context("packing with brotli")?;
    Ok(packed)
}

/// Without time and name, which would change from build to build.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes).context("packing with gzip")?;
    gzip.finish().context("packing with gzip")
}

/// One line for each file: its SHA-256 and its name.
fn hashes(folder: &Path) -> Result<String> {
    let mut lines = String::new();
    for name in paths(folder)? {
        let bytes = fs::read(folder.join(&name)).context(format_args!("reading {name}"))?;
        lines.push_str(&format!("{}  {name}\n", digest::hex(&Sha256::digest(bytes))));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_copies_unpack_to_the_file_and_are_reproducible() {
        let root = std::env::temp_dir().join(format!("nexus-publish-{}", std::process::id()));
        let (from, to) = (root.join("from"), root.join("to"));
        fs::create_dir_all(from.join("parts")).unwrap();
        let text = "let a = 1;\n".repeat(400);
        fs::write(from.join("parts/app-1.js"), &text).unwrap();
        fs::write(from.join("small.js"), "1").unwrap();
        fs::write(from.join("icon.png"), vec![7; 4_000]).unwrap();
        copy_compressed(&from, &to).unwrap();
        let made = ["icon.png", "parts/app-1.js", "parts/app-1.js.br", "parts/app-1.js.gz", "small.js"];
        assert_eq!(paths(&to).unwrap(), made);
        let mut unpacked = Vec::new();
        let packed = fs::read(to.join("parts/app-1.js.br")).unwrap();
        brotli::BrotliDecompress(&mut &*packed, &mut unpacked).unwrap();
        assert_eq!(unpacked, text.as_bytes());
        let mut unpacked = String::new();
        let packed = fs::read(to.join("parts/app-1.js.gz")).unwrap();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*packed), &mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        let first = hashes(&to).unwrap();
        assert!(first.lines().all(|line| line.get(64..66) == Some("  ") && line.len() > 66), "{first}");
        copy_compressed(&from, &to).unwrap();
        assert_eq!(hashes(&to).unwrap(), first);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn differing_and_missing_files_are_named() {
        let one = "1a  site/a.js\n2b  site/b.js\n";
        assert!(different(one, one).is_empty());
        assert_eq!(
            different(one, "1c  site/a.js\n2b  site/b.js\n3d  site/c.js\n"),
            ["site/a.js", "site/c.js"]
        );
    }
}
