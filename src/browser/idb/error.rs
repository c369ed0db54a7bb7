//! Classifies IndexedDB errors by who has to act.

use wasm_bindgen::JsValue;

use crate::browser::js;
use nexus_engine::port::StoreError;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdbError {
    /// The connection cannot be used any more; nothing was written, so a new one may try again.
    Gone(String),
    /// Trying again would change nothing.
    Final(StoreError),
}

impl IdbError {
    /// The failure that the engine is told.
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Gone(why) => StoreError::Lost(why),
            Self::Final(error) => error,
        }
    }

    /// Sorts whatever was thrown by its name.
    pub(super) fn of_thrown(thrown: &JsValue) -> Self {
        let words = || format!("{}: {}", js::name(thrown), js::words(thrown));
        match js::name(thrown).as_str() {
            "QuotaExceededError" => Self::Final(StoreError::Full),
            "ConstraintError" => Self::Final(StoreError::Collision),
            "VersionError" => Self::Final(StoreError::Newer),
            "DataCloneError" | "DataError" | "SyntaxError" | "NotReadableError" | "EncodingError" => {
                Self::Final(StoreError::Damaged(words()))
            }
            // Among them a closed connection, a browser whose storage process died, and a transaction that the
            // browser broke off.
            _ => Self::Gone(words()),
        }
    }
}
