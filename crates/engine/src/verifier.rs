//! Executes nodes that use no model: runs verifiers' checks of the session's files, and turns in terminals.
//!
//! Never decides what follows from a result, and opens only terminals that the operator has allowed.

use crate::checks::files::{is_check, state_of};
use crate::checks::{CheckReport, CheckVerdict};
use crate::client::EngineContext;
use crate::lazy::{LazyService, PeekableEvents};
use crate::port::lazy::{TerminalError, TerminalKey, TerminalLog};
use crate::prelude::*;
use futures_util::future::AbortHandle;
use nexus_model::command::CheckResult;
use nexus_model::limits::TERMINAL_TURN_MS;
use nexus_model::run::templates::{TerminalConsent, consent};
use nexus_model::run::terminal::TerminalTurn;

/// Max bytes of a terminal's output in an envelope; the log has all of it.
const SUMMARY_BYTES: usize = 2_000;

pub(crate) struct VerifierService {
    pub(crate) engine: EngineContext,
    /// `tools.requests` and `runs.state`.
    pub(crate) events: PeekableEvents,
}

impl LazyService for VerifierService {
    fn handles(event: &Event) -> bool {
        let kind = event.known_kind();
        matches!(kind, Some(EventKind::ChecksRequested { .. } | EventKind::TerminalRequested { .. }))
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }
}

/// True if a check file is among those that a node runs, which names files and folders.
fn is_own_check(own: &[String], name: &str) -> bool {
    let matches = |one: &str| name == one || name.strip_prefix(one).is_some_and(|rest| rest.starts_with('/'));
    own.iter().any(|one| matches(one.trim_end_matches('/')))
}

impl VerifierService {
    pub(crate) fn begin(self) {
        let Self { engine, events } = self;
        engine.start(serve(engine.clone(), events));
    }
}

async fn serve(engine: EngineContext, mut events: PeekableEvents) {
    let mut running: Vec<(RunId, AbortHandle)> = Vec::new();
    while let Some(event) = events.next().await {
        let (Some(run), Some(kind)) = (event.run, event.known_kind()) else { continue };
        let request = if let EventKind::ChecksRequested { node, check } = kind {
            Some((node, *check, None))
        } else if let EventKind::TerminalRequested { node, turn } = kind {
            Some((node, turn.number, Some(turn.clone())))
        } else {
            None
        };
        if let Some((node, number, turn)) = request {
            running.retain(|(_, other)| !other.is_aborted());
            // The run records that it was stopped.
            let work = work(engine.clone(), run, node.clone(), number, turn);
            running.push((run, engine.start(work)));
        } else if matches!(
            kind,
            // A session that moves to another tab works on there.
            EventKind::RunEnded { .. } | EventKind::RunPaused { cause: PauseCause::Interrupted }
        ) {
            running.iter().filter(|(of, _)| *of == run).for_each(|(_, abort)| abort.abort());
            running.retain(|(of, _)| *of != run);
        }
    }
}

async fn work(engine: EngineContext, run: RunId, node: NodeId, check: u32, turn: Option<TerminalTurn>) {
    let outcome = match turn {
        Some(turn) => run_terminal(&engine, run, &node, turn).await,
        None => run_checks(&engine, run, &node).await,
    };
    let result = outcome.unwrap_or_else(|summary| CheckResult {
        passed: None,
        summary,
        structured: Value::Null,
        log: String::new(),
    });
    let command = Command::RecordChecks { run, node, check, result };
    // A rejection means that the run was stopped meanwhile.
    engine.tell(command).await;
}

/// Runs the checks of a node; the error says why they did not run.
async fn run_checks(engine: &EngineContext, run: RunId, node: &NodeId) -> Result<CheckResult, String> {
    let files = {
        let world = engine.world.borrow();
        let run = world.run(&run);
        let session = run.and_then(|run| world.session(&run.session));
        let files = session.and_then(|session| world.working_mind(session)).map(|mind| mind.files.clone());
        let own = run.and_then(|run| run.node(node)).map(|node| node.checks.clone()).unwrap_or_default();
        files.map(|mut files| {
            let state = state_of(&files);
            files.retain(|name, _| own.is_empty() || !is_check(name) || is_own_check(&own, name));
            (files, state)
        })
    };
    let (files, state) = files.ok_or("The files could not be read.")?;
    let run = engine.parts.checks().await.map_err(|error| error.to_string())?;
    // Of all files: the checks of other verifiers must not change unnoticed either.
    let report = CheckReport { state, ..run(files).await };
    if report.no_sandbox {
        return Err(report.envelope_summary());
    }
    // Without tests nothing is proven.
    let passed = Some(report.verdict() == CheckVerdict::Passed);
    let (summary, structured) = (report.envelope_summary(), report.for_model());
    Ok(CheckResult { passed, summary, structured, log: String::new() })
}

/// Runs a turn in the terminal of a node, if the operator allowed it on this device; the error says why not.
async fn run_terminal(
    engine: &EngineContext,
    run: RunId,
    node: &NodeId,
    turn: TerminalTurn,
) -> Result<CheckResult, String> {
    let (consent, key, is_verifier, minutes, state) = {
        let world = engine.world.borrow();
        let run = world.run(&run).ok_or("The run is gone.")?;
        let row = run.node(node).ok_or("The run is gone.")?;
        let key = TerminalKey { session: run.session, node: node.to_string() };
        let session = world.session(&run.session);
        let mind = session.and_then(|session| world.working_mind(session));
        let state = mind.map(|mind| state_of(&mind.files)).unwrap_or_default();
        (consent(&world, run.session, row), key, row.kind == "verifier", row.limits.minutes, state)
    };
    let TerminalConsent { terminal, .. } = consent.ok_or(
        "The operator has not allowed this node its terminal on this device. Allow it in the node's panel, then resume.",
    )?;
    let terminals = engine.parts.terminals().await.map_err(|error| error.to_string())?;
    let limit = minutes.map_or(TERMINAL_TURN_MS, |minutes| u64::from(minutes).saturating_mul(60_000));
    let ended = terminals.turn(&key, &terminal, turn, limit).await;
    let TerminalLog { log, exit } = ended.map_err(|error| match error {
        TerminalError::Unreachable => format!("No terminal answers at {}.", terminal.address),
        TerminalError::Lost => "The connection to the terminal was lost.".to_owned(),
        TerminalError::TimedOut => "The turn in the terminal took too long and was interrupted.".to_owned(),
    })?;
    let text = log.trim_end();
    let from = text.ceil_char_boundary(text.len().saturating_sub(SUMMARY_BYTES));
    let text = text.get(from..).unwrap_or_default();
    let (passed, summary) = match exit {
        None | Some(0) => (Some(true), text.to_owned()),
        Some(code) => (is_verifier.then_some(false), format!("Exit status {code}.\n{text}")),
    };
    // `accept_work` reads this, as in the report of checks.
    let structured = match passed.filter(|_| is_verifier) {
        Some(passed) => {
            let verdict = if passed { CheckVerdict::Passed } else { CheckVerdict::Failed };
            json!({ "exit": exit, "state": state, "verdict": verdict.name(), "summary": summary })
        }
        None => json!({ "exit": exit }),
    };
    Ok(CheckResult { passed, summary, structured, log })
}
