//! The sections of the settings, which the screen and the palette share. A browser test compares them with the screen.

use nexus_view::strings::board::core_sync as core_words;
use nexus_view::strings::chat::message_actions::settings as call_words;
use nexus_view::strings::settings::voice::settings as voice_words;
use nexus_view::strings::settings::{limits, triggers};
use nexus_view::strings::{maintenance, settings as words};

#[derive(Clone, Copy)]
pub(crate) struct SectionInfo {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Other words that it is found by.
    pub(crate) also: &'static str,
}

const fn section(
    id: &'static str,
    name: &'static str,
    about: &'static str,
    also: &'static str,
) -> SectionInfo {
    SectionInfo { id, name, about, also }
}

/// In their order on the screen.
#[rustfmt::skip]
pub(crate) const SECTIONS: [SectionInfo; 12] = [
    section("settings-you", words::OPERATOR, words::OPERATOR_ABOUT, "operator section"),
    section("settings-providers", words::PROVIDERS, words::PROVIDERS_ABOUT,
        "api key openai anthropic gemini ollama llama models connection"),
    section("settings-agents", words::AGENTS, words::AGENTS_ABOUT, "personas roster add agent"),
    section("settings-core", core_words::CORE, core_words::settings::ABOUT, "sync supervisor"),
    section("settings-archivist", maintenance::ARCHIVIST, maintenance::ABOUT, "summaries memories compaction"),
    section("settings-permissions", limits::RULES, limits::RULES_ABOUT, "tools rules allow ask deny"),
    section("settings-costs", limits::COSTS, limits::COSTS_ABOUT, "money tokens"),
    section("settings-triggers", triggers::TRIGGERS_TITLE, triggers::ABOUT,
        "timer schedule interval automation cron"),
    section("settings-voice", voice_words::VOICE, voice_words::ABOUT, "speech microphone reading"),
    section("settings-calls", call_words::CALLS, call_words::CALLS_ABOUT, "notification sound hidden tab"),
    section("settings-data", words::DATA, words::DATA_ABOUT, "storage export import backup"),
    section("settings-appearance", words::APPEARANCE, words::APPEARANCE_ABOUT, "look design"),
];
