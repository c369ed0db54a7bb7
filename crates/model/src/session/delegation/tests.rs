use super::*;

#[test]
fn roles_decide_who_delegates_and_who_accepts_tasks() {
    assert!(delegates(AgentRole::Manager) && delegates(AgentRole::Unified) && !delegates(AgentRole::Worker));
    assert!(
        takes_tasks(AgentRole::Worker) && takes_tasks(AgentRole::Unified) && !takes_tasks(AgentRole::Manager)
    );
}
