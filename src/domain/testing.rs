//! Never part of the program.
//!
//! Owns what tests of every room share: ids that count.

use rusty_ulid::Ulid;

use crate::domain::id::IdSource;

/// Ids that count up from 1, so that tests can be read.
#[derive(Debug, Default)]
pub(crate) struct SeqIds {
    last: u128,
}

impl IdSource for SeqIds {
    fn next_ulid(&mut self) -> Ulid {
        self.last += 1;
        Ulid::from(self.last)
    }
}
