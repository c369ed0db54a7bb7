//! The texts of the interface, in English.
//!
//! Only strings fixed in a component's markup are elsewhere. Modules of few texts are inline below, such as `agents`,
//! `checks` and `usage`. Each text is shown in the chosen language (`language`). Never says whose fault an error is.

/// A table of texts in the chosen language. Each row becomes a function: a text with values, or a text for each case of
/// its first parameter. A notice has a title and advice with values, and a case in braces computes its text. A table of literals alone
/// is an array.
macro_rules! texts {
    (@$kind:ident { $($own:tt)* }) => {{ $($own)* }};
    (@str $text:literal) => { crate::language::tr($text) };
    (@Text $text:literal) => { crate::language::Text($text) };
    (@String $text:literal $(, $given:expr)*) => { crate::language::text!($text $(, $given)*) };
    (@Notice $title:literal, $advice:expr $(, $given:expr)*) => {
        crate::strings::format::Notice::new(
            crate::language::text!($title),
            crate::language::text!($advice $(, $given)*),
        )
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($value:ident: $type:ty),*) -> Notice = $($text:expr),+; $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name($($value: $type),*) -> Notice {
            texts!(@Notice $($text),+)
        }
        texts! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($value:ident: $type:ty),*) = $text:literal $(, $given:expr)*; $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name($($value: $type),*) -> String {
            texts!(@String $text $(, $given)*)
        }
        texts! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($by:ident: $type:ty $(, $value:ident: $also:ty)*) -> $(&$life:lifetime)? $kind:ident {
        $($case:pat $(if $guard:expr)? => $({ $($own:tt)* })? $($text:literal $(, $given:expr)*)?;)+
    } $($rest:tt)*) => {
        $(#[$meta])*
        $vis fn $name($by: $type $(, $value: $also)*) -> $(&$life)? $kind {
            match $by {
                $($case $(if $guard)? => texts!(@$kind $({ $($own)* })? $($text $(, $given)*)?)),+
            }
        }
        texts! { $($rest)* }
    };
    ($($first:literal => $second:literal),+ $(,)?) => {
        [$((crate::language::Text($first), crate::language::Text($second))),+]
    };
    ($($text:literal),+ $(,)?) => { [$(crate::language::Text($text)),+] };
    () => {};
}

mod activity;
pub mod audit;
pub mod board;
pub mod chat;
pub mod common;
mod errors;
pub(crate) mod format;
pub mod graph;
pub mod inspect;
pub mod maintenance;
pub mod palette;
mod prelude;
mod rejections;
pub mod run_graph;
pub mod search;
pub mod settings;
mod status;
pub mod tree;
pub mod tree_layout;

pub use crate::strings::activity::activity;
pub use crate::strings::chat::send_back::{QuotedChange, sent_back};
pub use crate::strings::errors::remedy as error_remedy;
pub use crate::strings::errors::*;
pub use crate::strings::format::*;
pub use crate::strings::rejections::*;
pub use crate::strings::settings::agent_file::*;
pub use crate::strings::settings::providers::*;
pub use crate::strings::status::*;

/// Default definition of done.
pub const DONE: &str =
    "The objective is met, every file works as it stands, and nothing asked for is left open.";

pub mod new_version {
    use crate::strings::prelude::*;

    pub const READY: Text = Text("A new version of Nexus is ready.");
    pub const READY_ABOUT: Text = Text("It starts when the page is reloaded.");
    pub const TAKE: Text = Text("Reload");
    pub const LATER: Text = Text("Later");
}

pub mod lazy {
    use crate::strings::prelude::*;

    pub const LOADING: Text = Text("Loading…");
    pub const NOT_LOADED: Text = Text("This screen could not be loaded.");
    pub const PART_NOT_LOADED: Text = Text("A part of Nexus could not be loaded");
    pub const NOT_LOADED_ADVICE: Text = Text(
        "The connection may be down, or Nexus was updated while this page was open. Your data is safe. Try again; if that does not help, reload the page.",
    );
}

pub mod first_start {
    use crate::strings::prelude::*;

