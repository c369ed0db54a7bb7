//! Selectors of the interface for flows: each constant is a `data-testid`, or an `id` on the recovery screen.
//!
//! The documented attributes are part of the contract. Flows use no classes or tags, and only what is listed here; a
//! listed selector that the page lacks is a failure.

use std::fmt;

/// Attribute and value that mark a part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestId(&'static str, &'static str);

macro_rules! test_ids {
    ($($(#[$about:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$about])* pub(crate) const $name: TestId = TestId("data-testid", $id);)*
    };
}

mod archivist;
mod board;
mod message_actions;
mod other_sessions;
mod runs;
mod settings;
mod tree_screen;
mod workers;

pub(crate) use archivist::*;
pub(crate) use board::*;
pub(crate) use message_actions::*;
pub(crate) use other_sessions::*;
pub(crate) use runs::*;
pub(crate) use settings::*;
pub(crate) use tree_screen::*;
pub(crate) use workers::*;

// Any screen.
test_ids! {
    /// Replaces a screen whose chunk could not be loaded.
    NOT_LOADED = "not-loaded";
    /// Button in it: retry loading.
    LOAD_AGAIN = "load-again";
}

// First start.
test_ids! {
    /// The screen of a new visitor; removed after `FIRST_GO`.
    FIRST_START = "first-start";
    /// Input: the operator's name.
    FIRST_NAME = "first-name";
    /// Input: API key of Gemini.
    FIRST_KEY = "first-key";
    /// Button: use the demo without a key.
    FIRST_DEMO = "first-demo";
    /// Text area: the objective.
    FIRST_OBJECTIVE = "first-objective";
    /// Button: start.
    FIRST_GO = "first-go";
    /// Button: a prepared objective of the demo.
    FIRST_IDEA = "first-idea";
    /// Says that the demo does not support the objective; empty if it does.
    FIRST_NOT_PREPARED = "first-not-prepared";
}

// Below a demo answer that needs a model.
test_ids! {
    /// Offers to connect a model.
    DEMO_OFFER = "demo-offer";
    /// Link in it: to the providers.
    CONNECT_MODEL = "connect-model";
    /// Button in it: a prepared objective as the next message.
    DEMO_OBJECTIVE = "demo-objective";
}

// Sessions and turns, above the war room.
test_ids! {
    SESSION_LIST = "session-list";
    SESSION_NEW = "session-new";
    SESSION_CLOSE = "session-close";
    /// Button in a row: close the session.
    SESSION_END = "session-end";
    /// Input in it: filter.
    SESSION_SEARCH = "session-search";
    /// Button in it: filter by status; `data-filter` is `Open`, `Archived` or `Deleted`.
    SESSION_FILTER = "session-filter";
    /// A session in it; `data-session` is its id.
    SESSION_ROW = "session-row";
    /// Button in a row: open it; `data-session` is its id.
    SESSION_OPEN = "session-open";
    /// Button in a row: rename it.
    SESSION_NAME = "session-name";
    SESSION_LABEL = "session-label";
    SESSION_KEEP = "session-keep";
    /// Button in a row: archive it.
    SESSION_ARCHIVE = "session-archive";
    /// Button in a row: unarchive it.
    SESSION_REOPEN = "session-reopen";
    SESSION_DELETE = "session-delete";
    /// Button in a row: restore it.
    SESSION_RESTORE = "session-restore";
    /// Button: undo the last archiving or deletion.
    SESSION_UNDO = "session-undo";
    /// Error of an action.
    SESSION_ERROR = "session-error";
    /// Button at a message of the operator: edit and resend.
    MESSAGE_EDIT = "message-edit";
    /// Button at a message: menu of its turn.
    TURN_ACTIONS = "turn-actions";
    /// The menu.
    TURN_MENU = "turn-menu";
    /// Button in it: fork from here.
    TURN_CONTINUE = "turn-continue";
    TURN_CONTINUE_NAME = "turn-continue-name";
    /// Button in it: edit the message.
    TURN_EDIT = "turn-edit";
    /// Button in it: retry.
    TURN_AGAIN = "turn-again";
    /// Select in it: the agent that answers.
    TURN_AGAIN_AGENT = "turn-again-agent";
    /// Select in it: the model of the retry.
    TURN_AGAIN_MODEL = "turn-again-model";
    /// Button in it: compare models on the same message.
    TURN_RACE = "turn-race";
    RACE_DIALOG = "race-dialog";
    /// Field in it: the message.
    RACE_TEXT = "race-text";
    /// Select in it, three times: a model.
    RACE_MODEL = "race-model";
    /// Why it cannot start.
    RACE_PROBLEM = "race-problem";
    RACE_START = "race-start";
    RACE = "race";
    RACE_LANE = "race-lane";
    RACE_STATUS = "race-status";
    RACE_FAILED = "race-failed";
    RACE_CHANGES = "race-changes";
    RACE_FIGURES = "race-figures";
    /// In the dialog: attached images.
    RACE_IMAGES = "race-images";
    /// Button of a lane: use its answer.
    RACE_USE = "race-use";
    /// Button of a lane: compare it with another.
    RACE_COMPARE = "race-compare";
    /// Button of a lane: use it and merge another into it.
    RACE_MERGE = "race-merge";
    /// Button: end without an answer.
    RACE_END = "race-end";
    RACE_STOP = "race-stop";
    /// Button in it: reset the session to this turn.
    TURN_BACK = "turn-back";
    /// Button in it: open the snapshot of the turn.
    TURN_SNAPSHOT = "turn-snapshot";
    /// Snapshot of a turn, in place of the panes.
    SNAPSHOT = "snapshot";
    SNAPSHOT_TITLE = "snapshot-title";
    /// The conversation up to it.
    SNAPSHOT_STATUS = "snapshot-status";
    SNAPSHOT_MIND = "snapshot-mind";
    SNAPSHOT_DIFFERS = "snapshot-differs";
    /// Button: fork from it.
    SNAPSHOT_CONTINUE = "snapshot-continue";
    /// Button: close the snapshot.
    SNAPSHOT_RETURN = "snapshot-return";
    /// Shown if it cannot be read.
    SNAPSHOT_GONE = "snapshot-gone";
    /// Button in a row of the session list: its reflog.
    SESSION_HEADS = "session-heads";
    HEAD_LIST = "head-list";
    HEAD_ROW = "head-row";
    /// Button in a row: fork from it.
    HEAD_CONTINUE = "head-continue";
    /// Editor that replaces a message.
    EDIT_MESSAGE = "edit-message";
    EDIT_TEXT = "edit-text";
    /// Button below it: send.
    EDIT_RESEND = "edit-resend";
    EDIT_CANCEL = "edit-cancel";
    /// Position among sibling turns, such as `2/3`, with buttons.
    SIBLING_PLACE = "sibling-place";
    /// Button: the previous sibling.
    SIBLING_PREVIOUS = "sibling-previous";
    SIBLING_NEXT = "sibling-next";
    /// Marks that the part above belongs to another session.
    FORK_MARK = "fork-mark";
    /// Button: go to the newest later turn.
    GO_AHEAD = "go-ahead";
}

// War room.
test_ids! {
    /// The screen; present once the program runs and the store is open.
    WAR_ROOM = "war-room";
    /// Text area: the message.
    COMPOSER = "composer";
    COMPOSER_UNKNOWN = "composer-unknown";
    /// Button: send, or queue during a run.
    SEND = "send";
    /// A file, or a paste too large for the field, that will be sent with the message.
    ATTACHMENT = "attachment";
    /// Button: stop the run. Present only during a run.
    STOP = "stop";
    /// Select: the recipient, `ALL` or an agent's key.
    TARGET_SELECT = "target-select";
    /// Completion list of `@…`.
    MENTION_LIST = "mention-list";
    /// Checkbox: keep going until done.
    KEEP_GOING = "keep-going";
    /// Status of the run; `data-state` is `idle` or a run status in lower case.
    RUN_STATE = "run-state";
    /// Button: opens the session list; its text names the current session, `data-session` is its id.
    SESSION_SWITCHER = "session-switcher";
    /// A card; `data-agent` is the agent's key in lower case, `data-state` is `idle`, `processing` or `error`,
    /// `data-muted` is `true` or `false`.
    AGENT_CARD = "agent-card";
    /// Button in a card: mute or unmute.
    AGENT_MUTE = "agent-mute";
    /// Button in a card: the next priority; its text is the current one.
    AGENT_PRIORITY = "agent-priority";
    /// The messages, oldest first.
    TIMELINE = "timeline";
    /// A message; `data-role` is `user`, `assistant`, `system` or `tool`, `data-agent` the agent's key if it has one,
    /// `data-status` is `processing`, `completed` or `failed`, and `data-reason` the reason for a failure:
    /// `cancelled`, `interrupted`, `cut_off`, `timed_out`, `error`.
    MESSAGE = "message";
    /// Its text, without thinking and headings.
    MESSAGE_TEXT = "message-text";
    /// Names the images that its model was not sent.
    MESSAGE_UNSEEN = "message-unseen";
    /// Lists parts of its stream that could not be used.
    MESSAGE_FAULT = "message-fault";
    /// Usage in tokens and estimated cost.
    MESSAGE_USAGE = "message-usage";
    /// The cost in it; absent if the price is unknown.
    MESSAGE_COST = "message-cost";
    MESSAGE_THINKING = "message-thinking";
    /// A tool run; `data-tool` is its name, `data-status` its state in lower case.
    TOOL_CARD = "tool-card";
    /// Many calls of one tool in one answer; opening it shows their cards below.
    TOOL_GROUP = "tool-group";
    /// Summary of a round in two lines: changes and outcome.
    ROUND = "round";
    /// An error with advice.
    ERROR_CARD = "error-card";
    ERROR_FIELD = "error-field";
    /// Button in an error card: retry.
    RETRY = "retry";
    /// A run that was interrupted or stopped, or agents that were not called.
    RUN_CARD = "run-card";
    /// Button: resume a run that was interrupted, stopped or paused.
    RESUME = "resume";
    /// Button: end such a run.
    END_RUN = "end-run";
    /// A queued message.
    QUEUE_ITEM = "queue-item";
    /// Button: end the paused run that queued messages wait for.
    QUEUE_END_RUN = "queue-end-run";
    /// Button in it: edit it.
    QUEUE_EDIT = "queue-edit";
    /// Text area in it.
    QUEUE_TEXT = "queue-text";
    /// Button below that: save.
    QUEUE_KEEP = "queue-keep";
    /// Select in it: its queue mode; `data-mode` of the item is the mode.
    QUEUE_ITEM_MODE = "queue-item-mode";
    /// Select in the composer during a run: queue mode of the next message.
    QUEUE_MODE = "queue-mode";
    /// Button in it: remove it from the queue.
    QUEUE_WITHDRAW = "queue-withdraw";
    /// Button below the text area: discard the edit.
    QUEUE_LEAVE = "queue-leave";
    /// Messages held by Stop; `data-held` of an item is `true` if it is held.
    QUEUE_HELD = "queue-held";
    /// Button in an item: send only it. Present if several are held.
    QUEUE_SEND = "queue-send";
    /// Button: send all held messages.
    QUEUE_SEND_ALL = "queue-send-all";
    /// Button: discard all held messages.
    QUEUE_DISCARD_ALL = "queue-discard-all";
}

// In an answer.
test_ids! {
    /// Button at a code block: wrap long lines; `aria-pressed` is the state.
    CODE_WRAP = "code-wrap";
    /// Button at a code block: copy.
    CODE_COPY = "code-copy";
    /// Button at a code block: create a file, after asking for its name.
    CODE_OPEN = "code-open";
    /// Button at a code block: apply it to a file, after showing the diff.
    CODE_APPLY = "code-apply";
    /// The diff.
    APPLY_DIFF = "apply-diff";
    /// Button below it: apply.
    APPLY_ACCEPT = "apply-accept";
    /// Button below it: discard.
    APPLY_DISCARD = "apply-discard";
    FILE_NAME = "file-name";
}

// Approvals and retries.
test_ids! {
    /// A tool run that waits for approval, with `data-tool` and `data-agent`.
    APPROVAL_CARD = "approval-card";
    /// In it: the exact arguments; a text area while they are edited.
    APPROVAL_ARGS = "approval-args";
    /// Button in it: run it as requested, or as edited.
    APPROVAL_APPROVE = "approval-approve";
    /// Button in it: edit the arguments, or discard the edit.
    APPROVAL_EDIT = "approval-edit";
    /// Button in it: deny.
    APPROVAL_DENY = "approval-deny";
    /// Input in it: reason for denial.
    APPROVAL_REASON = "approval-reason";
    /// Checkbox in it: always allow this tool for this agent.
    APPROVAL_ALWAYS = "approval-always";
    /// Time until a retry.
    RETRY_COUNTDOWN = "retry-countdown";
    /// Button beside it: retry now.
    RETRY_NOW = "retry-now";
    /// Button beside it: cancel the retry.
    RETRY_STOP = "retry-stop";
    /// The card of a call that waits, with the three above and the reason.
    RETRY_CARD = "retry-card";
    /// What to check if a provider cannot be reached, in an error card.
    REACH_CHECKS = "reach-checks";
    /// A run that reached its limit.
    CAP_CARD = "cap-card";
    /// Button in it: raise the limit and continue.
    CAP_RAISE = "cap-raise";
    /// Button in it: end the run.
    CAP_END = "cap-end";
}

// Everywhere.
test_ids! {
    /// A temporary notice.
    NOTICE = "notice";
    /// Button in one: undo the reported action.
    NOTICE_UNDO = "notice-undo";
    /// A permanent notice; `data-kind` is `read-only`, `memory` or `rehearsal`.
    BANNER = "banner";
    /// Button in the read-only one: take over in this tab.
    WORK_HERE = "work-here";
}

// The palette, on every screen.
test_ids! {
    OPEN_PALETTE = "open-palette";
    /// The dialog with all actions.
    PALETTE = "palette";
    PALETTE_INPUT = "palette-input";
    /// An action; `data-action` is its name in the registry, `aria-selected` is `true` on the one that Enter runs,
    /// `aria-disabled` is `true` if it is not available.
    PALETTE_ROW = "palette-row";
    /// Number of results, or why the chosen action is not available.
    PALETTE_STATUS = "palette-status";
    /// The dialog with all shortcuts.
    KEY_SHEET = "key-sheet";
    KEY_SHEET_CLOSE = "key-sheet-close";
    SHEET_LINE = "sheet-line";
    /// Select in the settings: single-key shortcuts, `on` or `off`.
    SINGLE_KEYS = "single-keys";
    /// Select there: `comfortable` or `compact`.
    DENSITY = "density";
    /// Select there: text size in percent.
    TEXT_SIZE = "text-size";
    /// Select there: `auto`, `reduced` or `full`.
    MOTION = "motion";
    /// Button above the files: new file.
    FILE_NEW = "file-new";
    /// Button below a file: delete it.
    FILE_DELETE = "file-delete";
}

// Audit and inspector.
test_ids! {
    OPEN_AUDIT = "open-audit";
    /// Number of listed events; `data-done` is `true` when all were read and searched.
    AUDIT_COUNT = "audit-count";
    /// An event in it, with `data-kind`, `data-seq` and `data-stream`.
    AUDIT_ROW = "audit-row";
    AUDIT_LIST = "audit-list";
    /// Button in it: show the whole run; `data-run` is its id.
    AUDIT_RUN = "audit-run";
    /// Input: id of a run.
    AUDIT_RUN_FIELD = "audit-run-field";
    AUDIT_TOPIC = "audit-topic";
    AUDIT_AGENT = "audit-agent";
    AUDIT_KIND = "audit-kind";
    AUDIT_TEXT = "audit-text";
    /// Button: clear the filter.
    AUDIT_CLEAR = "audit-clear";
    /// Button: export the list.
    AUDIT_EXPORT = "audit-export";
    /// The open event.
    AUDIT_DETAIL = "audit-detail";
    AUDIT_JSON = "audit-json";
    /// Button on the first screen: search for a local model.
    FIRST_LOCAL = "first-local";
    /// Result of that search.
    FIRST_LOCAL_STATUS = "first-local-status";
    FIRST_LOCAL_MODEL = "first-local-model";
    /// What to check if no server responded.
    FIRST_LOCAL_HELP = "first-local-help";
    FIRST_LOCAL_AGAIN = "first-local-again";
    /// Button: unfold the activity feed.
    ACTIVITY_OPEN = "activity-open";
    /// Link of a feed item to its event.
    ACTIVITY_LINK = "activity-link";
    /// Link at an answer to its turn in the inspector.
    INSPECT_TURN = "inspect-turn";
    INSPECT_HEAD = "inspect-head";
    /// Link to its run in the audit.
    INSPECT_RUN = "inspect-run";
    /// A call; `data-call` is its number.
    INSPECT_CALL = "inspect-call";
    /// A figure in it; `data-figure` is its name.
    INSPECT_FIGURE = "inspect-figure";
    INSPECT_CONTEXT = "inspect-context";
    INSPECT_PICTURE_LEFT_OUT = "inspect-picture-left-out";
    /// An attempt; `data-attempt` is its number, `data-state` is `open`, `answered`, `failed` or `closed`.
    INSPECT_TRY = "inspect-try";
    /// Its error.
    INSPECT_FAILURE = "inspect-failure";
    INSPECT_REQUEST = "inspect-request";
    /// Whether it matches what was sent; `data-agrees` is `yes`, `no` or `unknown`.
    INSPECT_AGREES = "inspect-agrees";
    /// Button: copy the body.
    INSPECT_BODY = "inspect-body";
    /// Button: copy the request as a curl command.
    INSPECT_CURL = "inspect-curl";
    INSPECT_RESPONSE = "inspect-response";
    /// Why there is none.
    INSPECT_NO_RESPONSE = "inspect-no-response";
    /// Input in the settings: retention of raw responses in days.
    RAW_DAYS = "raw-days";
}

// The recovery screen works without the program and marks its parts by `id`.

/// The screen after a crash.
pub(crate) const RECOVERY: TestId = TestId("id", "recovery");
/// Button: export everything.
pub(crate) const RECOVERY_EXPORT: TestId = TestId("id", "recovery-export");
/// Button: reload the page.
pub(crate) const RECOVERY_RELOAD: TestId = TestId("id", "recovery-reload");

/// Button: start without the last session.
pub(crate) const RECOVERY_SAFE: TestId = TestId("id", "recovery-safe");

/// A CSS selector.
#[derive(Debug, Clone)]
pub(crate) struct Selector(String);

/// Button on the recovery screen: copy the report.
pub(crate) const RECOVERY_COPY: TestId = TestId("id", "recovery-copy");
/// The report there, in a read-only field.
pub(crate) const RECOVERY_REPORT: TestId = TestId("id", "recovery-report");
/// Result of the last click there.
pub(crate) const RECOVERY_STATUS: TestId = TestId("id", "recovery-status");

// Data section of the settings.
test_ids! {
    /// Input: search the settings.
    SETTINGS_SEARCH = "settings-search";
    /// Number of results.
    SETTINGS_FOUND = "settings-found";
    /// Button: export everything.
    DATA_EXPORT = "data-export";
    /// Button: export the selected session.
    DATA_EXPORT_ONE = "data-export-one";
    DATA_EXPORT_STATUS = "data-export-status";
    /// The import card.
    DATA_IMPORT_CARD = "data-import-card";
    /// Input: the file to import.
    DATA_IMPORT_FILE = "data-import-file";
    /// A session of that file; `data-imported` is whether it would be imported, `data-hash` is its hash.
    DATA_SESSION = "data-session";
    DATA_IMPORT_TAKE = "data-import-take";
    /// Button: cancel.
    DATA_IMPORT_AWAY = "data-import-away";
    DATA_IMPORT_DONE = "data-import-done";
    /// A proposal of the imported file; `data-kind` is `provider`, `agent` or `setting`, `data-key` its key.
    DATA_PROPOSAL = "data-proposal";
    /// Button in it: accept.
    DATA_ACCEPT = "data-accept";
    DATA_ACCEPT_ALL = "data-accept-all";
    DATA_POINT = "data-point";
    DATA_POINT_MAKE = "data-point-make";
    /// Button in one: preview.
    DATA_POINT_LOOK = "data-point-look";
    /// Button in one: delete.
    DATA_POINT_DROP = "data-point-drop";
    DATA_POINT_DROP_YES = "data-point-drop-yes";
    /// Storage in use.
    DATA_USED = "data-used";
    /// Button: start the factory reset.
    DATA_RESET = "data-reset";
    DATA_RESET_CARD = "data-reset-card";
    /// Button in it: export before.
    DATA_RESET_EXPORT = "data-reset-export";
    /// Input in it: the confirmation text.
    DATA_RESET_WORD = "data-reset-word";
    /// Button in it: erase everything.
    DATA_RESET_GO = "data-reset-go";
}

impl TestId {
    /// This part with an attribute value.
    pub(crate) fn with(self, attribute: &str, value: &str) -> Selector {
        Selector::from(self).with(attribute, value)
    }

    /// The last such part among its siblings.
    pub(crate) fn last(self) -> Selector {
        Selector(format!("{}:last-of-type", Selector::from(self)))
    }

    /// A part inside this part.
    pub(crate) fn inner(self, part: TestId) -> Selector {
        Selector::from(self).inner(part)
    }
}

impl Selector {
    /// Any CSS selector, for pages other than the app's.
    pub(crate) fn css(selector: &str) -> Self {
        Self(selector.to_owned())
    }

    #[must_use]
    pub(crate) fn with(self, attribute: &str, value: &str) -> Self {
        Self(format!("{}[{attribute}=\"{value}\"]", self.0))
    }

    #[must_use]
    pub(crate) fn inner(self, part: TestId) -> Self {
        Self(format!("{} {}", self.0, Selector::from(part).0))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<TestId> for Selector {
    fn from(part: TestId) -> Self {
        Self(format!("[{}=\"{}\"]", part.0, part.1))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn agent_card(agent: &str) -> Selector {
    AGENT_CARD.with("data-agent", agent)
}

pub(crate) fn answers_of(agent: &str) -> Selector {
    MESSAGE.with("data-role", "assistant").with("data-agent", agent)
}
