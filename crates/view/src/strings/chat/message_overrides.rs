//! Strings of the overrides for one message.

use crate::strings::settings;
use nexus_model::agent::Permissions;
use nexus_model::agent::permission::PermissionDecision;
use nexus_model::command::MessageOverrides;
use nexus_model::llm::Thinking;
use nexus_text::invisible::reveal;

pub const OPEN: &str = "For this message …";
pub const TITLE: &str = "For this message alone";
pub const ABOUT: &str = "It holds for all turns that answer it, and for the workers that they send out. What is denied \
     elsewhere stays denied.";
pub const MODEL: &str = "Model";
pub const OWN_MODEL: &str = "Each agent’s own";
pub const CHOOSE_MODEL: &str =
    "Thinking and temperature can be changed with a model, or in a message to one agent.";
pub const USUAL: &str = "As usual";
pub const TOOLS: &str = "Tools";
pub const DONE: &str = "Done";
pub const CLEAR: &str = "As usual again";
pub const HELD: &str = "Held for its message alone";

/// What a tool or a group of tools is called.
pub fn name(name: &str) -> String {
    match name {
        "*" => "All tools".to_owned(),
        "@mind" => "Objective and scratchpad".to_owned(),
        "@files" => "Files".to_owned(),
        "@network" => "Network".to_owned(),
        "@code" => "Running code".to_owned(),
        "@lent" => "Tools of the host page".to_owned(),
        other => reveal(other),
    }
}

/// What holds, in one line.
pub fn held(over: &MessageOverrides) -> String {
    let model = over.config.iter().map(|config| {
        let thinking = (config.thinking != Thinking::Auto)
            .then(|| format!("{}: {}", settings::THINKING, settings::thinking(config.thinking)));
        let temperature = config.temperature.map(|one| format!("{}: {one}", settings::TEMPERATURE));
        let all = [Some(reveal(&config.model)), thinking, temperature];
        all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    });
    let tools = over.tools.iter().map(tools).filter(|told| !told.is_empty());
    model.chain(tools).collect::<Vec<_>>().join(" · ")
}

/// What is said of tools, in one line.
pub fn tools(said: &Permissions) -> String {
    let lists = [
        (PermissionDecision::Deny, &said.tools_denied),
        (PermissionDecision::Ask, &said.tools_ask),
        (PermissionDecision::Allow, &said.tools_always),
    ];
    let told = lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(ruling, names)| {
        let names: Vec<_> = names.iter().map(|it| name(it)).collect();
        format!("{}: {}", settings::ruling(ruling), names.join(", "))
    });
    told.collect::<Vec<_>>().join(" · ")
}
