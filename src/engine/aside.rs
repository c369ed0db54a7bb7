//! Never asks anything itself.
//!
//! Owns the question to a model that belongs to no turn, and the way to have it asked: through the same door, in the
//! same words and within the same limits as every call of an agent.

use futures_util::future::LocalBoxFuture;

use crate::domain::command::RecordedAnswer;
use crate::domain::failure::Failure;
use crate::domain::id::{ProviderId, TurnId};
use crate::domain::model::{Prompt, Usage};

/// A question beside all turns.
pub(super) struct Aside {
    /// Whom to ask.
    pub(super) provider: ProviderId,
    /// What.
    pub(super) prompt: Prompt,
    /// Which attempt it is, from 1.
    pub(super) attempt: u32,
    /// Whether the operator waits for it, so that a locked key is asked for.
    pub(super) wanted: bool,
    /// The turn that it is kept for in the inspector, with the request and the answer as it comes; for nobody where
    /// absent.
    pub(super) kept: Option<TurnId>,
}

/// Why there is no answer.
pub(super) struct NoAnswer {
    /// Why.
    pub(super) failure: Failure,
    /// What it used all the same.
    pub(super) usage: Usage,
    /// After how long another attempt may help, in milliseconds.
    pub(super) retry_in_ms: Option<u64>,
}

/// Asks models.
pub(super) trait Ask {
    /// Asks once. Nothing of the answer is shown or kept on the way. Dropping the future aborts the request.
    fn ask(&self, question: Aside) -> LocalBoxFuture<'static, Result<RecordedAnswer, NoAnswer>>;
}
