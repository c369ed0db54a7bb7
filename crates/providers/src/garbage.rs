//! Counts unreadable stream events in a row; after 20 the stream is rejected as another protocol.

use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// So many unreadable pieces in a row are taken for another protocol.
const CAP: u32 = 20;

/// Counts the pieces of a stream that could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GarbageGuard {
    in_a_row: u32,
}

impl GarbageGuard {
    /// A piece could be read.
    pub(super) fn over(&mut self) {
        self.in_a_row = 0;
    }

    /// A piece could not be read. Gives how many there were in a row, where that is too many.
    pub(super) fn heard(&mut self) -> Option<u32> {
        self.in_a_row = self.in_a_row.saturating_add(1);
        (self.in_a_row > CAP).then_some(self.in_a_row)
    }
}

/// What a stream came to of which `count` pieces (`events`, `lines`) in a row could not be read.
pub(super) fn too_much(count: u32, pieces: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Garbled, format!("{count} {pieces} in a row could not be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_in_a_row_is_too_much() {
        let mut noise = GarbageGuard::default();
        let heard = |noise: &mut GarbageGuard| (0..20).filter_map(|_| noise.heard()).next();
        assert_eq!(heard(&mut noise), None);
        noise.over();
        assert_eq!((heard(&mut noise), noise.heard(), noise.heard()), (None, Some(21), Some(22)));
        assert_eq!(too_much(21, "lines").message, "21 lines in a row could not be read");
    }
}
