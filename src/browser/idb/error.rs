//! Classifies IndexedDB errors by who has to act.

use indexed_db_futures::error::{DomException, Error, OpenDbError, UnexpectedDataError};
use wasm_bindgen::JsValue;

use crate::browser::js;
use nexus_engine::port::StoreError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IdbError {
    /// The connection is unusable; nothing was written, so a new connection may retry.
    Disconnected(String),
    /// Retrying would not help.
    Final(StoreError),
}

impl IdbError {
    /// The engine's error.
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Disconnected(message) => StoreError::Lost(message),
            Self::Final(error) => error,
        }
    }

    /// The error of a transaction that did not complete. A full disk shows only in the transaction's own error, `own`:
    /// its requests succeeded.
    pub(super) fn of_transaction(error: Error, own: Option<web_sys::DomException>) -> Self {
        match (error, own) {
            (Error::MissingData(UnexpectedDataError::TransactionAborted), Some(own)) => {
                Self::of_thrown(own.as_ref())
            }
            (error, _) => error.into(),
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

impl From<Error> for IdbError {
    fn from(error: Error) -> Self {
        match error {
            Error::DomException(thrown) => Self::of_thrown(DomException::as_ref(&thrown)),
            Error::Unknown(thrown) => Self::of_thrown(thrown.as_ref()),
            Error::Serialisation(error) => Self::Final(StoreError::Damaged(error.to_string())),
            Error::MissingData(error) => Self::Disconnected(error.to_string()),
        }
    }
}

impl From<OpenDbError> for IdbError {
    fn from(error: OpenDbError) -> Self {
        match error {
            OpenDbError::Base(error) => error.into(),
            // The library returns these for anything that `open` throws: access is denied.
            OpenDbError::VersionZero | OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => {
                Self::Disconnected("the database cannot be opened here".to_owned())
            }
        }
    }
}
