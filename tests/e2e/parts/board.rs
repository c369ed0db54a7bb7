//! Selectors for the board (Core, fields, files, changes) and for voice.

use super::Part;

// The bar of changes, and the left pane.
parts! {
    /// How much agents changed that nobody has reviewed.
    CHANGES_TOLD = "changes-told";
    CHANGES_REVIEW = "changes-review";
    CHANGES_KEEP = "changes-keep";
    CHANGES_UNDO = "changes-undo";
    /// A session in the left pane.
    RAIL_SESSION = "rail-session";
    RAIL_NEW = "rail-new";
    /// Button beside it: its menu.
    RAIL_MENU = "rail-menu";
    SESSION_MENU = "session-menu";
    /// Entry in it: first among the sessions, or no longer.
    SESSION_PIN = "session-pin";
    /// Choice: the agent whose main session it is.
    SESSION_OWNER = "session-owner";
    /// Entry in it: the conversation as one HTML page.
    SESSION_HTML = "session-html";
    /// Entry in it: the conversation as Markdown.
    SESSION_MARKDOWN = "session-markdown";
    USAGE = "usage";
    /// What all calls used.
    USAGE_TOLD = "usage-told";
    USAGE_ROW = "usage-row";
    /// By what calls are grouped.
    USAGE_BY = "usage-by";
    HELP = "help";
    HELP_VERSION = "help-version";
    /// Button in it: the list of shortcuts.
    HELP_KEYS = "help-keys";
    /// Button in the composer of a phone: shows the rarer controls.
    COMPOSER_MORE = "composer-more";
    /// Button in the composer: larger or smaller.
    COMPOSER_SIZE = "composer-size";
    /// The model of an agent, a link to where it is chosen.
    AGENT_CARD_MODEL = "agent-card-model";
    MODEL_MENU = "model-menu";
    MODEL_MENU_SETTINGS = "model-menu-settings";
    MODEL_MENU_THINKING = "model-menu-thinking";
}

// The Core.
parts! {
    /// Its place on the board; `data-state` is `idle`, `waiting`, `queued`, `syncing`, `retrying` or `failed`.
    CORE = "core";
    /// In it: where it stands, in words.
    CORE_SAID = "core-said";
    /// Button in it: ask it now.
    CORE_SYNC = "core-sync";
    CORE_STOP = "core-stop";
    CORE_FAILED = "core-failed";
    /// Button there: ask it again.
    CORE_RETRY = "core-retry";
    CORE_SPENT = "core-spent";
    /// In it: why it changed nothing.
    CORE_LOOKED = "core-looked";
    /// In it: what it last changed, folded; `data-undone` is `true` where the operator took it back.
    CORE_CHANGE = "core-change";
    CORE_REASON = "core-reason";
    /// Button in that: takes it back.
    CORE_UNDO = "core-undo";
    /// A change that it proposes.
    CORE_PROPOSAL = "core-proposal";
    CORE_APPLY = "core-apply";
    /// Button in that: leave everything as it is.
    CORE_DISMISS = "core-dismiss";
    /// Checkbox in the settings: whether it only proposes.
    CORE_PROPOSE = "core-propose";
    /// In a message of the timeline that tells of it: what it changed.
    CORE_NOTE = "core-note";
}

// Context board.
parts! {
    /// Text area: the primary directive.
    OBJECTIVE_FIELD = "objective";
    /// Text area: the scratchpad.
    SCRATCHPAD = "scratchpad";
    /// A file's tab; `data-file` is its name, `data-active` is `true` on the open one.
    FILE_TAB = "file-tab";
    /// The text of the active file: an editor, or a text area where none came. Its `value` is the text.
    FILE_EDITOR = "file-editor";
    /// What stands over a long file that can only be read, because no editor came.
    FILE_LARGE = "file-large";
    /// The text of such a file.
    FILE_LONG = "file-long";
    /// Button over the editor: finds and replaces.
    CODE_FIND = "code-find";
    /// Button over the editor: asks for a line to go to.
    CODE_GO_TO = "code-go-to";
    /// Button over the editor: breaks long lines, or not.
    EDITOR_WRAP = "editor-wrap";
    /// What to do where an agent and the operator wrote the same lines.
    CLASH = "clash";
}

