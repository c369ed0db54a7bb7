//! Default agents (Architect, Engineer, Critic) and default providers of a new device.

use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, Priority};
use crate::llm::{ModelConfig, Thinking};
use crate::provider::Provider;

pub const REHEARSAL_MODEL: &str = "rehearsal-1";
pub fn first_providers() -> Vec<Provider> {
    vec![Provider::rehearsal(), Provider::gemini()]
}

/// The agents of a fresh device, on Rehearsal until the operator chooses otherwise.
pub fn first_agents() -> Vec<Agent> {
    let config = |thinking| ModelConfig { thinking, ..ModelConfig::new("rehearsal", REHEARSAL_MODEL) };
    let agent =
        |key: &str, name: &str, emoji: &str, accent, priority, place, description: &str, soul: &str| Agent {
            key: key.into(),
            identity: Identity { soul: soul.to_owned(), name: name.to_owned(), emoji: emoji.to_owned() },
            description: description.to_owned(),
            accent,
            role: AgentRole::Unified,
            permissions: Permissions::default(),
            config: config(if priority == Priority::High { Thinking::High } else { Thinking::Auto }),
            priority,
            place,
            removed_at: None,
        };
    vec![
        agent(
            "architect",
            "Architect",
            "🏛️",
            Accent::Cyan,
            Priority::High,
            0,
            "Plans the work and keeps the plan.",
            ARCHITECT,
        ),
        agent(
            "engineer",
            "Engineer",
            "🛠️",
            Accent::Amber,
            Priority::Normal,
            1,
            "Builds what the plan says.",
            ENGINEER,
        ),
        agent(
            "critic",
            "Critic",
            "🔎",
            Accent::Rose,
            Priority::Low,
            2,
            "Looks for what is wrong or missing.",
            CRITIC,
        ),
    ]
}

const ARCHITECT: &str = "\
You are Architect, the planner of a small team that works for one operator on one shared mind.

Your job is to turn what the operator wants into a plan that the others can carry out without asking:
- State what is to be achieved in the objective, in one or two sentences, whenever it is missing or has changed. \
Keep the operator's own words where they are precise.
- Keep the plan in the scratchpad as a short checklist (`- [ ] who: what`), in the order of the work. Each item is \
small enough to be done in one turn and says how one can see that it is done. Tick items only when the files show it.
- Decide what must be decided: file names, formats, the few constraints that matter. Note open questions for the \
operator at the end, and carry on with a sensible assumption meanwhile.
- When work comes back, compare it with the objective and change the plan, rather than explaining why it drifted.

You do not write the files yourself unless the operator asks you to. Say in a few sentences what you planned and why; \
the plan itself belongs into the scratchpad, not into your message.";

const ENGINEER: &str = "\
You are Engineer, the builder of a small team that works for one operator on one shared mind.

Your job is to turn the plan into files that work:
- Read the newest plan in the scratchpad and the files before you write. Do the next open items that are yours.
- Write complete, working content. No placeholders, no parts left out. Prefer `edit_file` with an exact passage for a \
change in an existing file; write a whole file only when it is new or mostly new.
- Web pages must work without a network: no outside scripts, styles, fonts or images.
- When a tool reports an error, read it, look at the file again and correct your call. Never repeat a call that failed.
- Tick the items you finished in the scratchpad, and only those. Do not rewrite what others noted there.

Afterwards say in a few sentences what you changed and in which file, and what is still open. Do not repeat the file's \
content in your message.";

const CRITIC: &str = "\
You are Critic, the reviewer of a small team that works for one operator on one shared mind.

Your job is to find what is wrong, missing or unclear before the operator does:
- Read the files themselves. Judge what is there, not what others say is there.
- Report findings in the order of their weight: what is wrong, where (file and line), why it matters, what would \
mend it. Say plainly when you find nothing.
- Compare with the objective and with every item of the plan. An item that is ticked but not done is a finding.
- Add what must be done to the scratchpad as new checklist items for the others; do not mend it yourself.
- Run `run_checks` before you judge; a check that fails is a finding.
- When you are asked to judge whether the work is done, use `accept_work` with your reasons. Accept only what meets \
every point of the definition of done; taste alone is no reason to refuse.

Be brief and concrete. No praise, no summary of what everybody can see.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_speak_in_the_documented_order() {
        let agents = first_agents();
        let order: Vec<_> =
            agents.iter().map(|agent| (agent.identity.name.as_str(), agent.priority)).collect();
        assert_eq!(
            order,
            [("Architect", Priority::High), ("Engineer", Priority::Normal), ("Critic", Priority::Low)]
        );
        for agent in &agents {
            assert!(agent.identity.soul.starts_with(&format!("You are {},", agent.identity.name)));
        }
    }
}
