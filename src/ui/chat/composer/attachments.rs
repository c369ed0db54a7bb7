//! Files mentioned in a message as `#name`. A long pasted text becomes a file that the message mentions.

use leptos::html::Textarea;

use crate::ui::dispatch::Dispatch;
use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::text;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{MindView, NoticeKind, Notices};
use nexus_model::message::file_reference::{FileReference, pointed};
use nexus_model::mind::MindWrite;
use nexus_view::language::tr;
use nexus_view::mention;
use nexus_view::strings;

/// The files that the message mentions.
#[component]
pub fn MentionedFiles(field: DraftBinding) -> impl IntoMarkup {
    let mind = expect_context::<MindView>();
    let named = select(move || {
        let text = field.text.get();
        mind.files().with(|files| pointed(&text, files.iter()))
    });
    let item = move |one: FileReference| {
        let size = mind.file_text(&one.file).map(|text| move || strings::size(text.with(|text| text.len())));
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

/// Turns texts that are too large for a message into files. Made with its component, used by its handlers.
#[derive(Clone, Copy)]
pub(super) struct TextAttacher {
    mind: MindView,
    notices: Notices,
    dispatch: Dispatch,
    field: DraftBinding,
    area: NodeRef<Textarea>,
}

impl TextAttacher {
    pub(super) fn new(field: DraftBinding, area: NodeRef<Textarea>) -> Self {
        let (mind, notices) = (expect_context::<MindView>(), expect_context::<Notices>());
        Self { mind, notices, dispatch: expect_context::<Dispatch>(), field, area }
    }

    /// Keeps a text as a file of the session, and names it in the message at the caret.
    pub(super) fn attach(self, pasted: String) {
        let name = mention::free_name(&self.mind.files().get_untracked());
        let bytes = pasted.len();
        let write = MindWrite::File { name: name.clone(), text: pasted };
        self.dispatch.write_mind_then(vec![write], move |kept| {
            if kept {
                self.name_it(&name);
                let told = strings::too_long_pasted(&name, bytes);
                self.notices.tell(NoticeKind::Word, told.title, told.advice);
            }
        });
    }

    fn name_it(self, name: &str) {
        let text = self.field.text.get_untracked();
        let (start, end) = text::selection(self.area);
        let (start, end) = (mention::byte_of(&text, start), mention::byte_of(&text, end));
        let (text, caret) = mention::insert(&text, start, end, &format!("#{name}"));
        self.field.typed(&text);
        let place = mention::utf16_of(&text, caret);
        text::select_soon(self.area, place, place);
    }
}
