//! Strings of the data section of the settings.

use crate::strings::format::{count, large_size, size};
use nexus_engine::backup::{ImportAction, ImportError};
use nexus_engine::port::{StorageEstimate, StoreError};
use nexus_model::dump::DumpError;
use nexus_model::limits::{POINTS_DAYS, POINTS_NEWEST};

pub const ONE_MOMENT: &str = "One moment…";

pub const EXPORT: &str = "Export";
pub const EXPORT_ABOUT: &str = "A file with every session, agent, provider and setting, but no API keys. It can be imported on any device; the recovery screen writes the same format.";
pub const EXPORT_ALL: &str = "Export everything";
pub const EXPORT_ONE: &str = "Export one session (with its parent sessions)";
pub const EXPORT_THIS: &str = "Export this session";
pub const EXPORTED: &str = "Saved to your downloads.";

pub const IMPORT: &str = "Import";
pub const IMPORT_ABOUT: &str = "Checks the whole file first and shows what would be imported. Nothing here is changed: a conflicting session is imported as a copy.";
pub const CHOOSE: &str = "Choose a file…";
pub const LOOKING: &str = "Checking the whole file…";
pub const NOTHING_NEW: &str = "Everything in it is already here.";
pub const NO_SESSIONS: &str = "It contains no sessions.";
pub(crate) const TAKE: &str = "Import";
pub const PUT_AWAY: &str = "Cancel";
pub const SESSION: &str = "Session";
pub const CONTENTS: &str = "Contents";
pub const FATE: &str = "Result";
pub const COPY_MARK: &str = "(copy)";
pub const UNNAMED: &str = "(no name)";
pub const RULES_LEFT: &str =
    "It contains rules that allow tools. They are not imported: permissions are set on this device.";
pub const NO_SUMS: &str = "The file has no checksums, so changes since the export cannot be detected.";
pub const TAKE_CHANGED: &str = "Import the changed file";
pub const TYPED: &str = "Unsaved text at the time of the export";
pub const NOTES: &str = "Unreadable data at the time of the export";
pub const PROPOSALS: &str = "Also in this file";
pub const PROPOSALS_ABOUT: &str =
    "None of this is active. Apply what you want, one by one. No file contains API keys: enter them again.";
pub const ACCEPT: &str = "Apply";
pub const ACCEPTED: &str = "Applied";
pub const TO_WAR_ROOM: &str = "To the war room";

pub const POINTS: &str = "Restore points";
pub const POINT_NOW: &str = "Create restore point";
pub const POINT_LOOK: &str = "View contents";
pub const POINT_DROP: &str = "Delete";
pub const POINTS_NONE: &str = "No restore points yet.";
pub const POINTS_NOT_KEPT: &str = "This page stores nothing, so there are none. Export to keep your data.";

pub const STORAGE: &str = "Storage";
pub(crate) const STORAGE_UNKNOWN: &str = "This browser does not report storage usage.";
pub const PERSIST: &str = "Request persistent storage";
pub const PERSIST_REFUSED: &str =
    "The browser refused. Many browsers agree once a page is bookmarked, installed or used often.";

pub const RESET: &str = "Factory reset";
pub const RESET_ABOUT: &str = "Deletes every session, agent, provider, API key, setting and restore point on this device, in all tabs. Files that you saved elsewhere stay.";
pub const RESET_BEGIN: &str = "Delete everything…";
pub const RESET_LAST: &str = "This cannot be undone. Export first what you may need again.";
pub const RESET_WORD: &str = "delete everything";
pub const RESET_TYPE: &str = "Type “delete everything” to confirm";
pub const RESET_GO: &str = "Delete everything from this device";
pub const RESET_NO: &str = "Cancel";
pub const RESET_WRONG: &str = "The text does not match.";

/// How restore points come and go.
pub fn points_about() -> String {
    format!(
        "Copies of all data on this device, created about once an hour during use. The newest {POINTS_NEWEST} are kept, and one a day for {POINTS_DAYS} days. They are lost when the browser clears its data; an export is not."
    )
}

/// What a restore point holds.
pub fn point(sessions: u64, events: u64, bytes: u64) -> String {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    format!(
        "{}, {}, {}",
        count(number(sessions), "session", "sessions"),
        count(number(events), "event", "events"),
        size(number(bytes))
    )
}

/// How much is used.
pub fn used(facts: StorageEstimate) -> String {
    let number = large_size;
    match (facts.used, facts.quota) {
        (Some(used), Some(quota)) => {
            format!("{} of {} used.", number(used), number(quota))
        }
        (Some(used), None) => format!("{} used.", number(used)),
        (None, _) => STORAGE_UNKNOWN.to_owned(),
    }
}

/// Whether it is kept when the disk runs full.
pub fn persisted(facts: StorageEstimate) -> &'static str {
    match facts.persisted {
        Some(true) => "The browser keeps the data even when the disk is full.",
        Some(false) => "The browser may delete the data when the disk is full.",
        None => "This browser does not report whether it keeps the data when the disk is full.",
    }
}

/// What a dump is.
pub fn written_by(app: &str, when: &str) -> String {
    let app = if app.is_empty() { "an unknown version" } else { app };
    format!("Written {when} by Nexus {app}.")
}

/// What is in a session.
pub fn contents(turns: u64, messages: u64) -> String {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    format!("{}, {}", count(number(turns), "turn", "turns"), count(number(messages), "message", "messages"))
}

/// What becomes of a session.
pub fn fate(fate: ImportAction) -> &'static str {
    match fate {
        ImportAction::New => "new",
        ImportAction::Copy => "imported as a copy",
        ImportAction::Here => "already here",
        ImportAction::CopyHere => "already imported as a copy",
    }
}

