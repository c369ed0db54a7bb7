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
mod graph_editor;
mod graphs;
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
mod offline;
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
mod terminals;
mod threads;
mod timeline;
mod tree;
mod tree_map;
mod typing;
mod voice;
mod waits;
mod walk;
mod workers;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::stage::Stage;

type Play<'stage> = Pin<Box<dyn Future<Output = Result<()>> + 'stage>>;

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
        "splitters" => face::splitters,
        // These take longest: what is left at the end is short.
        "demo-scenarios" => demo::scenarios,
        "audit-100000-events" => looking_back::large,
        "preview-hostile" => preview::hostile,
        "first-load" => loading::first,
        "at-hand" => face::war_room,
        "round" => round::answers,
        "workers" => workers::workers,
        "race" => race::races,
        "reload" => kept::reload,
        "ledger-agrees" => ledger::agrees,
        "who-answers" => round::whom,
        "queue" => rounds::waiting,
        "queue-modes-and-rounds" => rounds::several,
        "clash-forks" => clash::forks,
        "clash-follows" => clash::follows,
        "bad-tree" => bad_rows::tree,
        "bad-newer" => bad_rows::newer,
        "bad-head" => bad_rows::head,
        "bad-label" => bad_rows::label,
        "embedded-draft" => embedding::draft,
        "embedded-refused" => embedding::refused,
        "sessions" => kept::sessions_kept,
        "tree-branches" => tree::branches,
        "tree-sessions" => tree::sessions,
        "tree-keyboard" => tree::keyboard,
        "tree-as-it-was" => tree::as_it_was,
        "crash-and-export" => kept::crash_and_export,
        "second-tab" => kept::second_tab,
        "newer-data" => kept::newer_data,
        "storage" => guards::storage,
        "storage-denied" => start::storage_denied,
        "cannot-run" => start::cannot_run,
        "earlier-state" => start::earlier_state,
        "narrow-screen" => start::narrow,
        "sub-path" => start::sub_path,
        "soak" => soak::soak,
        "screen-missing" => later::screen,
        "work-missing" => later::work,
        "keyboard-only" => keyboard::only,
        "keyboard-every-screen" => keyboard::every_screen,
        "keyboard-elsewhere" => keyboard::elsewhere,
        "merge-by-keys" => merging::core,
        "message-over" => overriding::message,
        "palette-finds" => palette::finds,
        "palette-and-keys" => palette::demo,
        "focus-kept" => palette::focus_kept,
        "appearance-kept" => appearance::chosen,
        "appearance-first-paint" => appearance::first_paint,
        "language-german" => languages::german,
        "access-axe" => access::axe,
        "access-axe-elsewhere" => access::axe_elsewhere,
        "settings-newcomer" => settings::newcomer,
        "settings-keys" => settings::keys,
        "settings-key-in-the-clear" => settings::in_the_clear,
        "settings-passphrase" => settings::passphrase,
        "key-asked-once" => keys::asked_once,
        "settings-sections" => settings::sections,
        "offline-start" => offline::start,
        "key-entered" => keys::entered,
        "settings-each" => settings_each::each,
        "settings-prices" => settings_costs::prices,
        "message-cost" => settings_costs::of_messages,
        "bad-pastes" => bad_input::pastes,
        "bad-local-storage" => bad_input::rubbish_in_local_storage,
        "protocols" => protocols::teams,
        "recorded-bodies" => recorded::replayed,
        "provider-by-address" => providers::add_by_address,
        "provider-tests" => providers::connections,
        "real-llama-cpp" => real::llama_cpp,
        "walk-local-model" => walk::local,
        "walk-steps" => walk::steps,
        "retry-wait" => retries::wait,
        "retries" => retries::elsewhere,
        "hostile-answers" => hostile::answers,
        "hostile-elsewhere" => hostile::elsewhere,
        "markdown-cases" => specs::in_the_page,
        "code" => code::blocks,
        "large-answers" => large::answers,
        "large-answer-streamed" => large::streamed,
        "faults" => faults::faults,
        "fault-all-removed" => faults::all_removed,
        "demo-needs-a-model" => demo::needs_a_model,
        "preview" => preview::previews,
        "preview-plain-host" => preview::plain_host,
        "checks" => checks::checks,
        "checks-hostile" => checks::hostile,
        "pictures-unseen" => sight::blind,
        "core-auto" => core::auto,
        "core" => core::answers,
        "compaction" => archivist::compaction,
        "compaction-by-hand" => archivist::by_hand,
        "summary-and-memory" => archivist::remembers,
        "memory-changes" => archivist::changes,
        "archivist-runs" => archivist::runs,
        "fault-no-answer" => faults_wire::no_answer,
        "editor" => editor::editor,
        "editor-long-file" => editor::long,
        "editor-absent" => editor::without_parts,
        "approve" => asking::approval,
        "cap-reached" => asking::cap,
        "files" => files::files,
        "folder" => folder::linked,
        "folder-lapsed" => folder::lapsed,
        "folder-none" => folder::none,
        "compare" => compare::hunks,
        "compare-whole-files" => compare::whole_files,
        "compare-round" => compare::round,
        "compare-large" => compare::large,
        "hidden-tab" => away::hidden_tab,
        "safe-mode" => away::safe_mode,
        "crash-and-restore" => data::crash_and_restore,
        "crashes" => data::crashes,
        "data-export-import" => data::export_and_import,
        "data-points-and-reset" => data::points_and_reset,
        "data-cleared" => data::cleared,
        "voice" => voice::voice,
        "voice-faults" => voice::faults,
        "voice-missing" => voice::missing,
        "audit" => looking_back::audit,
        "tree-screen" => tree_map::screen,
        "tree-10000-turns" => tree_map::large,
        "run-graph" => runs::run_screen,
        "run-graph-import" => runs::import,
        "graph-editor" => graph_editor::edit,
        "run-rerun" => runs::rerun,
        "graph-runs" => graphs::graphs,
        "graph-verifier" => graphs::plan_build_review,
        "terminal" => terminals::own,
        "terminal-ttyd" => terminals::ttyd,
        "inspector" => looking_back::inspector,
        "timeline-messages" => timeline::messages,
        "timeline-long" => timeline::long,
        "timeline-scroll" => timeline::scroll,
        "timeline-calls" => timeline::calls,
        "find-and-send" => threads::elsewhere,
        "triggers" => threads::triggers,
        "older-layout" => looking_back::older_layout,
        "tabs-take-over" => away::take_over,
        "came-back" => lasting::came_back,
        "little-room" => lasting::little_room,
        "stands-long" => lasting::stands_long,
        "imports-beside-a-stream" => guards::imports_beside_a_stream,
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
            "screenshots-runs" => moments::runs::runs,
            "screenshots-compare-models" => moments::runs::comparing,
            "screenshots-first" => moments::first,
            "docs-pictures-demo" => moments::documents::demo,
            "docs-pictures-models" => moments::documents::models,
        });
    }
    flows
}
