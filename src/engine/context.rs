//! Never calls a model.
//!
//! Owns context assembly: on `context.build.request` it chooses what the next call is made of, within the window, and
//! offers the recipe.

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;

use crate::domain::blob::pictures_of;
use crate::domain::command::Command;
use crate::domain::event::{Event, Happening};
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::hash::Hash;
use crate::domain::id::{MessageId, Millis, TurnId};
use crate::domain::json;
use crate::domain::limits::{
    OLLAMA_WINDOW_TOKENS, PICTURE_BYTES, TURNS_LOADED, UNKNOWN_WINDOW_TOKENS, WINDOW_PERCENT,
};
use crate::domain::model::ModelConfig;
use crate::domain::part::text_of;
use crate::domain::permission::rules_of;
use crate::domain::price::window_of;
use crate::domain::provider::Protocol;
use crate::domain::turn::{Recipe, Turn};
use crate::domain::world::World;
use crate::engine::handle::Handle;
use crate::engine::ledger::WorldRef;
use crate::engine::port::Clock;
use crate::engine::prompt::{query_text, system_text};
use crate::engine::tools::Registry;

/// Characters that count as one token where nothing better is known.
const CHARS_PER_TOKEN: u64 = 4;
/// Tokens that a picture counts as; providers count by its size in tiles, most of them about this many.
pub(super) const PICTURE_TOKENS: u64 = 1_500;

/// The service that builds contexts.
pub(super) struct ContextBuilder {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) registry: Registry,
}

impl ContextBuilder {
    /// Serves requests until the bus is gone.
    pub(super) async fn serve(self, mut requests: UnboundedReceiver<Arc<Event>>) {
        while let Some(event) = requests.next().await {
            if let (Some(turn), Some(Happening::ContextRequested { call })) = (event.turn, event.happening())
            {
                self.build(turn, *call).await;
            }
        }
    }

    async fn build(&self, id: TurnId, call: u32) {
        self.load_history(id).await;
        let built = {
            let world = self.world.borrow();
            let turn = world.turn(&id).cloned();
            turn.and_then(|turn| recipe_of(&world, &turn, &self.registry, self.clock.now()))
        };
        let command = match built {
            Some((recipe, contents)) => Command::OfferContext { turn: id, call, recipe, contents },
            None => Command::RecordFailure {
                turn: id,
                call,
                attempt: 1,
                failure: Failure::new(
                    FailureCategory::NotSetUp,
                    "The agent of this turn is not on this device any more.",
                ),
                usage: Default::default(),
                parts: Vec::new(),
                retry_in_ms: None,
            },
        };
        // A refusal means that the turn was stopped meanwhile.
        drop(self.handle.send(command).await);
    }

    /// Loads older turns until the window is full or the thread ends.
    async fn load_history(&self, id: TurnId) {
        loop {
            let missing = {
                let world = self.world.borrow();
                world.turn(&id).and_then(|turn| missing_ancestor(&world, turn))
            };
            let Some(oldest) = missing else { return };
            if self.handle.load_earlier(oldest).await.is_err() {
                return;
            }
            let world = self.world.borrow();
            let still = world.turn(&id).and_then(|turn| missing_ancestor(&world, turn));
            if still == Some(oldest) {
                return;
            }
        }
    }
}

/// The oldest loaded ancestor whose parent is not loaded, if the window still has room for more.
fn missing_ancestor(world: &World, turn: &Turn) -> Option<TurnId> {
    let room = room(world, &turn.config);
    let mut tokens = 0;
    let mut oldest = None;
    for (count, ancestor) in world.ancestry(turn.parent).enumerate() {
        tokens += tokens_of(world, ancestor);
        if tokens > room || count > TURNS_LOADED * 25 {
            return None;
        }
        oldest = Some(ancestor);
    }
    oldest.filter(|turn| turn.parent.is_some()).map(|turn| turn.id)
}

/// How many tokens a request of this configuration may hold: a share of the model's window that leaves room for the
/// answer. What the operator says of the window counts before what is known of the model.
pub(super) fn room(world: &World, config: &ModelConfig) -> u64 {
    // An Ollama server makes the window that the request asks for, whatever the model could hold.
    let asks_window =
        world.live_provider(&config.provider).is_some_and(|provider| provider.protocol == Protocol::Ollama);
    let known = if asks_window { Some(OLLAMA_WINDOW_TOKENS) } else { window_of(&config.model) };
    let window = config.context_tokens.or(known).unwrap_or(UNKNOWN_WINDOW_TOKENS);
    let answer = config.max_tokens.map_or(0, u64::from);
    (window / 100 * WINDOW_PERCENT).min(window.saturating_sub(answer)).max(1)
}

