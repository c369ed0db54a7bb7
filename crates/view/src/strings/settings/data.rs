//! Strings of the data section of the settings.

use crate::strings::chat::queue;
use crate::strings::prelude::*;
use crate::strings::quoted;
use nexus_engine::backup::{ImportAction, ImportError};
use nexus_engine::port::{StorageEstimate, StoreError};
use nexus_model::dump::DumpError;
use nexus_model::limits::{POINTS_DAYS, POINTS_NEWEST};
use nexus_model::session::{KeepGoing, QueueMode};
use nexus_model::settings::schema::{AnySetting, QUEUE_MODE, SCHEMA, VOICE_SOUNDS};
use nexus_text::json::from_tree;
use serde_json::Value;

pub const EXPORT_ABOUT: Text = Text(
    "A file with every session, agent, provider and setting, but no API keys. It can be imported on any device; the recovery screen writes the same format.",
);
pub const EXPORT_ALL: Text = Text("Export everything");
pub const EXPORT_ONE: Text = Text("Export one session (with its parent sessions)");
pub const EXPORT_THIS: Text = Text("Export this session");
pub const EXPORTED: Text = Text("Saved to your downloads.");

pub const IMPORT_ABOUT: Text = Text(
    "Checks the whole file first and shows what would be imported. Nothing here is changed: a conflicting session is imported as a copy.",
);
pub const CHOOSE: Text = Text("Choose a file…");
pub const LOOKING: Text = Text("Checking the whole file…");
pub const NOTHING_NEW: Text = Text("Everything in it is already here.");
pub const NO_NEW_SESSIONS: Text = Text("Its sessions are already here.");
pub const NO_SESSIONS: Text = Text("It contains no sessions.");
pub const CONTENTS: Text = Text("Contents");
pub const COPY_MARK: Text = Text("(copy)");
pub const UNNAMED: Text = Text("(no name)");
pub const NO_SUMS: Text = Text("The file has no checksums, so changes since the export cannot be detected.");
pub const TAKE_CHANGED: Text = Text("Import the changed file");
pub const TYPED: Text = Text("Unsaved text at the time of the export");
pub const NOTES: Text = Text("Unreadable data at the time of the export");
pub const PROPOSALS: Text = Text("Also in this file");
pub const PROPOSALS_ABOUT: Text =
    Text("None of this is active. Apply what you want. No file contains API keys: enter them again.");
pub const ACCEPT_ALL: Text = Text("Apply all");
pub const ACCEPTED: Text = Text("Applied");
pub const TO_WAR_ROOM: Text = Text("To the war room");

pub const POINT_NOW: Text = Text("Create restore point");
pub const POINT_LOOK: Text = Text("View and import…");
pub const POINT_DELETE: Text = Text("Delete restore point");
pub const POINT_DELETE_ABOUT: Text = Text("Delete this restore point? This cannot be undone.");
pub const POINTS_NONE: Text = Text("No restore points yet.");
pub const POINTS_NOT_KEPT: Text =
    Text("This page stores nothing, so there are none. Export to keep your data.");

pub const STORAGE: Text = Text("Storage");
pub const PERSIST: Text = Text("Request persistent storage");
pub const PERSIST_REFUSED: Text =
    Text("The browser refused. Many browsers agree once a page is bookmarked, installed or used often.");

pub const RESET_ABOUT: Text = Text(
    "Deletes every session, agent, provider, API key, setting and restore point on this device, in all tabs. Files that you saved elsewhere stay.",
);
pub const RESET_BEGIN: Text = Text("Delete everything…");
pub const RESET_LAST: Text = Text("This cannot be undone. Export first what you may need again.");
pub const RESET_WORD: Text = Text("delete everything");
pub const RESET_TYPE: Text = Text("Type “delete everything” to confirm");
pub const RESET_GO: Text = Text("Delete everything from this device");
pub const RESET_WRONG: Text = Text("The text does not match.");

