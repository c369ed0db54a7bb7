//! Strings of the board.

pub mod compare;
pub mod core_sync;
pub mod files;

use crate::language::{Text, tenths, text};
use crate::strings::format::{ago, count};
use nexus_model::id::Millis;
use nexus_model::mind::image_file::ImageFile;

pub const PANE: Text = Text("Board");
pub const CATCH_UP: Text = Text("Recap");
pub const FACES: Text = Text("Board view");
pub const FACE_EDIT: Text = Text("Edit");
pub const FACE_COMPARE: Text = Text("Compare");
pub const FACE_MEMORIES: Text = Text("Memories");
pub const OBJECTIVE: Text = Text("Objective");
pub const OBJECTIVE_HINT: Text = Text("The goal of the work. Every agent reads it before it answers.");
pub const OBJECTIVE_HEIGHT: Text = Text("Height of the objective");
pub const SCRATCHPAD_HEIGHT: Text = Text("Height of the scratchpad");
pub const TEXTS_WIDTH: Text = Text("Width of objective and scratchpad");
pub const SCRATCHPAD: Text = Text("Scratchpad");
pub const SCRATCHPAD_HINT: Text = Text("Plan and notes shared by you and the agents.");
pub const FILES: Text = Text("Files");
pub const NO_FILES: Text = Text("No files yet. The agents create them as they work, or you add one.");
pub const NEW_FILE: Text = Text("New file");
pub const NEW_FILE_ABOUT: Text = Text("Create an empty file that the agents work on with you");
pub const ALL_FILES: Text = Text("All files");
pub const ALL_FILES_ABOUT: Text = Text("Open files from disk, browse folders, download, link a folder");
pub const FILE_NAME: Text = Text("File name");
pub const FILE_NAME_EXAMPLE: &str = "index.html";
pub const MAKE: Text = Text("Create");
pub const RENAME: Text = Text("Rename");
pub const DELETE: Text = Text("Delete");
pub const CANCEL: Text = Text("Cancel");
pub const NAME_EMPTY: Text = Text("Enter a name.");

pub const TYPING: Text = Text("editing");
pub const TYPING_ABOUT: Text =
    Text("The agents see your edit when you pause typing. They cannot overwrite it meanwhile.");
pub const CLASH: Text = Text("An agent changed the same lines while you typed.");
pub const CLASH_ADVICE: Text = Text(
    "Both versions are in the text below: the current one above the =======, yours below it. Nothing is lost, and nothing is shared until you decide.",
);
pub const CLASH_KEEP: Text = Text("Mark as resolved");
pub const CLASH_THEIRS: Text = Text("Discard my changes");

pub fn name_taken(name: &str) -> String {
    text!("A file named {name} already exists.")
}

pub fn tab(name: &str, active: bool) -> String {
    if active { text!("{name}, the active file") } else { text!("Open {name} as the active file") }
}

pub fn editor(name: &str) -> String {
    text!("Text of {name}")
}

pub fn deleted(name: &str) -> String {
    text!("{name} is deleted.")
}

pub fn written(who: &str, at: Millis, now: Millis) -> String {
    text!("by {who}, {}", ago(at, now))
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
        1_000..1_000_000 => format!("{} kB", tenths(u64::try_from(bytes / 100).unwrap_or(u64::MAX))),
        _ => format!("{} MB", tenths(u64::try_from(bytes / 100_000).unwrap_or(u64::MAX))),
    }
}

pub mod editor {
    use crate::language::{Text, text, tr};

    use crate::strings::format::count;

    pub const TOOLS: Text = Text("Editor");
    pub const FIND: Text = Text("Find");
    pub const FIND_ABOUT: Text = Text("Find and replace (Ctrl + F)");
    pub const GO_TO: Text = Text("Go to line");
    pub const GO_TO_ABOUT: Text = Text("Go to a line (Ctrl + Alt + G)");
    pub const WRAP: Text = Text("Wrap");
    pub const WRAP_ABOUT: Text = Text("Wrap long lines");
    pub const LEAVE: Text = Text("Tab indents. Press Escape, then Tab to leave the editor.");

    pub const CLASH_NEXT: Text = Text("Next");
    pub const CLASH_NEXT_ABOUT: Text = Text("Go to the next conflict (F8)");
    pub const CLASH_MINE: Text = Text("Keep mine");
    pub const CLASH_THEIRS: Text = Text("Keep theirs");
    pub const CLASH_BOTH: Text = Text("Keep both");
    pub const CLASH_ABOUT: Text =
        Text("Both sides are in the text, marked. Nothing is lost, and nothing is shared until you decide.");

