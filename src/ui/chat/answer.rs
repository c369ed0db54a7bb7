//! The content of a message, complete or streaming; thinking is shown separately.
//!
//! The element stays the same from the first token to the last, so that the layout does not jump.
//!
//! Panels below it are loaded lazily: one saves a code block as a file or applies it to one, with a preview of the
//! changes; one asks before opening a link that may leak the conversation. And attachments, of which only raster
//! images are shown.

use leptos::html::{Button, Span};

use crate::ui::board::comparison::two_texts;
use crate::ui::board::shared_field::FileNameForm;
use crate::ui::hooks::events::{DelegatedClick, Element};
use crate::ui::hooks::text::stream_text;
use crate::ui::kit::markup::elsewhere;
use crate::ui::markdown::{MarkdownView, ProseText};
use crate::ui::prelude::*;
use crate::ui::view_state::LivePart;
use nexus_model::message::content::{MessagePart, PartBody, thinking_of};
use nexus_model::message::file_reference::FileExcerpt;
use nexus_text::links::{carries, host_of, query_of};
use nexus_text::markdown::{CodeBlock, code_at};
use nexus_view::mention::file_for;
use nexus_view::strings::chat::message_actions as words;

#[component]
pub fn MessageContent(
    id: MessageId,
    role: Role,
    /// The message once it has ended.
    content: Selector<Option<PtrEq<Message>>>,
    thinking_open: RwSignal<bool>,
) -> impl IntoMarkup {
    let is_other = |part: &MessagePart| matches!(part.body, PartBody::Json { .. } | PartBody::Blob { .. });
    let has_more = content.map_some(move |PtrEq(message)| message.parts.iter().any(is_other));
    let more = move || has_more.get().then(|| lazy_part_of(lazy_other_parts, content));
    // Tasks and reports are written by models.
    let by_agent = content.with_some_untracked(|content| Some(content.0.source == Some(Source::Agent)));
    // Notes of the Core and of merges quote models.
    if by_agent == Some(true) || matches!(role, Role::Assistant | Role::System) {
        view! { <AgentText id content thinking_open /> {more} }
    } else {
        // Operator text is shown verbatim.
        let text = move || content.with_some(|content| Some(text_of(&content.0.parts)));
        view! {
            <div class="message-text" data-testid="message-text" dir="auto">{text}</div>
            {more}
        }
    }
}

lazy_view!(board, lazy_other_parts, OtherParts { content: Selector<Option<PtrEq<Message>>> });

#[component]
fn OtherParts(content: Selector<Option<PtrEq<Message>>>) -> impl IntoMarkup {
    move || {
        content.with_some(|PtrEq(message)| {
            message.parts.iter().filter_map(|part| other_part(&part.body)).collect::<Vec<_>>()
        })
    }
}

fn other_part(body: &PartBody) -> Option<Markup> {
    if let PartBody::Json { value } = body {
        let Some(passage) = FileExcerpt::read(value) else {
            return Some(view! { <pre class="message-data">{format!("{value:#}")}</pre> });
        };
        let about = words::passage(&passage);
        Some(view! {
            <details class="message-thinking" data-testid="passage" data-file=passage.file>
                <summary>{about}</summary>
                <pre class="message-data">{passage.text}</pre>
            </details>
        })
    } else if let PartBody::Blob { hash, name, mime, bytes } = body {
        let (hash, name, mime, bytes) = (*hash, name.clone(), mime.clone(), *bytes);
        Some(view! { <AttachedImage hash name mime bytes /> })
    } else {
        None
    }
}

