//! The interface's strings: rejections, errors, statuses and advice. Pure.
//!
//! Only strings fixed in a component's markup are elsewhere. Each is shown in the chosen language (`language`). Never says
//! whose fault an error is.

/// A table of texts with values. Each row is a function that gives its text in the chosen language.
macro_rules! texts {
    ($($vis:vis fn $name:ident($($value:ident: $kind:ty),*) = $text:literal $(, $given:expr)*;)*) => {
        $($vis fn $name($($value: $kind),*) -> String {
            crate::language::text!($text $(, $given)*)
        })*
    };
}

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
pub use crate::strings::errors::remedy as error_remedy;
pub use crate::strings::errors::{
    SAVE_FROM_MEMORY, SAVE_FROM_MEMORY_ABOUT, STARTING, WORK_HERE, WORK_HERE_ABOUT, banner_deleted,
    banner_memory, banner_read_only, banner_rehearsal, banner_store, banner_waiting, care, cleared,
    events_unreadable, failure, failure_kind, nobody_hands_over, part_missing, told_error, too_long_pasted,
};
pub use crate::strings::format::{
    ESTIMATE, Notice, ago, cap, clock_time, count, day, day_of, elapsed, large_size, listed, model_name,
    money, quoted, size, spent_tokens, tokens, told_tokens,
};
pub use crate::strings::rejections::{rejection, trigger_error, write_refused};
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

pub mod new_version {
    use crate::language::Text;

    pub const READY: Text = Text("A new version of Nexus is ready.");
    pub const READY_ABOUT: Text = Text("It starts when the page is reloaded.");
    pub const TAKE: Text = Text("Reload");
    pub const LATER: Text = Text("Later");
}

pub mod lazy {
    use crate::language::Text;

    pub const LOADING: Text = Text("Loading…");
    pub const NOT_LOADED: Text = Text("This screen could not be loaded.");
    pub const NOT_LOADED_ADVICE: Text = Text(
        "The connection may be down, or Nexus was updated while this page was open. Your data is safe. Try again; if that does not help, reload the page.",
    );
    pub const AGAIN: Text = Text("Try again");
}

pub mod first_start {
    use crate::language::Text;

    pub const TITLE: Text = Text("Give an objective. Watch three agents build it.");
    pub const ABOUT: Text = Text(
        "They take turns and share an objective, a scratchpad and files. You follow along and steer. Everything stays on this device.",
    );
    pub const NAME: Text = Text("Your name");
    pub const NAME_EXAMPLE: Text = Text("What agents should call you");
    pub const WHO: Text = Text("Model");
    pub const DEMO: Text = Text("Demo");
    pub const DEMO_ABOUT: Text = Text(
        "Plays one of five prepared objectives, without an API key or network. Anything else needs a model.",
    );
    pub const CLOUD: Text = Text("A provider, with your API key");
    pub const CLOUD_ABOUT: Text = Text("A real model, called directly from this page.");
    pub const PROVIDER: Text = Text("Provider");
    pub const LOCAL: Text = Text("A model on this machine");
    pub const LOCAL_ABOUT: Text = Text("Finds Ollama, LM Studio, llama.cpp and vLLM. No API key needed.");
    pub const LOCAL_MODEL: Text = Text("Model on this machine");
    pub const LOCAL_NONE: Text = Text("No server answered.");
    pub const LOCAL_HELP: Text = Text("What to check");
    pub const LOOKING: Text = Text("Looking…");
    pub const LOOK_AGAIN: Text = Text("Look again");
    pub const NO_LOCAL: Text =
        Text("No model on this machine was found. Start a server, or choose another way.");
    pub const NO_MODEL: Text = Text("The provider lists no model. Choose one in Settings.");
    pub const OTHER: Text = Text("All providers and options in Settings");
    pub const OTHER_READY: Text = Text("As set up in Settings");
    pub const KEY: Text = Text("API key");
    pub const KEY_EXAMPLE: Text = Text("Paste your API key");

    texts! {
        pub fn key_about(provider: &str) =
            "Sent only to {provider}. Never exported, never shown to an agent.";
        pub fn local_found(number: usize) =
            "{} found.", crate::strings::format::count(number, "model", "models");
        pub fn ready(providers: &[String]) = "{} will answer.", crate::strings::format::listed(providers);
    }

