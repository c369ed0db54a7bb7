//! State of the file preview: its file, console and status.
//!
//! The screen sets it; agents read it by a tool. Console lines are untrusted text from the page.

use std::collections::VecDeque;

use crate::limits::{PREVIEW_FILES_BYTES, PREVIEW_LINE_CHARS, PREVIEW_LINES};
use crate::mind::blob::is_shown;
use crate::prelude::*;
use nexus_text::shorten::ellipsis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewKind {
    /// HTML, in its own document.
    Page,
    Picture,
    Prose,
    /// A raster image: a file, or an attachment of a message.
    Raster,
}

/// The preview kind of a file name; `None` without preview.
pub fn kind_of(name: &str) -> Option<PreviewKind> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => Some(PreviewKind::Page),
        "svg" => Some(PreviewKind::Picture),
        "md" | "markdown" => Some(PreviewKind::Prose),
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" => Some(PreviewKind::Raster),
        _ => None,
    }
}

/// The files that a page can fetch, if its scripts seem to do so and the files are within the size limit.
pub fn fetched<'f>(page: &str, files: &'f VecMap<String, Arc<str>>) -> Option<&'f VecMap<String, Arc<str>>> {
    // Scripts in data URLs have escaped brackets.
    let calls = ["fetch(", "fetch%28", "XMLHttpRequest"];
    let fetches = calls.into_iter().any(|call| page.contains(call));
    let bytes: usize = files.values().map(|text| text.len()).sum();
    Some(files).filter(|_| fetches && bytes <= PREVIEW_FILES_BYTES)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageImage {
    pub name: String,
    pub mime: String,
    pub hash: ContentHash,
    pub bytes: u64,
}

/// The images of a session, newest first: those of its own messages, and those before a fork. The newest of each name
/// counts.
pub fn pictures(world: &World, session: SessionId) -> Vec<MessageImage> {
    let mut out: Vec<MessageImage> = Vec::new();
    let own = world.messages.values().rev().filter(|message| message.session == session);
    let head = world.session(&session).and_then(|row| row.head);
    let before = world.ancestry(head).filter(|turn| turn.session != session);
    let before = before.flat_map(|turn| turn.query.iter().rev()).filter_map(|id| world.message(id));
    for part in own.chain(before).flat_map(|message| &message.parts) {
        if let PartBody::Blob { hash, mime, name, bytes } = &part.body
            && is_shown(mime)
            && !out.iter().any(|newer| newer.name == *name)
        {
            out.push(MessageImage { name: name.clone(), mime: mime.clone(), hash: *hash, bytes: *bytes });
        }
    }
    out
}

/// The entry of `names` that a page refers to by `name`: an exact match, else one of the last path segment.
pub fn referenced_file<'n>(names: impl Iterator<Item = &'n str> + Clone, name: &str) -> Option<&'n str> {
    let short = name.rsplit('/').next().unwrap_or(name);
    names.clone().find(|own| *own == name).or_else(|| names.into_iter().find(|own| *own == short))
}

pub fn first_page(files: &[String]) -> Option<&String> {
    let is_page = |name: &&String| kind_of(name) == Some(PreviewKind::Page);
    let depth = |name: &String| name.matches('/').count();
    let index = |name: &&String| name.rsplit('/').next().is_some_and(|last| last.starts_with("index."));
    let indexes = files.iter().filter(is_page).filter(index);
    indexes.min_by_key(|name| depth(name)).or_else(|| files.iter().find(is_page))
}

/// The file to preview: the picked one, else the active one, else the last one shown, else the first page, else the
/// first with a preview, else the first picture. Editing a page's script keeps the page. Pictures of messages can be
/// picked too.
pub fn shown_file<'f>(
    files: &'f [String],
    pictures: &'f [String],
    picked: Option<&str>,
    active: Option<&str>,
    last: Option<&str>,
) -> Option<&'f String> {
    let file = |name: Option<&str>| {
        let name = name.filter(|name| kind_of(name).is_some())?;
        files.iter().find(|file| *file == name)
    };
    let any =
        |name: Option<&str>| file(name).or_else(|| pictures.iter().find(|own| Some(own.as_str()) == name));
    any(picked)
        .or_else(|| file(active))
        .or_else(|| any(last))
        .or_else(|| first_page(files))
        .or_else(|| files.iter().find(|name| kind_of(name).is_some()))
        .or_else(|| pictures.first())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogLevel {
    #[default]
    Log,
    Warn,
    Error,
}

words!(LogLevel { Log: "log", Warn: "warn", Error: "error" });

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// Index among all lines, from 0.
    pub number: u64,
    pub tone: LogLevel,
    pub text: String,
}

/// The console of a page: its newest lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Console {
    lines: VecDeque<ConsoleLine>,
    total: u64,
}

impl Console {
    /// Adds a line, truncated if long; drops the oldest if there are too many.
    pub fn push(&mut self, tone: LogLevel, text: &str) {
        let text = ellipsis(text, PREVIEW_LINE_CHARS);
        self.lines.push_back(ConsoleLine { number: self.total, tone, text });
        self.total += 1;
        if self.lines.len() > PREVIEW_LINES {
            self.lines.pop_front();
        }
    }

    /// The stored lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &ConsoleLine> {
        self.lines.iter()
    }

    pub fn dropped(&self) -> u64 {
        self.total - self.lines.len() as u64
    }
}

/// Why a page was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewStopReason {
    /// It did not respond, such as in an endless loop.
    Silent,
    Flood,
    NavigatedAway,
    NotLoaded,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewState {
    #[default]
    Loading,
    Running,
    /// Shown without scripts until the operator allows them.
    ScriptsOff,
    /// Shown; it has no scripts.
    Still,
    Stopped(PreviewStopReason),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PreviewReport {
    pub session: SessionId,
    pub file: String,
    pub state: PreviewState,
    pub open: bool,
    /// Files that the page refers to and the session does not have.
    pub missing: Vec<String>,
    pub console: Console,
}

#[cfg(test)]
mod tests;
