//! Encodes edits of the mind as line deltas where that is much shorter.
//!
//! So many turns over one file take little more space than their changes.

use super::{Mind, MindEdit};
use nexus_text::content_hash::ContentHash;
use nexus_text::diff::delta::{apply, between};

impl MindEdit {
    /// The same edit as a line delta, if that is much shorter.
    #[must_use]
    pub fn shortened(self, mind: &Mind) -> Self {
        if let Self::File { name, text } = &self
            && let Some(file) = mind.files.get(name)
            && let Some(changes) = between(&file.text, text)
        {
            Self::FileLines { name: name.clone(), from: file.hash, changes }
        } else if let Self::Scratchpad { text } = &self
            && let Some(changes) = between(&mind.scratchpad, text)
        {
            Self::ScratchpadLines { from: ContentHash::of_text(&mind.scratchpad), changes }
        } else {
            self
        }
    }
}

impl Mind {
    /// The text of a file after a delta; `None` if the delta is of another text.
    pub(super) fn changed_file(
        &self,
        name: &str,
        from: &ContentHash,
        changes: &[nexus_text::diff::delta::LineSplice],
    ) -> Option<String> {
        let file = self.files.get(name).filter(|file| file.hash == *from)?;
        apply(&file.text, changes)
    }

    /// The scratchpad after a delta; `None` if the delta is of another text.
    pub(super) fn changed_scratchpad(
        &self,
        from: &ContentHash,
        changes: &[nexus_text::diff::delta::LineSplice],
    ) -> Option<String> {
        if ContentHash::of_text(&self.scratchpad) != *from {
            return None;
        }
        apply(&self.scratchpad, changes)
    }
}

/// Encodes each edit as a line delta where that is much shorter; each applies to the result of the previous ones.
pub fn shortened(mind: &Mind, edits: Vec<MindEdit>) -> Vec<MindEdit> {
    let mut mind = mind.clone();
    let mut short = Vec::with_capacity(edits.len());
    for edit in edits {
        let next = mind.with(std::slice::from_ref(&edit));
        short.push(edit.shortened(&mind));
        mind = next;
    }
    short
}

#[cfg(test)]
mod tests;
