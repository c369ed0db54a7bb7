//! Never understands: it puts lines together.
//!
//! Owns what the stand-in proposes as the Core for the clashes of a merge: the side that holds all of the other's lines,
//! else this side's lines and what the other has besides.

use serde_json::json;

use super::archivist::{between, blocks};
use super::scene::Scene;
use super::stream::Reply;

/// Whether the Core is asked about clashes.
pub(super) fn is_asked(scene: &Scene) -> bool {
    scene.persona.contains("clashes of a merge")
}

pub(super) fn reply(scene: &Scene) -> Reply {
    let clashes = blocks(&scene.said, "<clash number=", "</clash>");
    let proposals: Vec<_> = clashes
        .iter()
        .map(|(head, inside)| {
            let number: u64 = between(head, "\"", "\"").and_then(|it| it.parse().ok()).unwrap_or_default();
            let (text, why) = proposed(&lines(inside, "ours"), &lines(inside, "theirs"));
            json!({ "clash": number, "text": text, "why": why })
        })
        .collect();
    Reply::new("", json!({ "proposals": proposals }).to_string())
}

/// The lines of a side.
fn lines<'t>(inside: &'t str, side: &str) -> Vec<&'t str> {
    let whole = inside.split_once(&format!("<{side}>\n")).map(|(_, rest)| rest);
    let text = whole.and_then(|rest| rest.split_once(&format!("</{side}>"))).map(|(text, _)| text);
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn proposed(ours: &[&str], theirs: &[&str]) -> (String, &'static str) {
    let holds = |all: &[&str], some: &[&str]| some.iter().all(|line| all.contains(line));
    if holds(ours, theirs) {
        return (ours.concat(), "Rehearsal kept ours, which holds every line of theirs.");
    }
    if holds(theirs, ours) {
        return (theirs.concat(), "Rehearsal took theirs, which holds every line of ours.");
    }
    let more: Vec<&str> = theirs.iter().copied().filter(|line| !ours.contains(line)).collect();
    (
        [ours, &more].concat().concat(),
        "Rehearsal put what theirs has besides below ours; it understands neither.",
    )
}