    pub const TITLE: Text = Text("Give an objective. Watch three agents build it.");
    pub const ABOUT: Text =
        Text("They take turns and share an objective, a scratchpad and files. You follow along and steer.");
    pub const KEPT: Text = Text("Everything stays on this device.");
    pub const NOT_KEPT: Text = Text("Storage unavailable: nothing is saved");
    pub const NAME: Text = Text("Your name");
    pub const NAME_EXAMPLE: Text = Text("What agents should call you");
    pub const DEMO_ABOUT: Text = Text(
        "Plays one of five prepared objectives, without an API key or network. Anything else needs a model.",
    );
    pub const CLOUD: Text = Text("A provider, with your API key");
    pub const CLOUD_ABOUT: Text = Text("A real model, called directly from this page.");
    pub const LOCAL: Text = Text("A model on this machine");
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
    pub const KEY_EXAMPLE: Text = Text("Paste your API key");

    texts! {
        pub fn key_about(provider: &str) =
            "Sent only to {provider}. Never exported, never shown to an agent.";
        pub fn local_about(servers: &[String]) =
            "Finds {}. No API key needed.", crate::strings::format::listed(servers);
        pub fn local_found(number: usize) =
            "{} found.", crate::strings::format::count(number, "model", "models");
        pub fn ready(providers: &[String]) = "{} will answer.", crate::strings::format::listed(providers);
    }

    pub const OBJECTIVE_EXAMPLE: Text = Text("What should they build?");
    pub const IDEAS_LABEL: Text = Text("Prepared demo objectives");
    /// Shown below an objective that the demo cannot play, while the demo is selected.
    pub const NOT_PREPARED: Text =
        Text("The demo cannot do this: it needs a model. Choose one of these, or enter an API key above.");
    pub const DEMO_OFFER: Text = Text("Connect a model, or choose a prepared objective");
    pub const GO_ABOUT: Text = Text("Your objective goes to all three agents; Architect answers first.");
    pub const NO_OBJECTIVE: Text = Text("Enter an objective, or choose a suggestion.");
    pub const NOT_A_KEY: Text =
        Text("That does not look like an API key. Paste the full key without spaces.");
    pub const NO_KEY: Text = Text("Enter an API key, or choose the demo.");
}

pub mod agents {
    use crate::strings::prelude::*;
    use nexus_model::agent::Priority;

    pub const ACTIVITY: Text = Text("Activity");
    pub const NO_ACTIVITY: Text = Text("Actions of you and the agents appear here, newest first.");
    pub const NO_TOOLS: Text = Text("No tools");
    pub const NO_TOOLS_ABOUT: Text = Text(
        "Models of this provider cannot call tools. This agent answers, but cannot read or change files.",
    );
    pub const DEMO_ABOUT: Text = Text("Plays prepared answers: no model, no network");
    pub const MODEL_SETTINGS: Text = Text("All settings of this agent");
    pub const UNREAD: Text = Text("Not answered or not read yet. Press to mark as read.");
    pub const IDLE: Text = Text("idle");
    pub const QUEUED: Text = Text("queued");
    pub const ASKING: Text = Text("waiting for you");
    pub const HELD: Text = Text("waiting for the provider");
    pub const FAILED: Text = Text("failed");

    texts! {
        pub fn priority_of(name: &str) = "Priority of {name}: ";
        pub fn priority_about(name: &str, now: Priority) =
            "{name} has {} priority. Press for {}.", priority(now).to_lowercase(), priority(now.cycled()).to_lowercase();
        pub fn model_of(name: &str) = "Model of {name}";

        pub fn priority(priority: Priority) -> &'static str {
            Priority::Low => "Low";
            Priority::Normal => "Normal";
            Priority::High => "High";
        }
    }

    pub fn mute_of(name: &str, muted: bool) -> String {
        if muted { text!("Unmute {name}") } else { text!("Mute {name}") }
    }

    /// Short name of an agent's model.
    pub fn model(model: &str, demo: bool) -> String {
        if demo { common::DEMO.to_owned() } else { model.rsplit('/').next().unwrap_or(model).to_owned() }
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
    use crate::strings::prelude::*;

    pub const SKIP: Text = Text("Skip to the message box");
    pub const RESIZE: Text = Text("Drag, or use the arrow keys. Enter or a double click resets it");
    pub const BANNERS: Text = Text("Status of this page");

    pub const ENTER_KEY: Text = Text("Enter API key");

    texts! {
        /// Notice for a provider without a key; `agents` need it.
        pub fn no_key(provider: &str, agents: &[String]) -> Notice = "No API key for {provider}",
            "{} cannot answer without it. A key kept in this tab only is lost when the tab is closed or reloaded.", listed(agents);
        pub fn close(pane: &str) = "Collapse {pane}";
        pub fn open(pane: &str) = "Show {pane}";
        pub fn width_of(pane: &str) = "Width of {pane}";
    }
}

