//! The client of the engine: sends commands, drafts and key requests. Cheap to clone and share.
//!
//! Holds no state of the conversation.

use crate::bus::Bus;
use crate::calls::retry::sleep_until;
use crate::keys::{KeyRequest, ModelQuery};
use crate::lazy::CodecLoader;
use crate::port::VaultError;
use crate::prelude::*;
use crate::store::ledger::WorldRef;
use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;
use futures_util::future::{AbortHandle, Abortable, Either, select};
use nexus_model::mind::preview::PreviewReport;
use nexus_model::provider::{ListedModels, ModelInfo};
use nexus_model::session::Draft;
use nexus_model::signal::KeyBroadcast;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use crate::keys::{KeyRing, VaultRequest};

#[derive(Debug)]
pub enum EngineInput {
    Command(Box<Command>, oneshot::Sender<Decision>),
    Draft(Draft),
    /// Load a session and try to take its lock.
    Open(SessionId, oneshot::Sender<Decision>),
    /// Load a session beside the one in view, without its lock.
    Load(SessionId, oneshot::Sender<Decision>),
    /// Load turns older than this one.
    LoadEarlier(TurnId, oneshot::Sender<Decision>),
    ReloadStream(StreamId),
    /// Show the text so far of the answer that another tab receives in a session.
    ReloadPartial(SessionId),
    /// This tab requests a session that another tab has locked.
    RequestSession(SessionId),
    /// Another tab requests a session that this tab has locked.
    ReleaseSession(SessionId),
}

/// The latest result of this tab's preview, for agents to read. The interface runs the page and reports here. Not
/// stored; clones share one value.
#[derive(Clone, Debug, Default)]
pub struct LatestPreview(Arc<Mutex<Option<PreviewReport>>>);

impl LatestPreview {
    fn last(&self) -> MutexGuard<'_, Option<PreviewReport>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, report: PreviewReport) {
        *self.last() = Some(report);
    }

    pub fn close(&self) {
        if let Some(report) = self.last().as_mut() {
            report.open = false;
        }
    }

    pub fn get(&self, session: SessionId) -> Option<PreviewReport> {
        self.last().clone().filter(|report| report.session == session)
    }
}

/// What the engine's services share.
#[derive(Clone)]
pub struct EngineContext {
    pub(crate) world: WorldRef,
    pub(crate) handle: EngineClient,
    pub(crate) bus: Rc<Bus>,
    pub(crate) ports: Ports,
    pub(crate) parts: Rc<dyn CodecLoader>,
}

impl EngineContext {
    pub(crate) fn now(&self) -> Millis {
        self.ports.clock.now()
    }

    /// Sleeps by the clock, also across a suspend.
    pub(crate) async fn pause(&self, ms: u64) {
        sleep_until(&*self.ports.clock, Millis(self.now().0.saturating_add(ms))).await;
    }

