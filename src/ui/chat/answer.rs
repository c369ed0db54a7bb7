//! The content of a message, complete or streaming; thinking is shown separately.
//!
//! The element stays the same from the first token to the last, so that the layout does not jump.

pub mod code_panel;

use leptos::ev::MouseEvent;
use leptos::html::{Div, Span};

use crate::ui::chat::answer::code_panel::{AttachedImage, CodeBlockAction, lazy_code_panel, lazy_link_panel};
use crate::ui::hooks::delegated_clicks::DelegatedClick;
use crate::ui::hooks::text::stream_text;
use crate::ui::hooks::{delegated_clicks, dialog, text};
use crate::ui::markdown::{MarkdownView, ProseText};
use crate::ui::prelude::*;
use crate::ui::view_state::{LivePart, LiveText};
use nexus_model::message::content::{PartBody, text_of, thinking_of};
use nexus_model::message::file_reference::FileExcerpt;
use nexus_model::message::{Message, Role};
use nexus_text::markdown::{CodeBlock, code_at};
use nexus_view::language::translate_template;
use nexus_view::strings::chat::answer as words;
use nexus_view::timeline::PtrEq;

#[component]
pub fn MessageContent(
    id: MessageId,
    role: Role,
    /// The message once it has ended.
    content: Selector<Option<PtrEq<Message>>>,
    thinking_open: RwSignal<bool>,
) -> impl IntoMarkup {
    let more = move || {
        content
            .with(|content| content.as_ref().map(|PtrEq(message)| other_parts(message)).unwrap_or_default())
    };
    // Notes of the Core and of merges quote models.
    if matches!(role, Role::Assistant | Role::System) {
        view! { <AgentText id content thinking_open /> {more} }
    } else {
        // Operator text is shown verbatim.
        let text = move || content.with(|content| content.as_ref().map(|content| text_of(&content.0.parts)));
        view! {
            <div class="message-text" data-testid="message-text" dir="auto">{text}</div>
            {more}
        }
    }
}

fn other_parts(message: &Arc<Message>) -> Vec<Markup> {
    message.parts.iter().filter_map(|part| other_part(&part.body)).collect()
}

/// A part that is neither text nor thinking nor a tool part.
fn other_part(body: &PartBody) -> Option<Markup> {
    if let PartBody::Json { value } = body {
        if let Some(passage) = FileExcerpt::read(value) {
            return Some(quoted(passage));
        }
        let text = format!("{value:#}");
        Some(view! { <pre class="message-data">{text}</pre> })
    } else if let PartBody::Blob { hash, name, mime, bytes } = body {
        let (hash, name, mime, bytes) = (*hash, name.clone(), mime.clone(), *bytes);
        Some(view! { <AttachedImage hash name mime bytes /> })
    } else {
        None
    }
}

/// A file excerpt in a message, folded.
fn quoted(passage: FileExcerpt) -> Markup {
    let about = words::passage(&passage);
    view! {
        <details class="message-thinking" data-testid="passage" data-file=passage.file>
            <summary>{about}</summary>
            <pre class="message-data">{passage.text}</pre>
        </details>
    }
}

#[component]
fn AgentText(
    id: MessageId,
    content: Selector<Option<PtrEq<Message>>>,
    thinking_open: RwSignal<bool>,
) -> impl IntoMarkup {
    let is_whole = select(move || content.with(Option::is_some));
    let live = expect_context::<LiveText>();
    let parts = if is_whole.get_untracked() { LiveText::none() } else { live.parts(id) };
    let has_live =
        move |thinking: bool| parts.with(|parts| parts.iter().any(|part| part.thinking == thinking));
    let has_thinking = select(move || {
        content.with(|content| match content {
            Some(PtrEq(message)) => !thinking_of(&message.parts).trim().is_empty(),
            None => has_live(true),
        })
    });
    let text = select(move || {
        content.with(|content| match content {
            Some(PtrEq(message)) => {
                let text = text_of(&message.parts);
                // Notes are stored in English.
                let text = if message.role == Role::System { translate_template(&text) } else { text };
                ProseText { text, whole: true }
            }
            None => ProseText { text: live_text(parts), whole: false },
        })
    });
    // An answer that only called tools has no text.
    let has_text = select(move || !is_whole.get() || text.with(|text| !text.text.is_empty()));
    let is_waiting = select(move || !is_whole.get() && !has_live(true) && !has_live(false));
    let thinking = move || match content.get() {
        Some(PtrEq(message)) => thinking_of(&message.parts).into_markup(),
        None => keyed_list(
            move || parts.with(|parts| parts.iter().filter(|part| part.thinking).cloned().collect()),
            |part: &LivePart| part.place,
            |part| view! { <StreamingPart part /> },
        ),
    };
    let label = move || if is_whole.get() { tr("Thinking") } else { tr("Thinking…") };
    view! {
        <Show when=move || has_thinking.get()>
            <ThinkingBlock open=thinking_open label=select(label)>{thinking}</ThinkingBlock>
        </Show>
        <Show when=move || has_text.get()>{prose(text)}</Show>
        <Show when=move || is_waiting.get()><p class="message-wait">{"…"}</p></Show>
    }
}

