//! Last step of each build, called by Trunk as a hook.
//!
//! Splits and shrinks the program, writes its version into the page, bundles the JavaScript modules, adds a page for
//! each screen, and writes the service worker. Compiles nothing, and changes only the folder that Trunk is about to
//! publish.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brief::{brief, brief_style};
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::languages;
use crate::page::PARTS;
use crate::parts;
use crate::run::{run, say};
use crate::split::{self, Named, Program};
use crate::tools::{WasmOpt, wasm_bindgen_here};
use crate::wasm;
use crate::worker;
use crate::workspace::Workspace;

/// Takes the path segments from the table of screens. The war room, which is not in it, is the page itself.
macro_rules! screens {
    ($($screen:ident: $path:literal, $($other:expr),+;)+) => {
        pub(crate) const SCREENS: &[&str] = &[$($path),+];
    };
}
#[path = "../../crates/view/src/shortcuts/screens.rs"]
mod screens;

/// Initial screens: the page's attribute that lists the files of each, and its lazy parts in the order of use.
/// public/boot.js prefetches them.
const FIRST_SCREENS: [(&str, &[&str]); 2] =
    [("data-first", &["first_start"]), ("data-room", &["rows", "war_room", "reader", "work"])];
/// Name prefix of the pack that every screen needs first.
const START: &str = "nexus-start-";

/// Finishes Trunk's staging folder.
pub(crate) fn finish(workspace: &Workspace) -> Result<()> {
    let staging = env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .context("this step belongs to a build and is called by Trunk; `cargo xtask build` runs it")?;
    let released = env::var("TRUNK_PROFILE").as_deref() == Ok("release");
    let index = staging.join("index.html");
    let page = fs::read_to_string(&index).context("reading the built page")?;
    let program = split_program(workspace, released)?;
    let page = with_program(&page, &staging, &program)?;
    let mut page = with_preloads(&with_brief_texts(&page, &staging)?)?;
    shorten(&staging.join("watchdog.js"))?;
    if let Some(parts) = parts::write(workspace, &staging)? {
        page = parts::named(&page, &parts)?;
        let list = staging.join(PARTS);
        let of_program = fs::read_to_string(&list).context("reading the list of parts")?;
        fs::write(&list, of_program + &parts.list).context("writing the list of parts")?;
    }
    page = languages::write(&workspace.root, &staging, &page)?;
    let build = worker::build_name(&staging, released)?;
    if let Some(build) = &build {
        page = worker::named(&page, build);
    }
    let page = without_comments(&with_version(&page, &workspace.locked_version("nexus")?)?);
    fs::write(&index, &page).context("writing the built page")?;
    for screen in screens::SCREENS {
        let folder = staging.join(screen);
        fs::create_dir_all(&folder).context("creating the folder of a screen")?;
        fs::write(folder.join("index.html"), page_of(screen, &page)?)
            .context("writing the page of a screen")?;
    }
    worker::write(&staging, build.as_deref())
}

/// Splits the compiler's output into the files that a host serves.
fn split_program(workspace: &Workspace, released: bool) -> Result<Program> {
    let profile = if released { "release" } else { "debug" };
    let compiled = workspace.compiled_program(profile);
    let mut bindgen = Command::new(wasm_bindgen_here(workspace)?);
    if released {
        bindgen.args(["--remove-name-section", "--remove-producers-section"]);
    }
    let wasm_opt = if released { WasmOpt::find() } else { None };
    let shrink = |module: &Path| match released {
        true => minimised(module, wasm_opt.as_ref()),
        false => fs::read(module).context("reading a part of the program"),
    };
    let program =
        split::split(&compiled, &workspace.own_folder().join("apart").join(profile), &mut bindgen, shrink)?;
    let lazy = program.files.iter().map(|file| file.bytes.len()).sum::<usize>();
    say(format_args!(
        "the program: {} kB to start, {} kB in {} lazy files",
        program.main.bytes.len() / 1000,
        lazy / 1000,
        program.files.len()
    ));
    Ok(program)
}

