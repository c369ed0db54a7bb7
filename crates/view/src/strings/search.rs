//! Strings of the search across sessions, and of sending a message to another one.

use crate::strings::prelude::*;
use nexus_engine::queries::search::SearchProgress;
use nexus_model::message::MessageOrigin;
use nexus_model::search_index::SearchField;
use nexus_model::session::recipients::{MainSessionReason, ThreadResolveError};

pub const FIND: Text = Text("Search all conversations");
pub const FIND_FIELD: Text = Text("Search messages, memories, tool calls and names");
pub const SEND: Text = Text("Send to another session");
pub const SEND_FIELD: Text = Text("Session, agent or search words");
pub const RESULTS: Text = Text("Results");
pub const MORE: Text = Text("Show more");
pub const KEYS_FIND: Text = Text("↑ ↓ select · Enter open · Esc close");
pub const KEYS_SEND: Text = Text("↑ ↓ select · Enter choose · nothing is sent yet");
pub const TYPE: Text = Text("Searches everything on this device. Nothing leaves it.");
pub const FAILED: Text = Text("The storage could not be read.");
pub const ARCHIVED: Text = Text("archived");

pub const ELSEWHERE: Text = Text("This is on a branch that its session has left.");
pub const GO_ON: Text = Text("Fork from there");
pub const MOVE: Text = Text("Rewind the session to there");
pub const IN_LIST: Text = Text("Search message text…");

pub const TO_OTHER: Text = Text("To another session…");
pub const TRIGGER: Text = Text("Trigger");
pub const STAY: Text = Text("Cancel (send to this session)");

pub fn tool(name: &str, is_result: bool) -> String {
    let name = reveal(name);
    if is_result { text!("result of {name}") } else { text!("call of {name}") }
}

pub fn author(role: Role, agent: Option<&str>) -> String {
    match (role, agent) {
        (Role::User, _) => text!("you"),
        (Role::Assistant | Role::Tool, Some(agent)) => agent.to_owned(),
        (Role::Assistant | Role::Tool, None) => text!("an agent"),
        (Role::System, _) => text!("Nexus"),
    }
}

pub fn of_words(found: usize, of: usize) -> String {
    if found == of { text!("all words") } else { text!("{found} of {of} words") }
}

pub fn found(places: usize, threads: usize) -> String {
    if places == 0 {
        return common::NO_RESULTS.to_owned();
    }
    text!("{} in {}", count(places, "result", "results"), count(threads, "session", "sessions"))
}

/// Progress while the search runs; afterwards the number of texts omitted for lack of space.
pub fn progress(progress: SearchProgress) -> Option<String> {
    let number = |number: usize| tokens(u64::try_from(number).unwrap_or(u64::MAX));
    if progress.is_reading && progress.read < progress.of {
        return Some(text!("searching, {} of {} messages", number(progress.read), number(progress.of)));
    }
    (progress.omitted > 0).then(|| text!("the {} oldest texts are not searched", number(progress.omitted)))
}

pub const BY_THREAD: Text = Text("its id");
pub const BY_TURN: Text = Text("the id of a turn: forks from there");
pub const BY_LABEL: Text = Text("its name");

/// Why an agent's messages go to this session.
pub fn agent_session_reason(agent: &str, main: MainSessionReason) -> String {
    match main {
        MainSessionReason::Owned => text!("the session of {agent}"),
        MainSessionReason::Worked => text!("where {agent} last worked"),
        MainSessionReason::First => text!("{agent} has not worked yet; this is the first session"),
    }
}

pub fn by_find(field_of: SearchField, places: usize) -> String {
    match places {
        0 | 1 => text!("found in its {}", field(field_of)),
        more => {
            text!("found in its {} and {}", field(field_of), count(more - 1, "more result", "more results"))
        }
    }
}

texts! {
    pub fn goes_to(label: &str, why: &str) = "Goes to “{label}” · {why}";
    pub fn sent(label: &str) = "Sent to “{label}”";

    pub fn field(field: SearchField) -> &'static str {
        SearchField::Label => "name";
        SearchField::Title => "title";
        SearchField::Keywords => "keywords";
        SearchField::Summary => "summary";
        SearchField::Memory => "memory";
        SearchField::Message => "message";
    }

    pub fn resolve_error(no_way: ThreadResolveError) -> String {
        ThreadResolveError::NoMatch => "No exact match. See the results below.";
        ThreadResolveError::Ambiguous(number) => "{number} sessions match. Choose one.";
    }
}

pub fn origin(source: Option<Source>, origin: &MessageOrigin) -> String {
    let from = if source == Some(Source::Trigger) {
        text!("sent by the trigger “{}”", origin.name)
    } else if origin.name.is_empty() {
        String::new()
    } else {
        text!("sent from “{}”", origin.name)
    };
    let pages = (!origin.pages.is_empty()).then(|| placed_by(&origin.pages));
    let parts = [Some(from), pages].into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

pub fn placed_by(pages: &[String]) -> String {
    let named: Vec<_> = pages.iter().map(|page| reveal(page)).collect();
    text!("with text inserted by {}", listed(&named))
}

#[cfg(test)]
mod tests;
