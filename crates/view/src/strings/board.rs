//! Strings of the board.

pub mod compare;
pub mod core_sync;
pub mod files;

use crate::strings::format::{ago, count};
use nexus_model::id::Millis;

pub const PANE: &str = "Context board";
pub const CATCH_UP: &str = "Catch me up";
pub const FACES: &str = "What the board shows";
pub const FACE_EDIT: &str = "Edit";
pub const FACE_COMPARE: &str = "Compare";
pub const FACE_MEMORIES: &str = "Memories";
pub const OBJECTIVE: &str = "Primary directive";
pub const OBJECTIVE_HINT: &str = "What the work is for. Every agent reads it before it speaks.";
pub const SCRATCHPAD: &str = "Scratchpad";
pub const SCRATCHPAD_HINT: &str = "Plan and notes that you and the agents share.";
pub const FILES: &str = "Files";
pub const NO_FILES: &str = "No files yet. The agents make them as they work, or you start one.";
pub const NEW_FILE: &str = "New file";
pub const NEW_FILE_ABOUT: &str = "Make an empty file that the agents work on with you";
pub const ALL_FILES: &str = "All files";
pub const ALL_FILES_ABOUT: &str = "Open files from disk, see folders, download, tie a folder";
pub const FILE_NAME: &str = "File name";
pub const FILE_NAME_EXAMPLE: &str = "index.html";
pub const MAKE: &str = "Make";
pub const RENAME: &str = "Rename";
pub const DELETE: &str = "Delete";
pub const CANCEL: &str = "Cancel";
pub const NAME_EMPTY: &str = "Give it a name.";

pub const TYPING: &str = "being typed";
pub const TYPING_ABOUT: &str =
    "Yours until you pause; then the agents see it. Nothing they write replaces it meanwhile.";
pub const CLASH: &str = "An agent changed the same lines while you typed.";
pub const CLASH_ADVICE: &str = "Both are in the text below: what stands there now above the =======, yours under it. Nothing is lost and \
     nothing is shared until you decide.";
pub const CLASH_KEEP: &str = "Share the text below";
pub const CLASH_THEIRS: &str = "Drop mine";

pub fn name_taken(name: &str) -> String {
    format!("There is a file named {name} already.")
}

pub fn tab(name: &str, active: bool) -> String {
    if active {
        format!("{name}, the file that all work on")
    } else {
        format!("Open {name}, for the agents too")
    }
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
    pub const WRAP_ABOUT: &str = "Break long lines at the edge";
    pub const LEAVE: &str = "Tab indents. Escape, then Tab leaves the editor.";

    pub const CLASH_NEXT: &str = "Next";
    pub const CLASH_NEXT_ABOUT: &str = "Go to the next place (F8)";
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
        ("now", "what stands there now"),
        ("typed", "what you typed"),
    ];

    /// The words of the library's own fields, by its own.
    pub const PHRASES: &[(&str, &str)] = &[
        ("Find", "Find"),
        ("Replace", "Replace with"),
        ("next", "Next"),
        ("previous", "Previous"),
        ("all", "Select all"),
        ("match case", "Match case"),
        ("regexp", "Expression"),
        ("by word", "Whole words"),
        ("replace", "Replace"),
        ("replace all", "Replace all"),
        ("close", "Close"),
        ("Go to line", "Line"),
        ("go", "Go"),
    ];

    pub const LONG: &str = "The editor could not be loaded. A file of this length can be read here, not edited: a plain field would stop \
         the page for seconds with each key. The agents work on it either way.";
    pub const LONG_ANYWAY: &str = "Edit it in a plain field";

    /// How many places clash.
    pub fn clashes(number: usize) -> String {
        match number {
            0 => "No marks are left. Share the text when it is as you want it.".to_owned(),
            _ => {
                format!(
                    "An agent changed the same lines while you typed: {}.",
                    count(number, "place", "places")
                )
            }
        }
    }
}

/// Strings of the Core's merge proposals.
pub mod merge {
    use crate::strings::format::{Notice, count, money, tokens};
    use nexus_model::mind::core_sync::NO_PATCH;
    use nexus_model::mind::merge::proposal::{MergeProposal, MergeQuestion, NoProposalReason};
    use nexus_model::provider::failure::ProviderError;

    pub const ASK: &str = "Ask the Core";
    pub const ASK_ABOUT: &str =
        "Its model reads both sides and what they were about, and proposes lines. Nothing is merged by that.";
    pub const CORE_WORKS: &str = "The Core is at work in this session.";
    pub const STOP: &str = "Stop";
    pub const STOPPED: &str = "The Core was stopped.";
    pub const PROPOSED: &str = "The Core proposes";
    pub const OWN: &str = "Your own lines";
    pub const WRITE: &str = "Write it yourself";
    pub const WRITE_ABOUT: &str = "Begins with the lines of both sides";
    pub const TAKE: &str = "Take these lines";
    pub const TAKEN: &str = "What stands here is merged.";
    pub const NOT_TAKEN: &str = "It counts once you take it.";
    pub const CHANGED: &str = "Changed by you.";
    pub const NOTHING: &str = "Nothing is to stand here.";
    pub const NO_FILE: &str = "Without any lines the file is removed.";
    pub const NO_REASON: &str = "It gave no reason.";