/// That a file is not what was exported, with the names of the sessions that changed.
pub fn changed(sessions: &[String]) -> String {
    let which = match sessions {
        [] => String::new(),
        some => format!(" Changed sessions: {}.", some.join(", ")),
    };
    format!(
        "The checksums do not match: the file was damaged or edited after the export.{which} Use another copy if you have one."
    )
}

/// The button that takes in so many sessions.
pub fn take(sessions: usize) -> String {
    format!("{TAKE} {}", count(sessions, "session", "sessions"))
}

/// Sessions beyond those that are listed.
pub fn further(sessions: usize) -> String {
    format!("And {}.", count(sessions, "further session", "further sessions"))
}

/// Events that this program does not know.
pub fn unknown(events: u64) -> String {
    let events = usize::try_from(events).unwrap_or(usize::MAX);
    format!("{} of kinds unknown to this version. They are kept.", count(events, "event is", "events are"))
}

/// What was typed and not given up to anything yet.
pub fn drafts(drafts: u64) -> String {
    let drafts = usize::try_from(drafts).unwrap_or(usize::MAX);
    format!("Unsaved text of {} is included.", count(drafts, "field", "fields"))
}

/// How far an import is.
pub fn taking(events: u64, of: u64) -> String {
    format!("{events} of {of} events imported…")
}

pub fn taken(sessions: usize, events: u64) -> String {
    let events = usize::try_from(events).unwrap_or(usize::MAX);
    format!("Imported {} with {}.", count(sessions, "session", "sessions"), count(events, "event", "events"))
}

/// Where a proposed provider is called.
pub fn would_call(address: &str, here: Option<&str>) -> String {
    match here {
        Some(here) => {
            format!("Base URL: {address}. Here it is {here}; the API key for it is removed.")
        }
        None => format!("Base URL: {address}."),
    }
}

/// What a proposed agent is.
pub fn agent(is_here: bool, has_provider: bool) -> &'static str {
    match (is_here, has_provider) {
        (true, true) => "Replaces your agent with the same id, which keeps its permissions.",
        (false, true) => "New. It gets no permissions that you did not give.",
        (true | false, false) => "Its provider is not set up here: apply that first.",
    }
}

/// Why nothing was taken in.
pub fn import_error(error: &ImportError) -> String {
    match error {
        ImportError::Refused(refusal) => format!("{} Nothing was imported.", refused(refusal)),
        ImportError::Unreadable(why) => {
            format!("The file can no longer be read ({why}). Nothing was imported.")
        }
        ImportError::Changed => {
            "The file changed after it was checked. Nothing was imported; choose it again.".to_owned()
        }
        ImportError::Busy => {
            "Another import is in progress, perhaps in another tab. Try again when it is done.".to_owned()
        }
        ImportError::Store(error) => format!("{} The import was rolled back.", store_error(error)),
        ImportError::Left(error) => {
            format!("{} The partial import is hidden; the next import removes it.", store_error(error))
        }
    }
}

fn refused(refusal: &DumpError) -> String {
    match refusal {
        DumpError::NotJson(why) => format!("The file is incomplete or damaged: {why}."),
        DumpError::NotADump => {
            "The file is not a Nexus export. One begins with {\"nexus\": \"dump\"}.".to_owned()
        }
        DumpError::Newer(what) => {
            format!("The file was written by a newer version of Nexus ({what}). Reload to update.")
        }
        DumpError::LongRecord => "The file contains a record that is too long.".to_owned(),
        DumpError::ManySessions(most) => {
            format!(
                "The file contains more than {most} sessions, which is more than can be imported at once."
            )
        }
        DumpError::Keys(place) => {
            format!("The file contains API keys ({place}), which no Nexus export does. Remove them first.")
        }
        DumpError::BadEvent { stream, place, why } => {
            format!("Event {place} of {stream} cannot be read: {why}.")
        }
        DumpError::Order { stream, place } => {
            format!("Event {place} of {stream} is duplicated, misplaced, or follows a missing one.")
        }
        DumpError::Stranger { stream, place } => format!("Event {place} of {stream} does not belong there."),
        DumpError::SameId(id) => format!("The id {id} is used twice."),
        DumpError::NoBeginning(session) => format!("The session {session} has no first event."),
        DumpError::Cycle(turn) => format!("The turn {turn} is its own ancestor."),
        DumpError::NoParent(turn) => {
            format!("The parent turn {turn} is neither in the file nor on this device.")
        }
    }
}

/// Why the store did not do what was asked.
pub fn store_error(error: &StoreError) -> String {
    match error {
        StoreError::Full => "There is no space left on this device.".to_owned(),
        StoreError::Collision => "Another tab wrote at the same time.".to_owned(),
        StoreError::Newer => "The data here is from a newer version of Nexus and is read-only.".to_owned(),
        StoreError::Lost(why) | StoreError::Damaged(why) => format!("The storage failed ({why})."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_that_nothing_is_half() {
        let refused = ImportError::Refused(DumpError::ManySessions(20_000));
        for error in [refused, ImportError::Unreadable("gone".into()), ImportError::Changed] {
            assert!(import_error(&error).contains("Nothing was imported"), "{error:?}");
        }
        assert!(import_error(&ImportError::Store(StoreError::Full)).contains("rolled back"));
    }

    #[test]
    fn an_address_is_named_before_it_is_called() {
        let words = would_call("https://b.example", Some("https://a.example"));
        assert!(words.contains("https://b.example") && words.contains("https://a.example"));
    }
}
