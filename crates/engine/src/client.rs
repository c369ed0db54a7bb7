//! The client of the engine: sends commands, drafts and key requests. Cheap to clone and share.
//!
//! Holds no state of the conversation.

use crate::bus::Bus;
use crate::lazy::loader::ChunkLoader;
use crate::store::ledger::WorldRef;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;

pub use crate::keys::KeyRing;
use crate::keys::{KeyRequest, KeyStorage, ModelQuery};
use crate::port::{Ports, VaultError};
use nexus_model::command::{Command, Rejection};
use nexus_model::id::{ProviderId, SessionId, StreamId, TurnId};
use nexus_model::mind::preview::PreviewReport;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::provider::{ListedModels, ModelInfo, Provider};
use nexus_model::session::draft::Draft;
use nexus_model::signal::KeyBroadcast;
use nexus_providers::http::Secret;

/// What reaches the engine's loop.
#[derive(Debug)]
pub enum EngineInput {
    /// A command, and where the answer goes.
    Command(Box<Command>, oneshot::Sender<Result<(), Rejection>>),
    Draft(Draft),
    /// The rows of a session are wanted; taking its lock is tried.
    Open(SessionId, oneshot::Sender<Result<(), Rejection>>),
    /// Older turns than this one are wanted.
    LoadEarlier(TurnId, oneshot::Sender<Result<(), Rejection>>),
    /// Another tab wrote to this stream.
    Follow(StreamId),
    /// This tab is to work in a session in which another one does.
    AskFor(SessionId),
    /// Another tab is to work in a session in which this one does.
    HandOver(SessionId),
}

/// What the preview of this tab came to last, so that agents can read it. The screen runs the page and reports here; nothing
/// is stored. Cheap to clone: all clones are one.
#[derive(Clone, Debug, Default)]
pub struct LatestPreview(Arc<Mutex<Option<PreviewReport>>>);

impl LatestPreview {
    fn last(&self) -> MutexGuard<'_, Option<PreviewReport>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn tell(&self, seen: PreviewReport) {
        *self.last() = Some(seen);
    }

    /// The operator looks at something else.
    pub fn close(&self) {
        if let Some(seen) = self.last().as_mut() {
            seen.open = false;
        }
    }

    /// What it came to, if it was of this session.
    pub fn of(&self, session: SessionId) -> Option<PreviewReport> {
        self.last().clone().filter(|seen| seen.session == session)
    }
}

/// What services of the engine work with.
#[derive(Clone)]
pub struct EngineContext {
    pub(crate) world: WorldRef,
    pub(crate) handle: EngineClient,
    pub(crate) bus: Rc<Bus>,
    pub(crate) ports: Ports,
    pub(crate) parts: Rc<dyn ChunkLoader>,
}

#[derive(Clone, Debug)]
pub struct EngineClient {
    inbox: UnboundedSender<EngineInput>,
    desk: UnboundedSender<KeyRequest>,
    pub keys: KeyRing,
    pub previews: LatestPreview,
}

impl EngineClient {
    pub(super) fn new(
        inbox: UnboundedSender<EngineInput>,
        desk: UnboundedSender<KeyRequest>,
        keys: KeyRing,
    ) -> Self {
        Self { inbox, desk, keys, previews: LatestPreview::default() }
    }

    pub async fn send(&self, command: Command) -> Result<(), Rejection> {
        self.ask(|reply| EngineInput::Command(Box::new(command), reply)).await
    }

    /// Loads a session and tries to take its lock.
    pub async fn open(&self, session: SessionId) -> Result<(), Rejection> {
        self.ask(|reply| EngineInput::Open(session, reply)).await
    }

    pub async fn load_earlier(&self, turn: TurnId) -> Result<(), Rejection> {
        self.ask(|reply| EngineInput::LoadEarlier(turn, reply)).await
    }

    pub fn draft(&self, draft: Draft) {
        // Nobody listens only when the page is going away; the draft was put to disk then.
        drop(self.inbox.unbounded_send(EngineInput::Draft(draft)));
    }

    /// Tells that another tab wrote to a stream, so that this one can follow.
    pub fn follow(&self, stream: StreamId) {
        drop(self.inbox.unbounded_send(EngineInput::Follow(stream)));
    }

