//! Never shows or keeps anything of an answer: whoever asked gets it when it is whole.
//!
//! Owns the calls that belong to no turn.

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::stream::{Outcome, stream};
use super::{Asking, Caller, chance};
use crate::domain::command::RecordedAnswer;
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::id::Millis;
use crate::domain::live::Live;
use crate::domain::model::Usage;
use crate::domain::provider::Provider;
use crate::engine::aside::{Aside, Ask, NoAnswer};
use crate::engine::limiter::sleep_until;
use crate::engine::parts::NotLoaded;
use crate::engine::retry::{closes_the_door, wait_before_next};
use crate::wire::http::Endpoint;
use std::rc::Rc;

impl Ask for Caller {
    fn ask(&self, question: Aside) -> LocalBoxFuture<'static, Result<RecordedAnswer, NoAnswer>> {
        self.clone().ask_aside(question).boxed_local()
    }
}

impl Caller {
    async fn ask_aside(self, question: Aside) -> Result<RecordedAnswer, NoAnswer> {
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
            Err(failure) => Outcome::Failed(failure, Usage::default()),
        };
        drop(pass);
        match outcome {
            Outcome::Answered(answer) => Ok(answer),
            Outcome::Failed(failure, usage) => {
                let luck = chance(&format!("{id} {attempt}"), self.clock.now());
                let retry_in_ms = wait_before_next(&failure, attempt, false, luck);
                if let (Some(wait_ms), true) = (retry_in_ms, closes_the_door(&failure)) {
                    self.limiter.close(&id, wait_ms);
                }
                Err(NoAnswer { failure, usage, retry_in_ms })
            }
        }
    }

    /// Where the key is under the passphrase, asks for that and waits.
    async fn unlock(&self, id: &crate::domain::id::ProviderId) {
        let provider = self.world.borrow().live_provider(id).cloned();
        if let Some(provider) = provider.filter(|provider| self.handle.keys.is_locked(provider)) {
            let decided = self.handle.keys.decided();
            self.bus.show(&Live::KeyWanted { provider: provider.id });
            // Without an answer the call goes on as without a key.
            let _decided = decided.await.is_ok();
        }
    }

    async fn asking_aside(&self, question: Aside) -> Result<Asking, Failure> {
        let (provider, endpoint) = self.place(&question)?;
        let lost = |lost: NotLoaded| Failure::new(FailureCategory::Unreachable, lost.to_string());
        let codec = self.parts.codec(provider.protocol).await.map_err(lost)?;
        let request = (codec.encode)(&question.prompt, &endpoint);
        Ok(Asking { codec, provider, model: question.prompt.config.model, request })
    }

    fn place(&self, question: &Aside) -> Result<(Provider, Endpoint), Failure> {
        let missing = |what: &str| Failure::new(FailureCategory::NotSetUp, what);
        let world = self.world.borrow();
        let provider = world
            .live_provider(&question.provider)
            .ok_or_else(|| missing("The provider is not set up on this device."))?;
        if question.prompt.config.model.is_empty() {
            return Err(missing("No model is chosen."));
        }
        let key = self.handle.keys.key(provider);
        if provider.needs_key && key.is_none() {
            return Err(missing("No key is entered for this provider in this tab."));
        }
        Ok((provider.clone(), Endpoint { base_url: provider.base_url.clone(), key }))
    }
}
