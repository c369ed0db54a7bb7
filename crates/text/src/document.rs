//! Reads the text of word processor documents, DOCX and ODT, as Markdown: headings, paragraphs, lists, tables.
//!
//! Takes the XML of the document's body. Omits formatting, pictures, comments and deleted text.

use crate::zip::{ZipEntry, entry};

/// The archive entry with the body of a document of this name; `None` if it is no such document.
pub fn body_of<'a>(name: &str, archive: &'a [u8]) -> Option<ZipEntry<'a>> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "docx" => entry(archive, "word/document.xml"),
        "odt" => entry(archive, "content.xml"),
        _ => None,
    }
}

/// The file name for the text of a document: `report.docx` becomes `report.md`.
pub fn text_name(name: &str) -> String {
    format!("{}.md", name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

pub fn text_of(xml: &str) -> String {
    let mut reading = DocumentReader::default();
    let mut rest = xml;
    while let Some((text, behind)) = rest.split_once('<') {
        reading.text(text);
        let (tag, behind) = if let Some(comment) = behind.strip_prefix("!--") {
            ("", comment.split_once("-->").map_or("", |(_, behind)| behind))
        } else if let Some(data) = behind.strip_prefix("![CDATA[") {
            let (data, behind) = data.split_once("]]>").unwrap_or((data, ""));
            reading.push(data);
            ("", behind)
        } else {
            split_tag(behind)
        };
        reading.tag(tag);
        rest = behind;
    }
    reading.finish()
}

/// A tag without its brackets, and the text after it. A bracket in a quoted value ends no tag.
fn split_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or("")),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some(_), _) => {}
        }
    }
    ("", "")
}

fn value<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}="))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

