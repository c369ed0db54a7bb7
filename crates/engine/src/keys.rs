//! The key ring: this tab's API keys in memory, each bound to the origin that it was entered for.
//!
//! Never stores a key; the vault does.

pub(crate) mod models;
pub mod service;

use nexus_model::words;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

use crate::port::{StoredKey, VaultError, VaultUnavailable};
use nexus_model::id::ProviderId;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::{ListedModels, Provider};
use nexus_model::signal::KeyBroadcast;
use nexus_providers::http::Secret;
use nexus_text::vec_map::VecMap;

#[derive(Debug)]
pub(crate) enum KeyRequest {
    Models(ModelQuery, oneshot::Sender<Result<ListedModels, ProviderError>>),
    /// To keep the key of a provider, which is in this tab, in this way.
    Keep {
        provider: ProviderId,
        keeping: KeyStorage,
        /// What opens the vault, where it is closed and has to be open.
        passphrase: Option<Secret>,
        reply: oneshot::Sender<Result<(), VaultError>>,
    },
    Unlock(Secret, oneshot::Sender<Result<(), VaultError>>),
    /// To put what is under the passphrase under another one.
    ChangePassphrase {
        passphrase: Secret,
        next: Secret,
        reply: oneshot::Sender<Result<(), VaultError>>,
    },
    /// To follow another tab.
    Heard(KeyBroadcast),
    Lock(oneshot::Sender<Result<(), VaultError>>),
    /// To forget a provider's key everywhere.
    Forget(ProviderId, oneshot::Sender<Result<(), VaultError>>),
}

/// Whose models are asked for.
#[derive(Debug)]
pub(crate) enum ModelQuery {
    Known {
        provider: ProviderId,
        /// Whether to ask, too, if the provider takes the key that is here.
        checks_key: bool,
    },
    /// One that is not set up, asked without a key.
    Unknown(Box<Provider>),
}

/// How long a key is kept, and how. Its words are those of
/// [`KEY_KEEPING`](nexus_model::settings::schema::KEY_KEEPING), which has none before the operator was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStorage {
    /// Until the tab closes.
    Tab,
    /// On this device, encrypted under a passphrase.
    Passphrase,
    Clear,
}

words!(KeyStorage { Tab: "tab", Passphrase: "passphrase", Clear: "clear" });

impl KeyStorage {
    /// Whether keys can be kept like this, where this stands in the way of a vault.
    pub fn is_possible(self, hindrance: Option<VaultUnavailable>) -> bool {
        match (hindrance, self) {
            (_, Self::Tab) | (None, _) | (Some(VaultUnavailable::Insecure), Self::Clear) => true,
            (Some(_), Self::Passphrase | Self::Clear) => false,
        }
    }
}

/// What there is of a provider's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// None that may be used for the provider's address.
    Missing,
    /// One that can be used.
    Here(KeyStorage),
    /// One that waits for the passphrase.
    Locked,
}

/// The keys of this tab. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct KeyRing(Arc<Mutex<KeyRingState>>);

#[derive(Debug, Default)]
struct KeyRingState {
    held: VecMap<ProviderId, KeyEntry>,
    /// Calls that wait for the passphrase.
    waiting: Vec<oneshot::Sender<()>>,
    /// How often a key was used.
    uses: u64,
    /// Why none can be kept under a passphrase.
    hindrance: Option<VaultUnavailable>,
    is_restored: bool,
}

#[derive(Debug)]
struct KeyEntry {
    origin: String,
    keeping: KeyStorage,
    /// Absent while it is locked.
    key: Option<Secret>,
}

impl KeyRing {
    fn ring(&self) -> MutexGuard<'_, KeyRingState> {
        // What a thread that failed left behind is still a list of keys.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a key for a provider in this tab, bound to the origin that the provider has now. An empty key forgets it.
    pub fn put(&self, provider: &Provider, key: &str) {
        let key = key.trim();
        let mut ring = self.ring();
        match provider.origin() {
            Some(origin) if !key.is_empty() => {
                let held = KeyEntry { origin, keeping: KeyStorage::Tab, key: Some(Secret::new(key)) };
                ring.held.insert(provider.id.clone(), held);
            }
            _ => {
                ring.held.remove(&provider.id);
            }
        }
    }

    /// The key of a provider, if the origin that is to be called is the one it was entered for.
    pub fn key(&self, provider: &Provider) -> Option<Secret> {
        let origin = provider.origin()?;
        let mut ring = self.ring();
        let key = ring.held.get(&provider.id).filter(|held| held.origin == origin)?.key.clone()?;
        ring.uses = ring.uses.wrapping_add(1);
        Some(key)
    }

    /// Every key in memory, to be taken out of what comes from outside.
    pub(super) fn values(&self) -> Vec<Secret> {
        self.ring().held.values().filter_map(|held| held.key.clone()).collect()
    }

    pub fn state(&self, provider: &Provider) -> KeyState {
        let ring = self.ring();
        let held =
            ring.held.get(&provider.id).filter(|held| Some(&held.origin) == provider.origin().as_ref());
        match held {
            None => KeyState::Missing,
            Some(KeyEntry { key: None, .. }) => KeyState::Locked,
            Some(held) => KeyState::Here(held.keeping),
        }
    }

    /// Whether there is a key for the provider that waits for the passphrase.
    pub fn is_locked(&self, provider: &Provider) -> bool {
        self.state(provider) == KeyState::Locked
    }

    /// Ends when the keys were unlocked, or when the operator does not want to unlock them now.
    pub fn decided(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.ring().waiting.push(sender);
        receiver
    }

