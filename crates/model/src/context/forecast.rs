//! Forecasts the turns, model calls, tokens and cost of a graph run, each as a range; and estimates the cost of a call.
//!
//! The operator's own price takes precedence over the provider's list, that over the shipped table. A forecast is
//! based on the graph, the agents' models and the usage of their earlier turns.

use crate::context::{compaction::thread_context, estimate, tokens_of};
use crate::prelude::*;
use crate::provider::ModelList;
use crate::provider::price::{Price, cost_at, own_in, shipped};
use crate::run::{graph::Join, templates::agent_of};
use crate::session::workers::run_caps;
use crate::settings::schema::PRICES;
use nexus_text::vec_map::reached_from;

/// The number of newest turns per agent that are sampled.
const SAMPLES: usize = 20;
/// Approximate tokens of house rules and tools.
const RULES_TOKENS: u64 = 4_000;
/// Model calls per turn of an agent without samples.
const USUAL_CALLS: (u64, u64) = (1, 4);
/// Tokens per answer of an agent without samples.
const USUAL_ANSWER: (u64, u64) = (300, 1_500);

/// The expected usage of a run, as minimum and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunForecast {
    pub turns: (u64, u64),
    pub calls: (u64, u64),
    pub tokens: (u64, u64),
    /// `None` if no price is known.
    pub cost: Option<(Cost, Cost)>,
    /// True if the price of one of its models is unknown.
    pub unpriced: bool,
    pub samples: usize,
}

/// The expected usage of an agent's turn, as minimum and maximum.
struct TurnForecast {
    calls: (u64, u64),
    usage: (Usage, Usage),
    samples: usize,
}

/// The expected usage of a run that is started with `text`. Capped by its limits, where the run would pause.
pub fn forecast(
    world: &World,
    session: SessionId,
    template: &GraphTemplate,
    text: &str,
    now: Millis,
) -> RunForecast {
    let caps = run_caps(world).within(&template.limits);
    let shown = shown_tokens(world, session).saturating_add(estimate(text));
    // The minimum does not count failures and conditional edges.
    let ok = EdgeCondition::Status("ok".to_owned());
    let reached = reached_by(template, &|when| when.is_none_or(|when| *when == ok));
    let reachable = reached_by(template, &|_| true);
    let many = repeated(template);
    let has_orchestrator = template.nodes.iter().any(|node| node.kind == "orchestrator");
    let mut all = RunForecast::default();
    let mut cost: Option<(u64, u64)> = None;
    for spec in &template.nodes {
        let low = u64::from(reached.contains(&&spec.key));
        let high = if has_orchestrator || many.contains(&&spec.key) {
            spec.most_turns().into()
        } else if reachable.contains(&&spec.key) {
            max_passes(template, spec)
        } else {
            0
        };
        let high = high.max(low);
        let add = |sum: &mut (u64, u64), (least, most): (u64, u64)| {
            sum.0 = sum.0.saturating_add(low.saturating_mul(least));
            sum.1 = sum.1.saturating_add(high.saturating_mul(most));
        };
        add(&mut all.turns, (1, 1));
        let agent = agent_of(world, spec).ok().flatten();
        let Some(agent) = agent.and_then(|key| world.agent(&key)) else { continue };
        let turn = turn_of(world, agent, shown.saturating_add(estimate(&spec.instruction)));
        all.samples = all.samples.saturating_add(turn.samples);
        add(&mut all.calls, turn.calls);
        add(&mut all.tokens, (turn.usage.0.total(), turn.usage.1.total()));
        let price = |usage: &Usage| cost_of(world, &agent.config.provider, &agent.config.model, usage, now);
        match (price(&turn.usage.0), price(&turn.usage.1)) {
            (Some(least), Some(most)) => add(cost.get_or_insert_default(), (least.0, most.0)),
            _ => all.unpriced = true,
        }
    }
    let within = |(low, high): (u64, u64), cap: u64| (low.min(cap), high.min(cap));
    all.cost = cost.map(|cost| within(cost, caps.cost.0)).map(|(low, high)| (Cost(low), Cost(high)));
    all.calls = within(all.calls, caps.calls.into());
    all.tokens = within(all.tokens, caps.tokens);
    all.turns = within(all.turns, caps.turns.map_or(u64::MAX, u64::from));
    all
}

/// Tokens of the context that every agent sees: mind, history, rules.
fn shown_tokens(world: &World, session: SessionId) -> u64 {
    let Some(row) = world.session(&session) else { return RULES_TOKENS };
    let mind = world.working_mind(row).map_or(0, |mind| {
        let active = mind.active.as_ref().and_then(|name| mind.file(name)).unwrap_or_default();
        [mind.objective.as_str(), &mind.scratchpad, active].into_iter().map(estimate).sum()
    });
    let history: u64 =
        thread_context(world, row.head).turns.into_iter().map(|turn| tokens_of(world, turn)).sum();
    RULES_TOKENS.saturating_add(mind).saturating_add(history)
}

