//! The interface's strings: rejections, errors, statuses and advice. Pure.
//!
//! Only strings fixed in a component's markup are elsewhere. Never says whose fault an error is.

mod activity;
pub mod agents;
pub mod audit;
pub mod board;
pub mod chat;
mod errors;
pub mod first_start;
pub mod inspect;
pub mod lazy;
pub mod maintenance;
pub mod palette;
pub mod panes;
mod rejections;
pub mod run_summary;
pub mod search;
pub mod settings;
pub mod snapshot;
mod status;
mod time;
pub mod tree;
pub mod tree_layout;

pub use crate::strings::activity::activity;
pub use crate::strings::chat::prompts::{
    always, changes_unknown, countdown, held, not_json, reach_checks, used, wants,
};
pub use crate::strings::chat::send_back::{QuotedChange, sent_back};
pub use crate::strings::errors::{
    SAVE_FROM_MEMORY, SAVE_FROM_MEMORY_ABOUT, STARTING, WORK_HERE, WORK_HERE_ABOUT, banner_deleted,
    banner_memory, banner_read_only, banner_rehearsal, banner_store, banner_waiting, care, cleared, failure,
    nobody_hands_over, part_missing, told_error, too_long_pasted,
};
pub use crate::strings::rejections::{rejection, write_refused};
pub use crate::strings::settings::agent_file::{file_problem, remark};
pub use crate::strings::settings::connection::{PageContext, check, checklist, seen};
pub use crate::strings::settings::providers::{
    address_problem, guide, kept_because, key_not_forgotten, key_problem, reload,
};
pub use crate::strings::status::{
    announcement, ending, ending_short, names, pause, phase, run_status, title, tool_status, unasked,
};
pub use crate::strings::time::{
    ESTIMATE, ago, clock_time, day, day_of, elapsed, large_size, money, size, spent_tokens, tokens,
};

/// What “done” means, until the operator says it otherwise.
pub const DONE: &str =
    "The objective is met, every file works as it stands, and nothing asked for is left open.";

/// Something that happened, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub title: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
}

impl Notice {
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
