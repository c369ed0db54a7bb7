//! Selectors of the interface for flows: each constant is a `data-testid`, or an `id` on the recovery screen.
//!
//! The attributes documented here are part of the contract. Flows use no classes or tags, and only what is listed
//! here; a listed selector that the page lacks is a failure.

use std::fmt;

/// One part of the contract: an attribute that marks it, and the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part(&'static str, &'static str);

macro_rules! parts {
    ($($(#[$about:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$about])* pub(crate) const $name: Part = Part("data-testid", $id);)*
    };
}

mod archivist;
mod board;
mod care;
mod runs;
mod settings;
mod threads;
mod tree_map;
mod workers;

pub(crate) use archivist::*;
pub(crate) use board::*;
pub(crate) use care::*;
pub(crate) use runs::*;
pub(crate) use settings::*;
pub(crate) use threads::*;
pub(crate) use tree_map::*;
pub(crate) use workers::*;

// Wherever a screen stands.
parts! {
    /// In the place of a screen whose part of the program did not come.
    NOT_LOADED = "not-loaded";
    /// Button in it: ask for it again.
    LOAD_AGAIN = "load-again";
}

// First start.
parts! {
    /// The screen that a newcomer sees; gone after `FIRST_GO`.
    FIRST_START = "first-start";
    /// Input: the operator's name.
    FIRST_NAME = "first-name";
    /// Input: a Gemini key.
    FIRST_KEY = "first-key";
    /// Button: no key, use the demo.
    FIRST_REHEARSAL = "first-rehearsal";
    /// Text area: the objective.
    FIRST_OBJECTIVE = "first-objective";
    /// Button: begin.
    FIRST_GO = "first-go";
    /// Button: an objective that the demo has prepared.
    FIRST_IDEA = "first-idea";
    /// Says that the demo has not prepared the objective; empty where it has.
    FIRST_NOT_PREPARED = "first-not-prepared";
}

// Below an answer of the demo that needs a model.
parts! {
    /// The way out.
    DEMO_OFFER = "demo-offer";
    /// Link in it: to the providers.
    CONNECT_MODEL = "connect-model";
    /// Button in it: a prepared objective as the next message.
    DEMO_OBJECTIVE = "demo-objective";
}

// Sessions and turns, above the war room.
parts! {
    SESSION_LIST = "session-list";
    SESSION_NEW = "session-new";
    SESSION_CLOSE = "session-close";
    /// Of a session in the list: closes it.
    SESSION_END = "session-end";
    /// Input in it: words to find sessions by.
    SESSION_SEARCH = "session-search";
    /// Button in it: which ones are shown; `data-shelf` is `Open`, `Archived` or `Deleted`.
    SESSION_SHELF = "session-shelf";
    /// A session in it; `data-session` is its id.
    SESSION_ROW = "session-row";
    /// Button in a row: open it; `data-session` is its id.
    SESSION_OPEN = "session-open";
    /// Button in a row: give it another name.
    SESSION_NAME = "session-name";
    SESSION_LABEL = "session-label";
    SESSION_KEEP = "session-keep";
    /// Button in a row: put it away.
    SESSION_ARCHIVE = "session-archive";
    /// Button in a row: take it out again.
    SESSION_REOPEN = "session-reopen";
    SESSION_DELETE = "session-delete";
    /// Button in a row: show it again.
    SESSION_RESTORE = "session-restore";
    /// Button: take back what was put away just now.
    SESSION_UNDO = "session-undo";
    /// Why something was not done.
    SESSION_REFUSED = "session-refused";
    /// Button at a message: what can be done from its turn.
    TURN_ACTIONS = "turn-actions";
    /// What can be done.
    TURN_MENU = "turn-menu";
    /// Button in it: a session that goes on from here.
    TURN_CONTINUE = "turn-continue";
    TURN_CONTINUE_NAME = "turn-continue-name";
    /// Button in it: say the message in other words.
    TURN_EDIT = "turn-edit";
    /// Button in it: ask once more.
    TURN_AGAIN = "turn-again";
    /// Select in it: who answers.
    TURN_AGAIN_AGENT = "turn-again-agent";
    /// In the menu of a turn: the model that tries it again.
    TURN_AGAIN_MODEL = "turn-again-model";
    /// Button in it: models are to race about the same.
    TURN_RACE = "turn-race";
    RACE_DIALOG = "race-dialog";
    /// Field in it: what is asked.
    RACE_TEXT = "race-text";
    /// Select in it, three of them: a model.
    RACE_MODEL = "race-model";
    /// Why it cannot begin.
    RACE_PROBLEM = "race-problem";
    RACE_START = "race-start";
    RACE = "race";
    RACE_LANE = "race-lane";
    RACE_SAID = "race-said";
    RACE_FAILED = "race-failed";
    RACE_CHANGES = "race-changes";
    RACE_FIGURES = "race-figures";
    /// In the dialog: the pictures that go along.
    RACE_IMAGES = "race-images";
    /// Button of a lane: use its answer.
    RACE_USE = "race-use";
    /// Button of a lane: compare it with another one.
    RACE_COMPARE = "race-compare";
    /// Button of a lane: use it, and merge another one into it.
    RACE_MERGE = "race-merge";
    /// Button: no answer is used.
    RACE_END = "race-end";
    /// Button in it: take the session back to here.
    TURN_BACK = "turn-back";
    /// Button in it: open the turn as it was.
    TURN_THEN = "turn-then";
    /// A turn as it was, in the place of the panes.
    THEN = "then";
    THEN_TITLE = "then-title";
    /// What had been said up to it.
    THEN_SAID = "then-said";
    THEN_MIND = "then-mind";
    THEN_DIFFERS = "then-differs";
    /// Button: another session that goes on from it.
    THEN_CONTINUE = "then-continue";
    /// Button: back to now.
    THEN_RETURN = "then-return";
    /// What is said where it cannot be read.
    THEN_GONE = "then-gone";
    /// Button in a row of the list of sessions: the heads that it had.
    SESSION_HEADS = "session-heads";
    HEAD_LIST = "head-list";
    HEAD_ROW = "head-row";
    /// Button in a row: go on from it in a session of its own.
    HEAD_CONTINUE = "head-continue";
    /// In the place of a message: what says it in other words.
    EDIT_MESSAGE = "edit-message";
    EDIT_TEXT = "edit-text";
    /// Button below it: send.
    EDIT_RESEND = "edit-resend";
    /// Where a turn has others beside it; in it the place, such as `2/3`, and the steps.
    SIBLING_PLACE = "sibling-place";
    /// Button: the one before.
    SIBLING_PREVIOUS = "sibling-previous";
    SIBLING_NEXT = "sibling-next";
    /// What is above was said in another session.
    FORK_MARK = "fork-mark";
    /// Button: go to the newest of what came later.
    GO_AHEAD = "go-ahead";
}

// War room.
parts! {
    /// The screen; present once the program runs and the store is open.
    WAR_ROOM = "war-room";
    /// Text area: the message.
    COMPOSER = "composer";
    /// Button: send, or queue while a run works.
    SEND = "send";
    /// A file, or a paste too large for the field, that will be sent along.
    ATTACHMENT = "attachment";
    /// Button: stop the run. Only there while one works.
    STOP = "stop";
    /// Select: whom the message is for: `ALL` or an agent's key.
    TARGET_SELECT = "target-select";
    /// The list that completes `@…`.
    MENTION_LIST = "mention-list";
    /// Checkbox: keep going until done.
    KEEP_GOING = "keep-going";
    /// Where the run stands; `data-state` is `idle` or a run status in lower case.
    RUN_STATE = "run-state";
    /// Button: opens the list of sessions; its text names the one in view, `data-session` is its id.
    SESSION_SWITCHER = "session-switcher";
    /// A card; `data-agent` is the agent's key in lower case, `data-state` is `idle`, `processing`
    /// or `error`, `data-muted` is `true` or `false`.
    AGENT_CARD = "agent-card";
    /// Button in a card: mute or unmute.
    AGENT_MUTE = "agent-mute";
    /// Button in a card: the next priority; its text names the present one.
    AGENT_PRIORITY = "agent-priority";
    /// The messages, oldest first.
    TIMELINE = "timeline";
    /// A message; `data-role` is `user`, `assistant`, `system` or `tool`, `data-agent` the agent's
    /// key where it has one, `data-status` is `processing`, `completed` or `failed`, and
    /// `data-reason` says why it failed: `cancelled`, `interrupted`, `cut_off`, `timed_out`, `error`.
    MESSAGE = "message";
    /// Its text, without thinking and headings.
    MESSAGE_TEXT = "message-text";
    /// Says which pictures its model was not shown.
    MESSAGE_UNSEEN = "message-unseen";
    /// Says what of its stream could not be used as it came.
    MESSAGE_FAULT = "message-fault";
    /// What it used, in tokens and, by an estimate, in money.
    MESSAGE_SPENT = "message-spent";
    /// The money in it; absent where the price is not known.
    MESSAGE_COST = "message-cost";
    MESSAGE_THINKING = "message-thinking";
    /// A tool run; `data-tool` is its name, `data-status` its state in lower case.
    TOOL_CARD = "tool-card";
    /// What a round came to, in two lines: what changed, and how it ended.
    ROUND = "round";
    /// What went wrong and what to do.
    ERROR_CARD = "error-card";
    /// Button in an error card: try again.
    RETRY = "retry";
    /// Button: go on with a run that was interrupted, stopped or paused.
    GO_ON = "go-on";
    /// Button: end such a run.
    END_RUN = "end-run";
    /// A message that waits for the run to end.
    QUEUE_ITEM = "queue-item";
    /// Button in it: say it in other words.
    QUEUE_EDIT = "queue-edit";
    /// Text area in it: those words.
    QUEUE_TEXT = "queue-text";
    /// Button below that: keep them.
    QUEUE_KEEP = "queue-keep";
    /// Select in it: what is to happen to it; `data-mode` of the item says what that is.
    QUEUE_ITEM_MODE = "queue-item-mode";
    /// Select at the composer, while a run works: what is to happen to the next message.
    QUEUE_MODE = "queue-mode";
    /// Button in it: forget it.
    QUEUE_WITHDRAW = "queue-withdraw";
    /// Button below the text area: leave the message as it was.
    QUEUE_LEAVE = "queue-leave";
    /// What Stop holds; `data-held` of an item says whether it is.
    QUEUE_HELD = "queue-held";
    /// Button in an item: send it alone. Only there where several are held.
    QUEUE_SEND = "queue-send";
    /// Button: send all that Stop holds.
    QUEUE_SEND_ALL = "queue-send-all";
    /// Button: withdraw all that Stop holds.
    QUEUE_DISCARD_ALL = "queue-discard-all";
}

// In an answer.
parts! {
    /// Button at a block of code: breaks its long lines; `aria-pressed` says whether.
    CODE_WRAP = "code-wrap";
    /// Button at a block of code: into the clipboard.
    CODE_COPY = "code-copy";
    /// Button at a block of code: it becomes a file, whose name is asked for.
    CODE_OPEN = "code-open";
    /// Button at a block of code: it becomes the text of a file, after a look at what would change.
    CODE_APPLY = "code-apply";
    /// What would change.
    APPLY_DIFF = "apply-diff";
    /// Button below it: change it.
    APPLY_ACCEPT = "apply-accept";
    /// Button below it: leave the file as it is.
    APPLY_DISCARD = "apply-discard";
    FILE_NAME = "file-name";
}

// Asking and waiting.
parts! {
    /// A tool run that waits for the operator; `data-tool` and `data-agent` say whose.
    APPROVAL_CARD = "approval-card";
    /// In it: the exact arguments; a text area while they are edited.
    APPROVAL_ARGS = "approval-args";
    /// Button in it: run it as asked, or as edited.
    APPROVAL_APPROVE = "approval-approve";
    /// Button in it: edit the arguments, or leave them as asked.
    APPROVAL_EDIT = "approval-edit";
    /// Button in it: do not run it.
    APPROVAL_DENY = "approval-deny";
    /// Input in it: why not.
    APPROVAL_REASON = "approval-reason";
    /// Checkbox in it: never ask again for this tool and agent.
    APPROVAL_ALWAYS = "approval-always";
    /// How long a call still waits before it is tried again.
    RETRY_COUNTDOWN = "retry-countdown";
    /// Button beside it: do not wait.
    RETRY_NOW = "retry-now";
    /// Button beside it: do not try again.
    RETRY_STOP = "retry-stop";
    /// The card of a call that waits, with the three above and why it waits.
    RETRY_CARD = "retry-card";
    /// What may keep a provider from being reached, in an error card.
    REACH_CHECKS = "reach-checks";
    /// A run that has used as much as it may.
    CAP_CARD = "cap-card";
    /// Button in it: let it use more, and go on.
    CAP_RAISE = "cap-raise";
    /// Button in it: end the run.
    CAP_END = "cap-end";
}

// Everywhere.
parts! {
    /// A passing word to the operator.
    NOTICE = "notice";
    /// Button in one: take back what it tells of.
    NOTICE_UNDO = "notice-undo";
    /// A lasting one; `data-kind` is `read-only`, `memory` or `rehearsal`.
    BANNER = "banner";
    /// Button in the one that says read-only: work in this tab.
    WORK_HERE = "work-here";
}

// The palette, on every screen.
parts! {
    OPEN_PALETTE = "open-palette";
    /// The dialog: everything that can be done.
    PALETTE = "palette";
    PALETTE_INPUT = "palette-input";
    /// Something that can be done; `data-action` is its name in the registry, `aria-selected` is `true` on the one that
    /// Enter does, `aria-disabled` is `true` where it cannot be done now.
    PALETTE_ROW = "palette-row";
    /// How many were found, or why what was chosen cannot be done.
    PALETTE_SAID = "palette-said";
    /// The dialog with all keys.
    KEY_SHEET = "key-sheet";
    KEY_SHEET_CLOSE = "key-sheet-close";
    SHEET_LINE = "sheet-line";
    /// Select in the settings: whether keys of one letter count: `on` or `off`.
    SINGLE_KEYS = "single-keys";
    /// Select there: `comfortable` or `compact`.
    DENSITY = "density";
    /// Select there: the size of text, in percent.
    TEXT_SIZE = "text-size";
    /// Select there: `auto`, `reduced` or `full`.
    MOTION = "motion";
    /// Button over the files: makes one.
    FILE_NEW = "file-new";
    /// Button below a file: deletes it.
    FILE_DELETE = "file-delete";
}

// Looking back.
parts! {
    OPEN_AUDIT = "open-audit";
    /// How many events are listed; `data-done` is `true` when all was read and searched.
    AUDIT_COUNT = "audit-count";
    /// An event in it; `data-kind`, `data-seq` and `data-stream` say which.
    AUDIT_ROW = "audit-row";
    AUDIT_LIST = "audit-list";
    /// Button in it: the whole run; `data-run` is its id.
    AUDIT_RUN = "audit-run";
    /// Input: the id of a run.
    AUDIT_RUN_FIELD = "audit-run-field";
    AUDIT_TOPIC = "audit-topic";
    AUDIT_AGENT = "audit-agent";
    AUDIT_KIND = "audit-kind";
    AUDIT_TEXT = "audit-text";
    /// Button: no filter.
    AUDIT_CLEAR = "audit-clear";
    /// Button: what is listed as a file.
    AUDIT_EXPORT = "audit-export";
    /// The event that is open.
    AUDIT_DETAIL = "audit-detail";
    AUDIT_JSON = "audit-json";
    /// Looks for a model on this machine, on the first screen.
    FIRST_LOCAL = "first-local";
    /// What the search for a model on this machine came to.
    FIRST_LOCAL_TOLD = "first-local-told";
    FIRST_LOCAL_MODEL = "first-local-model";
    /// What to check where no server answered.
    FIRST_LOCAL_HELP = "first-local-help";
    FIRST_LOCAL_AGAIN = "first-local-again";
    /// Unfolds the activity feed.
    ACTIVITY_OPEN = "activity-open";
    /// Link of an item of the activity feed to its event.
    ACTIVITY_LINK = "activity-link";
    /// Link at an answer to its turn in the inspector.
    INSPECT_TURN = "inspect-turn";
    INSPECT_HEAD = "inspect-head";
    /// Link to its run in the audit.
    INSPECT_RUN = "inspect-run";
    /// A call; `data-call` is its number.
    INSPECT_CALL = "inspect-call";
    /// A figure in it; `data-figure` says which.
    INSPECT_FIGURE = "inspect-figure";
    INSPECT_CONTEXT = "inspect-context";
    INSPECT_PICTURE_LEFT_OUT = "inspect-picture-left-out";
    /// An attempt; `data-attempt` is its number, `data-state` is `open`, `answered`, `failed` or `closed`.
    INSPECT_TRY = "inspect-try";
    /// Why it failed.
    INSPECT_FAILURE = "inspect-failure";
    INSPECT_REQUEST = "inspect-request";
    /// Whether that is what was sent; `data-agrees` is `yes`, `no` or `unknown`.
    INSPECT_AGREES = "inspect-agrees";
    /// Button: copies the body.
    INSPECT_BODY = "inspect-body";
    /// Button: copies the request as a command.
    INSPECT_CURL = "inspect-curl";
    INSPECT_RESPONSE = "inspect-response";
    /// Why there is none.
    INSPECT_NO_RESPONSE = "inspect-no-response";
    /// Input in the settings: for how many days answers are kept as they came.
    RAW_DAYS = "raw-days";
}

// Recovery. It stands without the program, and names its parts by `id`.

/// The screen after a crash.
pub(crate) const RECOVERY: Part = Part("id", "recovery");
/// Button: export everything.
pub(crate) const RECOVERY_EXPORT: Part = Part("id", "recovery-export");
/// Button: load the page again.
pub(crate) const RECOVERY_RELOAD: Part = Part("id", "recovery-reload");

/// Button: start without the last session.
pub(crate) const RECOVERY_SAFE: Part = Part("id", "recovery-safe");

/// A place in the page, as a CSS selector.
#[derive(Debug, Clone)]
pub(crate) struct Spot(String);

/// On the recovery screen: copies the report.
pub(crate) const RECOVERY_COPY: Part = Part("id", "recovery-copy");
/// On it: the report, in a field that cannot be written.
pub(crate) const RECOVERY_REPORT: Part = Part("id", "recovery-report");
/// On it: what came of the last click.
pub(crate) const RECOVERY_SAID: Part = Part("id", "recovery-said");

// Data as a whole, in the settings.
parts! {
    /// Input: finds settings by their words.
    SETTINGS_SEARCH = "settings-search";
    /// How many hold them.
    SETTINGS_FOUND = "settings-found";
    /// Button: export everything.
    DATA_EXPORT = "data-export";
    /// Button: export the session that is chosen beside it.
    DATA_EXPORT_ONE = "data-export-one";
    DATA_EXPORT_SAID = "data-export-said";
    /// The card of the import, with all that it shows.
    DATA_IMPORT_CARD = "data-import-card";
    /// Input: the file to take in.
    DATA_IMPORT_FILE = "data-import-file";
    /// A session of that file; `data-comes` says whether it would come, `data-hash` is its hash.
    DATA_SESSION = "data-session";
    DATA_IMPORT_TAKE = "data-import-take";
    /// Button: do not.
    DATA_IMPORT_AWAY = "data-import-away";
    DATA_IMPORT_DONE = "data-import-done";
    /// Link to the war room, after an import.
    DATA_TO_WAR_ROOM = "data-to-war-room";
    /// Something that a dump proposes; `data-kind` is `provider`, `agent` or `setting`, `data-key` its key.
    DATA_PROPOSAL = "data-proposal";
    /// Button in it: take it over.
    DATA_ACCEPT = "data-accept";
    DATA_POINT = "data-point";
    DATA_POINT_MAKE = "data-point-make";
    /// Button in one: look inside.
    DATA_POINT_LOOK = "data-point-look";
    /// Button in one: throw it away.
    DATA_POINT_DROP = "data-point-drop";
    /// How much is used.
    DATA_USED = "data-used";
    /// Button: begin to remove everything.
    DATA_RESET = "data-reset";
    DATA_RESET_CARD = "data-reset-card";
    /// Button in it: a last export.
    DATA_RESET_EXPORT = "data-reset-export";
    /// Input in it: the words that confirm.
    DATA_RESET_WORD = "data-reset-word";
    /// Button in it: remove everything.
    DATA_RESET_GO = "data-reset-go";
}

impl Part {
    /// Such a part with this value of this attribute.
    pub(crate) fn with(self, attribute: &str, value: &str) -> Spot {
        Spot::from(self).with(attribute, value)
    }

    /// The last such part among its neighbours.
    pub(crate) fn last(self) -> Spot {
        Spot(format!("{}:last-of-type", Spot::from(self)))
    }

    /// This part inside such a part.
    pub(crate) fn inner(self, part: Part) -> Spot {
        Spot::from(self).inner(part)
    }
}

impl Spot {
    /// Any CSS selector: for pages that are not the app's.
    pub(crate) fn css(selector: &str) -> Self {
        Self(selector.to_owned())
    }

    #[must_use]
    pub(crate) fn with(self, attribute: &str, value: &str) -> Self {
        Self(format!("{}[{attribute}=\"{value}\"]", self.0))
    }

    #[must_use]
    pub(crate) fn inner(self, part: Part) -> Self {
        Self(format!("{} {}", self.0, Spot::from(part).0))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Part> for Spot {
    fn from(part: Part) -> Self {
        Self(format!("[{}=\"{}\"]", part.0, part.1))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn agent_card(agent: &str) -> Spot {
    AGENT_CARD.with("data-agent", agent)
}

pub(crate) fn answers_of(agent: &str) -> Spot {
    MESSAGE.with("data-role", "assistant").with("data-agent", agent)
}
