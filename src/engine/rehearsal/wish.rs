//! Never asks: words that match no known change become a new part with their own heading.
//!
//! Owns changes: what a line of the plan or a message wants from files that exist, and how to do it to their text.

use super::brief::{VERBS, feature};
use super::review;
use super::words::{capital, clean, html, literal, markdown, mentions, split_at_any, strip_front, words};
use super::works::{Files, Kind, data, web};

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    /// Another title and heading.
    Retitle(String),
    /// A variable of the style sheet gets another value: variables with values, and what to call it.
    Style(Vec<(&'static str, String)>, String),
    /// All of the page grows or shrinks.
    Scale(bool),
    /// A timer runs so many minutes.
    Minutes(u32),
    /// An entry of a list, or a row of a table.
    Entry(String),
    /// A part that shows the named feature goes away.
    Remove(String),
    /// What a finding of the Critic asks for.
    Mend(&'static review::Rule),
    /// A new part.
    Feature(String),
}

const COLOURS: &[(&str, &str)] = &[
    ("navy", "#1e3a8a"),
    ("blue", "#1d4ed8"),
    ("sky", "#0284c7"),
    ("teal", "#0f766e"),
    ("turquoise", "#0f766e"),
    ("green", "#15803d"),
    ("olive", "#3f6212"),
    ("yellow", "#a16207"),
    ("gold", "#a16207"),
    ("orange", "#c2410c"),
    ("red", "#b91c1c"),
    ("pink", "#be185d"),
    ("purple", "#7e22ce"),
    ("violet", "#6d28d9"),
    ("brown", "#78350f"),
    ("grey", "#4b5563"),
    ("gray", "#4b5563"),
    ("black", "#111827"),
    ("white", "#ffffff"),
];
const FONTS: &[(&str, &str)] = &[
    ("monospace", "ui-monospace, monospace"),
    ("mono", "ui-monospace, monospace"),
    ("sans", "system-ui, sans-serif"),
    ("serif", "Georgia, serif"),
    ("handwriting", "cursive"),
];
const LINKING: &[&str] = &["also", "then", "and", "please", "finally"];
const ADDING: &[&str] = &["add", "include", "insert", "put", "give"];
const WANTING: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "we", "i", "it", "also", "now", "then", "and", "need",
    "want", "should", "to", "have", "let", "let's", "me", "us", "the", "a", "an", "there", "be", "some",
    "another", "new",
];

/// The changes that `message` asks for, one for each clause that begins with a verb.
pub(super) fn clauses(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in message.lines().take(40) {
        let mut rest = line;
        let mut clause = String::new();
        while !rest.is_empty() {
            let (piece, after) = split_at_any(rest, &[" and ", ", ", ". ", "; ", "! "]).unwrap_or((rest, ""));
            let mark = rest.get(piece.len()..rest.len() - after.len()).unwrap_or_default();
            clause.push_str(piece);
            let begins = strip_front(after, LINKING);
            let begins = words(begins).first().is_some_and(|first| VERBS.contains(&first.as_str()));
            if after.is_empty() || begins || mark == ". " {
                found.push(std::mem::take(&mut clause));
            } else {
                clause.push_str(mark);
            }
            rest = after;
        }
    }
    let cleaned = found.iter().map(|clause| clean(strip_front(clause, LINKING), 120));
    let cleaned = cleaned
        .map(|clause| clause.trim_matches(|c: char| c.is_whitespace() || ".,;!?".contains(c)).to_owned());
    let mut kept: Vec<String> = Vec::new();
    for clause in cleaned.filter(|clause| clause.chars().any(char::is_alphanumeric)) {
        if kept.len() < 4 && !kept.contains(&clause) {
            kept.push(clause);
        }
    }
    kept
}

impl Wish {
    /// What `text` asks of work of `kind`.
    pub(super) fn read(text: &str, kind: Kind) -> Self {
        if let Some(rule) = review::rule_in(text) {
            return Self::Mend(rule);
        }
        if let Some((_, quoted)) = text.split_once(review::SHOWS_NOTHING_OF) {
            return Self::Feature(quoted.trim_end_matches('”').to_owned());
        }
        let adds = mentions_first(text, ADDING);
        if let Some(title) = new_title(text).filter(|_| !adds) {
            return Self::Retitle(title);
        }
        if let Kind::Web(_) = kind {
            if let Some(wish) = style(text, adds) {
                return wish;
            }
            if mentions(text, &["bigger", "larger", "smaller", "tinier"]) {
                return Self::Scale(mentions(text, &["bigger", "larger"]));
            }
            if let Some(minutes) = minutes(text).filter(|_| kind.label().contains("timer")) {
                return Self::Minutes(minutes);
            }
        }
        // A program may well be asked to drop lines; parts of pages and texts are what can go away.
        let has_parts = matches!(kind, Kind::Web(_) | Kind::Document(_));
        if has_parts && mentions_first(text, &["remove", "delete", "drop", "hide"]) {
            let what = strip_front(text, WANTING);
            let what =
                strip_front(what, &["remove", "delete", "drop", "hide", "the", "a", "an", "that", "this"]);
            return Self::Remove(clean(what, 64));
        }
        if let Some(entry) = entry(text, kind, adds) {
            return Self::Entry(entry);
        }
        let bare = strip_front(strip_front(text, WANTING), ADDING);
        let about = split_at_any(
            bare,
            &["section about ", "section on ", "section for ", "chapter about ", "part about "],
        );
        let bare = about.map_or(bare, |(_, topic)| topic);
        let bare = if bare.is_empty() { text } else { bare };
        Self::Feature(feature(bare).unwrap_or_else(|| clean(text, 64)))
    }

    /// Carries the wish out on the text of `files`; tells what is different now, or nothing where there is no place
    /// for it.
    pub(super) fn carry_out(&self, kind: Kind, files: &mut Files) -> Option<String> {
        match self {
            Self::Retitle(title) => retitle(title, kind, files),
            Self::Style(values, words) => {
                for (name, value) in values {
                    set_variable(name, value, files)?;
                }
                Some(words.clone())
            }
            Self::Scale(up) => {
                let size: f64 = variable("--size", files)?.trim_end_matches("px").parse().ok()?;
                let size = (if *up { size * 1.25 } else { size / 1.25 }).clamp(10.0, 40.0).round();
                set_variable("--size", &format!("{size}px"), files)?;
                Some(format!("the text is {size} pixels high"))
            }
            Self::Minutes(minutes) => {
                let (name, script) = files.iter().find(|(_, script)| script.contains("const MINUTES = "))?;
                let (before, after) = script.split_once("const MINUTES = ")?;
                let (_, after) = after.split_once(';')?;
                let script = format!("{before}const MINUTES = {minutes};{after}");
                let name = name.clone();
                files.insert(name, script);
                Some(format!("a round takes {minutes} minutes"))
            }
            Self::Entry(entry) => add_entry(entry, kind, files),
            Self::Remove(what) => {
                remove(what, files).or_else(|| kind.add_feature(&format!("remove {what}"), files))
            }
            Self::Mend(rule) => rule.mend(files),
            Self::Feature(feature) => {
                if let Some((name, line)) = kind.line_of(feature, files) {
                    return Some(format!("was there already, {name}:{line}"));
                }
                kind.add_feature(feature, files)
            }
        }
    }
}

fn mentions_first(text: &str, wanted: &[&str]) -> bool {
    words(strip_front(text, WANTING)).first().is_some_and(|first| wanted.contains(&first.as_str()))
}

fn new_title(text: &str) -> Option<String> {
    let renames = mentions(text, &["rename", "retitle", "title", "heading", "headline", "name"]);
    let renamed = split_at_any(text, &[" to "]).filter(|_| renames);
    let (_, title) = renamed.or_else(|| {
        split_at_any(text, &["call it ", "call this ", "name it ", "title it ", "call the page "])
    })?;
    let title = clean(title, 64);
    let title = title.trim_matches(|c: char| c.is_whitespace() || "\"“”'`".contains(c));
    (!title.is_empty()).then(|| capital(title))
}

fn style(text: &str, adds: bool) -> Option<Wish> {
    let about_colour = mentions(text, &["colour", "color", "background", "theme", "accent"]);
    if adds && !about_colour {
        return None;
    }
    let said = words(text);
    let hex = said.iter().find(|word| {
        word.strip_prefix('#').is_some_and(|digits| {
            matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit())
        })
    });
    let named = COLOURS
        .iter()
        .find(|(name, _)| said.iter().any(|word| word == name || *word == format!("{name}ish")));
    let colour = hex.cloned().or_else(|| named.map(|(_, value)| (*value).to_owned()));
    if let Some(colour) = colour.filter(|_| about_colour || said.len() <= 8) {
        return Some(if mentions(text, &["background"]) {
            let words = format!("the background is a tint of {colour}");
            // A tint, so that the text stays legible whatever the colour.
            Wish::Style(vec![("--ground", format!("color-mix(in srgb, {colour} 14%, var(--card))"))], words)
        } else {
            let words = format!("the accent colour is {colour}");
            Wish::Style(vec![("--accent", colour)], words)
        });
    }
    if mentions(text, &["toggle", "switch", "switcher", "button"]) {
        return None;
    }
    let tone = |ground: &str, card: &str, ink: &str, words: &str| {
        let values = [("--ground", ground), ("--card", card), ("--ink", ink)];
        Wish::Style(values.map(|(name, value)| (name, value.to_owned())).to_vec(), words.to_owned())
    };
    if mentions(text, &["dark", "darker"]) {
        return Some(tone("#15181c", "#1e2329", "#e7e5e4", "the page is dark"));
    }
    if mentions(text, &["light theme", "light mode", "lighter", "bright", "brighter", "it light"]) {
        return Some(tone("#fdfcf9", "#ffffff", "#1f2328", "the page is light"));
    }
    let (name, value) = FONTS.iter().find(|(name, _)| said.iter().any(|word| word == name))?;
    Some(Wish::Style(vec![("--font", (*value).to_owned())], format!("the typeface is {name}")))
}

