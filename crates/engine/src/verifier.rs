//! Works for nodes that ask no model: runs the checks of verifiers over the session's files, and turns in terminals.
//!
//! Never decides what follows from a result, and opens no terminal that the operator has not allowed.

use std::rc::Rc;

use futures_util::future::{AbortHandle, Abortable};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};

use crate::checks::files::{is_check, state_of};
use crate::checks::{CheckReport, CheckVerdict};
use crate::client::EngineContext;
use crate::lazy::{LazyService, PeekableEvents};
use crate::port::Clock;
use crate::port::terminal::{TerminalError, TerminalKey, TerminalLog};
use nexus_model::command::{Command, GraphCommand};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{NodeId, RunId};
use nexus_model::limits::TERMINAL_TURN_MS;
use nexus_model::run::templates::{TerminalConsent, consent};
use nexus_model::run::terminal::TerminalTurn;

/// The most bytes of a terminal's output that an envelope says; all of it is in the log.
const SUMMARY_BYTES: usize = 2_000;

/// The service that runs checks and turns in terminals.
pub(crate) struct VerifierService {
    pub(crate) engine: EngineContext,
    /// `tools.requests` and `runs.state`.
    pub(crate) events: PeekableEvents,
}

impl LazyService for VerifierService {
    fn concerns(event: &Event) -> bool {
        let happening = event.happening();
        matches!(happening, Some(EventKind::ChecksRequested { .. } | EventKind::TerminalRequested { .. }))
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.engine.ports.clock.as_ref()
    }
}

/// What does the work.
struct Verifier {
    engine: EngineContext,
}

/// Whether a check file is among those that a node runs, which names files and folders.
fn is_own_check(own: &[String], name: &str) -> bool {
    let is_it = |one: &str| name == one || name.strip_prefix(one).is_some_and(|rest| rest.starts_with('/'));
    own.iter().any(|one| is_it(one.trim_end_matches('/')))
}

/// What checks came to: whether they passed, where they could be run, and the words and the data of the envelope.
struct CheckOutcome {
    passed: Option<bool>,
    summary: String,
    structured: Value,
    log: String,
}

impl CheckOutcome {
    fn not_run(summary: impl Into<String>) -> Self {
        Self { passed: None, summary: summary.into(), structured: Value::Null, log: String::new() }
    }
}

impl VerifierService {
    pub(crate) fn begin(self) {
        let Self { engine, events } = self;
        let spawn = Rc::clone(&engine.ports.spawn);
        spawn.spawn(Box::pin(Rc::new(Verifier { engine }).serve(events)));
    }
}

impl Verifier {
    /// Serves requests until the bus is gone.
    async fn serve(self: Rc<Self>, mut events: PeekableEvents) {
        let mut works: Vec<(RunId, AbortHandle)> = Vec::new();
        while let Some(event) = events.next().await {
            let (Some(run), Some(happening)) = (event.run, event.happening()) else { continue };
            let asked = if let EventKind::ChecksRequested { node, check } = happening {
                Some((node, *check, None))
            } else if let EventKind::TerminalRequested { node, turn } = happening {
                Some((node, turn.number, Some(turn.clone())))
            } else {
                None
            };
            if let Some((node, number, turn)) = asked {
                let (abort, registration) = AbortHandle::new_pair();
                works.retain(|(_, other)| !other.is_aborted());
                works.push((run, abort));
                let one = Rc::clone(&self).work(run, node.clone(), number, turn);
                let one = Abortable::new(one, registration);
                // Whether it was stopped is told by the run.
                self.engine.ports.spawn.spawn(Box::pin(one.map(|_| ())));
            } else if matches!(happening, EventKind::RunEnded { .. }) {
                works.iter().filter(|(of, _)| *of == run).for_each(|(_, abort)| abort.abort());
                works.retain(|(of, _)| *of != run);
            }
        }
    }

    async fn work(self: Rc<Self>, run: RunId, node: NodeId, check: u32, turn: Option<TerminalTurn>) {
        let outcome = match turn {
            Some(turn) => self.turn(run, &node, turn).await,
            None => self.outcome(run, &node).await,
        };
        let CheckOutcome { passed, summary, structured, log } = outcome;
        let command = GraphCommand::RecordChecks { run, node, check, passed, summary, structured, log };
        // A refusal means that the run was stopped meanwhile.
        drop(self.engine.handle.send(Command::Graph(command)).await);
    }

