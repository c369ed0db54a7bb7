//! Classifies IndexedDB errors by who has to act.

use wasm_bindgen::JsValue;

use crate::browser::js;
use nexus_engine::port::StoreError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdbError {
    /// The connection is unusable; nothing was written, so a new connection may retry.
    Disconnected(String),
    /// Retrying would not help.
    Final(StoreError),
}

impl IdbError {
    /// The engine's error.
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Disconnected(message) => StoreError::Lost(message),
            Self::Final(error) => error,
        }
    }

    /// Classifies a thrown value by its name.
    pub(super) fn of_thrown(thrown: &JsValue) -> Self {
        let message = || format!("{}: {}", js::name(thrown), js::message(thrown));
        match js::name(thrown).as_str() {
            "QuotaExceededError" => Self::Final(StoreError::Full),
            "ConstraintError" => Self::Final(StoreError::Collision),
            "VersionError" => Self::Final(StoreError::Newer),
            "DataCloneError" | "DataError" | "SyntaxError" | "NotReadableError" | "EncodingError" => {
                Self::Final(StoreError::Damaged(message()))
            }
            // Includes a closed connection, a dead storage process, and a transaction that the browser aborted.
            _ => Self::Disconnected(message()),
        }
    }
}
