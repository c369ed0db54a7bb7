//! The list of all flows. Their steps are in `flows/`, one file for each topic.

mod access;
mod appearance;
mod archivist;
mod asking;
mod away;
mod bad_input;
mod bad_rows;
mod bench;
mod checks;
mod clash;
mod code;
mod compare;
mod core;
mod data;
mod demo;
mod editor;
mod embedding;
mod face;
mod faults;
mod faults_wire;
mod files;
mod folder;
mod guards;
mod harness;
mod history;
mod hostile;
mod kept;
mod keyboard;
mod keys;
mod languages;
mod large;
mod lasting;
mod later;
mod ledger;
mod loading;
mod looking_back;
mod merging;
mod moments;
mod overriding;
mod palette;
mod pictures;
mod preview;
mod protocols;
mod providers;
mod race;
mod real;
mod recorded;
mod references;
mod retries;
mod round;
mod rounds;
mod runs;
mod settings;
mod settings_costs;
mod settings_each;
mod sight;
mod soak;
mod specs;
mod start;
mod threads;
mod timeline;
mod tree;
mod tree_map;
mod typing;
mod voice;
mod waits;
mod workers;

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
        "first-local" => face::local_model,
        "changes-bar" => face::changes_bar,
        "at-hand" => face::at_hand,
        "session-menu" => face::session_menu,
        "usage-help" => face::usage_and_help,
        "large-composer" => face::large_composer,
        "fresh-plan" => round::fresh_plan,
        "tool-loop" => round::tool_loop,
        "stop" => round::stop,
        "worker-report" => workers::report,
        "worker-reload" => workers::reload,
        "race" => race::race,
        "race-again" => race::again,
        "race-merge" => race::merge,
        "reload" => kept::reload,
        "ledger-agrees" => ledger::agrees,
        "shared-typing" => typing::shared,
        "failing-agent" => round::failing_agent,
        "who-answers" => round::who_answers,
        "queue" => rounds::queue,
        "queue-modes" => rounds::modes,
        "queue-stop" => rounds::stop,
        "queue-editing" => rounds::editing,
        "clash-forks" => clash::forks,
        "clash-follows" => clash::follows,
        "bad-tree" => bad_rows::tree,
        "bad-newer" => bad_rows::newer,
        "bad-head" => bad_rows::head,
        "bad-label" => bad_rows::label,
        "embedded-draft" => embedding::draft,
        "embedded-refused" => embedding::refused,
        "keep-going" => rounds::keep_going,
        "sessions" => kept::sessions,
        "tree-fork" => tree::fork,
        "tree-resend" => tree::resend,
        "tree-again" => tree::again,
        "tree-sessions" => tree::sessions,
        "tree-keyboard" => tree::keyboard,
        "tree-as-it-was" => tree::as_it_was,
        "tree-heads" => tree::heads,
        "crash-and-export" => kept::crash_and_export,
        "renderer-killed" => kept::killed,
        "second-tab" => kept::second_tab,
        "newer-data" => kept::newer_data,
        "storage-waits" => guards::storage_waits,
        "storage-deleted" => guards::storage_deleted,
        "prototypes" => guards::prototypes,
        "prototypes-stuck" => guards::prototypes_stuck,
        "storage-denied" => start::storage_denied,
        "cannot-run" => start::cannot_run,
        "earlier-state" => start::earlier_state,
        "narrow-screen" => start::narrow,
        "sub-path" => start::sub_path,
        "start-ahead" => loading::ahead,
        "soak" => soak::soak,
        "start-without-shift" => loading::no_shift,
        "screen-missing" => later::screen,
        "work-missing" => later::work,
        "keyboard-only" => keyboard::only,
        "keyboard-every-screen" => keyboard::every_screen,
        "keyboard-elsewhere" => keyboard::elsewhere,
        "keyboard-merge" => keyboard::merge,
        "merge-core" => merging::core,
        "message-over" => overriding::message,
        "palette-finds" => palette::finds,
        "palette-everywhere" => palette::everywhere,
        "palette-keys" => palette::keys,
        "focus-kept" => palette::focus_kept,
        "appearance-kept" => appearance::kept,
        "appearance-first-paint" => appearance::first_paint,
        "appearance-wrong" => appearance::wrong,
        "appearance-narrow" => appearance::narrow,
        "language-german" => languages::german,
        "access-axe" => access::axe,
        "access-axe-elsewhere" => access::axe_elsewhere,
        "settings-provider" => settings::provider,
        "settings-keys" => settings::keys,
        "settings-key-in-the-clear" => settings::in_the_clear,
        "settings-passphrase" => settings::passphrase,
        "key-asked-once" => keys::asked_once,
        "key-banner" => keys::banner,
        "key-in-error-card" => keys::in_error_card,
        "settings-agents" => settings::agents,
        "settings-each" => settings_each::each,
        "settings-prices" => settings_costs::prices,
        "message-cost" => settings_costs::of_messages,
        "bad-wrong-key" => bad_input::wrong_key,
        "bad-html-answer" => bad_input::html_answer,
        "bad-5-mb-paste" => bad_input::big_paste,
        "bad-50-mb-paste" => bad_input::huge_paste,
        "bad-local-storage" => bad_input::rubbish_in_local_storage,
        "three-protocols" => protocols::three,
        "three-other-protocols" => protocols::three_others,
        "rethought" => protocols::rethought,
        "recorded-bodies" => recorded::replayed,
        "provider-by-address" => providers::add_by_address,
        "provider-tests" => providers::test_each,
        "provider-refused-origin" => providers::refused_origin,
        "provider-other-origin" => providers::other_origin,
        "provider-two-accounts" => providers::two_accounts,
        "real-llama-cpp" => real::llama_cpp,
        "retry-wait" => retries::wait,
        "retry-hint-in-header" => waits::hint_in_header,
        "cut-off-goes-on" => retries::cut_off,
        "fault-offline" => faults::offline,
        "hostile-answers" => hostile::answers,
        "hostile-messages-and-tools" => hostile::messages_and_tools,
        "hostile-titles" => hostile::titles,
        "markdown-cases" => specs::in_the_page,
        "code-copy" => code::copy,
        "code-wrap" => code::wrap,
        "code-files" => code::files,
        "large-answers" => large::answers,
        "large-answer-streamed" => large::streamed,
        "references-that-come-late" => references::late,
        "fault-rubbish" => faults::rubbish,
        "fault-redirect" => faults::redirect,
        "fault-all-removed" => faults::all_removed,
        "fault-endless-line" => faults::endless_line,
        "preview-rehearsal" => preview::rehearsal,
        "demo-needs-a-model" => demo::needs_a_model,
        "preview-follows" => preview::follows,
        "preview-kinds" => preview::kinds,
        "preview-plain-host" => preview::plain_host,
        "preview-hostile" => preview::hostile,
        "preview-modules" => preview::modules,
        "checks" => checks::by_the_operator,
        "checks-rounds" => checks::rounds,
        "checks-hostile" => checks::hostile,
        "preview-rasters" => preview::rasters,
        "pictures-unseen" => sight::blind,
        "race-pictures" => sight::race,
        "core-auto" => core::auto,
        "core-while-typing" => core::while_typing,
        "core-failures" => core::failures,
        "core-undo" => core::undo,
        "core-proposes" => core::proposes,
        "compaction-by-threshold" => archivist::by_threshold,
        "compaction-by-hand" => archivist::by_hand,
        "compaction-in-a-turn" => archivist::in_a_turn,
        "summary-and-memory" => archivist::remembers,
        "memory-changes" => archivist::changes,
        "archivist-runs" => archivist::runs,
        "fault-no-answer" => faults_wire::no_answer,
        "fault-thousand-events" => faults_wire::thousand_events,
        "editor-works" => editor::works,
        "editor-two-hands" => editor::two_hands,
        "editor-clash" => editor::clash,
        "editor-long-file" => editor::long,
        "editor-sub-path" => editor::sub_path,
        "editor-absent" => editor::without_parts,
        "editor-blocked" => editor::parts_blocked,
        "approve" => asking::approve,
        "edit-and-approve" => asking::edit,
        "deny" => asking::deny,
        "cap-reached" => asking::cap,
        "files-open" => files::open_many,
        "files-from-a-folder" => files::names_from_outside,
        "files-order" => files::order,
        "files-pointed-at" => files::pointed,
        "folder-tied" => folder::tied,
        "folder-lapsed" => folder::lapsed,
        "folder-none" => folder::none,
        "folder-compare" => folder::compare,
        "compare-bases" => compare::bases,
        "compare-by-mouse" => compare::by_mouse,
        "compare-by-keyboard" => compare::by_keyboard,
        "compare-whole-files" => compare::whole_files,
        "compare-sent-back" => compare::sent_back,
        "compare-round" => compare::round,
        "compare-large" => compare::large,
        "compare-narrow" => compare::narrow,
        "hidden-tab" => away::hidden_tab,
        "safe-mode" => away::safe_mode,
        "crash-and-restore" => data::crash_and_restore,
        "crash-stack-overflow" => data::stack_overflow,
        "crash-report" => data::crash_report,
        "crash-failed-load" => data::failed_load,
        "data-export-import" => data::export_and_import,
        "data-proposals" => data::proposals,
        "data-restore-point" => data::restore_point,
        "data-factory-reset" => data::factory_reset,
        "data-cleared" => data::cleared,
        "settings-search" => data::search,
        "voice-talk" => voice::talk,
        "voice-faults" => voice::faults,
        "voice-hands-free" => voice::hands_free,
        "voice-reading" => voice::reading,
        "voice-stuck" => voice::stuck,
        "voice-missing" => voice::missing,
        "voice-settings" => voice::settings,
        "audit-filters" => looking_back::filters,
        "audit-export" => looking_back::export,
        "audit-live" => looking_back::live,
        "audit-100000-events" => looking_back::large,
        "tree-walk" => tree_map::walk,
        "tree-compare" => tree_map::compare,
        "tree-merge" => tree_map::merge,
        "tree-10000-turns" => tree_map::large,
        "run-graph-demo" => runs::demo,
        "run-graph-keys" => runs::keys,
        "run-graph-replay" => runs::replay,
        "run-graph-export" => runs::export,
        "inspector" => looking_back::inspector,
        "timeline-acts" => timeline::acts,
        "timeline-narrow" => timeline::narrow,
        "timeline-deleted" => timeline::deleted,
        "timeline-ways" => timeline::ways,
        "timeline-ask" => timeline::ask,
        "timeline-long" => timeline::long,
        "timeline-scroll" => timeline::scroll,
        "timeline-calls" => timeline::calls,
        "timeline-hostile" => timeline::hostile,
        "find-the-thread" => threads::find,
        "send-elsewhere" => threads::send,
        "triggers" => threads::triggers,
        "older-layout" => looking_back::older_layout,
        "tabs-take-over" => away::take_over,
        "came-back" => lasting::came_back,
        "little-room" => lasting::little_room,
        "stands-long" => lasting::stands_long,
        "watchdog" => guards::watchdog,
        "imports-beside-a-stream" => guards::imports_beside_a_stream,
        "demo-scenarios" => demo::scenarios,
        "compare-undo" => compare::undo,
    };
    // A minute each, most of it spent by the driver on a tab or a browser that is gone: on demand.
    if std::env::var_os("NEXUS_SLOW_FLOWS").is_some() {
        flows.extend(flows! {
            "browser-killed" => away::browser_killed,
            "racing-tabs" => away::racing_tabs,
        });
    }
    // `cargo xtask soak` plays it for as long as it says.
    if std::env::var_os("NEXUS_SOAK").is_some() {
        flows.extend(flows! { "long-soak" => soak::soak, });
    }
    // `cargo xtask kills` plays it, for many minutes.
    if std::env::var_os("NEXUS_KILLS").is_some() {
        flows.extend(flows! { "long-kills" => history::kills, });
    }
    // A busy machine is slow, so they are no tests: `cargo xtask bench` plays them, and fails where they do.
    if std::env::var_os("NEXUS_BENCH").is_some() {
        flows.extend(flows! {
            "bench-editor-short" => editor::bench_short,
            "bench-editor-long" => editor::bench_long,
            "bench-editor-longest" => editor::bench_longest,
            "long-bench-history" => history::bench,
            "long-bench-page" => bench::page,
        });
    }
    if pictures::folder().is_some() {
        flows.extend(flows! {
            "screenshots" => pictures::take,
            "screenshots-asking" => moments::asking,
            "screenshots-trouble" => moments::trouble,
            "screenshots-care" => moments::care,
            "screenshots-changes" => moments::changes,
            "screenshots-tree" => moments::tree,
            "screenshots-sessions" => moments::sessions,
            "screenshots-merge" => moments::merge,
        });
    }
    flows
}