fn resolved(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let named = behind.split_once(';').and_then(|(name, behind)| Some((sign(name)?, behind)));
        let (sign, behind) = named.unwrap_or(('&', behind));
        out.push(sign);
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn sign(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

/// Deleted, moved and annotated text, and instructions of fields. In drawings, the fallback for other programs.
const HIDDEN: [&str; 6] =
    ["w:del", "w:moveFrom", "mc:Fallback", "text:tracked-changes", "office:annotation", "text:note"];

#[derive(Default)]
struct DocumentReader {
    out: String,
    line: String,
    heading: Option<usize>,
    /// The nesting depth of the list that it is an item of.
    list: Option<usize>,
    /// The number of open lists, in documents with list elements.
    lists: usize,
    /// The number of open elements whose text is ignored.
    hidden: usize,
    /// The number of open elements whose text belongs to the document.
    spoken: usize,
    /// The cells of the current table row; tables within one are read as its text.
    row: Option<Vec<String>>,
    tables: usize,
    rows: usize,
    was_item: bool,
}

impl DocumentReader {
    fn text(&mut self, text: &str) {
        if self.spoken > 0 {
            self.push(&resolved(text));
        }
    }

    fn push(&mut self, text: &str) {
        if self.hidden == 0 {
            // A paragraph is one line here; its line breaks are elements.
            self.line.extend(text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        }
    }

    fn tag(&mut self, tag: &str) {
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next();
        let name = name.unwrap_or_default();
        if !is_end {
            self.open(name, tag);
        }
        if is_end || tag.ends_with('/') {
            self.close(name);
        }
    }

    fn open(&mut self, name: &str, tag: &str) {
        match name {
            hidden if HIDDEN.contains(&hidden) => self.hidden += 1,
            "w:t" | "text:p" => self.spoken += 1,
            "text:h" => {
                self.spoken += 1;
                let level = value(tag, "text:outline-level").and_then(|level| level.parse().ok());
                self.heading = Some(level.unwrap_or(1));
            }
            "w:tab" | "text:tab" => self.push("\t"),
            // A line break within a paragraph becomes one of Markdown.
            "w:br" | "w:cr" | "text:line-break" if self.hidden == 0 && self.row.is_none() => {
                self.line.push_str("  \n")
            }
            "w:br" | "w:cr" | "text:line-break" => self.push(" "),
            "text:s" => {
                let count = value(tag, "text:c").and_then(|count| count.parse().ok()).unwrap_or(1usize);
                self.push(&" ".repeat(count.min(80)));
            }
            "w:pStyle" => self.heading = self.heading.or_else(|| value(tag, "w:val").and_then(heading_of)),
            "w:outlineLvl" => {
                let level = value(tag, "w:val").and_then(|level| level.parse::<usize>().ok());
                self.heading = self.heading.or(level.filter(|level| *level < 9).map(|level| level + 1));
            }
            "w:ilvl" => self.list = value(tag, "w:val").and_then(|level| level.parse().ok()),
            // Explicitly no list, although the style would make one.
            "w:numId" if value(tag, "w:val") == Some("0") => self.list = None,
            "w:numId" => self.list = self.list.or(Some(0)),
            "text:list" => self.lists += 1,
            "text:list-item" => self.list = Some(self.lists.saturating_sub(1)),
            "w:tbl" | "table:table" => {
                self.tables += 1;
                if self.tables == 1 {
                    self.rows = 0;
                    self.gap();
                }
            }
            "w:tr" | "table:table-row" if self.tables == 1 => self.row = Some(Vec::new()),
            "w:tc" | "table:table-cell" if self.tables == 1 => {
                if let Some(row) = &mut self.row {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            hidden if HIDDEN.contains(&hidden) => self.hidden = self.hidden.saturating_sub(1),
            "w:t" => self.spoken = self.spoken.saturating_sub(1),
            "w:p" => self.paragraph(),
            "text:p" | "text:h" => {
                self.spoken = self.spoken.saturating_sub(1);
                self.paragraph();
            }
            "text:list" => self.lists = self.lists.saturating_sub(1),
            "w:tbl" | "table:table" => self.tables = self.tables.saturating_sub(1),
            "w:tr" | "table:table-row" if self.tables == 1 => self.end_row(),
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        // A note stays within the paragraph that it is about.
        if self.hidden > 0 {
            return;
        }
        let (line, heading, list) = (std::mem::take(&mut self.line), self.heading.take(), self.list.take());
        let line = line.trim_end();
        if line.trim().is_empty() {
            return;
        }
        if let Some(row) = &mut self.row {
            if let Some(cell) = row.last_mut() {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(line.trim());
            }
            return;
        }
        // Items of one list are adjacent, everything else is a paragraph of its own.
        if !(self.was_item && list.is_some()) {
            self.gap();
        }
        match (heading, list) {
            (Some(level), _) => self.out.push_str(&format!("{} ", "#".repeat(level.clamp(1, 6)))),
            (None, Some(depth)) => self.out.push_str(&format!("{}- ", "  ".repeat(depth.min(8)))),
            (None, None) => {}
        }
        self.out.push_str(line.trim_start());
        self.out.push('\n');
        self.was_item = list.is_some() && heading.is_none();
    }

    fn end_row(&mut self) {
        let Some(row) = self.row.take() else { return };
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        self.out.push_str(&format!("| {} |\n", cells.join(" | ")));
        if self.rows == 0 {
            self.out.push_str(&format!("|{}\n", " --- |".repeat(cells.len())));
        }
        self.rows += 1;
        self.was_item = false;
    }

    /// Adds a blank line between separate blocks.
    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn finish(mut self) -> String {
        self.paragraph();
        self.out
    }
}

/// The level of a heading style: `Heading2`, `Title`, or as in other languages of Word, `berschrift2`.
fn heading_of(style: &str) -> Option<usize> {
    let named = style.trim_end_matches(|c: char| c.is_ascii_digit());
    let level = style.get(named.len()..).and_then(|level| level.parse().ok());
    match named.to_ascii_lowercase().as_str() {
        "title" | "titel" => Some(1),
        "heading" | "berschrift" | "überschrift" | "titre" | "ttulo" | "titolo" => level,
        _ => None,
    }
}

#[cfg(test)]
mod tests;
