//! Strings of the board.

pub mod core_sync;
pub mod files;

use crate::language::tenths;
use crate::strings::prelude::*;
use nexus_model::mind::blob::ImageFile;

pub const FACES: Text = Text("Board view");
pub const OBJECTIVE_HINT: Text = Text("The goal of the work. Every agent reads it before it answers.");
pub const OBJECTIVE_HEIGHT: Text = Text("Height of the objective");
pub const SCRATCHPAD_HEIGHT: Text = Text("Height of the scratchpad");
pub const TEXTS_WIDTH: Text = Text("Width of objective and scratchpad");
pub const SCRATCHPAD_HINT: Text = Text("Plan and notes shared by you and the agents.");
pub const NEW_FILE_ABOUT: Text = Text("Create an empty file that the agents work on with you");
pub const ALL_FILES_ABOUT: Text = Text("Open files from disk, browse folders, download, link a folder");
pub const FILE_NAME: Text = Text("File name");
pub const FILE_NAME_EXAMPLE: &str = "index.html";
pub const MAKE: Text = Text("Create");
pub const NAME_EMPTY: Text = Text("Enter a name.");

pub const TYPING_ABOUT: Text =
    Text("The agents see your edit when you pause typing. They cannot overwrite it meanwhile.");
pub const CONFLICT: Text = Text("An agent changed the same lines while you typed.");
pub const CONFLICT_ADVICE: Text = Text(
    "Both versions are in the text below: the current one above the =======, yours below it. Nothing is lost, and nothing is shared until you decide.",
);
pub const CONFLICT_KEEP: Text = Text("Mark as resolved");
pub const CONFLICT_THEIRS: Text = Text("Discard my changes");

texts! {
    pub fn name_taken(name: &str) = "A file named {name} already exists.";
    pub fn editor(name: &str) = "Text of {name}";
    pub fn deleted(name: &str) = "“{name}” is deleted.";
    pub fn written(who: &str, at: Millis, now: Millis) = "by {who}, {}", ago(at, now);
}

pub fn tab(name: &str, active: bool) -> String {
    if active { text!("{name}, the active file") } else { text!("Open {name} as the active file") }
}

pub fn figures(text: &str) -> String {
    if let Some(image) = ImageFile::of(text) {
        return image.about();
    }
    format!("{} · {}", count(text.lines().count(), "line", "lines"), size(text.len()))
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", tenths(u64::try_from(bytes / 100).unwrap_or(u64::MAX))),
        _ => format!("{} MB", tenths(u64::try_from(bytes / 100_000).unwrap_or(u64::MAX))),
    }
}

pub mod editor {
    use crate::strings::prelude::*;

    pub const TOOLS: Text = Text("Editor");
    pub const FIND: Text = Text("Find");
    pub const FIND_ABOUT: Text = Text("Find and replace (Ctrl + F)");
    pub const GO_TO: Text = Text("Go to line");
    pub const GO_TO_ABOUT: Text = Text("Go to a line (Ctrl + Alt + G)");
    pub const WRAP: Text = Text("Wrap");
    pub const WRAP_ABOUT: Text = Text("Wrap long lines");
    pub const LEAVE: Text = Text("Tab indents. Press Escape, then Tab to leave the editor.");

    pub const CONFLICT_NEXT: Text = Text("Next");
    pub const CONFLICT_NEXT_ABOUT: Text = Text("Go to the next conflict (F8)");
    pub const CONFLICT_MINE: Text = Text("Keep mine");
    pub const CONFLICT_THEIRS: Text = Text("Keep theirs");
    pub const CONFLICT_ABOUT: Text =
        Text("Both sides are in the text, marked. Nothing is lost, and nothing is shared until you decide.");

    /// Texts at each conflict, by the keys in `xtask/parts/conflicts.js`.
    pub const AT_CONFLICT: &[(&str, Text)] = &[
        ("mine", CONFLICT_MINE),
        ("theirs", CONFLICT_THEIRS),
        ("both", common::KEEP_BOTH),
        ("now", Text("current text")),
        ("typed", Text("your text")),
    ];

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

    texts! {
        pub fn conflicts(number: usize) -> String {
            0 => "No conflicts left. Mark as resolved when the text is right.";
            _ =>
                "An agent changed the same lines while you typed: {}.", count(number, "conflict", "conflicts");
        }
    }
}

pub mod merge {
    use crate::strings::prelude::*;
    use nexus_engine::queries::AnsweredMerge;
    use nexus_model::mind::core_sync::NO_PATCH;
    use nexus_model::mind::merge::proposal::{MergeProposal, NoProposalReason};

    pub const ASK: Text = Text("Ask the Core");
    pub const ASK_ABOUT: Text = Text("The Core reads both sides and proposes lines. Nothing is merged yet.");
    pub const CORE_WORKS: Text = Text("The Core is working in this session.");
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

