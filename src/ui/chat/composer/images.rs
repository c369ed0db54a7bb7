//! Attachments of the next message: images, which are never changed, and files mentioned as `#name`. A long pasted text
//! becomes a file that the message mentions.

use crate::ui::kit::icon::ATTACH;
use crate::ui::prelude::*;
use nexus_model::limits::{IMAGE_BYTES, IMAGES};
use nexus_model::message::file_reference::{FileReference, references_in};
use nexus_model::mind::blob::{attachment_type, base64_of, is_document, is_picture};
use nexus_model::provider::Protocol;
use nexus_view::mention;
use nexus_view::strings::chat::message_actions::{ImageError, ONLY_NAMED, image_rejected, no_image_input};

#[derive(Clone, Copy)]
pub struct ImageAttachments {
    list: Selector<Vec<(u32, NewBlob)>>,
    pub(super) page: &'static Page,
}

impl ImageAttachments {
    pub(super) fn new() -> Self {
        Self { list: expect_context::<Workspace>().images, page: expect_context() }
    }

    pub(super) fn is_empty(self) -> bool {
        self.list.with_untracked(Vec::is_empty)
    }

    /// Attaches the chosen files: PDFs, and images that browsers show.
    pub(super) fn take(self, chosen: Vec<PickedFile>) {
        for file in chosen {
            let rejection = if !is_shown(&file.mime) && !is_document(&file.mime) {
                Some(ImageError::Kind)
            } else if file.bytes > IMAGE_BYTES {
                Some(ImageError::Size)
            } else {
                None
            };
            match rejection {
                Some(reason) => self.notify(&file.name, reason),
                None => spawn_local(async move { self.read(file).await }),
            }
        }
    }

    async fn read(self, file: PickedFile) {
        let &Page { dispatch, .. } = self.page;
        let session = dispatch.session();
        // A provider rejects an image that is none, and with it each later request of the session.
        let known = |bytes: Vec<u8>| Some((attachment_type(&bytes)?.to_owned(), bytes));
        let Some((mime, bytes)) = file.bytes().await.and_then(known) else {
            return self.notify(&file.name, ImageError::Unread);
        };
        let base64 = base64_of(&bytes);
        // Another session may have come into view meanwhile.
        dispatch.change_attachments(session, |list| {
            if list.len() >= IMAGES {
                return self.notify(&file.name, ImageError::Number);
            }
            let place = list.last().map_or(0, |(last, _)| last + 1);
            let name = if file.name.is_empty() { format!("image {}", place + 1) } else { file.name };
            list.push((place, NewBlob { name, mime, base64 }));
        });
    }

    fn notify(self, name: &str, reason: ImageError) {
        self.page.notices.add_error(image_rejected(reason, name));
    }
}

lazy_view!(board, lazy_image_chips, ImageChips { images: ImageAttachments });

#[component]
fn ImageChips(images: ImageAttachments) -> impl IntoMarkup {
    let (list, dispatch) = (images.list, images.page.dispatch);
    let chip = move |(place, blob): (u32, NewBlob)| {
        let image = is_shown(&blob.mime).then(|| {
            let source = format!("data:{};base64,{}", blob.mime, blob.base64);
            view! { <img src=source alt=blob.name.clone() /> }
        });
        let name = blob.name;
        let remove = move |_| {
            dispatch.change_attachments(dispatch.session(), |list| list.retain(|(known, _)| *known != place))
        };
        view! {
            <li class="image-chip" data-testid="image-chip">
                {image}
                <span class="image-name">{name.clone()}</span>
                {icon_button(icon(icon::CLOSE)).test("image-remove").label(text!("Remove {name}")).on_click(remove)}
            </li>
        }
    };
    view! {
        <Show when=move || list.with(|list| !list.is_empty())>
            <ul class="attachments" aria-label=tr("Attached files")>
                {keyed_list(move || list.get(), move |(place, _)| (dispatch.session(), *place), chip)}
            </ul>
            <NoVisionWarning />
        </Show>
    }
}

