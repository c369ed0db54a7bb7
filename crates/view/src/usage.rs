//! Usage and cost of model calls by day, agent, model or session, read from the event log.

use std::cmp::Reverse;

use nexus_model::prelude::*;
use nexus_text::vec_map::by_key;

use crate::language::Text;
use crate::local_time::LocalTime;
use crate::strings::{common, format::model_name, usage as words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageBy {
    Day,
    Agent,
    Model,
    Session,
}

impl UsageBy {
    pub const ALL: [Self; 4] = [Self::Day, Self::Agent, Self::Model, Self::Session];

    pub fn name(self) -> Text {
        match self {
            Self::Day => words::DAY,
            Self::Agent => common::AGENT,
            Self::Model => common::MODEL,
            Self::Session => common::SESSION,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageRow {
    pub name: String,
    pub calls: u64,
    pub input: u64,
    pub output: u64,
    pub cost: Cost,
    /// True if a call's price is unknown, so that the actual cost is higher.
    pub is_unpriced: bool,
}

impl UsageRow {
    fn add(&mut self, call: &UsageCall) {
        self.calls = self.calls.saturating_add(1);
        self.input = self.input.saturating_add(call.input);
        self.output = self.output.saturating_add(call.output);
        self.cost = self.cost.plus(call.cost.unwrap_or_default());
        self.is_unpriced |= call.cost.is_none();
    }

    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    pub fn cost_text(&self) -> String {
        words::cost(self.cost, self.is_unpriced)
    }

    pub fn summary(&self) -> String {
        words::total(self.calls, self.input, self.output, &self.cost_text())
    }
}

/// The caller: an agent in its turn, or a job of the Core or the Archivist.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Caller {
    Agent(AgentKey),
    Job(JobKind),
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
struct UsageCall {
    at: Millis,
    caller: Caller,
    model: String,
    session: Option<SessionId>,
    input: u64,
    output: u64,
    cost: Option<Cost>,
}

/// Collected calls. Events of a stream must be read in order.
#[derive(Clone, Debug, Default)]
pub struct UsageTally {
    turns: VecMap<TurnId, (AgentKey, String)>,
    jobs: VecMap<JobId, String>,
    calls: Vec<UsageCall>,
}

impl UsageTally {
    /// Reads an event of the log and ignores those without a call.
    pub fn read(&mut self, text: &str) {
        // Skips most events without parsing, which would take seconds.
        if !["usage", "Opened", "JoinAsked"].iter().any(|word| text.contains(word)) {
            return;
        }
        let Ok(event) = json::read::<Event>(text) else { return };
        let known = |turn: Option<TurnId>| turn.and_then(|turn| self.turns.get(&turn)).cloned();
        let job = |job: &JobId| self.jobs.get(job).cloned();
        let (caller, model, usage, cost) = match event.known_kind() {
            Some(EventKind::TurnOpened { turn }) => {
                self.turns.insert(turn.id, (turn.agent.clone(), turn.config.model.clone()));
                return;
            }
            Some(EventKind::JobOpened(job)) => {
                self.jobs.insert(job.id, job.model.clone());
                return;
            }
            Some(
                EventKind::ModelAnswered { usage, cost, .. } | EventKind::ModelFailed { usage, cost, .. },
            ) => {
                let (caller, model) = match known(event.turn) {
                    Some((agent, model)) => (Caller::Agent(agent), model),
                    None => (Caller::Unknown, String::new()),
                };
                (caller, model, usage, cost)
            }
            Some(EventKind::JobDone(done)) => {
                let model = job(&done.job).unwrap_or_else(|| done.model.clone());
                (Caller::Job(done.result.kind()), model, &done.usage, &done.cost)
            }
            Some(EventKind::JobFailed(failed)) => {
                let model = job(&failed.job).unwrap_or_default();
                (Caller::Job(failed.kind), model, &failed.usage, &failed.cost)
            }
            Some(EventKind::JobRetrying(retry)) => {
                let model = job(&retry.job).unwrap_or_default();
                (Caller::Job(retry.kind), model, &retry.usage, &retry.cost)
            }
            _ => return,
        };
        if *usage == Usage::default() {
            return;
        }
        self.calls.push(UsageCall {
            at: event.at,
            caller,
            model,
            session: event.stream.session(),
            input: usage.input.unwrap_or_default(),
            output: usage.output.unwrap_or_default(),
            cost: *cost,
        });
    }

    pub fn total(&self, since: Millis) -> UsageRow {
        let mut total = UsageRow::default();
        self.since(since).for_each(|call| total.add(call));
        total
    }

    /// The calls since a time, grouped: days newest first, others by cost, then tokens.
    pub fn rows(
        &self,
        by: UsageBy,
        since: Millis,
        local: LocalTime,
        agent_name: impl Fn(&AgentKey) -> String,
        session_name: impl Fn(&SessionId) -> String,
    ) -> Vec<UsageRow> {
        // Grouped by a unique key: names may be equal.
        let mut rows: VecMap<String, UsageRow> = VecMap::new();
        for call in self.since(since) {
            let (key, name) = match (by, &call.caller) {
                (UsageBy::Day, _) => {
                    let day: String = local.field(call.at).chars().take(10).collect();
                    (day.clone(), day)
                }
                (UsageBy::Agent, Caller::Agent(agent)) => (format!("agent {}", agent.0), agent_name(agent)),
                (UsageBy::Agent, Caller::Job(kind)) => {
                    (words::job(*kind).to_owned(), words::job(*kind).to_owned())
                }
                (UsageBy::Model, _) if !call.model.is_empty() => {
                    (call.model.clone(), model_name(&call.model))
                }
                (UsageBy::Session, _) => match &call.session {
                    Some(session) => (session.to_string(), session_name(session)),
                    None => (String::new(), words::UNKNOWN.to_owned()),
                },
                (UsageBy::Agent | UsageBy::Model, _) => (String::new(), words::UNKNOWN.to_owned()),
            };
            rows.get_or_insert_with(key, || UsageRow { name, ..UsageRow::default() }).add(call);
        }
        let rows: Vec<UsageRow> = rows.values().cloned().collect();
        if by == UsageBy::Day {
            return rows.into_iter().rev().collect();
        }
        by_key(rows, |row| Reverse((row.cost, row.tokens())))
    }

    fn since(&self, since: Millis) -> impl Iterator<Item = &UsageCall> {
        self.calls.iter().filter(move |call| call.at >= since)
    }
}

/// The rows as CSV. An unknown cost is empty, and one that is only partly known has a mark. The header is English in
/// every language, so that programs find their columns.
pub fn csv(by: UsageBy, rows: &[UsageRow]) -> String {
    let first = by.name().0.to_lowercase();
    let mut out = format!("{first},calls,input tokens,output tokens,cost in USD,cost is partial\n");
    for row in rows {
        let UsageRow { calls, input, output, cost, is_unpriced, .. } = row;
        let cost = match (cost.0, is_unpriced) {
            (0, true) => ",".to_owned(),
            // Nano-dollars, without rounding.
            (nanos, partial) => {
                let mark = if *partial { "yes" } else { "no" };
                format!("{}.{:09},{mark}", nanos / 1_000_000_000, nanos % 1_000_000_000)
            }
        };
        out.push_str(&format!("{},{calls},{input},{output},{cost}\n", field(&row.name)));
    }
    out
}

/// A CSV field. An apostrophe prevents spreadsheets from evaluating it as a formula.
fn field(text: &str) -> String {
    let escaped = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    if escaped.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", escaped.replace('"', "\"\""))
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests;
