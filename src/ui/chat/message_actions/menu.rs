//! The menu of a message: its actions and links, including those of its turn.

use leptos::ev::{self, KeyboardEvent};

use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::hooks::scroll_position;
use crate::ui::hooks::scroll_position::FocusStep;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::inspect_path;
use crate::ui::workspace::message_actions::MessageAction;
use nexus_model::id::MessageId;
use nexus_model::message::Role;
use nexus_view::strings::chat::message_actions as words;

const ENTRIES: &str = ".message-menu [role=menuitem]";
/// How much room it wants, in pixels.
const ROOM: f64 = 300.0;

#[component]
pub fn MessageMenu(id: MessageId, serve: MessageActionsHandler) -> impl IntoMarkup {
    let care = serve.care;
    let message = serve.message(id)?;
    let opener = format!("#message-{id} [data-testid=message-more]");
    let (end, top) =
        scroll_position::below(&opener, ROOM).unwrap_or_else(|| ("8px".to_owned(), "8px".to_owned()));
    let before = StoredValue::new_local(Some(scroll_position::keep_focus()));
    request_animation_frame(|| scroll_position::step(ENTRIES, FocusStep::First));
    let leave = move || care.menu.set(None);
    let close = move || {
        leave();
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            before.give_back();
        }
    };
    // A click elsewhere closes it; one on what opened it is its own matter.
    let elsewhere = window_event_listener(ev::pointerdown, move |event| {
        if !scroll_position::is_within(&event, &format!(".message-menu, {opener}")) {
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
            "ArrowDown" => scroll_position::step(ENTRIES, FocusStep::Next),
            "ArrowUp" => scroll_position::step(ENTRIES, FocusStep::Back),
            "Home" => scroll_position::step(ENTRIES, FocusStep::First),
            "End" => scroll_position::step(ENTRIES, FocusStep::Last),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let entry = move |name: &'static str, told: String, stays: bool, wish: MessageAction| {
        let choose = move |_| {
            // What leads elsewhere takes the focus along.
            if stays {
                close()
            } else {
                leave()
            }
            care.wish(wish.clone());
        };
        view! {
            <button type="button" role="menuitem" tabindex="-1" data-testid=name on:click=choose>{told}</button>
        }
    };
    let pinned = care.pins.with_untracked(|pins| pins.iter().any(|pin| pin.message == id));
    let pin = if pinned { words::UNPIN } else { words::PIN };
    let mut entries = vec![
        entry("menu-copy", words::COPY.to_owned(), true, MessageAction::Copy(id)),
        entry("menu-quote", words::QUOTE.to_owned(), false, MessageAction::Quote(id)),
        entry("menu-pin", pin.to_owned(), true, MessageAction::Pin(id)),
    ];
    for tool in &message.metadata.tool_run_ids {
        let Some(run) = serve.past.with_untracked(|world| world.tool_run(tool).cloned()) else { continue };
        let touched: Vec<_> = run.touched.iter().map(|touched| touched.field.clone()).collect();
        let told = words::to_tool(&run.call.name, &touched.join(", "));
        entries.push(entry("menu-tool", told, false, MessageAction::ToTool(*tool)));
        for touched in run.touched.iter().filter(|touched| touched.is_file) {
            let told = words::open_file(&touched.field);
            entries.push(entry("menu-file", told, false, MessageAction::ToFile(touched.field.clone())));
        }
    }
    let is_deletable = message.deleted_at.is_none()
        && message.session == serve.dispatch.session()
        && matches!(message.role, Role::User | Role::Assistant);
    let sure = RwSignal::new(false);
    let delete = move |_| {
        if sure.get_untracked() {
            close();
            care.wish(MessageAction::Delete(id));
        } else {
            sure.set(true);
        }
    };
    let delete = is_deletable.then(|| {
        let told = move || if sure.get() { words::DELETE_SURE } else { words::DELETE };
        view! {
            <button
                type="button" role="menuitem" tabindex="-1" data-testid="menu-delete" title=words::DELETE_ABOUT
                on:click=delete
            >
                {told}
            </button>
        }
    });
    let inspect = message.turn.filter(|_| message.role == Role::Assistant).map(|turn| {
        view! {
            <a role="menuitem" tabindex="-1" data-testid="menu-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
        }
    });
    Some(view! {
        <div
            class="message-menu" role="menu" aria-label=words::ACTS data-testid="message-menu"
            style:inset-inline-end=end style:inset-block-start=top on:keydown=key
        >
            {entries}
            {inspect}
            {delete}
        </div>
    })
}