    async fn outcome(&self, run: RunId, node: &NodeId) -> CheckOutcome {
        let files = {
            let world = self.engine.world.borrow();
            let run = world.run(&run);
            let session = run.and_then(|run| world.session(&run.session));
            let files =
                session.and_then(|session| world.working_mind(session)).map(|mind| mind.files.clone());
            let own = run.and_then(|run| run.node(node)).map(|node| node.checks.clone()).unwrap_or_default();
            files.map(|mut files| {
                let state = state_of(&files);
                files.retain(|name, _| own.is_empty() || !is_check(name) || is_own_check(&own, name));
                (files, state)
            })
        };
        let Some((files, state)) = files else {
            return CheckOutcome::not_run("The files could not be read.");
        };
        let run = match self.engine.parts.checks().await {
            Ok(run) => run,
            Err(lost) => return CheckOutcome::not_run(lost.to_string()),
        };
        // Of all files: what other verifiers run may not change unseen either.
        let report = CheckReport { state, ..run(files).await };
        if report.no_sandbox {
            return CheckOutcome::not_run(report.envelope_summary());
        }
        // Without a test nothing is shown to work.
        let passed = Some(report.verdict() == CheckVerdict::Passed);
        let (summary, structured) = (report.envelope_summary(), report.for_model());
        CheckOutcome { passed, summary, structured, log: String::new() }
    }

    /// Has a turn in the terminal of a node, where the operator allowed it on this device.
    async fn turn(&self, run: RunId, node: &NodeId, turn: TerminalTurn) -> CheckOutcome {
        let (consent, key, is_verifier, minutes, state) = {
            let world = self.engine.world.borrow();
            let Some((run, row)) = world.run(&run).and_then(|run| Some((run, run.node(node)?))) else {
                return CheckOutcome::not_run("The run is gone.");
            };
            let key = TerminalKey { session: run.session, node: node.to_string() };
            let session = world.session(&run.session);
            let mind = session.and_then(|session| world.working_mind(session));
            let state = mind.map(|mind| state_of(&mind.files)).unwrap_or_default();
            (consent(&world, run.session, row), key, row.kind == "verifier", row.limits.minutes, state)
        };
        let Some(TerminalConsent { terminal, .. }) = consent else {
            return CheckOutcome::not_run(
                "The operator has not allowed this node its terminal on this device. Allow it in the node's panel, then resume.",
            );
        };
        let terminals = match self.engine.parts.terminals().await {
            Ok(terminals) => terminals,
            Err(lost) => return CheckOutcome::not_run(lost.to_string()),
        };
        let limit = minutes.map_or(TERMINAL_TURN_MS, |minutes| u64::from(minutes).saturating_mul(60_000));
        let TerminalLog { log, exit } = match terminals.turn(&key, &terminal, turn, limit).await {
            Ok(end) => end,
            Err(TerminalError::Unreachable) => {
                return CheckOutcome::not_run(format!("No terminal answers at {}.", terminal.address));
            }
            Err(TerminalError::Lost) => {
                return CheckOutcome::not_run("The connection to the terminal was lost.");
            }
            Err(TerminalError::TimedOut) => {
                return CheckOutcome::not_run("The turn in the terminal took too long and was interrupted.");
            }
        };
        let said = log.trim_end();
        let from = said.ceil_char_boundary(said.len().saturating_sub(SUMMARY_BYTES));
        let said = said.get(from..).unwrap_or_default();
        let (passed, summary) = match exit {
            None | Some(0) => (Some(true), said.to_owned()),
            Some(code) => (is_verifier.then_some(false), format!("Exit status {code}.\n{said}")),
        };
        // What `accept_work` looks at, as in the report of checks.
        let structured = match passed.filter(|_| is_verifier) {
            Some(passed) => {
                let verdict = if passed { CheckVerdict::Passed } else { CheckVerdict::Failed };
                json!({ "exit": exit, "state": state, "verdict": verdict.name(), "summary": summary })
            }
            None => json!({ "exit": exit }),
        };
        CheckOutcome { passed, summary, structured, log }
    }
}
