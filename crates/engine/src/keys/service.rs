//! The key service: moves API keys between this tab's key ring and the vault.
//!
//! Restores keys at the start, encrypts, unlocks, locks them when idle, and deletes them when their provider moves to
//! another origin. Never publishes a key: other tabs only learn whose key changed and how.

use crate::client::EngineContext;
use crate::keys::{KeyRequest, KeyRing, KeyStorage, ModelQuery, VaultRequest};
use crate::lazy::Load;
use crate::port::{KeyVault, StoredKey, VaultError};
use crate::prelude::*;
use futures_util::stream;
use nexus_model::limits::{KEY_CHECK_MS, KEY_IDLE_MS};
use nexus_model::provider::ListedModels;
use nexus_model::signal::KeyBroadcast;
use nexus_providers::http::Secret;

pub(crate) type ModelsFuture = LocalBoxFuture<'static, Result<ListedModels, ProviderError>>;

/// Lists the models of a provider. Loaded with the model calls.
pub(crate) type ListModels = fn(KeyService, ModelQuery) -> ModelsFuture;

#[derive(Clone)]
pub(crate) struct KeyService {
    pub(crate) engine: EngineContext,
    pub(crate) http: Rc<dyn Http>,
    pub(crate) vault: Rc<dyn KeyVault>,
    pub(crate) load_models: Load<ListModels>,
}

enum KeyServiceInput {
    Request(KeyRequest),
    Event(Arc<Event>),
    CheckIdle,
}

impl KeyService {
    pub(crate) fn keys(&self) -> &KeyRing {
        &self.engine.handle.keys
    }

    /// Loads the vault's keys. Deletes those whose provider was removed or has another origin.
    pub(crate) async fn restore(&self) -> Result<(), VaultError> {
        self.keys().note_unavailable(self.vault.unavailable());
        for stored in self.vault.list().await? {
            if self.matches_origin(&stored) {
                self.add_stored(stored);
            } else if self.engine.world.borrow().provider(&stored.provider).is_some() {
                self.vault.delete(stored.provider).await?;
            }
            // The key of a provider that could not be read stays.
        }
        Ok(())
    }

    /// True if the key's origin is its provider's current one.
    fn matches_origin(&self, stored: &StoredKey) -> bool {
        let world = self.engine.world.borrow();
        let origin = world.live_provider(&stored.provider).and_then(|provider| provider.origin());
        origin.as_ref() == Some(&stored.origin)
    }

    fn add_stored(&self, stored: StoredKey) {
        let storage = if stored.key.is_some() { KeyStorage::Clear } else { KeyStorage::Passphrase };
        self.keys().insert(stored, storage);
    }

    /// Serves until all clients are dropped. `events` carries `app.changed`.
    pub(crate) async fn serve(
        self,
        requests: UnboundedReceiver<KeyRequest>,
        events: UnboundedReceiver<Arc<Event>>,
    ) {
        let mut inputs =
            stream::select(requests.map(KeyServiceInput::Request), events.map(KeyServiceInput::Event));
        let (mut uses, mut used_at) = (self.keys().uses(), self.engine.now());
        loop {
            // Only an unlocked vault needs an idle check.
            let next = if self.vault.is_open() {
                let input = self.engine.within(KEY_CHECK_MS, inputs.next()).await;
                input.unwrap_or(Some(KeyServiceInput::CheckIdle))
            } else {
                inputs.next().await
            };
            let Some(input) = next else { return };
            let now = self.engine.now();
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
            KeyRequest::Models(query, reply) => {
                let this = self.clone();
                let work = async move {
                    let listed = match (this.load_models)().await {
                        Ok(list) => list(this, query).await,
                        Err(error) => Err(error.into()),
                    };
                    drop(reply.send(listed));
                };
                self.engine.ports.spawn.spawn(work.boxed_local());
            }
            KeyRequest::Vault(request, reply) => drop(reply.send(self.change_vault(request).await)),
            KeyRequest::Broadcast(change) => self.apply_broadcast(change).await,
        }
    }

    async fn change_vault(&self, request: VaultRequest) -> Result<(), VaultError> {
        match request {
            VaultRequest::Store { provider, storage, passphrase } => {
                self.store_key(provider, storage, passphrase).await
            }
            VaultRequest::Unlock(passphrase) => self.unlock(passphrase).await,
            VaultRequest::ChangePassphrase { passphrase, next } => {
                self.change_passphrase(passphrase, next).await
            }
            VaultRequest::Lock => {
                self.lock();
                self.broadcast(KeyBroadcast::Locked);
                Ok(())
            }
            VaultRequest::Delete(provider) => self.delete_key(&provider).await,
        }
    }

