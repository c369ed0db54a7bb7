//! The stored form of an API key, version 1.

use js_sys::{Object, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::browser::js;
use crate::browser::vault::seal::KeyDerivation;
use nexus_model::id::ProviderId;
use nexus_providers::http::Secret;

const VERSION: f64 = 1.0;

/// A key as it lies in the store.
pub(super) struct KeyRecord {
    pub(super) provider: ProviderId,
    pub(super) origin: String,
    pub(super) body: KeyBody,
}

/// The key itself.
pub(super) enum KeyBody {
    Sealed { lock: KeyDerivation, iv: Vec<u8>, cipher: Vec<u8> },
    Clear(Secret),
}

impl KeyRecord {
    /// What a seal is bound to: moved to another provider or origin, the record opens no more.
    pub(super) fn bound_to(&self) -> Vec<u8> {
        format!("nexus key {VERSION}\n{}\n{}", self.provider, self.origin).into_bytes()
    }

    pub(super) fn value(&self) -> JsValue {
        let object = Object::new();
        js::set(&object, "v", &JsValue::from_f64(VERSION));
        js::set(&object, "origin", &JsValue::from_str(&self.origin));
        match &self.body {
            KeyBody::Sealed { lock, iv, cipher } => {
                js::set(&object, "salt", &bytes(&lock.salt));
                js::set(&object, "rounds", &JsValue::from_f64(f64::from(lock.rounds)));
                js::set(&object, "iv", &bytes(iv));
                js::set(&object, "cipher", &bytes(cipher));
            }
            KeyBody::Clear(key) => js::set(&object, "key", &JsValue::from_str(key.reveal())),
        }
        object.into()
    }

    /// Reads a stored record; `None` where it is none of this version.
    pub(super) fn read(provider: &str, value: &JsValue) -> Option<Self> {
        if js::property(value, "v")?.as_f64()? != VERSION {
            return None;
        }
        let provider = ProviderId::from(provider);
        let origin = js::property(value, "origin")?.as_string()?;
        let body = match js::property(value, "key") {
            Some(key) => KeyBody::Clear(Secret::new(key.as_string()?)),
            None => {
                let rounds = js::property(value, "rounds")?.as_f64()?;
                let lock = KeyDerivation { salt: read_bytes(value, "salt")?, rounds: rounds as u32 };
                KeyBody::Sealed { lock, iv: read_bytes(value, "iv")?, cipher: read_bytes(value, "cipher")? }
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
