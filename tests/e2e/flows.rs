//! List of all flows. Their steps are in `flows/`, one file for each topic.

mod accessibility;
mod api_keys;
mod appearance;
mod approvals;
mod audit;
mod backups;
mod bad_input;
mod bench;
mod blocked_storage;
mod branches;
mod checks;
mod click_counts;
mod code_blocks;
mod compare;
mod damaged_rows;
mod editor;
mod files;
mod first_start;
mod first_use;
mod folder_sync;
mod harness;
mod history;
mod iframe;
mod keyboard;
mod languages;
mod large_answers;
mod ledger;
mod loading;
mod long_lived_pages;
mod markdown_cases;
mod merge_proposals;
mod missing_chunks;
mod model_comparison;
mod network_faults;
mod other_sessions;
mod palette;
mod persistence;
mod preview;
mod protocols;
mod providers;
mod real_server;
mod recorded_answers;
mod runs;
mod screenshots;
mod service_worker;
mod settings;
mod soak;
mod state_screenshots;
mod tab_conflicts;
mod tabs_and_crashes;
mod terminal;
mod timeline;
mod tree_screen;
mod vision;
mod voice;
mod wire_faults;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::fixture::Fixture;

type PartRun<'fixture> = Pin<Box<dyn Future<Output = Result<()>> + 'fixture>>;

/// Parts that run in one browser, one after another.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<Part>,
}

/// A part of a flow. The fixture clears storage, permissions and provider before each.
pub(crate) struct Part {
    /// Its function, with its module.
    pub(crate) name: &'static str,
    pub(crate) run: for<'fixture> fn(&'fixture mut Fixture) -> PartRun<'fixture>,
}

macro_rules! flows {
    ($($name:literal => $($part:path),+;)*) => {
        vec![$(Flow {
            name: $name,
            parts: vec![$(Part { name: stringify!($part), run: |fixture| Box::pin($part(fixture)) }),+],
        },)*]
    };
}

impl Flow {
    /// Keeps the whole flow if its name matches one of the words, else the matching parts.
    pub(crate) fn select(mut self, words: &[String]) -> Self {
        let holds = |name: &str| words.iter().any(|word| name.contains(word.as_str()));
        if !words.is_empty() && !holds(self.name) {
            self.parts.retain(|part| holds(part.name));
        }
        self
    }
}

