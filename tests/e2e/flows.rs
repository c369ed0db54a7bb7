//! The list of flows. Never the steps of one: each file of `flows/` holds those that belong together.

mod asking;
mod away;
mod bad_input;
mod faults;
mod harness;
mod hostile;
mod kept;
mod keyboard;
mod later;
mod ledger;
mod looking_back;
mod pictures;
mod protocols;
mod providers;
mod real;
mod recorded;
mod retries;
mod round;
mod rounds;
mod settings;
mod settings_costs;
mod start;
mod typing;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::stage::Stage;

/// A flow that is being played.
type Play<'stage> = Pin<Box<dyn Future<Output = Result<()>> + 'stage>>;

/// One flow.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) play: for<'stage> fn(&'stage mut Stage) -> Play<'stage>,
}

macro_rules! flows {
    ($($name:literal => $play:path,)*) => {
        vec![$(Flow { name: $name, play: |stage| Box::pin($play(stage)) },)*]
    };
}

/// All flows, in the order in which they run.
pub(crate) fn all() -> Vec<Flow> {
    let mut flows = flows! {
        "harness-page" => harness::page,
        "harness-faults" => harness::faults,
        "harness-provider" => harness::provider,
        "harness-crash" => harness::crash,
        "first-start" => start::first_start,
        "fresh-plan" => round::fresh_plan,
        "tool-loop" => round::tool_loop,
        "stop" => round::stop,
        "reload" => kept::reload,
        "direct-target" => round::direct_target,
        "ledger-agrees" => ledger::agrees,
        "shared-typing" => typing::shared,
        "failing-agent" => round::failing_agent,
        "mute-and-priority" => round::mute_and_priority,
        "queue" => rounds::queue,
        "keep-going" => rounds::keep_going,
        "end-run" => kept::end_run,
        "sessions" => kept::sessions,
        "crash-and-export" => kept::crash_and_export,
        "renderer-killed" => kept::killed,
        "second-tab" => kept::second_tab,
        "newer-data" => kept::newer_data,
        "storage-denied" => start::storage_denied,
        "earlier-state" => start::earlier_state,
        "narrow-screen" => start::narrow,
        "sub-path" => start::sub_path,
        "screen-missing" => later::screen,
        "work-missing" => later::work,
        "keyboard-only" => keyboard::only,
        "settings-provider" => settings::provider,
        "settings-keys" => settings::keys,
        "settings-key-in-the-clear" => settings::in_the_clear,
        "settings-agents" => settings::agents,
        "settings-prices" => settings_costs::prices,
        "bad-wrong-key" => bad_input::wrong_key,
        "bad-unreachable-host" => bad_input::unreachable,
        "bad-unknown-model" => bad_input::unknown_model,
        "bad-html-answer" => bad_input::html_answer,
        "bad-no-finish-mark" => bad_input::no_finish_mark,
        "bad-tool-arguments" => bad_input::odd_arguments,
        "bad-errors-in-stream" => bad_input::errors_in_the_stream,
        "bad-5-mb-paste" => bad_input::big_paste,
        "bad-local-storage" => bad_input::rubbish_in_local_storage,
        "bad-unknown-event" => bad_input::unknown_event,
        "three-protocols" => protocols::three,
        "three-other-protocols" => protocols::three_others,
        "recorded-bodies" => recorded::replayed,
        "provider-by-address" => providers::add_by_address,
        "provider-tests" => providers::test_each,
        "provider-refused-origin" => providers::refused_origin,
        "provider-other-origin" => providers::other_origin,
        "real-llama-cpp" => real::llama_cpp,
        "retry-hint" => retries::hint,
        "retry-stopped" => retries::stopped_wait,
        "retry-spent-or-overloaded" => retries::spent_or_overloaded,
        "cut-off-goes-on" => retries::cut_off,
        "fault-refusals" => faults::refusals,
        "fault-passing" => faults::passing,
        "fault-offline" => faults::offline,
        "fault-error-events" => faults::error_events,
        "fault-strange-bodies" => faults::strange_bodies,
        "hostile-tools-and-titles" => hostile::tools_and_titles,
        "fault-silence" => faults::silence,
        "fault-rubbish" => faults::rubbish,
        "fault-tangled-calls" => faults::tangled_calls,
        "fault-redirect" => faults::redirect,
        "fault-after-stop" => faults::after_stop,
        "fault-endless-line" => faults::endless_line,
        "approve" => asking::approve,
        "edit-and-approve" => asking::edit,
        "deny" => asking::deny,
        "cap-reached" => asking::cap,
        "hidden-tab" => away::hidden_tab,
        "titles" => away::titles,
        "safe-mode" => away::safe_mode,
        "audit-filters" => looking_back::filters,
        "audit-export" => looking_back::export,
        "audit-live" => looking_back::live,
        "audit-100000-events" => looking_back::large,
        "inspector" => looking_back::inspector,
        "older-layout" => looking_back::older_layout,
    };
    // A minute each, most of it spent by the driver on a tab or a browser that is gone: on demand.
    if std::env::var_os("NEXUS_SLOW_FLOWS").is_some() {
        flows.extend(flows! {
            "browser-killed" => away::browser_killed,
            "racing-tabs" => away::racing_tabs,
        });
    }
    if pictures::folder().is_some() {
        flows.extend(flows! { "screenshots" => pictures::take, });
    }
    flows
}
