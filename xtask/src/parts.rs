//! Bundles the JavaScript modules of the page. Their packages are installed by the lock file, without install
//! scripts.
//!
//! `xtask/parts/build.mjs` writes them into the folder `parts` with a manifest, by which public/boot.js loads them
//! with integrity checks. Without Node, or with `NEXUS_JS_PARTS=off`, the page works without them and a message names
//! what is missing; a module that fails to build is an error.
//!
//! To add a module: its exact version in `package.json` and `npm install --package-lock-only --ignore-scripts`, an
//! entry in `build.mjs`, which must assert each change that it makes to a package, its sources in `SOURCES`, a hook
//! in `src/ui/hooks/` that calls `js_part::load`, and a fallback. It must run under the page's policy: no `<style>`,
//! no HTML from text, no workers.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::digest;
use crate::error::{Context, Error, Result};
use crate::run::{output, run, say};
use crate::workspace::Workspace;

/// Source files of the bundles, relative to the checkout.
pub(crate) const SOURCES: [&str; 7] = [
    "xtask/parts/package.json",
    "xtask/parts/package-lock.json",
    "xtask/parts/.npmrc",
    "xtask/parts/build.mjs",
    "xtask/parts/languages.mjs",
    "xtask/parts/editor.js",
    "xtask/parts/conflicts.js",
];

/// Folder of the bundles in the built page.
const FOLDER: &str = "parts";
/// Other output of the bundler: the manifest, and the files of each bundle as lines.
const MANIFEST: &str = "manifest.json";
const LIST: &str = "list.txt";

/// If `off`, the page is built without them, as on a machine without Node.
const SWITCH: &str = "NEXUS_JS_PARTS";
/// The oldest supported Node.
const OLDEST_NODE: u32 = 18;

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Data for the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// File name of the manifest.
    pub manifest: String,
    /// Hash of the manifest, for the browser's check.
    pub integrity: String,
    /// The files of each bundle, as lines.
    pub list: String,
}

/// The version of Node, or reason there is none; for the stamp of a build.
pub(crate) fn tool() -> String {
    node().unwrap_or_else(|reason| reason.to_owned())
}

fn node() -> std::result::Result<String, &'static str> {
    if env::var(SWITCH).as_deref() == Ok("off") {
        return Err("switched off");
    }
    let version = output(Command::new("node").arg("--version")).ok_or("no Node")?;
    let version = version.trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|digits| digits.parse().ok());
    if major.is_none_or(|major: u32| major < OLDEST_NODE) {
        return Err("an old Node");
    }
    output(Command::new(NPM).arg("--version")).ok_or("no npm")?;
    Ok(version)
}

/// Writes the bundles into the folder `parts` of the staged page.
pub(crate) fn write(workspace: &Workspace, staging: &Path) -> Result<Option<Parts>> {
    let without = |reason: &str| {
        say(format_args!(
            "{reason}: the page is built without its JavaScript modules, and works without them"
        ));
        Ok(None)
    };
    if let Err(reason) = node() {
        return without(reason);
    }
    let folder = workspace.own_folder().join(FOLDER);
    fs::create_dir_all(&folder).context("creating the folder of the packages")?;
    for source in SOURCES {
        let from = workspace.root.join(source);
        let name = from.file_name().context("a source without a name")?;
        fs::copy(&from, folder.join(name)).context(format_args!("copying {source}"))?;
    }
    if !installed(&folder)? {
        return without("the packages could not be fetched");
    }
    let bundled = folder.join("out");
    if bundled.exists() {
        fs::remove_dir_all(&bundled).context("removing the previous bundles")?;
    }
    run(Command::new("node").current_dir(&folder).args(["build.mjs", "out"]))?;
    publish(&bundled, &staging.join(FOLDER)).map(Some)
}

/// Installs the packages of the lock file unless they are installed; false if they cannot be fetched.
fn installed(folder: &Path) -> Result<bool> {
    let stamp = folder.join("installed");
    let lock = fs::read(folder.join("package-lock.json")).context("reading the lock file")?;
    let wanted = digest::short(&lock);
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(true);
    }
    say("installing the packages of the JavaScript modules; some seconds");
    let mut npm = Command::new(NPM);
    npm.current_dir(folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    if output(&mut npm).is_none() {
        return Ok(false);
    }
    fs::write(&stamp, wanted).context("writing the stamp of the packages")?;
    Ok(true)
}

