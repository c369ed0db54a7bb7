//! The current time, updated once a second while its component is mounted.

use std::time::Duration;

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use nexus_model::id::Millis;

const TICK: Duration = Duration::from_secs(1);

/// The time now, once a second.
pub(crate) fn use_now() -> Signal<Millis> {
    let dispatch = expect_context::<Dispatch>();
    let now = RwSignal::new(dispatch.now());
    if let Ok(ticking) = set_interval_with_handle(move || now.set(dispatch.now()), TICK) {
        on_cleanup(move || ticking.clear());
    }
    now.into()
}
