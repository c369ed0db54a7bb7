//! The key service: moves API keys between this tab's key ring and the vault, and lists a provider's models.
//!
//! Restores keys at the start, encrypts, unlocks, locks them when idle, and deletes them when their provider moves to
//! another origin. Never publishes a key: other tabs only learn whose key changed and how.

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{Either, FutureExt as _, select};
use futures_util::{StreamExt as _, stream};

use crate::client::EngineContext;
use crate::keys::{KeyRequest, KeyRing, KeyStorage};
use crate::lazy::ChunkLoadError;
use crate::port::{Http, HttpError, KeyVault, StoredKey, VaultError};
use nexus_model::command::Command;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, ProviderId};
use nexus_model::limits::{KEY_IDLE_MS, KEY_LOOK_MS, MODELS_BYTES, MODELS_FRESH_MS, MODELS_TIMEOUT_MS};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::provider::{KeyCheck, ListedModels, ModelInfo, ModelList, Provider};
use nexus_model::signal::{KeyBroadcast, TransientEvent};
use nexus_providers::codec::Codec;
use nexus_providers::http::KeyProbe;
use nexus_providers::http::{Endpoint, HttpRequest, Secret};
use nexus_text::shorten::counted;

#[derive(Clone)]
pub(crate) struct KeyService {
    pub(crate) engine: EngineContext,
    pub(crate) http: Rc<dyn Http>,
    pub(crate) vault: Rc<dyn KeyVault>,
}

enum KeyServiceInput {
    Request(KeyRequest),
    Event(Arc<Event>),
    CheckIdle,
}

impl KeyService {
    fn keys(&self) -> &KeyRing {
        &self.engine.handle.keys
    }

    /// Loads the vault's keys. Deletes those whose provider was removed or has another origin.
    pub(crate) async fn restore(&self) -> Result<(), VaultError> {
        self.keys().note_hindrance(self.vault.hindrance());
        for stored in self.vault.list().await? {
            if self.matches_origin(&stored) {
                self.take_in(stored);
            } else {
                self.vault.forget(stored.provider).await?;
            }
        }
        Ok(())
    }

    /// Marks the vault as read, even if that failed in part.
    pub(crate) fn note_restored(&self) {
        self.keys().note_restored();
    }

    /// True if the key's origin is its provider's current one.
    fn matches_origin(&self, stored: &StoredKey) -> bool {
        let world = self.engine.world.borrow();
        let origin = world.live_provider(&stored.provider).and_then(|provider| provider.origin());
        origin.as_ref() == Some(&stored.origin)
    }

    /// Adds a key from the vault to the key ring.
    fn take_in(&self, stored: StoredKey) {
        let storage = if stored.key.is_some() { KeyStorage::Clear } else { KeyStorage::Passphrase };
        self.keys().take_in(stored, storage);
    }

    /// Serves until all clients are dropped. `events` carries `app.changed`.
    pub(crate) async fn serve(
        self,
        requests: UnboundedReceiver<KeyRequest>,
        events: UnboundedReceiver<Arc<Event>>,
    ) {
        let mut inputs =
            stream::select(requests.map(KeyServiceInput::Request), events.map(KeyServiceInput::Event));
        let (mut uses, mut used_at) = (self.keys().uses(), self.engine.ports.clock.now());
        loop {
            // Only an unlocked vault needs an idle check.
            let next = if self.vault.is_open() {
                match select(inputs.next(), self.engine.ports.clock.sleep(KEY_LOOK_MS)).await {
                    Either::Left((input, _)) => input,
                    Either::Right(_) => Some(KeyServiceInput::CheckIdle),
                }
            } else {
                inputs.next().await
            };
            let Some(input) = next else { return };
            let now = self.engine.ports.clock.now();
            // Messages from other tabs do not count as use.
            let is_use =
                matches!(&input, KeyServiceInput::Request(ask) if !matches!(ask, KeyRequest::Broadcast(_)));
            if self.keys().uses() != uses || is_use {
                (uses, used_at) = (self.keys().uses(), now);
            }
            match input {
                KeyServiceInput::Request(request) => self.handle(request).await,
                KeyServiceInput::Event(event) => self.handle_event(&event).await,
                KeyServiceInput::CheckIdle if now.0.saturating_sub(used_at.0) >= KEY_IDLE_MS => self.lock(),
                KeyServiceInput::CheckIdle => {}
            }
        }
    }

    async fn handle(&self, request: KeyRequest) {
        // The receiver may be gone.
        match request {
            KeyRequest::Models { provider, checks_key, reply } => {
                let this = self.clone();
                let work = async move { drop(reply.send(this.models(provider, checks_key).await)) };
                self.engine.ports.spawn.spawn(work.boxed_local());
            }
            KeyRequest::Probe(provider, reply) => {
                let this = self.clone();
                let work = async move {
                    drop(reply.send(this.models_at(&provider, None, false).await.map(|listed| listed.models)))
                };
                self.engine.ports.spawn.spawn(work.boxed_local());
            }
            KeyRequest::Keep { provider, storage, passphrase, reply } => {
                drop(reply.send(self.keep(provider, storage, passphrase).await));
            }
            KeyRequest::Unlock(passphrase, reply) => drop(reply.send(self.unlock(passphrase).await)),
            KeyRequest::ChangePassphrase { passphrase, next, reply } => {
                drop(reply.send(self.change_passphrase(passphrase, next).await));
            }
            KeyRequest::Broadcast(change) => self.follow(change).await,
            KeyRequest::Lock(reply) => {
                self.lock();
                self.broadcast(KeyBroadcast::Locked);
                drop(reply.send(Ok(())));
            }
            KeyRequest::Forget(provider, reply) => drop(reply.send(self.forget(&provider).await)),
        }
    }

