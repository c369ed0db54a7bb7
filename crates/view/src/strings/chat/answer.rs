//! Strings around answers: code, links, images.

use crate::strings::format::{count, listed};
use nexus_model::llm::StreamFaults;
use nexus_model::message::file_reference::FileExcerpt;
use nexus_text::invisible::reveal;

pub const COPIED: &str = "The code is in the clipboard";
pub const NOT_COPIED: &str =
    "The browser did not let the code into the clipboard. Select it and copy it by hand.";
pub const TABLE: &str = "Show as table";
pub const TABLE_ALL: &str = "Show all as text";
pub const OPEN: &str = "Make the file";
pub const OPEN_ABOUT: &str = "Keep this code as a new file of the session";
pub const APPLY: &str = "Apply";
pub const APPLY_ABOUT: &str = "Replace a file's text by this code. Nothing changes until you apply it.";
pub const APPLY_TO: &str = "File";
pub const DISCARD: &str = "Discard";
pub const SAME: &str = "The file says exactly this already.";
pub const NO_FILES: &str = "There is no file yet to apply this to. Open it as a file instead.";
pub const READ_ONLY: &str = "Another tab works in this session; here it can only be read.";
pub const LINK_TITLE: &str = "This link carries more than a place";
pub const LINK_OPEN: &str = "Open it";
pub const LINK_LEAVE: &str = "Leave it";
pub const PICTURE_GONE: &str = "the picture is not on this device";

pub const ONLY_NAMED: &str =
    "AVIF is looked at by no model: agents are told its name, and pages and the preview can show it.";
pub const PICTURE_OPEN: &str = "Open in the preview";

/// What a link would tell whom.
pub fn link_asked(host: &str, characters: usize) -> String {
    format!(
        "To open it tells {host} everything that stands in it: {characters} characters, perhaps of this conversation. \
         Open it only if you want that."
    )
}

/// What a message brought along of a file.
pub fn passage(passage: &FileExcerpt) -> String {
    let of = count(passage.of, "line", "lines");
    match passage.lines() {
        lines if lines.is_empty() => format!("#{} · empty", passage.file),
        _ if passage.from == 1 && passage.to == passage.of => format!("#{} · {of}", passage.file),
        lines => format!("#{} · {lines} of {of}", passage.file),
    }
}

/// These agents think with models that take no pictures.
pub fn blind_to_images(names: &[String]) -> String {
    let names = reveal(&listed(names));
    format!(
        "Pictures are not looked at by the model of {names}. The message goes there without them, and says so."
    )
}

/// These pictures were asked about, and the model was not shown them.
pub fn unseen(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("“{name}”")).collect();
    format!("Without {}: this model does not look at pictures.", reveal(&listed(&names)))
}

/// What of an answer could not be used as it came; one line for each kind of fault.
pub fn faults(faults: StreamFaults) -> Vec<String> {
    let skipped = match faults.skipped {
        0 => None,
        1 => Some("A piece of this answer could not be read.".to_owned()),
        some => Some(format!("{some} pieces of this answer could not be read.")),
    };
    let repeated = (faults.repeated > 0).then(|| {
        "Parts of this answer came twice. Each was used once; the connection may repeat data.".to_owned()
    });
    skipped.into_iter().chain(repeated).collect()
}

/// Why an image cannot go with a message.
pub fn image_refused(name: &str, reason: ImageError) -> (String, &'static str) {
    match reason {
        ImageError::Kind => (
            format!("“{name}” cannot go along"),
            "What goes along is PNG, JPEG, WebP, GIF or AVIF. Save it as one of these.",
        ),
        ImageError::Size => (
            format!("“{name}” is larger than 5 MB"),
            "Make it smaller: models see no more than about two thousand points across.",
        ),
        ImageError::Unread => (format!("“{name}” could not be read"), "Choose the file once more."),
        ImageError::Number => (
            format!("“{name}” did not come along"),
            "A message carries eight images at most. Send the others with the next.",
        ),
    }
}

/// Why an image cannot go with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// It is of another kind than models look at.
    Kind,
    /// It is too large.
    Size,
    /// The browser could not read it.
    Unread,
    /// There are too many.
    Number,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_fault_of_a_stream_has_a_line() {
        assert!(faults(StreamFaults::default()).is_empty());
        let one = faults(StreamFaults { skipped: 1, repeated: 0 });
        assert_eq!(one, ["A piece of this answer could not be read."]);
        let both = faults(StreamFaults { skipped: 3, repeated: 2 });
        assert_eq!(both.first().map(String::as_str), Some("3 pieces of this answer could not be read."));
        assert_eq!(both.len(), 2);
    }
}
