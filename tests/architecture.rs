//! The rules of the house that a reader cannot be trusted to remember, as tests over the sources.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "these are tests")]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the ground up; `main` and `lib` stand on top.
const FLOORS: [(&str, &[&str]); 5] = [
    ("domain", &[]),
    ("wire", &["domain"]),
    ("engine", &["domain", "wire"]),
    ("browser", &["domain", "wire", "engine"]),
    ("ui", &["domain", "engine"]),
];

/// The most lines of a file.
const LINES: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "no sources under {folder}");
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path.strip_prefix(root()).unwrap().to_owned(), text));
        }
    }
}

fn room_of(path: &Path) -> Option<String> {
    let inside = path.strip_prefix("src").ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    Some(first.strip_suffix(".rs").unwrap_or(first).to_owned())
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    name.ends_with("_tests")
        || name == "tests"
        || path.components().any(|part| part.as_os_str() == "tests")
        || ["testing", "fake", "scenarios", "scenarios_faults"].contains(&name)
}

/// The text without what stands behind `#[cfg(test)]` at the end of a file, and without comments.
fn program(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    text[..end].lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn rooms_import_only_from_rooms_below() {
    let mut upward = Vec::new();
    for (path, text) in sources("src") {
        let Some(room) = room_of(&path) else { continue };
        let Some((_, below)) = FLOORS.iter().find(|(name, _)| *name == room) else { continue };
        for (other, _) in FLOORS {
            let reaches = [format!("crate::{other}::"), format!("crate::{other};")];
            if other != room
                && !below.contains(&other)
                && reaches.iter().any(|words| program(&text).contains(words))
            {
                upward.push(format!("{} imports from {other}", path.display()));
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn only_the_browser_room_touches_the_browser() {
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        let room = room_of(&path).unwrap_or_default();
        let allowed = match room.as_str() {
            "browser" | "main" => continue,
            // Leptos hands out DOM types; what a component cannot express is done in these two places.
            "ui" => ["src/ui/hooks", "src/ui/markdown"].iter().any(|place| path.starts_with(place)),
            _ => false,
        };
        for word in ["web_sys", "js_sys", "wasm_bindgen", "gloo_"] {
            if !allowed && program(&text).contains(word) {
                found.push(format!("{} names {word}", path.display()));
            }
        }
        for word in ["leptos", "reactive_"] {
            if room != "ui" && program(&text).contains(word) {
                found.push(format!("{} names {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn files_are_short_and_say_first_what_they_never_do() {
    let mut found = Vec::new();
    for folder in ["src", "xtask/src", "tests"] {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            if lines > LINES {
                found.push(format!("{} has {lines} lines", path.display()));
            }
            if folder == "src"
                && !is_test(&path)
                && !["src/lib.rs", "src/main.rs"].contains(&path.to_str().unwrap())
            {
                let first: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
                if !first.contains("ever") {
                    found.push(format!("{} does not say what it never does", path.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_writes_html_or_runs_text() {
    let banned =
        ["inner_html", "set_inner_html", "insert_adjacent_html", "srcdoc", "Function::new", "js_sys::eval"];
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        for word in banned {
            if program(&text).contains(word) {
                found.push(format!("{} uses {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Without a global class, `view!` turns static subtrees into `template.innerHTML`, which our policy refuses.
#[test]
fn every_view_has_a_global_class() {
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        let text = program(&text);
        for (at, _) in text.match_indices("view! {") {
            let rest = text[at + "view! {".len()..].trim_start();
            if !rest.starts_with("class =") && !rest.starts_with("class=") {
                let line = text[..at].lines().count();
                found.push(format!("{} near line {line}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
