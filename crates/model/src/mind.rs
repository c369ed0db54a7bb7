//! The mind, the shared state of a session: objective, scratchpad and files, one of them active.
//!
//! A write based on an older mind is merged by lines, or rejected with the current text.

pub mod blob;
pub mod core_sync;
pub mod file_name;
pub mod folder_sync;
pub mod grep;
pub mod merge;
pub mod preview;
pub mod review;
pub mod sandbox;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::{FILE_NAME_BYTES, SESSION_IMAGES_BYTES};
use crate::mind::blob::ImageFile;
use nexus_text::diff::delta::{self, LineSplice};
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_text::vec_map::{VecMap, VecSet};
use nexus_text::{content_hash::ContentHash, diff, diff::LineCount, json};

/// The shared state of a session. Cheap to clone: file texts are shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mind {
    pub objective: String,
    /// Shared plan and notes of all agents.
    pub scratchpad: String,
    pub active: Option<String>,
    pub files: VecMap<String, MindFile>,
}

/// A file's text with its hash, computed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MindFile {
    pub text: Arc<str>,
    pub hash: ContentHash,
}

impl MindFile {
    pub fn new(text: &str) -> Self {
        Self { text: Arc::from(text), hash: ContentHash::of_text(text) }
    }

    pub fn image(&self) -> Option<ImageFile<'_>> {
        ImageFile::of(&self.text)
    }
}

/// The mind in the format of `nexus_context_state`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextNodeState {
    pub objective: String,
    pub scratchpad: String,
    pub active_file: String,
    pub active_file_name: String,
}

/// A mind as stored: files by content address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MindRow {
    pub objective: String,
    pub scratchpad: String,
    pub active: Option<String>,
    pub files: VecMap<String, ContentHash>,
}

/// An applied change, as recorded in events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MindEdit {
    /// The new objective.
    Objective { text: String },
    /// The new scratchpad.
    Scratchpad { text: String },
    /// The new text of a file, which is created if missing.
    File { name: String, text: String },
    /// Changed lines of a file; `from` is the hash of the text before.
    FileLines { name: String, from: ContentHash, changes: Vec<LineSplice> },
    /// Changed lines of the scratchpad; `from` is the hash of the text before.
    ScratchpadLines { from: ContentHash, changes: Vec<LineSplice> },
    /// A file was removed.
    FileRemoved { name: String },
    /// A file has another name.
    FileRenamed { from: String, to: String },
    /// Another file is active, or none.
    Active { name: Option<String> },
}

/// A requested change; [`resolve`] turns it into edits of the current mind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MindWrite {
    /// Replace the objective.
    Objective(String),
    /// Replace the scratchpad.
    Scratchpad(String),
    /// Replace a file, or create it.
    File { name: String, text: String },
    /// Create a file; never merged with an existing one.
    New { name: String, text: String },
    /// Replace a passage of a file, given by its exact text: the only occurrence, or `all`.
    Replace { name: String, search: String, replace: String, all: bool },
    /// Remove a file.
    Remove(String),
    /// Give a file another name.
    Rename { from: String, to: String },
    /// Make a file the active one.
    Activate(String),
}

impl MindWrite {
    /// The files that it would create, change or remove.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::File { name, .. }
            | Self::New { name, .. }
            | Self::Replace { name, .. }
            | Self::Remove(name) => vec![name],
            Self::Rename { from, to } => vec![from, to],
            Self::Objective(_) | Self::Scratchpad(_) | Self::Activate(_) => Vec::new(),
        }
    }
}

/// Why a write was rejected. A rejected write changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// Others changed the same lines since the writer last saw them.
    Conflict {
        /// `objective`, `scratchpad`, or the file's name.
        field: String,
        current: String,
        /// Both texts with conflict markers, current lines first.
        marked: String,
    },
    /// There is no such file.
    NoSuchFile { name: String },
    /// Another file has the name.
    NameTaken { name: String },
    /// The text to replace is not in the file.
    NotFound { name: String },
    /// The text to replace is in the file more than once.
    Ambiguous { name: String, times: usize },
    /// The name is empty, too long, or a path out of the session.
    BadName { name: String },
    /// The file is an image, which text must not replace.
    IsImage { name: String },
    /// Not a valid image, or too large.
    BadImage { name: String },
    /// The images of the session would exceed the limit.
    ImagesFull,
}