    /// The button that asks about all that is open.
    pub fn ask_all(open: usize) -> String {
        format!("Ask the Core about {}", count(open, "clash", "clashes"))
    }

    /// What it does.
    pub fn asking(clashes: usize) -> String {
        format!("The Core reads {} …", count(clashes, "clash", "clashes"))
    }

    /// What came of a question.
    pub fn told(proposed: &MergeProposal) -> String {
        let usage = match proposed.usage.total() {
            0 => String::new(),
            total => format!(" · {} tokens", tokens(total)),
        };
        let cost = proposed.cost.map_or_else(String::new, |cost| format!(" · about {}", money(cost)));
        let without = match proposed.without.len() {
            0 => String::new(),
            some => format!(", none for {some}"),
        };
        let count = count(proposed.proposals.len(), "proposal", "proposals");
        format!("{count}{without} · {}{usage}{cost}", proposed.model)
    }

    /// Why there is no proposal for a clash.
    pub fn unfit(why: NoProposalReason) -> &'static str {
        match why {
            NoProposalReason::NoRoom => {
                "The Core was not asked about this: it does not fit into its window beside the others."
            }
            NoProposalReason::Gone => "This did not clash any more when the Core was asked.",
            NoProposalReason::Missing => "The Core said nothing about this.",
            NoProposalReason::Twice => {
                "The Core said several things about this, and none is taken for its answer."
            }
            NoProposalReason::Long => {
                "What the Core proposed is not shown: it is far longer than what clashes."
            }
            NoProposalReason::Marks => "What the Core proposed is not shown: it holds marks of a clash.",
            NoProposalReason::Hidden => {
                "What the Core proposed is not shown: it holds characters that cannot be seen."
            }
        }
    }

    /// Why it proposed nothing at all: `usual` says it of a model call.
    pub fn failed(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
        if failure.code.as_deref() == Some(NO_PATCH) {
            return Notice::new(
                "The Core proposed nothing",
                "Ask again, decide by yourself, or give the Core another model in the settings.",
            );
        }
        usual()
    }

    /// The question, for the audit.
    pub(crate) fn asked(asked: &MergeQuestion) -> String {
        format!("the Core asks {} about {}", asked.model, count(asked.clashes.len(), "clash", "clashes"))
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
    pub const SEE: &str = "See it run";
    pub const PANEL: &str = "Preview";
    pub const FILE: &str = "File";
    pub const AGAIN: &str = "Run again";
    pub const CONSOLE: &str = "Console";
    pub const QUIET: &str = "Nothing was said.";
    pub const NONE: &str =
        "Nothing with a preview yet: HTML, SVG or Markdown files, and pictures that messages bring along.";
    pub const RUN_SCRIPTS: &str = "Run its scripts";
    pub const CHECKING: &str = "Looking whether scripts can be closed in here…";

    pub const NO_HEADERS: &str = "Scripts are off: this host does not send the headers that close a page in. They \
         cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host.";
    pub const OTHER_BROWSER: &str = "Scripts are off: this browser is not known to close a page in completely. They \
         cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host. In \
         some browsers an endless loop holds up Nexus, too.";

    pub const PICTURES: &str = "Pictures of messages";
    pub const FIT: &str = "Fit";
    pub const FULL: &str = "100 %";
    pub const ZOOM: &str = "Size of the picture";
    pub const BROKEN: &str =
        "This browser cannot show it: it is damaged, or of a kind that it does not know.";

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
                "Stopped: it gave no sign of life for two seconds. It is probably in a loop without an end."
            }
            PreviewStopReason::Flood => "Stopped: it sent messages without an end.",
            PreviewStopReason::Left => "Stopped: it tried to become another page, or to load itself again.",
            PreviewStopReason::Absent => {
                "The document that previews run in did not come. Is the connection gone?"
            }
        }
    }

    /// The files that a page names and that are not there.
    pub fn missing(files: &[String]) -> String {
        format!("Not in this session: {}.", listed(files))
    }

    /// A link that leads out.
    pub fn no_way(address: &str) -> String {
        format!("The link to {address} leads out of the files of this session.")
    }

    /// Lines that are no longer shown.
    pub fn dropped(lines: u64) -> String {
        format!("{} before these", count(usize::try_from(lines).unwrap_or(usize::MAX), "line", "lines"))
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
