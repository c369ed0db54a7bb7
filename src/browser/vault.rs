//! The vault: API keys that outlive the tab, encrypted by WebCrypto or, if the operator chose so, in plain text.
//!
//! Never stores a passphrase, and never returns a key for another origin than the one it was entered for. A script that
//! runs in this page can still use an unlocked key. Stored keys use format version 1.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::FutureExt as _;
use js_sys::{Array, Object, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

use crate::browser::idb::IdbStore;
use crate::browser::{js, lifecycle};
use nexus_engine::lazy::LazyFuture;
use nexus_engine::port::{KeyVault, StoreError, StoredKey, VaultError, VaultFuture, VaultUnavailable};
use nexus_model::id::ProviderId;
use nexus_model::limits::{KEY_ROUNDS, KEY_ROUNDS_MS};
use nexus_providers::http::Secret;

/// The vault on IndexedDB and WebCrypto. Clones share it.
#[derive(Clone)]
pub struct BrowserVault {
    state: Rc<VaultState>,
    load_sealing: LoadSealing,
}

/// Encrypts and decrypts keys. Loaded when a passphrase is first used.
pub struct Sealing {
    open: fn(Rc<VaultState>, Secret) -> VaultFuture<Vec<StoredKey>>,
    seal: fn(Rc<VaultState>, StoredKey) -> VaultFuture<()>,
    renew: fn(Rc<VaultState>, Secret, Vec<StoredKey>) -> VaultFuture<()>,
}

pub static SEALING: Sealing = Sealing {
    open: |state, passphrase| async move { state.open(&passphrase).await }.boxed_local(),
    seal: |state, key| {
        let sealed = async move {
            let derived = state.derived.borrow().clone().ok_or(VaultError::Closed)?;
            state.seal(&derived, vec![key]).await
        };
        sealed.boxed_local()
    },
    renew: |state, passphrase, keys| async move { state.renew(&passphrase, keys).await }.boxed_local(),
};

pub type LoadSealing = fn() -> LazyFuture<&'static Sealing>;

pub struct VaultState {
    store: IdbStore,
    derived: RefCell<Option<DerivedKey>>,
}

impl BrowserVault {
    pub fn new(store: IdbStore, load_sealing: LoadSealing) -> Self {
        Self { state: Rc::new(VaultState { store, derived: RefCell::default() }), load_sealing }
    }

    fn sealing<T: 'static>(
        &self,
        run: impl FnOnce(&Sealing, Rc<VaultState>) -> VaultFuture<T> + 'static,
    ) -> VaultFuture<T> {
        let (sealing, state) = ((self.load_sealing)(), Rc::clone(&self.state));
        async move {
            let sealing = sealing.await.map_err(|error| VaultError::Failed(error.to_string()))?;
            run(sealing, state).await
        }
        .boxed_local()
    }
}

/// Why no key can be stored beyond this tab; `None` if keys can.
pub fn unavailable() -> Option<VaultUnavailable> {
    lifecycle::is_framed().then_some(VaultUnavailable::Frame)
}

impl VaultState {
    async fn records(&self) -> Result<Vec<KeyRecord>, VaultError> {
        let rows = self.store.secrets().await.map_err(store_failed)?;
        // An unreadable record is not one of our keys; it stays as it is.
        Ok(rows.iter().filter_map(|(provider, value)| KeyRecord::read(provider, value)).collect())
    }

    async fn write(&self, records: &[KeyRecord]) -> Result<(), VaultError> {
        let values: Vec<_> =
            records.iter().map(|record| (record.provider.0.clone(), Some(record.value()))).collect();
        self.store.change_secrets(&values).await.map_err(store_failed)
    }

