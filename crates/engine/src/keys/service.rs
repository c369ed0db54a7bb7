//! The key service: moves API keys between this tab's key ring and the vault.
//!
//! Restores keys at the start, seals, unlocks, locks them again after a time without use, and forgets them when their
//! provider moves to another origin. Never publishes a key: other tabs learn only whose key changed, and how.

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{Either, FutureExt as _, select};
use futures_util::{StreamExt as _, stream};

use crate::client::EngineContext;
use crate::keys::{KeyRequest, KeyRing, KeyStorage};
use crate::port::{Http, KeyVault, StoredKey, VaultError};
use nexus_model::command::Command;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::ProviderId;
use nexus_model::limits::{KEY_IDLE_MS, KEY_LOOK_MS};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::signal::{KeyBroadcast, TransientEvent};
use nexus_providers::http::Secret;

#[derive(Clone)]
pub(crate) struct KeyService {
    pub(crate) engine: EngineContext,
    pub(crate) http: Rc<dyn Http>,
    pub(crate) vault: Rc<dyn KeyVault>,
}

enum KeyServiceInput {
    Ask(KeyRequest),
    Event(Arc<Event>),
    Look,
}

impl KeyService {
    pub(super) fn keys(&self) -> &KeyRing {
        &self.engine.handle.keys
    }

    /// Takes in what the vault keeps. A key whose provider is gone, or is at another origin now, is forgotten.
    pub(crate) async fn restore(&self) -> Result<(), VaultError> {
        self.keys().note_hindrance(self.vault.hindrance());
        for kept in self.vault.list().await? {
            if self.is_at_home(&kept) {
                self.take_in(kept);
            } else {
                self.vault.forget(kept.provider).await?;
            }
        }
        Ok(())
    }

    /// Notes that the vault was read, as far as it could be.
    pub(crate) fn note_restored(&self) {
        self.keys().note_restored();
    }

    /// Whether a key is for the origin at which its provider is.
    fn is_at_home(&self, kept: &StoredKey) -> bool {
        let world = self.engine.world.borrow();
        let origin = world.live_provider(&kept.provider).and_then(|provider| provider.origin());
        origin.as_ref() == Some(&kept.origin)
    }

    /// Takes in a key as the vault lists it.
    fn take_in(&self, kept: StoredKey) {
        let keeping = if kept.key.is_some() { KeyStorage::Clear } else { KeyStorage::Passphrase };
        self.keys().take_in(kept, keeping);
    }

    /// Serves until the handles are gone. `events` carries `app.changed`.
    pub(crate) async fn serve(
        self,
        asks: UnboundedReceiver<KeyRequest>,
        events: UnboundedReceiver<Arc<Event>>,
    ) {
        let mut inputs = stream::select(asks.map(KeyServiceInput::Ask), events.map(KeyServiceInput::Event));
        let (mut uses, mut used_at) = (self.keys().uses(), self.engine.ports.clock.now());
        loop {
            // While the vault is closed there is nothing to look after.
            let next = if self.vault.is_open() {
                match select(inputs.next(), self.engine.ports.clock.sleep(KEY_LOOK_MS)).await {
                    Either::Left((input, _)) => input,
                    Either::Right(_) => Some(KeyServiceInput::Look),
                }
            } else {
                inputs.next().await
            };
            let Some(input) = next else { return };
            let now = self.engine.ports.clock.now();
            // What other tabs tell is no use of the keys here.
            let is_use = matches!(&input, KeyServiceInput::Ask(ask) if !matches!(ask, KeyRequest::Heard(_)));
            if self.keys().uses() != uses || is_use {
                (uses, used_at) = (self.keys().uses(), now);
            }
            match input {
                KeyServiceInput::Ask(ask) => self.answer(ask).await,
                KeyServiceInput::Event(event) => self.look_at(&event).await,
                KeyServiceInput::Look if now.0.saturating_sub(used_at.0) >= KEY_IDLE_MS => self.lock(),
                KeyServiceInput::Look => {}
            }
        }
    }

