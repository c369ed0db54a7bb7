//! Never says that something is allowed which is not.
//!
//! Owns the words about what holds for one message alone.

use crate::domain::agent::Permissions;
use crate::domain::command::Override;
use crate::domain::model::Thinking;
use crate::domain::permission::Ruling;
use crate::domain::text::hidden::reveal;
use crate::ui::words::settings;

pub(crate) const OPEN: &str = "For this message …";
pub(crate) const TITLE: &str = "For this message alone";
pub(crate) const ABOUT: &str = "It holds for all turns that answer it, and for the workers that they send out. What is denied \
     elsewhere stays denied.";
pub(crate) const MODEL: &str = "Model";
pub(crate) const OWN_MODEL: &str = "Each agent’s own";
pub(crate) const CHOOSE_MODEL: &str =
    "Thinking and temperature can be changed with a model, or in a message to one agent.";
pub(crate) const USUAL: &str = "As usual";
pub(crate) const TOOLS: &str = "Tools";
pub(crate) const DONE: &str = "Done";
pub(crate) const CLEAR: &str = "As usual again";
pub(crate) const HELD: &str = "Held for its message alone";

/// What a tool or a group of tools is called.
pub(crate) fn name(name: &str) -> String {
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
pub(crate) fn held(over: &Override) -> String {
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
pub(crate) fn tools(said: &Permissions) -> String {
    let lists = [
        (Ruling::Deny, &said.tools_denied),
        (Ruling::Ask, &said.tools_ask),
        (Ruling::Allow, &said.tools_always),
    ];
    let told = lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(ruling, names)| {
        let names: Vec<_> = names.iter().map(|it| name(it)).collect();
        format!("{}: {}", settings::ruling(ruling), names.join(", "))
    });
    told.collect::<Vec<_>>().join(" · ")
}
