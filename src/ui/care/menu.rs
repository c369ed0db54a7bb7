//! Never holds an entry that does nothing.
//!
//! Owns the menu of a message: all that can be done with it, and where it leads. Other things that can be done with a turn
//! add their entries here.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;

use crate::domain::id::MessageId;
use crate::domain::message::Role;
use crate::ui::care::Wish;
use crate::ui::care::serve::Serve;
use crate::ui::hooks::spot::{self, Step};
use crate::ui::look_back::inspect_path;
use crate::ui::words::care as words;

/// The entries, in order.
const ENTRIES: &str = ".message-menu [role=menuitem]";
/// How much room it wants, in pixels.
const ROOM: f64 = 260.0;

/// The menu.
#[component]
pub fn MessageMenu(
    /// The message.
    id: MessageId,
    /// Who serves the timeline.
    serve: Serve,
) -> impl IntoView {
    let care = serve.care;
    let message = serve.message(id)?;
    let opener = format!("#message-{id} [data-testid=message-more]");
    let (end, top) = spot::below(&opener, ROOM).unwrap_or_else(|| ("8px".to_owned(), "8px".to_owned()));
    let before = StoredValue::new_local(Some(spot::keep_focus()));
    request_animation_frame(|| spot::step(ENTRIES, Step::First));
    let leave = move || care.menu.set(None);
    let close = move || {
        leave();
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            before.give_back();
        }
    };
    // A click elsewhere closes it; one on what opened it is its own matter.
    let elsewhere = window_event_listener(ev::pointerdown, move |event| {
        if !spot::is_within(&event, &format!(".message-menu, {opener}")) {
            leave();
        }
    });
    on_cleanup(move || elsewhere.remove());
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => close(),
            "Tab" => {
                close();
                return;
            }
            "ArrowDown" => spot::step(ENTRIES, Step::Next),
            "ArrowUp" => spot::step(ENTRIES, Step::Back),
            "Home" => spot::step(ENTRIES, Step::First),
            "End" => spot::step(ENTRIES, Step::Last),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let entry = move |name: &'static str, told: String, stays: bool, wish: Wish| {
        let choose = move |_| {
            // What leads elsewhere takes the focus along.
            if stays {
                close()
            } else {
                leave()
            }
            care.wish(wish.clone());
        };
        view! { class="n",
            <button type="button" role="menuitem" tabindex="-1" data-testid=name on:click=choose>{told}</button>
        }
        .into_any()
    };
    let pinned = care.pins.with_untracked(|pins| pins.iter().any(|pin| pin.message == id));
    let pin = if pinned { words::UNPIN } else { words::PIN };
    let mut entries = vec![
        entry("menu-copy", words::COPY.to_owned(), true, Wish::Copy(id)),
        entry("menu-quote", words::QUOTE.to_owned(), false, Wish::Quote(id)),
        entry("menu-pin", pin.to_owned(), true, Wish::Pin(id)),
    ];
    for tool in &message.metadata.tool_run_ids {
        let Some(run) = serve.past.fold_untracked(|world| world.tool_run(tool).cloned()) else { continue };
        let touched: Vec<_> = run.touched.iter().map(|touched| touched.field.clone()).collect();
        let told = words::to_tool(&run.call.name, &touched.join(", "));
        entries.push(entry("menu-tool", told, false, Wish::ToTool(*tool)));
        for touched in run.touched.iter().filter(|touched| touched.is_file) {
            let told = words::open_file(&touched.field);
            entries.push(entry("menu-file", told, false, Wish::ToFile(touched.field.clone())));
        }
    }
    let inspect = message.turn.filter(|_| message.role == Role::Assistant).map(|turn| {
        view! { class="n",
            <a role="menuitem" tabindex="-1" data-testid="menu-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
        }
    });
    Some(view! { class="n",
        <div
            class="message-menu"
            role="menu"
            aria-label=words::ACTS
            data-testid="message-menu"
            style:inset-inline-end=end
            style:inset-block-start=top
            on:keydown=key
        >
            {entries}
            {inspect}
        </div>
    })
}