    async fn keep(
        &self,
        provider: ProviderId,
        storage: KeyStorage,
        passphrase: Option<Secret>,
    ) -> Result<(), VaultError> {
        let nothing = || VaultError::Failed("there is no API key in this tab".to_owned());
        let stored = self.keys().to_keep(&provider).ok_or_else(nothing)?;
        match storage {
            KeyStorage::Tab => self.vault.forget(provider.clone()).await?,
            KeyStorage::Clear => self.vault.keep_clear(stored).await?,
            KeyStorage::Passphrase => {
                if let Some(passphrase) = passphrase {
                    self.unlock(passphrase).await?;
                }
                // Unlocking may have loaded an older key of this provider; the entered key wins.
                self.keys().take_in(stored.clone(), storage);
                self.vault.seal(stored).await?;
            }
        }
        self.keys().note(&provider, storage);
        self.broadcast(match storage {
            KeyStorage::Tab => KeyBroadcast::Withdrawn(provider),
            KeyStorage::Clear | KeyStorage::Passphrase => KeyBroadcast::Kept(provider),
        });
        Ok(())
    }

    async fn unlock(&self, passphrase: Secret) -> Result<(), VaultError> {
        let opened = self.vault.open(passphrase).await?;
        self.use_opened(opened);
        Ok(())
    }

    fn use_opened(&self, opened: Vec<StoredKey>) {
        for stored in opened {
            // A key entered in this tab and not stored is newer than the stored one.
            let is_newer = self.keys().storage(&stored.provider) == Some(KeyStorage::Tab);
            if !is_newer && self.keys().origin(&stored.provider).as_ref() == Some(&stored.origin) {
                self.keys().take_in(stored, KeyStorage::Passphrase);
            }
        }
        self.keys().decide();
        self.engine.bus.show(&TransientEvent::KeysChanged);
    }

    async fn change_passphrase(&self, passphrase: Secret, next: Secret) -> Result<(), VaultError> {
        let opened = self.vault.open(passphrase).await?;
        if opened.is_empty() {
            // Nothing is encrypted, so any passphrase would have been accepted.
            self.vault.close();
            return Err(VaultError::WrongPassphrase);
        }
        self.vault.renew(next, opened.clone()).await?;
        self.use_opened(opened);
        self.broadcast(KeyBroadcast::Locked);
        Ok(())
    }

    /// Reports a key change to this tab and the others.
    fn broadcast(&self, change: KeyBroadcast) {
        self.engine.bus.show(&TransientEvent::KeysChanged);
        self.engine.bus.show(&TransientEvent::KeysTold(change));
    }

    /// Follows a key change in another tab by reading the vault again, so that tabs exchange no keys.
    async fn follow(&self, change: KeyBroadcast) {
        match change {
            // A key stored in this tab only was entered here and stays.
            KeyBroadcast::Kept(provider) | KeyBroadcast::Withdrawn(provider)
                if self.keys().storage(&provider) == Some(KeyStorage::Tab) => {}
            KeyBroadcast::Kept(provider) => {
                // If the vault cannot be read, the known key stays; a call shows if it is still valid.
                let listed = self.vault.list().await.unwrap_or_default();
                let found = listed.into_iter().find(|stored| stored.provider == provider);
                if let Some(stored) = found.filter(|stored| self.matches_origin(stored)) {
                    self.take_in(stored);
                }
            }
            KeyBroadcast::Withdrawn(provider) | KeyBroadcast::Forgotten(provider) => {
                self.keys().forget(&provider)
            }
            KeyBroadcast::Locked => return self.lock(),
        }
        self.engine.bus.show(&TransientEvent::KeysChanged);
    }

    fn lock(&self) {
        self.vault.close();
        self.keys().lock();
        self.engine.bus.show(&TransientEvent::KeysChanged);
    }

    async fn forget(&self, provider: &ProviderId) -> Result<(), VaultError> {
        self.keys().forget(provider);
        let outcome = self.vault.forget(provider.clone()).await;
        // Last, because other tabs then read the vault.
        self.broadcast(KeyBroadcast::Forgotten(provider.clone()));
        outcome
    }