#[component]
fn AgentText(
    id: MessageId,
    content: Selector<Option<PtrEq<Message>>>,
    thinking_open: RwSignal<bool>,
) -> impl IntoMarkup {
    let is_whole = content.map(Option::is_some);
    let &Page { live_text: live, .. } = expect_context();
    let parts = if is_whole.get_untracked() { Selector::default() } else { live.parts(id) };
    let has_live =
        move |thinking: bool| parts.with(|parts| parts.iter().any(|part| part.thinking == thinking));
    let has_thinking = content.map(move |content| match content {
        Some(PtrEq(message)) => !thinking_of(&message.parts).trim().is_empty(),
        None => has_live(true),
    });
    let text = content.map(move |content| match content {
        Some(PtrEq(message)) => {
            let text = text_of(&message.parts);
            // Notes are stored in English.
            let text = if message.role == Role::System { translate_template(&text) } else { text };
            ProseText { text, whole: true }
        }
        None => ProseText { text: parts.with(|parts| LivePart::text_of(parts)), whole: false },
    });
    // An answer that only called tools has no text.
    let has_text = select(move || !is_whole.get() || text.with(|text| !text.text.is_empty()));
    let is_waiting = select(move || !is_whole.get() && !has_live(true) && !has_live(false));
    let thinking = move || match content.get() {
        Some(PtrEq(message)) => thinking_of(&message.parts).into_markup(),
        None => keyed_list(
            move || parts.with(|parts| parts.iter().filter(|part| part.thinking).cloned().collect()),
            |part: &LivePart| part.place,
            |part| {
                let element = NodeRef::<Span>::new();
                stream_text(element, part.text);
                view! { <span node_ref=element></span> }
            },
        ),
    };
    let label = move || if is_whole.get() { tr("Thinking") } else { tr("Thinking…") };
    let toggled = move |event| thinking_open.set(dialog::is_details_open(&event));
    view! {
        <Show when=move || has_thinking.get()>
            <details
                class="message-thinking" data-testid="message-thinking" prop:open=thinking_open.get_untracked()
                on:toggle=toggled
            >
                <summary>{label}</summary>
                <div class="message-thinking-text" dir="auto">{thinking}</div>
            </details>
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

lazy_view!(reader, lazy_answer_text, AnswerText { text: Selector<ProseText> });

#[component]
fn AnswerText(text: Selector<ProseText>) -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let root = NodeRef::<Div>::new();
    let code_action = leptos::prelude::RwSignal::new_local(None::<CodeBlockAction>);
    let link = RwSignal::new(None::<String>);
    let clicked = move |event: MouseEvent| {
        let Some(act) = events::delegated_click(&event) else { return };
        match act.name.as_str() {
            "link" if leaks(page, text, &act.value("href")) => {
                event.prevent_default();
                link.set(Some(act.value("href")));
            }
            // The browser opens it.
            "link" => {}
            "link-asked" => link.set(Some(act.value("data-place"))),
            "table-all" => {
                let all = act.around(".prose-large").is_some_and(|table| events::toggle(&table, "data-all"));
                act.set_text(if all { words::TABLE.get() } else { words::TABLE_ALL.get() });
            }
            "note" => {
                events::go_to(root, &format!(".prose-notes li[data-place=\"{}\"]", act.value("data-place")))
            }
            "mention" => {
                events::go_to(root, &format!(".prose-mention[data-place=\"{}\"]", act.value("data-place")))
            }
            "code-wrap" => {
                act.press(act.around("figure").is_some_and(|figure| events::toggle(&figure, "data-wrap")));
            }
            "code-copy" => {
                let Some(code) = code_of(&act, root, text) else { return };
                spawn_local(async move {
                    let is_copied = text::copy(&code.text).await;
                    let notice = if is_copied { words::CODE_COPIED } else { words::CODE_NOT_COPIED };
                    page.notices.add(NoticeKind::Info, notice, "");
                });
            }
            "code-open" | "code-apply" => {
                let (Some(figure), Some(code)) = (act.around("figure"), code_of(&act, root, text)) else {
                    return;
                };
                let applies = act.name == "code-apply";
                let place = events::place_in(&figure);
                code_action.set(place.map(|place| CodeBlockAction { place, code, applies }));
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

#[derive(Clone)]
pub struct CodeBlockAction {
    pub place: Element,
    pub code: CodeBlock,
    /// True to change an existing file; false to create one.
    pub applies: bool,
}

lazy_view!(board, lazy_code_panel, CodePanel { action: CodeBlockAction, wanted: CodeActionSignal });

/// Which code block has a panel.
pub type CodeActionSignal = leptos::prelude::RwSignal<Option<CodeBlockAction>, LocalStorage>;

#[component]
fn CodePanel(action: CodeBlockAction, wanted: CodeActionSignal) -> impl IntoMarkup {
    let &Page { dispatch, mind, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let CodeBlockAction { place, code, applies } = action;
    let code = StoredValue::new(code);
    let close = move || wanted.set(None);
    let save = move |name: String, text: String| {
        let writes = vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)];
        dispatch.write_mind_then(writes, close);
    };
    // The element was created for the panel and is removed with it.
    let element = send_wrapper::SendWrapper::new(place.clone());
    on_cleanup(move || element.remove());
    let panel = view! {
            <div class="code-panel">
                {move || {
                    if read_only.get() {
                        view! { <p class="hint">{common::READ_ONLY}</p> }
                    } else if applies {
                        view! { <ApplyCode code save close /> }
                    } else {
                        let suggested = code.with_value(|code| {
                            let taken = mind.files.order.get_untracked();
                            file_for(code.name.as_deref(), &code.language, &taken)
                        });
                        let done = move |name: String| save(name, code.with_value(as_file));
                        view! {
                            <p class="hint">{words::OPEN_ABOUT}</p>
                            <FileNameForm present=String::new() suggested action=words::OPEN.get() taken=mind.files.order done cancel=close />
                        }
                    }
                }}
            </div>
    };
    elsewhere(place, panel)
}

/// The code as a file's text: with the final newline that code in an answer lacks.
fn as_file(code: &CodeBlock) -> String {
    format!("{}\n", code.text)
}

#[component]
fn ApplyCode(
    code: StoredValue<CodeBlock>,
    save: impl Fn(String, String) + Copy + Send + Sync + 'static,
    close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let &Page { mind, .. } = expect_context();
    let files = mind.files.order.get_untracked();
    let named = code.with_value(|code| code.name.clone()).filter(|name| files.contains(name));
    let first = named.or_else(|| mind.active.get_untracked()).or_else(|| files.first().cloned());
    let file = RwSignal::new(first.unwrap_or_default());
    let text = select(move || code.with_value(as_file));
    let present = move || mind.files.row(&file.get()).map(|text| text.get());
    let is_same = select(move || present().is_some_and(|present| *present == *text.get()));
    let is_there = mind.files.order.map(move |files| !files.is_empty());
    let diff = move || {
        let present = present().filter(|_| !is_same.get())?;
        Some(two_texts(MindField::File(file.get()), &present, &text.get()))
    };
    let file_option = move |name: String| option(name.clone(), name.clone(), name == file.get_untracked());
    let file_options = move || mind.files.order.get().into_iter().map(file_option);
    view! {
        <p class="hint">{move || if is_there.get() { words::APPLY_ABOUT } else { words::NO_FILES }}</p>
        <Show when=move || is_there.get()>
            {captioned(Some("code-file"), common::FILE, select_box(file_options, move |name| file.set(name)))}
            <div data-testid="apply-diff">{diff}</div>
            <Show when=move || is_same.get()><p class="hint">{words::SAME}</p></Show>
        </Show>
        <div class="card-actions">
            {button(common::APPLY).first().test("apply-accept")
                .disabled(move || is_same.get() || !is_there.get())
                .on_click(move |_| save(file.get_untracked(), text.get_untracked()))}
            {quiet_button(common::DISCARD).test("apply-discard").on_click(move |_| close())}
        </div>
    }
}

/// True if an address contains text of the mind, or of other messages than the link's own.
fn leaks(page: &'static Page, own: Selector<ProseText>, address: &str) -> bool {
    let &Page { mind, world, .. } = page;
    let own = own.with_untracked(|own| own.text.clone());
    // Models see more than the timeline shows.
    let messages: Vec<String> = world.with_untracked(|world| {
        let texts = world.messages.values().map(|message| text_of(&message.parts));
        texts.filter(|text| *text != own).collect()
    });
    let files = mind.files.order.get_untracked();
    let files = files.iter().filter_map(|name| Some(mind.files.row(name)?.get_untracked()));
    let mind_texts: Vec<_> =
        files.chain([mind.objective.get_untracked(), mind.scratchpad.get_untracked()]).collect();
    carries(address, messages.iter().map(String::as_str).chain(mind_texts.iter().map(|text| &**text)))
}

lazy_view!(board, lazy_link_panel, LinkPanel { address: String, link: RwSignal<Option<String>> });

#[component]
fn LinkPanel(address: String, link: RwSignal<Option<String>>) -> impl IntoMarkup {
    let host = reveal(host_of(&address).unwrap_or_default());
    let about = words::link_asked(&host, query_of(&address).chars().count());
    let leave = NodeRef::<Button>::new();
    focus::once_mounted(leave);
    view! {
        <div class="link-panel" role="alertdialog" aria-label=words::LINK_TITLE data-testid="link-panel">
            <strong>{words::LINK_TITLE}</strong>
            <p>{about}</p>
            <pre class="message-data" tabindex="0">{reveal(&address)}</pre>
            <div class="card-actions">
                <a
                    class="button" href=address.clone() target="_blank" rel="noopener noreferrer nofollow"
                    on:click=move |_| link.set(None)
                >
                    {words::LINK_OPEN}
                </a>
                <button type="button" class="quiet" node_ref=leave on:click=move |_| link.set(None)>
                    {common::CANCEL}
                </button>
            </div>
        </div>
    }
}

#[component]
pub fn AttachedImage(hash: ContentHash, name: String, mime: String, bytes: u64) -> impl IntoMarkup {
    let size = strings::size(usize::try_from(bytes).unwrap_or(usize::MAX));
    if !is_shown(&mime) {
        return view! { <p class="message-data">{format!("{name} · {mime} · {size}")}</p> };
    }
    let &Page { world, .. } = expect_context();
    let room = expect_context::<Workspace>();
    let base64 = world.select(WorldParts::SESSIONS, move |world| world.blob(&hash).cloned());
    let name = StoredValue::new(name);
    let about = format!("{} · {size}", name.get_value());
    let open = move |_| room.preview(Some(name.get_value()));
    let picture = move || match base64.get() {
        Some(base64) => {
            let source = format!("data:{mime};base64,{base64}");
            view! { <img class="message-picture" src=source alt=name.get_value() /> }
        }
        None => view! { <p class="message-data">{strings::chat::message_actions::PICTURE_GONE}</p> },
    };
    view! {
        <figure class="message-figure">
            {picture}
            <figcaption>
                {about}
                {quiet_button(strings::chat::message_actions::PICTURE_OPEN).test("picture-open").on_click(open)}
            </figcaption>
        </figure>
    }
}