    /// Asks the tab that works in a session to let this one work there.
    pub fn ask_for(&self, session: SessionId) {
        drop(self.inbox.unbounded_send(EngineInput::AskFor(session)));
    }

    /// Lets another tab work in a session.
    pub fn hand_over(&self, session: SessionId) {
        drop(self.inbox.unbounded_send(EngineInput::HandOver(session)));
    }

    /// Asks a provider for its models; the list is kept as a setting, too.
    pub async fn list_models(&self, provider: ProviderId) -> Result<Vec<ModelInfo>, ProviderError> {
        let query = ModelQuery::Known { provider, checks_key: false };
        self.listed(query).await.map(|listed| listed.models)
    }

    /// As [`Self::list_models`], and whether the provider takes the key that is here.
    pub async fn test_connection(&self, provider: ProviderId) -> Result<ListedModels, ProviderError> {
        self.listed(ModelQuery::Known { provider, checks_key: true }).await
    }

    /// The models of a provider that may not be set up, such as a server that is looked for. Sends no key.
    pub async fn probe_models(&self, provider: Provider) -> Result<Vec<ModelInfo>, ProviderError> {
        self.listed(ModelQuery::Unknown(Box::new(provider))).await.map(|listed| listed.models)
    }

    async fn listed(&self, query: ModelQuery) -> Result<ListedModels, ProviderError> {
        let (reply, answer) = oneshot::channel();
        let gone = || ProviderError::new(ProviderErrorKind::NotSetUp, "the engine has stopped");
        self.desk.unbounded_send(KeyRequest::Models(query, reply)).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Keeps the key that a provider has in this tab beyond it, or no longer. A passphrase is only wanted while the
    /// vault is closed.
    pub async fn keep_key(
        &self,
        provider: ProviderId,
        keeping: KeyStorage,
        passphrase: Option<String>,
    ) -> Result<(), VaultError> {
        let passphrase = passphrase.map(Secret::new);
        self.ask_desk(|reply| KeyRequest::Keep { provider, keeping, passphrase, reply }).await
    }

    /// Opens the vault: the sealed keys are in this tab then, until nothing used them for a while.
    pub async fn unlock(&self, passphrase: String) -> Result<(), VaultError> {
        self.ask_desk(|reply| KeyRequest::Unlock(Secret::new(passphrase), reply)).await
    }

    /// Closes the vault: the sealed keys leave this tab.
    pub async fn lock(&self) -> Result<(), VaultError> {
        self.ask_desk(KeyRequest::Lock).await
    }

    /// Puts everything that is under the passphrase under another one.
    pub async fn change_passphrase(&self, passphrase: String, next: String) -> Result<(), VaultError> {
        let (passphrase, next) = (Secret::new(passphrase), Secret::new(next));
        self.ask_desk(|reply| KeyRequest::ChangePassphrase { passphrase, next, reply }).await
    }

    /// Tells what became of a key in another tab.
    pub fn hear_of_key(&self, news: KeyBroadcast) {
        // A desk that has stopped has no key to lose.
        drop(self.desk.unbounded_send(KeyRequest::Heard(news)));
    }

    /// Forgets a provider's key, in this tab and in the vault.
    pub async fn forget_key(&self, provider: ProviderId) -> Result<(), VaultError> {
        self.ask_desk(|reply| KeyRequest::Forget(provider, reply)).await
    }

    async fn ask_desk(
        &self,
        ask: impl FnOnce(oneshot::Sender<Result<(), VaultError>>) -> KeyRequest,
    ) -> Result<(), VaultError> {
        let (reply, answer) = oneshot::channel();
        let gone = || VaultError::Failed("the engine has stopped".to_owned());
        self.desk.unbounded_send(ask(reply)).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn ask(
        &self,
        input: impl FnOnce(oneshot::Sender<Result<(), Rejection>>) -> EngineInput,
    ) -> Result<(), Rejection> {
        let (reply, answer) = oneshot::channel();
        let gone = || Rejection::Store("the engine has stopped".to_owned());
        self.inbox.unbounded_send(input(reply)).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}
