//! Translation of the interface: each English text is the key of its translation.
//!
//! English is compiled in. Another language is one JSON file, `public/languages/TAG.json`, that `public/boot.js`
//! fetches before the program starts. A counted noun has one text for each plural form of the language. [`Platform`]
//! supplies what a platform knows about a language: plural forms, dates, numbers, lists.
//!
//! A text is written where it is used: a constant is a [`Text`], a literal in a function is in [`tr`], a text with
//! values is `text!`, and a counted noun is [`count`]. `tests/languages.rs` collects them from the sources and checks
//! each language.
//!
//! The engine and the model write English, because models read it too. [`translate_template`] finds the template of
//! such a text and translates it.

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
    /// Templates of the engine's texts, with their translations.
    templates: Vec<(String, String)>,
    /// Counted nouns in English: singular and plural.
    nouns: Vec<(String, String)>,
    platform: Platform,
}

pub const TEMPLATE_PREFIX: &str = "told|";
/// Longer texts are not translated.
const LONGEST_TRANSLATED: usize = 20_000;

pub type Platform = Box<dyn Fn(Format<'_>) -> Option<String>>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format<'a> {
    /// The name of a number's plural form: `one`, `other`.
    Plural(usize),
    /// A number with this many decimals.
    Number(f64, u8),
    /// US dollars.
    Money(f64),
    /// The name of a day, counted from 1970.
    Day(i64),
    /// A time of day, in minutes since midnight.
    Time(u16),
    /// “A, B and C”.
    List(&'a [String]),
}

impl Language {
    /// Parses a language file; `None` if it is invalid.
    pub fn read(file: &str, platform: Platform) -> Option<Self> {
        let words: Map<String, Value> = serde_json::from_str(file).ok()?;
        let templates =
            words.iter().filter_map(|(text, own)| Some((text.strip_prefix(TEMPLATE_PREFIX)?, own.as_str()?)));
        let templates = templates.map(|(text, own)| (text.to_owned(), own.to_owned())).collect();
        let nouns = words.keys().filter(|text| words.get(*text).is_some_and(Value::is_object));
        let nouns = nouns.filter_map(|text| text.split_once('|'));
        let nouns = nouns.map(|(one, many)| (one.to_owned(), many.to_owned())).collect();
        Some(Self { words, templates, nouns, platform })
    }

    /// Translates a counted noun that the engine wrote (`nexus_text::shorten::counted`).
    fn translate_count(&self, text: &str) -> Option<String> {
        let (number, thing) = text.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let (one, many) =
            self.nouns.iter().find(|(one, many)| thing == if number == 1 { one } else { many })?;
        self.form(number, one, many)
    }

    fn form(&self, number: u64, one: &str, many: &str) -> Option<String> {
        let forms = self.words.get(&format!("{one}|{many}"))?;
        let form = (self.platform)(Format::Plural(usize::try_from(number).unwrap_or(usize::MAX)));
        let text = form.and_then(|form| forms.get(&form)).or_else(|| forms.get("other"))?.as_str()?;
        Some(text.replace("{n}", &whole(number)))
    }
}

pub fn choose(language: Language) {
    CHOSEN.set(Some(Box::leak(Box::new(language))));
}

/// Formats a value in the chosen language; `None` in English and where the platform fails: the caller writes English.
pub fn format(what: Format<'_>) -> Option<String> {
    CHOSEN.get().and_then(|language| (language.platform)(what))
}

/// The translation of a text; `None` if it has none.
pub fn known(text: &str) -> Option<&'static str> {
    CHOSEN.get()?.words.get(text)?.as_str()
}

/// A text in the chosen language; unchanged if it has no translation.
pub fn translated(text: &str) -> String {
    known(text).unwrap_or(text).to_owned()
}

/// An English text in the chosen language; English if it has no translation.
pub fn tr(text: &'static str) -> &'static str {
    known(text).unwrap_or(text)
}

/// As [`tr`], for an ambiguous text: `context` selects the meaning.
pub fn tr_in(context: &str, text: &'static str) -> &'static str {
    if CHOSEN.get().is_none() {
        return text;
    }
    known(&format!("{context}|{text}")).unwrap_or(text)
}

/// A counted noun: “1 call”, “2 calls”.
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

/// A whole number with thousands separators: `6,120`.
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

/// A number of tenths with one decimal: `5.2`.
pub fn tenths(number: u64) -> String {
    let shown = format(Format::Number(number as f64 / 10.0, 1));
    shown.unwrap_or_else(|| format!("{}.{}", number / 10, number % 10))
}

/// Translates a text of the engine if one of its templates made it: as a whole, else by line, else by sentence.
pub fn translate_template(text: &str) -> String {
    let Some(language) = CHOSEN.get().filter(|_| text.len() < LONGEST_TRANSLATED) else {
        return text.to_owned();
    };
    // The longest matching template. Sorting the templates would cost the first load more.
    let whole = |text: &str| {
        let made = language
            .templates
            .iter()
            .filter_map(|(own, to)| Some((own.len(), translate_from(text, own, to)?)));
        made.max_by_key(|(length, _)| *length)
            .map(|(_, made)| made)
            .or_else(|| language.translate_count(text))
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

/// Matches a text against a template and fills the template's translation.
fn translate_from(text: &str, template: &str, own: &str) -> Option<String> {
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
        values.push(translate_template(value));
        rest = after;
    }
    let values: Vec<&dyn Display> = values.iter().map(|value| value as &dyn Display).collect();
    rest.is_empty().then(|| fill_translation(own, template, &values))
}

/// Fills a template with values in the order of their English placeholders. Called by `text!`.
pub fn fill(template: &'static str, values: &[&dyn Display]) -> String {
    if CHOSEN.get().is_none() {
        return fill_translation(template, template, values);
    }
    let values: Vec<String> = values.iter().map(|value| translate_template(&value.to_string())).collect();
    let values: Vec<&dyn Display> = values.iter().map(|value| value as &dyn Display).collect();
    fill_translation(tr(template), template, &values)
}

/// Fills a translation with the values of its English template.
fn fill_translation(own: &str, template: &str, values: &[&dyn Display]) -> String {
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

/// The placeholder names of a template, in order.
pub fn places(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|place| place.split_once('}')).map(|(name, _)| name)
}

/// An English text that is shown in the chosen language.
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

impl PartialEq<&str> for Text {
    fn eq(&self, text: &&str) -> bool {
        self.get() == *text
    }
}

#[cfg(test)]
mod tests;
