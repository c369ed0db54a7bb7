use super::*;

#[test]
fn first_agents_speak_in_the_documented_order() {
    let agents = first_agents();
    let order: Vec<_> = agents.iter().map(|agent| (agent.identity.name.as_str(), agent.priority)).collect();
    assert_eq!(
        order,
        [("Architect", Priority::High), ("Engineer", Priority::Normal), ("Critic", Priority::Low)]
    );
}

#[test]
fn template_introduces_itself_by_its_name() {
    for template in templates() {
        let introduction = format!("You are {},", template.identity.name);
        assert!(template.identity.soul.starts_with(&introduction), "{}", template.identity.name);
    }
}

#[test]
fn copy_has_its_own_name_key_place_and_colour() {
    let first = first_agents();
    let copy = agent_like(&first[1], first.iter());
    assert_eq!((copy.key.as_str(), copy.identity.name.as_str()), ("engineer-2", "Engineer 2"));
    assert!(copy.identity.soul.starts_with("You are Engineer 2,"));
    assert_eq!((copy.place, copy.accent), (3, Accent::Green));
    let again = agent_like(&copy, first.iter().chain([&copy]));
    assert_eq!((again.key.as_str(), again.identity.name.as_str()), ("engineer-3", "Engineer 3"));
    assert_eq!(again.permissions, first[1].permissions);
}

#[test]
fn removed_agent_frees_its_name_but_not_its_key() {
    let mut all = first_agents();
    all[1].removed_at = Some(crate::id::Millis(1));
    let new = agent_like(&all[1], all.iter());
    assert_eq!((new.key.as_str(), new.identity.name.as_str()), ("engineer-2", "Engineer"));
}

#[test]
fn every_name_gives_a_key() {
    assert_eq!(key_of("Zoë  the 2nd!"), "zoë-the-2nd");
    assert_eq!(key_of("🦀"), "agent");
}