    /// What stands at the places themselves, by the names of `xtask/parts/clashes.js`.
    pub const AT_CLASH: &[(&str, Text)] = &[
        ("mine", CLASH_MINE),
        ("theirs", CLASH_THEIRS),
        ("both", CLASH_BOTH),
        ("now", Text("current text")),
        ("typed", Text("your text")),
    ];

    /// The words of the library's own fields, by its own.
    pub const PHRASES: &[(&str, Text)] = &[
        ("Find", Text("Find")),
        ("Replace", Text("Replace with")),
        ("next", Text("Next")),
        ("previous", Text("Previous")),
        ("all", Text("Select all")),
        ("match case", Text("Match case")),
        ("regexp", Text("Regex")),
        ("by word", Text("Whole words")),
        ("replace", Text("Replace")),
        ("replace all", Text("Replace all")),
        ("close", Text("Close")),
        ("Go to line", Text("Line")),
        ("go", Text("Go")),
    ];

    pub const LONG: Text = Text(
        "The editor could not be loaded. A file of this length is read-only here, because a plain field would freeze the page at each key. The agents can still work on it.",
    );
    pub const LONG_ANYWAY: Text = Text("Edit in a plain field");

    /// How many places clash.
    pub fn clashes(number: usize) -> String {
        match number {
            0 => tr("No conflicts left. Mark as resolved when the text is right.").to_owned(),
            _ => {
                text!(
                    "An agent changed the same lines while you typed: {}.",
                    count(number, "conflict", "conflicts")
                )
            }
        }
    }
}

/// Strings of the Core's merge proposals.
pub mod merge {
    use crate::language::{Text, text, tr};

    use crate::strings::format::{Notice, count, money, tokens};
    use nexus_engine::queries::merge_draft::AnsweredMerge;
    use nexus_model::mind::core_sync::NO_PATCH;
    use nexus_model::mind::merge::proposal::{MergeProposal, NoProposalReason};
    use nexus_model::provider::failure::ProviderError;

    pub const ASK: Text = Text("Ask the Core");
    pub const ASK_ABOUT: Text = Text("The Core reads both sides and proposes lines. Nothing is merged yet.");
    pub const CORE_WORKS: Text = Text("The Core is working in this session.");
    pub const STOP: Text = Text("Stop");
    pub const STOPPED: Text = Text("The Core was stopped.");
    pub const PROPOSED: Text = Text("Proposal of the Core");
    pub const OWN: Text = Text("Your own lines");
    pub const WRITE: Text = Text("Edit by hand");
    pub const WRITE_ABOUT: Text = Text("Starts with the lines of both sides");
    pub const TAKE: Text = Text("Use these lines");
    pub const TAKEN: Text = Text("These lines are merged.");
    pub const NOT_TAKEN: Text = Text("Not applied yet.");
    pub const CHANGED: Text = Text("Changed by you.");
    pub const NOTHING: Text = Text("No lines: leave this empty.");
    pub const NO_FILE: Text = Text("If it is empty, the file is removed.");
    pub const NO_REASON: Text = Text("No reason given.");

    /// The button that asks about all that is open.
    pub fn ask_all(open: usize) -> String {
        text!("Ask the Core about {}", count(open, "conflict", "conflicts"))
    }

    pub fn asking(clashes: usize) -> String {
        text!("The Core is reading {}…", count(clashes, "conflict", "conflicts"))
    }

    /// What came of a question.
    pub fn told(answered: &AnsweredMerge) -> String {
        let AnsweredMerge { proposal: proposed, model, usage, cost } = answered;
        let usage = match usage.total() {
            0 => String::new(),
            total => text!(" · {} tokens", tokens(total)),
        };
        let cost = cost.map_or_else(String::new, |cost| text!(" · about {}", money(cost)));
        let without = match proposed.without.len() {
            0 => String::new(),
            some => text!(", none for {some}"),
        };
        let count = count(proposed.proposals.len(), "proposal", "proposals");
        format!("{count}{without} · {model}{usage}{cost}")
    }

