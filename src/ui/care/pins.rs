//! Never shows a message as anything but words.
//!
//! Owns the list of pinned messages: how each begins, the way to it, and taking its pin off.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::domain::pin::Pin;
use crate::domain::text::hidden::reveal;
use crate::ui::care::Wish;
use crate::ui::care::serve::Serve;
use crate::ui::each::Each;
use crate::ui::hooks::spot::{self, Step};
use crate::ui::local_time::LocalTime;
use crate::ui::words::care as words;

/// The controls that the arrow keys go through.
const CONTROLS: &str = ".pin-list .pin";

/// The list.
#[component]
pub fn PinList(
    /// Who serves the timeline.
    serve: Serve,
) -> impl IntoView {
    let (care, local) = (serve.care, expect_context::<LocalTime>());
    let before = StoredValue::new_local(Some(spot::keep_focus()));
    request_animation_frame(|| spot::step(CONTROLS, Step::First));
    let close = move || {
        care.lists.set(false);
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            before.give_back();
        }
    };
    // The last pin that goes takes its list along.
    Effect::new(move |_| {
        if care.pins.with(Vec::is_empty) {
            care.lists.set(false);
        }
    });
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => close(),
            "ArrowDown" => spot::step(CONTROLS, Step::Next),
            "ArrowUp" => spot::step(CONTROLS, Step::Back),
            "Home" => spot::step(CONTROLS, Step::First),
            "End" => spot::step(CONTROLS, Step::Last),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let item = move |pin: Pin| {
        let id = pin.message;
        let who = serve.name(pin.role, pin.agent.as_ref());
        let now = serve.dispatch.now();
        let at = format!("{} {}", local.day(pin.at, now), local.clock(pin.at));
        let go = move |_| {
            care.lists.set(false);
            care.wish(Wish::ToMessage(id));
        };
        let off = move |_| {
            care.wish(Wish::Pin(id));
            request_animation_frame(|| spot::step(CONTROLS, Step::First));
        };
        view! { class="n",
            <li>
                <button type="button" class="pin" data-testid="pin" on:click=go>
                    <span class="pin-head">{reveal(&who)}" · "{at}</span>
                    <span class="pin-text" dir="auto">{reveal(&pin.begins)}</span>
                </button>
                <button
                    type="button"
                    class="icon"
                    data-testid="pin-off"
                    title=words::UNPIN
                    aria-label=format!("{}: {}", words::UNPIN, reveal(&pin.begins))
                    on:click=off
                >
                    {"×"}
                </button>
            </li>
        }
    };
    let pins = move || care.pins.with(|pins| pins.iter().rev().cloned().collect());
    view! { class="n",
        <section class="pin-panel" role="dialog" aria-label=words::PINS data-testid="pins" on:keydown=key>
            <header>
                <h2 class="label">{words::PINS}</h2>
                <button
                    type="button"
                    class="icon"
                    data-testid="pins-close"
                    title=words::PINS_CLOSE
                    aria-label=words::PINS_CLOSE
                    on:click=move |_| close()
                >
                    {"×"}
                </button>
            </header>
            <ul class="pin-list">
                <Each each=pins key=|pin| pin.message children=item />
            </ul>
        </section>
    }
}
