//! Selectors for message actions, search and pins.

use super::Part;

parts! {
    /// Button at a message: its source into the clipboard.
    MESSAGE_COPY = "message-copy";
    /// Button at a message: quotes it in the composer.
    MESSAGE_QUOTE = "message-quote";
    /// Button at a message: pins it, or takes the pin off.
    MESSAGE_PIN = "message-pin";
    /// Button at a message: opens its menu.
    MESSAGE_MORE = "message-more";
    MESSAGE_MENU = "message-menu";
    MENU_COPY = "menu-copy";
    MENU_QUOTE = "menu-quote";
    MENU_PIN = "menu-pin";
    /// Entry in it: deletes the message, when it is pressed twice.
    MENU_DELETE = "menu-delete";
    MESSAGE_DELETED = "message-deleted";
    /// Below an answer: the model that gave it, where another one was asked.
    MESSAGE_MODEL = "message-model";
    /// Entry in it: to a tool run that the message asked for.
    MENU_TOOL = "menu-tool";
    /// Entry in it: opens a file that such a tool run changed.
    MENU_FILE = "menu-file";
    /// Button in an open tool run: to the message that asked for it.
    TOOL_MESSAGE = "tool-message";
    /// Button in an open tool run: opens a file that it changed.
    TOOL_FILE = "tool-file";
    /// Button below the editor: to the tool run that changed the file last.
    FILE_CHANGE = "file-change";
    /// Button: lists what is pinned; only there where something is.
    PINS_OPEN = "pins-open";
    PINS = "pins";
    /// Button in it: to a pinned message.
    PIN = "pin";
    /// Button in it: takes a pin off.
    PIN_OFF = "pin-off";
    /// Button: find in the conversation.
    FIND_OPEN = "find-open";
    FIND_BAR = "find-bar";
    FIND_TEXT = "find-text";
    /// In it: where the search stands.
    FIND_COUNT = "find-count";
    /// Button in it: only in this case.
    FIND_CASE = "find-case";
    FIND_NEXT = "find-next";
    /// Button in it: the place before.
    FIND_BACK = "find-back";
    FIND_CLOSE = "find-close";
    /// Button at what is selected: quotes it for an agent.
    ASK_SELECTION = "ask-selection";
    DAY = "day";
    /// Button above the oldest turn that is loaded.
    LOAD_EARLIER = "load-earlier";
    /// Checkbox in the settings: notifications.
    CALLS_NOTIFY = "calls-notify";
    /// Why there are none.
    CALLS_PROBLEM = "calls-problem";
    /// Checkbox in the settings: a sound.
    CALLS_SOUND = "calls-sound";
}

// What a page tells who was away, and how it is kept.
parts! {
    /// The line above what came while the page was hidden.
    UNREAD_LINE = "unread-line";
    /// In the settings: whether the browser keeps what is stored.
    DATA_PERSISTED = "data-persisted";
    /// Button there: asks it to.
    DATA_PERSIST = "data-persist";
}
