//! Messages between tabs about API keys: whose key changed, and how.
//!
//! Never carries a key or anything derived from one.

use crate::id::ProviderId;

/// What became of a key in another tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyBroadcast {
    /// The device keeps it now, or keeps another one.
    Kept(ProviderId),
    /// The device keeps it no longer.
    Withdrawn(ProviderId),
    Forgotten(ProviderId),
    /// All that is under the passphrase was locked, or is under another passphrase now.
    Locked,
}

impl KeyBroadcast {
    pub fn text(&self) -> String {
        match self {
            Self::Kept(provider) => format!("kept {provider}"),
            Self::Withdrawn(provider) => format!("withdrawn {provider}"),
            Self::Forgotten(provider) => format!("forgotten {provider}"),
            Self::Locked => "locked".to_owned(),
        }
    }

    /// Reads such a line; `None` where another version wrote it.
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            Some(("kept", provider)) => Some(Self::Kept(provider.into())),
            Some(("withdrawn", provider)) => Some(Self::Withdrawn(provider.into())),
            Some(("forgotten", provider)) => Some(Self::Forgotten(provider.into())),
            None if text == "locked" => Some(Self::Locked),
            Some(_) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_what_is_heard() {
        let id = || ProviderId::from("my provider 2");
        for news in [
            KeyBroadcast::Kept(id()),
            KeyBroadcast::Withdrawn(id()),
            KeyBroadcast::Forgotten(id()),
            KeyBroadcast::Locked,
        ] {
            assert_eq!(KeyBroadcast::read(&news.text()), Some(news));
        }
        for noise in ["", "kept", "locked now", "stolen gemini", "{\"v\":1}"] {
            assert_eq!(KeyBroadcast::read(noise), None, "{noise}");
        }
    }
}