    texts! {
        pub fn ask_all(open: usize) = "Ask the Core about {}", count(open, "conflict", "conflicts");
        pub fn core_reading(conflicts: usize) = "The Core is reading {}…", count(conflicts, "conflict", "conflicts");
        pub(crate) fn proposed(proposed: &MergeProposal) =
            "The Core made {} for a merge", count(proposed.proposals.len(), "proposal", "proposals");

        pub fn proposal_error(why: NoProposalReason) -> &'static str {
            NoProposalReason::NoRoom =>
                "Not sent to the Core: it does not fit into its context window with the others.";
            NoProposalReason::Gone => "This was no longer a conflict when the Core was asked.";
            NoProposalReason::Missing => "The Core gave no answer for this.";
            NoProposalReason::Twice => "The Core gave several answers for this, so none is used.";
            NoProposalReason::Long => "The proposal is hidden: it is far longer than the conflict.";
            NoProposalReason::Marks => "The proposal is hidden: it contains conflict markers.";
            NoProposalReason::Hidden => "The proposal is hidden: it contains invisible characters.";
        }
    }

    pub fn proposal_result(answered: &AnsweredMerge) -> String {
        let AnsweredMerge { proposal: proposed, model, usage, cost } = answered;
        let used = usage.total();
        let usage = if used > 0 { text!(" · {} tokens", tokens(used)) } else { String::new() };
        let cost = cost.map_or_else(String::new, |cost| text!(" · about {}", money(cost)));
        let some = proposed.unresolved.len();
        let without = if some > 0 { text!(", none for {some}") } else { String::new() };
        let count = count(proposed.proposals.len(), "proposal", "proposals");
        format!("{count}{without} · {model}{usage}{cost}")
    }

    /// Why the Core proposed nothing; `usual` is the notice of a failed model call.
    pub fn failed(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
        if failure.code.as_deref() == Some(NO_PATCH) {
            return notice(
                "The Core proposed nothing",
                "Ask again, decide yourself, or choose another model for the Core in Settings.",
            );
        }
        usual()
    }
}

pub mod preview {
    use crate::strings::prelude::*;
    use nexus_model::mind::preview::{PreviewState, PreviewStopReason};

    pub fn see() -> &'static str {
        tr_in("verb", "Run")
    }

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

    pub fn picture(name: &str, bytes: u64, waits: bool) -> String {
        let waits = if waits { tr(" · not sent yet") } else { "" };
        format!("{name} · {}{waits}", large_size(bytes))
    }

    /// Size in pixels if known, type and size of an image.
    pub fn about_picture(points: Option<(u32, u32)>, mime: &str, bytes: u64) -> String {
        let points = points.map(|(width, height)| format!("{width} × {height} · ")).unwrap_or_default();
        let kind = mime.strip_prefix("image/").unwrap_or(mime).to_ascii_uppercase();
        format!("{points}{kind} · {}", large_size(bytes))
    }

    texts! {
        pub fn missing(files: &[String]) = "Not in this session: {}.", listed(files);
        pub fn link_outside(address: &str) = "The link to {address} leads outside the files of this session.";
        pub fn dropped(lines: u64) = "{} not shown", count(lines, "earlier line", "earlier lines");

        pub fn state(state: PreviewState) -> Text {
            PreviewState::Loading => "loading";
            PreviewState::Running => "running";
            PreviewState::ScriptsOff => "scripts are off";
            PreviewState::Still => "shown";
            PreviewState::Stopped(_) => "stopped";
        }

        pub fn stopped(cause: PreviewStopReason) -> &'static str {
            PreviewStopReason::Silent =>
                "Stopped: the page did not respond for 2 seconds, probably because of an infinite loop.";
            PreviewStopReason::Flood => "Stopped: the page sent too many messages.";
            PreviewStopReason::NavigatedAway => "Stopped: the page tried to navigate away or reload itself.";
            PreviewStopReason::NotLoaded =>
                "The preview document could not be loaded. Is the connection down?";
        }
    }
}

pub mod compare {
    use crate::strings::prelude::*;
    use nexus_model::mind::review::ComparisonBase;

    pub const AGAINST: Text = Text("Compare with");
    pub const SIDE_BY_SIDE: Text = Text("Side by side");
    pub const NOTHING_YET: Text =
        Text("Nothing to compare with yet. The agents’ changes appear here after the first turn.");
    pub const NO_CHANGES: Text = Text("No differences.");
    pub const ALL_REVIEWED: Text = Text("All changes are reviewed.");
    pub const UNSAVED: Text = Text("Your last edit is not included yet.");
    pub const ACCEPT: Text = Text("Accept");
    pub const ACCEPT_ABOUT: Text = Text("Marks the change as reviewed. The text is not changed.");
    pub const REVERT: Text = Text("Revert");
    pub const REVERT_ABOUT: Text = Text("Restores the old lines");
    pub const ACCEPT_ALL: Text = Text("Accept all");
    pub const PICK: Text = Text("Select to request changes");
    pub const REVIEWED: Text = Text("reviewed");
    pub const EMPTY: Text = Text("Empty file");
    pub const MADE: Text = Text("new");
    pub const GONE: Text = Text("deleted");
    pub const YOU: Text = Text("you");
    pub const CORE: Text = Text("the Core");
    pub const MERGE: Text = Text("a merge");
    pub const NOBODY: Text = Text("before the first turn");
    pub const SOMEBODY: Text = Text("reading earlier turns…");
    pub const KEYS: Text = Text(
        "j / k next, previous · a accept · r revert · Shift A, Shift R whole file · x select · t go to turn · Ctrl Z undo",
    );
    pub const SEND_BACK: Text = Text("Request changes");
    pub const REMARK: Text = Text("Comment");
    pub const REMARK_HINT: Text = Text("What should be different?");
    pub const REVERTED_ALL: Text = Text("All changes reverted.");
    pub const ACCEPTED_ALL: Text = Text("All changes accepted.");

