//! The whole engine on a scripted network and a fake clock: one file per topic.
//!
//! `INSTA_UPDATE=always cargo test -p nexus-engine --test scenarios snapshot` rewrites the snapshots.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

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

/// Compares a text with the snapshot of this name in `snapshots/`.
fn snapshot(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}
