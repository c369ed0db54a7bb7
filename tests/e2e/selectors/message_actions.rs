//! Selectors for message actions, search and pins.

use super::TestId;

test_ids! {
    /// Button at a message: copy its source.
    MESSAGE_COPY = "message-copy";
    /// Button at a message: quote it in the composer.
    MESSAGE_QUOTE = "message-quote";
    /// Button at a message: pin or unpin.
    MESSAGE_PIN = "message-pin";
    /// Button at a message: open its menu.
    MESSAGE_MORE = "message-more";
    MESSAGE_MENU = "message-menu";
    MENU_COPY = "menu-copy";
    MENU_QUOTE = "menu-quote";
    MENU_PIN = "menu-pin";
    /// Entry in it: delete the message after a second click.
    MENU_DELETE = "menu-delete";
    MESSAGE_DELETED = "message-deleted";
    /// Below an answer: the model that gave it, if another one was requested.
    MESSAGE_MODEL = "message-model";
    /// Entry in it: go to a tool run of the message.
    MENU_TOOL = "menu-tool";
    /// Entry in it: open a file that such a tool run changed.
    MENU_FILE = "menu-file";
    /// Button in an open tool run: go to its message.
    TOOL_MESSAGE = "tool-message";
    /// Button in an open tool run: open a file that it changed.
    TOOL_FILE = "tool-file";
    /// Button below the editor: go to the tool run that changed the file last.
    FILE_CHANGE = "file-change";
    /// Button: list of pins; present only if there are any.
    PINS_OPEN = "pins-open";
    PINS = "pins";
    /// Button in it: go to a pinned message.
    PIN = "pin";
    /// Button in it: unpin.
    PIN_OFF = "pin-off";
    /// Button: find in the conversation.
    FIND_OPEN = "find-open";
    FIND_BAR = "find-bar";
    FIND_TEXT = "find-text";
    /// In it: position in the results.
    FIND_COUNT = "find-count";
    /// Button in it: match case.
    FIND_CASE = "find-case";
    FIND_NEXT = "find-next";
    /// Button in it: previous result.
    FIND_BACK = "find-back";
    FIND_CLOSE = "find-close";
    /// Button at a selection: quote it for an agent.
    ASK_SELECTION = "ask-selection";
    DAY = "day";
    /// Button above the oldest loaded turn.
    LOAD_EARLIER = "load-earlier";
    /// Checkbox in the settings: notifications.
    CALLS_NOTIFY = "calls-notify";
    /// Why there are none.
    CALLS_PROBLEM = "calls-problem";
    /// Checkbox in the settings: a sound.
    CALLS_SOUND = "calls-sound";
}

// Notifications after an absence, and persistent storage.
test_ids! {
    /// The line above messages that arrived while the page was hidden.
    UNREAD_LINE = "unread-line";
    /// In the settings: whether storage is persistent.
    DATA_PERSISTED = "data-persisted";
    /// Button there: request persistent storage.
    DATA_PERSIST = "data-persist";
}
