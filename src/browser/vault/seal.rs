//! Encryption of API keys: PBKDF2 with SHA-256, then AES-256-GCM bound to provider and origin, by WebCrypto.
//!
//! Never reuses an initialisation vector, never makes an extractable key, and never says why decryption failed.

use js_sys::{Array, Object, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

use crate::browser::features::encryption;
use crate::browser::js;
use nexus_engine::port::{VaultError, VaultUnavailable};
use nexus_model::limits::{KEY_ROUNDS, KEY_ROUNDS_MS};
use nexus_providers::http::Secret;

const SALT_BYTES: usize = 16;
const IV_BYTES: usize = 12;
/// More rounds than any device of today makes in a second; a stored number above it is not believed.
const MOST_ROUNDS: u32 = 50_000_000;

/// How a passphrase becomes a key: the same of both give the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyDerivation {
    pub(super) salt: Vec<u8>,
    pub(super) rounds: u32,
}

/// A lock with its key. The key itself stays in the browser.
#[derive(Clone)]
pub(super) struct DerivedKey {
    pub(super) lock: KeyDerivation,
    key: CryptoKey,
}

impl KeyDerivation {
    /// A lock with a new salt, and with as many rounds as take this device long enough.
    pub(super) async fn new() -> Result<Self, VaultError> {
        let lock = Self { salt: random(SALT_BYTES)?, rounds: KEY_ROUNDS };
        let clock = crate::browser::clock::now_ms;
        let began = clock();
        lock.open(&Secret::new("how long does it take")).await?;
        let took = clock().saturating_sub(began).max(1);
        let wanted = u64::from(KEY_ROUNDS).saturating_mul(KEY_ROUNDS_MS) / took;
        let rounds = u32::try_from(wanted).unwrap_or(MOST_ROUNDS).clamp(KEY_ROUNDS, MOST_ROUNDS);
        Ok(Self { rounds, ..lock })
    }

    /// Makes the key. Whether it is the right one only opening a seal tells.
    pub(super) async fn open(&self, passphrase: &Secret) -> Result<DerivedKey, VaultError> {
        let subtle = subtle()?;
        let derive = Array::of1(&JsValue::from_str("deriveKey"));
        let raw = Uint8Array::from(passphrase.reveal().as_bytes());
        let material = subtle
            .import_key_with_str("raw", &raw, "PBKDF2", false, &derive)
            .map_err(|error| failed(&error))?;
        let material: CryptoKey = wait(material).await?;
        let how = Object::new();
        js::set(&how, "name", &JsValue::from_str("PBKDF2"));
        js::set(&how, "hash", &JsValue::from_str("SHA-256"));
        js::set(&how, "salt", &Uint8Array::from(self.salt.as_slice()));
        js::set(&how, "iterations", &JsValue::from_f64(f64::from(self.rounds.min(MOST_ROUNDS))));
        let what = Object::new();
        js::set(&what, "name", &JsValue::from_str("AES-GCM"));
        js::set(&what, "length", &JsValue::from_f64(256.0));
        let uses = Array::of2(&JsValue::from_str("encrypt"), &JsValue::from_str("decrypt"));
        let key = subtle
            .derive_key_with_object_and_object(&how, &material, &what, false, &uses)
            .map_err(|error| failed(&error))?;
        Ok(DerivedKey { lock: self.clone(), key: wait(key).await? })
    }
}

impl DerivedKey {
    /// Seals a key. Gives the initialisation vector and the cipher text.
    pub(super) async fn seal(&self, key: &Secret, bound_to: &[u8]) -> Result<(Vec<u8>, Vec<u8>), VaultError> {
        let iv = random(IV_BYTES)?;
        let plain = Uint8Array::from(key.reveal().as_bytes());
        let sealed = subtle()?
            .encrypt_with_object_and_buffer_source(&gcm(&iv, bound_to), &self.key, &plain)
            .map_err(|error| failed(&error))?;
        let sealed: JsValue = JsFuture::from(sealed).await.map_err(|error| failed(&error))?;
        Ok((iv, Uint8Array::new(&sealed).to_vec()))
    }

    /// Opens a seal; `None` where the passphrase, or what it is bound to, is another one.
    pub(super) async fn unseal(&self, iv: &[u8], cipher: &[u8], bound_to: &[u8]) -> Option<Secret> {
        let cipher = Uint8Array::from(cipher);
        let opened = subtle()
            .ok()?
            .decrypt_with_object_and_buffer_source(&gcm(iv, bound_to), &self.key, &cipher)
            .ok()?;
        let plain = Uint8Array::new(&JsFuture::from(opened).await.ok()?).to_vec();
        String::from_utf8(plain).ok().map(Secret::new)
    }
}

fn gcm(iv: &[u8], bound_to: &[u8]) -> Object {
    let how = Object::new();
    js::set(&how, "name", &JsValue::from_str("AES-GCM"));
    js::set(&how, "iv", &Uint8Array::from(iv));
    js::set(&how, "additionalData", &Uint8Array::from(bound_to));
    how
}

fn subtle() -> Result<SubtleCrypto, VaultError> {
    encryption().ok_or(VaultError::Hindered(VaultUnavailable::Insecure))
}

fn random(bytes: usize) -> Result<Vec<u8>, VaultError> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| VaultError::Failed(error.to_string()))?;
    Ok(random)
}

async fn wait(promise: js_sys::Promise) -> Result<CryptoKey, VaultError> {
    let key = JsFuture::from(promise).await.map_err(|error| failed(&error))?;
    key.dyn_into().map_err(|other| failed(&other))
}

fn failed(thrown: &JsValue) -> VaultError {
    VaultError::Failed(js::name(thrown))
}
