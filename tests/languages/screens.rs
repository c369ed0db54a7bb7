//! Finds texts of screens that cannot be translated, and values shown in debug format.

use proc_macro2::{TokenStream, TokenTree};

use super::{SPEAKING, is_word};
use crate::languages::tokens::{is_named, literal, sources};

/// Words on screens that are the same in every language: keys, element names, names of interfaces, markup.
const OF_THE_PLATFORM: [&str; 34] = [
    "A",
    "ALL",
    "Aa",
    "Alt+Q",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "CSS",
    "CompressionStream",
    "Control+Shift+F",
    "Ctrl",
    "D",
    "DONE",
    "DecompressionStream",
    "End",
    "English",
    "Enter",
    "Esc",
    "Escape",
    "Files",
    "HEAD",
    "HTTP {status} ",
    "Highlight",
    "Home",
    "Mac",
    "Nexus",
    "Notification",
    "OTHER",
    "PageDown",
    "PageUp",
    "R",
    "SpeechRecognition",
    "Undo",
];

/// Files that print values for comparison, or for tests.
const DEBUG_TEXTS: [&str; 3] = ["command/rejection.rs", "run/graph.rs", "store/in_memory.rs"];

/// Words that screens compare or pass to the browser; nobody reads them.
fn is_of_the_platform(text: &str) -> bool {
    let is_path =
        text.strip_prefix('M').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '{'));
    is_path || OF_THE_PLATFORM.contains(&text)
}

#[test]
fn all_texts_of_screens_can_be_translated() {
    let mut found = Vec::new();
    for (place, tokens) in sources(&["src/ui"]) {
        screen_texts(tokens, &mut |text| {
            let begins = text.chars().next().is_some_and(|first| first.is_ascii_uppercase());
            if begins && is_word(text) && !is_of_the_platform(text) {
                found.push(format!("{place}: {text:?}"));
            }
        });
    }
    assert!(found.is_empty(), "write these with Text, tr, text! or count: {found:#?}");
}

/// Calls `found` with each literal of a screen that is in no form of a text.
fn screen_texts(tokens: TokenStream, found: &mut dyn FnMut(&str)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => {
                let named = |back: usize, names: &[&str]| {
                    let before = at.checked_sub(back).and_then(|at| tokens.get(at));
                    names.iter().any(|name| is_named(before, name))
                };
                let is_text =
                    named(2, &["tr", "tr_in", "Text", "known", "also", "count"]) || named(3, &["text"]);
                // Read by programmers only.
                let is_internal = named(2, &["expect"])
                    || named(3, &["unreachable", "error", "warn", "env", "assert", "debug_assert"]);
                if !is_text && !is_internal {
                    screen_texts(group.stream(), found);
                }
            }
            TokenTree::Literal(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {
                let sign = |at: Option<usize>, signs: &str| matches!(at.and_then(|at| tokens.get(at)), Some(TokenTree::Punct(sign)) if signs.contains(sign.as_char()));
                // A pattern or a comparison: `"Escape" =>`, `"a"
                // "b"`, `key == "Escape"`.
                let is_compared = sign(Some(at), "|")
                    || sign(at.checked_sub(2), "|")
                    || sign(Some(at), "=")
                    || sign(at.checked_sub(2), "=") && sign(at.checked_sub(3), "=!");
                if let Some(text) = literal(token).filter(|_| !is_compared) {
                    found(&text);
                }
            }
        }
    }
}

/// People read text, not debug output.
#[test]
fn no_debug_output_is_shown_or_stored() {
    let mut found = Vec::new();
    for (place, tokens) in sources(&SPEAKING).into_iter().chain(sources(&["crates/view/src", "src/ui"])) {
        if DEBUG_TEXTS.iter().any(|end| place.ends_with(end))
            || ["/tests/", "testing"].iter().any(|part| place.contains(part))
        {
            continue;
        }
        screen_texts(tokens, &mut |text| {
            if text.contains(":?}") {
                found.push(format!("{place}: {text:?}"));
            }
        });
    }
    assert!(found.is_empty(), "say these in words: {found:#?}");
}
