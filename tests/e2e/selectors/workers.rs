//! Selectors for workers.

use super::TestId;

test_ids! {
    /// The card of a worker below the tool run that started it; `data-state` is `working`, `asking`, `waiting`,
    /// `done`, `failed`, `stopped` or `lost`, `data-session` its session.
    WORKER_CARD = "worker-card";
    /// Button in it, while it waits: continue.
    WORKER_RESUME = "worker-resume";
    /// Button in it, while it works: stop the worker.
    WORKER_STOP = "worker-stop";
    /// Link in it, if it ended before its files were merged: merge them.
    WORKER_MERGE = "worker-merge";
    /// Line above the composer: a worker of another session needs the operator; `data-session` is the worker's.
    WORKER_NEED = "worker-need";
    /// Button in it: open the worker's session.
    WORKER_NEED_OPEN = "worker-need-open";
    /// Line above the composer: the current session is a worker's.
    WORKER_BACK = "worker-back";
    /// Button in it: back to the parent session.
    WORKER_BACK_TO = "worker-back-to";
    /// In the session list: worker sessions of a session, folded.
    SESSION_WORKERS = "session-workers";
    /// Button in it: open one, by `data-session`.
    SESSION_WORKER = "session-worker";
}
