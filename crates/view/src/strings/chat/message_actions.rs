//! Strings of message actions, conversation search, pins, quotes and notifications; and of what is around answers:
//! code, links, images.

use crate::run_summary::notification::NotificationReason;
use crate::strings::format::quoted;
use crate::strings::prelude::*;
use nexus_model::llm::StreamFaults;
use nexus_model::message::file_reference::FileExcerpt;

pub const TOOLS: Text = Text("Conversation tools");
pub const FIND: Text = Text("Find in conversation");
pub const FIND_ABOUT: Text = Text("Find in conversation (Ctrl+Shift+F)");
pub const FIND_FIELD: Text = Text("Search messages and tool calls");
pub const FIND_NEXT: Text = Text("Next (Enter)");
pub const FIND_BACK: Text = Text("Previous (Shift+Enter)");
pub const FIND_CASE: Text = Text("Match case");
pub const FIND_CLOSE: Text = Text("Close (Esc)");
pub const PINS_CLOSE: Text = Text("Close pinned messages");
pub const ACTS: Text = Text("Message actions");
pub const COPY: Text = Text("Copy as Markdown");
pub const QUOTE: Text = Text("Quote in message");
pub const DELETE: Text = Text("Delete message…");
pub const DELETE_SURE: Text = Text("Delete now (cannot be undone)");
pub const DELETE_ABOUT: Text = Text(
    "Its text and images leave the screen, the search and everything that agents are sent from now on. Summaries and memories made of it stay, and so does the event log.",
);
pub const DELETED: Text = Text("This message was deleted.");
pub const MORE: Text = Text("More");
pub const INSPECT: Text = Text("Inspect this turn");
pub const TO_MESSAGE: Text = Text("↑ To the message");
pub const TO_CHANGE: Text = Text("Last change");
pub const TO_CHANGE_ABOUT: Text = Text("Go to the tool call that changed this file last");
pub const COPIED: Text = Text("Message copied");
pub const NOT_COPIED: Text = Text("The browser blocked the clipboard");
pub const NOT_COPIED_ADVICE: Text = Text("Select the text and copy it by hand.");
pub const SAYS_NOTHING: Text = Text("This message has no text");
pub const QUOTE_CUT: Text = Text("The quote was shortened");
pub const GONE: Text = Text("Not in this conversation");
pub const GONE_ADVICE: Text = Text("It may be on another branch, or hidden.");
pub const NO_CHANGE: Text = Text("No tool call in this conversation changed this file");
pub const NO_CHANGE_ADVICE: Text = Text("You may have written it, or it came from disk.");
pub const ASK: Text = Text("Ask about this");
pub const ASK_KEY: Text = Text("Alt+Q");

texts! {
    pub fn ask(agent: &str) = "Ask {}", reveal(agent);
    pub fn open_file(name: &str) = "Open {}", reveal(name);
    pub fn no_file(name: &str) = "The file “{}” no longer exists", reveal(name);
    pub fn quote_cut(most: usize) =
        "Only the first {} characters are quoted.", tokens(u64::try_from(most).unwrap_or(u64::MAX));
}

pub fn to_tool(tool: &str, about: &str) -> String {
    let about = reveal(about);
    if about.is_empty() { text!("Go to {}", reveal(tool)) } else { text!("Go to {}: {about}", reveal(tool)) }
}

/// Author of a quote from a tool.
pub fn of_tool(tool: &str, agent: &str) -> String {
    format!("{} ({})", reveal(tool), reveal(agent))
}

/// Position in the search results: `3 of 17`.
pub fn found(at: Option<usize>, count: usize, more: bool) -> String {
    let so_far = if more { tr(" so far") } else { "" };
    match (at, count) {
        (Some(at), _) => text!("{} of {count}{so_far}", at.saturating_add(1)),
        (None, 0) if more => text!("Searching earlier turns…"),
        (None, 0) => text!("No results"),
        (None, _) => format!("{count}{so_far}"),
    }
}

/// A desktop notification about the session with this label.
pub fn call(need: NotificationReason, label: &str) -> Notice {
    notification(need, &reveal(label))
}

pub mod settings {
    use crate::strings::prelude::*;

    pub const CALLS: Text = Text("Notifications");
    pub const CALLS_ABOUT: Text = Text(
        "While this tab is hidden, Nexus can notify you when an agent needs approval, a run pauses, or a run ends.",
    );
    pub const HEAR: Text = Text("Test sound");
    pub const REFUSED: Text = Text(
        "The browser blocks notifications from this page. Allow them in the browser settings for this site, then turn this on again.",
    );
    pub const NONE: Text = Text("This browser does not support notifications.");
    pub const NO_SOUND: Text = Text("This browser cannot play sound on this page.");
}

pub const CODE_COPIED: Text = Text("Code copied");
pub const CODE_NOT_COPIED: Text =
    Text("The browser blocked the clipboard. Select the code and copy it by hand.");
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

    fn notification(need: NotificationReason, label: &str) -> Notice {
        NotificationReason::Approval => "{label}: approval needed", "A tool call needs your approval.";
        NotificationReason::Pause => "{label}: the run is paused", "Resume or end it.";
        NotificationReason::Question => "{label}: a question for you",
            "The agents are done and asked a question.";
        NotificationReason::Ended(RunStatus::Failed) => "{label}: the run failed", "Open it to see the error.";
        NotificationReason::Ended(_) => "{label}: the agents are done", "Their work is on the board.";
    }

    pub fn image_rejected(reason: ImageError, name: &str) -> Notice {
        ImageError::Kind => "“{name}” cannot be attached",
            "Supported types are PNG, JPEG, WebP, GIF, AVIF and PDF. Save it as one of these.";
        ImageError::Size => "“{name}” is larger than 5 MB",
            "Make it smaller. Models see images at most about 2,000 pixels across.";
        ImageError::Unread => "“{name}” could not be read", "Choose the file again.";
        ImageError::Number => "“{name}” was not attached",
            "A message has at most eight images and PDFs. Send the others with the next one.";
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    Kind,
    Size,
    Unread,
    Number,
}

#[cfg(test)]
mod tests;
