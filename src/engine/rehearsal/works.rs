//! Never changes a file that exists: it makes first drafts, and knows where a part can be added to one.
//!
//! Owns the kinds of work, each of which really does something when opened or run.

pub(super) mod data;
pub(super) mod document;
pub(super) mod script;
pub(super) mod web;

use super::brief;
use super::words::slug;
use crate::domain::sorted::SortedMap;

/// Files by name.
pub(super) type Files = SortedMap<String, String>;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A page with style and behaviour.
    Web(&'static web::Archetype),
    /// A text in Markdown.
    Document(&'static document::Form),
    /// A program for the command line.
    Script(script::Language),
    /// A table of values.
    Data,
}

const WEB: &str = "web page";
const DOCUMENT: &str = "document";
const SCRIPT: &str = "script";
const DATA: &str = "data table";

impl Kind {
    /// The kind that `text` asks for.
    pub(super) fn of(text: &str) -> Self {
        brief::kind_of(text)
    }

    /// What a plan calls it.
    pub(super) fn label(self) -> String {
        match self {
            Self::Web(archetype) => format!("{WEB} ({})", archetype.label),
            Self::Document(form) => format!("{DOCUMENT} ({})", form.label),
            Self::Script(language) => format!("{SCRIPT} ({})", language.label()),
            Self::Data => DATA.to_owned(),
        }
    }

    /// The kind that a plan calls `label`.
    pub(super) fn from_label(label: &str) -> Option<Self> {
        if label == DATA {
            return Some(Self::Data);
        }
        let (kind, special) = label.trim_end().strip_suffix(')')?.split_once(" (")?;
        match kind {
            WEB => web::with_label(special).map(Self::Web),
            DOCUMENT => document::with_label(special).map(Self::Document),
            SCRIPT => script::Language::from_label(special).map(Self::Script),
            _ => None,
        }
    }

    /// What it is good for where the operator names no feature.
    pub(super) fn usual_features(self) -> &'static [&'static str] {
        match self {
            Self::Web(archetype) => archetype.usual,
            Self::Document(form) => form.usual,
            Self::Script(_) => &["count words", "sort lines", "drop duplicate lines"],
            Self::Data => &["name", "note"],
        }
    }

    /// The names of its files, the main one first.
    pub(super) fn files(self, title: &str) -> Vec<String> {
        match self {
            Self::Web(_) => web::file_names(title),
            Self::Document(_) => vec![format!("{}.md", slug(title, "document"))],
            Self::Script(language) => vec![format!("{}.{}", slug(title, "script"), language.extension())],
            Self::Data => vec![format!("{}.csv", slug(title, "table"))],
        }
    }

    /// The first draft of all its files. It mentions the features, it does not show them yet.
    pub(super) fn draft(self, title: &str, objective: &str, features: &[String]) -> Files {
        let name = self.files(title).into_iter().next().unwrap_or_default();
        match self {
            Self::Web(archetype) => web::draft(archetype, title, objective, features),
            Self::Document(form) => Files::from([(name, document::draft(form, title))]),
            Self::Script(language) => Files::from([(name.clone(), script::draft(language, title, &name))]),
            Self::Data => Files::from([(name, data::draft())]),
        }
    }

    /// Adds `feature` to `files`; tells how, or nothing where there is no place for it.
    pub(super) fn add_feature(self, feature: &str, files: &mut Files) -> Option<String> {
        match self {
            Self::Web(archetype) => web::add_feature(archetype, feature, files),
            Self::Document(_) => document::add_section(feature, files),
            Self::Script(language) => script::add_command(language, feature, files),
            Self::Data => data::add_column(feature, files),
        }
    }

    /// The line, from 1, on which `files` show `feature`, with the file's name.
    pub(super) fn line_of(self, feature: &str, files: &Files) -> Option<(String, usize)> {
        let mark = match self {
            Self::Web(_) => format!("data-feature=\"{}\"", super::words::html(feature)),
            Self::Document(_) => document::heading(feature),
            Self::Script(language) => script::mark(language, feature),
            Self::Data => {
                let name = files.keys().find(|name| name.ends_with(".csv"))?;
                return data::has_column(feature, files.get(name)?).then(|| (name.clone(), 1));
            }
        };
        files.iter().find_map(|(name, content)| {
            let line = content.lines().position(|line| {
                if matches!(self, Self::Web(_)) { line.contains(&mark) } else { line.trim() == mark }
            })?;
            Some((name.clone(), line + 1))
        })
    }
}
