//! Pinned messages, with an excerpt so that the list needs no loaded message.

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MessageId, Millis};
use crate::limits::PIN_CHARS;
use crate::message::content::text_of;
use crate::message::{Message, Role};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub message: MessageId,
    pub role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    pub at: Millis,
    pub begins: String,
}

impl Pin {
    pub fn of(message: &Message) -> Self {
        Self {
            message: message.id,
            role: message.role,
            agent: message.agent.clone(),
            at: message.created_at,
            begins: beginning(&text_of(&message.parts), PIN_CHARS),
        }
    }
}

/// How a text begins: its words in one line, at most `most` characters, with a mark where more follows.
pub fn beginning(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut left = most;
    for word in text.split_whitespace() {
        let room = left.saturating_sub(usize::from(!out.is_empty()));
        let count = word.chars().take(room.saturating_add(1)).count();
        if count > room {
            // A first word that is too long is cut; any other is left out.
            out.extend(word.chars().take(if out.is_empty() { room } else { 0 }));
            out.push('…');
            return out;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        left = room.saturating_sub(count);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_beginning_is_one_line() {
        assert_eq!(beginning("  one\n\ntwo   three ", 40), "one two three");
        assert_eq!(beginning("one two three", 7), "one two…");
        assert_eq!(beginning("one two three", 6), "one…");
        assert_eq!(beginning("immeasurable", 4), "imme…");
        assert_eq!(beginning("", 4), "");
    }

    proptest! {
        #[test]
        fn a_beginning_is_as_short_as_asked(text in "[a-cü \n]{0,80}", most in 1usize..30) {
            let begins = beginning(&text, most);
            prop_assert!(begins.chars().count() <= most + 1);
            prop_assert!(!begins.contains('\n'));
            let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(whole.starts_with(begins.trim_end_matches('…')));
            let kept = begins.trim_end_matches('…').chars().count();
            prop_assert_eq!(begins.ends_with('…'), whole.chars().count() > kept);
        }
    }
}
