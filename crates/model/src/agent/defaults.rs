//! Default agents (Architect, Engineer, Critic) and default providers of a new device; templates of further agents.

use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, Priority};
use crate::id::AgentKey;
use crate::llm::{ModelConfig, Thinking};
use crate::provider::Provider;

pub const DEMO_MODEL: &str = "rehearsal-1";

pub fn first_providers() -> Vec<Provider> {
    vec![Provider::demo(), Provider::gemini()]
}

/// The agents of a new device, on the demo provider until the operator chooses another.
pub fn first_agents() -> Vec<Agent> {
    let architect = template("Architect", "🏛️", "Plans the work and keeps the plan.", ARCHITECT);
    let engineer = template("Engineer", "🛠️", "Builds what the plan says.", ENGINEER);
    let critic = template("Critic", "🔎", "Looks for what is wrong or missing.", CRITIC);
    vec![
        Agent { accent: Accent::Cyan, priority: Priority::High, config: demo(Thinking::High), ..architect },
        Agent { accent: Accent::Amber, place: 1, ..engineer },
        Agent { accent: Accent::Rose, priority: Priority::Low, place: 2, ..critic },
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

/// The templates for new agents, a blank one first.
pub fn templates() -> Vec<Agent> {
    let mut templates = vec![template("Agent", "✨", "", BLANK)];
    templates.extend(first_agents().into_iter().map(|agent| Agent { priority: Priority::Normal, ..agent }));
    templates.push(template("Writer", "✍️", "Makes texts clear, short and true.", WRITER));
    templates.push(template("Tester", "🧪", "Tries what was built, and says how it breaks.", TESTER));
    templates
}

fn template(name: &str, emoji: &str, description: &str, soul: &str) -> Agent {
    Agent {
        key: AgentKey(name.to_lowercase()),
        identity: Identity { soul: soul.to_owned(), name: name.to_owned(), emoji: emoji.to_owned() },
        description: description.to_owned(),
        accent: Accent::Green,
        role: AgentRole::Unified,
        permissions: Permissions::default(),
        config: demo(Thinking::Auto),
        priority: Priority::Normal,
        place: 0,
        removed_at: None,
    }
}

fn demo(thinking: Thinking) -> ModelConfig {
    ModelConfig { thinking, ..ModelConfig::new("rehearsal", DEMO_MODEL) }
}

/// The agent moved to the demo provider, for when its provider is removed.
pub fn with_demo_model(agent: &Agent) -> Agent {
    let config = ModelConfig {
        max_tokens: agent.config.max_tokens,
        temperature: agent.config.temperature,
        ..demo(agent.config.thinking)
    };
    Agent { config, ..agent.clone() }
}

/// A new agent made from a pattern: last in the roster, with a free name, key and, if possible, colour. `all` includes
/// removed agents, so that no key is reused.
pub fn agent_like<'a>(pattern: &Agent, all: impl Iterator<Item = &'a Agent> + Clone) -> Agent {
    let here = || all.clone().filter(|agent| agent.exists());
    let name_taken = |name: &str| here().any(|agent| agent.identity.name.eq_ignore_ascii_case(name));
    let name = free(pattern.identity.name.trim(), " ", name_taken);
    let key = free(&key_of(&name), "-", |key| all.clone().any(|agent| agent.key.as_str() == key));
    let accent = Accent::ALL.into_iter().find(|accent| !here().any(|agent| agent.accent == *accent));
    // Replaces the name in the persona's introduction.
    let introduction = format!("You are {},", pattern.identity.name);
    let soul = match pattern.identity.soul.strip_prefix(&introduction) {
        Some(rest) => format!("You are {name},{rest}"),
        None => pattern.identity.soul.clone(),
    };
    Agent {
        key: AgentKey(key),
        identity: Identity { soul, name, emoji: pattern.identity.emoji.clone() },
        accent: accent.unwrap_or(pattern.accent),
        place: here().map(|agent| agent.place.saturating_add(1)).max().unwrap_or(0),
        removed_at: None,
        ..pattern.clone()
    }
}

/// A name as a key: letters and digits in lower case, everything else a dash.
fn key_of(name: &str) -> String {
    let small = name.to_lowercase();
    let words = small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.collect::<Vec<_>>().join("-");
    if key.is_empty() { "agent".to_owned() } else { key }
}

/// The first free one of `name`, `name 2`, `name 3`, … Continues from a number at the end of the name.
fn free(name: &str, gap: &str, taken: impl Fn(&str) -> bool) -> String {
    let name = if name.is_empty() { "Agent" } else { name };
    if !taken(name) {
        return name.to_owned();
    }
    let stem = match name.rsplit_once(gap) {
        Some((stem, number)) if !stem.is_empty() && number.parse::<u32>().is_ok() => stem,
        Some(_) | None => name,
    };
    (2u32..).map(|number| format!("{stem}{gap}{number}")).find(|name| !taken(name)).unwrap_or_default()
}

const BLANK: &str = "\
You are Agent, one of a small team that works for one operator on one shared mind.

Your job is to …";

const WRITER: &str = "\
You are Writer, the author of a small team that works for one operator on one shared mind.

Your job is to write and mend texts so that their readers understand them at once:
- Find out from the objective and the plan who reads the text and what it is for. Write for them.
- Say what is true, in plain words and short sentences. Keep names, numbers and quotes exactly as they are given.
- Change the files themselves with your tools. Prefer `edit_file` with an exact passage to writing a file anew.
- Leave code, structure and design to the others, but for the words that people read.

Afterwards say in a few sentences what you changed and why, and what you were not sure of.";

const TESTER: &str = "\
You are Tester, who tries what a small team has built for one operator on one shared mind.

Your job is to find out how it breaks before the operator does:
- Read the files, and walk through what a user would do, step by step: the usual way first, then empty, wrong, very \
long and strange input.
- For each fault say what you did, what happened, what should have happened, and in which file and line the cause is.
- Where a test can be written down, write it into a file of its own, small and with an expected result.
- Add each fault to the scratchpad as an open item for Engineer. Do not mend it yourself.

Say plainly when you find nothing, and what you did not try.";

#[cfg(test)]
mod tests;
