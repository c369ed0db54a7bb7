//! Writes the service worker (public/sw.js) for offline use, with the hashes of all files of the build.

use std::env;
use std::fs;
use std::path::Path;

use crate::brief::brief;
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::page;

/// If this variable is `off`, the page is built without a service worker, and a published build removes earlier ones.
const SWITCH: &str = "NEXUS_WORKER";
const FILE: &str = "sw.js";
const WORKER: &str = include_str!("../../public/sw.js");
const NO_WORKER: &str = include_str!("../../public/sw-off.js");
/// Files that the worker does not cache: itself, files for the tools only, and documents of sandboxed frames.
const EXCLUDED: [&str; 4] = [FILE, page::PARTS, "preview.html", "check.html"];

/// Hash of all files of a build except the HTML pages; `None` for a build without a worker.
pub(crate) fn build_name(folder: &Path, released: bool) -> Result<Option<String>> {
    if !released || env::var(SWITCH).is_ok_and(|value| value == "off") {
        return Ok(None);
    }
    let files = files(folder)?;
    let hashed = files.iter().filter(|(name, _)| !name.ends_with(".html"));
    let list: String = hashed.map(|(name, integrity)| format!("{name} {integrity}\n")).collect();
    Ok(Some(digest::short(list.as_bytes())))
}

/// Adds the build's name to the page; public/offline.js registers the worker by it.
pub(crate) fn named(page: &str, build: &str) -> String {
    page.replacen("</head>", &format!(r#"<meta name="nexus-worker" content="{build}"></head>"#), 1)
}

/// Writes the worker of a finished folder, or the one that unregisters others.
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

/// The files that the worker caches, each with its hash, sorted.
fn files(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for file in page::files(folder)? {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if EXCLUDED.contains(&name.as_str()) || name.ends_with(".map") {
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
    fn the_worker_lists_exactly_the_files_of_the_build_with_their_hashes() {
        let folder = env::temp_dir().join(format!("nexus-worker-{}", std::process::id()));
        fs::create_dir_all(folder.join("settings")).unwrap();
        for name in ["index.html", "settings/index.html", "nexus-1a_bg.wasm", "watchdog.js", "icon-192.png"] {
            fs::write(folder.join(name), name).unwrap();
        }
        for name in EXCLUDED {
            fs::write(folder.join(name), name).unwrap();
        }
        let build = build_name(&folder, true).unwrap().unwrap();
        write(&folder, Some(&build)).unwrap();
        let worker = fs::read_to_string(folder.join(FILE)).unwrap();
        // Pages contain the name of the build, so they are not part of it.
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
    fn a_debug_build_has_no_worker() {
        assert_eq!(build_name(&env::temp_dir(), false).unwrap(), None);
    }
}
