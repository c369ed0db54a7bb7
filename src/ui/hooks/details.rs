//! Reads whether a `<details>` element is open.

use leptos::ev::Event;
use leptos::prelude::event_target;
use leptos::web_sys::HtmlDetailsElement;

/// Whether the `<details>` that was toggled is open now.
pub fn is_open(toggled: &Event) -> bool {
    event_target::<HtmlDetailsElement>(toggled).open()
}