    /// Decrypts the stored keys, or creates a derivation if there are none. Of several derivations (another tab may
    /// have created one), opens those that the passphrase fits; the newest encrypts from now on.
    async fn open(&self, passphrase: &Secret) -> Result<Vec<StoredKey>, VaultError> {
        let records = self.records().await?;
        let sealed = || records.iter().filter(|record| matches!(record.body, KeyBody::Sealed { .. }));
        if sealed().next().is_none() {
            self.renew(passphrase, Vec::new()).await?;
            return Ok(Vec::new());
        }
        let mut keys = Vec::new();
        let mut known: Vec<DerivedKey> = Vec::new();
        for record in sealed() {
            let KeyBody::Sealed { derivation, iv, cipher } = &record.body else { continue };
            let at = match known.iter().position(|derived| derived.derivation == *derivation) {
                Some(at) => at,
                None => {
                    known.push(derivation.open(passphrase).await?);
                    known.len().saturating_sub(1)
                }
            };
            let Some(derived) = known.get(at) else { continue };
            if let Some(key) = derived.unseal(iv, cipher, &record.associated_data()).await {
                let (provider, origin) = (record.provider.clone(), record.origin.clone());
                keys.push((at, StoredKey { provider, origin, key: Some(key) }));
            }
        }
        // A derivation that opened no key belongs to another passphrase.
        let Some(best) = keys.iter().map(|(at, _)| *at).max() else {
            return Err(VaultError::WrongPassphrase);
        };
        self.derived.replace(Some(known.swap_remove(best)));
        Ok(keys.into_iter().map(|(_, key)| key).collect())
    }

    /// Creates a derivation, encrypts these keys with it, and keeps it open.
    async fn renew(&self, passphrase: &Secret, keys: Vec<StoredKey>) -> Result<(), VaultError> {
        let derived = KeyDerivation::new().await?.open(passphrase).await?;
        self.seal(&derived, keys).await?;
        self.derived.replace(Some(derived));
        Ok(())
    }

    async fn seal(&self, derived: &DerivedKey, keys: Vec<StoredKey>) -> Result<(), VaultError> {
        let mut records = Vec::new();
        for StoredKey { provider, origin, key } in keys {
            let key = key.ok_or(VaultError::Closed)?;
            let mut record = KeyRecord { provider, origin, body: KeyBody::Clear(Secret::new("")) };
            let (iv, cipher) = derived.seal(&key, &record.associated_data()).await?;
            record.body = KeyBody::Sealed { derivation: derived.derivation.clone(), iv, cipher };
            records.push(record);
        }
        // IndexedDB transactions do not wait for WebCrypto, so encrypt everything first.
        if records.is_empty() { Ok(()) } else { self.write(&records).await }
    }
}

fn store_failed(error: StoreError) -> VaultError {
    VaultError::Failed(error.to_string())
}

impl KeyVault for BrowserVault {
    fn unavailable(&self) -> Option<VaultUnavailable> {
        js::encryption().is_none().then_some(VaultUnavailable::Insecure)
    }

    fn list(&self) -> VaultFuture<Vec<StoredKey>> {
        let inner = Rc::clone(&self.state);
        async move {
            let listed = |record: KeyRecord| {
                let KeyRecord { provider, origin, body } = record;
                let key = match body {
                    KeyBody::Clear(key) => Some(key),
                    KeyBody::Sealed { .. } => None,
                };
                StoredKey { provider, origin, key }
            };
            Ok(inner.records().await?.into_iter().map(listed).collect())
        }
        .boxed_local()
    }

    fn open(&self, passphrase: Secret) -> VaultFuture<Vec<StoredKey>> {
        self.sealing(|sealing, state| (sealing.open)(state, passphrase))
    }

    fn is_open(&self) -> bool {
        self.state.derived.borrow().is_some()
    }

    fn close(&self) {
        self.state.derived.replace(None);
    }

    fn seal(&self, keys: StoredKey) -> VaultFuture<()> {
        self.sealing(|sealing, state| (sealing.seal)(state, keys))
    }

    fn change_passphrase(&self, passphrase: Secret, keys: Vec<StoredKey>) -> VaultFuture<()> {
        self.sealing(|sealing, state| (sealing.renew)(state, passphrase, keys))
    }

