//! Calls of a model: the context of a request, the client, retries and limits.
//!
//! The services for turns are loaded lazily, on the first context request.

pub mod context;
pub mod http;
pub mod model_client;
pub mod prompt;
pub mod retry;

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::{FutureExt as _, StreamExt as _};

use crate::calls::context::ContextBuilder;
use crate::calls::model_client::ModelClient;
use crate::lazy::{ChunkLoadError, LazyService, PeekableEvents};
use crate::port::Clock;
use crate::tools::executor::ToolExecutor;
use nexus_model::command::Command;
use nexus_model::event::{Event, EventKind};
use nexus_model::llm::Usage;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// The services for turns: they build contexts, call models and run tools.
pub struct CallServices {
    /// `context.build.request`, the first event of each turn.
    pub(super) contexts: PeekableEvents,
    /// `llm.requests` and `turns.closed`.
    pub(super) calls: UnboundedReceiver<Arc<Event>>,
    /// `tools.requests` and `turns.closed`.
    pub(super) tools: UnboundedReceiver<Arc<Event>>,
    pub(super) client: ModelClient,
}

impl LazyService for CallServices {
    fn handles(_: &Event) -> bool {
        true
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.contexts
    }

    fn clock(&self) -> &dyn Clock {
        self.client.engine.ports.clock.as_ref()
    }

    async fn fail_pending(&mut self, error: ChunkLoadError) {
        while let Some(Some(event)) = self.contexts.next().now_or_never() {
            let (Some(turn), Some(EventKind::ContextRequested { call })) = (event.turn, event.known_kind())
            else {
                continue;
            };
            let failure = ProviderError::new(ProviderErrorKind::Unreachable, error.to_string());
            let command = Command::RecordFailure {
                turn,
                call: *call,
                attempt: 1,
                failure,
                usage: Usage::default(),
                parts: Vec::new(),
                retry_in_ms: None,
            };
            // A rejection means that the turn was stopped meanwhile.
            drop(self.client.engine.handle.send(command).await);
        }
    }
}

impl CallServices {
    /// Starts the services. Each ends when the bus closes.
    pub fn begin(self) {
        let Self { contexts, calls, tools, client } = self;
        let (builder, executor) = (
            ContextBuilder { engine: client.engine.clone() },
            ToolExecutor { engine: client.engine.clone() },
        );
        let spawn = Rc::clone(&client.engine.ports.spawn);
        spawn.spawn(Box::pin(builder.serve(contexts)));
        spawn.spawn(Box::pin(client.serve(calls)));
        spawn.spawn(Box::pin(executor.serve(tools)));
    }
}