impl Mind {
    pub fn hash(&self) -> ContentHash {
        let row = self.row();
        ContentHash::of_json(&json::to_tree(&row).unwrap_or_default())
    }

    /// The row to store; the texts are stored separately.
    pub fn row(&self) -> MindRow {
        MindRow {
            objective: self.objective.clone(),
            scratchpad: self.scratchpad.clone(),
            active: self.active.clone(),
            files: self.files.iter().map(|(name, file)| (name.clone(), file.hash)).collect(),
        }
    }

    /// Restores a mind from its row. A file with a missing text is empty.
    pub fn of_row(row: MindRow, mut text_of: impl FnMut(&ContentHash) -> Option<Arc<str>>) -> Self {
        let files = row
            .files
            .into_iter()
            .map(|(name, hash)| {
                let text = text_of(&hash).unwrap_or_else(|| Arc::from(""));
                (name, MindFile { text, hash })
            })
            .collect();
        Self { objective: row.objective, scratchpad: row.scratchpad, active: row.active, files }
    }

    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(|file| &*file.text)
    }

    pub fn active_file(&self) -> Option<(&str, &str)> {
        let name = self.active.as_deref()?;
        Some((name, self.file(name)?))
    }

    pub fn context_node_state(&self) -> ContextNodeState {
        let (name, text) = self.active_file().unwrap_or_default();
        let text = if ImageFile::of(text).is_some() { "" } else { text };
        ContextNodeState {
            objective: self.objective.clone(),
            scratchpad: self.scratchpad.clone(),
            active_file: text.to_owned(),
            active_file_name: name.to_owned(),
        }
    }

    #[must_use]
    pub fn with(&self, edits: &[MindEdit]) -> Self {
        let mut mind = self.clone();
        for edit in edits {
            mind.apply(edit);
        }
        mind
    }

    /// A delta of another text changes nothing.
    fn apply(&mut self, edit: &MindEdit) {
        match edit {
            MindEdit::Objective { text } => self.objective.clone_from(text),
            MindEdit::Scratchpad { text } => self.scratchpad.clone_from(text),
            MindEdit::File { name, text } => {
                self.files.insert(name.clone(), MindFile::new(text));
            }
            MindEdit::FileLines { name, from, changes } => {
                let file = self.files.get_mut(name).filter(|file| file.hash == *from);
                if let Some(file) = file
                    && let Some(text) = delta::apply(&file.text, changes)
                {
                    *file = MindFile::new(&text);
                }
            }
            MindEdit::ScratchpadLines { from, changes } => {
                if ContentHash::of_text(&self.scratchpad) == *from
                    && let Some(text) = delta::apply(&self.scratchpad, changes)
                {
                    self.scratchpad = text;
                }
            }
            MindEdit::FileRemoved { name } => {
                self.files.remove(name);
                if self.active.as_ref() == Some(name) {
                    self.active = self.files.keys().next().cloned();
                }
            }
            MindEdit::FileRenamed { from, to } => {
                if let Some(file) = self.files.remove(from) {
                    self.files.insert(to.clone(), file);
                }
                if self.active.as_ref() == Some(from) {
                    self.active = Some(to.clone());
                }
            }
            MindEdit::Active { name } => self.active.clone_from(name),
        }
    }
}

impl From<ContextNodeState> for Mind {
    fn from(state: ContextNodeState) -> Self {
        let mut mind = Self { objective: state.objective, scratchpad: state.scratchpad, ..Self::default() };
        let has_name = !state.active_file_name.is_empty();
        if has_name || !state.active_file.is_empty() {
            let name = if has_name { state.active_file_name } else { "untitled.txt".to_owned() };
            mind.files.insert(name.clone(), MindFile::new(&state.active_file));
            mind.active = Some(name);
        }
        mind
    }
}