/// Warns of recipients that are known not to see images.
#[component]
fn NoVisionWarning() -> impl IntoMarkup {
    let &Page { agents, providers, .. } = expect_context();
    let Workspace { images: waiting, target, .. } = expect_context();
    let is_text_only = move |row: &AgentRow| {
        let config = &row.agent.config;
        let lists =
            providers.rows.row(&config.provider).and_then(|provider| provider.with(|row| row.models()));
        let sees = lists.and_then(|list| list.accepts_images(&config.model));
        let protocol = providers.rows.row(&config.provider).map(|row| row.with(|row| row.provider.protocol));
        let has_document = waiting.with(|list| list.iter().any(|(_, blob)| is_document(&blob.mime)));
        let reads_documents = protocol.is_some_and(Protocol::takes_documents);
        row.demo || sees == Some(false) || (has_document && !reads_documents)
    };
    let no_image_input_note = move || {
        providers.rows.order.track();
        let is_recipient = |row: &AgentRow| match target.get() {
            Target::All => !row.flags.muted,
            Target::Agents(keys) => keys.contains(&row.agent.key),
        };
        let rows = agents.roster().into_iter().filter(|row| is_recipient(row) && is_text_only(row));
        let names: Vec<_> = rows.map(|row| row.agent.identity.name.clone()).collect();
        (!names.is_empty()).then(|| {
            view! { <p class="image-unseen" role="status" data-testid="image-unseen">{no_image_input(&names)}</p> }
        })
    };
    let named = move || {
        waiting.with(|list| list.iter().any(|(_, blob)| !is_picture(&blob.mime) && !is_document(&blob.mime)))
    };
    view! {
        {no_image_input_note}
        <Show when=named><p class="image-unseen" role="status">{ONLY_NAMED}</p></Show>
    }
}

#[component]
pub fn FilePickButton(
    take: impl Fn(Vec<PickedFile>) + Copy + Send + 'static,
    disabled: Selector<bool>,
) -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    let open = move |_| {
        input.get_untracked().into_iter().for_each(|input| input.click());
    };
    view! {
        {plain_button("quiet image-pick", icon(ATTACH)).test("attach")
            .title(tr("Attach images and PDFs, or open files. You can also paste or drop them anywhere."))
            .label(tr("Attach images and PDFs, or open files")).disabled(disabled).on_click(open)}
        <input
            node_ref=input hidden type="file" multiple data-testid="image-pick"
            on:change=move |event| take(picked(&event))
        />
    }
}

#[component]
pub fn MentionedFiles(field: DraftBinding) -> impl IntoMarkup {
    let &Page { mind, .. } = expect_context();
    let named = select(move || {
        let text = field.text.get();
        mind.files.order.with(|files| references_in(&text, files.iter()))
    });
    let item = move |one: FileReference| {
        let size = mind.files.row(&one.file).map(|text| move || strings::size(text.with(|text| text.len())));
        let extent = match one.lines {
            Some((from, to)) => view! { {format!("{from}-{to}")} },
            None => size.into_markup(),
        };
        view! {
            <li class="tag" data-testid="attachment">
                {one.file}
                {" · "}
                {extent}
            </li>
        }
    };
    view! {
        <Show when=move || named.with(|named| !named.is_empty())>
            <ul class="attachments" aria-label=tr("Referenced files")>
                {keyed_list(move || named.get(), Clone::clone, item)}
            </ul>
        </Show>
    }
}

/// Saves a pasted text that is too long for a message as a file of the session, and mentions it at the caret.
pub(super) fn attach_text(page: &'static Page, field: DraftBinding, area: NodeRef<Textarea>, pasted: String) {
    let name = mention::free_name(&page.mind.files.order.get_untracked());
    let bytes = pasted.len();
    let write = MindWrite::File { name: name.clone(), text: pasted };
    page.dispatch.write_mind_then(vec![write], move || {
        let text = field.text.get_untracked();
        let (start, end) = text::selection(area);
        let (start, end) = (mention::byte_of(&text, start), mention::byte_of(&text, end));
        let (text, caret) = mention::insert(&text, start, end, &format!("#{name}"));
        field.typed(&text);
        let place = mention::utf16_of(&text, caret);
        text::select_soon(area, place, place);
        let notice = strings::too_long_pasted(&name, bytes);
        page.notices.add(NoticeKind::Info, notice.title, notice.advice);
    });
}