fn minutes(text: &str) -> Option<u32> {
    let said = words(text);
    let (at, number) =
        said.iter().enumerate().find_map(|(at, word)| Some((at, word.parse::<u32>().ok()?)))?;
    (said.get(at + 1)?.starts_with("min") && (1..=600).contains(&number)).then_some(number)
}

fn entry(text: &str, kind: Kind, adds: bool) -> Option<String> {
    let is_list = kind.label().contains("(list)") || kind == Kind::Data;
    if !is_list || !adds {
        return None;
    }
    let quoted = split_at_any(text, &["\"", "“"])
        .and_then(|(_, rest)| split_at_any(rest, &["\"", "”"]))
        .map(|(q, _)| q);
    let listed = split_at_any(
        text,
        &[" to the list", " to the table", " to my list", " as an entry", " as a row", " as an item"],
    );
    let named = split_at_any(text, &["entry ", "item ", "task ", "row "]).map(|(_, rest)| rest);
    let found = quoted.or(listed.map(|(before, _)| before)).or(named)?;
    let bare = strip_front(strip_front(found, WANTING), ADDING);
    let bare = clean(strip_front(bare, &["a", "an", "the", "for", "called", "named"]), 120);
    (!bare.is_empty()).then_some(bare)
}

fn style_sheet(files: &Files) -> Option<String> {
    files.iter().find(|(_, text)| text.contains("--accent:")).map(|(name, _)| name.clone())
}

