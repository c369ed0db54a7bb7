//! The context builder: on `context.build.request` selects what the next call contains and offers its
//! `RequestSpec`.
//!
//! From stable to volatile, so that providers' prompt caches hit: persona and rules, summary, turns, mind, memories,
//! query. It names each by content address, so that the inspector can rebuild the request. Rules, mind and
//! query are never cut. When a turn fills the window between its calls, older turns are summarised or its own older
//! tool results truncated, whichever frees more. Never calls a model.

use crate::calls::prompt::{memories_text, mind_block, query_text, summary_text, system_text};
use crate::calls::retry::unmade_call;
use crate::client::{EngineClient, EngineContext};
use crate::lazy::PeekableEvents;
use crate::prelude::*;
use crate::store::ledger::WorldRef;
use crate::tools;
use nexus_model::agent::permission::rules_of;
use nexus_model::context::compaction::{RequestBudget, failed_before, may_begin, plan, thread_context};
use nexus_model::context::history::{
    HistoryRequest, TruncationLimits, choose, offered_memories, saved_by, select_turns, still_truncated,
};
use nexus_model::context::window::{between_calls, made_within, scale, waiting_turn};
use nexus_model::context::{attachment_tokens, tokens_for, window};
use nexus_model::limits::{COMPACTED_PERCENT, PICTURE_BYTES, WINDOW_PERCENT};
use nexus_model::mind::blob::blobs_of;
use nexus_model::mind::sandbox::{Sandbox, VisibleMind};
use nexus_model::run::ChangedInput;
use nexus_model::settings::schema::COMPACT_AUTO;
use nexus_model::turn::TurnRange;

pub(crate) use nexus_model::context::{estimate, room, tokens_of};

pub(crate) async fn serve(engine: EngineContext, mut requests: PeekableEvents) {
    while let Some(event) = requests.next().await {
        if let (Some(turn), Some(EventKind::ContextRequested { call })) = (event.turn, event.known_kind()) {
            build(&engine, turn, *call).await;
        }
    }
}

async fn build(engine: &EngineContext, id: TurnId, call: u32) {
    let thread = {
        let world = engine.world.borrow();
        world.turn(&id).map(|turn| (turn.parent, room(&world, &turn.config), turn.agent.clone()))
    };
    if let Some((head, room, agent)) = thread {
        load_context(&engine.world, &engine.handle, head, (room, Some(&agent)), usize::MAX).await;
    }
    if waits_for_compaction(engine, id).await {
        return;
    }
    let built = {
        let world = engine.world.borrow();
        let turn = world.turn(&id).cloned();
        turn.and_then(|turn| recipe_of(&world, &turn, engine.now()))
    };
    let command = match built {
        Some((recipe, contents)) => {
            Command::OfferContext { turn: id, call, recipe: Box::new(recipe), contents }
        }
        None => {
            let message = "The agent of this turn is no longer on this device.";
            unmade_call(id, call, ProviderError::new(ProviderErrorKind::NotSetUp, message))
        }
    };
    // A rejection means that the turn was stopped meanwhile.
    engine.tell(command).await;
}

/// True if the call must wait for a compaction; the context is requested again afterwards.
async fn waits_for_compaction(engine: &EngineContext, id: TurnId) -> bool {
    let wanted = {
        let world = engine.world.borrow();
        let Some(turn) = world.turn(&id) else { return false };
        let Some(session) = world.session(&turn.session) else { return false };
        if waiting_turn(&world, session).is_some() {
            return true;
        }
        let is_wanted = wants_compaction(&world, session, turn).unwrap_or(false);
        turn.run.zip(turn.node.clone()).filter(|_| is_wanted)
    };
    let Some((run, node)) = wanted else { return false };
    let command = Command::RequestCompaction { run, node };
    engine.handle.send(command).await.is_ok()
}

