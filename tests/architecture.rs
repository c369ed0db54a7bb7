//! Checks the architecture: dependencies between crates, sizes of files and folders, import cycles, names.

#![allow(clippy::unwrap_used, clippy::string_slice, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates from the ground up, and which of ours each may name.
const CRATES: [(&str, &[&str]); 6] = [
    ("markup", &[]),
    ("text", &[]),
    ("model", &["markup", "text"]),
    ("providers", &["text", "model"]),
    ("engine", &["markup", "text", "model", "providers"]),
    ("view", &["markup", "text", "model", "providers", "engine"]),
];

/// What only the page's package may name.
const OF_THE_PAGE: [&str; 5] = ["leptos", "wasm-bindgen", "web-sys", "js-sys", "gloo-"];

/// The most lines of a file.
const LINES: usize = 600;

/// The most entries of a folder, a module's file and folder counted once.
const CHILDREN: usize = 25;

/// Module names that say nothing to a newcomer, and the plain one of each.
const BANNED_MODULES: [(&str, &str); 27] = [
    ("as_it_was", "turn_snapshot"),
    ("aside", "one_shot"),
    ("care", "message_actions, reminders"),
    ("curtail", "truncate"),
    ("desk", "panel, state"),
    ("find_said", "conversation_search"),
    ("finder", "search"),
    ("head_moves", "reflog"),
    ("intake", "command_loop"),
    ("joining", "merge"),
    ("key_desk", "key_service"),
    ("key_news", "key_broadcast"),
    ("late", "lazy"),
    ("noise", "garbage"),
    ("overriding", "message_overrides"),
    ("pointing", "file_reference"),
    ("raw_days", "retention"),
    ("rehearsal", "demo"),
    ("recruit", "agent_templates"),
    ("roster", "default_agents"),
    ("shelf", "file_name"),
    ("sight", "vision"),
    ("stretch", "turn_range"),
    ("thinks_with", "model_picker"),
    ("told", "fallback"),
    ("tree_desk", "dialogs"),
    ("wish", "options"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
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

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "no sources under {folder}");
    found.sort();
    found
}

/// The folders with product code, by crate.
fn crates() -> Vec<(&'static str, String)> {
    let mut all: Vec<_> = CRATES.iter().map(|(name, _)| (*name, format!("crates/{name}/src"))).collect();
    all.push(("nexus", "src".to_owned()));
    all
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let is_helper = |part: &std::path::Component<'_>| {
        let part = part.as_os_str().to_str().unwrap();
        ["tests", "testing"].contains(&part.trim_end_matches(".rs"))
    };
    name.ends_with("_tests") || path.components().any(|part| is_helper(&part))
}

