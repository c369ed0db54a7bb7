//! Strings of the first start.

pub const TITLE: &str = "Give an objective. Watch three agents build it.";
pub const ABOUT: &str = "They answer one after another and work on one shared mind: an objective, a scratchpad and files. You read along, \
     steer, and keep everything: it stays on this device.";
pub const NAME: &str = "Your name";
pub const NAME_EXAMPLE: &str = "How the agents call you";
pub const WHO: &str = "Who answers";
pub const DEMO: &str = "Demo";
pub const DEMO_ABOUT: &str = "Plays one of five prepared objectives, without a key and without the network. Anything else needs a model.";
pub const GEMINI: &str = "Google Gemini";
pub const GEMINI_ABOUT: &str = "A real model, called straight from this page with your key.";
pub const OTHER: &str = "Another provider, or a server of your own";
pub const OTHER_ABOUT: &str =
    "OpenAI, Anthropic, OpenRouter, Ollama, llama.cpp and more: set up in the settings.";
pub const OTHER_READY: &str = "As set up in the settings";
pub const KEY: &str = "Gemini key";
pub const KEY_EXAMPLE: &str = "AIza…";
pub const KEY_ABOUT: &str = "Sent to Google and to nobody else. Never exported, never shown to an agent.";
pub const OBJECTIVE: &str = "Objective";
pub const OBJECTIVE_EXAMPLE: &str = "What shall they build?";
pub const IDEAS_LABEL: &str = "Objectives that the demo has prepared";
/// Below an objective that the demo cannot play, while the demo is chosen.
pub const NOT_PREPARED: &str =
    "The demo cannot do this: it needs a model. Choose one of these, or enter a key above.";
pub const DEMO_OFFER: &str = "A model, or an objective that the demo has prepared";
pub const CONNECT_MODEL: &str = "Connect a model";
pub const GO: &str = "Begin";
pub const GO_ABOUT: &str = "Your objective goes on the board and to all three; Architect answers first.";
pub const NO_OBJECTIVE: &str = "Say what shall be built, or choose one below.";
pub const NOT_A_KEY: &str = "That is no key: copy it once more, whole and alone.";
pub const NO_KEY: &str = "Enter a key, or choose Demo.";

/// Who answers, as it was set up.
pub fn ready(providers: &[String]) -> String {
    format!("{} will answer.", super::listed(providers))
}
