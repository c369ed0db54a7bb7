//! Strings of message actions, conversation search, pins, quotes and notifications.

use crate::notification::NotificationReason;
use crate::strings::format::tokens;
use nexus_model::run::RunStatus;
use nexus_text::invisible::reveal;

pub const TOOLS: &str = "The conversation";
pub const FIND: &str = "Find in the conversation";
pub const FIND_ABOUT: &str = "Find in the conversation (Ctrl+Shift+F)";
pub const FIND_FIELD: &str = "Find what was said, and what tools were asked and answered";
pub const FIND_NEXT: &str = "Next (Enter)";
pub const FIND_BACK: &str = "Back (Shift+Enter)";
pub const FIND_CASE: &str = "Only in this case";
pub const FIND_CLOSE: &str = "Close (Esc)";
pub const PINS: &str = "Pinned messages";
pub const PINS_CLOSE: &str = "Close the list of pinned messages";
pub const ACTS: &str = "What can be done with this message";
pub const COPY: &str = "Copy as Markdown";
pub const QUOTE: &str = "Quote in your message";
pub const PIN: &str = "Pin";
pub const UNPIN: &str = "Take the pin off";
pub const MORE: &str = "More";
pub const INSPECT: &str = "Inspect this turn";
pub const TO_MESSAGE: &str = "↑ The message";
pub const TO_CHANGE: &str = "Last change";
pub const TO_CHANGE_ABOUT: &str = "Go to the tool call that changed this file last";
pub const COPIED: &str = "The message is in the clipboard";
pub const NOT_COPIED: &str = "The browser does not let this page use the clipboard";
pub const NOT_COPIED_ADVICE: &str = "Select the text and copy it by hand.";
pub const SAYS_NOTHING: &str = "There is no text in this message";
pub const QUOTE_CUT: &str = "The quotation was cut";
pub const GONE: &str = "This is not in the thread that is shown";
pub const GONE_ADVICE: &str = "It may stand in another branch, or be hidden.";
pub const NO_CHANGE: &str = "No tool call in this thread changed this file";
pub const NO_CHANGE_ADVICE: &str = "You may have written it, or it came from disk.";
pub const YOU: &str = "You";
pub const NEXUS: &str = "Nexus";
pub const ASK: &str = "Ask about this";
pub const ASK_KEY: &str = "Alt+Q";

pub const BOARD: &str = "The board";

pub fn ask(agent: &str) -> String {
    format!("Ask {}", reveal(agent))
}

pub fn open_file(name: &str) -> String {
    format!("Open {}", reveal(name))
}

pub fn no_file(name: &str) -> String {
    format!("There is no file “{}” any more", reveal(name))
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
    format!("It holds the first {} characters.", tokens(u64::try_from(most).unwrap_or(u64::MAX)))
}

/// Where a search stands: `3 of 17`.
pub fn found(at: Option<usize>, count: usize, more: bool) -> String {
    let so_far = if more { " so far" } else { "" };
    match (at, count) {
        (Some(at), _) => format!("{} of {count}{so_far}", at.saturating_add(1)),
        (None, 0) if more => "Looking further back…".to_owned(),
        (None, 0) => "Nothing found".to_owned(),
        (None, _) => format!("{count}{so_far}"),
    }
}

/// What a desktop sign says: a title and a line.
pub fn call(need: NotificationReason, label: &str) -> (String, &'static str) {
    let label = reveal(label);
    match need {
        NotificationReason::Approval => {
            (format!("{label}: an agent asks you"), "A tool waits for your word.")
        }
        NotificationReason::Pause => (format!("{label}: the run waits"), "It goes on when you say so."),
        NotificationReason::Question => {
            (format!("{label}: a question for you"), "The agents are done, and asked something.")
        }
        NotificationReason::Ended(RunStatus::Failed | RunStatus::TimedOut) => {
            (format!("{label}: the run failed"), "Look at what went wrong.")
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
    pub const CALLS: &str = "Calling you back";
    pub const CALLS_ABOUT: &str =
        "While this tab is hidden, Nexus can call you when an agent asks you, a run waits, or a run ends.";
    pub const HEAR: &str = "Hear it";
    pub const REFUSED: &str = "The browser does not let this page notify you. Allow notifications for it in the browser's own settings of this site, then switch this on again.";
    pub const NONE: &str = "This browser has no notifications for pages.";
    pub const NO_SOUND: &str = "This browser plays no sound for this page.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_says_where_it_stands() {
        assert_eq!(found(Some(2), 17, false), "3 of 17");
        assert_eq!(found(Some(0), 2, true), "1 of 2 so far");
        assert_eq!(found(None, 0, true), "Looking further back…");
        assert_eq!(found(None, 0, false), "Nothing found");
    }

    #[test]
    fn a_call_names_the_session_and_nothing_else() {
        let (title, line) = call(NotificationReason::Ended(RunStatus::Failed), "Main");
        assert!(title.starts_with("Main: ") && !line.is_empty());
        assert!(!call(NotificationReason::Pause, "a\u{202e}b").0.contains('\u{202e}'));
    }
}
