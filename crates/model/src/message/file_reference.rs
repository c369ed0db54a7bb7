//! File references in messages: `#name` and `#name:10-20`, with the passage as it was when the message was sent.
//!
//! A `#` that matches no file is plain text.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::{IMAGES, PASSAGE_BYTES, PASSAGES_BYTES, REFERENCED_FILES};
use crate::message::content::{MessagePart, PartBody};
use crate::message::without_quotations;
use crate::mind::{Mind, MindFile, blob::NewBlob};
use nexus_text::{json, limits::step, small_sort::SmallSort as _, vec_map::VecSet};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileReference {
    pub file: String,
    /// First and last line, from 1; `None` for the whole file.
    pub lines: Option<(usize, usize)>,
}

/// The file references in `text`, in order, once each. The longest matching name wins. Quotations are ignored.
pub fn references_in<'n>(text: &str, files: impl Iterator<Item = &'n String> + Clone) -> Vec<FileReference> {
    let mut found = Vec::new();
    if !text.contains('#') {
        return found;
    }
    let (text, names) = (without_quotations(text), Names::of(files));
    let mut known = VecSet::new();
    for (at, _) in text.match_indices('#') {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || c == '#' || c == '&' || c == '/') {
            continue;
        }
        let Some(rest) = text.get(at + 1..) else { continue };
        if let Some(one) = names.begin(rest).find_map(|name| parse_reference(name, rest))
            && known.insert(one.clone())
        {
            found.push(one);
        }
        if found.len() >= REFERENCED_FILES {
            break;
        }
    }
    found
}

/// Parses a reference from `rest` if it begins with this name and the name ends there.
fn parse_reference(name: &str, rest: &str) -> Option<FileReference> {
    let (lines, behind) = lines_of(rest.strip_prefix(name)?);
    ends(behind).then(|| FileReference { file: name.to_owned(), lines })
}

/// Sorted file names, to find prefixes of a text without comparing each.
struct Names<'n> {
    sorted: Vec<&'n str>,
    /// Length of the longest name in bytes.
    longest: usize,
}

impl<'n> Names<'n> {
    fn of(files: impl Iterator<Item = &'n String>) -> Self {
        let mut sorted: Vec<&str> = files.map(String::as_str).filter(|name| !name.is_empty()).collect();
        sorted.small_sort();
        let longest = sorted.iter().map(|name| name.len()).max().unwrap_or(0);
        Self { sorted, longest }
    }

    /// The names that are prefixes of `rest`, longest first.
    fn begin<'r>(&'r self, rest: &'r str) -> impl Iterator<Item = &'n str> + 'r {
        let rest = rest.as_bytes();
        let mut key = rest.get(..self.longest.min(rest.len())).unwrap_or_default();
        std::iter::from_fn(move || {
            while !key.is_empty() {
                step(1);
                // A prefix of `key` sorts no later than this name, and is no longer than their common prefix.
                let place = self.sorted.partition_point(|name| name.as_bytes() <= key);
                let name = self.sorted.get(place.checked_sub(1)?)?;
                let shared = name.bytes().zip(key).take_while(|(a, b)| a == *b).count();
                let is_prefix = shared == name.len();
                key = key.get(..if is_prefix { shared - 1 } else { shared }).unwrap_or_default();
                if is_prefix {
                    return Some(*name);
                }
            }
            None
        })
    }
}

/// Parses `:10-20`, `:10` or `:L10-L20`. Returns the lines and the rest of the text.
fn lines_of(text: &str) -> (Option<(usize, usize)>, &str) {
    let number = |text: &str| -> Option<(usize, usize)> {
        let skipped = usize::from(text.starts_with('L'));
        let digits = text.get(skipped..)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits.get(..end)?.parse::<usize>().ok().filter(|number| *number > 0)?;
        Some((number, skipped + end))
    };
    let Some(rest) = text.strip_prefix(':') else { return (None, text) };
    let Some((from, length)) = number(rest) else { return (None, text) };
    let behind = rest.get(length..).unwrap_or("");
    match behind.strip_prefix('-').and_then(|rest| Some((number(rest)?, rest))) {
        Some(((to, length), rest)) => (Some((from.min(to), from.max(to))), rest.get(length..).unwrap_or("")),
        None => (Some((from, from)), behind),
    }
}

/// True if a name can end here: only punctuation follows it in the word.
fn ends(behind: &str) -> bool {
    // Stops at the first deciding character: a message may be one word of a megabyte.
    let mut word = behind.chars().inspect(|_| step(1)).take_while(|c| !c.is_whitespace());
    word.all(|c| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '#'))
}

/// A passage of a file as it was when a message that refers to it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileExcerpt {
    pub file: String,
    /// First line, from 1.
    pub from: usize,
    /// Last line; less than `from` if there is none.
    pub to: usize,
    /// The number of lines of the file.
    pub of: usize,
    /// Each line with its number and a tab.
    pub text: String,
}

impl FileExcerpt {
    /// The referenced passage, truncated to `room` bytes.
    fn of(pointed: &FileReference, text: &str, room: usize) -> Self {
        let of = text.lines().count();
        let (from, to) = pointed.lines.unwrap_or((1, of));
        let (from, to) = (from.min(of.max(1)), to.min(of));
        let mut passage =
            Self { file: pointed.file.clone(), from, to: from.saturating_sub(1), of, text: String::new() };
        for (place, line) in text.lines().enumerate().take(to).skip(from - 1) {
            let line = format!("{}\t{line}\n", place + 1);
            if passage.text.len() + line.len() > room {
                break;
            }
            passage.text.push_str(&line);
            passage.to = place + 1;
        }
        passage
    }

    pub fn part(&self) -> MessagePart {
        PartBody::Json { value: json!({ "passage": self }) }.into()
    }

    /// Parses a passage from a message part.
    pub fn read(value: &Value) -> Option<Self> {
        json::from_tree(value.get("passage")?).ok()
    }

    /// The lines, such as `10-20`; empty if there are none.
    pub fn lines(&self) -> String {
        match self.to {
            to if to < self.from => String::new(),
            to if to == self.from => to.to_string(),
            to => format!("{}-{to}", self.from),
        }
    }
}

pub fn passages(text: &str, mind: &Mind) -> Vec<MessagePart> {
    let mut room = PASSAGES_BYTES;
    let mut parts = Vec::new();
    for one in references_in(text, mind.files.keys()) {
        if mind.files.get(&one.file).is_some_and(|file| file.image().is_some()) {
            continue;
        }
        let passage = FileExcerpt::of(&one, mind.file(&one.file).unwrap_or(""), room.min(PASSAGE_BYTES));
        room = room.saturating_sub(passage.text.len());
        parts.push(passage.part());
    }
    parts
}

pub fn images(text: &str, mind: &Mind) -> Vec<NewBlob> {
    let mut images: Vec<NewBlob> = Vec::new();
    for one in references_in(text, mind.files.keys()) {
        let image = mind.files.get(&one.file).and_then(MindFile::image);
        if let Some(image) = image.filter(|_| images.iter().all(|other| other.name != one.file)) {
            images.push(NewBlob {
                name: one.file,
                mime: image.mime.to_owned(),
                base64: image.base64.to_owned(),
            });
        }
    }
    images.truncate(IMAGES);
    images
}

pub fn passages_of(parts: &[MessagePart]) -> impl Iterator<Item = FileExcerpt> {
    parts.iter().filter_map(|part| {
        let PartBody::Json { value } = &part.body else { return None };
        FileExcerpt::read(value)
    })
}

#[cfg(test)]
mod tests;
