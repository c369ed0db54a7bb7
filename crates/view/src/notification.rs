//! Decides when to notify an operator who is away from the page.
//!
//! Reasons are a tool that needs approval, a paused run, an answer that ends in a question, and a finished run.
//! Compares two snapshots of all sessions, so each reason notifies once.

use crate::run_summary::{OpenQuestion, catch_up};
use nexus_model::id::{RunId, SessionId};
use nexus_model::run::{NodeStatus, RunStatus};
use nexus_model::session::{Session, SessionRole, SessionStatus};
use nexus_model::world::World;
use nexus_text::vec_map::VecMap;

/// Why the operator is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationReason {
    /// An agent asks to be allowed a tool.
    Approval,
    Pause,
    /// The run is over, and an answer ends with a question.
    Question,
    Ended(RunStatus),
}

/// How the newest run of a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestRun {
    pub run: RunId,
    pub status: RunStatus,
    /// Whether it asks about a tool.
    pub asks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunNotification {
    pub session: SessionId,
    pub run: RunId,
    pub need: NotificationReason,
}

/// How the newest runs of all sessions stand.
pub type LatestRuns = VecMap<SessionId, LatestRun>;

/// How the newest runs of all open sessions stand, as far as they are loaded.
pub fn standings(world: &World) -> LatestRuns {
    let open = |status| match status {
        SessionStatus::Open => true,
        SessionStatus::Archived | SessionStatus::Closed => false,
    };
    let sessions =
        world.sessions.values().filter(|session| open(session.status) && session.role() != SessionRole::Jobs);
    let standing = |id: &RunId| {
        let run = world.run(id)?;
        let asks = run.nodes.iter().any(|node| node.status == NodeStatus::Blocked);
        Some(LatestRun { run: run.id, status: run.status, asks: asks && run.status == RunStatus::Running })
    };
    // That a worker is done is told to who sent it; the operator is called where it needs them.
    let counts = |session: &Session, stands: &LatestRun| {
        // What a lane of a race needs, the session that asked needs.
        match session.role() {
            SessionRole::Candidate => false,
            SessionRole::Worker => stands.asks || stands.status == RunStatus::Paused,
            SessionRole::Conversation | SessionRole::Jobs => true,
        }
    };
    sessions
        .filter_map(|session| Some((session, standing(session.run.as_ref()?)?)))
        .filter(|(session, stands)| counts(session, stands))
        .map(|(session, stands)| (session.id, stands))
        .collect()
}

/// What the operator is called for, between two looks. A run that was not there before calls only while it needs
/// something: one that was over when it was loaded is no news.
pub fn calls(before: &LatestRuns, after: &LatestRuns) -> Vec<RunNotification> {
    let call = |(session, now): (&SessionId, &LatestRun)| {
        let was = before.get(session).filter(|was| was.run == now.run);
        let need = match now.status {
            RunStatus::Running if now.asks && !was.is_some_and(|was| was.asks) => {
                NotificationReason::Approval
            }
            RunStatus::Paused if was.is_none_or(|was| was.status != RunStatus::Paused) => {
                NotificationReason::Pause
            }
            // The operator ended it.
            RunStatus::Cancelled | RunStatus::TimedOut => return None,
            RunStatus::Completed | RunStatus::Failed if was.is_some_and(|was| is_open(was.status)) => {
                NotificationReason::Ended(now.status)
            }
            RunStatus::Queued
            | RunStatus::Running
            | RunStatus::Paused
            | RunStatus::Completed
            | RunStatus::Failed => return None,
        };
        Some(RunNotification { session: *session, run: now.run, need })
    };
    after.iter().filter_map(call).collect()
}

/// A call with what the answers say: the end of a run that leaves a question is one.
pub fn heard(world: &World, call: RunNotification) -> RunNotification {
    let asked = |question: &OpenQuestion| matches!(question, OpenQuestion::Asked { .. });
    let leaves_one = || {
        catch_up(world, call.session)
            .is_some_and(|caught| caught.run == call.run && caught.questions.iter().any(asked))
    };
    match call.need {
        NotificationReason::Ended(RunStatus::Completed) if leaves_one() => {
            RunNotification { need: NotificationReason::Question, ..call }
        }
        NotificationReason::Approval
        | NotificationReason::Pause
        | NotificationReason::Question
        | NotificationReason::Ended(_) => call,
    }
}

fn is_open(status: RunStatus) -> bool {
    match status {
        RunStatus::Queued | RunStatus::Running | RunStatus::Paused => true,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled | RunStatus::TimedOut => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::testing::SeqIds;

    fn one(status: RunStatus, asks: bool, run: RunId, session: SessionId) -> LatestRuns {
        [(session, LatestRun { run, status, asks })].into_iter().collect()
    }

    #[test]
    fn each_need_calls_once() {
        let mut ids = SeqIds::default();
        let (run, session) = (RunId::new(&mut ids), SessionId::new(&mut ids));
        let stands = |status, asks| one(status, asks, run, session);
        let needs = |before: &LatestRuns, after: &LatestRuns| {
            calls(before, after).into_iter().map(|call| call.need).collect::<Vec<_>>()
        };
        let works = stands(RunStatus::Running, false);
        let asks = stands(RunStatus::Running, true);
        let waits = stands(RunStatus::Paused, false);
        let done = stands(RunStatus::Completed, false);
        assert_eq!(needs(&works, &asks), [NotificationReason::Approval]);
        assert_eq!(needs(&asks, &asks), []);
        assert_eq!(needs(&asks, &works), []);
        assert_eq!(needs(&works, &waits), [NotificationReason::Pause]);
        assert_eq!(needs(&waits, &waits), []);
        assert_eq!(needs(&works, &done), [NotificationReason::Ended(RunStatus::Completed)]);
        assert_eq!(needs(&done, &done), []);
        assert_eq!(needs(&works, &stands(RunStatus::Cancelled, false)), [], "the operator did that");
        assert_eq!(needs(&LatestRuns::new(), &done), [], "it was over when it was loaded");
        assert_eq!(needs(&LatestRuns::new(), &asks), [NotificationReason::Approval]);
    }

    #[test]
    fn another_run_is_another_matter() {
        let mut ids = SeqIds::default();
        let session = SessionId::new(&mut ids);
        let (first, second) = (RunId::new(&mut ids), RunId::new(&mut ids));
        let before = one(RunStatus::Paused, false, first, session);
        let after = one(RunStatus::Paused, false, second, session);
        assert_eq!(calls(&before, &after).len(), 1);
    }
}