    pub const OBJECTIVE: Text = Text("Objective");
    pub const OBJECTIVE_EXAMPLE: Text = Text("What should they build?");
    pub const IDEAS_LABEL: Text = Text("Prepared demo objectives");
    pub const NOT_PREPARED: Text =
        Text("The demo cannot do this: it needs a model. Choose one of these, or enter an API key above.");
    pub const DEMO_OFFER: Text = Text("Connect a model, or choose a prepared objective");
    pub const CONNECT_MODEL: Text = Text("Connect a model");
    pub const GO: Text = Text("Start");
    pub const GO_ABOUT: Text = Text("Your objective goes to all three agents; Architect answers first.");
    pub const NO_OBJECTIVE: Text = Text("Enter an objective, or choose a suggestion.");
    pub const NOT_A_KEY: Text =
        Text("That does not look like an API key. Paste the full key without spaces.");
    pub const NO_KEY: Text = Text("Enter an API key, or choose the demo.");
}

pub mod agents {
    use crate::language::{Text, text, tr};

    use nexus_model::agent::Priority;

    pub const PANE: Text = Text("Agents");
    pub const ACTIVITY: Text = Text("Activity");
    pub const NO_ACTIVITY: Text = Text("Actions of you and the agents appear here, newest first.");
    pub const YOU: Text = Text("You");
    pub const NO_TOOLS: Text = Text("No tools");
    pub const NO_TOOLS_ABOUT: Text = Text(
        "Models of this provider cannot call tools. This agent answers, but cannot read or change files.",
    );
    pub use crate::strings::format::DEMO;
    pub const DEMO_ABOUT: Text = Text("Plays prepared answers: no model, no network");
    pub const MODEL_SETTINGS: Text = Text("All settings of this agent");
    pub const UNREAD: Text = Text("Not answered or not read yet. Press to mark as read.");
    pub const IDLE: Text = Text("idle");
    pub const QUEUED: Text = Text("queued");
    pub const ASKING: Text = Text("waiting for you");
    pub const HELD: Text = Text("waiting for the provider");
    pub const FAILED: Text = Text("failed");

    pub fn priority(priority: Priority) -> &'static str {
        match priority {
            Priority::Low => tr("Low"),
            Priority::Normal => tr("Normal"),
            Priority::High => tr("High"),
        }
    }

    texts! {
        pub fn priority_of(name: &str) = "Priority of {name}: ";
        pub fn priority_about(name: &str, now: Priority) =
            "{name} has {} priority. Press for {}.", priority(now).to_lowercase(), priority(now.cycled()).to_lowercase();
        pub fn model_of(name: &str) = "Model of {name}";
    }

    pub fn mute_of(name: &str, muted: bool) -> String {
        if muted { text!("Unmute {name}") } else { text!("Mute {name}") }
    }

    /// The model of an agent, short; of the demo only that it is the demo.
    pub fn model(model: &str, demo: bool) -> String {
        if demo { DEMO.to_owned() } else { model.rsplit('/').next().unwrap_or(model).to_owned() }
    }

    pub fn model_about(model: &str, demo: bool) -> String {
        if demo { text!("{DEMO_ABOUT}. Change the model") } else { text!("{model}. Change the model") }
    }

    pub fn mute_about(name: &str, muted: bool) -> String {
        if muted {
            text!(
                "{name} is excluded from messages to all agents, but answers when mentioned. Press to unmute."
            )
        } else {
            text!("Exclude {name} from messages to all agents")
        }
    }
}

pub mod panes {
    use crate::language::{Text, text};

    use crate::strings::format::Notice;

    pub const TIMELINE: Text = Text("Conversation");
    pub const SKIP: Text = Text("Skip to the message box");
    pub const BOARD_TAB: Text = Text("Board");
    pub const TABS: Text = Text("Panes");
    pub const RESIZE: Text = Text("Drag, or use the arrow keys. Enter or a double click resets it");
    pub const BANNERS: Text = Text("Status of this page");
    pub const TO_SETTINGS: Text = Text("Connect a model");

    pub const ENTER_KEY: Text = Text("Enter API key");
    pub const CLOSE_KEY: Text = Text("Close");

    pub fn no_key(provider: &str, agents: &[String]) -> Notice {
        let advice = text!(
            "{} cannot answer without it. A key kept in this tab only is lost when the tab is closed or reloaded.",
            crate::strings::format::listed(agents)
        );
        Notice::new(text!("No API key for {provider}"), advice)
    }

    texts! {
        pub fn close(pane: &str) = "Collapse {pane}";
        pub fn open(pane: &str) = "Show {pane}";
        pub fn width_of(pane: &str) = "Width of {pane}";
    }
}