/// Copies the bundles; the manifest's name contains its hash.
fn publish(bundled: &Path, to: &Path) -> Result<Parts> {
    fs::create_dir_all(to).context("making the folder of the parts")?;
    let mut parts = None;
    let list = fs::read_to_string(bundled.join(LIST)).context("reading the list of bundled packages")?;
    for entry in fs::read_dir(bundled).context("reading the bundled files")? {
        let path = entry.context("reading the bundled files")?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = fs::read(&path).context(format_args!("reading {name}"))?;
        if name == LIST {
            continue;
        }
        let published =
            if name == MANIFEST { format!("manifest-{}.json", digest::short(&bytes)) } else { name.clone() };
        fs::write(to.join(&published), &bytes).context(format_args!("writing {published}"))?;
        if name == MANIFEST {
            let integrity = digest::integrity(&bytes);
            parts = Some(Parts { manifest: format!("{FOLDER}/{published}"), integrity, list: list.clone() });
        }
    }
    parts.ok_or_else(|| Error::new("the bundler wrote no manifest"))
}

/// The page with the name and hash of the manifest for public/boot.js. The name is relative to the folder of the
/// build, because the address may change before the manifest is requested.
pub(crate) fn named(page: &str, parts: &Parts) -> Result<String> {
    let meta = format!(
        r#"<meta name="nexus-js" content="{}" data-integrity="{}">"#,
        parts.manifest, parts.integrity
    );
    match page.contains("</head>") {
        true => Ok(page.replacen("</head>", &format!("{meta}</head>"), 1)),
        false => Err(Error::new("the built page has no end of its head")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_named_by_its_content_and_by_the_page() {
        let folder = env::temp_dir().join(format!("nexus-js-parts-{}", std::process::id()));
        let (bundled, to) = (folder.join("out"), folder.join("page/parts"));
        fs::create_dir_all(&bundled).unwrap();
        fs::write(bundled.join("editor-1A.js"), "editor").unwrap();
        fs::write(bundled.join(MANIFEST), "{}").unwrap();
        fs::write(bundled.join(LIST), "js-editor: parts/editor-1A.js\n").unwrap();
        let parts = publish(&bundled, &to).unwrap();
        let mut names: Vec<_> = fs::read_dir(&to)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        fs::remove_dir_all(&folder).unwrap();

        let manifest = format!("manifest-{}.json", digest::short(b"{}"));
        assert_eq!(names, ["editor-1A.js".to_owned(), manifest.clone()]);
        assert_eq!(parts.manifest, format!("parts/{manifest}"));
        assert_eq!(parts.list, "js-editor: parts/editor-1A.js\n");
        let page = named("<head></head>", &parts).unwrap();
        assert_eq!(
            page,
            format!(
                r#"<head><meta name="nexus-js" content="parts/{manifest}" data-integrity="{}"></head>"#,
                digest::integrity(b"{}")
            )
        );
        assert!(named("no head", &parts).is_err());
    }

    #[test]
    fn the_lock_file_names_a_hash_for_each_package_and_no_host() {
        let lock = include_str!("../parts/package-lock.json");
        assert!(!lock.contains("://"), "the lock file contains a host");
        let packages = lock.matches("\"node_modules/").count();
        assert!(packages > 20);
        assert_eq!(lock.matches("\"integrity\": \"sha512-").count(), packages);
    }

    #[test]
    fn every_version_is_exact() {
        let package = include_str!("../parts/package.json");
        for loose in ["\"^", "\"~", "\"*", "latest"] {
            assert!(!package.contains(loose), "{loose}");
        }
    }

    #[test]
    fn every_source_is_there_and_every_source_is_an_input() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("parts");
        let listed: Vec<_> = SOURCES.iter().filter_map(|path| path.strip_prefix("xtask/parts/")).collect();
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(name == "node_modules" || listed.contains(&name.as_str()), "{name} is not in SOURCES");
        }
    }
}
