//! Property test of the life of jobs over random histories with failures, Stop, crashes and reloads.

use proptest::prelude::*;

use super::DecideFixture;
use super::invariants::nth;
use crate::command::{FailedAttempt, JobAnswer};
use crate::decide::*;
use crate::fold::fold;
use crate::id::JobId;
use crate::job::maintenance::answer::{Fact, SummaryAnswer};
use crate::job::maintenance::kind_of;
use crate::job::{Job, JobKind};
use crate::llm::Usage;
use crate::mind::core_sync::SyncPatch;
use crate::provider::{ProviderError, ProviderErrorKind};
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::Resolution;
use nexus_text::testing::check_until_seen;

/// The open and ended jobs and their usage, according to the events.
#[derive(Default)]
struct JobTotals {
    open: VecMap<JobId, JobKind>,
    ended: VecMap<JobId, (JobKind, &'static str)>,
    /// The tokens of each slot.
    core: u64,
    compactions: u64,
    maintenance: u64,
    /// The tokens of compactions that belong to a run.
    of_runs: u64,
}

impl JobTotals {
    fn of(events: &[Event]) -> Result<Self, TestCaseError> {
        let mut totals = Self::default();
        for event in events {
            let (job, how, usage) = match event.known_kind() {
                Some(EventKind::JobOpened(job)) => {
                    prop_assert!(!totals.ended.contains_key(&job.id), "opened after its end");
                    prop_assert!(totals.open.insert(job.id, job.kind()).is_none(), "opened twice");
                    continue;
                }
                Some(EventKind::JobRetrying(retry)) => (retry.job, None, &retry.usage),
                Some(EventKind::JobFailed(failed)) => {
                    let how = match failed.end {
                        JobEnd::Failed => "failed",
                        JobEnd::Cancelled => "cancelled",
                        JobEnd::Interrupted => "interrupted",
                    };
                    (failed.job, Some(how), &failed.usage)
                }
                Some(EventKind::JobDone(done)) => (done.job, Some("done"), &done.usage),
                _ => continue,
            };
            let Some(kind) = totals.open.get(&job).copied() else {
                // Only a sync that waits for the end of a run can be cancelled before it begins.
                prop_assert!(matches!(how, Some("cancelled" | "interrupted")) && usage.total() == 0);
                prop_assert!(!totals.ended.contains_key(&job), "ended twice");
                continue;
            };
            let tokens = match kind.slot() {
                JobSlot::Core => &mut totals.core,
                JobSlot::Compaction => &mut totals.compactions,
                JobSlot::Maintenance => &mut totals.maintenance,
            };
            *tokens += usage.total();
            if kind == JobKind::Compaction && event.run.is_some() {
                totals.of_runs += usage.total();
            }
            if let Some(how) = how {
                totals.open.remove(&job);
                prop_assert!(totals.ended.insert(job, (kind, how)).is_none(), "ended twice");
            }
        }
        Ok(totals)
    }
}

/// Rows and events must agree on open jobs and on usage.
fn check_jobs(device: &DecideFixture) -> Result<JobTotals, TestCaseError> {
    let (world, totals) = (&device.world, JobTotals::of(&device.events)?);
    let open: VecMap<JobId, JobKind> = world
        .sessions
        .values()
        .flat_map(|session| session.jobs.open.iter().map(|job| (job.id, job.kind())))
        .collect();
    prop_assert_eq!(&open, &totals.open);
    for session in world.sessions.values() {
        for slot in JobSlot::ALL {
            let of_slot = session.jobs.open.iter().filter(|job| job.kind().slot() == slot).count();
            prop_assert!(of_slot <= 1, "two jobs of {:?}", slot);
        }
    }
    let core: u64 = world.sessions.values().map(|session| session.core.spent.tokens).sum();
    prop_assert_eq!(core, totals.core);
    let rows: u64 = world.compactions.values().map(|row| row.usage.total()).sum();
    prop_assert_eq!(rows, totals.compactions);
    let is_kept = |run: &crate::run::Run| {
        run.nodes.iter().any(|node| node.agent.as_ref().is_some_and(|agent| kind_of(agent).is_some()))
    };
    let sum = |kept: bool| -> u64 {
        let runs = world.runs.values().filter(|run| is_kept(run) == kept);
        runs.map(|run| run.used.tokens).sum()
    };
    let waiting =
        |session: &Session| session.jobs.of(JobSlot::Maintenance).map_or(0, |job| job.usage.total());
    let waiting: u64 = world.sessions.values().map(|session| waiting(session)).sum();
    prop_assert_eq!(sum(true) + waiting, totals.maintenance);
    prop_assert_eq!(sum(false), totals.of_runs);
    Ok(totals)
}

fn check_idle(session: &Session) -> Result<(), TestCaseError> {
    prop_assert!(session.jobs.open.is_empty(), "{:?}", session.jobs.open);
    prop_assert!(session.core.pending.is_none() && session.archivist.pending.is_none());
    Ok(())
}

impl DecideFixture {
    /// Sends a message and answers it without interruption.
    fn converse(&mut self) {
        for _ in 0..40 {
            // Commands may be rejected here, as in use.
            drop(self.run(&self.command(self.next_action(8))));
            if self.world.open_run(self.row()).is_none() {
                return;
            }
        }
    }

