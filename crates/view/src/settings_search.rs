//! Sections of the settings, and search synonyms of sections and fields.

use crate::language::{Text, known};
use crate::strings::board::core_sync as core_words;
use crate::strings::chat::message_actions::settings as call_words;
use crate::strings::common;
use crate::strings::settings::voice::settings as voice_words;
use crate::strings::settings::{limits, triggers};
use crate::strings::{maintenance, settings as words};
use nexus_model::settings::schema::SCHEMA;

#[derive(Clone, Copy, Debug)]
pub struct SectionInfo {
    pub id: &'static str,
    pub name: Text,
    pub about: Text,
    pub keywords: Text,
}

const fn section(id: &'static str, name: Text, about: Text, keywords: Text) -> SectionInfo {
    SectionInfo { id, name, about, keywords }
}

/// The sections of the settings, in display order.
#[rustfmt::skip]
pub const SECTIONS: [SectionInfo; 12] = [
    section("settings-you", common::YOU, words::OPERATOR_ABOUT, Text("operator section profile account")),
    section("settings-providers", words::PROVIDERS, words::PROVIDERS_ABOUT,
        Text("api key token base url endpoint address proxy api format protocol server local models list openai anthropic claude gemini ollama llama openrouter connection passphrase")),
    section("settings-agents", common::AGENTS, words::AGENTS_ABOUT,
        Text("personas add agent system prompt instructions model max output tokens temperature reasoning effort thinking context window sandbox tools role")),
    section("settings-core", common::CORE, core_words::settings::ABOUT, Text("sync supervisor")),
    section("settings-archivist", maintenance::ARCHIVIST, maintenance::ABOUT, Text("summaries memory compaction")),
    section("settings-permissions", limits::RULES, limits::RULES_ABOUT, Text("tools rules allow ask deny approval security")),
    section("settings-costs", limits::COSTS, limits::COSTS_ABOUT, Text("money price cost budget caps spending tokens timeout")),
    section("settings-triggers", triggers::TRIGGERS_TITLE, triggers::ABOUT,
        Text("timer schedule interval automation cron iframe embed")),
    section("settings-voice", common::VOICE, voice_words::ABOUT, Text("speech microphone dictation reading")),
    section("settings-calls", call_words::CALLS, call_words::CALLS_ABOUT, Text("notification sound alert hidden tab")),
    section("settings-data", common::DATA, words::DATA_ABOUT,
        Text("storage export import backup restore points factory reset delete erase wipe quota")),
    section("settings-appearance", common::APPEARANCE, words::APPEARANCE_ABOUT, Text("look design accessibility")),
];

/// Synonyms of a section or field, by the id of its element: in English and in the chosen language.
pub fn synonyms(id: &str) -> String {
    let section = SECTIONS.iter().find(|section| section.id == id).map(|section| section.keywords.0);
    let field = || SCHEMA.iter().find(|(_, info)| info.id == id).map(|(_, info)| info.keywords);
    both(section.or_else(field).unwrap_or_default())
}

pub fn both(words: &'static str) -> String {
    known(words).map_or_else(|| words.to_owned(), |own| format!("{words} {own}"))
}

#[cfg(test)]
mod tests;