    /// Why there is no proposal for a clash.
    pub fn unfit(why: NoProposalReason) -> &'static str {
        match why {
            NoProposalReason::NoRoom => {
                tr("Not sent to the Core: it does not fit into its context window with the others.")
            }
            NoProposalReason::Gone => tr("This was no longer a conflict when the Core was asked."),
            NoProposalReason::Missing => tr("The Core gave no answer for this."),
            NoProposalReason::Twice => tr("The Core gave several answers for this, so none is used."),
            NoProposalReason::Long => tr("The proposal is hidden: it is far longer than the conflict."),
            NoProposalReason::Marks => tr("The proposal is hidden: it contains conflict markers."),
            NoProposalReason::Hidden => tr("The proposal is hidden: it contains invisible characters."),
        }
    }

    /// Why it proposed nothing at all: `usual` says it of a model call.
    pub fn failed(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
        if failure.code.as_deref() == Some(NO_PATCH) {
            return Notice::new(
                tr("The Core proposed nothing"),
                tr("Ask again, decide yourself, or choose another model for the Core in Settings."),
            );
        }
        usual()
    }

    /// The answer, for the feed.
    pub(crate) fn proposed(proposed: &MergeProposal) -> String {
        text!("The Core made {} for a merge", count(proposed.proposals.len(), "proposal", "proposals"))
    }
}

pub mod preview {
    use crate::language::{Text, text, tr, tr_in};

    use crate::strings::format::{count, listed, size};
    use nexus_model::mind::preview::{PreviewState, PreviewStopReason};

    pub const FACE: Text = Text("Preview");

    pub fn see() -> &'static str {
        tr_in("verb", "Run")
    }

    pub const PANEL: Text = Text("Preview");
    pub const FILE: Text = Text("File");
    pub const AGAIN: Text = Text("Run again");
    pub const CONSOLE: Text = Text("Console");
    pub const QUIET: Text = Text("No output");
    pub const NONE: Text = Text("No preview available. HTML, SVG, Markdown and images can be previewed.");
    pub const RUN_SCRIPTS: Text = Text("Run scripts");
    pub const CHECKING: Text = Text("Checking sandbox support…");

    pub const NO_HEADERS: Text = Text(
        "Scripts are off for safety: this host does not send the headers that fully isolate the preview. Scripts could still open WebRTC or bare connections to other hosts, but not load or send anything else.",
    );
    pub const OTHER_BROWSER: Text = Text(
        "Scripts are off for safety: this browser is not known to fully isolate the preview. Scripts could still open WebRTC or bare connections to other hosts, but not load or send anything else. In some browsers an infinite loop also freezes Nexus.",
    );

    pub const PICTURES: Text = Text("Images in messages");
    pub const FIT: Text = Text("Fit");
    pub const FULL: &str = "100 %";
    pub const ZOOM: Text = Text("Image size");
    pub const BROKEN: Text =
        Text("This browser cannot show the image: it is damaged or of an unsupported type.");

    /// A picture in the list.
    pub fn picture(name: &str, bytes: u64, waits: bool) -> String {
        let waits = if waits { tr(" · not sent yet") } else { "" };
        format!("{name} · {}{waits}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
    }

    /// What a picture is: its points, where the browser has told them, its kind and its size.
    pub fn about_picture(points: Option<(u32, u32)>, mime: &str, bytes: u64) -> String {
        let points = points.map(|(width, height)| format!("{width} × {height} · ")).unwrap_or_default();
        let kind = mime.strip_prefix("image/").unwrap_or(mime).to_uppercase();
        format!("{points}{kind} · {}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
    }

    pub fn state(state: PreviewState) -> Text {
        match state {
            PreviewState::Loading => Text("loading"),
            PreviewState::Running => Text("running"),
            PreviewState::ScriptsOff => Text("scripts are off"),
            PreviewState::Still => Text("shown"),
            PreviewState::Stopped(_) => Text("stopped"),
        }
    }

    /// Why a page was stopped.
    pub fn stopped(cause: PreviewStopReason) -> &'static str {
        match cause {
            PreviewStopReason::Silent => {
                tr("Stopped: the page did not respond for 2 seconds, probably because of an infinite loop.")
            }
            PreviewStopReason::Flood => tr("Stopped: the page sent too many messages."),
            PreviewStopReason::Left => tr("Stopped: the page tried to navigate away or reload itself."),
            PreviewStopReason::Absent => {
                tr("The preview document could not be loaded. Is the connection down?")
            }
        }
    }

    /// The files that a page names and that are not there.
    pub fn missing(files: &[String]) -> String {
        text!("Not in this session: {}.", listed(files))
    }

    /// A link that leads out.
    pub fn no_way(address: &str) -> String {
        text!("The link to {address} leads outside the files of this session.")
    }

    /// Lines that are no longer shown.
    pub fn dropped(lines: u64) -> String {
        text!("{} not shown", count(lines, "earlier line", "earlier lines"))
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