    /// A command for an open job: its result or a failure.
    fn job_command(&self, job: &Job, seed: usize) -> Command {
        let (session, id) = (self.session, job.id);
        let usage = Usage { input: Some(100 + self.now), output: Some(3), ..Usage::default() };
        if seed.is_multiple_of(3) {
            let failure = ProviderError::new(ProviderErrorKind::Server, "down");
            let retry_in_ms = seed.is_multiple_of(2).then_some(5);
            let failed = FailedAttempt { attempt: job.attempt(), failure, usage, retry_in_ms };
            return Command::RecordJobFailure { session, job: id, failed };
        }
        let answer = match job.kind() {
            JobKind::Sync => JobAnswer::Sync(SyncPatch {
                objective: seed.is_multiple_of(2).then(|| format!("core {}", self.now)),
                scratchpad: Some(format!("- [x] {}", self.now)),
                reasoning: "because".into(),
            }),
            JobKind::Merge => JobAnswer::Merge(Default::default()),
            JobKind::Compaction => JobAnswer::Compaction { summary: "in short".into(), tokens_after: 5 },
            JobKind::Summary => JobAnswer::Summary(SummaryAnswer {
                title: "A title".into(),
                summary: "In short.".into(),
                keywords: Vec::new(),
            }),
            JobKind::Memory => JobAnswer::Memory(vec![Fact {
                content: format!("They like {}.", self.now),
                importance: 3,
                message: Some(1),
                ..Fact::default()
            }]),
        };
        Command::RecordJob { session, job: id, answer, usage }
    }
}

/// Runs random commands and checks the jobs after each one. Returns how the jobs ended.
fn run_steps(steps: Vec<(u8, u16)>) -> Result<Vec<(JobKind, &'static str)>, TestCaseError> {
    let mut device = DecideFixture::new();
    for (step, seed) in steps {
        let seed = usize::from(seed);
        let session = device.session;
        let job = nth(0..device.row().jobs.open.len(), seed).map(|at| device.row().jobs.open[at].clone());
        let turn = device.row().head;
        let agent = device.world.agents.keys().nth(seed % 3).unwrap().clone();
        let command = match (step, job, turn) {
            (0, ..) => Command::Sync { session },
            (1, ..) => Command::OpenSync { session },
            (2, ..) => Command::Summarise { session },
            (3, ..) => Command::OpenMaintenance { session },
            (4, ..) => Command::Compact { session, agent, focus: String::new() },
            (5, ..) => Command::StopSync { session },
            (6 | 26 | 27, _, Some(other)) => {
                // No other job may work there.
                drop(device.run(&Command::Stop { session }));
                let (merge, _) = device.merge(other, None, &Resolution::Ours);
                let Command::MergeBranch(request) = merge else { unreachable!() };
                Command::AskAboutConflicts { request, conflicts: vec![ContentHash::of_text("a clash")] }
            }
            (7, ..) if seed % 3 == 0 => Command::Stop { session },
            (8, ..) if seed % 3 == 0 => Command::Recover { session },
            // The page closes while the job is open.
            (32, Some(_), _) => Command::Recover { session },
            (9, ..) if seed % 4 == 0 => {
                // The page reloads: only the events are known.
                let json = serde_json::to_string(&device.events).unwrap();
                let again: Vec<Event> = serde_json::from_str(&json).unwrap();
                device.world = fold(&World::default(), &again);
                continue;
            }
            (28..=31, ..) => {
                device.converse();
                Command::OpenMaintenance { session }
            }
            (10 | 11, ..) => device.archivist(seed).unwrap_or_else(|| device.command(21)),
            (12..=19, Some(job), _) => device.job_command(&job, seed),
            _ => device.command(device.next_action(if seed % 4 == 0 { 8 } else { 20 })),
        };
        let done = device.run(&command).is_ok();
        if done && matches!(command, Command::Stop { .. } | Command::Recover { .. }) {
            check_idle(device.row())?;
        }
        check_jobs(&device)?;
    }
    device.run(&Command::Recover { session: device.session }).unwrap();
    check_idle(device.row())?;
    let totals = check_jobs(&device)?;
    Ok(totals.ended.values().copied().collect())
}

#[test]
fn job_ends_once_and_its_usage_is_counted_once() {
    let kinds = [JobKind::Sync, JobKind::Merge, JobKind::Compaction, JobKind::Summary, JobKind::Memory];
    let hows = ["done", "failed", "cancelled", "interrupted"];
    let ends = kinds.into_iter().flat_map(|kind| hows.map(|how| (kind, how)));
    let steps = proptest::collection::vec((0u8..40, any::<u16>()), 1..120);
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(96) };
    check_until_seen(&config, ends, &steps, |steps, see| {
        run_steps(steps)?.into_iter().for_each(see);
        Ok(())
    });
}
