//! The language of the interface: each English text is the key of its translation.
//!
//! English is in the program and needs nothing. The words of another language are one JSON file,
//! `public/languages/TAG.json`, that `public/boot.js` fetches before the program starts. Of a number the file names one
//! text for each plural form that the language has. What a platform knows of a language better than a table (plural
//! forms, dates, numbers, lists) comes from [`Platform`].
//!
//! A text is written where it is used: a constant is a [`Text`], a literal in a function stands in [`tr`], a text with
//! values is `text!`, and a number with what it counts is [`count`]. A test (`tests/languages.rs`) finds them in the
//! sources and holds each language against them.
//!
//! What the engine and the model write is stored in English, since models read it too. [`told`] finds the template that
//! made it and shows it in the chosen language.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::{self, Display};
use std::ops::Deref;

pub use nexus_markup::text;
use serde_json::{Map, Value};

thread_local! {
    static CHOSEN: Cell<Option<&'static Language>> = const { Cell::new(None) };
}

pub struct Language {
    words: Map<String, Value>,
    /// What the engine writes: its templates and their translations.
    told: Vec<(String, String)>,
    /// What is counted, each as in English: one of it, and many.
    things: Vec<(String, String)>,
    platform: Platform,
}

pub const TOLD: &str = "told|";
/// A longer text is none of ours.
const LONGEST_TOLD: usize = 20_000;