    /// Lets every call go on that waits for the passphrase; where nothing was unlocked, each fails for want of a key.
    pub fn decide(&self) {
        let waiting = std::mem::take(&mut self.ring().waiting);
        for call in waiting {
            // A call that was stopped meanwhile hears nothing.
            let _heard = call.send(()).is_ok();
        }
    }

    /// Why no key can be kept under a passphrase; `None` where they can.
    pub fn hindrance(&self) -> Option<VaultUnavailable> {
        self.ring().hindrance
    }

    /// Whether the keys that the device keeps were read, so that one that is not here is missing.
    pub fn is_restored(&self) -> bool {
        self.ring().is_restored
    }

    pub(super) fn note_restored(&self) {
        self.ring().is_restored = true;
    }

    pub(super) fn note_hindrance(&self, hindrance: Option<VaultUnavailable>) {
        self.ring().hindrance = hindrance;
    }

    pub fn take_in(&self, kept: StoredKey, keeping: KeyStorage) {
        let StoredKey { provider, origin, key } = kept;
        self.ring().held.insert(provider, KeyEntry { origin, keeping, key });
    }

    pub fn to_keep(&self, provider: &ProviderId) -> Option<StoredKey> {
        let ring = self.ring();
        let held = ring.held.get(provider)?;
        let (origin, key) = (held.origin.clone(), Some(held.key.clone()?));
        Some(StoredKey { provider: provider.clone(), origin, key })
    }

    /// Notes how a key is kept now.
    pub fn note(&self, provider: &ProviderId, keeping: KeyStorage) {
        if let Some(held) = self.ring().held.get_mut(provider) {
            held.keeping = keeping;
        }
    }

    /// How the key that can be used now is kept; `None` where there is none, or it is locked.
    pub(super) fn keeping(&self, provider: &ProviderId) -> Option<KeyStorage> {
        self.ring().held.get(provider).filter(|held| held.key.is_some()).map(|held| held.keeping)
    }

    pub(super) fn forget(&self, provider: &ProviderId) {
        self.ring().held.remove(provider);
    }

    /// The origin that a provider's key is bound to.
    pub(super) fn origin(&self, provider: &ProviderId) -> Option<String> {
        self.ring().held.get(provider).map(|held| held.origin.clone())
    }

    /// Takes the keys that are under the passphrase out of memory. Says whether there were any.
    pub fn lock(&self) -> bool {
        let mut ring = self.ring();
        let ids: Vec<_> = ring.held.keys().cloned().collect();
        let mut any = false;
        for id in ids {
            let held = ring.held.get_mut(&id).filter(|held| held.keeping == KeyStorage::Passphrase);
            any |= held.is_some_and(|held| held.key.take().is_some());
        }
        any
    }

    /// How often a key was used; only good for comparing.
    pub(super) fn uses(&self) -> u64 {
        self.ring().uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revealed(keys: &KeyRing, provider: &Provider) -> Option<String> {
        keys.key(provider).map(|key| key.reveal().to_owned())
    }

    #[test]
    fn a_key_serves_only_the_origin_it_was_entered_for() {
        let keys = KeyRing::default();
        let mut provider = Provider::gemini();
        keys.put(&provider, " secret-canary ");
        assert_eq!(revealed(&keys, &provider).as_deref(), Some("secret-canary"));
        provider.base_url = "https://evil.example".to_owned();
        assert_eq!(keys.state(&provider), KeyState::Missing);
        assert_eq!(revealed(&keys, &provider), None);
        assert!(!format!("{keys:?}").contains("canary"));
    }

    #[test]
    fn a_choice_is_read_as_it_was_noted_and_holds_where_it_is_possible() {
        for keeping in [KeyStorage::Tab, KeyStorage::Passphrase, KeyStorage::Clear] {
            assert_eq!(KeyStorage::named(keeping.name()), Some(keeping));
            assert!(keeping.is_possible(None));
            assert_eq!(keeping.is_possible(Some(VaultUnavailable::Frame)), keeping == KeyStorage::Tab);
        }
        assert_eq!(KeyStorage::named(""), None);
        assert!(KeyStorage::Clear.is_possible(Some(VaultUnavailable::Insecure)));
        assert!(!KeyStorage::Passphrase.is_possible(Some(VaultUnavailable::Insecure)));
    }

    #[test]
    fn an_empty_key_forgets() {
        let keys = KeyRing::default();
        keys.put(&Provider::gemini(), "k");
        keys.put(&Provider::gemini(), " ");
        assert_eq!(keys.state(&Provider::gemini()), KeyState::Missing);
    }

    #[test]
    fn locking_takes_out_what_is_under_the_passphrase_and_nothing_else() {
        let keys = KeyRing::default();
        let provider = Provider::gemini();
        keys.put(&provider, "k");
        assert!(!keys.lock(), "a key of this tab is not locked");
        keys.note(&provider.id, KeyStorage::Passphrase);
        assert_eq!(keys.state(&provider), KeyState::Here(KeyStorage::Passphrase));
        assert!(keys.lock() && keys.is_locked(&provider));
        assert_eq!(revealed(&keys, &provider), None);
        assert_eq!(keys.to_keep(&provider.id), None);
        assert!(!keys.lock());
    }

    #[test]
    fn a_call_that_waits_goes_on_when_it_was_decided() {
        let keys = KeyRing::default();
        let mut waits = keys.decided();
        assert_eq!(waits.try_recv(), Ok(None));
        keys.decide();
        assert_eq!(waits.try_recv(), Ok(Some(())));
    }
}
