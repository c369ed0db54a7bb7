//! Classifies IndexedDB errors by who has to act.

use indexed_db_futures::error::{DomException, Error, OpenDbError, UnexpectedDataError};
use wasm_bindgen::JsValue;

use crate::browser::js;
use nexus_engine::port::StoreError;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IdbError {
    /// The connection cannot be used any more; nothing was written, so a new one may try again.
    Gone(String),
    /// Trying again would change nothing.
    Final(StoreError),
}

impl IdbError {
    /// The failure that the engine is told.
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Gone(why) => StoreError::Lost(why),
            Self::Final(error) => error,
        }
    }

    /// Why a transaction did not complete, given the transaction's own error. A full disk shows only there: the
    /// requests themselves had succeeded.
    pub(super) fn of_transaction(error: Error, own: Option<web_sys::DomException>) -> Self {
        match (error, own) {
            (Error::MissingData(UnexpectedDataError::TransactionAborted), Some(own)) => {
                Self::of_thrown(own.as_ref())
            }
            (error, _) => error.into(),
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

impl From<Error> for IdbError {
    fn from(error: Error) -> Self {
        match error {
            Error::DomException(thrown) => Self::of_thrown(DomException::as_ref(&thrown)),
            Error::Unknown(thrown) => Self::of_thrown(thrown.as_ref()),
            Error::Serialisation(error) => Self::Final(StoreError::Damaged(error.to_string())),
            Error::MissingData(error) => Self::Gone(error.to_string()),
        }
    }
}

impl From<OpenDbError> for IdbError {
    fn from(error: OpenDbError) -> Self {
        match error {
            OpenDbError::Base(error) => error.into(),
            // The library gives this for whatever `open` itself throws: access is denied.
            OpenDbError::VersionZero | OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => {
                Self::Gone("the database cannot be opened here".to_owned())
            }
        }
    }
}
