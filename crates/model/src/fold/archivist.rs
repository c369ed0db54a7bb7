//! Folds the Archivist's events: compactions, summaries and memories.

use std::sync::Arc;

use super::{Fold, sum};
use crate::event::EventKind;
use crate::id::Millis;
use crate::llm::Usage;
use crate::maintenance::record;
use crate::maintenance::{FailedJob, JobKind, MaintenanceState};
use crate::provider::price::Cost;
use crate::turn::PendingRetry;
use crate::turn::compaction::Compaction;

impl Fold<'_, '_> {
    pub(super) fn archivist(&mut self, happening: &EventKind) {
        let at = self.event.at;
        if let EventKind::CompactionRequested(wanted) = happening {
            self.state(|state| (state.wanted, state.refused) = (Some(wanted.clone()), None));
        } else if let EventKind::CompactionOpened(compaction) = happening {
            let turn = compaction.turn;
            self.stage.rows.compactions.insert(turn, Arc::new(compaction.clone()));
            self.state(|state| (state.wanted, state.compacting) = (None, Some(turn)));
            self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
        } else if let EventKind::CompactionMade(record::CompactionResult {
            summary,
            tokens_after,
            usage,
            cost,
        }) = happening
        {
            self.compaction(|row| {
                row.summary = Some(summary.clone());
                row.tokens_after = Some(*tokens_after);
                row.ended_at = Some(at);
            });
            self.compaction_used(usage, *cost);
        } else if let EventKind::CompactionFailed(record::CompactionFailure {
            failure,
            attempt,
            usage,
            cost,
            retry_in_ms,
        }) = happening
        {
            self.compaction_used(usage, *cost);
            match (self.event.turn, retry_in_ms) {
                (None, _) => {
                    let failure = failure.clone();
                    self.state(|state| (state.wanted, state.refused) = (None, Some(failure)));
                }
                (Some(_), Some(wait_ms)) => {
                    let attempt = attempt.unwrap_or(1).saturating_add(1);
                    let at = Millis(at.0.saturating_add(*wait_ms));
                    self.compaction(|row| row.retry = Some(PendingRetry { attempt, at }));
                    self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
                }
                (Some(_), None) => self.compaction(|row| {
                    row.failure = Some(failure.clone());
                    row.ended_at = Some(at);
                }),
            }
        } else {
            self.chore(happening);
        }
    }

    fn chore(&mut self, happening: &EventKind) {
        let at = self.event.at;
        if let EventKind::ChoreOpened(chore) = happening {
            self.state(|state| {
                state.failed.retain(|failed| failed.kind != chore.kind);
                state.chore = Some(chore.clone());
            });
        } else if let EventKind::ChoreFailed(record::JobFailure {
            kind,
            end,
            attempt,
            failure,
            retry_in_ms,
            ..
        }) = happening
        {
            self.state(|state| {
                if let Some(wait_ms) = retry_in_ms {
                    let attempt = attempt.unwrap_or(1).saturating_add(1);
                    let at = Millis(at.0.saturating_add(*wait_ms));
                    if let Some(open) = &mut state.chore {
                        open.retry = Some(PendingRetry { attempt, at });
                    }
                    return;
                }
                let to = state.chore.take().and_then(|open| open.messages.last().copied());
                let failure = failure.clone();
                state.failed.retain(|failed| failed.kind != *kind);
                state.failed.push(FailedJob { kind: *kind, end: *end, to, failure, at });
            });
        } else if let EventKind::SummaryMade(record::SessionSummary {
            title, summary, keywords, to, ..
        }) = happening
        {
            let Some(id) = self.event.stream.session() else { return };
            self.session(id, |session| {
                if title.is_some() {
                    session.title.clone_from(title);
                }
                session.summary = Some(summary.clone());
                session.keywords.clone_from(keywords);
                session.summarised_to = Some(*to);
            });
            self.chore_done(JobKind::Summary);
        } else if let EventKind::MemoryNoted(memory) | EventKind::MemoryChanged(memory) = happening {
            self.stage.rows.memories.insert(memory.id, Arc::new(memory.clone()));
        } else if let EventKind::MemoriesChecked(record::MemoryScan { checked, .. }) = happening {
            for id in checked {
                self.message(*id, |message| message.is_memory_checked = true);
            }
            self.chore_done(JobKind::Memory);
        }
    }

    fn chore_done(&mut self, kind: JobKind) {
        self.state(|state| {
            if state.chore.as_ref().is_some_and(|open| open.kind == kind) {
                state.chore = None;
            }
        });
    }

    fn compaction_used(&mut self, usage: &Usage, cost: Option<Cost>) {
        self.change_turn(|turn| turn.usage.add(usage));
        self.compaction(|row| {
            row.usage.add(usage);
            row.cost = sum(row.cost, cost);
            row.retry = None;
        });
        if self.event.turn.is_some() {
            self.run(|run| run.used.add(usage, cost));
        }
    }

    fn compaction(&mut self, change: impl FnOnce(&mut Compaction)) {
        if let Some((id, row)) = self.event.turn.and_then(|id| Some((id, self.stage.compaction(&id)?))) {
            let mut row = row.as_ref().clone();
            change(&mut row);
            self.stage.rows.compactions.insert(id, Arc::new(row));
        }
    }

    fn state(&mut self, change: impl FnOnce(&mut MaintenanceState)) {
        if let Some(id) = self.event.stream.session() {
            self.session(id, |session| change(&mut session.archivist));
        }
    }
}
