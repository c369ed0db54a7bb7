//! Never looks anything up.
//!
//! Owns the words of the first start.

pub(crate) const TITLE: &str = "Give an objective. Watch three agents build it.";
pub(crate) const ABOUT: &str = "They answer one after another and work on one shared mind: an objective, a scratchpad and files. You read along, \
     steer, and keep everything: it stays on this device.";
pub(crate) const NAME: &str = "Your name";
pub(crate) const NAME_EXAMPLE: &str = "How the agents call you";
pub(crate) const WHO: &str = "Who answers";
pub(crate) const REHEARSAL: &str = "Rehearsal";
pub(crate) const REHEARSAL_ABOUT: &str = "A built-in stand-in plays all three by rules, without a key and without the network. Best for a first look.";
pub(crate) const GEMINI: &str = "Google Gemini";
pub(crate) const GEMINI_ABOUT: &str = "A real model, called straight from this page with your key.";
pub(crate) const OTHER: &str = "Another provider, or a server of your own";
pub(crate) const OTHER_ABOUT: &str =
    "OpenAI, Anthropic, OpenRouter, Ollama, llama.cpp and more: set up in the settings.";
pub(crate) const OTHER_READY: &str = "As set up in the settings";
pub(crate) const KEY: &str = "Gemini key";
pub(crate) const KEY_EXAMPLE: &str = "AIza…";
pub(crate) const KEY_ABOUT: &str = "It stays in the memory of this tab and is sent to nobody but Google. The settings can remember it under a \
     passphrase.";
pub(crate) const OBJECTIVE: &str = "Objective";
pub(crate) const OBJECTIVE_EXAMPLE: &str = "What shall they build?";
pub(crate) const IDEAS_LABEL: &str = "Ideas for an objective";
/// What a newcomer may begin with: in short, and as an objective.
pub(crate) const IDEAS: [(&str, &str); 4] = [
    ("Tea timer", "A web page with a countdown timer for tea"),
    ("Bird quiz", "A web page with a quiz about birds"),
    ("Packing list", "A packing list for three days in the mountains"),
    ("Habit tracker", "A web page that tracks three daily habits"),
];
pub(crate) const GO: &str = "Begin";
pub(crate) const GO_ABOUT: &str =
    "Your objective goes on the board and to all three; Architect answers first.";
pub(crate) const NO_OBJECTIVE: &str = "Say what shall be built, or take one of the ideas.";
pub(crate) const NOT_A_KEY: &str = "That is no key: copy it once more, whole and alone.";
pub(crate) const NO_KEY: &str = "Enter a key, or choose Rehearsal.";

/// Who answers, as it was set up.
pub(crate) fn ready(providers: &[String]) -> String {
    format!("{} will answer.", super::listed(providers))
}
