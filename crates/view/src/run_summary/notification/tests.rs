use super::*;
use nexus_model::testing::SeqIds;

fn one(status: RunStatus, needs_approval: bool, run: RunId, session: SessionId) -> LatestRuns {
    [(session, LatestRun { run, status, needs_approval })].into_iter().collect()
}

#[test]
fn each_reason_notifies_once() {
    let mut ids = SeqIds::default();
    let (run, session) = (RunId::new(&mut ids), SessionId::new(&mut ids));
    let state = |status, asks| one(status, asks, run, session);
    let needs = |before: &LatestRuns, after: &LatestRuns| {
        new_notifications(before, after).into_iter().map(|call| call.reason).collect::<Vec<_>>()
    };
    let works = state(RunStatus::Running, false);
    let asks = state(RunStatus::Running, true);
    let waits = state(RunStatus::Paused, false);
    let done = state(RunStatus::Completed, false);
    assert_eq!(needs(&works, &asks), [NotificationReason::Approval]);
    assert_eq!(needs(&asks, &asks), []);
    assert_eq!(needs(&asks, &works), []);
    assert_eq!(needs(&works, &waits), [NotificationReason::Pause]);
    assert_eq!(needs(&waits, &waits), []);
    assert_eq!(needs(&works, &done), [NotificationReason::Ended(RunStatus::Completed)]);
    assert_eq!(needs(&done, &done), []);
    assert_eq!(needs(&works, &state(RunStatus::Cancelled, false)), [], "cancelled by the operator");
    assert_eq!(needs(&LatestRuns::new(), &done), [], "ended before it was loaded");
    assert_eq!(needs(&LatestRuns::new(), &asks), [NotificationReason::Approval]);
}

#[test]
fn another_run_notifies_again() {
    let mut ids = SeqIds::default();
    let session = SessionId::new(&mut ids);
    let (first, second) = (RunId::new(&mut ids), RunId::new(&mut ids));
    let before = one(RunStatus::Paused, false, first, session);
    let after = one(RunStatus::Paused, false, second, session);
    assert_eq!(new_notifications(&before, &after).len(), 1);
}
