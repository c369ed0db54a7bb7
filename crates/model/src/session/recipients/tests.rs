use super::*;
use crate::agent::defaults::first_agents;

fn named(text: &str) -> Vec<String> {
    let agents: Vec<_> = first_agents().into_iter().map(Arc::new).collect();
    let roster: Vec<_> = agents.iter().collect();
    mentioned(text, &roster).into_iter().map(|key| key.0).collect()
}

#[test]
fn names_are_found_in_any_case_and_position() {
    assert_eq!(named("@engineer fix it"), ["engineer"]);
    assert_eq!(named("ask (@Critic), then @ARCHITECT!"), ["critic", "architect"]);
    assert_eq!(named("@Engineer and @engineer"), ["engineer"]);
    assert_eq!(named("> ask @Critic\n\n@Engineer, is that so?"), ["engineer"]);
}

#[test]
fn addresses_and_longer_words_are_ignored() {
    assert!(named("ada@engineer.example @engineering @ engineer @").is_empty());
}