    fn store_unencrypted(&self, stored: StoredKey) -> VaultFuture<()> {
        let inner = Rc::clone(&self.state);
        async move {
            let StoredKey { provider, origin, key: Some(key) } = stored else {
                return Err(VaultError::Closed);
            };
            inner.write(&[KeyRecord { provider, origin, body: KeyBody::Clear(key) }]).await
        }
        .boxed_local()
    }

    fn delete(&self, provider: ProviderId) -> VaultFuture<()> {
        let inner = Rc::clone(&self.state);
        async move {
            let deletion = [(provider.0, None)];
            inner.store.change_secrets(&deletion).await.map_err(store_failed)
        }
        .boxed_local()
    }
}

const VERSION: u8 = 1;

struct KeyRecord {
    provider: ProviderId,
    origin: String,
    body: KeyBody,
}

enum KeyBody {
    Sealed { derivation: KeyDerivation, iv: Vec<u8>, cipher: Vec<u8> },
    Clear(Secret),
}

impl KeyRecord {
    /// Additional authenticated data: moved to another provider or origin, the record cannot be decrypted.
    fn associated_data(&self) -> Vec<u8> {
        format!("nexus key {VERSION}\n{}\n{}", self.provider, self.origin).into_bytes()
    }

    fn value(&self) -> JsValue {
        let (version, origin) = (("v", VERSION.into()), ("origin", self.origin.as_str().into()));
        let object = match &self.body {
            KeyBody::Sealed { derivation, iv, cipher } => js::object(&[
                version,
                origin,
                ("salt", bytes(&derivation.salt)),
                ("rounds", derivation.rounds.into()),
                ("iv", bytes(iv)),
                ("cipher", bytes(cipher)),
            ]),
            KeyBody::Clear(key) => js::object(&[version, origin, ("key", key.reveal().into())]),
        };
        object.into()
    }

    /// Reads a stored record; `None` if it is not of this version.
    fn read(provider: &str, value: &JsValue) -> Option<Self> {
        if js::property(value, "v")?.as_f64()? != f64::from(VERSION) {
            return None;
        }
        let provider = ProviderId::from(provider);
        let origin = js::property(value, "origin")?.as_string()?;
        let body = match js::property(value, "key") {
            Some(key) => KeyBody::Clear(Secret::new(key.as_string()?)),
            None => {
                let rounds = js::property(value, "rounds")?.as_f64()?;
                let derivation = KeyDerivation { salt: read_bytes(value, "salt")?, rounds: rounds as u32 };
                KeyBody::Sealed {
                    derivation,
                    iv: read_bytes(value, "iv")?,
                    cipher: read_bytes(value, "cipher")?,
                }
            }
        };
        Some(Self { provider, origin, body })
    }
}

fn bytes(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

fn read_bytes(value: &JsValue, name: &str) -> Option<Vec<u8>> {
    Some(js::property(value, name)?.dyn_into::<Uint8Array>().ok()?.to_vec())
}

const SALT_BYTES: usize = 16;
const IV_BYTES: usize = 12;
/// More rounds than any current device computes in a second; higher stored numbers are capped.
const MOST_ROUNDS: u32 = 50_000_000;

/// PBKDF2 parameters: passphrase and parameters determine the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyDerivation {
    pub(super) salt: Vec<u8>,
    pub(super) rounds: u32,
}

/// A derived key with its parameters. The key itself is not extractable.
#[derive(Clone)]
pub(super) struct DerivedKey {
    pub(super) derivation: KeyDerivation,
    key: CryptoKey,
}

