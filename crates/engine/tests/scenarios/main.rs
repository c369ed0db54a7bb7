//! The whole engine on a scripted network and a fake clock: one file per topic.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod basics;
mod branches;
mod context;
mod core;
mod families;
mod faults;
mod files;
mod job_history;
mod keys;
mod limits;
mod maintenance;
mod message_overrides;
mod network;
mod newer_version;
mod pins;
mod prompts;
mod review;
mod sandbox;
mod status;
mod stop;
mod stored_data;
mod tab_conflict;
mod triggers;
