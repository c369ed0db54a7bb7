//! Model calls outside a turn: the request, its possible failures, and the port that sends it.
//!
//! They pass the same rate limiter, codecs and time limits as the calls of agents.

use futures_util::future::LocalBoxFuture;

use nexus_model::command::RecordedAnswer;
use nexus_model::id::{ProviderId, TurnId};
use nexus_model::llm::{Prompt, Usage};
use nexus_model::provider::failure::ProviderError;

/// A question beside all turns.
pub(crate) struct OneShotRequest {
    pub(crate) provider: ProviderId,
    pub(crate) prompt: Prompt,
    /// Which attempt it is, from 1.
    pub(crate) attempt: u32,
    /// Whether the operator waits for it, so that a locked key is asked for.
    pub(crate) wanted: bool,
    /// The turn that it is kept for in the inspector, with the request and the answer as it comes; for nobody where
    /// absent.
    pub(crate) kept: Option<TurnId>,
}

/// Why there is no answer.
pub(crate) struct OneShotError {
    pub(crate) failure: ProviderError,
    /// What it used all the same.
    pub(crate) usage: Usage,
    /// After how long another attempt may help, in milliseconds.
    pub(crate) retry_in_ms: Option<u64>,
}

pub(crate) trait AskModel {
    /// Asks once. Nothing of the answer is shown or kept on the way. Dropping the future aborts the request.
    fn ask(&self, question: OneShotRequest) -> LocalBoxFuture<'static, Result<RecordedAnswer, OneShotError>>;
}