/// True if the next call of an open turn must wait for a compaction: the request exceeds the threshold, and compaction
/// frees at least as much as truncating older results of the turn, or truncation is not enough.
fn wants_compaction(world: &World, session: &Session, turn: &Turn) -> Option<bool> {
    let state = &session.archivist;
    let is_idle = state.pending.is_none() && state.compacting.is_none() && state.start_error.is_none();
    if !is_idle || turn.calls.is_empty() || !world.value(COMPACT_AUTO) || !may_begin(world, session.head) {
        return Some(false);
    }
    let measure = window::measure(world, session, turn)?;
    let layers = layers_of(world, session, turn)?;
    let demand = |less: u64| measure.scale.apply(layers.tokens(world, &measure).saturating_sub(less));
    let limits = limits_of(world, turn, &measure);
    let before = turn.calls.last().map(|call| call.recipe.truncated.clone()).unwrap_or_default();
    let before = still_truncated(world, turn, &layers.turns, &before);
    let less = saved_by(world, &before);
    if demand(less) <= limits.threshold {
        return Some(false);
    }
    let truncated = demand(saved_by(world, &choose(world, turn, &before, limits, demand)));
    let Some(plan) = plan(world, &thread_context(world, session.head), &measure, CompactionReason::Threshold)
    else {
        return Some(false);
    };
    let kept_turns = later(world, &layers.turns, plan.through).unwrap_or_else(|| layers.turns.clone());
    let less_kept = saved_by(world, &still_truncated(world, turn, &kept_turns, &before));
    let after = plan.tokens_kept.saturating_sub(measure.scale.apply(less_kept));
    let helps = after < demand(less);
    Some(helps && (truncated > limits.threshold || (after <= limits.threshold && after <= truncated)))
}

fn limits_of(world: &World, turn: &Turn, measure: &RequestBudget) -> TruncationLimits {
    let target = measure.window.saturating_mul(COMPACTED_PERCENT) / 100;
    TruncationLimits { threshold: room(world, &turn.config), target, window: measure.window }
}

/// The history before an open turn in its next call.
struct ContextLayers {
    /// The summary's text if the previous call had another one.
    new_summary: Option<String>,
    summary: Option<ContentHash>,
    turns: TurnRange,
    omitted_turns: TurnRange,
    summary_tokens: u64,
}

impl ContextLayers {
    fn tokens(&self, world: &World, measure: &RequestBudget) -> u64 {
        let turns = self.turns.newest_first(world).into_iter();
        let history: u64 = turns.map(|turn| measure.tokens_of(world, turn)).sum();
        measure.fixed.saturating_add(history).saturating_add(self.summary_tokens)
    }
}

/// Keeps the history of the previous call unless older turns were summarised since.
fn layers_of(world: &World, session: &Session, turn: &Turn) -> Option<ContextLayers> {
    let base = &turn.calls.last()?.recipe;
    let made = made_within(world, session);
    let text = made.and_then(|made| summary_text(made));
    if let (Some(made), Some(text)) = (made, text)
        && base.summary != Some(ContentHash::of_text(&text))
    {
        // If the summary ends at a shown turn, none is omitted; otherwise the shown turns stay as they are.
        let shown = later(world, &base.turns, made.through);
        let omitted = || later(world, &base.omitted_turns, made.through);
        let omitted_turns = match &shown {
            Some(_) => TurnRange::default(),
            None => omitted().unwrap_or_else(|| base.omitted_turns.clone()),
        };
        return Some(ContextLayers {
            summary: Some(ContentHash::of_text(&text)),
            turns: shown.unwrap_or_else(|| base.turns.clone()),
            omitted_turns,
            summary_tokens: estimate(&text),
            new_summary: Some(text),
        });
    }
    let current = base.summary.as_ref().and_then(|hash| world.blob(hash));
    Some(ContextLayers {
        new_summary: None,
        summary: base.summary,
        turns: base.turns.clone(),
        omitted_turns: base.omitted_turns.clone(),
        summary_tokens: current.map_or(0, |text| estimate(text)),
    })
}

/// The turns of a range after `through`; `None` if that turn is not in it.
fn later(world: &World, range: &TurnRange, through: TurnId) -> Option<TurnRange> {
    let ids: Vec<TurnId> = range.loaded(world).into_iter().map(|turn| turn.id).collect();
    let at = ids.iter().position(|id| *id == through)?;
    Some(TurnRange::of(ids.get(at.saturating_add(1)..).unwrap_or_default()))
}