/// A module, minimised as far as the installed tools can.
fn minimised(module: &Path, wasm_opt: Option<&WasmOpt>) -> Result<Vec<u8>> {
    if let Some(wasm_opt) = wasm_opt {
        let mut command = Command::new(&wasm_opt.program);
        command.arg("-Oz").args(WasmOpt::FEATURES).arg(module).arg("-o").arg(module);
        run(&mut command)?;
    }
    let optimised = fs::read(module).context("reading a part of the program")?;
    wasm::compact(&optimised)
}

/// Replaces the single program that Trunk wrote.
/// | Trunk puts the program's hash on its preload link, where browsers ignore it with a warning on each start. The
/// hash goes to an attribute that public/boot.js reads, which has the browser check it.
fn with_program(page: &str, staging: &Path, program: &Program) -> Result<String> {
    let mut page = page.to_owned();
    let with_hashes = page.contains("integrity=");
    let integrity = |bytes: &[u8]| format!(r#" integrity="{}""#, digest::integrity(bytes));
    for (attribute, named) in [("data-glue", &program.glue), ("data-wasm", &program.main)] {
        let whole = named_in(&page, attribute)?;
        let file = staging.join(&whole);
        let bytes = fs::read(&file).context(format_args!("reading {whole}"))?;
        fs::remove_file(&file).context(format_args!("removing {whole}"))?;
        page = page.replace(&whole, &named.name);
        let kept_hash = if attribute == "data-glue" { integrity(&named.bytes) } else { String::new() };
        page = page.replace(&integrity(&bytes), &kept_hash);
    }
    let Program { glue, main, files, parts } = program;
    let of_main = match with_hashes {
        true => format!(r#" data-integrity="{}""#, digest::integrity(&main.bytes)),
        false => String::new(),
    };
    let mut of_screens = String::new();
    for (attribute, needed) in FIRST_SCREENS {
        let mut names: Vec<&str> = Vec::new();
        for file in needed.iter().filter_map(|part| parts.get(*part)).flatten() {
            if !names.contains(&file.as_str()) && !file.starts_with(START) {
                names.push(file);
            }
        }
        of_screens.push_str(&format!(r#" {attribute}="{}""#, names.join(" ")));
    }
    let named = format!(r#"data-wasm="./{}""#, main.name);
    page = page.replace(&named, &format!("{named}{of_main}{of_screens}"));
    // Preloads the pack that every screen needs first, beside the program.
    for pack in files.iter().filter(|pack| pack.name.starts_with(START)) {
        let link =
            format!(r#"<link rel="preload" as="fetch" href="./{}" crossorigin="anonymous">"#, pack.name);
        page = page.replace("</head>", &format!("{link}</head>"));
    }
    for Named { name, bytes } in [glue, main].into_iter().chain(files) {
        fs::write(staging.join(name), bytes).context(format_args!("writing {name}"))?;
    }
    let listed: String = parts.iter().map(|(part, files)| format!("{part}: {}\n", files.join(" "))).collect();
    fs::write(staging.join(PARTS), listed).context("writing the list of parts")?;
    Ok(page)
}

/// Minifies a file that keeps its name.
fn shorten(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).context(format_args!("reading {}", file.display()))?;
    fs::write(file, brief(&text)).context(format_args!("writing {}", file.display()))
}

/// Key of a group of tags: its start and attributes; then each tag with its text.
type TagGroup<'a> = ((&'a str, String), Vec<(String, String)>);

/// Replaces the scripts and styles that Trunk copied by minified ones. Style sheets that are enabled together are
/// merged, and so are deferred scripts, so that a screen fetches one file.
fn with_brief_texts(page: &str, staging: &Path) -> Result<String> {
    let mut brief_page = page.to_owned();
    let mut groups: Vec<TagGroup> = Vec::new();
    for (number, before) in
        [r#"<script src="./"#, r#"<link rel="stylesheet" href="./"#].into_iter().enumerate()
    {
        for (name, rest) in page.split(before).skip(1).filter_map(|rest| rest.split_once('"')) {
            let file = staging.join(name);
            let text = fs::read_to_string(&file).context(format_args!("reading {name}"))?;
            fs::remove_file(&file).context(format_args!("removing {name}"))?;
            let (rest, _) = rest.split_once('>').context(format_args!("the tag of {name} has no end"))?;
            let integrity = digest::integrity(text.as_bytes());
            let attributes = rest.trim_end_matches('/').replace(&format!(r#" integrity="{integrity}""#), "");
            let is_style = number == 1;
            let brief = if is_style { brief_style(&text) } else { brief(&text) };
            let tag = format!(r#"{before}{name}"{rest}>"#);
            let can_merge = is_style || attributes.contains(" defer");
            match groups.iter_mut().find(|(key, _)| can_merge && *key == (before, attributes.clone())) {
                Some((_, texts)) => texts.push((tag, brief)),
                None => groups.push(((before, attributes), vec![(tag, brief)])),
            }
        }
    }
    for ((before, attributes), texts) in groups {
        let text: String = texts.iter().map(|(_, text)| text.as_str()).collect();
        let mut tags = texts.iter().map(|(tag, _)| tag);
        let first = tags.next().context("a group of files without a file")?;
        let named = first.split("./").nth(1).and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
        let name = write_named(staging, named.context("a tag without a name")?, &text)?;
        let start = format!(r#"{before}{name}"{attributes}"#);
        brief_page = brief_page.replace(first, &tag_as_checked(&start, first, &text));
        for tag in tags {
            let end = if before.starts_with("<script") { "</script>" } else { "" };
            brief_page = brief_page.replace(&format!("{tag}{end}"), "");
        }
    }
    Ok(brief_page)
}

/// Adds preload links for the scripts and the style sheet at the end of the page. Browsers do not scan preload in a
/// page with a policy in a `meta` element, and would find each file only after the one before.
fn with_preloads(page: &str) -> Result<String> {
    let mut links = String::new();
    for (begin, kind, is_late) in
        [("<script", "script", " defer"), (r#"<link rel="stylesheet""#, "style", " disabled")]
    {
        let tags = page.split(begin).skip(1).filter_map(|rest| rest.split_once('>'));
        for (tag, _) in tags.filter(|(tag, _)| tag.contains("=\"./") && !tag.contains(is_late)) {
            let value = |name: &str| {
                let (_, rest) = tag.split_once(&format!("{name}=\""))?;
                rest.split_once('"').map(|(value, _)| value)
            };
            let address = value("src").or_else(|| value("href")).context("a tag without an address")?;
            let integrity = value("integrity").map(|hash| format!(r#" integrity="{hash}""#));
            let integrity = integrity.unwrap_or_default();
            links.push_str(&format!(
                r#"<link rel="preload" as="{kind}" href="{address}"{integrity} crossorigin="anonymous">"#
            ));
        }
    }
    let place = page.find("<link").context("the built page has no link")?;
    let (before, after) = page.split_at(place);
    Ok(format!("{before}{links}{after}"))
}

/// The tag that begins with `start`, with the hash of `text` if the replaced tag had one.
fn tag_as_checked(start: &str, replaced: &str, text: &str) -> String {
    match replaced.contains(" integrity=") {
        true => format!(r#"{start} integrity="{}">"#, digest::integrity(text.as_bytes())),
        false => format!("{start}>"),
    }
}

/// Writes a text under the stem of `name` and the text's hash.
fn write_named(staging: &Path, name: &str, text: &str) -> Result<String> {
    let (stem, kind) = name
        .rsplit_once('-')
        .and_then(|(stem, rest)| Some((stem, rest.split_once('.')?.1)))
        .context(format_args!("{name} has no hash in its name"))?;
    let name = format!("{stem}-{}.{kind}", digest::short(text.as_bytes()));
    fs::write(staging.join(&name), text).context(format_args!("writing {name}"))?;
    Ok(name)
}

/// The file that an attribute of the page names.
fn named_in(page: &str, attribute: &str) -> Result<String> {
    page.split_once(&format!(r#"{attribute}="./"#))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .context(format_args!("the built page has no {attribute}"))
}

/// The page without comments. Inline style and script stay unchanged: the policy has their hashes.
fn without_comments(page: &str) -> String {
    let mut parts = page.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |page, part| {
        let after = part.split_once("-->").map_or("", |(_, after)| after);
        page.trim_end_matches(' ').to_owned() + after.trim_start_matches('\n')
    })
}

fn with_version(page: &str, version: &str) -> Result<String> {
    let empty = r#"<meta name="nexus-version" content="">"#;
    if !page.contains(empty) {
        return Err(Error::new("index.html has no empty <meta name=\"nexus-version\">"));
    }
    Ok(page.replace(empty, &format!(r#"<meta name="nexus-version" content="{version}">"#)))
}

/// The same page for a deeper path: relative addresses get `../`.
fn page_of(screen: &str, page: &str) -> Result<String> {
    if let Some(place) = ["src=\"/", "href=\"/"].iter().find(|place| page.contains(*place)) {
        return Err(Error::new(format!(
            "the page contains {place}…: an absolute address breaks it on any path but the root"
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
    fn the_page_of_a_screen_refers_to_the_same_files() {
        let page = page_of("settings", PAGE).unwrap();
        assert!(page.contains(r#"src="../boot-1a.js""#));
        assert!(page.contains(r#"data-glue="../nexus-2b.js" data-wasm="../nexus-2b_bg.wasm""#));
        assert!(page.contains("Not an address: ./here"));
        assert!(page_of("docs/tools", PAGE).unwrap().contains(r#"src="../../boot-1a.js""#));
    }

    #[test]
    fn the_split_program_replaces_the_single_one() {
        let staging = env::temp_dir().join(format!("nexus-finish-{}", std::process::id()));
        fs::create_dir_all(&staging).unwrap();
        fs::write(staging.join("nexus-2b.js"), "whole glue").unwrap();
        fs::write(staging.join("nexus-2b_bg.wasm"), "whole program").unwrap();
        let of = |bytes: &[u8]| format!(r#"integrity="{}""#, digest::integrity(bytes));
        let preloads = format!(
            r#"<link href="./nexus-2b.js" {}><link href="./nexus-2b_bg.wasm" {}></head>"#,
            of(b"whole glue"),
            of(b"whole program")
        );
        let named = |name: &str| Named { name: name.to_owned(), bytes: name.as_bytes().to_vec() };
        let program = Program {
            glue: named("nexus-3c.js"),
            main: named("nexus-4d_bg.wasm"),
            files: vec![named("nexus-settings-5e.wasm"), named("nexus-start-6f.wasm")],
            parts: [
                ("work", ["nexus-start-6f.wasm", "nexus-work-7a.wasm"]),
                ("settings", ["nexus-settings-5e.wasm"; 2]),
            ]
            .map(|(part, files)| (part.to_owned(), files.map(str::to_owned).to_vec()))
            .into(),
        };
        let page = with_program(&format!("{PAGE}{preloads}"), &staging, &program).unwrap();
        let kept: Vec<_> = fs::read_dir(&staging).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let parts = fs::read_to_string(staging.join(PARTS)).unwrap();
        fs::remove_dir_all(&staging).unwrap();

        assert_eq!(kept.len(), 5, "{kept:?}");
        assert!(parts.contains("\nwork: nexus-start-6f.wasm nexus-work-7a.wasm\n"), "{parts}");
        assert!(page.contains(r#" data-first="" data-room="nexus-work-7a.wasm">"#), "{page}");
        let main = digest::integrity(b"nexus-4d_bg.wasm");
        assert!(page.contains(&format!(r#"data-wasm="./nexus-4d_bg.wasm" data-integrity="{main}""#)));
        assert!(page.contains(r#"data-glue="./nexus-3c.js""#));
        assert!(page.contains(&format!(r#"<link href="./nexus-3c.js" {}>"#, of(b"nexus-3c.js"))));
        assert!(page.contains(r#"<link href="./nexus-4d_bg.wasm">"#), "browsers ignore a hash there");
        let preload =
            r#"<link rel="preload" as="fetch" href="./nexus-start-6f.wasm" crossorigin="anonymous"></head>"#;
        assert!(page.contains(preload), "{page}");
        assert!(page.contains(r#"integrity="sha384-x""#), "another file's hash stays");
        assert!(!page.contains("2b"), "{page}");
    }

    #[test]
    fn scripts_and_styles_are_named_by_their_hash() {
        let staging = env::temp_dir().join(format!("nexus-brief-{}", std::process::id()));
        fs::create_dir_all(&staging).unwrap();
        let (script, style) = ("// Why.\n  run();\n", "/* Why. */\n* { margin: 0; }\n");
        fs::write(staging.join("boot-1a.js"), script).unwrap();
        let mut page = PAGE.replace("sha384-x", &digest::integrity(script.as_bytes()));
        for (name, part) in [("main-2b", "board"), ("diff-3c", "settings"), ("core-4d", "board")] {
            fs::write(staging.join(name).with_extension("css"), style).unwrap();
            page.push_str(&format!(r#"<link rel="stylesheet" href="./{name}.css" data-style="{part}"/>"#));
        }
        for name in ["dump-5e", "recovery-6f"] {
            fs::write(staging.join(name).with_extension("js"), script).unwrap();
            page.push_str(&format!(r#"<script src="./{name}.js" defer></script>"#));
        }
        let page = with_brief_texts(&page, &staging).unwrap();
        let late = format!("dump-{}.js", digest::short(b"run();\nrun();\n"));
        assert!(page.ends_with(&format!(r#"<script src="./{late}" defer></script>"#)), "{page}");
        let brief = "*{margin:0}";
        let both = format!("main-{}.css", digest::short(brief.repeat(2).as_bytes()));
        assert_eq!(fs::read_to_string(staging.join(&both)).unwrap(), brief.repeat(2));
        assert!(page.contains(&format!(r#"href="./{both}" data-style="board">"#)), "{page}");
        assert!(page.contains(&format!(
            r#"href="./diff-{}.css" data-style="settings">"#,
            digest::short(brief.as_bytes())
        )));
        assert!(!page.contains("core-"), "{page}");
        let name = format!("boot-{}.js", digest::short(b"run();\n"));
        let kept = fs::read_to_string(staging.join(&name)).unwrap();
        let is_old_there = staging.join("boot-1a.js").exists();
        fs::remove_dir_all(&staging).unwrap();
        assert_eq!((kept.as_str(), is_old_there), ("run();\n", false));
        let integrity = digest::integrity(b"run();\n");
        assert!(page.contains(&format!(r#"<script src="./{name}" integrity="{integrity}">"#)), "{page}");
    }

    #[test]
    fn files_at_the_end_are_preloaded_at_the_top() {
        let page = r#"<style>a</style><link rel="icon" href="./i.svg"></head><script crossorigin src="./w.js"></script>
<script src="./boot-1a.js" crossorigin integrity="sha384-x"></script><script src="./late.js" defer></script>
<link rel="stylesheet" href="./main.css" crossorigin integrity="sha384-y"><link rel="stylesheet" href="./b.css" disabled>"#;
        let links = [
            r#"<style>a</style><link rel="preload" as="script" href="./w.js" crossorigin="anonymous">"#,
            r#"<link rel="preload" as="script" href="./boot-1a.js" integrity="sha384-x" crossorigin="anonymous">"#,
            r#"<link rel="preload" as="style" href="./main.css" integrity="sha384-y" crossorigin="anonymous">"#,
            r#"<link rel="icon""#,
        ];
        let named = with_preloads(page).unwrap();
        assert!(named.starts_with(&links.concat()), "{named}");
        assert_eq!(named.matches("late.js").count() + named.matches("b.css").count(), 2, "{named}");
    }

    #[test]
    fn comments_are_removed_and_hashed_elements_stay() {
        let page = "<a>\n  <!-- One\n  two. -->\n  <style>\n  /* Why. */\n</style><!-- b --><c>";
        assert_eq!(without_comments(page), "<a>\n  <style>\n  /* Why. */\n</style><c>");
        let page = include_str!("../../index.html");
        for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let hashed = page.split_once(start).unwrap().1.split_once(end).unwrap().0;
            assert!(without_comments(page).contains(hashed), "{start}");
        }
    }

    #[test]
    fn an_absolute_address_is_rejected() {
        let page = PAGE.replace("./boot", "/boot");
        let message = page_of("settings", &page).unwrap_err().to_string();
        assert!(message.contains(r#"src="/"#), "{message}");
    }

    #[test]
    fn the_version_is_written_once_and_a_missing_place_is_an_error() {
        let page = with_version(PAGE, "0.1.0").unwrap();
        assert!(page.contains(r#"<meta name="nexus-version" content="0.1.0">"#));
        assert!(with_version(&page, "0.1.0").is_err());
    }

    #[test]
    fn the_source_page_has_a_place_for_the_version() {
        assert!(with_version(include_str!("../../index.html"), "0.1.0").is_ok());
    }
}