/// Markdown, once its code is loaded; until then the text as it is.
fn prose(text: Selector<ProseText>) -> Markup {
    let answer = loaded_first(lazy_answer_text);
    let plain = move || text.with(|text| text.text.clone());
    let draw = move || match answer.get() {
        Some(draw) => draw(text),
        None => view! { <div class="message-text prose" data-testid="message-text" dir="auto">{plain}</div> },
    };
    draw.into_markup()
}

/// The text streamed so far.
fn live_text(parts: Selector<Vec<LivePart>>) -> String {
    parts.with(|parts| {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.thinking) {
            part.text.with(|piece| text.push_str(piece));
        }
        text
    })
}

lazy_view!(reader, lazy_answer_text, AnswerText { text: Selector<ProseText> });

#[component]
fn AnswerText(text: Selector<ProseText>) -> impl IntoMarkup {
    let notices = expect_context::<Notices>();
    let root = NodeRef::<Div>::new();
    let code_action = leptos::prelude::RwSignal::new_local(None::<CodeBlockAction>);
    let link = RwSignal::new(None::<String>);
    let link_checker = code_panel::LinkChecker::new(text);
    let clicked = move |event: MouseEvent| {
        let Some(act) = delegated_clicks::of(&event) else { return };
        match act.name.as_str() {
            "link" if link_checker.leaks(&act.value("href")) => {
                event.prevent_default();
                link.set(Some(act.value("href")));
            }
            // The browser opens it.
            "link" => {}
            "link-asked" => link.set(Some(act.value("data-place"))),
            "table-all" => {
                let all = act
                    .around(".prose-large")
                    .is_some_and(|table| delegated_clicks::toggle(&table, "data-all"));
                act.set_text(if all { words::TABLE.get() } else { words::TABLE_ALL.get() });
            }
            "note" => delegated_clicks::go_to(
                root,
                &format!(".prose-notes li[data-place=\"{}\"]", act.value("data-place")),
            ),
            "mention" => delegated_clicks::go_to(
                root,
                &format!(".prose-mention[data-place=\"{}\"]", act.value("data-place")),
            ),
            "code-wrap" => {
                act.press(
                    act.around("figure").is_some_and(|figure| delegated_clicks::toggle(&figure, "data-wrap")),
                );
            }
            "code-copy" => {
                let Some(code) = code_of(&act, root, text) else { return };
                spawn_local(async move {
                    let notice = if text::copy(&code.text).await { words::COPIED } else { words::NOT_COPIED };
                    notices.add(NoticeKind::Info, notice, "");
                });
            }
            "code-open" | "code-apply" => {
                let (Some(figure), Some(code)) = (act.around("figure"), code_of(&act, root, text)) else {
                    return;
                };
                let applies = act.name == "code-apply";
                code_action.set(delegated_clicks::place_in(&figure).map(|place| CodeBlockAction {
                    place,
                    code,
                    applies,
                }));
            }
            _ => {}
        }
    };
    view! {
        <MarkdownView text root clicked=Callback::new(clicked) />
        {move || code_action.get()
            .map(|action| lazy_part(lazy_code_panel, move |draw| draw(action.clone(), code_action)))}
        {move || link.get().map(|address| lazy_part(lazy_link_panel, move |draw| draw(address.clone(), link)))}
    }
}

fn code_of(act: &DelegatedClick, root: NodeRef<Div>, text: Selector<ProseText>) -> Option<CodeBlock> {
    let place = act.place(root, "figure.prose-code")?;
    text.with_untracked(|text| code_at(&text.text, place))
}

#[component]
fn StreamingPart(part: LivePart) -> impl IntoMarkup {
    let element = NodeRef::<Span>::new();
    stream_text(element, part.text);
    view! { <span node_ref=element></span> }
}

#[component]
fn ThinkingBlock(open: RwSignal<bool>, label: Selector<&'static str>, children: Markup) -> impl IntoMarkup {
    let toggled = move |event| open.set(dialog::is_details_open(&event));
    view! {
        <details class="message-thinking" data-testid="message-thinking" prop:open=open.get_untracked() on:toggle=toggled>
            <summary>{label}</summary>
            <div class="message-thinking-text" dir="auto">{children}</div>
        </details>
    }
}
