//! Checks that counted nouns are written with plural forms.

use std::collections::BTreeSet;

use nexus_view::language::TEMPLATE_PREFIX;

use super::texts;

/// Texts with a number before a noun that is never 1.
const NEVER_ONE: [&str; 8] = [
    "Code, {lines} lines.",
    "The file contains more than {most} sessions, which is more than can be imported at once.",
    "The graph has {found} nodes. At most {GRAPH_NODES} are allowed.",
    "The run has {events} events. At most {ARCHIVE_EVENTS} are read.",
    "The run has {nodes} nodes. At most {ARCHIVE_NODES} are drawn.",
    "deleted permanently in {days} days",
    "{least}–{most} model calls",
    "{number} sessions match. Choose one.",
];

/// “1 turns” is wrong in English, and other languages have more forms: a counted noun is written by `count`, or by
/// `counted` if it is stored.
#[test]
fn counted_nouns_have_plural_forms() {
    let texts = texts();
    let things: BTreeSet<&str> = texts
        .keys()
        .filter(|text| !text.starts_with(TEMPLATE_PREFIX))
        .filter_map(|text| text.split_once('|').filter(|(one, many)| one != many))
        .map(|(_, many)| many)
        .collect();
    let is_counted = |text: &str| {
        // A constant is never 1, nor is the total in “1 of 3 turns”.
        let mut after = text.match_indices("} ").filter_map(|(at, _)| {
            let (before, name) = text[..at].rsplit_once('{')?;
            let is_free = name.chars().any(|sign| !sign.is_ascii_uppercase() && sign != '_');
            (is_free && !before.ends_with("of ")).then(|| &text[at + 2..])
        });
        after.any(|rest| {
            things.iter().any(|thing| {
                let behind = rest.strip_prefix(thing);
                behind.is_some_and(|behind| !behind.starts_with(|next: char| next.is_alphanumeric()))
            })
        })
    };
    let counted: BTreeSet<&str> = texts
        .keys()
        .map(String::as_str)
        .filter(|text| !text.strip_prefix(TEMPLATE_PREFIX).unwrap_or(text).contains('|') && is_counted(text))
        .collect();
    // “changes” is a verb here.
    let verbs = BTreeSet::from(["when {file} changes in {place}"]);
    let expected: BTreeSet<&str> = NEVER_ONE.into_iter().chain(verbs).collect();
    assert_eq!(
        counted, expected,
        "write these with count or counted, or list them where the number is never 1"
    );
}
