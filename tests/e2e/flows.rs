//! List of all flows. Their steps are in `flows/`, one file for each topic.

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

use crate::fixture::Fixture;

type Play<'fixture> = Pin<Box<dyn Future<Output = Result<()>> + 'fixture>>;

/// Parts that run in one browser, one after another.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<Part>,
}

/// A part of a flow. The fixture clears storage, permissions and provider before each.
pub(crate) struct Part {
    /// Its function, with its module.
    pub(crate) name: &'static str,
    pub(crate) play: for<'fixture> fn(&'fixture mut Fixture) -> Play<'fixture>,
}

macro_rules! flows {
    ($($name:literal => $($play:path),+;)*) => {
        vec![$(Flow {
            name: $name,
            parts: vec![$(Part { name: stringify!($play), play: |fixture| Box::pin($play(fixture)) }),+],
        },)*]
    };
}

impl Flow {
    /// Keeps the whole flow if its name matches one of the words, else the matching parts.
    pub(crate) fn chosen(mut self, words: &[String]) -> Self {
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
        "hostile" => hostile::answers, hostile::elsewhere;
        "access-axe" => access::axe, access::axe_elsewhere;
        "demo" => demo::scenarios, demo::needs_a_model;
        "timeline" => timeline::long, timeline::messages, timeline::scroll;
        "preview" => preview::hostile, preview::previews, preview::plain_host;
        "loading" => later::work, offline::start, later::screen, loading::first;
        "compare" => compare::hunks, compare::round, compare::whole_files, compare::large;
        "looking-back" => looking_back::large, looking_back::audit, looking_back::inspector, looking_back::older_layout;
        "files" => folder::linked, folder::lapsed, folder::none, files::files;
        "first-start" => start::first_start, start::earlier_state, start::cannot_run;
        "narrow-screen" => start::narrow, languages::german, appearance::chosen, appearance::first_paint;
        "keyboard" => keyboard::only, keyboard::every_screen, keyboard::elsewhere, merging::core;
        "archivist" => archivist::remembers, archivist::changes, archivist::runs;
        "compaction" => archivist::by_hand, archivist::compaction;
        "voice" => voice::voice, voice::faults, voice::missing;
        "workers" => workers::workers;
        "race" => race::races;
        "crashes" => data::crash_and_restore, data::crashes, away::safe_mode, kept::crash_and_export;
        "storage" => lasting::little_room, guards::storage, start::storage_denied, data::cleared;
        "tabs" => away::take_over, clash::forks, clash::follows, lasting::came_back, kept::second_tab;
        "keys" => keys::entered, keys::asked_once, settings::passphrase, settings::in_the_clear, settings::keys;
        "palette" => palette::demo, palette::finds, palette::focus_kept;
        "retries" => retries::elsewhere, retries::wait, faults_wire::no_answer;
        "tree-screen" => tree_map::large, tree_map::screen;
        "tree" => tree::branches, tree::keyboard, tree::as_it_was;
        "graphs" => graphs::graphs, graphs::plan_build_review, graph_editor::edit;
        "runs" => runs::run_screen, runs::import, runs::rerun;
        "editor" => editor::editor, editor::long, editor::without_parts;
        "large" => large::answers, large::streamed, bad_input::pastes;
        "markdown-cases" => specs::in_the_page;
        "checks" => checks::hostile, checks::checks;
        "protocols" => protocols::teams, sight::blind;
        "recorded-bodies" => recorded::replayed;
        "providers" => providers::connections, providers::add_by_address;
        "queue" => rounds::waiting, rounds::several;
        "round" => round::whom, round::answers, overriding::message;
        "faults" => faults::faults, faults::all_removed;
        "bad-rows" => bad_rows::tree, bad_rows::newer, bad_rows::head, bad_rows::label, kept::newer_data,
            bad_input::rubbish_in_local_storage;
        "settings" => settings::newcomer, settings::sections, settings_each::each, settings_costs::prices;
        "costs" => asking::cap, settings_costs::of_messages;
        "approve" => asking::approval;
        "embedded" => embedding::refused, embedding::draft;
        "hidden-tab" => away::hidden_tab, timeline::calls;
        "kept" => kept::reload, kept::sessions_kept, ledger::agrees;
        "sessions" => tree::sessions, threads::elsewhere, threads::triggers;
        "stands-long" => lasting::stands_long, soak::soak;
        "data" => data::points_and_reset, data::export_and_import, guards::imports_beside_a_stream;
        "core" => core::answers, core::auto;
        "at-hand" => face::war_room, face::splitters;
        "walk" => walk::local, walk::steps;
        "code" => code::blocks;
        "sub-path" => start::sub_path;
        "terminal" => terminals::own;
        "terminal-ttyd" => terminals::ttyd;
        "real-llama-cpp" => real::llama_cpp;
    };
    // A minute each, mostly spent by the driver on a closed tab or browser: on demand.
    if std::env::var_os("NEXUS_SLOW_FLOWS").is_some() {
        flows.extend(flows! {
            "browser-killed" => away::browser_killed;
            "racing-tabs" => away::racing_tabs;
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
    if pictures::folder().is_some() {
        flows.extend(flows! {
            "screenshots" => pictures::take;
            "screenshots-asking" => moments::asking;
            "screenshots-trouble" => moments::trouble;
            "screenshots-care" => moments::care;
            "screenshots-changes" => moments::changes;
            "screenshots-tree" => moments::tree;
            "screenshots-sessions" => moments::sessions;
            "screenshots-merge" => moments::merge;
            "screenshots-runs" => moments::runs::runs;
            "screenshots-compare-models" => moments::runs::comparing;
            "screenshots-first" => moments::first;
            "docs-pictures-demo" => moments::documents::demo;
            "docs-pictures-models" => moments::documents::models;
        });
    }
    flows
}