    async fn answer(&self, ask: KeyRequest) {
        // Whoever asked may have gone; what was done is done.
        match ask {
            KeyRequest::Models(query, reply) => {
                let this = self.clone();
                let work = async move {
                    let listed = match this.engine.parts.late().await {
                        Ok(late) => (late.models)(this, query).await,
                        Err(lost) => {
                            Err(ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string()))
                        }
                    };
                    drop(reply.send(listed));
                };
                self.engine.ports.spawn.spawn(work.boxed_local());
            }
            KeyRequest::Keep { provider, keeping, passphrase, reply } => {
                drop(reply.send(self.keep(provider, keeping, passphrase).await));
            }
            KeyRequest::Unlock(passphrase, reply) => drop(reply.send(self.unlock(passphrase).await)),
            KeyRequest::ChangePassphrase { passphrase, next, reply } => {
                drop(reply.send(self.change_passphrase(passphrase, next).await));
            }
            KeyRequest::Heard(news) => self.hear(news).await,
            KeyRequest::Lock(reply) => {
                self.lock();
                self.tell(KeyBroadcast::Locked);
                drop(reply.send(Ok(())));
            }
            KeyRequest::Forget(provider, reply) => drop(reply.send(self.forget(&provider).await)),
        }
    }

    async fn keep(
        &self,
        provider: ProviderId,
        keeping: KeyStorage,
        passphrase: Option<Secret>,
    ) -> Result<(), VaultError> {
        let nothing = || VaultError::Failed("there is no API key in this tab".to_owned());
        let kept = self.keys().to_keep(&provider).ok_or_else(nothing)?;
        match keeping {
            KeyStorage::Tab => self.vault.forget(provider.clone()).await?,
            KeyStorage::Clear => self.vault.keep_clear(kept).await?,
            KeyStorage::Passphrase => {
                if let Some(passphrase) = passphrase {
                    self.unlock(passphrase).await?;
                }
                // Unlocking may have brought an older key of this provider; the one that was entered counts.
                self.keys().take_in(kept.clone(), keeping);
                self.vault.seal(kept).await?;
            }
        }
        self.keys().note(&provider, keeping);
        self.tell(match keeping {
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
        for kept in opened {
            // A key that was entered in this tab and is not kept is newer than the kept one.
            let is_newer = self.keys().keeping(&kept.provider) == Some(KeyStorage::Tab);
            if !is_newer && self.keys().origin(&kept.provider).as_ref() == Some(&kept.origin) {
                self.keys().take_in(kept, KeyStorage::Passphrase);
            }
        }
        self.keys().decide();
        self.engine.bus.show(&TransientEvent::KeysChanged);
    }

    async fn change_passphrase(&self, passphrase: Secret, next: Secret) -> Result<(), VaultError> {
        let opened = self.vault.open(passphrase).await?;
        if opened.is_empty() {
            // Nothing is under a passphrase, so any would have done.
            self.vault.close();
            return Err(VaultError::WrongPassphrase);
        }
        self.vault.renew(next, opened.clone()).await?;
        self.use_opened(opened);
        self.tell(KeyBroadcast::Locked);
        Ok(())
    }

    /// Tells this tab and the others what became of a key.
    fn tell(&self, news: KeyBroadcast) {
        self.engine.bus.show(&TransientEvent::KeysChanged);
        self.engine.bus.show(&TransientEvent::KeysTold(news));
    }

    /// Follows another tab: what the device keeps is read again, so that no key has to be told.
    async fn hear(&self, news: KeyBroadcast) {
        match news {
            // A key of this tab only was entered here, and counts here.
            KeyBroadcast::Kept(provider) | KeyBroadcast::Withdrawn(provider)
                if self.keys().keeping(&provider) == Some(KeyStorage::Tab) => {}
            KeyBroadcast::Kept(provider) => {
                // Where the store cannot be read, the key that was known stays; a call tells if it is no longer good.
                let listed = self.vault.list().await.unwrap_or_default();
                let found = listed.into_iter().find(|kept| kept.provider == provider);
                if let Some(kept) = found.filter(|kept| self.is_at_home(kept)) {
                    self.take_in(kept);
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
        // Afterwards: whoever hears it looks at what the device keeps.
        self.tell(KeyBroadcast::Forgotten(provider.clone()));
        outcome
    }

    /// A key goes with the origin it was entered for, not with the provider's name.
    async fn look_at(&self, event: &Event) {
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
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
