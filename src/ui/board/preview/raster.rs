//! Shows a raster image in the preview, fitted or at full size, with its facts.

use std::sync::Arc;

use leptos::html::Img;

use crate::ui::hooks::files::PictureUrl;
use crate::ui::kit::prelude::*;
use nexus_model::mind::image_file::ImageFile;
pub use nexus_view::strings::board::preview as words;

lazy_view!(board, lazy_image_file, ImageFileView { name: String, text: Arc<str> });

/// A file that is an image, where others are edited.
#[component]
pub fn ImageFileView(name: String, text: Arc<str>) -> impl IntoMarkup {
    let image = ImageFile::of(&text)?;
    let (mime, bytes, base64) = (image.mime.to_owned(), image.bytes(), Arc::from(image.base64));
    Some(view! { <ImagePreview name mime bytes base64 /> })
}

/// A picture.
#[component]
pub fn ImagePreview(
    name: String,
    /// Its media type.
    mime: String,
    /// The number of its bytes.
    bytes: u64,
    /// Its bytes.
    base64: Arc<str>,
) -> impl IntoMarkup {
    let url = PictureUrl::new(&base64, &mime);
    let address = url.as_ref().map(|url| url.address().to_owned());
    // It is given back when the picture is no longer shown.
    let held = StoredValue::new(url);
    on_cleanup(move || held.dispose());
    let name = StoredValue::new(name);
    let points = RwSignal::new(None::<(u32, u32)>);
    let broken = RwSignal::new(address.is_none());
    let full = RwSignal::new(false);
    let image = NodeRef::<Img>::new();
    let loaded = move |_| {
        points.set(image.get_untracked().map(|image| (image.natural_width(), image.natural_height())));
    };
    let zoom = move |wanted: bool, title: &'static str, test: &'static str| {
        quiet_button(title)
            .test(test)
            .with("aria-pressed", move || (full.get() == wanted).to_string())
            .on_click(move |_| full.set(wanted))
    };
    view! {
        <div class="preview-zoom">
            <div class="preview-zooms" role="group" aria-label=words::ZOOM>
                {zoom(false, words::FIT.get(), "picture-fit")}
                {zoom(true, words::FULL, "picture-full")}
            </div>
            <span class="preview-about" role="status" data-testid="picture-about">
                {move || words::about_picture(points.get(), &mime, bytes)}
            </span>
        </div>
        <div
            class="preview-raster" data-testid="preview-raster"
            data-zoom=move || if full.get() { "full" } else { "fit" } tabindex="0" role="group"
            aria-label=name.get_value()
        >
            <Show
                when=move || !broken.get()
                fallback=|| view! { <p class="preview-broken" role="alert">{words::BROKEN}</p> }
            >
                <img
                    node_ref=image src=address.clone() alt=name.get_value() on:load=loaded
                    on:error=move |_| broken.set(true)
                />
            </Show>
        </div>
    }
}