// Files.
parts! {
    /// Button: opens the desk in the editor's place, or puts it away.
    FILE_ALL = "file-all";
    /// The desk: opening, the list of all files, the folder on disk.
    FILE_DESK = "file-desk";
    /// Input in it: a folder to open once.
    FILE_PICK_FOLDER = "file-pick-folder";
    /// Button in it: downloads all as one archive.
    FILE_ZIP = "file-zip";
    /// Something to say or to ask of a file that was opened; `data-file` is its name, `data-kind` is `refused`, `same`
    /// or `taken`.
    ARRIVAL = "arrival";
    /// Button in it: the file takes the place of the one that is there.
    ARRIVAL_REPLACE = "arrival-replace";
    /// Button in it: the file gets another name.
    ARRIVAL_BOTH = "arrival-both";
    /// A folder in the list; `data-folder` is its path. A button that folds it.
    FILE_FOLDER = "file-folder";
    /// A file in the list; `data-file` is its name.
    FILE_ROW = "file-row";
    /// Button in it: brings it into the editor.
    FILE_OPEN = "file-open";
    /// Button in it: asks for another name.
    FILE_ROW_RENAME = "file-row-rename";
    FILE_ROW_DOWNLOAD = "file-row-download";
    FILE_ROW_DELETE = "file-row-delete";
    /// Button: lets the operator pick a folder to tie.
    FOLDER_TIE = "folder-tie";
    /// Says which folder is tied, and how many files differ.
    FOLDER_TIED = "folder-tied";
    FOLDER_LAPSED = "folder-lapsed";
    /// Button: asks for it again.
    FOLDER_ALLOW = "folder-allow";
    /// Says that it was asked for and not given.
    FOLDER_REFUSED = "folder-refused";
    FOLDER_UNTIE = "folder-untie";
    /// Button: what differs from the folder, line by line.
    FOLDER_COMPARE = "folder-compare";
    /// Button: writes what changed only here.
    FOLDER_WRITE = "folder-write";
    /// Says why no folder can be tied.
    FOLDER_HINDERED = "folder-hindered";
    /// A file that differs; `data-file` is its name, `data-kind` how.
    FOLDER_DIFFERENCE = "folder-difference";
    /// Button in it: writes what stands here.
    FOLDER_OURS = "folder-ours";
    /// Button in it: takes what is on disk.
    FOLDER_THEIRS = "folder-theirs";
    /// An image that goes with the next message.
    IMAGE_CHIP = "image-chip";
    /// Says which agents will not be shown the images.
    IMAGE_BLIND = "image-blind";
    /// What a message brought along of a file, folded.
    PASSAGE = "passage";
}

// Voice.
parts! {
    /// Button beside the message: listens, or ends that. Absent where the browser cannot.
    MICROPHONE = "microphone";
    /// Button at a message: reads it aloud, or stops that. Absent where the browser cannot.
    READ_ALOUD = "read-aloud";
    /// The bar; `data-state` is `idle`, `listening`, `hands-free`, `resting`, `reading` or `error`.
    VOICE = "voice";
    /// In it: what went wrong; `data-code` is the browser's code, or `nothing-heard`, `hidden`, `elsewhere`, `mouth`.
    VOICE_TROUBLE = "voice-trouble";
    /// Button in it: hands-free, or not.
    VOICE_HANDS_FREE = "voice-hands-free";
    /// Button in it: answers are read as they come, or not.
    VOICE_AUTO_READ = "voice-auto-read";
    /// Button in it: ends listening and reading.
    VOICE_STOP = "voice-stop";
    /// In the settings: why there is no microphone.
    VOICE_NO_EARS = "voice-no-ears";
    /// There: why nothing is read.
    VOICE_NO_MOUTH = "voice-no-mouth";
    /// Says that no voice is installed.
    VOICE_NO_VOICES = "voice-no-voices";
    /// Checkbox there: answers are read.
    VOICE_AUTO_READ_SETTING = "voice-auto-read-setting";
    /// Checkbox there: the microphone begins hands-free.
    VOICE_HANDS_FREE_SETTING = "voice-hands-free-setting";
    /// Select there: the language.
    VOICE_LANGUAGE = "voice-language";
    /// Text area there: the languages to choose from.
    VOICE_LANGUAGES = "voice-languages";
    /// Card there: how an agent sounds; `data-agent` is its key.
    VOICE_AGENT = "voice-agent";
    VOICE_OF = "voice-of";
    /// Input in it: how quick.
    VOICE_RATE = "voice-rate";
    /// Input in it: how high.
    VOICE_PITCH = "voice-pitch";
    /// Button in it: hear it.
    VOICE_TEST = "voice-test";
}

