//! Never holds state of the conversation.
//!
//! Owns the operator's end of the engine: commands in, drafts in, keys in. It can be shared freely, also as a context
//! of the screen.

use std::sync::{Arc, Mutex};

use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;

use crate::domain::command::{Command, Rejection};
use crate::domain::draft::Draft;
use crate::domain::id::{ProviderId, SessionId, StreamId, TurnId};
use crate::domain::provider::{Provider, origin_of};
use crate::domain::sorted::SortedMap;
use crate::wire::http::Secret;

/// What reaches the engine's loop.
#[derive(Debug)]
pub enum Input {
    /// A command, and where the answer goes.
    Command(Box<Command>, oneshot::Sender<Result<(), Rejection>>),
    /// The operator types.
    Draft(Draft),
    /// The rows of a session are wanted; taking its lock is tried.
    Open(SessionId, oneshot::Sender<Result<(), Rejection>>),
    /// Older turns than this one are wanted.
    LoadEarlier(TurnId, oneshot::Sender<Result<(), Rejection>>),
    /// Another tab wrote to this stream.
    Follow(StreamId),
}

/// Sends commands to the engine.
#[derive(Clone, Debug)]
pub struct Handle {
    inbox: UnboundedSender<Input>,
    /// The keys of this tab.
    pub keys: KeyRing,
}

impl Handle {
    /// A handle that feeds this inbox.
    pub fn new(inbox: UnboundedSender<Input>, keys: KeyRing) -> Self {
        Self { inbox, keys }
    }

    /// Sends a command and says what came of it.
    pub async fn send(&self, command: Command) -> Result<(), Rejection> {
        self.ask(|reply| Input::Command(Box::new(command), reply)).await
    }

    /// Loads a session and tries to take its lock.
    pub async fn open(&self, session: SessionId) -> Result<(), Rejection> {
        self.ask(|reply| Input::Open(session, reply)).await
    }

    /// Loads turns older than `turn`.
    pub async fn load_earlier(&self, turn: TurnId) -> Result<(), Rejection> {
        self.ask(|reply| Input::LoadEarlier(turn, reply)).await
    }

    /// Notes what the operator types.
    pub fn draft(&self, draft: Draft) {
        // Nobody listens only when the page is going away; the draft was put to disk then.
        drop(self.inbox.unbounded_send(Input::Draft(draft)));
    }

    /// Tells that another tab wrote to a stream, so that this one can follow.
    pub fn follow(&self, stream: StreamId) {
        drop(self.inbox.unbounded_send(Input::Follow(stream)));
    }

    async fn ask(
        &self,
        input: impl FnOnce(oneshot::Sender<Result<(), Rejection>>) -> Input,
    ) -> Result<(), Rejection> {
        let (reply, answer) = oneshot::channel();
        let gone = || Rejection::Store("the engine has stopped".to_owned());
        self.inbox.unbounded_send(input(reply)).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// The keys of this tab, in memory only, each bound to the origin it was entered for.
#[derive(Clone, Debug, Default)]
pub struct KeyRing(Arc<Mutex<SortedMap<ProviderId, (String, Secret)>>>);

impl KeyRing {
    /// Keeps a key for a provider, bound to the origin that the provider has now. An empty key forgets it.
    pub fn put(&self, provider: &Provider, key: &str) {
        let Ok(mut keys) = self.0.lock() else { return };
        let key = key.trim();
        match provider.origin() {
            Some(origin) if !key.is_empty() => {
                keys.insert(provider.id.clone(), (origin, Secret::new(key)));
            }
            _ => {
                keys.remove(&provider.id);
            }
        }
    }

    /// The key of a provider, if the origin that is to be called is the one it was entered for.
    pub fn key(&self, provider: &Provider) -> Option<Secret> {
        let keys = self.0.lock().ok()?;
        let (origin, key) = keys.get(&provider.id)?;
        (origin_of(&provider.base_url).as_ref() == Some(origin)).then(|| key.clone())
    }

    /// Whether a usable key is there.
    pub fn has(&self, provider: &Provider) -> bool {
        self.key(provider).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_serves_only_the_origin_it_was_entered_for() {
        let keys = KeyRing::default();
        let mut provider = Provider::gemini();
        keys.put(&provider, " secret-canary ");
        assert_eq!(keys.key(&provider).map(|key| key.reveal().to_owned()), Some("secret-canary".to_owned()));
        provider.base_url = "https://evil.example".to_owned();
        assert!(!keys.has(&provider));
        assert!(!format!("{keys:?}").contains("canary"));
    }
}
