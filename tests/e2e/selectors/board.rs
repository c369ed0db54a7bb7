//! Selectors for the board (Core, fields, files, changes) and for voice.

use super::TestId;

// The bar of changes, and the left pane.
test_ids! {
    /// Number of changes by agents that are not reviewed.
    CHANGES_SUMMARY = "changes-summary";
    CHANGES_REVIEW = "changes-review";
    CHANGES_ACCEPT = "changes-accept";
    CHANGES_REVERT = "changes-revert";
    /// A session in the left pane.
    RAIL_SESSION = "rail-session";
    RAIL_NEW = "rail-new";
    /// Button beside it: menu.
    RAIL_MENU = "rail-menu";
    SESSION_MENU = "session-menu";
    /// Entry in it: pin or unpin.
    SESSION_PIN = "session-pin";
    SESSION_RENAME = "session-rename";
    /// Entry in it: delete.
    SESSION_MENU_DELETE = "session-menu-delete";
    /// Select: the agent whose main session it is.
    SESSION_OWNER = "session-owner";
    /// Entry in it: export the conversation as HTML.
    SESSION_HTML = "session-html";
    /// Entry in it: export the conversation as Markdown.
    SESSION_MARKDOWN = "session-markdown";
    USAGE = "usage";
    /// Total usage.
    USAGE_SUMMARY = "usage-summary";
    USAGE_ROW = "usage-row";
    /// Grouping of the usage table.
    USAGE_BY = "usage-by";
    HELP = "help";
    HELP_VERSION = "help-version";
    /// Button in it: shortcuts.
    HELP_KEYS = "help-keys";
    /// Button in the composer on a phone: show more controls.
    COMPOSER_MORE = "composer-more";
    /// Button in the composer: expand or shrink.
    COMPOSER_SIZE = "composer-size";
    /// Model of an agent; links to its setting.
    AGENT_CARD_MODEL = "agent-card-model";
    MODEL_MENU = "model-menu";
    MODEL_MENU_SETTINGS = "model-menu-settings";
    MODEL_MENU_THINKING = "model-menu-thinking";
}

// The Core.
test_ids! {
    /// Status on the board; `data-state` is `idle`, `waiting`, `queued`, `syncing`, `retrying` or `failed`.
    CORE = "core";
    /// In it: the status text.
    CORE_STATUS = "core-status";
    /// Button in it: sync now.
    CORE_SYNC = "core-sync";
    CORE_STOP = "core-stop";
    CORE_FAILED = "core-failed";
    /// Button there: retry.
    CORE_RETRY = "core-retry";
    CORE_USAGE = "core-usage";
    /// In it: why it changed nothing.
    CORE_VIEWED = "core-viewed";
    /// In it: its last change, folded; `data-undone` is `true` if the operator undid it.
    CORE_CHANGE = "core-change";
    CORE_REASON = "core-reason";
    /// Button in it: undo.
    CORE_UNDO = "core-undo";
    /// A proposed change.
    CORE_PROPOSAL = "core-proposal";
    CORE_APPLY = "core-apply";
    /// Button in it: dismiss.
    CORE_DISMISS = "core-dismiss";
    /// Button of its failed sync: dismiss the card.
    CORE_FAILED_DISMISS = "core-failed-dismiss";
    /// Input: search the names of many files.
    FILE_SEARCH = "file-search";
    /// Checkbox in the settings: propose only.
    CORE_PROPOSE = "core-propose";
    /// In its timeline message: its changes.
    CORE_NOTE = "core-note";
}

// Context board.
test_ids! {
    /// Text area: the objective.
    OBJECTIVE_FIELD = "objective";
    /// Text area: the scratchpad.
    SCRATCHPAD = "scratchpad";
    /// A file's tab; `data-file` is its name, `data-active` is `true` on the open one.
    FILE_TAB = "file-tab";
    /// Text of the active file: an editor, or a text area without the editor chunk. Its `value` is the text.
    FILE_EDITOR = "file-editor";
    /// Note above a long file that is read-only without the editor.
    FILE_LARGE = "file-large";
    /// Text of such a file.
    FILE_LONG = "file-long";
    /// Button above the editor: find and replace.
    CODE_FIND = "code-find";
    /// Button above the editor: go to line.
    CODE_GO_TO = "code-go-to";
    /// Button above the editor: wrap long lines.
    EDITOR_WRAP = "editor-wrap";
    /// Advice for a conflict between an agent and the operator.
    CONFLICT = "conflict";
    CONFLICT_KEEP = "conflict-keep";
}

