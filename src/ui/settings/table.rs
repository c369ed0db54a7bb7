//! Table of all settings: sections and fields with their ids, labels and search words.
//!
//! The settings screen and the palette both use it; a browser test compares it with the screen.

pub use nexus_view::strings::board::core_sync as core_words;
pub use nexus_view::strings::board::core_sync::settings as core_settings;
use nexus_view::strings::chat::message_actions::settings as call_words;
use nexus_view::strings::chat::{queue, workers};
pub use nexus_view::strings::settings::voice::settings as voice_words;
use nexus_view::strings::settings::{appearance, iframe, limits, triggers};
use nexus_view::strings::{inspect, maintenance, settings as words};

/// A section or a field.
pub(crate) struct SettingInfo {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Other words that it is found by.
    pub(crate) also: &'static str,
}

const fn setting(id: &'static str, name: &'static str, also: &'static str) -> SettingInfo {
    SettingInfo { id, name, also }
}

/// The sections, in their order on the screen.
pub(crate) const SECTIONS: [SettingInfo; 12] = [
    setting("settings-you", words::OPERATOR, "operator section"),
    setting(
        "settings-providers",
        words::PROVIDERS,
        "api key openai anthropic gemini ollama llama models connection",
    ),
    setting("settings-agents", words::AGENTS, "personas roster add agent"),
    setting("settings-core", core_words::CORE, "sync supervisor"),
    setting("settings-archivist", maintenance::ARCHIVIST, "summaries memories compaction"),
    setting("settings-permissions", limits::RULES, "tools rules allow ask deny"),
    setting("settings-costs", limits::COSTS, "money tokens"),
    setting("settings-triggers", triggers::TRIGGERS_TITLE, "timer schedule interval automation cron"),
    setting("settings-voice", voice_words::VOICE, "speech microphone reading"),
    setting("settings-calls", call_words::CALLS, "notification sound hidden tab"),
    setting("settings-data", words::DATA, "storage export import backup"),
    setting("settings-appearance", words::APPEARANCE, "look design"),
];

/// The fields that are always there. Those of a provider, an agent, a tool or a model come and go with it.
pub(crate) const FIELDS: [SettingInfo; 32] = [
    setting("operator-name", words::NAME, "operator you who"),
    setting("queue-usual", queue::USUAL, "busy waiting steer collect interrupt follow up mode"),
    setting("core-provider", "Core: provider", "sync"),
    setting("core-model", "Core: model", "sync"),
    setting("core-auto", core_settings::AUTO, "core sync automatic"),
    setting("core-propose", core_settings::PROPOSE, "core sync propose apply dismiss objective"),
    setting("core-wait", core_settings::WAIT, "core sync seconds"),
    setting("core-lines", core_settings::LINES, "core sync threshold"),
    setting("compact-auto", maintenance::COMPACT_AUTO, "archivist compaction window"),
    setting("summary-auto", maintenance::SUMMARY_AUTO, "archivist session"),
    setting("memory-auto", maintenance::MEMORY_AUTO, "archivist remember facts"),
    setting("archivist-provider", maintenance::PROVIDER, "archivist"),
    setting("archivist-model", "Archivist: model", "summaries memories"),
    setting("cap-calls", limits::CAP_CALLS, "cap limit pause"),
    setting("cap-tokens", limits::CAP_TOKENS, "cap limit pause"),
    setting("cap-dollars", limits::CAP_DOLLARS, "cap limit pause money cost"),
    setting("silence", limits::SILENCE, "timeout stream idle"),
    setting("worker-depth", workers::DEPTH, "delegate subagent nested limit"),
    setting("raw-days", inspect::RAW_DAYS, "inspector raw responses keep"),
    setting("page-origin", iframe::PAGE, "trigger embed frame iframe postmessage host origin draft"),
    setting("voice-language", voice_words::LANGUAGE, "speech recognition voice"),
    setting("voice-languages", voice_words::LANGUAGES, "speech recognition voice list"),
    setting("voice-auto-read-setting", voice_words::AUTO_READ, "speech voice"),
    setting("voice-hands-free-setting", voice_words::HANDS_FREE, "speech voice microphone"),
    setting("calls-notify", call_words::NOTIFY, "call back desktop"),
    setting("calls-sound", call_words::SOUND, "call back tone"),
    setting("theme", appearance::THEME, "dark light colours"),
    setting("density", appearance::DENSITY, "compact comfortable space"),
    setting("text-size", appearance::TEXT_SIZE, "font larger smaller zoom"),
    setting("motion", appearance::MOTION, "animation reduced"),
    setting("single-keys", appearance::SINGLE_KEYS, "shortcuts keyboard letters"),
    setting("price-model", "Price of a model", "add cost money tokens"),
];
