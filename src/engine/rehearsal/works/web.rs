//! Never loads anything from a network: a page is three files that work when opened from a disk.
//!
//! Owns pages: which kinds there are, their first draft, and the places where parts are added.

mod blocks;
mod calculators;

use blocks::Block;
use calculators::Form;

use super::Files;
use crate::engine::rehearsal::words::{
    capital, fill, html, listed, literal, mentions, position, slug, words,
};

/// A kind of page.
#[derive(Debug, PartialEq)]
pub(in crate::engine::rehearsal) struct Archetype {
    /// What it is called in a plan.
    pub(super) label: &'static str,
    words: &'static [&'static str],
    /// Words of features that it has by itself.
    covers: &'static [&'static str],
    /// What it can do, where the operator names nothing.
    pub(super) usual: &'static [&'static str],
    markup: &'static str,
    script: &'static str,
}

/// Words that make it a page, whatever else is said.
pub(in crate::engine::rehearsal) const SURE_WORDS: &[&str] = &[
    "page",
    "website",
    "web site",
    "site",
    "app",
    "web",
    "html",
    "webpage",
    "homepage",
    "landing",
    "game",
    "widget",
    "browser",
    "ui",
    "interface",
];

macro_rules! stage {
    ($name:literal) => {
        (include_str!(concat!("web/", $name, ".html")), include_str!(concat!("web/", $name, ".js")))
    };
}

const fn archetype(
    label: &'static str,
    words: &'static [&'static str],
    covers: &'static [&'static str],
    usual: &'static [&'static str],
    (markup, script): (&'static str, &'static str),
) -> Archetype {
    Archetype { label, words, covers, usual, markup, script }
}

static LIST: Archetype = archetype(
    "list",
    &[
        "list",
        "todo",
        "to-do",
        "tracker",
        "shopping",
        "packing",
        "notes",
        "inventory",
        "planner",
        "checklist",
        "habit",
        "journal",
        "organizer",
        "organiser",
        "bookmark",
    ],
    &[
        "add",
        "remove",
        "delete",
        "tick",
        "check off",
        "mark",
        "done",
        "complete",
        "save",
        "remember",
        "keep",
        "list",
        "entry",
        "task",
        "persist",
    ],
    &["add entries", "tick what is done", "remember everything"],
    stage!("list"),
);

static OTHERS: [Archetype; 8] = [
    archetype(
        "timer",
        &["timer", "pomodoro", "countdown", "stopwatch", "clock", "alarm"],
        &[
            "start",
            "pause",
            "stop",
            "reset",
            "break",
            "rest",
            "minute",
            "second",
            "countdown",
            "session",
            "focus",
            "work",
        ],
        &["start and pause", "reset", "count finished rounds"],
        stage!("timer"),
    ),
    archetype(
        "snake game",
        &["snake", "game", "arcade"],
        &[
            "score",
            "arrow",
            "steer",
            "high score",
            "best",
            "restart",
            "move",
            "grow",
            "eat",
            "food",
            "canvas",
            "keys",
            "swipe",
            "start",
        ],
        &["steer with the arrow keys", "keep the best score", "start again"],
        stage!("snake"),
    ),
    archetype(
        "board game",
        &["tic-tac-toe", "tic tac toe", "tictactoe", "noughts", "board game"],
        &["two players", "win", "winner", "turn", "draw", "restart", "new game", "board"],
        &["two players in turn", "see who wins", "start a new game"],
        stage!("board"),
    ),
    archetype(
        "quiz",
        &["quiz", "flashcard", "flash card", "trivia", "exam", "vocabulary"],
        &["question", "answer", "score", "add", "ask"],
        &["answer questions", "keep the score", "add questions"],
        stage!("quiz"),
    ),
    archetype(
        "drawing",
        &["drawing", "draw", "paint", "painting", "sketch", "whiteboard", "doodle", "canvas"],
        &["colour", "color", "width", "brush", "undo", "clear", "draw", "pen", "save", "remember"],
        &["draw with a chosen colour", "undo", "clear"],
        stage!("drawing"),
    ),
    archetype(
        "calculator",
        &["calculator", "converter", "calculate", "convert", "calculation", "compute"],
        &[
            "calculate",
            "show",
            "result",
            "amount",
            "split",
            "bill",
            "tip",
            "remember",
            "save",
            "convert",
            "reset",
        ],
        &["calculate while typing", "remember the last numbers", "reset"],
        stage!("calculator"),
    ),
    archetype(
        "counter",
        &["counter", "tally", "clicker", "click counter"],
        &["count", "plus", "minus", "increment", "decrement", "reset", "save", "remember", "keep"],
        &["count up and down", "remember the count", "reset"],
        stage!("counter"),
    ),
    archetype(
        "landing page",
        &[
            "landing",
            "homepage",
            "home page",
            "portfolio",
            "bakery",
            "restaurant",
            "shop",
            "business",
            "company",
            "wedding",
            "event",
            "conference",
            "blog",
            "brochure",
            "website",
            "site",
            "page",
        ],
        &["call to action", "welcome", "hero"],
        &["a welcome", "contact form", "opening hours"],
        stage!("landing"),
    ),
];