/// Recipe of a further call of a turn: adds only the turn's own messages, as tool results report changes by others.
/// Above the threshold, older turns may have been summarised, and older results are truncated.
fn further_recipe(world: &World, turn: &Turn, now: Millis) -> Option<(RequestSpec, Vec<String>)> {
    let base = &turn.calls.last()?.recipe;
    let session = world.session(&turn.session)?;
    let measure = window::measure(world, session, turn)?;
    let layers = layers_of(world, session, turn)?;
    let whole = layers.tokens(world, &measure);
    let demand = |less: u64| measure.scale.apply(whole.saturating_sub(less));
    let before = still_truncated(world, turn, &layers.turns, &base.truncated);
    let truncated = choose(world, turn, &before, limits_of(world, turn, &measure), demand);
    let tokens = whole.saturating_sub(saved_by(world, &truncated));
    let shown = layers.turns.newest_first(world).into_iter().flat_map(|turn| &turn.query);
    let shown = shown.chain(&turn.answers).filter_map(|id| world.message(id));
    let pictures: VecSet<&ContentHash> =
        shown.flat_map(|message| blobs_of(&message.parts)).map(|(hash, _)| hash).collect();
    let still_shown =
        |all: &[ContentHash]| all.iter().filter(|hash| pictures.contains(hash)).copied().collect();
    let recipe = RequestSpec {
        own_messages: own_messages(turn),
        clock: now,
        tokens,
        summary: layers.summary,
        blobs: still_shown(&base.blobs),
        omitted_images: still_shown(&base.omitted_images),
        turns: layers.turns,
        omitted_turns: layers.omitted_turns,
        truncated,
        ..base.clone()
    };
    Some((recipe, layers.new_summary.into_iter().collect()))
}