impl KeyDerivation {
    /// A derivation with a new salt and as many rounds as take this device long enough.
    pub(super) async fn new() -> Result<Self, VaultError> {
        let derivation = Self { salt: random(SALT_BYTES)?, rounds: KEY_ROUNDS };
        let started = lifecycle::now_ms();
        derivation.open(&Secret::new("how long does it take")).await?;
        let elapsed = lifecycle::now_ms().saturating_sub(started).max(1);
        let scaled = u64::from(KEY_ROUNDS).saturating_mul(KEY_ROUNDS_MS) / elapsed;
        let rounds = u32::try_from(scaled).unwrap_or(MOST_ROUNDS).clamp(KEY_ROUNDS, MOST_ROUNDS);
        Ok(Self { rounds, ..derivation })
    }

    /// Derives the key. Only decryption shows whether it is the right one.
    pub(super) async fn open(&self, passphrase: &Secret) -> Result<DerivedKey, VaultError> {
        let subtle = subtle()?;
        let derive = Array::of1(&JsValue::from_str("deriveKey"));
        let raw = Uint8Array::from(passphrase.reveal().as_bytes());
        let material = subtle.import_key_with_str("raw", &raw, "PBKDF2", false, &derive).map_err(failed)?;
        let material: CryptoKey = await_key(material).await?;
        let algorithm = js::object(&[
            ("name", "PBKDF2".into()),
            ("hash", "SHA-256".into()),
            ("salt", bytes(&self.salt)),
            ("iterations", self.rounds.min(MOST_ROUNDS).into()),
        ]);
        let key_type = js::object(&[("name", "AES-GCM".into()), ("length", 256.into())]);
        let uses = Array::of2(&JsValue::from_str("encrypt"), &JsValue::from_str("decrypt"));
        let key = subtle
            .derive_key_with_object_and_object(&algorithm, &material, &key_type, false, &uses)
            .map_err(failed)?;
        Ok(DerivedKey { derivation: self.clone(), key: await_key(key).await? })
    }
}

impl DerivedKey {
    /// Encrypts a key. Returns the initialisation vector and the ciphertext.
    pub(super) async fn seal(
        &self,
        key: &Secret,
        associated_data: &[u8],
    ) -> Result<(Vec<u8>, Vec<u8>), VaultError> {
        let iv = random(IV_BYTES)?;
        let plain = Uint8Array::from(key.reveal().as_bytes());
        let sealed = subtle()?
            .encrypt_with_object_and_buffer_source(&gcm(&iv, associated_data), &self.key, &plain)
            .map_err(failed)?;
        let sealed: JsValue = JsFuture::from(sealed).await.map_err(failed)?;
        Ok((iv, Uint8Array::new(&sealed).to_vec()))
    }

    /// Decrypts a key; `None` if the passphrase or the additional data differ.
    pub(super) async fn unseal(&self, iv: &[u8], cipher: &[u8], associated_data: &[u8]) -> Option<Secret> {
        let cipher = Uint8Array::from(cipher);
        let derived = subtle()
            .ok()?
            .decrypt_with_object_and_buffer_source(&gcm(iv, associated_data), &self.key, &cipher)
            .ok()?;
        let plain = Uint8Array::new(&JsFuture::from(derived).await.ok()?).to_vec();
        String::from_utf8(plain).ok().map(Secret::new)
    }
}

fn gcm(iv: &[u8], associated_data: &[u8]) -> Object {
    js::object(&[("name", "AES-GCM".into()), ("iv", bytes(iv)), ("additionalData", bytes(associated_data))])
}

fn subtle() -> Result<SubtleCrypto, VaultError> {
    js::encryption().ok_or(VaultError::Unavailable(VaultUnavailable::Insecure))
}

fn random(bytes: usize) -> Result<Vec<u8>, VaultError> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| VaultError::Failed(error.to_string()))?;
    Ok(random)
}

async fn await_key(promise: js_sys::Promise) -> Result<CryptoKey, VaultError> {
    let key = JsFuture::from(promise).await.map_err(failed)?;
    key.dyn_into().map_err(failed)
}

fn failed(thrown: JsValue) -> VaultError {
    VaultError::Failed(js::name(&thrown))
}