/// Turns writes into edits of `current`, given the mind that the writer last saw (`base`).
///
/// All writes succeed or none. Writes that change nothing give no edits.
pub fn resolve(current: &Mind, base: &Mind, writes: &[MindWrite]) -> Result<Vec<MindEdit>, WriteError> {
    let mut edits = Vec::new();
    let mut mind = current.clone();
    for write in writes {
        for edit in resolve_one(&mind, base, write)? {
            let next = mind.with(std::slice::from_ref(&edit));
            if next != mind {
                edits.push(edit.shortened(&mind));
                mind = next;
            }
        }
    }
    Ok(edits)
}

fn resolve_one(mind: &Mind, base: &Mind, write: &MindWrite) -> Result<Vec<MindEdit>, WriteError> {
    let edit = match write {
        MindWrite::Objective(text) => {
            MindEdit::Objective { text: merged("objective", &base.objective, &mind.objective, text)? }
        }
        MindWrite::Scratchpad(text) => {
            MindEdit::Scratchpad { text: merged("scratchpad", &base.scratchpad, &mind.scratchpad, text)? }
        }
        MindWrite::File { name, text } => {
            check_name(name)?;
            let (old, now) = (base.file(name).unwrap_or(""), mind.file(name).unwrap_or(""));
            let text = match ImageFile::of(text) {
                Some(image) => with_image(mind, (name, text), &image, old)?,
                None if ImageFile::of(now).is_some() => {
                    return Err(WriteError::IsImage { name: name.clone() });
                }
                None => merged(name, old, now, text)?,
            };
            let mut edits = vec![MindEdit::File { name: name.clone(), text }];
            if mind.active.is_none() {
                edits.push(MindEdit::Active { name: Some(name.clone()) });
            }
            return Ok(edits);
        }
        MindWrite::New { name, text } => {
            check_name(name)?;
            return match mind.file(name) {
                Some(now) if now != text => Err(WriteError::NameTaken { name: name.clone() }),
                Some(_) => Ok(Vec::new()),
                // Neither side has the file: write it like any first write.
                None => resolve_one(mind, mind, &MindWrite::File { name: name.clone(), text: text.clone() }),
            };
        }
        MindWrite::Replace { name, search, replace, all } => {
            let text = known_file(mind, name)?;
            if ImageFile::of(text).is_some() {
                return Err(WriteError::IsImage { name: name.clone() });
            }
            let times = if search.is_empty() { 0 } else { text.matches(search.as_str()).count() };
            match times {
                0 => return Err(WriteError::NotFound { name: name.clone() }),
                2.. if !all => return Err(WriteError::Ambiguous { name: name.clone(), times }),
                _ => MindEdit::File { name: name.clone(), text: text.replace(search, replace) },
            }
        }
        MindWrite::Remove(name) => {
            known_file(mind, name)?;
            MindEdit::FileRemoved { name: name.clone() }
        }
        MindWrite::Rename { from, to } => {
            check_name(to)?;
            known_file(mind, from)?;
            if mind.file(to).is_some() {
                return Err(WriteError::NameTaken { name: to.clone() });
            }
            MindEdit::FileRenamed { from: from.clone(), to: to.clone() }
        }
        MindWrite::Activate(name) => {
            known_file(mind, name)?;
            MindEdit::Active { name: Some(name.clone()) }
        }
    };
    Ok(vec![edit])
}

fn known_file<'m>(mind: &'m Mind, name: &str) -> Result<&'m str, WriteError> {
    mind.file(name).ok_or_else(|| WriteError::NoSuchFile { name: name.to_owned() })
}

