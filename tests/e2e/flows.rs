//! The list of flows. Never the steps of one: each file of `flows/` holds those that belong together.

mod bad_input;
mod harness;
mod kept;
mod keyboard;
mod later;
mod ledger;
mod pictures;
mod round;
mod rounds;
mod settings;
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
    };
    if pictures::folder().is_some() {
        flows.extend(flows! { "screenshots" => pictures::take, });
    }
    flows
}