    pub fn more_lines(left: usize) -> String {
        format!("… {}", count(left, "more line", "more lines"))
    }

    pub const REVIEW: Text = Text("Review");
    pub const REVERT_ALL: Text = Text("Revert all");

    /// Changed fields: files, and objective or scratchpad.
    fn fields(files: usize, others: usize) -> String {
        match (count(files, "file", "files"), others) {
            (_, _) if files == 0 => tr("Plan").to_owned(),
            (files, 0) => files,
            (files, _) => text!("{files} and plan"),
        }
    }

    /// Changes since the last review.
    pub fn changed(files: usize, others: usize) -> String {
        if files > 0 && others > 0 {
            // Both fill a narrow bar.
            return fields(files, others);
        }
        text!("{} changed", fields(files, others))
    }

    texts! {
        pub fn reverted(of: &MindField) = "Reverted a change in {}.", field(of);
        pub fn accepted(of: &MindField) = "Accepted a change in {}.", field(of);
        pub fn accepted_all_of(of: &MindField) = "Accepted the changes in {}.", field(of);
        pub fn folded(lines: usize) = "⋯ {} unchanged", count(lines, "line", "lines");
        pub fn picked(number: usize, agents: &str) = "{} for {agents}", count(number, "change", "changes");
        pub fn not_sendable(number: usize) =
            "{} not made by an agent and cannot be sent.", count(number, "change was", "changes were");
        pub fn sent(agents: &str) = "Changes requested from {agents}.";
        pub fn announced(place: usize, of: usize, field: &str, lines: &str, by: &str) =
            "Change {place} of {of}: {field}, {lines}, by {by}";

        pub fn accept_field(field: &MindField) -> &'static str {
            MindField::Objective => "Accept objective";
            MindField::Scratchpad => "Accept scratchpad";
            MindField::File(_) => "Accept file";
        }

        pub fn revert_field(field: &MindField) -> &'static str {
            MindField::Objective => "Revert objective";
            MindField::Scratchpad => "Revert scratchpad";
            MindField::File(_) => "Revert file";
        }

        pub fn field(field: &MindField) -> String {
            MindField::Objective => "Objective";
            MindField::Scratchpad => "Scratchpad";
            MindField::File(name) => { name.clone() };
        }

        /// Name of a field in a message to an agent.
        pub fn quoted_field(field: &MindField) -> String {
            MindField::Objective => "the objective";
            MindField::Scratchpad => "the scratchpad";
            MindField::File(name) => { name.clone() };
        }
    }

    /// Base of a comparison. `turn` is the agent and time of day of a turn.
    pub fn base(base: &ComparisonBase, turn: Option<(String, String)>) -> String {
        match (base, turn) {
            (ComparisonBase::Review, _) => text!("your last review"),
            (ComparisonBase::ReviewStart, _) => text!("the state before unreviewed changes"),
            (ComparisonBase::RunStart, _) => text!("the start of this run"),
            (ComparisonBase::RoundStart, _) => text!("the start of this round"),
            (ComparisonBase::LastSync, _) => text!("the last sync"),
            (ComparisonBase::Disk, _) => text!("the folder on disk"),
            (ComparisonBase::Turn(_), Some((agent, at))) => text!("after {agent}, {at}"),
            (ComparisonBase::Turn(_), None) => text!("a turn"),
        }
    }

    /// Lines of a hunk: “line 3”, “lines 3–7”, “after line 2”.
    pub fn lines(start: usize, end: usize) -> String {
        match end.saturating_sub(start) {
            0 => text!("after line {start}"),
            1 => text!("line {}", start + 1),
            _ => text!("lines {}–{end}", start + 1),
        }
    }

    /// The size of a comparison; blank without changes, which have a text of their own.
    pub fn figures(files: usize, others: usize, hunks: usize, left: usize) -> String {
        if hunks == 0 {
            return String::new();
        }
        let all = format!("{} · {}", fields(files, others), count(hunks, "change", "changes"));
        if left == hunks { all } else { text!("{all} · {left} to review") }
    }
}

#[cfg(test)]
mod tests;
