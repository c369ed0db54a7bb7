//! Selectors for the search across threads, sending elsewhere, and triggers.

use super::TestId;

test_ids! {
    /// The search dialog.
    FINDER = "finder";
    FINDER_INPUT = "finder-input";
    FINDER_ROW = "finder-row";
    /// In it: number of results.
    FINDER_STATUS = "finder-status";
    /// In it: actions for a message on a former branch.
    FINDER_APART = "finder-apart";
    /// Button there: reset the session to it.
    FINDER_MOVE = "finder-move";
    /// Button in the session list: search all conversations.
    SESSION_FIND_ALL = "session-find-all";
    /// In the composer: destination of the message, if it is another session.
    COMPOSER_HEADING = "composer-heading";
    /// Button there: send it here instead.
    COMPOSER_HERE = "composer-here";
    MESSAGE_ORIGIN = "message-origin";
    /// In the composer: pages that inserted text.
    COMPOSER_PLACED = "composer-placed";
    /// In the settings: a page that may insert drafts.
    PAGE = "page";
    /// Button in it: pause or resume.
    PAGE_PAUSE = "page-pause";
    /// Button in it: removes it.
    PAGE_DELETE = "page-delete";
    /// Input: origin of another page.
    PAGE_ORIGIN = "page-origin";
    PAGE_PROBLEM = "page-problem";
    PAGE_LET_IN = "page-let-in";
    TRIGGER = "trigger";
    /// In it: its last outcome.
    TRIGGER_LAST = "trigger-last";
    /// Button in it: pause or resume.
    TRIGGER_PAUSE = "trigger-pause";
    /// Button in it: opens its form.
    TRIGGER_EDIT = "trigger-edit";
    /// Button in it: removes it.
    TRIGGER_DELETE = "trigger-delete";
    /// Shown without triggers.
    TRIGGER_NONE = "trigger-none";
    TRIGGER_ADD = "trigger-add";
    /// Input of the form: its name.
    TRIGGER_NAME = "trigger-name";
    /// Input of the form: interval in minutes.
    TRIGGER_MINUTES = "trigger-minutes";
    /// Select of the form: recipient.
    TRIGGER_TO = "trigger-to";
    /// Text area of the form: message.
    TRIGGER_TEXT = "trigger-text";
    /// Error of the form.
    TRIGGER_PROBLEM = "trigger-problem";
    /// Button of the form: save.
    TRIGGER_KEEP = "trigger-keep";
    /// Button of the form: close.
    TRIGGER_CANCEL = "trigger-cancel";
}
