//! Strings of message actions, conversation search, pins, quotes and notifications.

use crate::notification::NotificationReason;
use crate::strings::format::tokens;
use nexus_model::run::RunStatus;
use nexus_text::invisible::reveal;

pub const TOOLS: &str = "Conversation tools";
pub const FIND: &str = "Find in conversation";
pub const FIND_ABOUT: &str = "Find in conversation (Ctrl+Shift+F)";
pub const FIND_FIELD: &str = "Search messages and tool calls";
pub const FIND_NEXT: &str = "Next (Enter)";
pub const FIND_BACK: &str = "Previous (Shift+Enter)";
pub const FIND_CASE: &str = "Match case";
pub const FIND_CLOSE: &str = "Close (Esc)";
pub const PINS: &str = "Pinned messages";
pub const PINS_CLOSE: &str = "Close pinned messages";
pub const ACTS: &str = "Message actions";
pub const COPY: &str = "Copy as Markdown";
pub const QUOTE: &str = "Quote in message";
pub const PIN: &str = "Pin";
pub const UNPIN: &str = "Unpin";
pub const DELETE: &str = "Delete message…";
pub const DELETE_SURE: &str = "Delete now (cannot be undone)";
pub const DELETE_ABOUT: &str = "Its text and images leave the screen, the search and everything that agents are sent from now on. Summaries and memories made of it stay, and so does the event log.";
pub const DELETED: &str = "This message was deleted.";
pub const MORE: &str = "More";
pub const INSPECT: &str = "Inspect this turn";
pub const TO_MESSAGE: &str = "↑ To the message";
pub const TO_CHANGE: &str = "Last change";
pub const TO_CHANGE_ABOUT: &str = "Go to the tool call that changed this file last";
pub const COPIED: &str = "Message copied";
pub const NOT_COPIED: &str = "The browser blocked the clipboard";
pub const NOT_COPIED_ADVICE: &str = "Select the text and copy it by hand.";
pub const SAYS_NOTHING: &str = "This message has no text";
pub const QUOTE_CUT: &str = "The quote was shortened";
pub const GONE: &str = "Not in this conversation";
pub const GONE_ADVICE: &str = "It may be on another branch, or hidden.";
pub const NO_CHANGE: &str = "No tool call in this conversation changed this file";
pub const NO_CHANGE_ADVICE: &str = "You may have written it, or it came from disk.";
pub const YOU: &str = "You";
pub const NEXUS: &str = "Nexus";
pub const ASK: &str = "Ask about this";
pub const ASK_KEY: &str = "Alt+Q";

pub const BOARD: &str = "Board";

pub fn ask(agent: &str) -> String {
    format!("Ask {}", reveal(agent))
}

pub fn open_file(name: &str) -> String {
    format!("Open {}", reveal(name))
}

pub fn no_file(name: &str) -> String {
    format!("The file “{}” no longer exists", reveal(name))
}

pub fn to_tool(tool: &str, about: &str) -> String {
    let about = reveal(about);
    if about.is_empty() {
        format!("Go to {}", reveal(tool))
    } else {
        format!("Go to {}: {about}", reveal(tool))
    }
}

/// Who is quoted where a tool is.
pub fn of_tool(tool: &str, agent: &str) -> String {
    format!("{} ({})", reveal(tool), reveal(agent))
}

pub fn quote_cut(most: usize) -> String {
    format!("Only the first {} characters are quoted.", tokens(u64::try_from(most).unwrap_or(u64::MAX)))
}

/// Where a search stands: `3 of 17`.
pub fn found(at: Option<usize>, count: usize, more: bool) -> String {
    let so_far = if more { " so far" } else { "" };
    match (at, count) {
        (Some(at), _) => format!("{} of {count}{so_far}", at.saturating_add(1)),
        (None, 0) if more => "Searching earlier turns…".to_owned(),
        (None, 0) => "No results".to_owned(),
        (None, _) => format!("{count}{so_far}"),
    }
}

/// What a desktop sign says: a title and a line.
pub fn call(need: NotificationReason, label: &str) -> (String, &'static str) {
    let label = reveal(label);
    match need {
        NotificationReason::Approval => {
            (format!("{label}: approval needed"), "A tool call needs your approval.")
        }
        NotificationReason::Pause => (format!("{label}: the run is paused"), "Resume or end it."),
        NotificationReason::Question => {
            (format!("{label}: a question for you"), "The agents are done and asked a question.")
        }
        NotificationReason::Ended(RunStatus::Failed | RunStatus::TimedOut) => {
            (format!("{label}: the run failed"), "Open it to see the error.")
        }
        NotificationReason::Ended(
            RunStatus::Queued
            | RunStatus::Running
            | RunStatus::Paused
            | RunStatus::Completed
            | RunStatus::Cancelled,
        ) => (format!("{label}: the agents are done"), "Their work is on the board."),
    }
}

/// What the settings say about being called back.
pub mod settings {
    pub const CALLS: &str = "Notifications";
    pub const CALLS_ABOUT: &str = "While this tab is hidden, Nexus can notify you when an agent needs approval, a run pauses, or a run ends.";
    pub const HEAR: &str = "Test sound";
    pub const REFUSED: &str = "The browser blocks notifications from this page. Allow them in the browser settings for this site, then turn this on again.";
    pub const NONE: &str = "This browser does not support notifications.";
    pub const NO_SOUND: &str = "This browser cannot play sound on this page.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_says_where_it_stands() {
        assert_eq!(found(Some(2), 17, false), "3 of 17");
        assert_eq!(found(Some(0), 2, true), "1 of 2 so far");
        assert_eq!(found(None, 0, true), "Searching earlier turns…");
        assert_eq!(found(None, 0, false), "No results");
    }

    #[test]
    fn a_call_names_the_session_and_nothing_else() {
        let (title, line) = call(NotificationReason::Ended(RunStatus::Failed), "Main");
        assert!(title.starts_with("Main: ") && !line.is_empty());
        assert!(!call(NotificationReason::Pause, "a\u{202e}b").0.contains('\u{202e}'));
    }
}