/// An estimate of the tokens of a text.
pub(super) fn estimate(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX) / CHARS_PER_TOKEN + 1
}

/// An estimate of what a turn adds to a history.
pub(super) fn tokens_of(world: &World, turn: &Turn) -> u64 {
    let messages = turn.query.iter().chain(&turn.messages).filter_map(|id| world.message(id));
    messages
        .map(|message| {
            let text = match message.parts.as_slice() {
                [only] => json::write(only).map_or(1, |json| estimate(&json)),
                parts => estimate(&text_of(parts)).max(estimate(&json::write(parts).unwrap_or_default())),
            };
            let pictures = u64::try_from(pictures_of(&message.parts).count()).unwrap_or(u64::MAX);
            text.saturating_add(pictures.saturating_mul(PICTURE_TOKENS))
        })
        .sum()
}

/// The pictures that go along with a request, newest message first, as far as they fit.
#[derive(Default)]
struct Pictures {
    taken: Vec<Hash>,
    bytes: usize,
}

impl Pictures {
    fn take(&mut self, world: &World, messages: &[MessageId]) {
        for message in messages.iter().rev().filter_map(|id| world.message(id)) {
            for hash in pictures_of(&message.parts) {
                let Some(base64) = world.blob(hash) else { continue };
                let bytes = self.bytes.saturating_add(base64.len());
                if bytes <= PICTURE_BYTES && !self.taken.contains(hash) {
                    self.bytes = bytes;
                    self.taken.push(hash.clone());
                }
            }
        }
    }

    fn tokens(&self) -> u64 {
        u64::try_from(self.taken.len()).unwrap_or(u64::MAX).saturating_mul(PICTURE_TOKENS)
    }
}

/// What the next call of a turn is made of, with the contents that it names.
///
/// In the tool loop the history and the query block stay as they were in the turn's first call: only what the turn
/// itself did is new, and each tool result tells what others changed.
pub fn recipe_of(
    world: &World,
    turn: &Turn,
    registry: &Registry,
    now: Millis,
) -> Option<(Recipe, Vec<String>)> {
    let done = turn.messages.len().saturating_sub(1);
    let own_messages = u32::try_from(done).unwrap_or(u32::MAX);
    let agent = world.agent(&turn.agent)?;
    let run = turn.run.and_then(|id| world.run(&id)).cloned();
    if let Some(first) = turn.calls.first() {
        let tokens = first.recipe.tokens + tokens_of(world, turn);
        return Some((Recipe { own_messages, clock: now, tokens, ..first.recipe.clone() }, Vec::new()));
    }
    let mind_hash = world.session(&turn.session)?.mind.clone();
    let mind = world.mind(&mind_hash)?;
    let persona = system_text(world, agent);
    let tools = json::write(&registry.offered(agent, run.as_deref(), &rules_of(world))).ok()?;
    let params = json::write(&turn.config).ok()?;
    let query = query_text(world, turn, mind, run.as_deref(), now);
    let room = room(world, &turn.config);
    let mut pictures = Pictures::default();
    pictures.take(world, &turn.answers);
    let mut tokens = estimate(&persona) + estimate(&tools) + estimate(&query) + pictures.tokens();
    let mut turns = Vec::new();
    let mut left_out = Vec::new();
    for ancestor in world.ancestry(turn.parent) {
        let cost = tokens_of(world, ancestor);
        if left_out.is_empty() && tokens + cost <= room {
            tokens += cost;
            turns.push(ancestor.id);
            pictures.take(world, &ancestor.query);
        } else {
            left_out.push(ancestor.id);
        }
    }
    turns.reverse();
    left_out.reverse();
    let recipe = Recipe {
        persona: Hash::of_text(&persona),
        tools: Hash::of_text(&tools),
        params: Hash::of_text(&params),
        mind: mind_hash,
        query: Hash::of_text(&query),
        summary: None,
        memories: None,
        turns,
        own_messages,
        blobs: pictures.taken,
        clock: now,
        tokens,
        left_out,
    };
    Some((recipe, vec![persona, tools, params, query]))
}
