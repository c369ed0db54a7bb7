//! The whole engine on a scripted network and a fake clock: one file per topic.
//!
//! `INSTA_UPDATE=always cargo test -p nexus-engine --test scenarios snapshot` rewrites the snapshots.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use nexus_engine::tests::Tab;
use nexus_model::agent::Agent;
use nexus_model::command::Command;
use nexus_model::mind::MindWrite;
use serde_json::Value;

mod agreement;
mod basics;
mod branches;
mod checks;
mod context;
mod core;
mod faults;
mod files;
mod job_history;
mod left_sessions;
mod limits;
mod lost_parts;
mod maintenance;
mod message_overrides;
mod network;
mod newer_version;
mod pins;
mod prompts;
mod review;
mod runs;
mod sandbox;
mod stored_data;
mod tab_conflict;
mod triggers;

/// True if the newest content of a request has tool results.
fn has_results(body: &Value) -> bool {
    let contents = body["contents"].as_array().unwrap();
    let parts = contents.last().unwrap()["parts"].as_array().unwrap();
    parts.iter().any(|part| part.get("functionResponse").is_some())
}

/// The operator edits the mind of the session in view.
fn edit(tab: &Tab, writes: Vec<MindWrite>) {
    let base = tab.session_row().mind;
    tab.send(Command::EditMind { session: tab.session, base, writes }).unwrap();
}

fn write_file(tab: &Tab, name: &str, text: &str) {
    edit(tab, vec![MindWrite::File { name: name.into(), text: text.into() }]);
}

fn change_agent(tab: &Tab, key: &str, change: impl FnOnce(&mut Agent)) {
    let mut agent = tab.world().agent(&key.into()).unwrap().as_ref().clone();
    change(&mut agent);
    tab.send(Command::ChangeAgent { agent }).unwrap();
}

fn set(tab: &Tab, name: &str, value: impl Into<Value>) {
    tab.send(Command::ChangeSetting { name: name.into(), value: value.into() }).unwrap();
}

/// Compares a text with the snapshot of this name in `snapshots/`.
fn snapshot(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}