    /// The result of a work; `None` if it takes longer.
    pub(crate) async fn within<T>(&self, ms: u64, work: impl Future<Output = T> + Unpin) -> Option<T> {
        match select(work, self.ports.clock.sleep(ms)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Starts a work beside the others, until it ends or is aborted.
    pub(crate) fn start(&self, work: impl Future<Output = ()> + 'static) -> AbortHandle {
        let work: LocalBoxFuture<'static, ()> = Box::pin(work);
        let (abort, registration) = AbortHandle::new_pair();
        self.ports.spawn.spawn(Box::pin(Abortable::new(work, registration).map(|_| ())));
        abort
    }

    pub(crate) fn publish(&self, event: &TransientEvent) {
        self.bus.publish_transient(event);
    }

    /// Sends a command that may be rejected: then the state has changed meanwhile, or another tab has the session.
    pub(crate) async fn tell(&self, command: Command) {
        drop(self.handle.send(command).await);
    }
}

#[derive(Clone, Debug)]
pub struct EngineClient {
    commands_tx: UnboundedSender<EngineInput>,
    keys_tx: UnboundedSender<KeyRequest>,
    pub keys: KeyRing,
    pub previews: LatestPreview,
}

impl EngineClient {
    pub(super) fn new(
        commands_tx: UnboundedSender<EngineInput>,
        keys_tx: UnboundedSender<KeyRequest>,
        keys: KeyRing,
    ) -> Self {
        Self { commands_tx, keys_tx, keys, previews: LatestPreview::default() }
    }

    pub async fn send(&self, command: Command) -> Decision {
        self.ask(|reply| EngineInput::Command(Box::new(command), reply)).await
    }

    pub async fn open(&self, session: SessionId) -> Decision {
        self.ask(|reply| EngineInput::Open(session, reply)).await
    }

    pub async fn load(&self, session: SessionId) -> Decision {
        self.ask(|reply| EngineInput::Load(session, reply)).await
    }

    pub async fn load_earlier(&self, turn: TurnId) -> Decision {
        self.ask(|reply| EngineInput::LoadEarlier(turn, reply)).await
    }

    pub fn draft(&self, draft: Draft) {
        // Only fails while the page closes; the draft was stored then.
        drop(self.commands_tx.unbounded_send(EngineInput::Draft(draft)));
    }

    /// Reports that another tab wrote to a stream, so that this one reloads it.
    pub fn reload_stream(&self, stream: StreamId) {
        drop(self.commands_tx.unbounded_send(EngineInput::ReloadStream(stream)));
    }

    /// Reports that another tab stored more of an answer.
    pub fn reload_partial(&self, session: SessionId) {
        drop(self.commands_tx.unbounded_send(EngineInput::ReloadPartial(session)));
    }

    pub fn request_session(&self, session: SessionId) {
        drop(self.commands_tx.unbounded_send(EngineInput::RequestSession(session)));
    }

    pub fn release_session(&self, session: SessionId) {
        drop(self.commands_tx.unbounded_send(EngineInput::ReleaseSession(session)));
    }

    /// Requests a provider's models; also stores the list as a setting.
    pub async fn list_models(&self, provider: ProviderId) -> Result<Vec<ModelInfo>, ProviderError> {
        let query = ModelQuery::Known { provider, checks_key: false };
        self.request_models(query).await.map(|listed| listed.models)
    }

    /// Like [`Self::list_models`]; also reports whether the provider accepts the stored key.
    pub async fn test_connection(&self, provider: ProviderId) -> Result<ListedModels, ProviderError> {
        self.request_models(ModelQuery::Known { provider, checks_key: true }).await
    }

    async fn request_models(&self, query: ModelQuery) -> Result<ListedModels, ProviderError> {
        let not_set_up = |message| ProviderError::new(ProviderErrorKind::NotSetUp, message);
        request_reply(&self.keys_tx, |reply| KeyRequest::Models(query, reply), not_set_up).await
    }

    /// The models of a provider that may not be set up, such as a local server being probed. Sends no key.
    pub async fn probe_models(&self, provider: Provider) -> Result<Vec<ModelInfo>, ProviderError> {
        self.request_models(ModelQuery::Unknown(Box::new(provider))).await.map(|listed| listed.models)
    }

    pub fn receive_key_broadcast(&self, news: KeyBroadcast) {
        // A stopped service has no key to lose.
        drop(self.keys_tx.unbounded_send(KeyRequest::Broadcast(news)));
    }

    pub async fn change_keys(&self, request: VaultRequest) -> Result<(), VaultError> {
        request_reply(&self.keys_tx, |reply| KeyRequest::Vault(request, reply), VaultError::Failed).await
    }

    async fn ask(&self, input: impl FnOnce(oneshot::Sender<Decision>) -> EngineInput) -> Decision {
        request_reply(&self.commands_tx, input, Rejection::Store).await
    }
}

/// Sends a request and waits for the reply; `to_error` makes the error if the engine has stopped.
async fn request_reply<Q, T, E>(
    to: &UnboundedSender<Q>,
    request: impl FnOnce(oneshot::Sender<Result<T, E>>) -> Q,
    to_error: fn(String) -> E,
) -> Result<T, E> {
    let (reply, answer) = oneshot::channel();
    let stopped = || to_error("the engine has stopped".to_owned());
    to.unbounded_send(request(reply)).map_err(|_| stopped())?;
    answer.await.unwrap_or_else(|_| Err(stopped()))
}
