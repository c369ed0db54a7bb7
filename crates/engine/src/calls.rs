//! Calls of a model: the context of a request, the client, retries and limits.

pub mod context;
pub mod http;
pub mod limiter;
pub mod model_client;
pub mod node_prompt;
pub mod prompt;
pub mod retry;