fn own_messages(turn: &Turn) -> u32 {
    u32::try_from(turn.messages.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// Loads older turns of a thread until its context is complete or has so many tokens: as an agent sees them, or as
/// stored. Preloading also stops at `turns`; a request has no limit of turns.
pub(crate) async fn load_context(
    world: &WorldRef,
    handle: &EngineClient,
    head: Option<TurnId>,
    most: (u64, Option<&AgentKey>),
    turns: usize,
) {
    let mut before = None;
    loop {
        let oldest = missing(&world.borrow(), head, most, turns);
        let Some(oldest) = oldest.filter(|oldest| before != Some(*oldest)) else { return };
        if handle.load_earlier(oldest).await.is_err() {
            return;
        }
        before = Some(oldest);
    }
}

/// The oldest loaded turn if older ones are still to be loaded.
fn missing(
    world: &World,
    head: Option<TurnId>,
    (most, reader): (u64, Option<&AgentKey>),
    turns: usize,
) -> Option<TurnId> {
    let context = thread_context(world, head);
    let oldest = context.more_before.filter(|_| context.turns.len() < turns)?;
    let tokens = |turn: &Turn| match reader {
        Some(reader) => tokens_for(world, turn, reader, InputKinds::ALL),
        None => tokens_of(world, turn),
    };
    // From the newest back: turns beyond the budget are not measured.
    let mut sums = context.turns.iter().rev().scan(0u64, |sum, turn| {
        *sum = sum.saturating_add(tokens(turn));
        Some(*sum)
    });
    sums.all(|sum| sum <= most).then_some(oldest)
}

pub type MeasureFn = fn(&World, &Session, &Agent) -> Option<RequestBudget>;

/// Budget of the next request to an agent without its history, before its turn opens.
pub fn measure(world: &World, session: &Session, agent: &Agent) -> Option<RequestBudget> {
    // Between two calls of a turn, that turn is measured.
    if let Some(turn) = between_calls(world, session).filter(|turn| turn.agent == agent.key) {
        return window::measure(world, session, turn);
    }
    let mind = world.working_mind(session)?;
    let run = world.open_run(session);
    let permissions = EffectivePermissions::of(world, session, agent);
    let offered = tools::offered(agent, &permissions, run.map(|run| run.as_ref()), &rules_of(world));
    let tools = json::write(&offered).ok()?;
    let mut pending: Vec<MessageId> = session.unanswered.clone();
    pending.extend(run.iter().flat_map(|run| &run.messages).filter(|id| !session.unanswered.contains(id)));
    let messages = pending.iter().filter_map(|id| world.message(id));
    let kinds = InputKinds::of(world, &agent.config);
    let messages: u64 = messages
        .map(|message| {
            estimate(&text_of(&message.parts)).saturating_add(attachment_tokens(&message.parts, kinds))
        })
        .sum();
    let fixed = [
        estimate(&system_text(world, session, agent)),
        estimate(&tools),
        estimate(&mind_block(&VisibleMind::new(mind, &permissions.sandbox()))),
        messages,
    ];
    Some(RequestBudget {
        fixed: fixed.iter().fold(0, |sum, tokens| sum.saturating_add(*tokens)),
        scale: scale(world, session, agent),
        // The share of the window reserved for the answer is not available.
        window: room(world, &agent.config).saturating_mul(100) / WINDOW_PERCENT,
        kinds,
        reader: agent.key.clone(),
    })
}

/// Selects images and documents to attach, newest message first, as long as they fit. A model that cannot take them
/// only gets a note.
struct AttachmentSelection<'s> {
    kinds: InputKinds,
    /// Those of the session's files that the agent may not see.
    hidden: Vec<ContentHash>,
    sandbox: &'s Sandbox,
    attached: Vec<ContentHash>,
    omitted_images: Vec<ContentHash>,
    bytes: usize,
    tokens: u64,
}

impl AttachmentSelection<'_> {
    fn take(&mut self, world: &World, messages: &[MessageId]) {
        for message in messages.iter().rev().filter_map(|id| world.message(id)) {
            let text = text_of(&message.parts);
            for part in &message.parts {
                let PartBody::Blob { hash, mime, name, .. } = &part.body else { continue };
                // Also an image of a file that the session had when the message was sent.
                let is_of_file = || !self.sandbox.allows(name) && text.contains(&format!("#{name}"));
                if self.hidden.contains(hash) || is_of_file() {
                    continue;
                }
                if !self.kinds.has(mime) {
                    if InputKinds::ALL.has(mime) && !self.omitted_images.contains(hash) {
                        self.omitted_images.push(*hash);
                    }
                    continue;
                }
                let Some(base64) = world.blob(hash) else { continue };
                let bytes = self.bytes.saturating_add(base64.len());
                if bytes <= PICTURE_BYTES && !self.attached.contains(hash) {
                    self.bytes = bytes;
                    self.attached.push(*hash);
                    self.tokens = self.tokens.saturating_add(attachment_tokens([part], self.kinds));
                }
            }
        }
    }
}

/// The recipe of a turn's next call, with the contents that it refers to. In the tool loop, the query block stays that
/// of the turn's first call.
fn recipe_of(world: &World, turn: &Turn, now: Millis) -> Option<(RequestSpec, Vec<String>)> {
    if !turn.calls.is_empty() {
        return further_recipe(world, turn, now);
    }
    let Some((recorded, changed)) = recorded_before(world, turn) else {
        return first_recipe(world, turn, now);
    };
    let (fresh, mut contents) = first_recipe(world, turn, recorded.clock)?;
    let recipe = repeated(recorded, fresh, changed);
    contents.retain(|text| recipe.texts().any(|hash| *hash == ContentHash::of_text(text)));
    Some((recipe, contents))
}

/// The recorded request that a re-run repeats, and which input was changed.
fn recorded_before<'w>(world: &'w World, turn: &Turn) -> Option<(&'w RequestSpec, Option<ChangedInput>)> {
    let RunCause::Rerun { turn: of, changed } = world.run(turn.run.as_ref()?)?.cause else { return None };
    let recorded = world.turn(&of)?;
    // Only the first turn of a re-run has the parent and node of the recorded one.
    let is_same_place = (recorded.parent, &recorded.node) == (turn.parent, &turn.node);
    Some((&recorded.calls.first().filter(|_| is_same_place)?.recipe, changed))
}