pub mod job_budget {
    use crate::strings::cost_of;
    use crate::strings::prelude::*;

    pub const JOB_LIMITS: Text = Text("Daily budget of automatic jobs");
    pub const JOB_LIMITS_ABOUT: Text = Text(
        "Syncs of the Core, summaries and memory scans that start automatically, in all sessions together. At a limit they pause until the next day (UTC). Jobs that you start are counted, but always run.",
    );

    pub fn used(used: &RunUsage, limits: &RunLimits) -> String {
        let calls = count(used.calls, "call", "calls");
        text!(
            "Automatic jobs today: {calls} of {} · {} of {} tokens · cost: {}",
            limits.calls,
            tokens(used.tokens),
            tokens(limits.tokens),
            cost_of(used, limits.cost),
        )
    }

    pub fn spent(limits: &RunLimits) -> Notice {
        let calls = count(limits.calls, "call", "calls");
        let limits = text!("{calls}, {} tokens or {}", tokens(limits.tokens), cap(limits.cost));
        Notice::new(
            tr("Automatic jobs are paused until tomorrow"),
            text!(
                "Their daily budget ({limits}) is used up. Raise it in Settings → Limits and pricing, or start jobs yourself."
            ),
        )
    }

    #[cfg(test)]
    mod tests;
}

pub mod conversation_file {
    use crate::strings::prelude::*;

    pub const MARKDOWN: Text = Text("Export as Markdown");
    pub const HTML: Text = Text("Export as HTML page");
    pub const FAILED: Text = Text("The conversation was not exported");
    pub const FAILED_ADVICE: Text =
        Text("The browser did not take the file, or older turns could not be loaded.");

    pub const THINKING: Text = Text("Thinking");
    pub const SUMMARY: Text = Text("Summary of the turns above");
    pub const ARGUMENTS: Text = Text("Arguments");
    pub const EMPTY: Text = Text("No messages.");

    texts! {
        pub fn about(messages: usize, exported: Millis, local: LocalTime) =
            "{}, exported from Nexus on {}", count(messages, "message", "messages"), moment(exported, local);
    }

    /// Date and time: `2025-11-14 14:02`.
    pub fn moment(at: Millis, local: LocalTime) -> String {
        local.field(at).replace('T', " ")
    }

    pub fn attachment(name: &str, mime: &str, bytes: u64) -> String {
        format!("{name} ({mime}, {})", super::large_size(bytes))
    }
}

pub mod run_summary {
    use crate::run_summary::{OpenQuestion, RunSummary};
    use crate::strings::prelude::*;
    use crate::strings::status::{pause, run_status, used};

    pub const NOTHING: Text = Text("No changes in objective, scratchpad and files.");
    pub const PLAN: Text = Text("Plan, before and after");
    pub const QUESTIONS: Text = Text("Open questions");
    pub const NO_QUESTIONS: Text = Text("None found.");
    pub const BY_FORM: Text = Text("auto-detected");
    pub const REVIEW: Text = Text("Review changes");
    pub const UNDO_ABOUT: Text =
        Text("Restores objective, scratchpad and files to before the round. Later changes stay. Key: U");
    pub const UNDONE: Text = Text("Round undone.");

    pub fn summary(run: &RunSummary) -> String {
        let rounds = if run.rounds > 1 { text!("{} rounds, ", run.rounds) } else { String::new() };
        let turns = count(run.turns, "turn", "turns");
        format!("{} · {rounds}{turns} · {}", run_status(run.status), used(&run.used))
    }

    pub fn undo(rounds: u32) -> String {
        if rounds > 1 { text!("Undo round {rounds}") } else { text!("Undo this round") }
    }

    /// Why a round cannot be undone.
    pub fn conflict(fields: &[String]) -> Notice {
        Notice::new(
            text!("Nothing was undone: {} changed since", listed(fields)),
            tr("The same lines were changed after the round. Review the changes and revert them one by one."),
        )
    }

    texts! {
        pub fn by(names: &[String]) = "by {}", listed(names);

        pub fn question(question: &OpenQuestion, agent: &str) -> String {
            OpenQuestion::Approval { tool, .. } => "{agent} needs approval for {tool}";
            OpenQuestion::Paused(cause) => { pause(cause).title };
            OpenQuestion::InText { line, .. } => { format!("{agent}: {line}") };
        }
    }
}

pub mod usage {
    use crate::strings::prelude::*;

