//! Never changes a setting: it leads to it.
//!
//! Owns the settings by their names.

use leptos::prelude::*;

use super::{Action, Reach, Shelf, go};
use crate::ui::app::settings_path;
use crate::ui::words::core::settings as core_words;
use crate::ui::words::triggers as trigger_words;
use crate::ui::words::voice::settings as voice_words;
use crate::ui::words::{appearance, inspect, settings as words, settings_limits as limits};

/// The settings: their ids on the screen, what they are called, and other words for them.
const FIELDS: [(&str, &str, &str); 26] = [
    ("settings-you", words::OPERATOR, "operator section"),
    ("operator-name", words::NAME, "operator you who"),
    (
        "settings-providers",
        words::PROVIDERS,
        "api key openai anthropic gemini ollama llama models connection",
    ),
    ("settings-agents", words::AGENTS, "personas roster add agent"),
    ("settings-core", "Core", "sync supervisor"),
    ("core-provider", "Core: provider", "sync"),
    ("core-model", "Core: model", "sync"),
    ("core-wait", core_words::WAIT, "core sync seconds"),
    ("core-lines", core_words::LINES, "core sync threshold"),
    ("settings-permissions", limits::RULES, "tools rules allow ask deny"),
    ("settings-costs", limits::COSTS, "money tokens"),
    ("cap-calls", limits::CAP_CALLS, "cap limit pause"),
    ("cap-tokens", limits::CAP_TOKENS, "cap limit pause"),
    ("cap-dollars", limits::CAP_DOLLARS, "cap limit pause money cost"),
    ("silence", limits::SILENCE, "timeout stream idle"),
    ("raw-days", inspect::RAW_DAYS, "inspector raw responses keep"),
    ("settings-triggers", trigger_words::TRIGGERS_TITLE, "timer schedule interval automation cron"),
    ("settings-voice", voice_words::VOICE, "speech microphone reading"),
    ("voice-language", voice_words::LANGUAGE, "speech recognition voice"),
    ("settings-data", words::DATA, "storage export import backup"),
    ("settings-appearance", words::APPEARANCE, "look design"),
    ("theme", appearance::THEME, "dark light colours"),
    ("density", appearance::DENSITY, "compact comfortable space"),
    ("text-size", appearance::TEXT_SIZE, "font larger smaller zoom"),
    ("motion", appearance::MOTION, "animation reduced"),
    ("single-keys", appearance::SINGLE_KEYS, "shortcuts keyboard letters"),
];

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    for (id, title, also) in FIELDS {
        let selector = format!("#{id}");
        shelf.put(
            Action::here(format!("setting-{id}"), title, move || go(&settings_path(), &selector)).also(also),
        );
    }
    for id in reach.providers.order().get() {
        let Some(row) = reach.providers.row(&id) else { continue };
        let title = row.with(|row| row.provider.label.clone());
        let selector = format!("[data-provider=\"{id}\"] input, [data-provider=\"{id}\"] summary");
        shelf.put(
            Action::here(format!("provider-{id}"), title, move || go(&settings_path(), &selector))
                .also("provider api key address connection"),
        );
    }
}