/// The recorded request, except for what the change affects.
fn repeated(recorded: &RequestSpec, fresh: RequestSpec, changed: Option<ChangedInput>) -> RequestSpec {
    let recorded = recorded.clone();
    match changed {
        None => recorded,
        Some(ChangedInput::Message) => RequestSpec {
            query: fresh.query,
            blobs: fresh.blobs,
            omitted_images: fresh.omitted_images,
            tokens: fresh.tokens,
            ..recorded
        },
        // The model determines what fits the window and which attachments it can read.
        Some(ChangedInput::Model) => RequestSpec {
            persona: recorded.persona,
            tools: recorded.tools,
            mind: recorded.mind,
            mind_text: recorded.mind_text,
            memories: recorded.memories,
            query: recorded.query,
            sandbox: recorded.sandbox,
            ..fresh
        },
        // The agent determines what is visible.
        Some(ChangedInput::Persona) => RequestSpec { params: recorded.params, ..fresh },
    }
}

fn first_recipe(world: &World, turn: &Turn, now: Millis) -> Option<(RequestSpec, Vec<String>)> {
    let agent = world.agent(&turn.agent)?;
    let run = world.run_of(turn).cloned();
    let session = world.session(&turn.session)?;
    let mind = world.mind(&session.mind)?;
    let persona = system_text(world, session, agent);
    let permissions = EffectivePermissions::of(world, session, agent);
    let tools = json::write(&tools::offered(agent, &permissions, run.as_deref(), &rules_of(world))).ok()?;
    let params = json::write(&turn.config).ok()?;
    let sandbox = permissions.sandbox();
    let mind_text = mind_block(&VisibleMind::new(mind, &sandbox));
    let query = query_text(world, turn, run.as_deref(), &sandbox, now);
    let context = thread_context(world, turn.parent);
    let summary = context.compaction.and_then(|made| summary_text(made));
    let remembered = offered_memories(world, session, &agent.key, &query, now);
    let memories = (!remembered.is_empty()).then(|| memories_text(world, session, &remembered));
    let room = room(world, &turn.config);
    let scale = scale(world, session, agent);
    let kinds = InputKinds::of(world, &turn.config);
    let hidden = mind.files.iter().filter(|(name, _)| !sandbox.allows(name));
    let hidden = hidden.filter_map(|(_, file)| Some(ContentHash::of_text(file.image()?.base64))).collect();
    let mut attachments = AttachmentSelection {
        kinds,
        hidden,
        sandbox: &sandbox,
        attached: Vec::new(),
        omitted_images: Vec::new(),
        bytes: 0,
        tokens: 0,
    };
    attachments.take(world, &turn.answers);
    let fixed = [&persona, &tools, &mind_text, &query].into_iter().chain(&summary).chain(&memories);
    let base_tokens = fixed.map(|text| estimate(text)).sum::<u64>().saturating_add(attachments.tokens);
    let cut = failed_before(world, turn.parent).map(|failed| failed.through);
    let reader = HistoryRequest { agent: &turn.agent, kinds, cut };
    let shown = select_turns(world, &context, reader, base_tokens, |tokens| scale.apply(tokens) <= room);
    for ancestor in shown.turns.iter().rev().filter_map(|id| world.turn(id)) {
        attachments.take(world, &ancestor.query);
    }
    let hash = |text: &String| ContentHash::of_text(text);
    let recipe = RequestSpec {
        persona: hash(&persona),
        tools: hash(&tools),
        params: hash(&params),
        mind: session.mind,
        query: hash(&query),
        mind_text: Some(hash(&mind_text)),
        summary: summary.as_ref().map(hash),
        memories: memories.as_ref().map(hash),
        turns: TurnRange::of(&shown.turns),
        own_messages: own_messages(turn),
        truncated: shown.truncated,
        blobs: attachments.attached,
        omitted_images: attachments.omitted_images,
        clock: now,
        tokens: shown.tokens,
        omitted_turns: TurnRange::of(&shown.omitted),
        sandbox,
    };
    let contents = [persona, tools, params, mind_text, query];
    Some((recipe, contents.into_iter().chain(summary).chain(memories).collect()))
}

#[cfg(test)]
mod tests;
