//! Attachments of a message. Renders only raster images.

use leptos::prelude::*;

use crate::ui::board::tabs::{BoardTab, BoardTabState};
use crate::ui::shell::panes::{ActivePane, Pane};
use crate::ui::view_state::ImageCache;
use nexus_model::mind::blob::is_shown;
use nexus_text::content_hash::ContentHash;
use nexus_view::strings;

/// Something that went along.
#[component]
pub fn AttachedImage(
    hash: ContentHash,
    /// The name that the operator knows it by.
    name: String,
    /// The media type.
    mime: String,
    /// The number of bytes.
    bytes: u64,
) -> impl IntoView {
    let size = strings::size(usize::try_from(bytes).unwrap_or(usize::MAX));
    if !is_shown(&mime) {
        return view! { class="n", <p class="message-data">{format!("{name} · {mime} · {size}")}</p> }
            .into_any();
    }
    let base64 = expect_context::<ImageCache>().content(&hash);
    let name = StoredValue::new(name);
    let about = format!("{} · {size}", name.get_value());
    let (faces, in_view) = (expect_context::<BoardTabState>(), expect_context::<ActivePane>());
    let open = move |_| {
        faces.preview().set(Some(name.get_value()));
        faces.show(BoardTab::Preview);
        in_view.0.set(Pane::Board);
    };
    let picture = move || match base64.get() {
        Some(base64) => {
            let source = format!("data:{mime};base64,{base64}");
            view! { class="n", <img class="message-picture" src=source alt=name.get_value() /> }.into_any()
        }
        None => {
            view! { class="n", <p class="message-data">{strings::chat::answer::PICTURE_GONE}</p> }.into_any()
        }
    };
    view! { class="n",
        <figure class="message-figure">
            {picture}
            <figcaption>
                {about}
                <button type="button" class="quiet" data-testid="picture-open" on:click=open>{strings::chat::answer::PICTURE_OPEN}</button>
            </figcaption>
        </figure>
    }
    .into_any()
}