pub type Platform = Box<dyn Fn(Format<'_>) -> String>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format<'a> {
    /// The name of the plural form of a number: `one`, `other`.
    Plural(usize),
    /// A number with this many digits behind the point.
    Number(f64, u8),
    /// US dollars.
    Money(f64),
    /// The name of a day, counted from 1970 on.
    Day(i64),
    Time(u16),
    /// “A, B and C”.
    List(&'a [String]),
}

impl Language {
    /// A language from its file; `None` where that cannot be read.
    pub fn read(file: &str, platform: Platform) -> Option<Self> {
        let words: Map<String, Value> = serde_json::from_str(file).ok()?;
        let told = words.iter().filter_map(|(text, own)| Some((text.strip_prefix(TOLD)?, own.as_str()?)));
        let told = told.map(|(text, own)| (text.to_owned(), own.to_owned())).collect();
        let things = words.keys().filter(|text| words.get(*text).is_some_and(Value::is_object));
        let things = things.filter_map(|text| text.split_once('|'));
        let things = things.map(|(one, many)| (one.to_owned(), many.to_owned())).collect();
        Some(Self { words, told, things, platform })
    }

    /// A number with what it counts, as the engine writes it (`nexus_text::shorten::counted`), in the form of this language.
    fn recounted(&self, text: &str) -> Option<String> {
        let (number, thing) = text.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let (one, many) =
            self.things.iter().find(|(one, many)| thing == if number == 1 { one } else { many })?;
        self.form(number, one, many)
    }

    fn form(&self, number: u64, one: &str, many: &str) -> Option<String> {
        let forms = self.words.get(&format!("{one}|{many}"))?;
        let form = (self.platform)(Format::Plural(usize::try_from(number).unwrap_or(usize::MAX)));
        let text = forms.get(&form).or_else(|| forms.get("other"))?.as_str()?;
        Some(text.replace("{n}", &whole(number)))
    }
}

pub fn choose(language: Language) {
    CHOSEN.set(Some(Box::leak(Box::new(language))));
}

/// Writes a value as the chosen language does; `None` in English, which the program writes itself.
pub fn format(what: Format<'_>) -> Option<String> {
    CHOSEN.get().map(|language| (language.platform)(what))
}

/// The translation of a text that may be none of ours.
pub fn known(text: &str) -> Option<&'static str> {
    CHOSEN.get()?.words.get(text)?.as_str()
}

/// A text that may be none of ours, in the chosen language where it is.
pub fn shown(text: &str) -> String {
    known(text).unwrap_or(text).to_owned()
}

/// An English text in the chosen language. Without a translation it stays English.
pub fn tr(text: &'static str) -> &'static str {
    known(text).unwrap_or(text)
}

/// The same of a text that means different things: `context` says which.
pub fn tr_in(context: &str, text: &'static str) -> &'static str {
    if CHOSEN.get().is_none() {
        return text;
    }
    known(&format!("{context}|{text}")).unwrap_or(text)
}

/// A number of things with their name: “1 call”, “2 calls”.
pub fn count(number: impl TryInto<usize>, one: &'static str, many: &'static str) -> String {
    counted(number.try_into().unwrap_or(usize::MAX), one, many)
}

fn counted(number: usize, one: &'static str, many: &'static str) -> String {
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    let language = CHOSEN.get();
    let is_one = number == 1 && language.is_none();
    let english = || format!("{} {}", whole(number), if is_one { one } else { many });
    language.and_then(|language| language.form(number, one, many)).unwrap_or_else(english)
}

/// A whole number with its thousands apart: `6,120`.
pub fn whole(number: u64) -> String {
    if let Some(shown) = format(Format::Number(number as f64, 0)) {
        return shown;
    }
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Tenths as a number with one digit behind the point: `5.2`.
pub fn tenths(number: u64) -> String {
    let shown = format(Format::Number(number as f64 / 10.0, 1));
    shown.unwrap_or_else(|| format!("{}.{}", number / 10, number % 10))
}

/// What the engine wrote, in the chosen language where it was made by one of its templates: as a whole, else line by
/// line, else sentence by sentence.
pub fn told(text: &str) -> String {
    let Some(language) = CHOSEN.get().filter(|_| text.len() < LONGEST_TOLD) else { return text.to_owned() };
    // The template that says most. Sorting them would cost the first load more.
    let whole = |text: &str| {
        let made = language.told.iter().filter_map(|(own, to)| Some((own.len(), retold(text, own, to)?)));
        made.max_by_key(|(length, _)| *length).map(|(_, made)| made).or_else(|| language.recounted(text))
    };
    whole(text).unwrap_or_else(|| {
        let sentence = |text: &str| whole(text).unwrap_or_else(|| text.to_owned());
        let line = |line: &str| {
            whole(line).unwrap_or_else(|| {
                let sentences = line.split_inclusive(". ").map(|one| match one.strip_suffix(' ') {
                    Some(one) => sentence(one) + " ",
                    None => sentence(one),
                });
                sentences.collect()
            })
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    })
}

/// A text that this template made, made by its translation.
fn retold(text: &str, template: &str, own: &str) -> Option<String> {
    let (first, places) = template.split_once('{').unwrap_or((template, ""));
    let mut rest = text.strip_prefix(first)?;
    let mut values = Vec::new();
    let mut places = places.split('{').filter_map(|place| place.split_once('}')).peekable();
    while let Some((_, literal)) = places.next() {
        let is_last = places.peek().is_none();
        let found = if is_last {
            rest.strip_suffix(literal).map(|value| (value, ""))
        } else {
            rest.split_once(literal)
        };
        let (value, after) = found?;
        values.push(told(value));
        rest = after;
    }
    let values: Vec<&dyn Display> = values.iter().map(|value| value as &dyn Display).collect();
    rest.is_empty().then(|| put(own, template, &values))
}

/// A text with its values, which come in the order of their places in English. Written by `text!`.
pub fn fill(template: &'static str, values: &[&dyn Display]) -> String {
    if CHOSEN.get().is_none() {
        return put(template, template, values);
    }
    let values: Vec<String> = values.iter().map(|value| told(&value.to_string())).collect();
    let values: Vec<&dyn Display> = values.iter().map(|value| value as &dyn Display).collect();
    put(tr(template), template, &values)
}

/// Puts the values of an English template into its translation.
fn put(own: &str, template: &str, values: &[&dyn Display]) -> String {
    let mut text = String::new();
    let mut rest = own;
    while let Some((before, place)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = place.split_once('}') else { break };
        let value = places(template).position(|place| place == name).and_then(|at| values.get(at));
        if let Some(value) = value {
            text.push_str(&value.to_string());
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The names of a template's places, in their order.
pub fn places(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|place| place.split_once('}')).map(|(name, _)| name)
}

/// An English text of ours, which is shown in the chosen language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text(pub &'static str);

impl Text {
    pub fn get(self) -> &'static str {
        tr(self.0)
    }

    pub fn to_owned(self) -> String {
        String::from(self.get())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.get()
    }
}

impl Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.get())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.to_owned()
    }
}

impl From<Text> for Cow<'static, str> {
    fn from(text: Text) -> Self {
        Cow::Borrowed(text.get())
    }
}

impl From<Text> for &'static str {
    fn from(text: Text) -> Self {
        text.get()
    }
}

impl PartialEq<Text> for String {
    fn eq(&self, text: &Text) -> bool {
        self == text.get()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, text: &&str) -> bool {
        self.get() == *text
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, text: &Text) -> bool {
        *self == text.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
        "Save": "Speichern",
        "verb|Open": "Öffnen",
        "{name} has {0} of {1}": "Von {1} hat {name} {0}",
        "{a} or {b} or {a}": "{b} oder {a}",
        "file|files": { "one": "{n} Datei", "other": "{n} Dateien" },
        "{0} ran: {1}": "{0} lief: {1}",
        "told|Stopped.": "Beendet.",
        "turn|turns": { "one": "{n} Beitrag", "other": "{n} Beiträge" },
        "told|had {turns}": "{turns} gehabt",
        "told|It has {0}, as much as it may.": "Er hat {0}, so viel er darf.",
        "told|{0} was called {same} times": "{same}-mal wurde {0} aufgerufen"
    }"#;

    fn german() {
        let platform = |what: Format<'_>| match what {
            Format::Plural(number) => if number == 1 { "one" } else { "other" }.to_owned(),
            Format::Number(number, _) => format!("~{number}"),
            Format::Money(_) | Format::Day(_) | Format::Time(_) | Format::List(_) => String::new(),
        };
        choose(Language::read(FILE, Box::new(platform)).unwrap());
    }

    #[test]
    fn english_needs_no_file() {
        let name = "Ada";
        assert_eq!(Text("Save").get(), "Save");
        assert_eq!(tr_in("verb", "Open"), "Open");
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(2, "file", "files"), "2 files");
        assert_eq!(count(6_120, "file", "files"), "6,120 files");
        assert_eq!(tenths(52), "5.2");
        assert_eq!(text!("{name} has {} of {}", 1 + 1, "3"), "Ada has 2 of 3");
        assert_eq!(format(Format::Money(1.0)), None);
    }

    #[test]
    fn another_language_has_its_own_words_order_and_plurals() {
        german();
        let name = "Ada";
        assert_eq!(Text("Save").to_string(), "Speichern");
        assert_eq!(tr_in("verb", "Open"), "Öffnen");
        assert_eq!(text!("{name} has {} of {}", 1 + 1, "3"), "Von 3 hat Ada 2");
        assert_eq!(count(1, "file", "files"), "~1 Datei");
        assert_eq!(count(0, "file", "files"), "~0 Dateien");
        let (a, b) = (1, 2);
        assert_eq!(text!("{a} or {b} or {a}"), "2 oder 1");
    }

    #[test]
    fn what_the_engine_wrote_is_shown_in_the_language() {
        let evidence = "It has had 3 turns, as much as it may.";
        assert_eq!(told(evidence), evidence);
        german();
        assert_eq!(told(evidence), "Er hat ~3 Beiträge gehabt, so viel er darf.");
        assert_eq!(
            told(&evidence.replace("3 turns", "1 turn")),
            "Er hat ~1 Beitrag gehabt, so viel er darf."
        );
        assert_eq!(told("1 turns"), "1 turns");
        assert_eq!(told("read a. b was called 3 times"), "3-mal wurde read a. b aufgerufen");
        // Each sentence and line of a longer text, also within a text of the interface.
        assert_eq!(told("Stopped. “Why?” It was.\nStopped."), "Beendet. “Why?” It was.\nBeendet.");
        assert_eq!(text!("{} ran: {}", "Stopped", "Stopped."), "Stopped lief: Beendet.");
        assert_eq!(told("Stopped"), "Stopped");
    }

    #[test]
    fn what_has_no_translation_stays_english() {
        german();
        assert_eq!(tr("Cancel"), "Cancel");
        assert_eq!(tr_in("noun", "Open"), "Open");
        assert_eq!(count(3, "edge", "edges"), "~3 edges");
        assert!(Language::read("no JSON", Box::new(|_| String::new())).is_none());
    }
}
