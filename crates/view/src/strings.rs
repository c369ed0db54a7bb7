//! The interface's strings: rejections, errors, statuses and advice. Pure.
//!
//! Only strings fixed in a component's markup are elsewhere. Never says whose fault an error is.

mod activity;
pub mod audit;
pub mod board;
pub mod chat;
pub mod checks;
pub mod conversation_file;
mod errors;
pub(crate) mod format;
pub mod graph;
pub mod help;
pub mod inspect;
pub mod job_budget;
pub mod maintenance;
pub mod palette;
mod rejections;
pub mod rerun;
pub mod run_graph;
pub mod run_summary;
pub mod search;
pub mod settings;
pub mod snapshot;
mod status;
pub mod tree;
pub mod tree_layout;
pub mod usage;

pub use crate::strings::activity::activity;
pub use crate::strings::chat::prompts::{
    always, changes_unknown, countdown, held, not_json, reach_checks, used, wants,
};
pub use crate::strings::chat::send_back::{QuotedChange, sent_back};
pub use crate::strings::errors::{
    SAVE_FROM_MEMORY, SAVE_FROM_MEMORY_ABOUT, STARTING, WORK_HERE, WORK_HERE_ABOUT, banner_deleted,
    banner_memory, banner_read_only, banner_rehearsal, banner_store, banner_waiting, care, cleared,
    events_unreadable, failure, nobody_hands_over, part_missing, told_error, too_long_pasted,
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

/// Strings of a newer version that waits under an open page.
pub mod new_version {
    pub const READY: &str = "A new version of Nexus is ready.";
    pub const READY_ABOUT: &str = "It starts when the page is reloaded.";
    pub const TAKE: &str = "Reload";
    pub const LATER: &str = "Later";
}

/// Strings of lazily loaded screens.
pub mod lazy {
    pub const LOADING: &str = "Loading…";
    pub const NOT_LOADED: &str = "This screen could not be loaded.";
    pub const NOT_LOADED_ADVICE: &str = "The connection may be down, or Nexus was updated while this page was open. Your data is safe. Try again; if that does not help, reload the page.";
    pub const AGAIN: &str = "Try again";
}

/// Strings of the first start.
pub mod first_start {
    pub const TITLE: &str = "Give an objective. Watch three agents build it.";
    pub const ABOUT: &str = "They take turns and share an objective, a scratchpad and files. You follow along and steer. Everything stays on this device.";
    pub const NAME: &str = "Your name";
    pub const NAME_EXAMPLE: &str = "What agents should call you";
    pub const WHO: &str = "Model";
    pub const DEMO: &str = "Demo";
    pub const DEMO_ABOUT: &str =
        "Plays one of five prepared objectives, without an API key or network. Anything else needs a model.";
    pub const CLOUD: &str = "A provider, with your API key";
    pub const CLOUD_ABOUT: &str = "A real model, called directly from this page.";
    pub const PROVIDER: &str = "Provider";
    pub const LOCAL: &str = "A model on this machine";
    pub const LOCAL_ABOUT: &str = "Finds Ollama, LM Studio, llama.cpp and vLLM. No API key needed.";
    pub const LOCAL_MODEL: &str = "Model on this machine";
    pub const LOCAL_NONE: &str = "No server answered.";
    pub const LOCAL_HELP: &str = "What to check";
    pub const LOOKING: &str = "Looking…";
    pub const LOOK_AGAIN: &str = "Look again";
    pub const NO_LOCAL: &str = "No model on this machine was found. Start a server, or choose another way.";
    pub const NO_MODEL: &str = "The provider lists no model. Choose one in Settings.";
    pub const OTHER: &str = "All providers and options in Settings";
    pub const OTHER_READY: &str = "As set up in Settings";
    pub const KEY: &str = "API key";
    pub const KEY_EXAMPLE: &str = "Paste your API key";

    /// Where a key goes.
    pub fn key_about(provider: &str) -> String {
        format!("Sent only to {provider}. Never exported, never shown to an agent.")
    }

    /// How many models the servers of this machine have.
    pub fn local_found(number: usize) -> String {
        format!("{} found.", crate::strings::format::count(number, "model", "models"))
    }

    pub const OBJECTIVE: &str = "Objective";
    pub const OBJECTIVE_EXAMPLE: &str = "What should they build?";
    pub const IDEAS_LABEL: &str = "Prepared demo objectives";
    /// Below an objective that the demo cannot play, while the demo is chosen.
    pub const NOT_PREPARED: &str =
        "The demo cannot do this: it needs a model. Choose one of these, or enter an API key above.";
    pub const DEMO_OFFER: &str = "Connect a model, or choose a prepared objective";
    pub const CONNECT_MODEL: &str = "Connect a model";
    pub const GO: &str = "Start";
    pub const GO_ABOUT: &str = "Your objective goes to all three agents; Architect answers first.";
    pub const NO_OBJECTIVE: &str = "Enter an objective, or choose one below.";
    pub const NOT_A_KEY: &str = "That does not look like an API key. Paste the full key without spaces.";
    pub const NO_KEY: &str = "Enter an API key, or choose the demo.";

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
    pub const NO_ACTIVITY: &str = "Actions of you and the agents appear here, newest first.";
    pub const YOU: &str = "You";
    pub const DEMO: &str = "Demo";
    pub const NO_TOOLS: &str = "No tools";
    pub const NO_TOOLS_ABOUT: &str =
        "Models of this provider cannot call tools. This agent answers, but cannot read or change files.";
    pub const DEMO_ABOUT: &str = "Plays prepared answers: no model, no network";
    pub const MUTE: &str = "Mute";
    pub const UNREAD: &str = "Not answered or not read yet. Press to mark as read.";
    pub const IDLE: &str = "idle";
    pub const QUEUED: &str = "queued";
    pub const ASKING: &str = "waiting for you";
    pub const HELD: &str = "waiting for the provider";
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
            "{name} has {} priority. Press for {}.",
            priority(now).to_lowercase(),
            priority(now.cycled()).to_lowercase()
        )
    }

    /// What the button does, for a screen reader.
    pub fn mute_of(name: &str, muted: bool) -> String {
        format!("{} {name}", if muted { "Unmute" } else { MUTE })
    }

    /// The model of an agent, short; of the demo only that it is the demo.
    pub fn model(model: &str, demo: bool) -> String {
        if demo { DEMO.to_owned() } else { model.rsplit('/').next().unwrap_or(model).to_owned() }
    }

    pub fn model_about(model: &str, demo: bool) -> String {
        if demo { format!("{DEMO_ABOUT}. Change the model") } else { format!("{model}. Change the model") }
    }

    pub fn mute_about(name: &str, muted: bool) -> String {
        if muted {
            format!(
                "{name} is excluded from messages to all agents, but answers when mentioned. Press to unmute."
            )
        } else {
            format!("Exclude {name} from messages to all agents")
        }
    }
}

/// Strings of the pane layout and the banners above it.
pub mod panes {
    use crate::strings::format::Notice;

    pub const TIMELINE: &str = "Conversation";
    pub const SKIP: &str = "Skip to the message box";
    pub const BOARD_TAB: &str = "Board";
    pub const TABS: &str = "Panes";
    pub const RESIZE: &str = "Drag, or use the arrow keys. Enter or a double click resets it";
    pub const BANNERS: &str = "Status of this page";
    pub const TO_SETTINGS: &str = "Connect a model";

    pub const ENTER_KEY: &str = "Enter API key";
    pub const CLOSE_KEY: &str = "Close";

    /// A provider whose key is missing, and the agents that cannot answer without it.
    pub fn no_key(provider: &str, agents: &[String]) -> Notice {
        let advice = format!(
            "{} cannot answer without it. A key kept in this tab only is lost when the tab is closed or reloaded.",
            crate::strings::format::listed(agents)
        );
        Notice::new(format!("No API key for {provider}"), advice)
    }

    pub fn close(pane: &str) -> String {
        format!("Collapse {pane}")
    }

    pub fn open(pane: &str) -> String {
        format!("Show {pane}")
    }

    pub fn width_of(pane: &str) -> String {
        format!("Width of {pane}")
    }
}
