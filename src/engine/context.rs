//! Never calls a model.
//!
//! Owns context assembly: on `context.build.request` it chooses what the next call is made of, within the window, and
//! offers the recipe.

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;

use crate::domain::agent::Agent;
use crate::domain::blob::pictures_of;
use crate::domain::command::Command;
use crate::domain::compaction::{Measure, failed_before, thread_context};
use crate::domain::delegation::Standing;
use crate::domain::event::{Event, Happening};
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::hash::Hash;
use crate::domain::id::{MessageId, Millis, TurnId};
use crate::domain::json;
use crate::domain::limits::{COMPACTION_TURNS, PICTURE_BYTES, WINDOW_PERCENT};
use crate::domain::memory::offered;
use crate::domain::part::text_of;
use crate::domain::permission::rules_of;
use crate::domain::session::Session;
use crate::domain::turn::{Recipe, Turn};
use crate::domain::window::scale;
pub(super) use crate::domain::window::{PICTURE_TOKENS, estimate, room, tokens_of};
use crate::domain::window::{picture_tokens, tokens_with};
use crate::domain::world::World;
use crate::engine::handle::Handle;
use crate::engine::ledger::WorldRef;
use crate::engine::port::Clock;
use crate::engine::prompt::{memories_text, mind_block, query_text, summary_text, system_text};
use crate::engine::tools::Registry;

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
        let thread = {
            let world = self.world.borrow();
            world.turn(&id).map(|turn| (turn.parent, room(&world, &turn.config)))
        };
        if let Some((head, room)) = thread {
            load_context(&self.world, &self.handle, head, room).await;
        }
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
}

/// Loads older turns of a thread until all that belongs to its context is there, or so many tokens of it.
pub(super) async fn load_context(world: &WorldRef, handle: &Handle, head: Option<TurnId>, most: u64) {
    loop {
        let Some(oldest) = missing(&world.borrow(), head, most) else { return };
        if handle.load_earlier(oldest).await.is_err() || missing(&world.borrow(), head, most) == Some(oldest)
        {
            return;
        }
    }
}

/// The oldest loaded turn of a context of which more is to be loaded.
fn missing(world: &World, head: Option<TurnId>, most: u64) -> Option<TurnId> {
    let context = thread_context(world, head);
    let oldest = context.more_before?;
    let tokens: u64 = context.turns.iter().map(|turn| tokens_of(world, turn)).sum();
    (tokens <= most && context.turns.len() <= COMPACTION_TURNS).then_some(oldest)
}

/// What is known of the next request to an agent besides its history, before its turn opens.
pub(super) fn measure(
    world: &World,
    session: &Session,
    agent: &Agent,
    registry: &Registry,
) -> Option<Measure> {
    let mind = world.working_mind(session)?;
    let run = world.open_run(session);
    let standing = Standing::of(world, session, agent);
    let offered = registry.offered(agent, &standing, run.map(|run| run.as_ref()), &rules_of(world));
    let tools = json::write(&offered).ok()?;
    let mut asked: Vec<MessageId> = session.unanswered.clone();
    asked.extend(run.iter().flat_map(|run| &run.messages).filter(|id| !session.unanswered.contains(id)));
    let messages = asked.iter().filter_map(|id| world.message(id));
    let picture = picture_tokens(world, &agent.config);
    let messages: u64 = messages
        .map(|message| {
            let pictures = u64::try_from(pictures_of(&message.parts).count()).unwrap_or(u64::MAX);
            estimate(&text_of(&message.parts)).saturating_add(pictures.saturating_mul(picture))
        })
        .sum();
    let fixed = [
        estimate(&system_text(world, session, agent)),
        estimate(&tools),
        estimate(&mind_block(mind)),
        messages,
    ];
    Some(Measure {
        fixed: fixed.iter().fold(0, |sum, tokens| sum.saturating_add(*tokens)),
        scale: scale(world, session, agent),
        // What is set aside for the answer is not to be had.
        window: room(world, &agent.config).saturating_mul(100) / WINDOW_PERCENT,
        picture,
    })
}

/// The pictures that go along with a request, newest message first, as far as they fit. To a model that looks at none
/// they are only told.
#[derive(Default)]
struct Pictures {
    blind: bool,
    taken: Vec<Hash>,
    unseen: Vec<Hash>,
    bytes: usize,
}

impl Pictures {
    fn take(&mut self, world: &World, messages: &[MessageId]) {
        for message in messages.iter().rev().filter_map(|id| world.message(id)) {
            for hash in pictures_of(&message.parts) {
                if self.blind {
                    if !self.unseen.contains(hash) {
                        self.unseen.push(hash.clone());
                    }
                    continue;
                }
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
        let own = tokens_with(world, turn, picture_tokens(world, &turn.config));
        let tokens = first.recipe.tokens.saturating_add(own);
        return Some((Recipe { own_messages, clock: now, tokens, ..first.recipe.clone() }, Vec::new()));
    }
    let session = world.session(&turn.session)?;
    let mind_hash = session.mind.clone();
    let mind = world.mind(&mind_hash)?;
    let persona = system_text(world, session, agent);
    let standing = Standing::of(world, session, agent);
    let tools = json::write(&registry.offered(agent, &standing, run.as_deref(), &rules_of(world))).ok()?;
    let params = json::write(&turn.config).ok()?;
    let mind_text = mind_block(mind);
    let query = query_text(world, turn, run.as_deref(), now);
    let context = thread_context(world, turn.parent);
    let summary = context.compaction.and_then(|made| summary_text(made));
    let remembered = offered(world, session, &agent.key, &query, now);
    let memories = (!remembered.is_empty()).then(|| memories_text(world, session, &remembered));
    let room = room(world, &turn.config);
    let scale = scale(world, session, agent);
    let picture = picture_tokens(world, &turn.config);
    let mut pictures = Pictures { blind: picture == 0, ..Pictures::default() };
    pictures.take(world, &turn.answers);
    let fixed = [&persona, &tools, &mind_text, &query].into_iter().chain(&summary).chain(&memories);
    let mut tokens = fixed.map(|text| estimate(text)).sum::<u64>() + pictures.tokens();
    let mut turns = Vec::new();
    let mut left_out = Vec::new();
    let cut = failed_before(world, turn.parent).map(|failed| failed.through);
    for ancestor in context.turns.iter().rev() {
        let cost = tokens_with(world, ancestor, picture);
        let fits = left_out.is_empty() && cut != Some(ancestor.id);
        if fits && scale.apply(tokens.saturating_add(cost)) <= room {
            tokens += cost;
            turns.push(ancestor.id);
            pictures.take(world, &ancestor.query);
        } else {
            left_out.push(ancestor.id);
        }
    }
    turns.reverse();
    left_out.reverse();
    let of = |text: &String| Hash::of_text(text);
    let recipe = Recipe {
        persona: of(&persona),
        tools: of(&tools),
        params: of(&params),
        mind: mind_hash,
        query: of(&query),
        mind_text: Some(of(&mind_text)),
        summary: summary.as_ref().map(of),
        memories: memories.as_ref().map(of),
        turns,
        own_messages,
        blobs: pictures.taken,
        unseen: pictures.unseen,
        clock: now,
        tokens,
        left_out,
    };
    let contents = [persona, tools, params, mind_text, query];
    Some((recipe, contents.into_iter().chain(summary).chain(memories).collect()))
}
