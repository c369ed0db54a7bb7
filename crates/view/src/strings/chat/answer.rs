//! Strings around answers: code, links, images.

use crate::language::{Text, text, tr};
use crate::strings::format::{count, listed, quoted};
use nexus_model::llm::StreamFaults;
use nexus_model::message::file_reference::FileExcerpt;
use nexus_text::invisible::reveal;

pub const COPIED: Text = Text("Code copied");
pub const NOT_COPIED: Text = Text("The browser blocked the clipboard. Select the code and copy it by hand.");
pub const TABLE: Text = Text("Show as table");
pub const TABLE_ALL: Text = Text("Show all as text");
pub const OPEN: Text = Text("Create file");
pub const OPEN_ABOUT: Text = Text("Save this code as a new file of the session");
pub const APPLY_ABOUT: Text =
    Text("Replace the text of a file with this code. Nothing changes until you apply it.");
pub const SAME: Text = Text("The file already has exactly this text.");
pub const NO_FILES: Text = Text("There is no file to apply this to. Create one instead.");
pub const LINK_TITLE: Text = Text("This link contains a long query");
pub const LINK_OPEN: Text = Text("Open link");
pub const PICTURE_GONE: Text = Text("the image is not on this device");

pub const ONLY_NAMED: Text =
    Text("No model supports AVIF: agents get only its name; pages and the preview can show it.");
pub const PICTURE_OPEN: Text = Text("Open in the preview");

texts! {
    pub fn link_asked(host: &str, characters: usize) =
        "Opening it sends {characters} characters to {host}, perhaps parts of this conversation. Open it only if you want that.";
    pub fn answered_by(model: &str) = "answered by {}", reveal(model);
}

pub fn passage(passage: &FileExcerpt) -> String {
    let of = count(passage.of, "line", "lines");
    match passage.lines() {
        lines if lines.is_empty() => text!("#{} · empty", passage.file),
        _ if passage.from == 1 && passage.to == passage.of => format!("#{} · {of}", passage.file),
        lines => text!("#{} · {lines} of {of}", passage.file),
    }
}

pub fn no_image_input(names: &[String]) -> String {
    let names = reveal(&listed(names));
    text!("The model of {names} does not take all attached files. It gets a note instead of those.")
}

pub fn unsupported_attachments(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    text!("Without {}: this model does not take such files.", reveal(&listed(&names)))
}

/// Parts of an answer that could not be used, one line for each kind.
pub fn faults(faults: StreamFaults) -> Vec<String> {
    let skipped = match faults.skipped {
        0 => None,
        1 => Some(text!("A part of this answer could not be read.")),
        some => Some(text!("{some} parts of this answer could not be read.")),
    };
    let repeated = (faults.repeated > 0).then(|| {
        text!("Parts of this answer arrived twice and were used once. The connection may repeat data.")
    });
    skipped.into_iter().chain(repeated).collect()
}

/// Why an image cannot be attached.
pub fn image_rejected(name: &str, reason: ImageError) -> (String, &'static str) {
    match reason {
        ImageError::Kind => (
            text!("“{name}” cannot be attached"),
            tr("Supported types are PNG, JPEG, WebP, GIF, AVIF and PDF. Save it as one of these."),
        ),
        ImageError::Size => (
            text!("“{name}” is larger than 5 MB"),
            tr("Make it smaller. Models see images at most about 2,000 pixels across."),
        ),
        ImageError::Unread => (text!("“{name}” could not be read"), tr("Choose the file again.")),
        ImageError::Number => (
            text!("“{name}” was not attached"),
            tr("A message has at most eight images and PDFs. Send the others with the next one."),
        ),
    }
}

/// Why an image cannot be attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    Kind,
    Size,
    Unread,
    Number,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_stream_fault_has_a_line() {
        assert!(faults(StreamFaults::default()).is_empty());
        let one = faults(StreamFaults { skipped: 1, repeated: 0 });
        assert_eq!(one, ["A part of this answer could not be read."]);
        let both = faults(StreamFaults { skipped: 3, repeated: 2 });
        assert_eq!(both.first().map(String::as_str), Some("3 parts of this answer could not be read."));
        assert_eq!(both.len(), 2);
    }
}
