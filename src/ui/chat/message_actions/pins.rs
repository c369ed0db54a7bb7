//! The list of pinned messages: excerpt, link and unpin button.

use leptos::ev::KeyboardEvent;

use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::hooks::scroll_position;
use crate::ui::hooks::scroll_position::FocusStep;
use crate::ui::kit::prelude::*;
use crate::ui::workspace::message_actions::MessageAction;
use nexus_model::session::Pin;
use nexus_text::invisible::reveal;
use nexus_text::markdown::tree::plain;
use nexus_view::local_time::LocalTime;
use nexus_view::strings::chat::message_actions as words;

/// The controls that the arrow keys go through.
const CONTROLS: &str = ".pin-list .pin";

#[component]
pub fn PinList(serve: MessageActionsHandler) -> impl IntoMarkup {
    let (care, local) = (serve.care, expect_context::<LocalTime>());
    let before = StoredValue::new(Some(scroll_position::keep_focus()));
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
        view! {
            <li>
                <button type="button" class="pin" data-testid="pin" on:click=go>
                    <span class="pin-head">{reveal(&who)}" · "{at}</span>
                    <span class="pin-text" dir="auto">{reveal(&plain(&pin.begins))}</span>
                </button>
                {icon_button(icon(icon::CLOSE)).test("pin-off").title(words::UNPIN)
                    .label(format!("{}: {}", words::UNPIN, reveal(&plain(&pin.begins)))).on_click(off)}
            </li>
        }
    };
    let pins = move || care.pins.with(|pins| pins.iter().rev().cloned().collect());
    view! {
        <section class="pin-panel" role="dialog" aria-label=words::PINS data-testid="pins" on:keydown=key>
            <header>
                <h2 class="label">{words::PINS}</h2>
                {icon_button(icon(icon::CLOSE)).test("pins-close").title(words::PINS_CLOSE).label(words::PINS_CLOSE)
                    .on_click(move |_| close())}
            </header>
            <ul class="pin-list">{keyed_list(pins, |pin| pin.message, item)}</ul>
        </section>
    }
}