// Files.
test_ids! {
    /// Button: open or close the file panel, which replaces the editor.
    FILE_ALL = "file-all";
    /// The file panel: opening, list of all files, linked folder.
    FILES_PANEL = "files-panel";
    /// Input in it: files to open.
    FILE_PICK = "file-pick";
    /// Input in it: a folder to open.
    FILE_PICK_FOLDER = "file-pick-folder";
    /// Button in it: download all as an archive.
    FILE_ZIP = "file-zip";
    /// Result of opening a file; `data-file` is its name, `data-kind` is `refused`, `same` or `taken`.
    ARRIVAL = "arrival";
    /// Button in it: replace the existing file.
    ARRIVAL_REPLACE = "arrival-replace";
    /// Button in it: use another name.
    ARRIVAL_BOTH = "arrival-both";
    /// A folder in the list; `data-folder` is its path. A button that folds it.
    FILE_FOLDER = "file-folder";
    /// A file in the list; `data-file` is its name.
    FILE_ROW = "file-row";
    /// Button in it: open it in the editor.
    FILE_OPEN = "file-open";
    /// Button in it: rename.
    FILE_ROW_RENAME = "file-row-rename";
    FILE_ROW_DOWNLOAD = "file-row-download";
    FILE_ROW_DELETE = "file-row-delete";
    /// Button: choose a folder to link.
    FOLDER_TIE = "folder-tie";
    /// Name of the linked folder and number of differing files.
    FOLDER_LINKED = "folder-linked";
    FOLDER_LAPSED = "folder-lapsed";
    /// Button: request permission again.
    FOLDER_ALLOW = "folder-allow";
    /// Note that the permission was denied.
    FOLDER_ERROR = "folder-error";
    FOLDER_UNTIE = "folder-untie";
    /// Button: diff with the folder.
    FOLDER_COMPARE = "folder-compare";
    /// Button: write the local changes.
    FOLDER_WRITE = "folder-write";
    /// Why no folder can be linked.
    FOLDER_PROBLEM = "folder-problem";
    /// A differing file; `data-file` is its name, `data-kind` the kind of difference.
    FOLDER_DIFFERENCE = "folder-difference";
    /// Button in it: write the local version.
    FOLDER_OURS = "folder-ours";
    /// Button in it: use the version on disk.
    FOLDER_THEIRS = "folder-theirs";
    /// An image attached to the next message.
    IMAGE_CHIP = "image-chip";
    /// Agents that will not be sent the images.
    IMAGE_UNSEEN = "image-unseen";
    /// File excerpt in a message, folded.
    PASSAGE = "passage";
}

// Voice.
test_ids! {
    /// Button in the composer: start or stop listening. Absent without browser support.
    MICROPHONE = "microphone";
    /// Button at a message: start or stop reading aloud. Absent without browser support.
    READ_ALOUD = "read-aloud";
    /// The bar; `data-state` is `idle`, `listening`, `hands-free`, `resting`, `reading` or `error`.
    VOICE = "voice";
    /// In it: the error; `data-code` is the browser's code, or `nothing-heard`, `hidden`, `elsewhere`, `mouth`.
    VOICE_TROUBLE = "voice-trouble";
    /// Button in it: toggle hands-free.
    VOICE_HANDS_FREE = "voice-hands-free";
    /// Button in it: toggle reading of new answers.
    VOICE_AUTO_READ = "voice-auto-read";
    /// Button in it: stop listening and reading.
    VOICE_STOP = "voice-stop";
    /// In the settings: why there is no microphone.
    VOICE_NO_RECOGNITION = "voice-no-recognition";
    /// There: why nothing is read.
    VOICE_NO_SYNTHESIS = "voice-no-synthesis";
    /// Note that no voice is installed.
    VOICE_NO_VOICES = "voice-no-voices";
    /// Checkbox there: read answers aloud.
    VOICE_AUTO_READ_SETTING = "voice-auto-read-setting";
    /// Checkbox there: start hands-free.
    VOICE_HANDS_FREE_SETTING = "voice-hands-free-setting";
    /// Select there: the language.
    VOICE_LANGUAGE = "voice-language";
    /// Text area there: languages to choose from.
    VOICE_LANGUAGES = "voice-languages";
    /// Card there: voice of an agent; `data-agent` is its key.
    VOICE_AGENT = "voice-agent";
    VOICE_OF = "voice-of";
    /// Input in it: rate.
    VOICE_RATE = "voice-rate";
    /// Input in it: pitch.
    VOICE_PITCH = "voice-pitch";
    /// Button in it: play a sample.
    VOICE_TEST = "voice-test";
}