fn archetypes() -> impl Iterator<Item = &'static Archetype> {
    // The landing page's words are general: whatever is more special comes first.
    OTHERS.iter().take(7).chain([&LIST]).chain(OTHERS.iter().skip(7))
}

/// The archetype with `label`.
pub(super) fn with_label(label: &str) -> Option<&'static Archetype> {
    archetypes().find(|archetype| archetype.label == label)
}

/// The archetype whose words come first in `text`, with the place of that word.
pub(in crate::engine::rehearsal) fn named_archetype(text: &str) -> Option<(&'static Archetype, usize)> {
    let special = archetypes()
        .filter(|archetype| archetype.label != "landing page")
        .filter_map(|archetype| position(text, archetype.words).map(|place| (archetype, place)));
    // "Snake game" and "board game" name the game before they say that it is one.
    special.min_by_key(|(archetype, place)| (*place, archetype.label == "snake game")).or_else(|| {
        let landing = with_label("landing page")?;
        position(text, landing.words).map(|place| (landing, place))
    })
}

/// The archetype for `text`; a list where nothing is recognised.
pub(in crate::engine::rehearsal) fn archetype_of(text: &str) -> &'static Archetype {
    if mentions(text, &["landing page", "homepage", "portfolio"]) {
        return with_label("landing page").unwrap_or(&LIST);
    }
    named_archetype(text).map_or(&LIST, |(archetype, _)| archetype)
}

/// The names of a page's files.
pub(super) fn file_names(title: &str) -> Vec<String> {
    vec!["index.html".to_owned(), "style.css".to_owned(), format!("{}.js", slug(title, "app"))]
}

/// Calm colours that pages begin with; the title chooses.
const ACCENTS: [&str; 6] = ["#115e59", "#1e40af", "#9a3412", "#5b21b6", "#9f1239", "#365314"];

/// The first draft of a page, without the named features.
pub(super) fn draft(archetype: &Archetype, title: &str, objective: &str, features: &[String]) -> Files {
    let form = Form::of(objective);
    let (minutes, rest) = minutes(objective);
    let names = file_names(title);
    let script_name = names.last().cloned().unwrap_or_default();
    let lead = capital(&format!("{}.", listed(features)));
    let stage = fill(archetype.markup, &[("fields", &form.inputs()), ("title", &html(title))]);
    let page = fill(
        include_str!("web/page.html"),
        &[
            ("title", &html(title)),
            ("lead", &html(&lead)),
            ("stage", stage.trim_end_matches('\n')),
            ("script", &script_name),
        ],
    );
    let letters: usize = title.chars().map(|c| c as usize).sum();
    let accent = ACCENTS.get(letters % ACCENTS.len()).copied().unwrap_or("#115e59");
    let ids = form.ids();
    let behaviour = fill(
        archetype.script,
        &[
            ("minutes", &minutes.to_string()),
            ("rest", &rest.to_string()),
            ("names", &format!("{ids:?}")),
            ("arguments", &ids.join(", ")),
            ("rows", &form.rows()),
            ("questions", &questions(objective)),
        ],
    );
    let key = slug(title, "app");
    let script = fill(
        include_str!("web/base.js"),
        &[("comment", title), ("key", &literal(&format!("{key}:"))), ("stage", &behaviour)],
    );
    let style = fill(include_str!("web/style.css"), &[("accent", accent)]);
    names.into_iter().zip([page, style, script]).collect()
}