/// All flows in the order in which they run.
pub(crate) fn all() -> Vec<Flow> {
    let mut flows = flows! {
        "harness" => harness::page, harness::faults, harness::provider, harness::crash, soak::judgement;
        // The slowest come first, so that little work is left at the end.
        "accessibility" => accessibility::every_screen, accessibility::dialogs;
        "timeline" => timeline::long, timeline::messages, timeline::scroll;
        "preview" => preview::hostile, preview::previews, preview::plain_host;
        "loading" => missing_chunks::commands, missing_chunks::connection, service_worker::offline_start, missing_chunks::screen,
            loading::first, loading::as_left;
        "audit" => audit::large, audit::older_layout;
        "compare" => compare::layout, compare::large;
        "files" => folder_sync::linked, folder_sync::permission_lapsed, folder_sync::unsupported, files::files;
        "first-start" => first_start::first_start, first_start::earlier_state, first_start::unsupported_browser;
        "narrow-screen" => first_start::narrow, languages::german, appearance::choices, appearance::first_paint;
        "keyboard" => keyboard::main_job, keyboard::every_screen, keyboard::other_screens, branches::keyboard,
            merge_proposals::by_core, model_comparison::by_keyboard;
        "crashes" => backups::crash_and_restore, backups::crashes, tabs_and_crashes::safe_mode,
            persistence::crash_and_export;
        "storage" => long_lived_pages::low_storage, blocked_storage::storage,
            first_start::storage_denied, backups::storage_cleared;
        "tabs" => tabs_and_crashes::take_over, tab_conflicts::forks, tab_conflicts::follows,
            long_lived_pages::back_forward_cache, persistence::second_tab, voice::two_tabs;
        "api-keys" => api_keys::requested_once, settings::passphrase, settings::in_the_clear, settings::keys;
        "runs" => runs::folder;
        "tree-screen" => tree_screen::large, tree_screen::screen, other_sessions::search;
        "editor" => editor::editor, editor::long, editor::without_chunk;
        "large-answers" => large_answers::answers, large_answers::streamed, bad_input::pastes;
        "markdown-cases" => markdown_cases::in_page;
        "checks" => checks::hostile;
        "protocols" => protocols::mixed_agents, vision::text_only_models;
        "recorded-bodies" => recorded_answers::replayed;
        "providers" => providers::connections;
        "network-faults" => network_faults::faults, network_faults::all_removed;
        "damaged-rows" => damaged_rows::tree, damaged_rows::newer_version, damaged_rows::head,
            damaged_rows::label, persistence::newer_data, bad_input::damaged_local_storage;
        "settings" => settings::sections;
        "approvals" => approvals::on_a_phone;
        "iframe" => iframe::rejections, iframe::draft;
        "hidden-tab" => tabs_and_crashes::hidden_tab;
        "persistence" => persistence::reload, persistence::session_list, ledger::matches_rows;
        "long-lived-pages" => long_lived_pages::long_session, soak::soak;
        "backups" => backups::factory_reset, blocked_storage::imports_beside_a_stream;
        "first-use" => first_use::war_room, first_use::splitters;
        "click-counts" => click_counts::local_model, click_counts::steps;
        "code-blocks" => code_blocks::blocks;
        "sub-path" => first_start::sub_path;
        "terminal" => terminal::own;
        "terminal-ttyd" => terminal::ttyd;
        "real-llama-cpp" => real_server::llama_cpp;
    };
    // A minute each, mostly spent by the driver on a closed tab or browser: on demand.
    if std::env::var_os("NEXUS_SLOW_FLOWS").is_some() {
        flows.extend(flows! {
            "browser-killed" => tabs_and_crashes::browser_killed;
            "racing-tabs" => tabs_and_crashes::racing_tabs;
        });
    }
    // `cargo xtask soak` runs it.
    if std::env::var_os("NEXUS_SOAK").is_some() {
        flows.extend(flows! { "long-soak" => soak::soak; });
    }
    // `cargo xtask kills` runs it for many minutes.
    if std::env::var_os("NEXUS_KILLS").is_some() {
        flows.extend(flows! { "long-kills" => history::kills; });
    }
    // Timing depends on the machine, so these are no tests: `cargo xtask bench` runs them and enforces the limits.
    if std::env::var_os("NEXUS_BENCH").is_some() {
        flows.extend(flows! {
            "bench-editor-short" => editor::bench_short;
            "bench-editor-long" => editor::bench_long;
            "bench-editor-longest" => editor::bench_longest;
            "long-bench-history" => history::bench;
            "long-bench-page" => bench::page;
            "long-bench-profile" => bench::profile;
        });
    }
    if screenshots::folder().is_some() {
        flows.extend(flows! {
            "screenshots" => screenshots::take;
            "screenshots-approvals" => state_screenshots::approvals;
            "screenshots-errors" => state_screenshots::errors;
            "screenshots-message-actions" => state_screenshots::message_actions;
            "screenshots-changes" => state_screenshots::changes;
            "screenshots-tree" => state_screenshots::tree;
            "screenshots-sessions" => state_screenshots::sessions;
            "screenshots-merge" => state_screenshots::merge;
            "screenshots-runs" => state_screenshots::runs::runs;
            "screenshots-compare-models" => state_screenshots::runs::comparing;
            "screenshots-first" => state_screenshots::first;
            "docs-pictures-demo" => state_screenshots::documents::demo;
            "docs-pictures-models" => state_screenshots::documents::models;
        });
    }
    flows
}
