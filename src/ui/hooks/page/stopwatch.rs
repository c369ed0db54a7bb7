//! The time since the page began, for measuring how long something takes.

use leptos::prelude::window;

/// In milliseconds and parts of one.
pub fn milliseconds() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
