//! Never shows bytes as anything but an image of points.
//!
//! Owns what went along with a message.

use leptos::prelude::*;

use crate::domain::blob::is_shown;
use crate::domain::hash::Hash;
use crate::ui::board::faces::{Face, Faces};
use crate::ui::panes::{InView, Place};
use crate::ui::view_state::Pictures;
use crate::ui::words;

/// Something that went along.
#[component]
pub fn Picture(
    /// Its content address.
    hash: Hash,
    /// The name that the operator knows it by.
    name: String,
    /// The media type.
    mime: String,
    /// The number of bytes.
    bytes: u64,
) -> impl IntoView {
    let size = words::size(usize::try_from(bytes).unwrap_or(usize::MAX));
    if !is_shown(&mime) {
        return view! { class="n", <p class="message-data">{format!("{name} · {mime} · {size}")}</p> }
            .into_any();
    }
    let base64 = expect_context::<Pictures>().content(&hash);
    let name = StoredValue::new(name);
    let about = format!("{} · {size}", name.get_value());
    let (faces, in_view) = (expect_context::<Faces>(), expect_context::<InView>());
    let open = move |_| {
        faces.preview().set(Some(name.get_value()));
        faces.show(Face::Preview);
        in_view.0.set(Place::Board);
    };
    let picture = move || match base64.get() {
        Some(base64) => {
            let source = format!("data:{mime};base64,{base64}");
            view! { class="n", <img class="message-picture" src=source alt=name.get_value() /> }.into_any()
        }
        None => view! { class="n", <p class="message-data">{words::answer::PICTURE_GONE}</p> }.into_any(),
    };
    view! { class="n",
        <figure class="message-figure">
            {picture}
            <figcaption>
                {about}
                <button type="button" class="quiet" data-testid="picture-open" on:click=open>{words::answer::PICTURE_OPEN}</button>
            </figcaption>
        </figure>
    }
    .into_any()
}
