//! Never a bill: what a provider charges may differ by hour, prompt size and tier.
//!
//! Owns what the tokens of a model cost.

use serde::{Deserialize, Serialize};

/// The price of a model's tokens, in US dollars per million.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Of the request.
    pub input: f64,
    /// Of the part of the request that the provider had cached; like `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of the answer, thinking included.
    pub output: f64,
}