    pub const ABOUT: Text = Text("Tokens and estimated cost of every model call on this device.");
    pub const GROUP: Text = Text("Group by");
    pub const SPAN: Text = Text("Period");
    pub const DAY: Text = Text("Day");
    pub const CALLS: Text = Text("Calls");
    pub const INPUT: Text = Text("Input tokens");
    pub const OUTPUT: Text = Text("Output tokens");
    pub const COPY: Text = Text("Copy as CSV");
    pub const COPIED: Text = Text("Copied.");
    pub const NOTHING: Text = Text("No model calls in this period.");
    pub const READING: Text = Text("Reading the event log…");
    pub const FAILED: Text = Text("The event log could not be read.");
    pub const UNKNOWN: Text = Text("Unknown");
    pub const UNPRICED: Text = Text("Some calls have no known price and are not included in the cost.");
    pub const PRICES: Text = Text("Set prices");
    /// Periods: code, name and number of days; 0 means everything.
    pub const SPANS: [(&str, Text, u64); 4] = [
        ("today", Text("24 hours"), 1),
        ("week", Text("7 days"), 7),
        ("month", Text("30 days"), 30),
        ("all", Text("All time"), 0),
    ];

    texts! {
        pub fn job(kind: JobKind) -> &'static str {
            JobKind::Sync | JobKind::Merge => "Core";
            JobKind::Compaction => "Compaction";
            JobKind::Summary | JobKind::Memory => "Archivist";
        }
    }

    pub fn cost(cost: Cost, is_unpriced: bool) -> String {
        match (cost, is_unpriced) {
            (Cost(0), true) => text!("unknown"),
            (cost, false) => money(cost),
            (cost, true) => format!("{} +", money(cost)),
        }
    }

    pub fn total(calls: u64, input: u64, output: u64, cost: &str) -> String {
        let calls = count(calls, "call", "calls");
        text!("{calls} · {} → {} tokens · cost: {cost}", tokens(input), tokens(output))
    }
}

/// Strings of the dialog that runs checks.
pub mod checks {
    use crate::strings::prelude::*;
    use nexus_engine::checks::{CheckReport, CheckTest, CheckVerdict, TestStatus};

    pub const TITLE: Text = Text("Checks");
    pub const RUN: Text = Text("Run checks");
    pub const RUN_ABOUT: Text =
        Text("Runs the session’s JavaScript tests in a sandbox and looks for mistakes in its files");
    pub const ALSO: Text = Text("test tests verify verifier lint validate json schema html css");
    pub const RUNNING: Text = Text("Running…");
    pub const PROBLEMS: Text = Text("Mistakes in files");
    pub const TESTS: Text = Text("Tests");
    pub const NOT_CHECKED: Text = Text("Not checked");
    pub const NOT_LOADED: Text =
        Text("The checks could not be loaded. Check the connection and run them again.");
    pub const HOW: Text = Text(
        "Tests are files named *.test.js, or scripts in tests/ or checks/, with test(name, fn), expect(…) or assert. They run without a page, network or storage.",
    );

    pub fn headline(report: &CheckReport) -> String {
        let files = count(report.files as usize, "file", "files");
        let has_tests = report.verdict() != CheckVerdict::NoTests;
        let also =
            if has_tests { text!("{files} read.") } else { text!("{files} read, nothing wrong found.") };
        format!("{} {also}", translate_template(&report.headline()))
    }

    pub fn test(test: &CheckTest) -> String {
        let time = if test.ms > 0 { text!(" · {} ms", test.ms) } else { String::new() };
        format!("{} · {}{time}", reveal(&test.file), reveal(&test.name))
    }

    pub fn place(test: &CheckTest) -> Option<String> {
        test.at.as_ref().map(|(file, line)| reveal(&format!("{file}:{line}")))
    }

    texts! {
        pub fn send_to(agent: &str) = "Send failures to {}", reveal(agent);
        pub fn message(agent: &str, report: &CheckReport) =
            "@{agent} The checks fail. Please fix the cause, not the checks.\n\n{}", report.envelope_summary();

        pub fn sign(status: TestStatus) -> &'static str {
            TestStatus::Passed => { "✓" };
            TestStatus::Failed => { "✗" };
            TestStatus::Skipped => { "–" };
        }

        pub fn status(status: TestStatus) -> Text {
            TestStatus::Passed => "passed";
            TestStatus::Failed => "failed";
            TestStatus::Skipped => "skipped";
        }
    }
}
