//! Panels below an answer: one saves a code block as a file or applies it to one, with a preview of the changes; one
//! asks before opening a link that may leak the conversation. And attachments, of which only raster images are shown.

use leptos::html::Button;

use crate::ui::board::comparison::two_texts;
use crate::ui::board::shared_field::FileNameForm;
use crate::ui::hooks::delegated_clicks::Element;
use crate::ui::kit::markup::elsewhere;
use crate::ui::markdown::ProseText;
use crate::ui::prelude::*;
use crate::ui::workspace::panes::{ActivePane, BoardTab, BoardTabState, Pane};
use nexus_model::message::content::text_of;
use nexus_model::mind::MindWrite;
use nexus_model::mind::blob::is_shown;
use nexus_model::mind::review::MindField;
use nexus_text::content_hash::ContentHash;
use nexus_text::links::{carries, host_of, query_of};
use nexus_text::markdown::CodeBlock;
use nexus_view::mention::file_for;
use nexus_view::strings::chat::answer as words;

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
    let mind = expect_context::<MindView>();
    let dispatch = expect_context::<Dispatch>();
    let read_only = expect_context::<Sessions>().read_only;
    let CodeBlockAction { place, code, applies } = action;
    let code = StoredValue::new(code);
    let close = move || wanted.set(None);
    let save = move |name: String, text: String| {
        let writes = vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)];
        dispatch.write_mind_then(writes, move |saved| {
            if saved {
                close();
            }
        });
    };
    // The element was created for the panel and is removed with it.
    let element = send_wrapper::SendWrapper::new(place.clone());
    on_cleanup(move || element.remove());
    let panel = move || {
        view! {
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
        }
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
    let mind = expect_context::<MindView>();
    let files = mind.files.order.get_untracked();
    let named = code.with_value(|code| code.name.clone()).filter(|name| files.contains(name));
    let first = named.or_else(|| mind.active.get_untracked()).or_else(|| files.first().cloned());
    let file = RwSignal::new(first.unwrap_or_default());
    let text = select(move || code.with_value(as_file));
    let present = move || mind.files.row(&file.get()).map(|text| text.get());
    let is_same = select(move || present().is_some_and(|present| *present == *text.get()));
    let is_there = select(move || mind.files.order.with(|files| !files.is_empty()));
    let diff = move || {
        let present = present().filter(|_| !is_same.get())?;
        Some(two_texts(MindField::File(file.get()), &present, &text.get()))
    };
    let option = move |name: String| {
        let value = name.clone();
        let chosen = value == file.get_untracked();
        view! { <option value=value selected=chosen>{name}</option> }
    };
    view! {
        <p class="hint">{move || if is_there.get() { words::APPLY_ABOUT } else { words::NO_FILES }}</p>
        <Show when=move || is_there.get()>
            <label class="code-file">
                <span class="label">{common::FILE}</span>
                {select_box(move || mind.files.order.get().into_iter().map(option), move |name| file.set(name))}
            </label>
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

/// Checks whether a link contains text of the conversation.
#[derive(Clone, Copy)]
pub struct LinkChecker {
    world: WorldReader,
    mind: MindView,
    own: Selector<ProseText>,
}

impl LinkChecker {
    pub(super) fn new(own: Selector<ProseText>) -> Self {
        Self { world: expect_context::<WorldReader>(), mind: expect_context::<MindView>(), own }
    }

    /// True if an address contains text of other messages or of the mind.
    pub(super) fn leaks(self, address: &str) -> bool {
        // The link's own message does not count.
        let own = self.own.with_untracked(|own| own.text.clone());
        // Models see more than the timeline shows.
        let messages: Vec<String> = self.world.with_untracked(|world| {
            let texts = world.messages.values().map(|message| text_of(&message.parts));
            texts.filter(|text| *text != own).collect()
        });
        let files = self.mind.files.order.get_untracked();
        let files = files.iter().filter_map(|name| Some(self.mind.files.row(name)?.get_untracked()));
        let mind_texts: Vec<_> = files
            .chain([self.mind.objective.get_untracked(), self.mind.scratchpad.get_untracked()])
            .collect();
        carries(address, messages.iter().map(String::as_str).chain(mind_texts.iter().map(|text| &**text)))
    }
}

lazy_view!(board, lazy_link_panel, LinkPanel { address: String, link: RwSignal<Option<String>> });

#[component]
fn LinkPanel(address: String, link: RwSignal<Option<String>>) -> impl IntoMarkup {
    let host = reveal(host_of(&address).unwrap_or_default());
    let about = words::link_asked(&host, query_of(&address).chars().count());
    let leave = NodeRef::<Button>::new();
    Effect::new(move |_| {
        if let Some(button) = leave.get() {
            // A connected button can take the focus.
            drop(button.focus());
        }
    });
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
    let world = expect_context::<WorldReader>();
    let base64 = world.select(WorldParts::SESSIONS, move |world| world.blob(&hash).cloned());
    let name = StoredValue::new(name);
    let about = format!("{} · {size}", name.get_value());
    let (tabs, in_view) = (expect_context::<BoardTabState>(), expect_context::<ActivePane>());
    let open = move |_| {
        tabs.preview.set(Some(name.get_value()));
        tabs.show(BoardTab::Preview);
        in_view.0.set(Pane::Board);
    };
    let picture = move || match base64.get() {
        Some(base64) => {
            let source = format!("data:{mime};base64,{base64}");
            view! { <img class="message-picture" src=source alt=name.get_value() /> }
        }
        None => view! { <p class="message-data">{strings::chat::answer::PICTURE_GONE}</p> },
    };
    view! {
        <figure class="message-figure">
            {picture}
            <figcaption>
                {about}
                {quiet_button(strings::chat::answer::PICTURE_OPEN).test("picture-open").on_click(open)}
            </figcaption>
        </figure>
    }
}
