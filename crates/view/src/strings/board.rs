//! Strings of the board.

pub mod compare;
pub mod core_sync;
pub mod files;

use crate::strings::format::{ago, count};
use nexus_model::id::Millis;
use nexus_model::mind::image_file::ImageFile;

pub const PANE: &str = "Board";
pub const CATCH_UP: &str = "Recap";
pub const FACES: &str = "Board view";
pub const FACE_EDIT: &str = "Edit";
pub const FACE_COMPARE: &str = "Compare";
pub const FACE_MEMORIES: &str = "Memories";
pub const OBJECTIVE: &str = "Objective";
pub const OBJECTIVE_HINT: &str = "The goal of the work. Every agent reads it before it answers.";
pub const OBJECTIVE_HEIGHT: &str = "Height of the objective";
pub const SCRATCHPAD_HEIGHT: &str = "Height of the scratchpad";
pub const TEXTS_WIDTH: &str = "Width of objective and scratchpad";
pub const SCRATCHPAD: &str = "Scratchpad";
pub const SCRATCHPAD_HINT: &str = "Plan and notes shared by you and the agents.";
pub const FILES: &str = "Files";
pub const NO_FILES: &str = "No files yet. The agents create them as they work, or you add one.";
pub const NEW_FILE: &str = "New file";
pub const NEW_FILE_ABOUT: &str = "Create an empty file that the agents work on with you";
pub const ALL_FILES: &str = "All files";
pub const ALL_FILES_ABOUT: &str = "Open files from disk, browse folders, download, link a folder";
pub const FILE_NAME: &str = "File name";
pub const FILE_NAME_EXAMPLE: &str = "index.html";
pub const MAKE: &str = "Create";
pub const RENAME: &str = "Rename";
pub const DELETE: &str = "Delete";
pub const CANCEL: &str = "Cancel";
pub const NAME_EMPTY: &str = "Enter a name.";

pub const TYPING: &str = "editing";
pub const TYPING_ABOUT: &str =
    "The agents see your edit when you pause typing. They cannot overwrite it meanwhile.";
pub const CLASH: &str = "An agent changed the same lines while you typed.";
pub const CLASH_ADVICE: &str = "Both versions are in the text below: the current one above the =======, yours below it. Nothing is lost, and nothing is shared until you decide.";
pub const CLASH_KEEP: &str = "Mark as resolved";
pub const CLASH_THEIRS: &str = "Discard my changes";

pub fn name_taken(name: &str) -> String {
    format!("A file named {name} already exists.")
}

pub fn tab(name: &str, active: bool) -> String {
    if active { format!("{name}, the active file") } else { format!("Open {name} as the active file") }
}

pub fn editor(name: &str) -> String {
    format!("Text of {name}")
}

pub fn deleted(name: &str) -> String {
    format!("{name} is deleted.")
}

pub fn written(who: &str, at: Millis, now: Millis) -> String {
    format!("by {who}, {}", ago(at, now))
}

/// Lines and size of a text.
pub fn figures(text: &str) -> String {
    if let Some(image) = ImageFile::of(text) {
        return image.about();
    }
    format!("{} · {}", count(text.lines().count(), "line", "lines"), size(text.len()))
}

/// In the units that all sizes are told in.
fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// Strings of the file editor.
pub mod editor {
    use crate::strings::format::count;

    pub const TOOLS: &str = "Editor";
    pub const FIND: &str = "Find";
    pub const FIND_ABOUT: &str = "Find and replace (Ctrl + F)";
    pub const GO_TO: &str = "Go to line";
    pub const GO_TO_ABOUT: &str = "Go to a line (Ctrl + Alt + G)";
    pub const WRAP: &str = "Wrap";
    pub const WRAP_ABOUT: &str = "Wrap long lines";
    pub const LEAVE: &str = "Tab indents. Press Escape, then Tab to leave the editor.";

    pub const CLASH_NEXT: &str = "Next";
    pub const CLASH_NEXT_ABOUT: &str = "Go to the next conflict (F8)";
    pub const CLASH_MINE: &str = "Keep mine";
    pub const CLASH_THEIRS: &str = "Keep theirs";
    pub const CLASH_BOTH: &str = "Keep both";
    pub const CLASH_ABOUT: &str =
        "Both sides are in the text, marked. Nothing is lost, and nothing is shared until you decide.";

