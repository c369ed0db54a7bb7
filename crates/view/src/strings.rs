//! The interface's strings: rejections, errors, statuses and advice. Pure.
//!
//! Only strings fixed in a component's markup are elsewhere. Never says whose fault an error is.

mod activity;
pub mod audit;
pub mod board;
pub mod chat;
mod errors;
pub(crate) mod format;
pub mod inspect;
pub mod maintenance;
pub mod palette;
mod rejections;
pub mod run_summary;
pub mod search;
pub mod settings;
pub mod snapshot;
mod status;
pub mod tree;
pub mod tree_layout;

pub use crate::strings::activity::activity;
pub use crate::strings::chat::prompts::{
    always, changes_unknown, countdown, held, not_json, reach_checks, used, wants,
};
pub use crate::strings::chat::send_back::{QuotedChange, sent_back};
pub use crate::strings::errors::{
    SAVE_FROM_MEMORY, SAVE_FROM_MEMORY_ABOUT, STARTING, WORK_HERE, WORK_HERE_ABOUT, banner_deleted,
    banner_memory, banner_read_only, banner_rehearsal, banner_store, banner_waiting, care, cleared, failure,
    nobody_hands_over, part_missing, told_error, too_long_pasted,
};
pub use crate::strings::format::{
    ESTIMATE, Notice, ago, clock_time, count, day, day_of, elapsed, large_size, listed, money, size,
    spent_tokens, tokens,
};
pub use crate::strings::rejections::{rejection, write_refused};
pub use crate::strings::settings::agent_file::{file_problem, remark};
pub use crate::strings::settings::connection::{PageContext, check, checklist, seen};
pub use crate::strings::settings::providers::{
    address_problem, guide, kept_because, key_not_forgotten, key_problem, reload,
};
pub use crate::strings::status::{
    announcement, ending, ending_short, pause, phase, run_status, title, tool_status, unasked,
};

/// What “done” means, until the operator says it otherwise.
pub const DONE: &str =
    "The objective is met, every file works as it stands, and nothing asked for is left open.";

/// Strings of lazily loaded screens.
pub mod lazy {
    pub const LOADING: &str = "One moment…";
    pub const NOT_LOADED: &str = "This screen could not be loaded.";
    pub const NOT_LOADED_ADVICE: &str = "The connection may be gone, or Nexus was renewed while this page was open. Nothing of yours is lost. \
         Try again; if that does not help, load the page again.";
    pub const AGAIN: &str = "Try again";
}

/// Strings of the first start.
pub mod first_start {
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
        format!("{} will answer.", crate::strings::format::listed(providers))
    }
}

/// Strings of the agent cards.
pub mod agents {
    use nexus_model::agent::Priority;

    pub const PANE: &str = "Agents";
    pub const ACTIVITY: &str = "Activity";
    pub const NO_ACTIVITY: &str = "What you and the agents do from here on appears here, newest first.";
    pub const YOU: &str = "You";
    pub const DEMO: &str = "Demo";
    pub const DEMO_ABOUT: &str = "Plays prepared answers: no model, no network";
    pub const MUTE: &str = "Mute";
    pub const MUTED: &str = "Muted";
    pub const UNREAD: &str = "Not answered or not looked at yet. Press to mark as read.";
    pub const IDLE: &str = "idle";
    pub const QUEUED: &str = "next in line";
    pub const ASKING: &str = "waits for you";
    pub const HELD: &str = "waits for the provider";
    pub const FAILED: &str = "failed";

    pub fn priority(priority: Priority) -> &'static str {
        match priority {
            Priority::Low => "Low",
            Priority::Normal => "Normal",
            Priority::High => "High",
        }
    }

    pub fn priority_of(name: &str) -> String {
        format!("Priority of {name}: ")
    }

    pub fn priority_about(name: &str, now: Priority) -> String {
        format!(
            "{name} speaks with {} priority. Press for {}.",
            priority(now).to_lowercase(),
            priority(now.cycled()).to_lowercase()
        )
    }

    pub fn mute_about(name: &str, muted: bool) -> String {
        if muted {
            format!(
                "{name} is left out of messages to all; addressed by name it still answers. Press to unmute."
            )
        } else {
            format!("Leave {name} out of messages to all")
        }
    }
}

/// Strings of the pane layout and the banners above it.
pub mod panes {
    use crate::strings::format::Notice;

    pub const TIMELINE: &str = "Timeline";
    pub const BOARD_TAB: &str = "Board";
    pub const TABS: &str = "Panes";
    pub const RESIZE: &str = "Drag, or use the arrow keys; Enter puts it back";
    pub const BANNERS: &str = "State of this page";
    pub const TO_SETTINGS: &str = "Use a model";

    pub const ENTER_KEY: &str = "Enter the key";
    pub const CLOSE_KEY: &str = "Close";

    /// A provider whose key is missing, and the agents that cannot answer without it.
    pub fn no_key(provider: &str, agents: &[String]) -> Notice {
        let advice = format!(
            "{} cannot answer without it. A key that is kept in this tab only is gone when the tab is closed or reloaded.",
            crate::strings::format::listed(agents)
        );
        Notice::new(format!("No API key for {provider}"), advice)
    }

    pub fn close(pane: &str) -> String {
        format!("Fold away: {pane}")
    }

    pub fn open(pane: &str) -> String {
        format!("Show: {pane}")
    }

    pub fn width_of(pane: &str) -> String {
        format!("Width of {pane}")
    }
}
