//! Writes what a tab holds in memory as a text for people, after the store was lost.
//!
//! It is no dump and cannot be imported: the events are gone with the store.

use serde_json::{Value, json};

use crate::id::Millis;
use crate::world::World;
use nexus_text::json;
use nexus_text::small_sort::SmallSort as _;

/// The sessions of `world` with their messages, minds and files, as far as they are loaded.
pub fn rescued(world: &World, at: Millis, app: &str) -> String {
    let of_session = |session: &crate::session::Session| {
        let mut messages: Vec<_> =
            world.messages.values().filter(|message| message.session == session.id).collect();
        messages.small_sort_by_key(|message| message.sequence);
        let messages: Vec<Value> =
            messages.iter().filter_map(|message| json::to_tree(message.as_ref()).ok()).collect();
        let mind = world.working_mind(session).map(|mind| json!({
            "objective": mind.objective,
            "scratchpad": mind.scratchpad,
            "files": mind.files.iter().map(|(name, file)| (name.clone(), Value::from(&*file.text))).collect::<serde_json::Map<_, _>>(),
        }));
        json!({ "id": session.id.to_string(), "label": session.label, "mind": mind, "messages": messages })
    };
    let sessions: Vec<Value> = world.sessions.values().map(|session| of_session(session)).collect();
    let whole = json!({ "nexus": "rescued", "at": at, "app": app, "sessions": sessions });
    format!("{whole:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_without_anything_gives_a_text_that_is_no_dump() {
        let text = rescued(&World::default(), Millis(7), "0.1.0");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["nexus"], &read["sessions"]), (&json!("rescued"), &json!([])));
    }
}
