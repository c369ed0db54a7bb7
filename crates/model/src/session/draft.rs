//! Drafts: text that the operator is typing, by the field that it belongs to.
//!
//! Drafts are stored, but never as events.

use serde::{Deserialize, Serialize};

use crate::id::{QueueItemId, SessionId};
use crate::mind::MindWrite;
use nexus_text::content_hash::ContentHash;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub session: SessionId,
    pub field: DraftField,
    /// `None` if the draft was removed.
    pub text: Option<String>,
    /// The mind that the operator saw when typing began.
    pub base: ContentHash,
    /// True if it conflicts with other changes, so that only the operator can commit it.
    #[serde(default, rename = "clashed")]
    pub in_conflict: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftField {
    /// The message to send. Never written to the mind.
    Composer,
    Objective,
    Scratchpad,
    File(String),
    /// The edit of a queued message. Never written to the mind.
    Queued(QueueItemId),
    /// The origin of each page that placed text in the composer, one line per draft.
    Pages,
}

/// The distinct pages in [`DraftField::Pages`], in the order of their first draft.
pub fn pages_in(pages: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for page in pages.lines().filter(|page| !page.is_empty()) {
        if !named.iter().any(|known| known == page) {
            named.push(page.to_owned());
        }
    }
    named
}

impl DraftField {
    /// True for a field of the mind, whose drafts are committed automatically.
    pub fn is_of_mind(&self) -> bool {
        matches!(self, Self::Objective | Self::Scratchpad | Self::File(_))
    }

    /// The write that commits `text` to the mind; `None` for message texts.
    pub fn write(&self, text: String) -> Option<MindWrite> {
        match self {
            Self::Composer | Self::Queued(_) | Self::Pages => None,
            Self::Objective => Some(MindWrite::Objective(text)),
            Self::Scratchpad => Some(MindWrite::Scratchpad(text)),
            Self::File(name) => Some(MindWrite::File { name: name.clone(), text }),
        }
    }

    /// The name under which the draft is stored.
    pub fn key(&self) -> String {
        match self {
            Self::Composer => "composer".to_owned(),
            Self::Objective => "objective".to_owned(),
            Self::Scratchpad => "scratchpad".to_owned(),
            Self::File(name) => format!("file:{name}"),
            Self::Queued(item) => format!("queued:{item}"),
            Self::Pages => "pages".to_owned(),
        }
    }
}