    async fn store_key(
        &self,
        provider: ProviderId,
        storage: KeyStorage,
        passphrase: Option<Secret>,
    ) -> Result<(), VaultError> {
        let nothing = || VaultError::Failed("there is no API key in this tab".to_owned());
        let stored = self.keys().to_store(&provider).ok_or_else(nothing)?;
        let kept = self.keys().storage(&provider).unwrap_or(KeyStorage::Tab);
        match storage {
            KeyStorage::Tab => self.vault.delete(provider.clone()).await?,
            KeyStorage::Clear => self.vault.store_unencrypted(stored).await?,
            KeyStorage::Passphrase => {
                if let Some(passphrase) = passphrase {
                    self.unlock(passphrase).await?;
                }
                // Unlocking may have loaded an older key of this provider; the entered key wins.
                self.keys().insert(stored.clone(), kept);
                self.vault.seal(stored).await?;
            }
        }
        self.keys().set_storage(&provider, storage);
        self.broadcast(match storage {
            KeyStorage::Tab => KeyBroadcast::Removed(provider),
            KeyStorage::Clear | KeyStorage::Passphrase => KeyBroadcast::Stored(provider),
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
                self.keys().insert(stored, KeyStorage::Passphrase);
            }
        }
        self.keys().wake_waiting();
        self.engine.publish(&TransientEvent::KeysChanged);
    }

    async fn change_passphrase(&self, passphrase: Secret, next: Secret) -> Result<(), VaultError> {
        let opened = self.vault.open(passphrase).await?;
        if opened.is_empty() {
            // Nothing is encrypted, so any passphrase would have been accepted.
            self.vault.close();
            return Err(VaultError::WrongPassphrase);
        }
        self.vault.change_passphrase(next, opened.clone()).await?;
        self.use_opened(opened);
        self.broadcast(KeyBroadcast::Locked);
        Ok(())
    }

    /// Reports a key change to this tab and the others.
    fn broadcast(&self, change: KeyBroadcast) {
        self.engine.publish(&TransientEvent::KeysChanged);
        self.engine.publish(&TransientEvent::KeyBroadcast(change));
    }

    /// Follows a key change in another tab by reading the vault again, so that tabs exchange no keys.
    async fn apply_broadcast(&self, change: KeyBroadcast) {
        match change {
            // A key stored in this tab only was entered here and stays.
            KeyBroadcast::Stored(provider) | KeyBroadcast::Removed(provider)
                if self.keys().storage(&provider) == Some(KeyStorage::Tab) => {}
            KeyBroadcast::Stored(provider) => {
                // If the vault cannot be read, the known key stays; a call shows if it is still valid.
                let listed = self.vault.list().await.unwrap_or_default();
                let found = listed.into_iter().find(|stored| stored.provider == provider);
                if let Some(stored) = found.filter(|stored| self.matches_origin(stored)) {
                    self.add_stored(stored);
                }
            }
            KeyBroadcast::Removed(provider) | KeyBroadcast::Deleted(provider) => {
                self.keys().remove(&provider)
            }
            KeyBroadcast::Locked => return self.lock(),
        }
        self.engine.publish(&TransientEvent::KeysChanged);
    }

    fn lock(&self) {
        self.vault.close();
        self.keys().lock();
        self.engine.publish(&TransientEvent::KeysChanged);
    }

    async fn delete_key(&self, provider: &ProviderId) -> Result<(), VaultError> {
        self.keys().remove(provider);
        let outcome = self.vault.delete(provider.clone()).await;
        // Last, because other tabs then read the vault.
        self.broadcast(KeyBroadcast::Deleted(provider.clone()));
        outcome
    }

    /// Deletes a key when its provider's origin changes.
    async fn handle_event(&self, event: &Event) {
        let (id, origin) = match event.known_kind() {
            Some(EventKind::ProviderChanged { provider }) => (&provider.id, provider.origin()),
            Some(EventKind::ProviderRemoved { provider }) => (provider, None),
            _ => return,
        };
        let bound = self.keys().origin(id);
        if bound.is_some()
            && bound != origin
            && let Err(error) = self.delete_key(id).await
        {
            let text = format!("A removed API key could not be deleted from this device: {error}");
            self.engine.tell(Command::RecordCriticalError { text }).await;
        }
    }
}

#[cfg(test)]
mod tests;