/// Adds `feature` to the page of `files`; tells which block shows it.
pub(super) fn add_feature(archetype: &Archetype, feature: &str, files: &mut Files) -> Option<String> {
    let name = page_name(files)?;
    let page = files.get(&name)?.clone();
    let own = mentions(feature, archetype.covers)
        || (archetype.label == "calculator" && Form::of(&page).covers(feature));
    let end = ["  </main>", "</main>", "</body>"].into_iter().find(|end| page.contains(end))?;
    let (before, after) = page.rsplit_once(end)?;
    if own {
        let item = format!("        <li data-feature=\"{0}\" dir=\"auto\">{0}</li>\n", html(feature));
        let page = match page.split_once(ABOUT_END) {
            Some((before, after)) => format!("{before}{item}{ABOUT_END}{after}"),
            None => format!("{before}{ABOUT_START}{item}{ABOUT_END}{end}{after}"),
        };
        files.insert(name, page);
        return Some(format!("part of the {} itself, listed under “What it does”", archetype.label));
    }
    let block = Block::of(feature);
    files.insert(name, format!("{before}{}{end}{after}", block.section(feature)));
    let script = files.keys().find(|name| name.ends_with(".js")).cloned();
    if let Some(script) = script {
        add_block_script(block, &script, files);
    }
    Some(format!("a new section, which works by the “{}” block", block.name))
}

/// The list of what the page does without a section of its own.
const ABOUT_START: &str =
    "    <details class=\"about\">\n      <summary>What it does</summary>\n      <ul id=\"about\">\n";
const ABOUT_END: &str = "      </ul>\n    </details>\n";

const READY: &str = "document.dispatchEvent(new Event(\"app:ready\"));";
const EACH: &str =
    "const each = (name, work) => document.querySelectorAll(\"[data-block=\" + name + \"]\").forEach(work);";

fn add_block_script(block: &Block, name: &str, files: &mut Files) {
    let Some(script) = files.get(name).filter(|script| !script.contains(&format!("each(\"{}\"", block.name)))
    else {
        return;
    };
    let each = if script.contains(EACH) { String::new() } else { format!("{EACH}\n") };
    let (before, after) = script.rsplit_once(READY).unwrap_or((script, ""));
    let script = format!("{before}{each}{}\n{READY}{after}", block.script);
    files.insert(name.to_owned(), script);
}

/// The page among `files`.
pub(in crate::engine::rehearsal) fn page_name(files: &Files) -> Option<String> {
    let mut pages = files.keys().filter(|name| name.ends_with(".html"));
    files.keys().find(|name| *name == "index.html").or_else(|| pages.next()).cloned()
}

/// Minutes of work and of rest that an objective names.
fn minutes(objective: &str) -> (u32, u32) {
    let said = words(objective);
    let named: Vec<u32> = said
        .iter()
        .enumerate()
        .filter_map(|(at, word)| {
            let number = word
                .strip_suffix("-minute")
                .unwrap_or(word)
                .parse()
                .ok()
                .filter(|n| (1..=600).contains(n))?;
            let next = said.get(at + 1).is_some_and(|next| next.starts_with("min"));
            (next || word.ends_with("-minute")).then_some(number)
        })
        .collect();
    let rests = mentions(objective, &["pomodoro", "break", "rest", "pause"]);
    let work = named.first().copied().unwrap_or(if rests { 25 } else { 5 });
    (work, if rests { named.get(1).copied().unwrap_or(5) } else { 0 })
}

/// Questions that are true whatever the quiz is about: only for topics that are known here.
fn questions(objective: &str) -> String {
    let pairs: &[(&str, &str)] = if mentions(objective, &["capital", "geography", "countries"]) {
        &[
            ("Capital of France?", "Paris"),
            ("Capital of Japan?", "Tokyo"),
            ("Capital of Kenya?", "Nairobi"),
            ("Capital of Peru?", "Lima"),
            ("Capital of Canada?", "Ottawa"),
        ]
    } else if mentions(objective, &["math", "maths", "arithmetic", "multiplication", "times table"]) {
        &[("7 × 8?", "56"), ("12 × 12?", "144"), ("9 × 6?", "54"), ("81 ÷ 9?", "9"), ("15 + 27?", "42")]
    } else {
        &[]
    };
    pairs
        .iter()
        .map(|(question, answer)| format!("  [{}, {}],\n", literal(question), literal(answer)))
        .collect()
}
