//! What fits into a model's context window: token estimates, the turns of a request, truncated tool results.

pub mod history;
pub mod token_budget;
pub mod truncate;
pub mod turn_range;
