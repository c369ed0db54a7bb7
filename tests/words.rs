//! Checks that texts of the interface and names in code use no word on the lists here; each entry has the word to use.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};

/// What no text says, as it stands between other words, and what to say instead.
const BANNED: [(&str, &str); 54] = [
    ("shall", "should, or an imperative"),
    ("rehearsal", "demo"),
    ("primary directive", "objective"),
    ("directive", "objective"),
    ("context board", "board"),
    ("timeline", "conversation"),
    ("audit", "event log"),
    ("race", "compare models"),
    ("races", "compare models"),
    ("workers", "subagents"),
    ("thread", "session, conversation"),
    ("threads", "sessions, conversations"),
    ("persona", "system prompt"),
    ("how it speaks", "API format"),
    ("ledger", "event log"),
    ("mind", "objective, scratchpad and files"),
    ("clash", "conflict"),
    ("clashes", "conflicts"),
    ("tie", "link"),
    ("tied", "linked"),
    ("untie", "unlink"),
    ("catch me up", "recap"),
    ("calling you", "notifications"),
    ("put away", "dismiss"),
    ("take in", "import"),
    ("taken in", "imported"),
    ("take back", "undo"),
    ("taken back", "undone"),
    ("took back", "reverted"),
    ("came to nothing", "failed"),
    ("comes to nothing", "fails"),
    ("thinks with", "uses"),
    ("think with", "use"),
    ("speaks", "answers, has"),
    ("stands", "is"),
    ("holds these words", "matches"),
    ("is told", "gets"),
    ("lies", "is"),
    ("by itself", "automatically"),
    ("by themselves", "automatically"),
    ("at work", "working"),
    ("in the clear", "unencrypted"),
    ("as usual", "default"),
    ("the usual", "the default"),
    ("go on", "continue, resume"),
    ("goes on", "continues"),
    ("go along", "attach"),
    ("goes along", "is attached"),
    ("any more", "no longer"),
    ("what came of", "result"),
    ("what becomes of", "result"),
    ("sign of life", "response"),
    ("forgotten", "deleted"),
    ("pictures", "images"),
];

/// Texts that have such a word in another sense.
const ALLOWED: [&str; 1] = ["The objective is met, every file works as it stands"];

fn sources(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|ending| ending == "rs") {
        found.push((path.display().to_string(), fs::read_to_string(path).unwrap()));
    }
}

/// The string literals of a program, without those of its comments.
fn literals(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = program.lines().filter(|line| !line.trim_start().starts_with("//"));
    let program = lines.collect::<Vec<_>>().join("\n").replace("'\"'", "");
    let mut rest = program.as_str();
    while let Some((_, after)) = rest.split_once('"') {
        let mut escaped = false;
        let end = after.find(|letter| {
            let ends = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        });
        let (text, after) = after.split_at(end.unwrap_or(after.len()));
        found.push(text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" "));
        rest = after.strip_prefix('"').unwrap_or_default();
    }
    found
}

/// The texts that a person reads, each with its file. Elsewhere than among the strings, those that begin like one.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    for folder in ["crates/view/src", "crates/model/src/settings", "src/ui"] {
        let mut files = Vec::new();
        sources(&root.join(folder), &mut files);
        for (file, program) in files.into_iter().filter(|(file, _)| !file.ends_with("tests.rs")) {
            let is_strings = file.contains("/strings");
            let shown = |text: &String| is_strings || text.starts_with(|letter: char| letter.is_uppercase());
            all.extend(literals(&program).into_iter().filter(shown).map(|text| (file.clone(), text)));
        }
    }
    assert!(all.len() > 1_500, "only {} texts were found", all.len());
    all
}

#[test]
fn texts_keep_to_the_glossary() {
    let mut found = Vec::new();
    for (file, text) in texts() {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && !"-_@{}".contains(letter));
        let words = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase();
        for (banned, better) in BANNED {
            let is_said = format!(" {words} ").contains(&format!(" {banned} "));
            if is_said && !ALLOWED.iter().any(|allowed| text.starts_with(allowed)) {
                found.push(format!("{file}: {text:?} says {banned:?}: {better}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_text_shouts() {
    let is_name = |text: &str| ["CORS", "OLLAMA"].contains(&text);
    let is_loud = |text: &str| text.chars().all(|letter| letter.is_uppercase() || letter == ' ');
    let strings = texts().into_iter().filter(|(file, _)| file.contains("/strings"));
    let loud: Vec<_> =
        strings.filter(|(_, text)| text.len() > 3 && is_loud(text) && !is_name(text)).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

/// Words that no name in the crates contains, with the glossary's word.
const BANNED_IN_NAMES: [(&str, &str); 38] = [
    ("afresh", "again, new"),
    ("anew", "again, new"),
    ("chore", "maintenance, job"),
    ("chores", "maintenance, jobs"),
    ("clash", "conflict"),
    ("clashed", "in_conflict"),
    ("clashes", "conflicts"),
    ("curtail", "truncate"),
    ("curtailed", "truncated"),
    ("deaf", "mute"),
    ("desk", "what it is"),
    ("ear", "recognizer"),
    ("ears", "recognizer"),
    ("fate", "action"),
    ("glimpse", "preview"),
    ("happening", "kind, event"),
    ("hears", "is_listening"),
    ("hindrance", "error, unavailable"),
    ("hush", "stop"),
    ("mend", "normalise"),
    ("mended", "normalised"),
    ("misfit", "mismatch"),
    ("mouth", "synthesizer"),
    ("recruit", "template"),
    ("rehearsal", "demo"),
    ("rethought", "reclassified"),
    ("reworded", "edited"),
    ("shelf", "filter"),
    ("standing", "status"),
    ("stands", "position, kind"),
    ("stretch", "range"),
    ("tied", "linked"),
    ("ties", "folder sync"),
    ("trouble", "error"),
    ("unasked", "not_asked"),
    ("unsaid", "unspecified"),
    ("untold", "not reported"),
    ("wish", "request, options"),
];

/// Rejections that are stored under these names.
const STORED_NAMES: [&str; 2] = ["ClashesOpen", "UndoClash"];

/// The words of a name in snake case, camel case or capitals, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let is_constant = !name.contains(|letter: char| letter.is_lowercase());
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && !is_constant) {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    words
}

fn add_names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => add_names(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[test]
fn names_keep_to_the_glossary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut wrong) = (Vec::new(), Vec::new());
    ["crates", "src"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    for (file, program) in files {
        let mut names = BTreeSet::new();
        add_names(TokenStream::from_str(&program).unwrap(), &mut names);
        for name in names.iter().filter(|name| !STORED_NAMES.contains(&name.as_str())) {
            let words = words_of(name);
            let banned = BANNED_IN_NAMES.iter().find(|(banned, _)| words.iter().any(|word| word == banned));
            wrong.extend(banned.map(|(_, instead)| format!("{file}: `{name}`, say {instead}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(words_of("UNDO_CLASH"), ["undo", "clash"]);
    assert_eq!(words_of("is_clashOpen"), ["is", "clash", "open"]);
}
