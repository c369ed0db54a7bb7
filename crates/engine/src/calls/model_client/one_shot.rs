//! Sends model calls that belong to no turn and returns the whole answer to the caller.
//!
//! Never shows or stores the answer.

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{ModelClient, PreparedCall, chance};
use crate::calls::limiter::sleep_until;
use crate::calls::model_client::stream::{CallOutcome, stream};
use crate::calls::one_shot::{AskModel, OneShotError, OneShotRequest};
use crate::calls::retry::{closes_the_door, wait_before_next};
use crate::lazy::ChunkLoadError;
use nexus_model::command::RecordedAnswer;
use nexus_model::id::Millis;
use nexus_model::llm::Usage;
use nexus_model::provider::Provider;
use nexus_model::provider::failure::{NO_KEY, ProviderError, ProviderErrorKind};
use nexus_model::signal::TransientEvent;
use nexus_providers::http::Endpoint;
use std::rc::Rc;

impl AskModel for ModelClient {
    fn ask(&self, question: OneShotRequest) -> LocalBoxFuture<'static, Result<RecordedAnswer, OneShotError>> {
        self.clone().ask_aside(question).boxed_local()
    }
}

impl ModelClient {
    async fn ask_aside(self, question: OneShotRequest) -> Result<RecordedAnswer, OneShotError> {
        let id = question.provider.clone();
        let (attempt, kept) = (question.attempt, question.kept);
        if question.wanted {
            self.unlock(&id).await;
        }
        let due = Millis(self.clock.now().0.saturating_add(self.limiter.wait_ms(&id)));
        sleep_until(self.clock.as_ref(), due).await;
        // Agents come first: the last place is theirs.
        let pass = Rc::clone(&self.limiter).enter(&id, false).await;
        let outcome = match self.asking_aside(question).await {
            Ok(asking) => {
                let record = |turn| self.keeper.record_whole(turn, attempt, &asking.request);
                let recording = kept.and_then(record);
                stream(&self, None, recording, asking).await
            }
            Err(failure) => CallOutcome::Failed(failure, Usage::default()),
        };
        drop(pass);
        match outcome {
            CallOutcome::Answered(answer) => Ok(answer),
            CallOutcome::Failed(failure, usage) => {
                let luck = chance(&format!("{id} {attempt}"), self.clock.now());
                let retry_in_ms = wait_before_next(&failure, attempt, false, luck);
                if let (Some(wait_ms), true) = (retry_in_ms, closes_the_door(&failure)) {
                    self.limiter.close(&id, wait_ms);
                }
                Err(OneShotError { failure, usage, retry_in_ms })
            }
        }
    }

    /// Where the key is under the passphrase, asks for that and waits.
    async fn unlock(&self, id: &nexus_model::id::ProviderId) {
        let provider = self.world.borrow().live_provider(id).cloned();
        if let Some(provider) = provider.filter(|provider| self.handle.keys.is_locked(provider)) {
            let decided = self.handle.keys.decided();
            self.bus.show(&TransientEvent::KeyWanted { provider: provider.id });
            // Without an answer the call goes on as without a key.
            let _decided = decided.await.is_ok();
        }
    }

    async fn asking_aside(&self, question: OneShotRequest) -> Result<PreparedCall, ProviderError> {
        let (provider, endpoint) = self.place(&question)?;
        let lost =
            |lost: ChunkLoadError| ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
        let codec = self.parts.codec(provider.protocol).await.map_err(lost)?;
        let request = (codec.encode)(&question.prompt, &endpoint);
        Ok(PreparedCall { codec, provider, model: question.prompt.config.model, request })
    }

    fn place(&self, question: &OneShotRequest) -> Result<(Provider, Endpoint), ProviderError> {
        let missing = |what: &str| ProviderError::new(ProviderErrorKind::NotSetUp, what);
        let world = self.world.borrow();
        let provider = world
            .live_provider(&question.provider)
            .ok_or_else(|| missing("The provider is not set up on this device."))?;
        if question.prompt.config.model.is_empty() {
            return Err(missing("No model is chosen."));
        }
        let key = self.handle.keys.key(provider);
        if provider.needs_key && key.is_none() {
            return Err(missing(NO_KEY));
        }
        Ok((provider.clone(), Endpoint { base_url: provider.base_url.clone(), key }))
    }
}