// What changed.
parts! {
    FACE_EDIT = "face-edit";
    /// Button: shows what changed in it.
    FACE_COMPARE = "face-compare";
    /// Button: shows what it looks like when it runs.
    FACE_PREVIEW = "face-preview";
    /// Button below the timeline: shows the page that runs wrote.
    SEE_IT_RUN = "see-it-run";
    /// The preview; `data-state` is `loading`, `running`, `scripts are off`, `shown` or `stopped`.
    PREVIEW = "preview";
    PREVIEW_FILE = "preview-file";
    /// A picture in it; `data-zoom` is `fit` or `full`.
    PREVIEW_RASTER = "preview-raster";
    /// Its points, kind and size.
    PICTURE_ABOUT = "picture-about";
    /// Button: all of it in view.
    PICTURE_FIT = "picture-fit";
    /// Button: point by point.
    PICTURE_FULL = "picture-full";
    /// Button at a picture of a message: opens it in the preview.
    PICTURE_OPEN = "picture-open";
    /// The files that the page names and that are not there.
    PREVIEW_MISSING = "preview-missing";
    PREVIEW_SCRIPTS_OFF = "preview-scripts-off";
    /// Button in it: lets them run.
    PREVIEW_SCRIPTS = "preview-scripts";
    /// Why the page was stopped.
    PREVIEW_STOPPED = "preview-stopped";
    /// Button in it: runs it again.
    PREVIEW_RERUN = "preview-rerun";
    PREVIEW_CONSOLE = "preview-console";
    /// A line of it; `data-tone` is `log`, `warn` or `error`.
    PREVIEW_LINE = "preview-line";
    /// Button below the timeline: runs the checks of the session's files.
    RUN_CHECKS = "run-checks";
    /// The dialog that runs them.
    CHECKS = "checks";
    /// In it: what they came to; `data-verdict` is `passed`, `failed` or `no_tests`.
    CHECKS_TOLD = "checks-told";
    CHECKS_TESTS = "checks-tests";
    /// A test in it; `data-state` is `passed`, `failed` or `skipped`.
    CHECK_TEST = "check-test";
    /// In it: mistakes in files.
    CHECKS_PROBLEMS = "checks-problems";
    /// In it: what was not checked.
    CHECKS_UNCHECKED = "checks-unchecked";
    /// Select in it: whom failures are sent to.
    CHECKS_TO = "checks-to";
    /// Button in it: puts failures into the composer.
    CHECKS_SEND = "checks-send";
    CHECKS_CLOSE = "checks-close";
    COMPARE = "compare";
    /// Select in it: what is compared with: `review`, `run`, `round`, `sync`, or a turn's id.
    COMPARE_BASE = "compare-base";
    /// How many changes there are.
    COMPARE_FIGURES = "compare-figures";
    /// The list of changes; `data-sides` is `true` where old and new stand next to each other.
    COMPARE_LIST = "compare-list";
    /// The head of a field in it; `data-field` is its name, `data-reviewed` says whether all of it is reviewed.
    COMPARE_FIELD = "compare-field";
    /// Button in the list: shows lines that did not change.
    COMPARE_FOLD = "compare-fold";
    /// The head of a hunk; `data-at` is `true` where the reader is, `data-reviewed` where it is reviewed.
    HUNK = "hunk";
    /// Button in it: it is reviewed.
    HUNK_ACCEPT = "hunk-accept";
    /// Button in it: writes the old lines back.
    HUNK_REVERT = "hunk-revert";
    /// Button in it: leads to the turn that it was made in.
    HUNK_TURN = "hunk-turn";
    /// Checkbox: old and new next to each other, where there is room.
    COMPARE_SIDES = "compare-sides";
    /// Button in the head of a field: all of it is reviewed.
    ACCEPT_FILE = "accept-file";
    /// Button in the head of a field: writes its old text back.
    REVERT_FILE = "revert-file";
    /// Button: all changes in view are reviewed.
    ACCEPT_ALL = "accept-all";
    /// The form that sends picked hunks back.
    SEND_BACK_FORM = "send-back-form";
    /// Text area in it: the remark.
    SEND_BACK_REMARK = "send-back-remark";
    SEND_BACK = "send-back";
    /// Button: opens the card that catches the operator up.
    CATCH_UP_OPEN = "catch-up-open";
    CATCH_UP = "catch-up";
    /// Button in it: shows all changes of the run.
    CATCH_UP_REVIEW = "catch-up-review";
    /// Button in it: takes the last round back.
    CATCH_UP_UNDO = "catch-up-undo";
    /// In it: how the run ended, and what it used.
    CATCH_UP_SUMMARY = "catch-up-summary";
    /// In it, folded: directive and scratchpad before and after.
    CATCH_UP_PLAN = "catch-up-plan";
}

// What holds for one message alone.
parts! {
    /// Button: asks what holds for this message alone.
    OVER_OPEN = "over-open";
    /// What holds, until it is sent.
    OVER_CHIP = "over-chip";
    /// Button in it: as usual again.
    OVER_CLEAR = "over-clear";
    OVER = "over";
    /// In it, folded: what may be done with each tool.
    OVER_TOOLS = "over-tools";
    /// Choice in it: what may be done with a tool or a group; `data-tool` says which.
    OVER_TOOL = "over-tool";
    /// Button in it: leaves it.
    OVER_DONE = "over-done";
    /// Of a message that waits: what holds for it alone.
    QUEUE_OVER = "queue-over";
    /// In the dialog of what holds for a message: how much is thought.
    OVER_THINKING = "over-thinking";
    OVER_TEMPERATURE = "over-temperature";
    /// In the inspector: what was said of tools for the message.
    INSPECT_SAID = "inspect-said";
}
