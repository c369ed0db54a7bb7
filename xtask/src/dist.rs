//! Makes what is published: the built page with compressed copies and headers, the hashes of all files, and a bill of
//! materials.
//!
//! The same checkout gives the same bytes wherever it lies. [`folder`] says where they are put.

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

/// The page, as a host gets it.
const SITE: &str = "site";
/// The hashes, in the form that `sha256sum --check` reads.
const HASHES: &str = "SHA256SUMS";
const BILL: &str = "sbom.cdx.json";
/// The kinds of files that compress well, by the ends of their names.
const COMPRESSED: [&str; 9] = ["html", "css", "js", "mjs", "wasm", "svg", "json", "txt", "webmanifest"];
/// Smaller files gain nothing.
const COMPRESSED_FROM: usize = 512;

/// Where it is put.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("publish")
}

/// Builds it all, and returns where it is.
pub(crate) fn dist(workspace: &Workspace) -> Result<PathBuf> {
    let built = page::build_reproducibly(workspace)?;
    let into = folder(workspace);
    if into.exists() {
        fs::remove_dir_all(&into).context("removing what was made before")?;
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

/// Builds it here and in a copy of the checkout at another path, and compares the hashes of all files.
pub(crate) fn dist_twice(workspace: &Workspace) -> Result<()> {
    let here = dist(workspace)?;
    // Not below the checkout, whose `.cargo/config.toml` would be joined to that of the copy.
    let copy = std::env::temp_dir().join("nexus-elsewhere/checkout");
    if copy.exists() {
        fs::remove_dir_all(&copy).context("removing the copy of before")?;
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
        fs::create_dir_all(to.parent().unwrap_or(&copy)).context("making a folder of the copy")?;
        fs::copy(workspace.root.join(name), to).context(format_args!("copying {name}"))?;
    }
    let mut again = Command::new(cargo());
    run(again.current_dir(&copy).env_remove("CARGO_TARGET_DIR").args(["xtask", "dist"]))?;
    let sums = |folder: &Path| fs::read_to_string(folder.join(HASHES)).context("reading the hashes");
    let different = different(&sums(&here)?, &sums(&copy.join("target/publish"))?);
    if different.is_empty() {
        say("both builds have the same bytes");
        return Ok(());
    }
    Err(Error::new(format!("the builds differ in {}", different.join(", "))))
}

/// The files of which the hash is in one list only.
fn different(one: &str, other: &str) -> Vec<String> {
    let lines = |list: &str| list.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let names = lines(one)
        .symmetric_difference(&lines(other))
        .filter_map(|line| line.split_once("  "))
        .map(|(_, name)| name.to_owned())
        .collect::<BTreeSet<_>>();
    names.into_iter().collect()
}

/// The names of the files below a folder, with `/` between their parts, in order.
fn paths(folder: &Path) -> Result<Vec<String>> {
    let files = page::files(folder)?;
    let name =
        |file: &PathBuf| file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
    Ok(files.iter().map(name).collect())
}

/// Copies the page, and puts a brotli and a gzip copy beside each file that becomes smaller by it.
fn copy_compressed(from: &Path, to: &Path) -> Result<()> {
    for name in paths(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        let bytes = fs::read(&source).context(format_args!("reading {name}"))?;
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).context("making a folder")?;
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

/// Without a time and a name, which would differ from build to build.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes).context("packing with gzip")?;
    gzip.finish().context("packing with gzip")
}

/// A line for each file: its SHA-256 and its name.
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
    fn the_copies_unpack_to_the_file_and_are_the_same_each_time() {
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
    fn files_with_other_bytes_and_files_of_one_build_only_are_named() {
        let one = "1a  site/a.js\n2b  site/b.js\n";
        assert!(different(one, one).is_empty());
        assert_eq!(
            different(one, "1c  site/a.js\n2b  site/b.js\n3d  site/c.js\n"),
            ["site/a.js", "site/c.js"]
        );
    }
}