    /// What stands at the places themselves, by the names of `xtask/parts/clashes.js`.
    pub const AT_CLASH: &[(&str, &str)] = &[
        ("mine", CLASH_MINE),
        ("theirs", CLASH_THEIRS),
        ("both", CLASH_BOTH),
        ("now", "current text"),
        ("typed", "your text"),
    ];

    /// The words of the library's own fields, by its own.
    pub const PHRASES: &[(&str, &str)] = &[
        ("Find", "Find"),
        ("Replace", "Replace with"),
        ("next", "Next"),
        ("previous", "Previous"),
        ("all", "Select all"),
        ("match case", "Match case"),
        ("regexp", "Regex"),
        ("by word", "Whole words"),
        ("replace", "Replace"),
        ("replace all", "Replace all"),
        ("close", "Close"),
        ("Go to line", "Line"),
        ("go", "Go"),
    ];

    pub const LONG: &str = "The editor could not be loaded. A file of this length is read-only here, because a plain field would freeze the page at each key. The agents can still work on it.";
    pub const LONG_ANYWAY: &str = "Edit in a plain field";

    /// How many places clash.
    pub fn clashes(number: usize) -> String {
        match number {
            0 => "No conflicts left. Mark as resolved when the text is right.".to_owned(),
            _ => {
                format!(
                    "An agent changed the same lines while you typed: {}.",
                    count(number, "conflict", "conflicts")
                )
            }
        }
    }
}

/// Strings of the Core's merge proposals.
pub mod merge {
    use crate::strings::format::{Notice, count, money, tokens};
    use nexus_engine::merge_draft::AnsweredMerge;
    use nexus_model::mind::core_sync::NO_PATCH;
    use nexus_model::mind::merge::proposal::{MergeProposal, NoProposalReason};
    use nexus_model::provider::failure::ProviderError;

    pub const ASK: &str = "Ask the Core";
    pub const ASK_ABOUT: &str = "The Core reads both sides and proposes lines. Nothing is merged yet.";
    pub const CORE_WORKS: &str = "The Core is working in this session.";
    pub const STOP: &str = "Stop";
    pub const STOPPED: &str = "The Core was stopped.";
    pub const PROPOSED: &str = "Proposal of the Core";
    pub const OWN: &str = "Your own lines";
    pub const WRITE: &str = "Edit by hand";
    pub const WRITE_ABOUT: &str = "Starts with the lines of both sides";
    pub const TAKE: &str = "Use these lines";
    pub const TAKEN: &str = "These lines are merged.";
    pub const NOT_TAKEN: &str = "Not applied yet.";
    pub const CHANGED: &str = "Changed by you.";
    pub const NOTHING: &str = "No lines: leave this empty.";
    pub const NO_FILE: &str = "If it is empty, the file is removed.";
    pub const NO_REASON: &str = "No reason given.";

    /// The button that asks about all that is open.
    pub fn ask_all(open: usize) -> String {
        format!("Ask the Core about {}", count(open, "conflict", "conflicts"))
    }

    /// What it does.
    pub fn asking(clashes: usize) -> String {
        format!("The Core is reading {}…", count(clashes, "conflict", "conflicts"))
    }

    /// What came of a question.
    pub fn told(answered: &AnsweredMerge) -> String {
        let AnsweredMerge { proposal: proposed, model, usage, cost } = answered;
        let usage = match usage.total() {
            0 => String::new(),
            total => format!(" · {} tokens", tokens(total)),
        };
        let cost = cost.map_or_else(String::new, |cost| format!(" · about {}", money(cost)));
        let without = match proposed.without.len() {
            0 => String::new(),
            some => format!(", none for {some}"),
        };
        let count = count(proposed.proposals.len(), "proposal", "proposals");
        format!("{count}{without} · {model}{usage}{cost}")
    }

    /// Why there is no proposal for a clash.
    pub fn unfit(why: NoProposalReason) -> &'static str {
        match why {
            NoProposalReason::NoRoom => {
                "Not sent to the Core: it does not fit into its context window with the others."
            }
            NoProposalReason::Gone => "This was no longer a conflict when the Core was asked.",
            NoProposalReason::Missing => "The Core gave no answer for this.",
            NoProposalReason::Twice => "The Core gave several answers for this, so none is used.",
            NoProposalReason::Long => "The proposal is hidden: it is far longer than the conflict.",
            NoProposalReason::Marks => "The proposal is hidden: it contains conflict markers.",
            NoProposalReason::Hidden => "The proposal is hidden: it contains invisible characters.",
        }
    }

    /// Why it proposed nothing at all: `usual` says it of a model call.
    pub fn failed(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
        if failure.code.as_deref() == Some(NO_PATCH) {
            return Notice::new(
                "The Core proposed nothing",
                "Ask again, decide yourself, or choose another model for the Core in Settings.",
            );
        }
        usual()
    }

    /// The answer, for the feed.
    pub(crate) fn proposed(proposed: &MergeProposal) -> String {
        format!("The Core made {} for a merge", count(proposed.proposals.len(), "proposal", "proposals"))
    }
}