// Changes and preview.
test_ids! {
    FACE_EDIT = "face-edit";
    /// Button: compare view.
    FACE_COMPARE = "face-compare";
    /// Button: preview.
    FACE_PREVIEW = "face-preview";
    /// Button below the timeline: preview of the page that agents wrote.
    SEE_IT_RUN = "see-it-run";
    /// The preview; `data-state` is `loading`, `running`, `scripts are off`, `shown` or `stopped`.
    PREVIEW = "preview";
    PREVIEW_FILE = "preview-file";
    /// An image in it; `data-zoom` is `fit` or `full`.
    PREVIEW_RASTER = "preview-raster";
    /// Its size in pixels, type and file size.
    PICTURE_ABOUT = "picture-about";
    /// Button: fit.
    PICTURE_FIT = "picture-fit";
    /// Button: actual size.
    PICTURE_FULL = "picture-full";
    /// Button at an image of a message: open it in the preview.
    PICTURE_OPEN = "picture-open";
    /// Files that the page refers to and that do not exist.
    PREVIEW_MISSING = "preview-missing";
    PREVIEW_SCRIPTS_OFF = "preview-scripts-off";
    /// Button in it: allow scripts.
    PREVIEW_SCRIPTS = "preview-scripts";
    /// Why the page was stopped.
    PREVIEW_STOPPED = "preview-stopped";
    /// Button in it: run again.
    PREVIEW_RERUN = "preview-rerun";
    PREVIEW_CONSOLE = "preview-console";
    /// A console line; `data-tone` is `log`, `warn` or `error`.
    PREVIEW_LINE = "preview-line";
    /// Button below the timeline: run the checks of the session's files.
    RUN_CHECKS = "run-checks";
    /// The dialog that runs them.
    CHECKS = "checks";
    /// In it: the result; `data-verdict` is `passed`, `failed` or `no_tests`.
    CHECKS_SUMMARY = "checks-summary";
    CHECKS_TESTS = "checks-tests";
    /// A test in it; `data-state` is `passed`, `failed` or `skipped`.
    CHECK_TEST = "check-test";
    /// In it: errors in files.
    CHECKS_PROBLEMS = "checks-problems";
    /// In it: files that were not checked.
    CHECKS_UNCHECKED = "checks-unchecked";
    /// Select in it: recipient of the failures.
    CHECKS_TO = "checks-to";
    /// Button in it: put failures into the composer.
    CHECKS_SEND = "checks-send";
    CHECKS_CLOSE = "checks-close";
    COMPARE = "compare";
    /// Select in it: base of the comparison: `review`, `run`, `round`, `sync`, or a turn's id.
    COMPARE_BASE = "compare-base";
    /// Number of changes.
    COMPARE_FIGURES = "compare-figures";
    /// The list of changes; `data-sides` is `true` in two columns.
    COMPARE_LIST = "compare-list";
    /// Header of a field; `data-field` is its name, `data-reviewed` is `true` if all of it is reviewed.
    COMPARE_FIELD = "compare-field";
    /// Button in the list: show unchanged lines.
    COMPARE_FOLD = "compare-fold";
    /// Header of a hunk; `data-at` is `true` at the reading position, `data-reviewed` if it is reviewed.
    HUNK = "hunk";
    /// Button in it: mark as reviewed.
    HUNK_ACCEPT = "hunk-accept";
    /// Button in it: restore the old lines.
    HUNK_REVERT = "hunk-revert";
    /// Button in it: go to its turn.
    HUNK_TURN = "hunk-turn";
    /// Checkbox: two columns, if there is room.
    COMPARE_SIDES = "compare-sides";
    /// Button in the header of a field: mark all of it as reviewed.
    ACCEPT_FILE = "accept-file";
    /// Button in the header of a field: restore its old text.
    REVERT_FILE = "revert-file";
    /// Button: mark all visible changes as reviewed.
    ACCEPT_ALL = "accept-all";
    /// Form that sends selected hunks back.
    SEND_BACK_FORM = "send-back-form";
    /// Text area in it: the remark.
    SEND_BACK_REMARK = "send-back-remark";
    SEND_BACK = "send-back";
    /// Button: show the recap.
    CATCH_UP_OPEN = "catch-up-open";
    CATCH_UP = "catch-up";
    /// Button in it: show all changes of the run.
    CATCH_UP_REVIEW = "catch-up-review";
    /// Button in it: undo the last round.
    CATCH_UP_UNDO = "catch-up-undo";
    /// In it: outcome and usage of the run.
    CATCH_UP_SUMMARY = "catch-up-summary";
    /// In it, folded: objective and scratchpad before and after.
    CATCH_UP_PLAN = "catch-up-plan";
}

// Options of one message.
test_ids! {
    /// Button: options of this message.
    OVERRIDE_OPEN = "override-open";
    /// Options in effect until the message is sent.
    OVERRIDE_CHIP = "override-chip";
    /// Button in it: reset.
    OVERRIDE_CLEAR = "override-clear";
    OVER = "over";
    /// In it, folded: tool permissions.
    OVERRIDE_TOOLS = "override-tools";
    /// Select in it: permission of a tool or group; `data-tool` is its name.
    OVERRIDE_TOOL = "override-tool";
    /// Button in it: close.
    OVERRIDE_DONE = "override-done";
    /// Options of a queued message.
    QUEUE_OVER = "queue-over";
    /// In the options dialog: thinking effort.
    OVERRIDE_THINKING = "override-thinking";
    OVERRIDE_TEMPERATURE = "override-temperature";
    /// In the inspector: tool permissions of the message.
    INSPECT_STATUS = "inspect-status";
}
