//! Content in an event: a whole text, or a line delta against a stored one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use nexus_text::content_hash::ContentHash;
use nexus_text::delta::{LineSplice, apply, between};

/// A content that is kept from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredContent {
    Whole(String),
    /// What differs from another one.
    Changed {
        /// The address of the other one.
        from: ContentHash,
        changes: Vec<LineSplice>,
    },
}

impl StoredContent {
    /// This text, as changes of another one where that is much shorter.
    pub fn new(text: &str, other: Option<(&ContentHash, &str)>) -> Self {
        match other.and_then(|(from, old)| Some((from, between(old, text)?))) {
            Some((from, changes)) => Self::Changed { from: *from, changes },
            None => Self::Whole(text.to_owned()),
        }
    }

    /// The text, given where contents are found; `None` where the one that it differs from is not there.
    pub fn text(&self, found: impl FnOnce(&ContentHash) -> Option<Arc<str>>) -> Option<Arc<str>> {
        match self {
            Self::Whole(text) => Some(Arc::from(text.as_str())),
            Self::Changed { from, changes } => apply(&found(from)?, changes).map(Arc::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_told_by_what_differs_and_read_again() {
        let old: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let new = old.replacen("line 7\n", "line seven\n", 1);
        let from = ContentHash::of_text(&old);
        let content = StoredContent::new(&new, Some((&from, &old)));
        let json = serde_json::to_string(&content).unwrap();
        assert!(json.len() < 200, "{json}");
        let read: StoredContent = serde_json::from_str(&json).unwrap();
        assert_eq!(read, content);
        let kept = |hash: &ContentHash| (*hash == from).then(|| Arc::from(old.as_str()));
        assert_eq!(read.text(kept).as_deref(), Some(new.as_str()));
        assert_eq!(read.text(|_| None), None, "what it differs from is not here");
        // As it was written before: a text.
        let read: StoredContent = serde_json::from_str("\"all of it\"").unwrap();
        assert_eq!(read.text(|_| None).as_deref(), Some("all of it"));
    }
}
