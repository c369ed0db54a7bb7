//! Selectors for the search across threads, sending elsewhere, and triggers.

use super::Part;

parts! {
    /// The dialog that finds threads.
    FINDER = "finder";
    FINDER_INPUT = "finder-input";
    FINDER_ROW = "finder-row";
    /// In it: what was found, how many times.
    FINDER_SAID = "finder-said";
    /// In it: what to do about a message on a branch that was left.
    FINDER_APART = "finder-apart";
    /// Button there: moves the session back.
    FINDER_MOVE = "finder-move";
    /// Button in the list of sessions: looks in all that was said.
    SESSION_FIND_ALL = "session-find-all";
    /// In the composer: where the message goes, where that is not here.
    COMPOSER_HEADING = "composer-heading";
    /// Button there: sends it here after all.
    COMPOSER_HERE = "composer-here";
    MESSAGE_ORIGIN = "message-origin";
    /// In the composer: whose words stand there besides the operator's.
    COMPOSER_PLACED = "composer-placed";
    /// In the settings: a page that may place drafts.
    PAGE = "page";
    /// Button in it: has it rest, or go on.
    PAGE_PAUSE = "page-pause";
    /// Button in it: removes it.
    PAGE_DELETE = "page-delete";
    /// Input: the origin of another one.
    PAGE_ORIGIN = "page-origin";
    PAGE_PROBLEM = "page-problem";
    PAGE_LET_IN = "page-let-in";
    TRIGGER = "trigger";
    /// In it: what became of it last.
    TRIGGER_LAST = "trigger-last";
    /// Button in it: lets it rest, or go on.
    TRIGGER_PAUSE = "trigger-pause";
    /// Button in it: removes it.
    TRIGGER_DELETE = "trigger-delete";
    /// Where there is no trigger.
    TRIGGER_NONE = "trigger-none";
    TRIGGER_ADD = "trigger-add";
    /// Input of the form: its name.
    TRIGGER_NAME = "trigger-name";
    /// Input of the form: minutes between two times.
    TRIGGER_MINUTES = "trigger-minutes";
    /// Choice of the form: whom it speaks to.
    TRIGGER_TO = "trigger-to";
    /// Text area of the form: what it says.
    TRIGGER_TEXT = "trigger-text";
    /// In the form: what is wrong.
    TRIGGER_PROBLEM = "trigger-problem";
    /// Button of the form: keeps it.
    TRIGGER_KEEP = "trigger-keep";
}
