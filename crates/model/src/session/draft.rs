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
    /// The text; `None` where there is no draft any more.
    pub text: Option<String>,
    /// The mind that the operator saw when the typing began.
    pub base: ContentHash,
    /// Whether it clashed with what others wrote, so that only the operator can give it up to the mind.
    #[serde(default)]
    pub clashed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftField {
    /// The message to send; never becomes a part of the mind by itself.
    Composer,
    Objective,
    Scratchpad,
    File(String),
    /// Other words for a waiting message; never become a part of the mind either.
    Queued(QueueItemId),
    /// Whose words stand in the composer besides the operator's: the origin of a page, line by line, for each draft that
    /// it placed there.
    Pages,
}

/// The pages that [`DraftField::Pages`] names, each once, in the order in which they first placed something.
pub fn named(pages: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for page in pages.lines().filter(|page| !page.is_empty()) {
        if !named.iter().any(|known| known == page) {
            named.push(page.to_owned());
        }
    }
    named
}

impl DraftField {
    /// Whether it is a field of the mind, which what is typed is given up to by itself.
    pub fn is_of_mind(&self) -> bool {
        match self {
            Self::Composer | Self::Queued(_) | Self::Pages => false,
            Self::Objective | Self::Scratchpad | Self::File(_) => true,
        }
    }

    /// The write that gives `text` up to the mind; `None` for the words of messages.
    pub fn write(&self, text: String) -> Option<MindWrite> {
        match self {
            Self::Composer | Self::Queued(_) | Self::Pages => None,
            Self::Objective => Some(MindWrite::Objective(text)),
            Self::Scratchpad => Some(MindWrite::Scratchpad(text)),
            Self::File(name) => Some(MindWrite::File { name: name.clone(), text }),
        }
    }

    /// The name that the store keeps it under.
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
