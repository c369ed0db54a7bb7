//! The list of pinned messages: excerpt, link and unpin button.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::ui::chat::message_actions::MessageAction;
use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::hooks::scroll_position;
use crate::ui::hooks::scroll_position::FocusStep;
use crate::ui::kit::keyed_list::KeyedList;
use nexus_model::session::pin::Pin;
use nexus_text::invisible::reveal;
use nexus_view::local_time::LocalTime;
use nexus_view::strings::chat::message_actions as words;

/// The controls that the arrow keys go through.
const CONTROLS: &str = ".pin-list .pin";

#[component]
pub fn PinList(serve: MessageActionsHandler) -> impl IntoView {
    let (care, local) = (serve.care, expect_context::<LocalTime>());
    let before = StoredValue::new_local(Some(scroll_position::keep_focus()));
    request_animation_frame(|| scroll_position::step(CONTROLS, FocusStep::First));
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
            "ArrowDown" => scroll_position::step(CONTROLS, FocusStep::Next),
            "ArrowUp" => scroll_position::step(CONTROLS, FocusStep::Back),
            "Home" => scroll_position::step(CONTROLS, FocusStep::First),
            "End" => scroll_position::step(CONTROLS, FocusStep::Last),
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
            care.wish(MessageAction::ToMessage(id));
        };
        let off = move |_| {
            care.wish(MessageAction::Pin(id));
            request_animation_frame(|| scroll_position::step(CONTROLS, FocusStep::First));
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
                <KeyedList each=pins key=|pin| pin.message children=item />
            </ul>
        </section>
    }
}
