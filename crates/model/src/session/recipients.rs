//! Resolves the recipients of a message: `@Name` in its text, else the selected target.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::agent::Agent;
use crate::id::AgentKey;
use crate::message::own_words;
use crate::session::{Session, Target};
use crate::world::World;
use nexus_text::vec_map::by_key;

/// The agents that are named by `@Name` in `text`, each once, in the order of their names' places. Who is named in what
/// the text quotes is not meant.
pub fn mentioned(text: &str, roster: &[&Arc<Agent>]) -> Vec<AgentKey> {
    let text = &own_words(text);
    let mut found: Vec<AgentKey> = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        // An address such as ada@engineer.example names nobody.
        let starts_word = before.is_none_or(|c| !c.is_alphanumeric());
        before = Some(c);
        if c != '@' || !starts_word {
            continue;
        }
        let rest = text.get(at + 1..).unwrap_or("");
        let longest = roster
            .iter()
            .filter(|agent| names(rest, &agent.identity.name))
            .max_by_key(|agent| agent.identity.name.len());
        if let Some(agent) = longest
            && !found.contains(&agent.key)
        {
            found.push(agent.key.clone());
        }
    }
    found
}

/// Whether `rest` begins with `name`, whatever the case, and the name ends there.
fn names(rest: &str, name: &str) -> bool {
    let mut rest = rest.chars();
    for expected in name.chars() {
        match rest.next() {
            Some(c) if c.to_lowercase().eq(expected.to_lowercase()) => {}
            _ => return false,
        }
    }
    !name.is_empty() && rest.next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

/// Whom a message is for: those it names, else whom the operator chose.
pub fn target_of(text: &str, chosen: &Target, roster: &[&Arc<Agent>]) -> Target {
    let named = mentioned(text, roster);
    if named.is_empty() { chosen.clone() } else { Target::Agents(named) }
}

/// The agents that answer a message for `target` in `session`, by priority, then by roster place. A named agent
/// answers even if muted.
pub fn answerers(world: &World, session: &Session, target: &Target) -> Vec<Arc<Agent>> {
    let agents = world
        .roster()
        .into_iter()
        .filter(|agent| match target {
            Target::All => !world.flags(session, agent).muted,
            Target::Agents(keys) => keys.contains(&agent.key),
        })
        .cloned();
    by_key(agents, |agent| (Reverse(world.flags(session, agent).priority), agent.place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::defaults::first_agents;

    fn named(text: &str) -> Vec<String> {
        let agents: Vec<_> = first_agents().into_iter().map(Arc::new).collect();
        let roster: Vec<_> = agents.iter().collect();
        mentioned(text, &roster).into_iter().map(|key| key.0).collect()
    }

    #[test]
    fn names_target_whatever_their_case_and_place() {
        assert_eq!(named("@engineer fix it"), ["engineer"]);
        assert_eq!(named("ask (@Critic), then @ARCHITECT!"), ["critic", "architect"]);
        assert_eq!(named("@Engineer and @engineer"), ["engineer"]);
        assert_eq!(named("> ask @Critic\n\n@Engineer, is that so?"), ["engineer"]);
    }

    #[test]
    fn addresses_and_longer_words_name_nobody() {
        assert!(named("ada@engineer.example @engineering @ engineer @").is_empty());
    }
}
