//! Strings of the data section of the settings.

use crate::strings::format::{count, large_size, size};
use nexus_engine::backup::{ImportAction, ImportError};
use nexus_engine::port::{StorageEstimate, StoreError};
use nexus_model::dump::DumpError;
use nexus_model::limits::{POINTS_DAYS, POINTS_NEWEST};

pub const ONE_MOMENT: &str = "One moment…";

pub const EXPORT: &str = "Export";
pub const EXPORT_ABOUT: &str = "A file with every session, agent, provider and setting, and never a key. It can be taken in on any \
     device, and it is the same kind of file that the recovery screen writes.";
pub const EXPORT_ALL: &str = "Export everything";
pub const EXPORT_ONE: &str = "Or one session, with those that it goes back to";
pub const EXPORT_THIS: &str = "Export this session";
pub const EXPORTED: &str = "The file is among your downloads.";

pub const IMPORT: &str = "Import";
pub const IMPORT_ABOUT: &str = "Looks at the whole file first and shows what would come. Nothing that is here is changed: a session that \
     clashes with one of yours comes beside it.";
pub const CHOOSE: &str = "Choose a file…";
pub const LOOKING: &str = "Looking at the whole file…";
pub const NOTHING_NEW: &str = "Everything in it is here already.";
pub const NO_SESSIONS: &str = "There is no session in it.";
pub(crate) const TAKE: &str = "Take in";
pub const PUT_AWAY: &str = "Put away";
pub const SESSION: &str = "Session";
pub const CONTENTS: &str = "Contents";
pub const FATE: &str = "What becomes of it";
pub const COPY_MARK: &str = "(copy)";
pub const UNNAMED: &str = "(no name)";
pub const RULES_LEFT: &str =
    "It holds rules that allow tools. They are left out: what agents may do is decided on this device.";
pub const NO_SUMS: &str = "The file has no checksums, so changes to it since the export would not show.";
pub const TAKE_CHANGED: &str = "Import it although it was changed";
pub const TYPED: &str = "What stood in the fields when the file was written";
pub const NOTES: &str = "What could not be read when it was written";
pub const PROPOSALS: &str = "Proposed besides";
pub const PROPOSALS_ABOUT: &str =
    "None of this is active. Take over what you want, one by one. Keys are in no file: enter them again.";
pub const ACCEPT: &str = "Take over";
pub const ACCEPTED: &str = "Taken over";
pub const TO_WAR_ROOM: &str = "To the war room";

pub const POINTS: &str = "Restore points";
pub const POINT_NOW: &str = "Make one now";
pub const POINT_LOOK: &str = "Look inside";
pub const POINT_DROP: &str = "Throw away";
pub const POINTS_NONE: &str = "There is none yet.";
pub const POINTS_NOT_KEPT: &str =
    "Nothing is kept in this page, so there are none. An export is the way to keep what is here.";

pub const STORAGE: &str = "Storage";
pub(crate) const STORAGE_UNKNOWN: &str = "This browser does not say how much is used.";
pub const PERSIST: &str = "Ask the browser to keep it";
pub const PERSIST_REFUSED: &str =
    "The browser did not agree. Many agree once a page is bookmarked, installed or used often.";

pub const RESET: &str = "Remove everything";
pub const RESET_ABOUT: &str = "Every session, agent, provider, key, setting and restore point on this device, in all tabs. \
     Files that you saved elsewhere stay.";
pub const RESET_BEGIN: &str = "Remove everything…";
pub const RESET_LAST: &str = "This cannot be taken back. Export first what you may want again.";
pub const RESET_WORD: &str = "remove everything";
pub const RESET_TYPE: &str = "Type “remove everything” to confirm";
pub const RESET_GO: &str = "Remove everything from this device";
pub const RESET_NO: &str = "Keep it";
pub const RESET_WRONG: &str = "That is not what has to be typed.";

/// How restore points come and go.
pub fn points_about() -> String {
    format!(
        "Copies of everything on this device, made by themselves about once an hour while something happens. The \
         newest {POINTS_NEWEST} are kept, and one a day for {POINTS_DAYS} days. They go when the browser clears its data: an \
         export does not."
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
            format!("{} are used, of {} that the browser allows.", number(used), number(quota))
        }
        (Some(used), None) => format!("{} are used.", number(used)),
        (None, _) => STORAGE_UNKNOWN.to_owned(),
    }
}

/// Whether it is kept when the disk runs full.
pub fn persisted(facts: StorageEstimate) -> &'static str {
    match facts.persisted {
        Some(true) => "The browser keeps it even when the disk runs full.",
        Some(false) => "When the disk runs full, the browser may throw it away.",
        None => "Whether it is kept when the disk runs full, this browser does not say.",
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
        ImportAction::New => "comes",
        ImportAction::Copy => "comes as a copy, beside yours",
        ImportAction::Here => "is here already",
        ImportAction::CopyHere => "came as a copy before",
    }
}

