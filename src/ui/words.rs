//! Never decides anything; never says whose fault something is.
//!
//! Owns every sentence that the operator reads which is not fixed in a component's markup: what was refused, what
//! failed, why a run waits, what to do. Pure, so that the wording is tested in one place.

mod activity;
mod agent_file;
#[cfg(feature = "csr")]
pub(crate) mod agents;
#[cfg(feature = "csr")]
pub(crate) mod answer;
#[cfg(feature = "csr")]
pub(crate) mod appearance;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod archivist;
mod asking;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod audit;
#[cfg(feature = "csr")]
pub(crate) mod board;
mod card;
#[cfg(any(feature = "csr", test))]
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "only the page says most of it"))]
pub(crate) mod care;
#[cfg(feature = "csr")]
pub(crate) mod catch_up;
#[cfg(feature = "csr")]
pub(crate) mod compare;
mod connection;
pub mod core;
#[cfg(any(feature = "csr", test))]
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "only the page says most of it"))]
pub(crate) mod data;
#[cfg(feature = "csr")]
pub(crate) mod desk;
#[cfg(feature = "csr")]
pub(crate) mod editor;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod embedding;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod finder;
#[cfg(feature = "csr")]
pub(crate) mod first_start;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod inspect;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod joining;
#[cfg(feature = "csr")]
pub(crate) mod later;
#[cfg(feature = "csr")]
pub(crate) mod overriding;
#[cfg(feature = "csr")]
pub(crate) mod palette;
#[cfg(feature = "csr")]
pub(crate) mod panes;
#[cfg(feature = "csr")]
pub(crate) mod past;
#[cfg(feature = "csr")]
pub(crate) mod preview;
#[cfg(feature = "csr")]
pub(crate) mod provider_card;
mod providers;
#[cfg(feature = "csr")]
pub(crate) mod queue;
#[cfg(feature = "csr")]
pub(crate) mod race;
mod refusal;
mod send_back;
#[cfg(feature = "csr")]
pub(crate) mod settings;
#[cfg(feature = "csr")]
pub(crate) mod settings_limits;
mod time;
pub mod tree;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod tree_map;
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "the screens use them"))]
pub(crate) mod triggers;
mod trouble;
pub mod voice;
#[cfg(any(feature = "csr", test))]
#[cfg_attr(not(feature = "csr"), allow(dead_code, reason = "only the page says most of it"))]
pub(crate) mod workers;

pub use activity::activity;
pub use agent_file::{file_problem, remark};
pub use asking::{always, changes_unknown, countdown, held, not_json, reach_checks, used, wants};
pub use card::{
    announcement, ending, ending_short, names, pause, phase, run_status, title, tool_status, unasked,
};
pub use connection::{Page, check, checklist, seen};
pub use providers::{address_problem, guide, kept_because, key_not_forgotten, key_problem, reload};
pub use refusal::{rejection, write_refused};
pub use send_back::{Quote, sent_back};
pub use time::{
    ESTIMATE, ago, clock_time, day, day_of, elapsed, large_size, money, size, spent_tokens, tokens,
};
pub use trouble::{
    WORK_HERE, WORK_HERE_ABOUT, banner_memory, banner_read_only, banner_rehearsal, banner_store, care,
    cleared, failure, nobody_hands_over, part_missing, told_error, too_long_pasted,
};

/// What “done” means, until the operator says it otherwise.
pub const DONE: &str =
    "The objective is met, every file works as it stands, and nothing asked for is left open.";

/// Something that happened, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What happened.
    pub title: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
}

impl Told {
    fn new(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { title: title.into(), advice: advice.into() }
    }
}

/// Names as a sentence has them: “A”, “A and B”, “A, B and C”.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number of things with their name: “1 call”, “2 calls”.
pub fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