/// The text without the test modules that stand at the end of a file, and without comments.
fn program(text: &str) -> String {
    let mut modules = text.match_indices("#[cfg(test)]\nmod ");
    let own = modules.find(|(at, _)| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{')));
    let end = own.map_or(text.len(), |(at, _)| at);
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_crate_names_only_crates_below_it_and_none_names_the_browser() {
    let mut found = Vec::new();
    for (name, below) in CRATES {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("\n[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for line in dependencies.lines().filter(|line| !line.is_empty()) {
            let ours = line.strip_prefix("nexus-").and_then(|rest| rest.split(['.', ' ']).next());
            if ours.is_some_and(|ours| !below.contains(&ours)) {
                found.push(format!("{name} depends on {line}"));
            }
            if OF_THE_PAGE.iter().any(|word| line.starts_with(word)) {
                found.push(format!("{name} depends on {line}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_browser_knows_no_screen_and_screens_know_no_adapter() {
    let mut found = Vec::new();
    for (folder, other) in [("src/browser", "crate::ui"), ("src/ui", "crate::browser")] {
        for (path, text) in sources(folder) {
            if program(&text).contains(other) {
                found.push(format!("{} names {other}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Leptos hands out DOM types; markup is drawn in one place, and what a component cannot express is done in hooks and
/// in the Markdown writer.
#[test]
fn components_touch_the_dom_in_three_places_only() {
    let mut found = Vec::new();
    for (path, text) in sources("src/ui") {
        let places = ["src/ui/hooks", "src/ui/markdown", "src/ui/kit/markup"];
        if places.iter().any(|place| path.with_extension("").starts_with(place)) {
            continue;
        }
        for word in ["web_sys", "js_sys", "wasm_bindgen", "gloo_"] {
            if program(&text).contains(word) {
                found.push(format!("{} names {word}", path.display()));
            }
        }
    }
    for (path, text) in sources("src/browser") {
        for word in ["leptos", "reactive_"] {
            if program(&text).contains(word) {
                found.push(format!("{} names {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// `activity` ends in a wildcard, so the compiler does not ask for them.
#[test]
fn the_feed_has_words_for_what_the_table_of_events_shows_in_it() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (table, words) =
        (read("crates/model/src/event/topic.rs"), read("crates/view/src/strings/activity.rs"));
    let rows = table.split("\nkinds! {").nth(1).unwrap().split("\n}").next().unwrap();
    let rows = rows.lines().filter_map(|row| row.trim().split_once(": "));
    let shown = rows.filter(|(_, facts)| facts.ends_with("Operator;") || facts.ends_with("Turn;"));
    // `EventKind::facts` shows some of these two.
    let shown = shown.map(|(kind, _)| kind).chain(["HeadMoved", "JobOpened"]);
    let arms = words.split("match event {").nth(1).unwrap().split("\n}").next().unwrap();
    let arms = arms.split("EventKind::").skip(1).filter_map(|arm| arm.split([' ', '(']).next());
    assert_eq!(arms.collect::<BTreeSet<_>>(), shown.collect::<BTreeSet<_>>());
}

/// A unit variant would be stored without its name.
#[test]
fn every_event_kind_has_fields_or_braces() {
    let text = fs::read_to_string(root().join("crates/model/src/event.rs")).unwrap();
    let kinds = text.split("pub enum EventKind {").nth(1).unwrap().split("\n}").next().unwrap();
    let kinds = kinds.lines().filter_map(|line| line.strip_prefix("    "));
    let kinds: Vec<_> = kinds.filter(|line| line.starts_with(char::is_uppercase)).collect();
    assert!(kinds.len() > 40, "{kinds:?}");
    let units: Vec<_> = kinds.iter().filter(|line| !line.contains(['{', '('])).collect();
    assert!(units.is_empty(), "write `Name {{}}`: {units:?}");
}

#[test]
fn files_are_short_and_say_first_what_they_do() {
    let mut found = Vec::new();
    for folder in ["src", "crates", "xtask/src", "tests"] {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            if lines > LINES {
                found.push(format!("{} has {lines} lines", path.display()));
            }
            if text.starts_with("//! Never") || text.starts_with("//! Owns") {
                found.push(format!("{} does not say first what it does", path.display()));
            }
            let name = path.file_stem().unwrap().to_str().unwrap();
            let better = BANNED_MODULES.iter().find(|(banned, _)| *banned == name);
            if let Some((_, better)) = better.filter(|_| ["src", "crates"].contains(&folder)) {
                found.push(format!("{}: call it {better}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn folders_are_small() {
    let mut found = Vec::new();
    for (_, folder) in crates() {
        let mut children: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for (path, _) in sources(&folder) {
            for place in path.ancestors().take_while(|place| place.to_str() != Some(folder.as_str())) {
                let stem = place.file_stem().unwrap().to_str().unwrap();
                let name = stem.strip_suffix("_tests").unwrap_or(stem).to_owned();
                children.entry(place.parent().unwrap().to_owned()).or_default().insert(name);
            }
        }
        for (place, names) in children {
            let count = names.iter().filter(|name| !["lib", "main"].contains(&name.as_str())).count();
            if count > CHILDREN {
                found.push(format!("{} has {count} entries, {CHILDREN} are allowed", place.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The names of types that a text defines outside of tests.
fn types_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in program(text).lines() {
        let line = line.trim_start();
        let line = ["pub(crate) ", "pub(super) ", "pub "]
            .iter()
            .find_map(|vis| line.strip_prefix(vis))
            .unwrap_or(line);
        let rest = ["struct ", "enum ", "trait ", "union "].iter().find_map(|word| line.strip_prefix(word));
        if let Some(rest) = rest {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

#[test]
fn no_type_name_is_defined_twice_in_a_crate() {
    let mut found = Vec::new();
    for (name, folder) in crates() {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in sources(&folder).into_iter().filter(|(path, _)| !is_test(path)) {
            for kind in types_of(&text) {
                places.entry(kind).or_default().push(path.display().to_string());
            }
        }
        let twice = places.into_iter().filter(|(kind, places)| places.len() > 1 && kind.len() > 1);
        found.extend(twice.map(|(kind, places)| format!("{name}: {kind} in {places:?}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Which files of a crate each file imports by `crate::…`.
fn imports(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let module = |path: &Path| {
        let inside = path.strip_prefix(folder).unwrap().with_extension("");
        inside.to_str().unwrap().replace('/', "::")
    };
    let files: Vec<_> = sources(folder).into_iter().filter(|(path, _)| !is_test(path)).collect();
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| module(path)).collect();
    let mut found = BTreeMap::new();
    for (path, text) in &files {
        let own = module(path);
        let program = program(text);
        let paths = program.split("crate::").skip(1).flat_map(|rest| {
            let end = |text: &str| {
                text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len())
            };
            let (path, list) = rest.split_at(end(rest));
            let items = list.strip_prefix('{').and_then(|list| list.split('}').next()).unwrap_or_default();
            let item = |item: &str| format!("{path}{}", &item[..end(item)]);
            items.split(',').map(|each| item(each.trim())).collect::<Vec<_>>()
        });
        let mut named = BTreeSet::new();
        for path in paths {
            let mut path = path.trim_end_matches(':');
            while !path.is_empty() {
                if modules.contains(path) {
                    named.insert(path.to_owned());
                    break;
                }
                path = path.rfind("::").map_or("", |at| &path[..at]);
            }
        }
        named.remove(&own);
        found.insert(own, named);
    }
    found
}

/// The size of the largest circle: files each of which reaches each other one by imports.
fn largest_circle(imports: &BTreeMap<String, BTreeSet<String>>) -> (usize, String) {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = imports.get(from).into_iter().flatten().collect();
        while let Some(one) = next.pop() {
            if seen.insert(one.clone()) {
                next.extend(imports.get(one).into_iter().flatten());
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = imports.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &String| {
        let own = &all[file];
        own.iter().filter(|other| all.get(other).is_some_and(|back| back.contains(file))).count()
    };
    imports.keys().map(|file| (circle(file), file.clone())).max().unwrap_or_default()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for (name, folder) in crates() {
        let (size, around) = largest_circle(&imports(&folder));
        if size > 0 {
            found.push(format!("{name}: {size} files around {around}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_circle_is_found() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let imports = BTreeMap::from([
        ("a".to_owned(), set(&["b"])),
        ("b".to_owned(), set(&["c", "d"])),
        ("c".to_owned(), set(&["a"])),
        ("d".to_owned(), set(&[])),
    ]);
    assert_eq!(largest_circle(&imports).0, 3);
}

#[test]
fn nothing_writes_html_or_runs_text() {
    let banned =
        ["inner_html", "set_inner_html", "insert_adjacent_html", "srcdoc", "Function::new", "js_sys::eval"];
    let mut found = Vec::new();
    for (path, text) in sources("src").into_iter().chain(sources("crates")) {
        for word in banned {
            if program(&text).contains(word) {
                found.push(format!("{} uses {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Each sort of the standard library is five kilobytes of the program (`nexus_text::small_sort`).
#[test]
fn lists_are_sorted_by_the_small_sort() {
    let of_std = [".sort()", ".sort_by(|", ".sort_by_key(|", ".sort_unstable"];
    let all = sources("src").into_iter().chain(sources("crates"));
    let product = all.filter(|(path, _)| !is_test(path) && !path.ends_with("text/src/small_sort.rs"));
    for (path, text) in product {
        let found = of_std.iter().find(|name| program(&text).contains(**name));
        assert!(found.is_none(), "{} uses {}", path.display(), found.unwrap());
    }
}

/// What names the `view!`, the `#[component]` and the `Effect` of ours.
const PRELUDES: [&str; 4] = [
    "use crate::ui::kit::prelude::*;",
    "use crate::ui::prelude::*;",
    "use crate::ui::kit::base::*;",
    "use crate::ui::hooks::dom::*;",
];

/// Leptos's own `view!` is generated code for each element, and without a global class it turns static subtrees into
/// `template.innerHTML`, which our policy refuses. Screens use the `view!` and the `#[component]` of `ui::kit::markup`,
/// by name or by a prelude.
#[test]
fn every_view_is_ours() {
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        let text = program(&text);
        let names = |line: &str, name: &str| {
            let names = line.strip_prefix("use crate::ui::kit::markup::");
            line.ends_with("::prelude::*;") && line.starts_with("use crate::ui::")
                || names.is_some_and(|names| {
                    names.split(|sign: char| !sign.is_alphanumeric()).any(|one| one == name)
                })
        };
        for (name, used) in [("view", " view! {"), ("component", "#[component]")] {
            let is_ours = text.lines().any(|line| names(line, name));
            for (at, _) in text.match_indices(used).filter(|_| !is_ours) {
                found.push(format!("{} near line {}", path.display(), text[..at].lines().count()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Those of Leptos stay among the subscribers of what they read when they are gone (`ui::kit::selector`).
#[test]
fn every_effect_and_memo_is_ours() {
    let mut found = Vec::new();
    for (path, text) in
        sources("src/ui").into_iter().filter(|(path, _)| !path.to_string_lossy().contains("/kit/"))
    {
        let text = program(&text);
        let names_ours = |line: &str| {
            let names = line.strip_prefix("use crate::ui::kit::selector::");
            PRELUDES.contains(&line) || names.is_some_and(|names| names.contains("Effect"))
        };
        let is_ours = text.lines().any(names_ours);
        for name in ["Effect::new", "Effect::watch", "Memo::new", "prelude::Effect", "ImmediateEffect"] {
            if text.contains(name) && !(name == "Effect::new" && is_ours && !text.contains("RenderEffect")) {
                found.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
