//! The key ring: this tab's API keys in memory, each bound to the origin for which it was entered.
//!
//! Never stores a key; the vault does.

mod models;
pub mod service;

use crate::port::{StoredKey, VaultError, VaultUnavailable};
use crate::prelude::*;
use futures_channel::oneshot;
use nexus_model::provider::ListedModels;
use nexus_model::signal::KeyBroadcast;
use nexus_model::words;
use nexus_providers::http::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(crate) enum KeyRequest {
    Models(ModelQuery, oneshot::Sender<Result<ListedModels, ProviderError>>),
    Vault(VaultRequest, oneshot::Sender<Result<(), VaultError>>),
    Broadcast(KeyBroadcast),
}

#[derive(Debug)]
pub enum VaultRequest {
    /// Stores a provider's key, which this tab has, beyond this tab, or stops doing so.
    Store {
        provider: ProviderId,
        storage: KeyStorage,
        /// Unlocks the vault if it is locked and must not be.
        passphrase: Option<Secret>,
    },
    /// Loads the encrypted keys into this tab until they are unused for a while.
    Unlock(Secret),
    /// Re-encrypts everything in the vault with another passphrase.
    ChangePassphrase { passphrase: Secret, next: Secret },
    /// Removes the encrypted keys from this tab.
    Lock,
    /// Deletes a provider's key from this tab and from the vault.
    Delete(ProviderId),
}

#[derive(Debug)]
pub(crate) enum ModelQuery {
    Known {
        provider: ProviderId,
        /// True to also check whether the provider accepts the stored key.
        checks_key: bool,
    },
    /// A provider that is not set up, without a key.
    Unknown(Box<Provider>),
}

/// Where a key is stored. The names are values of [`KEY_KEEPING`](nexus_model::settings::schema::KEY_KEEPING), which is
/// unset until the operator has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStorage {
    /// Until the tab closes.
    Tab,
    /// On this device, encrypted with a passphrase.
    Passphrase,
    Clear,
}

words!(KeyStorage { Tab: "tab", Passphrase: "passphrase", Clear: "clear" });