fn variable(name: &str, files: &Files) -> Option<String> {
    let sheet = files.get(&style_sheet(files)?)?;
    let (_, after) = sheet.split_once(&format!("{name}:"))?;
    after.split_once(';').map(|(value, _)| value.trim().to_owned())
}

fn set_variable(name: &str, value: &str, files: &mut Files) -> Option<()> {
    let file = style_sheet(files)?;
    let sheet = files.get(&file)?;
    let (before, after) = sheet.split_once(&format!("{name}:"))?;
    let (_, after) = after.split_once(';')?;
    let sheet = format!("{before}{name}: {value};{after}");
    files.insert(file, sheet);
    Some(())
}

fn retitle(title: &str, kind: Kind, files: &mut Files) -> Option<String> {
    let said = format!("the title is “{title}”");
    let (name, text) = match kind {
        Kind::Web(_) => {
            let name = web::page_name(files)?;
            let page = files.get(&name)?;
            let page =
                replace_between(page, "<title>", "</title>", &html(title)).unwrap_or_else(|| page.clone());
            let page = replace_heading(&page, &html(title))?;
            (name, page)
        }
        Kind::Document(_) => {
            let (name, text) =
                files.iter().find(|(_, text)| text.lines().any(|line| line.starts_with("# ")))?;
            (name.clone(), replace_line(text, "# ", &markdown(title))?)
        }
        Kind::Script(language) => {
            let mark = format!("{} ", language.comment());
            let (name, text) =
                files.iter().find(|(_, text)| text.lines().any(|line| line.starts_with(&mark)))?;
            (name.clone(), replace_line(text, &mark, title)?)
        }
        Kind::Data => return kind.add_feature(title, files),
    };
    files.insert(name, text);
    Some(said)
}

