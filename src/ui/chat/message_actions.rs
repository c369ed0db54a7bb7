//! Message actions of the timeline: their buttons and requests, and the slots for search, pins and menus.
//!
//! The code that carries them out is loaded with the board.

pub mod alerts;
pub mod ask;
pub mod find_bar;
pub mod menu;
pub mod pins;
mod placing;
pub mod serve;
mod trigger_news;

use leptos::prelude::*;

use crate::ui::kit::lazy_view::{LazyView, asked};
use crate::ui::shell::screens;
use nexus_engine::lazy::ChunkLoadError;
use nexus_model::id::{MessageId, ToolRunId};
use nexus_model::message::{Message, MessageStatus};
use nexus_model::session::Target;
use nexus_model::session::pin::Pin;
use nexus_view::strings::chat::message_actions as words;
use nexus_view::timeline::PtrEq;

/// What the operator wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAction {
    /// The source of a message in the clipboard.
    Copy(MessageId),
    /// A message in the composer, as a quotation.
    Quote(MessageId),
    /// A message pinned, or its pin taken off.
    Pin(MessageId),
    /// All that can be done with a message.
    Menu(MessageId),
    ToMessage(MessageId),
    ToTool(ToolRunId),
    ToFile(String),
    /// To be led to what changed a file last.
    ToChange(String),
    Find,
    /// To see what is pinned.
    Pins,
}

/// The care for the timeline, as the war room knows it.
#[derive(Clone, Copy)]
pub struct MessageActionsState {
    wishes: RwSignal<Vec<MessageAction>>,
    /// What is pinned; the part that serves keeps it.
    pub pins: RwSignal<Vec<Pin>>,
    /// Whether the bar that finds is open.
    pub finds: RwSignal<bool>,
    /// Whether the list of pins is open.
    pub lists: RwSignal<bool>,
    /// The message whose menu is open.
    pub menu: RwSignal<Option<MessageId>>,
    pub target: RwSignal<Target>,
}

impl MessageActionsState {
    /// Nothing is wanted yet.
    pub(crate) fn new() -> Self {
        Self {
            wishes: RwSignal::new(Vec::new()),
            pins: RwSignal::new(Vec::new()),
            finds: RwSignal::new(false),
            lists: RwSignal::new(false),
            menu: RwSignal::new(None),
            target: RwSignal::new(Target::All),
        }
    }