impl KeyStorage {
    /// True if keys can be stored like this, given why encryption is unavailable, if it is.
    pub fn is_possible(self, unavailable: Option<VaultUnavailable>) -> bool {
        match (unavailable, self) {
            (_, Self::Tab) | (None, _) | (Some(VaultUnavailable::Insecure), Self::Clear) => true,
            (Some(_), Self::Passphrase | Self::Clear) => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// No key for the provider's origin.
    Missing,
    Usable(KeyStorage),
    /// Encrypted, and the vault is locked.
    Locked,
}

/// The keys of this tab. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct KeyRing(Arc<Mutex<KeyRingState>>);

#[derive(Debug, Default)]
struct KeyRingState {
    entries: VecMap<ProviderId, KeyEntry>,
    /// Wakes calls that wait for the passphrase.
    waiting: Vec<oneshot::Sender<()>>,
    uses: u64,
    unavailable: Option<VaultUnavailable>,
    is_restored: bool,
}

#[derive(Debug)]
struct KeyEntry {
    origin: String,
    storage: KeyStorage,
    /// `None` while locked.
    key: Option<Secret>,
}

impl KeyRing {
    fn ring(&self) -> MutexGuard<'_, KeyRingState> {
        // A poisoned lock still guards a valid list of keys.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a provider's key in this tab, bound to the provider's current origin. An empty key deletes it.
    pub fn put(&self, provider: &Provider, key: &str) {
        let key = key.trim();
        let mut ring = self.ring();
        match provider.origin() {
            Some(origin) if !key.is_empty() => {
                let entry = KeyEntry { origin, storage: KeyStorage::Tab, key: Some(Secret::new(key)) };
                ring.entries.insert(provider.id.clone(), entry);
            }
            _ => {
                ring.entries.remove(&provider.id);
            }
        }
    }

    /// The provider's key, if it was entered for the provider's current origin.
    pub fn key(&self, provider: &Provider) -> Option<Secret> {
        let origin = provider.origin()?;
        let mut ring = self.ring();
        let key = ring.entries.get(&provider.id).filter(|entry| entry.origin == origin)?.key.clone()?;
        ring.uses = ring.uses.wrapping_add(1);
        Some(key)
    }

    /// Every key in memory, for redaction.
    pub(super) fn values(&self) -> Vec<Secret> {
        self.ring().entries.values().filter_map(|entry| entry.key.clone()).collect()
    }

    pub fn state(&self, provider: &Provider) -> KeyState {
        let ring = self.ring();
        let entry =
            ring.entries.get(&provider.id).filter(|entry| Some(&entry.origin) == provider.origin().as_ref());
        match entry {
            None => KeyState::Missing,
            Some(KeyEntry { key: None, .. }) => KeyState::Locked,
            Some(entry) => KeyState::Usable(entry.storage),
        }
    }

    pub fn is_locked(&self, provider: &Provider) -> bool {
        self.state(provider) == KeyState::Locked
    }

    /// Resolves when the keys are unlocked or the operator declines to unlock them.
    pub fn wait_for_unlock(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.ring().waiting.push(sender);
        receiver
    }

    /// Wakes all calls that wait for the passphrase. If nothing was unlocked, they fail because the key is locked.
    pub fn wake_waiting(&self) {
        let waiting = std::mem::take(&mut self.ring().waiting);
        for call in waiting {
            // The call may have been stopped meanwhile.
            let _sent = call.send(()).is_ok();
        }
    }

    /// Why keys cannot be encrypted; `None` if they can.
    pub fn unavailable(&self) -> Option<VaultUnavailable> {
        self.ring().unavailable
    }

    /// True if the vault was read, so that absent keys are missing.
    pub fn is_restored(&self) -> bool {
        self.ring().is_restored
    }

    pub(super) fn note_restored(&self) {
        self.ring().is_restored = true;
    }

    pub(super) fn note_unavailable(&self, unavailable: Option<VaultUnavailable>) {
        self.ring().unavailable = unavailable;
    }

    pub fn insert(&self, stored: StoredKey, storage: KeyStorage) {
        let StoredKey { provider, origin, key } = stored;
        self.ring().entries.insert(provider, KeyEntry { origin, storage, key });
    }

    pub fn to_store(&self, provider: &ProviderId) -> Option<StoredKey> {
        let ring = self.ring();
        let entry = ring.entries.get(provider)?;
        let (origin, key) = (entry.origin.clone(), Some(entry.key.clone()?));
        Some(StoredKey { provider: provider.clone(), origin, key })
    }

    pub fn set_storage(&self, provider: &ProviderId, storage: KeyStorage) {
        if let Some(entry) = self.ring().entries.get_mut(provider) {
            entry.storage = storage;
        }
    }

    /// How the usable key is stored; `None` if there is none or it is locked.
    pub(super) fn storage(&self, provider: &ProviderId) -> Option<KeyStorage> {
        self.ring().entries.get(provider).filter(|entry| entry.key.is_some()).map(|entry| entry.storage)
    }

    pub(super) fn remove(&self, provider: &ProviderId) {
        self.ring().entries.remove(provider);
    }

    pub(super) fn origin(&self, provider: &ProviderId) -> Option<String> {
        self.ring().entries.get(provider).map(|entry| entry.origin.clone())
    }

    /// Removes passphrase-encrypted keys from memory. Returns true if there were any.
    pub fn lock(&self) -> bool {
        let mut ring = self.ring();
        let ids: Vec<_> = ring.entries.keys().cloned().collect();
        let mut any = false;
        for id in ids {
            let entry = ring.entries.get_mut(&id).filter(|entry| entry.storage == KeyStorage::Passphrase);
            any |= entry.is_some_and(|entry| entry.key.take().is_some());
        }
        any
    }

    /// Number of uses of keys, for comparison only.
    pub(super) fn uses(&self) -> u64 {
        self.ring().uses
    }
}

#[cfg(test)]
mod tests;