texts! {
    pub fn points_about() =
        "Copies of all data on this device, created about once an hour during use. The newest {POINTS_NEWEST} are kept, and one a day for {POINTS_DAYS} days. They are lost when the browser clears its data; an export is not. Importing one changes no session here: deleted ones return, and those that differ are added as copies.";
    pub fn further(sessions: usize) = "And {}.", count(sessions, "further session", "further sessions");
    pub fn unknown(events: u64) =
        "{} of kinds unknown to this version. They are kept.", count(events, "event is", "events are");
    pub fn drafts(drafts: u64) = "Unsaved text of {} is included.", count(drafts, "field", "fields");
    pub fn importing(events: u64, of: u64) = "{events} of {of} events imported…";
    pub fn imported(counts: (usize, usize), events: u64) =
        "Imported {} with {}.", sessions(counts), count(events, "event", "events");

    pub fn trigger(message: &str) = "Trigger, added as paused. It sends: {message}";

    pub fn action(action: ImportAction) -> &'static str {
        ImportAction::New => "new";
        ImportAction::Copy => "imported as a copy";
        ImportAction::Present => "already here";
        ImportAction::CopyPresent => "already imported as a copy";
    }

    pub fn import_error(error: &ImportError) -> String {
        ImportError::Refused(refusal) => "{} Nothing was imported.", dump_error(refusal);
        ImportError::Unreadable(why) => "The file can no longer be read ({why}). Nothing was imported.";
        ImportError::Changed =>
            "The file changed after it was checked. Nothing was imported; choose it again.";
        ImportError::Busy =>
            "Another import is in progress, perhaps in another tab. Try again when it is done.";
        ImportError::Store(error) => "{} The import was rolled back.", store_error(error);
        ImportError::NotRolledBack(error) =>
            "{} The partial import is hidden; the next import removes it.", store_error(error);
    }

    fn dump_error(refusal: &DumpError) -> String {
        DumpError::NotJson(why) => "The file is incomplete or damaged: {why}.";
        DumpError::NotADump => { tr("The file is not a Nexus export. One begins with {\"nexus\": \"dump\"}.").to_owned() };
        DumpError::Newer(what) =>
            "The file was written by a newer version of Nexus ({what}). Reload to update.";
        DumpError::LongRecord => "The file contains a record that is too long.";
        DumpError::ManySessions(most) =>
            "The file contains more than {most} sessions, which is more than can be imported at once.";
        DumpError::Keys(place) =>
            "The file contains API keys ({place}), which no Nexus export does. Remove them first.";
        DumpError::BadEvent { stream, place, why } => "Event {place} of {stream} cannot be read: {why}.";
        DumpError::Order { stream, place } =>
            "Event {place} of {stream} is duplicated, misplaced, or follows a missing one.";
        DumpError::WrongStream { stream, place } => "Event {place} of {stream} does not belong there.";
        DumpError::SameId(id) => "The id {id} is used twice.";
        DumpError::NoBeginning(session) => "The session {session} has no first event.";
        DumpError::Cycle(turn) => "The turn {turn} is its own ancestor.";
        DumpError::NoParent(turn) => "The parent turn {turn} is neither in the file nor on this device.";
    }

    pub fn store_error(error: &StoreError) -> String {
        StoreError::Full => "There is no space left on this device.";
        StoreError::Collision => "Another tab wrote at the same time.";
        StoreError::Newer => "The data here is from a newer version of Nexus and is read-only.";
        StoreError::Lost(why) | StoreError::Damaged(why) => "The storage failed ({why}).";
    }
}

pub fn point(sessions: u64, events: u64, bytes: u64) -> String {
    let (sessions, events) = (count(sessions, "session", "sessions"), count(events, "event", "events"));
    format!("{sessions}, {events}, {}", large_size(bytes))
}

pub fn used(facts: StorageEstimate) -> String {
    match (facts.used, facts.quota) {
        (Some(used), Some(quota)) => text!("{} of {} used.", large_size(used), large_size(quota)),
        (Some(used), None) => text!("{} used.", large_size(used)),
        (None, _) => text!("This browser does not report storage usage."),
    }
}

pub fn persisted(facts: StorageEstimate) -> &'static str {
    match facts.persisted {
        Some(true) => tr("The browser keeps the data even when the disk is full."),
        Some(false) => tr("The browser may delete the data when the disk is full."),
        None => tr("This browser does not report whether it keeps the data when the disk is full."),
    }
}

pub fn written_by(app: &str, when: &str) -> String {
    let app = if app.is_empty() { tr("an unknown version") } else { app };
    text!("Written {when} by Nexus {app}.")
}

pub fn contents(turns: u64, messages: u64) -> String {
    format!("{}, {}", count(turns, "turn", "turns"), count(messages, "message", "messages"))
}