/// That a file is not what was exported, with the names of the sessions that changed.
pub fn changed(sessions: &[String]) -> String {
    let which = match sessions {
        [] => String::new(),
        some => format!(" Changed sessions: {}.", some.join(", ")),
    };
    format!(
        "The checksums do not match: the file was damaged or edited after the export.{which} Use another copy of \
         it if you have one."
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
    format!(
        "{} of kinds that this version does not know. They are kept.",
        count(events, "event is", "events are")
    )
}

/// What was typed and not given up to anything yet.
pub fn drafts(drafts: u64) -> String {
    let drafts = usize::try_from(drafts).unwrap_or(usize::MAX);
    format!("What was being typed in {} comes along.", count(drafts, "field", "fields"))
}

/// How far an import is.
pub fn taking(events: u64, of: u64) -> String {
    format!("{events} of {of} events taken in…")
}

pub fn taken(sessions: usize, events: u64) -> String {
    let events = usize::try_from(events).unwrap_or(usize::MAX);
    format!("{} with {} came in.", count(sessions, "session", "sessions"), count(events, "event", "events"))
}

/// Where a proposed provider is called.
pub fn would_call(address: &str, here: Option<&str>) -> String {
    match here {
        Some(here) => {
            format!("Would call {address}. Here it calls {here}; a key that is here for that is forgotten.")
        }
        None => format!("Would call {address}."),
    }
}

/// What a proposed agent is.
pub fn agent(is_here: bool, has_provider: bool) -> &'static str {
    match (is_here, has_provider) {
        (true, true) => "Takes the place of yours of the same key, which keeps its rights.",
        (false, true) => "New here. It brings no right that you did not give.",
        (true | false, false) => "Its provider is not set up here: take that over first.",
    }
}

/// Why nothing was taken in.
pub fn import_error(error: &ImportError) -> String {
    match error {
        ImportError::Refused(refusal) => format!("{} Nothing was taken in.", refused(refusal)),
        ImportError::Unreadable(why) => {
            format!("The file cannot be read any more ({why}). Nothing was taken in.")
        }
        ImportError::Changed => {
            "The file was changed since it was looked at. Nothing was taken in; choose it again.".to_owned()
        }
        ImportError::Busy => {
            "Another import is under way, perhaps in another tab. Try again when it has ended.".to_owned()
        }
        ImportError::Store(error) => format!("{} What had been written was taken back.", store_error(error)),
        ImportError::Left(error) => {
            format!(
                "{} What had been written is not shown; the next import takes it back.",
                store_error(error)
            )
        }
    }
}

fn refused(refusal: &DumpError) -> String {
    match refusal {
        DumpError::NotJson(why) => format!("The file is not whole: {why}."),
        DumpError::NotADump => {
            "The file is no export of Nexus. One begins with {\"nexus\": \"dump\"}.".to_owned()
        }
        DumpError::Newer(what) => {
            format!("The file was written by a newer Nexus ({what}). Reload to get a newer version.")
        }
        DumpError::LongRecord => "The file holds a record that is longer than any of Nexus.".to_owned(),
        DumpError::ManySessions(most) => {
            format!("The file holds more than {most} sessions, which is more than can be taken in at once.")
        }
        DumpError::Keys(place) => {
            format!("The file holds keys ({place}), which no export of Nexus does. Take them out first.")
        }
        DumpError::BadEvent { stream, place, why } => {
            format!("Event {place} of {stream} cannot be read: {why}.")
        }
        DumpError::Order { stream, place } => {
            format!(
                "Event {place} of {stream} stands twice or in the wrong place, or one before it is missing."
            )
        }
        DumpError::Stranger { stream, place } => format!("Event {place} of {stream} does not belong there."),
        DumpError::SameId(id) => format!("The id {id} is given to two things."),
        DumpError::NoBeginning(session) => format!("The session {session} has no beginning."),
        DumpError::Cycle(turn) => format!("The turn {turn} goes back to itself."),
        DumpError::NoParent(turn) => {
            format!("It goes back to the turn {turn}, which is neither in the file nor on this device.")
        }
    }
}

/// Why the store did not do what was asked.
pub fn store_error(error: &StoreError) -> String {
    match error {
        StoreError::Full => "There is no room left on this device.".to_owned(),
        StoreError::Collision => "Another tab wrote at the same time.".to_owned(),
        StoreError::Newer => "The data here is of a newer Nexus and is not written to.".to_owned(),
        StoreError::Lost(why) | StoreError::Damaged(why) => format!("The store failed ({why})."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_that_nothing_is_half() {
        let refused = ImportError::Refused(DumpError::ManySessions(20_000));
        for error in [refused, ImportError::Unreadable("gone".into()), ImportError::Changed] {
            assert!(import_error(&error).contains("Nothing was taken in"), "{error:?}");
        }
        assert!(import_error(&ImportError::Store(StoreError::Full)).contains("taken back"));
    }

    #[test]
    fn an_address_is_named_before_it_is_called() {
        let words = would_call("https://b.example", Some("https://a.example"));
        assert!(words.contains("https://b.example") && words.contains("https://a.example"));
    }
}
