//! A task that is restarted or stopped while it runs.

use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use leptos::prelude::on_cleanup;
use leptos::task::spawn_local;

use crate::ui::kit::stored::StoredValue;

/// At most one running task. It ends with the component that created this.
#[derive(Clone, Copy)]
pub struct Task(StoredValue<Option<AbortHandle>>);

impl Task {
    pub fn here() -> Self {
        let this = Self(StoredValue::new(None));
        on_cleanup(move || this.abort());
        this
    }

    /// Runs a task, and aborts the one before.
    pub fn start(self, work: impl Future<Output = ()> + 'static) {
        self.abort();
        let (abort, registration) = AbortHandle::new_pair();
        self.0.set_value(Some(abort));
        let work: LocalBoxFuture<'static, ()> = Box::pin(work);
        spawn_local(async move { Abortable::new(work, registration).await.unwrap_or_default() });
    }

    pub fn abort(self) {
        if let Some(running) = self.0.try_update_value(Option::take).flatten() {
            running.abort();
        }
    }
}
