//! Error type of the tasks: a sentence for the person at the terminal, with its cause.

use std::fmt;

/// Error message; it says what to do if there is something to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Error(String);

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Adds what was being done to an error.
pub(crate) trait Context<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.map_err(|cause| Error(format!("{doing}: {cause}")))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.ok_or_else(|| Error(doing.to_string()))
    }
}
