//! Never mixes thinking into the answer.
//!
//! Owns what a message says: complete, or as it comes.

use std::sync::Arc;

use leptos::html::Span;
use leptos::prelude::*;

use crate::domain::id::MessageId;
use crate::domain::message::{Message, Role};
use crate::domain::part::{PartBody, text_of, thinking_of};
use crate::ui::each::Each;
use crate::ui::hooks::details;
use crate::ui::hooks::stream_text::stream_text;
use crate::ui::markdown::{LiveMarkdown, Markdown};
use crate::ui::view_state::{LivePart, LiveText};

/// A message that is complete, or ended before it was.
#[component]
pub fn Answer(
    /// The message.
    message: Arc<Message>,
    /// Whether its thinking is unfolded.
    thinking_open: RwSignal<bool>,
) -> impl IntoView {
    let thinking = thinking_of(&message.parts);
    let text = text_of(&message.parts);
    let is_answer = message.role == Role::Assistant;
    let thinking = (!thinking.trim().is_empty()).then(|| {
        view! { class="n",
            <Thinking open=thinking_open label="Thinking">
                {thinking.clone()}
            </Thinking>
        }
    });
    // An answer that only called tools has no text to show.
    let text = (!is_answer || !text.is_empty()).then(|| {
        // What people type is shown as they typed it.
        let (kind, text) = if is_answer {
            ("message-text prose", view! { class="n", <Markdown text /> }.into_any())
        } else {
            ("message-text", text.into_any())
        };
        view! { class="n",
            <div class=kind data-testid="message-text" dir="auto">
                {text}
            </div>
        }
    });
    let more: Vec<_> = message.parts.iter().filter_map(|part| other(&part.body)).collect();
    view! { class="n", {thinking} {text} {more} }
}

/// A piece that is neither text nor thinking nor about tools.
fn other(body: &PartBody) -> Option<AnyView> {
    match body {
        PartBody::Json { value } => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            Some(view! { class="n", <pre class="message-data">{text}</pre> }.into_any())
        }
        PartBody::Blob { name, mime, bytes, .. } => {
            let about = format!("{name} · {mime} · {bytes} bytes");
            Some(view! { class="n", <p class="message-data">{about}</p> }.into_any())
        }
        PartBody::Text { .. }
        | PartBody::Thinking { .. }
        | PartBody::ToolCall(_)
        | PartBody::ToolResult(_) => None,
    }
}

/// A message that is being written.
#[component]
pub fn LiveAnswer(
    /// The message.
    id: MessageId,
    /// Whether its thinking is unfolded.
    thinking_open: RwSignal<bool>,
) -> impl IntoView {
    let parts = expect_context::<LiveText>().parts(id);
    let of_kind = move |thinking: bool| {
        parts.with(|parts| parts.iter().filter(|part| part.thinking == thinking).cloned().collect::<Vec<_>>())
    };
    let thinks = Memo::new(move |_| parts.with(|parts| parts.iter().any(|part| part.thinking)));
    let writes = Memo::new(move |_| parts.with(|parts| parts.iter().any(|part| !part.thinking)));
    view! { class="n",
        <Show when=move || thinks.get()>
            <Thinking open=thinking_open label="Thinking…">
                <Each each=move || of_kind(true) key=|part| part.place let:part>
                    <Streamed part />
                </Each>
            </Thinking>
        </Show>
        <div class="message-text prose" data-testid="message-text" dir="auto">
            <Each each=move || of_kind(false) key=|part| part.place let:part>
                <LiveMarkdown text=part.text />
            </Each>
        </div>
        <Show when=move || !thinks.get() && !writes.get()>
            <p class="message-wait">{"…"}</p>
        </Show>
    }
}

/// A part as it comes.
#[component]
fn Streamed(part: LivePart) -> impl IntoView {
    let element = NodeRef::<Span>::new();
    stream_text(element, part.text);
    view! { class="n", <span node_ref=element></span> }
}

/// What the model thought, folded away.
#[component]
fn Thinking(open: RwSignal<bool>, label: &'static str, children: Children) -> impl IntoView {
    let toggled = move |event| open.set(details::is_open(&event));
    view! { class="n",
        <details class="message-thinking" data-testid="message-thinking" prop:open=open.get_untracked() on:toggle=toggled>
            <summary>{label}</summary>
            <div class="message-thinking-text" dir="auto">
                {children()}
            </div>
        </details>
    }
}
