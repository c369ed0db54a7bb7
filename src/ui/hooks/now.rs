//! Never ticks faster than people read.
//!
//! Owns the clock of what says "ago": the time now, once a second, as long as its component is there.

use std::time::Duration;

use leptos::prelude::*;

use crate::domain::id::Millis;
use crate::ui::dispatch::Dispatch;

const TICK: Duration = Duration::from_secs(1);

/// The time now, once a second.
pub(in crate::ui) fn use_now() -> Signal<Millis> {
    let dispatch = expect_context::<Dispatch>();
    let now = RwSignal::new(dispatch.now());
    if let Ok(ticking) = set_interval_with_handle(move || now.set(dispatch.now()), TICK) {
        on_cleanup(move || ticking.clear());
    }
    now.into()
}