/// The usage of an agent's turn, from its own earlier turns with this model, else from defaults.
fn turn_of(world: &World, agent: &Agent, shown: u64) -> TurnForecast {
    let ended = |turn: &&Turn| {
        turn.kind == TurnKind::Normal && turn.phase == TurnPhase::Completed && turn.usage.total() > 0
    };
    let same_model = |turn: &&Turn| turn.config.model == agent.config.model;
    let newest = world.turns.values().rev().map(|turn| turn.as_ref()).filter(ended);
    let own: Vec<&Turn> =
        newest.filter(same_model).filter(|turn| turn.agent == agent.key).take(SAMPLES).collect();
    let least = own.iter().min_by_key(|turn| turn.usage.total());
    let most = own.iter().max_by_key(|turn| turn.usage.total());
    if let (Some(least), Some(most)) = (least, most) {
        let calls = |turn: &&Turn| u64::try_from(turn.calls.len()).unwrap_or(u64::MAX);
        let calls = (
            own.iter().map(calls).min().unwrap_or_default(),
            own.iter().map(calls).max().unwrap_or_default(),
        );
        return TurnForecast { calls, usage: (least.usage.clone(), most.usage.clone()), samples: own.len() };
    }
    let prompt = shown.saturating_add(estimate(&agent.identity.soul));
    let usage = |calls: u64, answer: u64| Usage {
        input: Some(prompt.saturating_add(answer).saturating_mul(calls)),
        output: Some(answer.saturating_mul(calls)),
        ..Usage::default()
    };
    TurnForecast {
        calls: USUAL_CALLS,
        usage: (usage(USUAL_CALLS.0, USUAL_ANSWER.0), usage(USUAL_CALLS.1, USUAL_ANSWER.1)),
        samples: 0,
    }
}

/// How often a node runs that is neither in a cycle nor after one.
fn max_passes(template: &GraphTemplate, spec: &NodeSpec) -> u64 {
    let before = template.edges.iter().filter(|edge| edge.to == spec.key).count();
    match spec.join {
        Join::Any => u64::try_from(before).unwrap_or(u64::MAX).clamp(1, spec.most_turns().into()),
        Join::All | Join::Quorum(_) => 1,
    }
}

/// The nodes that the run reaches from its entries along allowed edges.
fn reached_by<'t>(
    template: &'t GraphTemplate,
    allowed: &dyn Fn(Option<&EdgeCondition>) -> bool,
) -> Vec<&'t NodeId> {
    let entries = template.entries().into_iter().map(|node| &node.key);
    reached_from(entries, |node| {
        let edges = template.edges.iter().filter(|edge| edge.from == *node && allowed(edge.when.as_ref()));
        edges.map(|edge| &edge.to).collect()
    })
}

/// The nodes that may run more than once: those in a cycle and their successors.
fn repeated(template: &GraphTemplate) -> Vec<&NodeId> {
    let after = |node: &NodeId| -> Vec<&NodeId> {
        template.edges.iter().filter(|edge| edge.from == *node).map(|edge| &edge.to).collect()
    };
    let is_in_cycle = |key: &&NodeId| reached_from(after(key), after).contains(key);
    let in_cycle = template.nodes.iter().map(|node| &node.key).filter(is_in_cycle);
    reached_from(in_cycle, after)
}

fn listed_price(world: &World, provider: &ProviderId, model: &str) -> Option<Price> {
    let list: ModelList = json::from_tree(world.setting(&ModelList::setting(provider))?).ok()?;
    list.models.into_iter().find(|one| one.id == model)?.price
}

/// The price of a call: the operator's own, else from the provider's list, else shipped; `None` if unknown. Models on
/// this machine may have any name, so shipped prices are not for them: they cost nothing, unless their server needs a
/// key and so may pass calls on.
fn price_of(world: &World, provider: &ProviderId, model: &str, prompt: u64, at: Millis) -> Option<Price> {
    own_in(world.stored(PRICES), provider, model).or_else(|| listed_price(world, provider, model)).or_else(
        || {
            let provider = world.live_provider(provider)?;
            if provider.is_local() {
                (!provider.needs_key).then_some(Price { input: 0.0, cached: None, output: 0.0 })
            } else {
                shipped(model, prompt, at)
            }
        },
    )
}

/// The estimated cost of a model call; `None` if the price is unknown or no usage was reported.
pub fn cost_of(world: &World, provider: &ProviderId, model: &str, usage: &Usage, at: Millis) -> Option<Cost> {
    if usage.total() == 0 {
        return None;
    }
    let price = price_of(world, provider, model, usage.input.unwrap_or(0), at)?;
    Some(cost_at(&price, usage))
}

#[cfg(test)]
mod cost_tests;

#[cfg(test)]
mod tests;
