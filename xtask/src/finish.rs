//! Never compiles, and never touches a folder but the one that Trunk is about to publish.
//!
//! Owns the last step of every build, which Trunk calls as a hook: the program made smaller, its
//! version written into the page, and a page per screen.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::digest;
use crate::error::{Context, Error, Result};
use crate::run::{run, say};
use crate::tools::WasmOpt;
use crate::wasm;
use crate::workspace::Workspace;

/// The screens besides the war room, which is the page itself. Each is an address one can reload.
const SCREENS: [&str; 1] = ["settings"];

/// Finishes the folder that Trunk names.
pub(crate) fn finish(workspace: &Workspace) -> Result<()> {
    let staging = env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .context("this step belongs to a build and is called by Trunk; `cargo xtask build` runs it")?;
    let index = staging.join("index.html");
    let mut page = fs::read_to_string(&index).context("reading the built page")?;
    if env::var("TRUNK_PROFILE").as_deref() == Ok("release") {
        page = shrink(&staging, page)?;
    }
    let program = the_program(&staging)?;
    let bytes = fs::read(&program).context("reading the program")?;
    page = with_hash_moved(&page, &file_name(&program), &digest::integrity(&bytes));
    page = with_version(&page, &workspace.locked_version("nexus")?)?;
    fs::write(&index, &page).context("writing the built page")?;
    for screen in SCREENS {
        let folder = staging.join(screen);
        fs::create_dir_all(&folder).context("making the folder of a screen")?;
        fs::write(folder.join("index.html"), page_of(screen, &page)?)
            .context("writing the page of a screen")?;
    }
    Ok(())
}

/// Makes the program as small as it can be here, and gives it the name and the hash of its new bytes.
fn shrink(staging: &Path, page: String) -> Result<String> {
    let program = the_program(staging)?;
    let before = fs::read(&program).context("reading the program")?;
    if let Some(wasm_opt) = WasmOpt::find() {
        let mut command = Command::new(&wasm_opt.program);
        command.arg("-Oz").args(WasmOpt::FEATURES).arg(&program).arg("-o").arg(&program);
        run(&mut command)?;
    }
    let optimised = fs::read(&program).context("reading the optimised program")?;
    let after = wasm::without_custom_sections(&optimised)?;
    let name = format!("nexus-{}_bg.wasm", digest::short(&after));
    fs::remove_file(&program).context("removing the larger program")?;
    fs::write(staging.join(&name), &after).context("writing the smaller program")?;
    say(format_args!("the program: {} kB, made from {}", after.len() / 1000, before.len() / 1000));
    Ok(page
        .replace(&file_name(&program), &name)
        .replace(&digest::integrity(&before), &digest::integrity(&after)))
}

fn the_program(staging: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(staging).context("looking for the program")?;
    let mut programs = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "wasm"));
    match (programs.next(), programs.next()) {
        (Some(program), None) => Ok(program),
        (None, _) => Err(Error::new("the build wrote no program")),
        (Some(_), Some(_)) => Err(Error::new("the build wrote more than one program")),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Trunk puts the hash of the program on its preload, where browsers ignore it and say so on each
/// start. It is moved to where public/boot.js reads it, who has the browser check it.
fn with_hash_moved(page: &str, program: &str, integrity: &str) -> String {
    let attribute = format!(r#" integrity="{integrity}""#);
    if !page.contains(&attribute) {
        return page.to_owned(); // Built without hashes.
    }
    let named = format!(r#"data-wasm="./{program}""#);
    page.replace(&attribute, "").replace(&named, &format!(r#"{named} data-integrity="{integrity}""#))
}

fn with_version(page: &str, version: &str) -> Result<String> {
    let empty = r#"<meta name="nexus-version" content="">"#;
    if !page.contains(empty) {
        return Err(Error::new("index.html has no empty <meta name=\"nexus-version\">"));
    }
    Ok(page.replace(empty, &format!(r#"<meta name="nexus-version" content="{version}">"#)))
}

/// The same page for an address deeper down: its relative addresses climb up again.
fn page_of(screen: &str, page: &str) -> Result<String> {
    if let Some(place) = ["src=\"/", "href=\"/"].iter().find(|place| page.contains(*place)) {
        return Err(Error::new(format!(
            "the page holds {place}…: an absolute address breaks it on any path but the root"
        )));
    }
    let up = "../".repeat(screen.split('/').count());
    Ok(page.replace("=\"./", &format!("=\"{up}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<meta name="nexus-version" content="">
<script src="./boot-1a.js" integrity="sha384-x"></script>
<meta name="nexus-app" data-glue="./nexus-2b.js" data-wasm="./nexus-2b_bg.wasm">
<p>Not an address: ./here</p>"#;

    #[test]
    fn the_page_of_a_screen_climbs_to_the_same_files() {
        let page = page_of("settings", PAGE).unwrap();
        assert!(page.contains(r#"src="../boot-1a.js""#));
        assert!(page.contains(r#"data-glue="../nexus-2b.js" data-wasm="../nexus-2b_bg.wasm""#));
        assert!(page.contains("Not an address: ./here"));
        assert!(page_of("docs/tools", PAGE).unwrap().contains(r#"src="../../boot-1a.js""#));
    }

    #[test]
    fn the_hash_of_the_program_moves_to_where_it_is_checked() {
        let preload = r#"<link rel="preload" href="./nexus-2b_bg.wasm" integrity="sha384-w" as="fetch">"#;
        let page = with_hash_moved(&format!("{PAGE}{preload}"), "nexus-2b_bg.wasm", "sha384-w");
        assert!(page.contains(r#"data-wasm="./nexus-2b_bg.wasm" data-integrity="sha384-w">"#));
        assert!(page.contains(r#"<link rel="preload" href="./nexus-2b_bg.wasm" as="fetch">"#));
        assert!(page.contains(r#"integrity="sha384-x""#), "that of another file stays");
        assert_eq!(with_hash_moved(PAGE, "nexus-2b_bg.wasm", "sha384-w"), PAGE);
    }

    #[test]
    fn an_absolute_address_is_refused() {
        let page = PAGE.replace("./boot", "/boot");
        let words = page_of("settings", &page).unwrap_err().to_string();
        assert!(words.contains(r#"src="/"#), "{words}");
    }

    #[test]
    fn the_version_is_written_once_and_its_absence_told() {
        let page = with_version(PAGE, "0.1.0").unwrap();
        assert!(page.contains(r#"<meta name="nexus-version" content="0.1.0">"#));
        assert!(with_version(&page, "0.1.0").is_err());
    }

    #[test]
    fn the_source_page_has_a_place_for_the_version() {
        assert!(with_version(include_str!("../../index.html"), "0.1.0").is_ok());
    }
}
