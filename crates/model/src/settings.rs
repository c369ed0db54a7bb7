//! Settings: values stored by name. [`schema`] is the table of all settings.

pub mod iframe_policy;
pub mod schema;

pub mod voice;

use serde_json::Value;

use crate::limits::PRICE_MOST;

/// A setting: its name and the type of its value. Constructed only by [`schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<K> {
    name: &'static str,
    pub kind: K,
}

/// The type of a setting's value.
pub trait SettingKind: Copy {
    type Value;

    fn default(&self) -> Self::Value;

    /// Parses a stored value; `None` if it is invalid.
    fn parse(&self, kept: &Value) -> Option<Self::Value>;
}

impl<K> Setting<K> {
    /// The name in events, exports and storage.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl<K: SettingKind> Setting<K> {
    /// The parsed value; the default if it is absent or invalid.
    pub fn read(&self, kept: Option<&Value>) -> K::Value {
        kept.and_then(|kept| self.kind.parse(kept)).unwrap_or_else(|| self.kind.default())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    pub default: bool,
}

impl SettingKind for Check {
    type Value = bool;

    fn default(&self) -> bool {
        self.default
    }

    fn parse(&self, kept: &Value) -> Option<bool> {
        kept.as_bool()
    }
}

/// A number within a range. Values above the range are clamped, those below replaced by the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub default: u64,
    pub least: u64,
    pub most: u64,
    pub notation: Notation,
}

/// How a number is entered and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    Whole,
    /// A whole number; thousands separators are allowed.
    Grouped,
    /// Entered in seconds with optional decimals, stored in milliseconds.
    Seconds,
    /// Positive, with optional decimals.
    Dollars,
}

impl SettingKind for Number {
    type Value = f64;

    fn default(&self) -> f64 {
        self.default as f64
    }

    fn parse(&self, kept: &Value) -> Option<f64> {
        let number = kept.as_f64()?;
        let is_valid = if self.notation == Notation::Dollars {
            number > 0.0
        } else {
            number >= self.least as f64 && number.fract() == 0.0
        };
        is_valid.then(|| number.min(self.most as f64))
    }
}

impl Number {
    /// Parses an entered text into the value to store; `None` if it is invalid.
    pub fn enter(&self, text: &str) -> Option<Value> {
        let whole = |text: &str| text.parse::<u64>().ok();
        let number = match self.notation {
            Notation::Whole => whole(text)?,
            Notation::Grouped => whole(&text.replace([',', ' ', '_'], ""))?,
            Notation::Seconds => {
                let seconds = text.replace(',', ".").parse::<f64>().ok()?;
                (seconds >= 0.0 && seconds * 1_000.0 <= self.most as f64)
                    .then(|| (seconds * 1_000.0).round() as u64)?
            }
            Notation::Dollars => {
                return dollars(text).filter(|dollars| *dollars > 0.0).map(Value::from);
            }
        };
        (self.least..=self.most).contains(&number).then(|| number.into())
    }

    pub fn show(&self, kept: &Value) -> String {
        match (self.notation, kept.as_f64()) {
            (_, None) => String::new(),
            (Notation::Seconds, Some(ms)) => (ms / 1_000.0).to_string(),
            (Notation::Whole | Notation::Grouped | Notation::Dollars, Some(_)) => kept.to_string(),
        }
    }
}

/// Parses dollars from 0 to [`PRICE_MOST`] with a decimal point. Commas are rejected: they are decimal points in some
/// countries and thousands separators in others.
pub fn dollars(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.strip_prefix('$').unwrap_or(text).trim().parse::<f64>().ok()?;
    (0.0..=PRICE_MOST).contains(&number).then_some(number)
}

/// One of several values, each with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub default: &'static str,
    pub options: &'static [(&'static str, &'static str)],
}

impl SettingKind for Choice {
    type Value = &'static str;

    fn default(&self) -> &'static str {
        self.default
    }

    fn parse(&self, kept: &Value) -> Option<&'static str> {
        let kept = kept.as_str()?;
        self.options.iter().map(|(value, _)| *value).find(|value| *value == kept)
    }
}

impl Choice {
    pub fn name_of(&self, value: &str) -> &'static str {
        self.options.iter().find(|(one, _)| *one == value).map_or("", |(_, name)| name)
    }

    /// The option `by` steps from this one, if there is one.
    pub fn step(&self, value: &str, by: isize) -> Option<&'static str> {
        let now = self.options.iter().position(|(one, _)| *one == value)?;
        self.options.get(now.checked_add_signed(by)?).map(|(value, _)| *value)
    }
}

/// A trimmed text; empty by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text;

impl SettingKind for Text {
    type Value = String;

    fn default(&self) -> String {
        String::new()
    }

    fn parse(&self, kept: &Value) -> Option<String> {
        kept.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// A value that the using module parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own;

/// One value for each of many keys; the setting's name is the prefix of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows;

impl Setting<Rows> {
    pub fn row(&self, key: impl std::fmt::Display) -> String {
        format!("{}{key}", self.name)
    }
}

#[cfg(test)]
#[path = "settings/settings_tests.rs"]
mod settings_tests;