fn replace_between(text: &str, open: &str, close: &str, value: &str) -> Option<String> {
    let (before, after) = text.split_once(open)?;
    let (_, after) = after.split_once(close)?;
    Some(format!("{before}{open}{value}{close}{after}"))
}

fn replace_heading(page: &str, value: &str) -> Option<String> {
    let (before, after) = page.split_once("<h1")?;
    let (attributes, after) = after.split_once('>')?;
    let (_, after) = after.split_once("</h1>")?;
    Some(format!("{before}<h1{attributes}>{value}</h1>{after}"))
}

/// `text` with the rest of the first line that begins with `mark` replaced.
fn replace_line(text: &str, mark: &str, value: &str) -> Option<String> {
    let at = text.lines().position(|line| line.starts_with(mark))?;
    let lines = text.split_inclusive('\n').enumerate();
    Some(
        lines
            .map(|(number, line)| if number == at { format!("{mark}{value}\n") } else { line.to_owned() })
            .collect(),
    )
}

fn add_entry(entry: &str, kind: Kind, files: &mut Files) -> Option<String> {
    if kind == Kind::Data {
        return data::add_row(entry, files).map(|row| format!("“{entry}” is {row}"));
    }
    const STARTERS: &str = "const starters = [\n";
    let found = files.iter().find(|(_, script)| script.contains(STARTERS));
    let Some((name, script)) = found else { return kind.add_feature(entry, files) };
    let (before, after) = script.split_once(STARTERS)?;
    let (entries, after) = after.split_once("];")?;
    let script = format!("{before}{STARTERS}{entries}  {},\n];{after}", literal(entry));
    let name = name.clone();
    files.insert(name, script);
    Some(format!("“{entry}” is on the list that a new reader starts with"))
}

/// Takes the section or list line that shows something like `what` out of a page or text.
fn remove(what: &str, files: &mut Files) -> Option<String> {
    let wanted = words(what);
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).filter(|word| word.len() > 3).collect();
    if wanted.is_empty() {
        return None;
    }
    for (name, text) in files.iter() {
        let ends = if name.ends_with(".html") {
            [("    <section data-block=", "    </section>\n"), ("        <li data-feature=", "</li>\n")]
        } else if name.ends_with(".md") {
            [("## ", "\n## "), ("## ", "")]
        } else {
            continue;
        };
        for (open, close) in ends {
            for (at, _) in text.match_indices(open) {
                let (Some(before), Some(block)) = (text.get(..at), text.get(at..)) else { continue };
                let first = block.lines().next().unwrap_or_default();
                if !mentions(first, &wanted) || !(before.is_empty() || before.ends_with('\n')) {
                    continue;
                }
                let rest = match close {
                    "" => "",
                    "\n## " => match block.find(close).and_then(|end| block.get(end + 1..)) {
                        Some(rest) => rest,
                        None => continue,
                    },
                    _ => match block.split_once(close) {
                        Some((_, rest)) => rest,
                        None => continue,
                    },
                };
                let text = format!("{before}{rest}");
                let name = name.clone();
                let said = format!("“{what}” is gone from {name}");
                files.insert(name, text);
                return Some(said);
            }
        }
    }
    None
}