/// Strings of the preview.
pub mod preview {
    use crate::strings::format::{count, listed, size};
    use nexus_model::mind::preview::{PreviewState, PreviewStopReason};

    pub const FACE: &str = "Preview";
    pub const SEE: &str = "Run";
    pub const PANEL: &str = "Preview";
    pub const FILE: &str = "File";
    pub const AGAIN: &str = "Run again";
    pub const CONSOLE: &str = "Console";
    pub const QUIET: &str = "No output";
    pub const NONE: &str = "No preview available. HTML, SVG, Markdown and images can be previewed.";
    pub const RUN_SCRIPTS: &str = "Run scripts";
    pub const CHECKING: &str = "Checking sandbox support…";

    pub const NO_HEADERS: &str = "Scripts are off for safety: this host does not send the headers that fully isolate the preview. Scripts could still open WebRTC or bare connections to other hosts, but not load or send anything else.";
    pub const OTHER_BROWSER: &str = "Scripts are off for safety: this browser is not known to fully isolate the preview. Scripts could still open WebRTC or bare connections to other hosts, but not load or send anything else. In some browsers an infinite loop also freezes Nexus.";

    pub const PICTURES: &str = "Images in messages";
    pub const FIT: &str = "Fit";
    pub const FULL: &str = "100 %";
    pub const ZOOM: &str = "Image size";
    pub const BROKEN: &str = "This browser cannot show the image: it is damaged or of an unsupported type.";

    /// A picture in the list.
    pub fn picture(name: &str, bytes: u64, waits: bool) -> String {
        let waits = if waits { " · not sent yet" } else { "" };
        format!("{name} · {}{waits}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
    }

    /// What a picture is: its points, where the browser has told them, its kind and its size.
    pub fn about_picture(points: Option<(u32, u32)>, mime: &str, bytes: u64) -> String {
        let points = points.map(|(width, height)| format!("{width} × {height} · ")).unwrap_or_default();
        let kind = mime.strip_prefix("image/").unwrap_or(mime).to_uppercase();
        format!("{points}{kind} · {}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
    }

    /// Where a preview stands.
    pub fn state(state: PreviewState) -> &'static str {
        match state {
            PreviewState::Loading => "loading",
            PreviewState::Running => "running",
            PreviewState::ScriptsOff => "scripts are off",
            PreviewState::Still => "shown",
            PreviewState::Stopped(_) => "stopped",
        }
    }

    /// Why a page was stopped.
    pub fn stopped(cause: PreviewStopReason) -> &'static str {
        match cause {
            PreviewStopReason::Silent => {
                "Stopped: the page did not respond for 2 seconds, probably because of an infinite loop."
            }
            PreviewStopReason::Flood => "Stopped: the page sent too many messages.",
            PreviewStopReason::Left => "Stopped: the page tried to navigate away or reload itself.",
            PreviewStopReason::Absent => "The preview document could not be loaded. Is the connection down?",
        }
    }

    /// The files that a page names and that are not there.
    pub fn missing(files: &[String]) -> String {
        format!("Not in this session: {}.", listed(files))
    }

    /// A link that leads out.
    pub fn no_way(address: &str) -> String {
        format!("The link to {address} leads outside the files of this session.")
    }

    /// Lines that are no longer shown.
    pub fn dropped(lines: u64) -> String {
        format!(
            "{} not shown",
            count(usize::try_from(lines).unwrap_or(usize::MAX), "earlier line", "earlier lines")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_count_lines_as_people_do() {
        assert_eq!(figures(""), "0 lines · 0 B");
        assert_eq!(figures("a"), "1 line · 1 B");
        assert_eq!(figures("a\nb\n"), "2 lines · 4 B");
        assert_eq!(figures(&"x".repeat(1536)), "1 line · 1.5 kB");
    }
}