/// The text of an image that replaces a file whole, unless others changed the file meanwhile.
fn with_image(
    mind: &Mind,
    (name, text): (&str, &str),
    image: &ImageFile<'_>,
    old: &str,
) -> Result<String, WriteError> {
    let now = mind.file(name).unwrap_or("");
    if now != old && now != text {
        return Err(WriteError::NameTaken { name: name.to_owned() });
    }
    if !image.is_sound() {
        return Err(WriteError::BadImage { name: name.to_owned() });
    }
    let others = mind.files.iter().filter(|(other, _)| *other != name).filter_map(|(_, file)| file.image());
    let all: u64 = others.map(|other| other.bytes()).sum();
    if all.saturating_add(image.bytes()) > SESSION_IMAGES_BYTES {
        return Err(WriteError::ImagesFull);
    }
    Ok(text.to_owned())
}

fn merged(field: &str, base: &str, current: &str, wanted: &str) -> Result<String, WriteError> {
    match merge(base, current, wanted) {
        MergeOutcome::Clean(text) => Ok(text),
        MergeOutcome::Conflict(marked) => {
            Err(WriteError::Conflict { field: field.to_owned(), current: current.to_owned(), marked })
        }
    }
}

/// A name is a label, never a path out of the session: no empty or dot segments, no control characters.
pub fn check_name(name: &str) -> Result<(), WriteError> {
    let is_valid = !name.trim().is_empty()
        && name.len() <= FILE_NAME_BYTES
        && name.trim() == name
        && !name.chars().any(|c| c.is_control() || c == '\\')
        && name.split('/').all(|segment| !segment.is_empty() && segment != "." && segment != "..");
    if is_valid { Ok(()) } else { Err(WriteError::BadName { name: name.to_owned() }) }
}

impl MindEdit {
    /// The same edit as a line delta, if that is much shorter.
    #[must_use]
    pub fn shortened(self, mind: &Mind) -> Self {
        if let Self::File { name, text } = &self
            && let Some(file) = mind.files.get(name)
            && let Some(changes) = delta::between(&file.text, text)
        {
            Self::FileLines { name: name.clone(), from: file.hash, changes }
        } else if let Self::Scratchpad { text } = &self
            && let Some(changes) = delta::between(&mind.scratchpad, text)
        {
            Self::ScratchpadLines { from: ContentHash::of_text(&mind.scratchpad), changes }
        } else {
            self
        }
    }
}

/// Encodes each edit as a line delta where that is much shorter; each applies to the result of the previous ones.
pub fn shortened(mind: &Mind, edits: Vec<MindEdit>) -> Vec<MindEdit> {
    let mut mind = mind.clone();
    let shorten = |edit: MindEdit| {
        let next = mind.with(std::slice::from_ref(&edit));
        edit.shortened(&std::mem::replace(&mut mind, next))
    };
    edits.into_iter().map(shorten).collect()
}

#[cfg(test)]
mod delta_tests;
#[cfg(test)]
mod tests;

/// A field or file changed by a tool run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// `objective`, `scratchpad`, or a file's name.
    pub field: String,
    pub is_file: bool,
    pub lines: LineCount,
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} +{} −{}", self.field, self.lines.added, self.lines.removed)
    }
}

/// The differences between two minds, by field.
pub fn changes_between(before: &Mind, after: &Mind) -> Vec<FileChange> {
    let mut changed = Vec::new();
    let mut compare = |field: &str, is_file: bool, old: &str, new: &str| {
        if old != new {
            changed.push(FileChange { field: field.to_owned(), is_file, lines: diff::count(old, new) });
        }
    };
    compare("objective", false, &before.objective, &after.objective);
    compare("scratchpad", false, &before.scratchpad, &after.scratchpad);
    for name in changed_files(before, after) {
        compare(name, true, before.file(name).unwrap_or(""), after.file(name).unwrap_or(""));
    }
    changed
}

/// The names of files that differ between two minds, sorted; renamed files by both names.
pub fn changed_files<'m>(before: &'m Mind, after: &'m Mind) -> impl Iterator<Item = &'m String> {
    let names: VecSet<_> = before.files.keys().chain(after.files.keys()).collect();
    let hash = |mind: &Mind, name: &String| mind.files.get(name).map(|file| file.hash);
    names.into_iter().filter(move |name| hash(before, name) != hash(after, name))
}