pub fn changed(sessions: &[String]) -> String {
    let which = match sessions {
        [] => String::new(),
        some => text!(" Changed sessions: {}.", some.join(", ")),
    };
    text!(
        "The checksums do not match: the file was damaged or edited after the export.{which} Use another copy if you have one."
    )
}

pub fn take(counts: (usize, usize)) -> String {
    text!("Import {}", sessions(counts))
}

/// Conversations; those of subagents and of the program, which belong to them, apart.
fn sessions((own, others): (usize, usize)) -> String {
    let others = (others > 0).then(|| count(others, "internal session", "internal sessions"));
    let own = (own > 0 || others.is_none()).then(|| count(own, "session", "sessions"));
    listed(&own.into_iter().chain(others).collect::<Vec<_>>())
}

/// The permissions that are not imported, by their labels.
pub fn left_out(labels: &[&'static str]) -> String {
    let labels: Vec<_> = labels.iter().map(|label| quoted(tr(label))).collect();
    text!("Not imported, because permissions are set on this device: {}.", listed(&labels))
}

/// The label of a stored setting in import proposals.
pub fn setting_name(name: &str) -> String {
    let named = SCHEMA.iter().find_map(|(setting, info)| match (setting, tr(info.imported?)) {
        (AnySetting::Rows(rows), title) => {
            Some(format!("{title} {}", quoted(&reveal(name.strip_prefix(rows.name())?))))
        }
        (_, title) => (setting.name() == name).then(|| title.to_owned()),
    });
    named.unwrap_or_else(|| name.to_owned())
}

/// The value of a setting, as the interface calls it.
pub fn setting_value(setting: &str, value: &Value) -> String {
    let on = |is_on: bool| if is_on { tr("On") } else { tr("Off") };
    match value {
        Value::Null => tr("Default").to_owned(),
        Value::Bool(is_on) => on(*is_on).to_owned(),
        Value::String(text) => option(setting, text.clone()),
        Value::Object(fields) => match (fields.get("on").and_then(Value::as_bool), fields.get("nodes")) {
            (Some(true), _) => keep_going(value).unwrap_or_else(|| on(true).to_owned()),
            (Some(false), _) => on(false).to_owned(),
            (None, Some(nodes)) => count(nodes.as_array().map_or(0, Vec::len), "node", "nodes"),
            (None, None) if setting == VOICE_SOUNDS.name() => count(fields.len(), "agent", "agents"),
            // The prices.
            (None, None) => count(fields.len(), "model", "models"),
        },
        Value::Number(_) => match named(setting) {
            Some(AnySetting::Number(number)) => number.kind.show(value),
            _ => value.to_string(),
        },
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
    }
}

fn keep_going(value: &Value) -> Option<String> {
    let KeepGoing { rounds, definition_of_done } = from_tree(value).ok()?;
    let rounds = text!("On, up to {rounds} rounds");
    let done = reveal(&definition_of_done);
    Some(if done.is_empty() { rounds } else { format!("{rounds}: {done}") })
}

/// The name of a setting's stored option; other values unchanged.
fn option(setting: &str, value: String) -> String {
    if let Some(mode) = QueueMode::named(&value).filter(|_| setting == QUEUE_MODE.name()) {
        return queue::mode(mode).to_owned();
    }
    let Some(AnySetting::Choice(choice)) = named(setting) else { return value };
    let name = choice.kind.name_of(&value);
    if name.is_empty() { value } else { tr(name).to_owned() }
}

fn named(setting: &str) -> Option<&'static AnySetting> {
    SCHEMA.iter().map(|(one, _)| one).find(|one| one.name() == setting)
}

pub fn would_call(address: &str, here: Option<&str>) -> String {
    match here {
        Some(here) => {
            text!("Base URL: {address}. Here it is {here}; the API key for it is removed.")
        }
        None => text!("Base URL: {address}."),
    }
}

pub const NO_PROVIDER: Text = Text("Its provider is not set up here: apply that first.");
pub const NO_RECIPIENT: Text = Text("Its agent or session is not here: import that first.");

pub fn agent(is_here: bool) -> &'static str {
    if is_here {
        tr("Replaces your agent with the same id, which keeps its permissions.")
    } else {
        tr("New. It gets no permissions that you did not give.")
    }
}

#[cfg(test)]
mod tests;
