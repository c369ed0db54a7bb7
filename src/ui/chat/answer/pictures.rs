//! Attachments of a message. Renders only raster images.

use crate::ui::kit::prelude::*;
use crate::ui::view_state::{WorldParts, WorldReader};
use crate::ui::workspace::board_tabs::{BoardTab, BoardTabState};
use crate::ui::workspace::panes::{ActivePane, Pane};
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
) -> impl IntoMarkup {
    let size = strings::size(usize::try_from(bytes).unwrap_or(usize::MAX));
    if !is_shown(&mime) {
        return view! { <p class="message-data">{format!("{name} · {mime} · {size}")}</p> };
    }
    let world = expect_context::<WorldReader>();
    let base64 = world.select(WorldParts::SESSIONS, move |world| world.blob(&hash).cloned());
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
