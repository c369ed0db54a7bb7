//! Selectors for workers.

use super::Part;

parts! {
    /// The card of a worker below the tool run that sent it out; `data-state` is `working`, `asking`, `waiting`, `done`,
    /// `failed`, `stopped` or `lost`, `data-session` its session.
    WORKER_CARD = "worker-card";
    /// Button in it, while it waits: let it go on.
    WORKER_GO_ON = "worker-go-on";
    /// Button in it, while it works: stop the worker.
    WORKER_STOP = "worker-stop";
    /// Link in it, where it ended before its files were merged: merge them.
    WORKER_MERGE = "worker-merge";
    /// A line above the composer: a worker of another session needs the operator; `data-session` is the worker's.
    WORKER_NEED = "worker-need";
    /// Button in it: look at the worker's session.
    WORKER_NEED_OPEN = "worker-need-open";
    /// A line above the composer: the session in view is a worker's.
    WORKER_BACK = "worker-back";
    /// Button in it: back to the session that sent it.
    WORKER_BACK_TO = "worker-back-to";
    /// In the list of sessions: those of a session's workers, folded away.
    SESSION_WORKERS = "session-workers";
    /// Button in it: open one; `data-session` says which.
    SESSION_WORKER = "session-worker";
}
