//! Never looks anything up.
//!
//! Owns the words around what agents write: code, links, images.

use crate::domain::pointing::Passage;
use crate::domain::text::hidden::reveal;
use crate::ui::words::{count, listed};

pub(crate) const COPIED: &str = "The code is in the clipboard";
pub(crate) const NOT_COPIED: &str =
    "The browser did not let the code into the clipboard. Select it and copy it by hand.";
pub(crate) const TABLE: &str = "Show as table";
pub(crate) const TABLE_ALL: &str = "Show all as text";
pub(crate) const OPEN: &str = "Make the file";
pub(crate) const OPEN_ABOUT: &str = "Keep this code as a new file of the session";
pub(crate) const APPLY: &str = "Apply";
pub(crate) const APPLY_ABOUT: &str =
    "Replace a file's text by this code. Nothing changes until you apply it.";
pub(crate) const APPLY_TO: &str = "File";
pub(crate) const DISCARD: &str = "Discard";
pub(crate) const SAME: &str = "The file says exactly this already.";
pub(crate) const NO_FILES: &str = "There is no file yet to apply this to. Open it as a file instead.";
pub(crate) const READ_ONLY: &str = "Another tab works in this session; here it can only be read.";
pub(crate) const LINK_TITLE: &str = "This link carries more than a place";
pub(crate) const LINK_OPEN: &str = "Open it";
pub(crate) const LINK_LEAVE: &str = "Leave it";
pub(crate) const PICTURE_GONE: &str = "the picture is not on this device";

pub(crate) const ONLY_NAMED: &str =
    "AVIF is looked at by no model: agents are told its name, and pages and the preview can show it.";
pub(crate) const PICTURE_OPEN: &str = "Open in the preview";

/// What a link would tell whom.
pub(crate) fn link_asked(host: &str, characters: usize) -> String {
    format!(
        "To open it tells {host} everything that stands in it: {characters} characters, perhaps of this conversation. \
         Open it only if you want that."
    )
}

/// What a message brought along of a file.
pub(crate) fn passage(passage: &Passage) -> String {
    let of = count(passage.of, "line", "lines");
    match passage.lines() {
        lines if lines.is_empty() => format!("#{} · empty", passage.file),
        _ if passage.from == 1 && passage.to == passage.of => format!("#{} · {of}", passage.file),
        lines => format!("#{} · {lines} of {of}", passage.file),
    }
}

/// These agents think with models that take no pictures.
pub(crate) fn blind_to_images(names: &[String]) -> String {
    let names = reveal(&listed(names));
    format!(
        "Pictures are not looked at by the model of {names}. The message goes there without them, and says so."
    )
}

/// These pictures were asked about, and the model was not shown them.
pub(crate) fn unseen(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("“{name}”")).collect();
    format!("Without {}: this model does not look at pictures.", reveal(&listed(&names)))
}

/// Why an image cannot go with a message.
pub(crate) fn image_refused(name: &str, reason: ImageRefused) -> (String, &'static str) {
    match reason {
        ImageRefused::Kind => (
            format!("“{name}” cannot go along"),
            "What goes along is PNG, JPEG, WebP, GIF or AVIF. Save it as one of these.",
        ),
        ImageRefused::Size => (
            format!("“{name}” is larger than 5 MB"),
            "Make it smaller: models see no more than about two thousand points across.",
        ),
        ImageRefused::Unread => (format!("“{name}” could not be read"), "Choose the file once more."),
        ImageRefused::Number => (
            format!("“{name}” did not come along"),
            "A message carries eight images at most. Send the others with the next.",
        ),
    }
}

/// Why an image cannot go with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageRefused {
    /// It is of another kind than models look at.
    Kind,
    /// It is too large.
    Size,
    /// The browser could not read it.
    Unread,
    /// There are too many.
    Number,
}
