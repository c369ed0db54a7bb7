//! Message actions of the timeline: their buttons and requests, and the slots for search, pins and menus.
//!
//! The code that performs them is loaded with the board.

pub mod find_bar;
pub mod handler;
pub mod menu;
pub mod service;

use crate::ui::chat::message_actions::service::lazy_message_actions;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::kit::icon::{AGAIN, COPY, FIND, MORE, PIN, QUOTE};
use crate::ui::prelude::*;
use nexus_view::strings::chat::message_actions as words;

#[component]
pub fn MessageActionsSlot() -> impl IntoMarkup {
    let Workspace { actions, .. } = expect_context();
    let pinned = move || actions.pins.with(Vec::len);
    let loading = load_state(lazy_message_actions);
    // A failed load is retried visibly once an action is requested.
    let is_wanted =
        select_from(move |was| was == Some(&true) || actions.queued.with(|queued| !queued.is_empty()));
    let service = move || match loading.get() {
        Some(Ok(draw)) => Some(draw()),
        Some(Err(ChunkLoadError)) if is_wanted.get() => {
            Some(view! { <LazyView load=lazy_message_actions /> })
        }
        Some(Err(ChunkLoadError)) | None => None,
    };
    view! {
        <div
            class="chat-tools" role="group" aria-label=words::TOOLS
            data-find=move || actions.is_searching.get().then_some("")
        >
            <Show when=move || pinned() != 0>
                {quiet_button(view! { {icon(PIN)} {pinned} <span class="unseen">{common::PINNED_MESSAGES}</span> })
                    .test("pins-open").title(common::PINNED_MESSAGES)
                    .with("aria-expanded", move || actions.lists.get().to_string())
                    .on_click(move |_| actions.request(MessageAction::Pins))}
            </Show>
            {quiet_button(icon(FIND)).test("find-open").title(words::FIND_ABOUT).label(words::FIND)
                .with("aria-keyshortcuts", "Control+Shift+F")
                .with("aria-expanded", move || actions.is_searching.get().to_string())
                .on_click(move |_| actions.request(MessageAction::Find))}
        </div>
        {service}
    }
}

/// Actions of a message: shown on hover or keyboard focus; one button if there is little room.
#[component]
pub fn MessageButtons(
    id: MessageId,
    stored: Selector<Option<PtrEq<Message>>>,
    /// True for the last answer of its turn: only that one can be retried.
    ends_turn: bool,
) -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, .. } = expect_context();
    let Workspace { actions, dialogs, .. } = expect_context();
    let reading = expect_context::<ReadingPosition>();
    let is_pinned = actions.pins.map(move |pins| pins.iter().any(|pin| pin.message == id));
    let is_whole = stored.map_some(move |row| row.0.status != MessageStatus::Processing);
    let button = move |name: &'static str, path, label: Selector<&'static str>, action: MessageAction| {
        quiet_button(icon(path)).test(name).named(label).on_click(move |_| actions.request(action.clone()))
    };
    // The turn that answers a message opens after the message is shown.
    let redone = stored.map_some(move |row| again(&row.0, ends_turn));
    let first = move || {
        redone.get().map(|again| {
            let (test, path, label) = match again {
                Redo::Edit => ("message-edit", EDIT, strings::tree::EDIT),
                Redo::Retry(_) => ("message-again", AGAIN, strings::tree::AGAIN),
            };
            quiet_button(icon(path)).test(test).named(label).disabled(works).on_click(move |_| match again {
                Redo::Edit => dialogs.editing.set(Some(id)),
                Redo::Retry(turn) => dispatch.try_again(turn, move || reading.newest()),
            })
        })
    };
    let pin = select(move || if is_pinned.get() { common::UNPIN.get() } else { common::PIN.get() });
    view! {
        <Show when=move || is_whole.get()>
            <div class="message-actions" role="group" aria-label=words::ACTS data-pinned=move || is_pinned.get().to_string()>
                {first}
                {button("message-copy", COPY, Selector::fixed(words::COPY.get()), MessageAction::Copy(id))}
                {button("message-quote", QUOTE, Selector::fixed(words::QUOTE.get()), MessageAction::Quote(id))}
                {button("message-pin", PIN, pin, MessageAction::Pin(id))}
                {quiet_button(icon(MORE)).test("message-more").named(words::MORE)
                    .with("aria-haspopup", "menu")
                    .with("aria-expanded", move || (actions.menu.get() == Some(id)).to_string())
                    .on_click(move |_| actions.request(MessageAction::Menu(id)))}
            </div>
        </Show>
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Redo {
    Edit,
    Retry(TurnId),
}

/// The operator's messages can be edited, answers retried; messages between agents neither.
fn again(message: &Message, ends_turn: bool) -> Option<Redo> {
    let turn = message.turn?;
    match message.role {
        Role::User => message.is_question().then_some(Redo::Edit),
        Role::Assistant => ends_turn.then_some(Redo::Retry(turn)),
        Role::System | Role::Tool => None,
    }
}

/// Links from a tool run to the message that requested it, and to the files that it changed.
#[component]
pub fn ToolLinks(asked_by: MessageId, files: Vec<String>) -> impl IntoMarkup {
    let Workspace { actions, .. } = expect_context();
    let file = move |name: String| {
        let label = words::open_file(&name);
        quiet_button(label)
            .test("tool-file")
            .on_click(move |_| actions.request(MessageAction::ToFile(name.clone())))
    };
    view! {
        <div class="tool-actions">
            {quiet_button(words::TO_MESSAGE).test("tool-message")
                .on_click(move |_| actions.request(MessageAction::ToMessage(asked_by)))}
            {files.into_iter().map(file)}
        </div>
    }
}
