//! What fits into a model's context window: token estimates, the turns of a request, truncated tool results.

pub mod compaction;
pub mod forecast;
pub mod history;
pub mod token_budget;
pub mod truncate;
pub mod window;
pub mod within;