    /// Wants something.
    pub fn wish(self, wish: MessageAction) {
        self.wishes.update(|wishes| wishes.push(wish));
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<MessageAction> {
        if self.wishes.with(Vec::is_empty) {
            return Vec::new();
        }
        self.wishes.try_update(std::mem::take).unwrap_or_default()
    }
}

/// Finding and pins, above the timeline.
#[component]
pub fn MessageActionsSlot() -> impl IntoView {
    let care = expect_context::<MessageActionsState>();
    let pinned = move || care.pins.with(Vec::len);
    let came = asked(screens::care);
    // A part that did not come is asked for again, in sight, once something of it is wanted.
    let is_wanted = Memo::new(move |was| was == Some(&true) || care.wishes.with(|wishes| !wishes.is_empty()));
    let served = move || match came.get() {
        Some(Ok(draw)) => Some(draw()),
        Some(Err(ChunkLoadError)) if is_wanted.get() => {
            Some(view! { class="n", <LazyView load=screens::care /> }.into_any())
        }
        Some(Err(ChunkLoadError)) | None => None,
    };
    view! { class="n",
        <div class="chat-tools" role="group" aria-label=words::TOOLS>
            <Show when=move || pinned() != 0>
                <button
                    type="button"
                    class="quiet"
                    data-testid="pins-open"
                    title=words::PINS
                    aria-expanded=move || care.lists.get().to_string()
                    on:click=move |_| care.wish(MessageAction::Pins)
                >
                    {sign(PIN)}
                    {pinned}
                    <span class="unseen">{words::PINS}</span>
                </button>
            </Show>
            <button
                type="button"
                class="quiet"
                data-testid="find-open"
                title=words::FIND_ABOUT
                aria-label=words::FIND
                aria-keyshortcuts="Control+Shift+F"
                aria-expanded=move || care.finds.get().to_string()
                on:click=move |_| care.wish(MessageAction::Find)
            >
                {sign(FIND)}
            </button>
        </div>
        {served}
    }
}

const COPY: &str = "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z";
const QUOTE: &str = "M3 11.5c2-.4 3-1.7 3-3.6V4.5H2.8v3.4h2M10 11.5c2-.4 3-1.7 3-3.6V4.5H9.8v3.4h2";
const PIN: &str = "M6 2.5h4l-.6 4 2.1 2.2H4.5l2.1-2.2zM8 8.7v4.8";
const MORE: &str = "M3.5 8h.01M8 8h.01M12.5 8h.01";
const FIND: &str = "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2";

fn sign(path: &'static str) -> AnyView {
    view! { class="n",
        <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d=path />
        </svg>
    }
    .into_any()
}

/// What can be done with a message: quiet until it is looked at or reached by keyboard; one button where there is little
/// room.
#[component]
pub fn MessageButtons(id: MessageId, stored: Signal<Option<PtrEq<Message>>>) -> impl IntoView {
    let care = expect_context::<MessageActionsState>();
    let is_pinned = Memo::new(move |_| care.pins.with(|pins| pins.iter().any(|pin| pin.message == id)));
    let is_whole = Memo::new(move |_| {
        stored.with(|row| row.as_ref().is_some_and(|row| row.0.status != MessageStatus::Processing))
    });
    let button = move |name: &'static str, path, told: Signal<&'static str>, wish: MessageAction| {
        view! { class="n",
            <button
                type="button"
                class="quiet"
                data-testid=name
                title=move || told.get()
                aria-label=move || told.get()
                on:click=move |_| care.wish(wish.clone())
            >
                {sign(path)}
            </button>
        }
    };
    let pin = Signal::derive(move || if is_pinned.get() { words::UNPIN } else { words::PIN });
    view! { class="n",
        <Show when=move || is_whole.get()>
            <div class="message-acts" role="group" aria-label=words::ACTS data-pinned=move || is_pinned.get().to_string()>
                {button("message-copy", COPY, Signal::stored(words::COPY), MessageAction::Copy(id))}
                {button("message-quote", QUOTE, Signal::stored(words::QUOTE), MessageAction::Quote(id))}
                {button("message-pin", PIN, pin, MessageAction::Pin(id))}
                <button
                    type="button"
                    class="quiet"
                    data-testid="message-more"
                    title=words::MORE
                    aria-label=words::MORE
                    aria-haspopup="menu"
                    aria-expanded=move || (care.menu.get() == Some(id)).to_string()
                    on:click=move |_| care.wish(MessageAction::Menu(id))
                >
                    {sign(MORE)}
                </button>
            </div>
        </Show>
    }
}

/// What leads from a tool run to the message that asked for it, and to the files that it changed.
#[component]
pub fn ToolLinks(asked_by: MessageId, files: Vec<String>) -> impl IntoView {
    let care = expect_context::<MessageActionsState>();
    let file = move |name: String| {
        let told = words::open_file(&name);
        view! { class="n",
            <button type="button" class="quiet" data-testid="tool-file" on:click=move |_| care.wish(MessageAction::ToFile(name.clone()))>
                {told}
            </button>
        }
    };
    view! { class="n",
        <div class="tool-ways">
            <button
                type="button"
                class="quiet"
                data-testid="tool-message"
                on:click=move |_| care.wish(MessageAction::ToMessage(asked_by))
            >
                {words::TO_MESSAGE}
            </button>
            {files.into_iter().map(file).collect_view()}
        </div>
    }
}
