//! File names of a session: sanitising, unique names, the folder tree, and text detection.

use crate::limits::FILE_NAME_BYTES;
use nexus_text::{shorten::first_bytes, small_sort::SmallSort as _};

/// Turns a path from outside into a file name without path components that leave the session; `None` if nothing is
/// left.
pub fn label(raw: &str) -> Option<String> {
    let clean: String =
        raw.chars().map(|c| if c == '\\' { '/' } else { c }).filter(|c| !c.is_control()).collect();
    let segments: Vec<&str> =
        clean.split('/').map(str::trim).filter(|segment| !matches!(*segment, "" | "." | "..")).collect();
    let name = shortened(&segments.join("/"));
    (!name.is_empty()).then_some(name)
}

/// Truncates a name to [`FILE_NAME_BYTES`], keeping the extension.
fn shortened(name: &str) -> String {
    if name.len() <= FILE_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, extension) = split(name);
    let extension = if extension.len() > 16 { "" } else { extension };
    with_end(stem, extension)
}

/// The stem with an end, within [`FILE_NAME_BYTES`].
fn with_end(stem: &str, end: &str) -> String {
    let stem = first_bytes(stem, FILE_NAME_BYTES.saturating_sub(end.len()));
    format!("{}{end}", stem.trim_end_matches(['/', ' ']))
}

/// Splits off the extension with its dot; only the last segment has one.
fn split(name: &str) -> (&str, &str) {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let dot = name.get(file..).and_then(|file| file.rfind('.')).filter(|dot| *dot > 0);
    match dot {
        Some(dot) => name.split_at(file + dot),
        None => (name, ""),
    }
}

/// A free name like this one: `a.txt`, `a-2.txt`, `a-3.txt` …
pub fn beside(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let (stem, extension) = split(name);
    let others = (2u32..).map(|number| with_end(stem, &format!("-{number}{extension}")));
    std::iter::once(name.to_owned()).chain(others).find(|name| !is_taken(name)).unwrap_or_default()
}

/// The text of a file; `None` for binary data: text is UTF-8 without NUL and with at most 2 % control characters.
pub fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    let controls =
        text.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}'));
    (controls.count() * 50 <= text.chars().count()).then_some(text)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileTreeRow {
    pub depth: usize,
    pub label: String,
    /// The whole name of a file, or the path of a folder without a trailing slash.
    pub name: String,
    pub is_folder: bool,
}

/// The files as tree rows: folders first, then files, each ignoring case.
fn tree<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<FileTreeRow> {
    let mut all: Vec<(Vec<&str>, &String)> =
        names.into_iter().map(|name| (name.split('/').collect(), name)).collect();
    all.small_sort_by(|(one, _), (other, _)| sort_key(one).cmp(&sort_key(other)));
    let mut rows = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (segments, name) in all {
        let Some((file, folders)) = segments.split_last() else { continue };
        let common = open.iter().zip(folders).take_while(|(one, other)| one == other).count();
        open.truncate(common);
        for folder in folders.iter().skip(common) {
            open.push(folder);
            let (depth, label) = (open.len() - 1, (*folder).to_owned());
            rows.push(FileTreeRow { depth, label, name: open.join("/"), is_folder: true });
        }
        let (depth, label) = (folders.len(), (*file).to_owned());
        rows.push(FileTreeRow { depth, label, name: name.clone(), is_folder: false });
    }
    rows
}

/// Folders sort before files, ignoring case; the exact name breaks ties.
fn sort_key<'n>(segments: &[&'n str]) -> Vec<(bool, String, &'n str)> {
    let last = segments.len().saturating_sub(1);
    segments
        .iter()
        .enumerate()
        .map(|(place, segment)| (place == last, segment.to_lowercase(), *segment))
        .collect()
}

/// The rows of the files that contain the search words, even in collapsed folders; without words, the rows outside
/// these.
pub fn matching_rows(names: &[String], search: &str, folded: &[String]) -> Vec<FileTreeRow> {
    let search = search.trim().to_lowercase();
    let mut rows = tree(names.iter().filter(|name| name.to_lowercase().contains(&search)));
    rows.retain(|row| !search.is_empty() || !is_hidden(row, folded));
    rows
}

/// True if a row is inside a collapsed folder.
fn is_hidden(row: &FileTreeRow, folded: &[String]) -> bool {
    let within = |folder: &String| row.name.strip_prefix(folder.as_str());
    folded.iter().filter_map(within).any(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