    /// Deletes a key when its provider's origin changes.
    async fn handle_event(&self, event: &Event) {
        let (id, origin) = match event.happening() {
            Some(EventKind::ProviderChanged { provider }) => (&provider.id, provider.origin()),
            Some(EventKind::ProviderRemoved { provider }) => (provider, None),
            _ => return,
        };
        let bound = self.keys().origin(id);
        if bound.is_some()
            && bound != origin
            && let Err(error) = self.forget(id).await
        {
            let text = format!("A removed API key could not be deleted from this device: {error}");
            drop(self.engine.handle.send(Command::RecordCriticalError { text }).await);
        }
    }

    async fn models(&self, id: ProviderId, checks_key: bool) -> Result<ListedModels, ProviderError> {
        let missing = |what: &str| ProviderError::new(ProviderErrorKind::NotSetUp, what);
        let provider = self.engine.world.borrow().live_provider(&id).cloned();
        let provider = provider.ok_or_else(|| missing("The provider is not set up on this device."))?;
        let key = self.keys().key(&provider);
        let listed = self.models_at(&provider, key, checks_key).await?;
        self.store_models(&id, &listed.models, self.engine.ports.clock.now()).await;
        Ok(listed)
    }

    async fn models_at(
        &self,
        provider: &Provider,
        key: Option<Secret>,
        checks_key: bool,
    ) -> Result<ListedModels, ProviderError> {
        let endpoint = Endpoint { base_url: provider.base_url.clone(), key };
        let failed =
            |failed: ChunkLoadError| ProviderError::new(ProviderErrorKind::Unreachable, failed.to_string());
        let codec = self.engine.parts.codec(provider.protocol).await.map_err(failed)?;
        let (status, body) = self.ask((codec.models_request)(&endpoint)).await?;
        let models = (codec.read_models)(status, &body)?;
        let key = if checks_key && endpoint.key.is_some() {
            self.check_key(codec, &endpoint).await
        } else {
            KeyCheck::NotChecked
        };
        Ok(ListedModels { models, key })
    }

    /// Checks the key with a provider that returned its model list.
    async fn check_key(&self, codec: &Codec, endpoint: &Endpoint) -> KeyCheck {
        let (request, has_key) = match (codec.key_probe)(endpoint) {
            KeyProbe::List => return KeyCheck::Accepted,
            KeyProbe::Taken(request) => (request, true),
            KeyProbe::Needed(request) => (request, false),
        };
        let Ok((status, body)) = self.ask(request).await else { return KeyCheck::NotChecked };
        if (200..300).contains(&status) {
            return if has_key { KeyCheck::Accepted } else { KeyCheck::NotChecked };
        }
        let error = (codec.classify)(status, None, &body);
        let is_key_error =
            matches!(error.category, ProviderErrorKind::Authentication | ProviderErrorKind::Permission);
        match (is_key_error, has_key) {
            (true, true) => KeyCheck::Rejected(error),
            (true, false) => KeyCheck::Accepted,
            (false, _) => KeyCheck::NotChecked,
        }
    }

    /// Sends a request and returns the status and the whole body, within a timeout.
    async fn ask(&self, request: HttpRequest) -> Result<(u16, String), ProviderError> {
        let timeout = self.engine.ports.clock.sleep(MODELS_TIMEOUT_MS);
        match select(Box::pin(whole(&*self.http, request)), timeout).await {
            Either::Left((handle, _)) => handle,
            Either::Right(_) => {
                let seconds = counted(MODELS_TIMEOUT_MS / 1_000, "second", "seconds");
                let message = format!("No response for {seconds}.");
                Err(ProviderError::new(ProviderErrorKind::Stalled, message))
            }
        }
    }

    /// Stores the list if it changed or the stored one is old.
    async fn store_models(&self, id: &ProviderId, models: &[ModelInfo], at: Millis) {
        let name = ModelList::setting(id);
        let known = self.engine.world.borrow().setting(&name).cloned();
        let known = known.and_then(|value| nexus_text::json::from_tree::<ModelList>(&value).ok());
        let is_fresh = |known: &ModelList| at.0.saturating_sub(known.at.0) < MODELS_FRESH_MS;
        if known.is_some_and(|known| known.models == models && is_fresh(&known)) {
            return;
        }
        let list = ModelList { at, models: models.to_vec() };
        if let Ok(value) = nexus_text::json::to_tree(&list) {
            // On failure the ledger informs the operator; the list itself was returned.
            drop(self.engine.handle.send(Command::ChangeSetting { name, value }).await);
        }
    }
}

/// Sends a request and reads the whole response.
async fn whole(http: &dyn Http, request: HttpRequest) -> Result<(u16, String), ProviderError> {
    let failed = |error| match error {
        HttpError::Unreachable(message) => ProviderError::new(ProviderErrorKind::Unreachable, message),
        HttpError::Broken(message) => ProviderError::new(ProviderErrorKind::CutOff, message),
    };
    let mut handle = http.send(request).await.map_err(failed)?;
    let mut bytes = Vec::new();
    while let Some(piece) = handle.body.next().await {
        bytes.extend_from_slice(&piece.map_err(failed)?);
        if bytes.len() > MODELS_BYTES {
            return Err(ProviderError::new(
                ProviderErrorKind::Garbled,
                "The response is too long for a model list.",
            ));
        }
    }
    Ok((handle.status, String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
