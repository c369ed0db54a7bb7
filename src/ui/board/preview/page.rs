//! Builds the content of the preview from a file and the files and images that it references. Shows raster images
//! fitted or at full size, with their metadata.
//!
//! Reads only files and images of the session.

use leptos::html::Img;

use crate::ui::chat::composer::images::PendingImages;
use crate::ui::hooks::files::PictureUrl;
use crate::ui::prelude::*;
use nexus_model::mind::blob::NewBlob;
use nexus_model::mind::image_file::ImageFile;
use nexus_model::mind::preview::{MessageImage, PreviewKind, fetched, kind_of, pictures, referenced_file};
use nexus_text::html_bundle::web_page;
use nexus_text::json;
use nexus_text::vec_map::VecMap;
pub use nexus_view::strings::board::preview as words;

#[derive(Clone, Copy)]
pub(super) struct PreviewSources {
    pub(super) mind: MindView,
    pub(super) world: WorldReader,
    pub(super) waiting: PendingImages,
    pub(super) session: RwSignal<SessionId>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PreviewFile {
    pub(super) name: String,
    pub(super) kind: PreviewKind,
    pub(super) text: Arc<str>,
    /// Files that its scripts can fetch, as JSON.
    pub(super) files: Arc<str>,
    /// Referenced files that do not exist.
    pub(super) missing: Vec<String>,
    /// Media type and size in bytes of a raster image.
    pub(super) raster: Option<(String, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ImageOption {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// True if its message is not sent yet.
    pub(super) is_pending: bool,
}

impl PreviewSources {
    /// The available images, pending ones first. Reactive.
    pub(super) fn offers(self) -> Vec<ImageOption> {
        let waiting = self.waiting.0.with(|list| {
            let offer = |(_, blob): &(u32, NewBlob)| {
                let bytes = u64::try_from(blob.base64.len() / 4 * 3).unwrap_or(u64::MAX);
                ImageOption { name: blob.name.clone(), bytes, is_pending: true }
            };
            list.iter().rev().map(offer).collect::<Vec<_>>()
        });
        let sent = self.sent_images();
        let sent = sent.into_iter().filter(|one| !waiting.iter().any(|other| other.name == one.name));
        let sent = sent.map(|one| ImageOption { name: one.name, bytes: one.bytes, is_pending: false });
        waiting.iter().cloned().chain(sent).collect()
    }

    fn sent_images(self) -> Vec<MessageImage> {
        let session = self.session.get();
        self.world.with(WorldParts::SESSIONS, |world| pictures(world, session))
    }

    /// Media type, size and content of the image of this name: a file of the session, else an image of a message.
    /// Reactive.
    fn picture(self, name: &str) -> Option<(String, u64, Arc<str>)> {
        let file = self.mind.files.row(&name.to_owned()).map(|text| text.get());
        if let Some(image) = file.as_deref().and_then(ImageFile::of) {
            return Some((image.mime.to_owned(), image.bytes(), Arc::from(image.base64)));
        }
        let pending = self.waiting.0.with(|list| {
            let own = referenced_file(list.iter().rev().map(|(_, blob)| blob.name.as_str()), name)?;
            let (_, blob) = list.iter().rev().find(|(_, blob)| blob.name == own)?;
            let bytes = u64::try_from(blob.base64.len() / 4 * 3).unwrap_or(u64::MAX);
            Some((blob.mime.clone(), bytes, Arc::from(blob.base64.as_str())))
        });
        pending.or_else(|| {
            let sent = self.sent_images();
            let own = referenced_file(sent.iter().map(|one| one.name.as_str()), name)?;
            let one = sent.iter().find(|one| one.name == own)?;
            let content = self.world.with_untracked(|world| world.blob(&one.hash).cloned())?;
            Some((one.mime.clone(), one.bytes, content))
        })
    }
}

/// The file as previewed. Reactive to the file, and for a page to all files.
pub(super) fn page_of(name: &str, sources: PreviewSources) -> Option<PreviewFile> {
    let has = sources.mind.files.order.with(|files| files.iter().any(|file| file == name));
    let Some(kind) = kind_of(name).filter(|kind| has && *kind != PreviewKind::Raster) else {
        let (mime, bytes, text) = sources.picture(name)?;
        let (name, files) = (name.to_owned(), Arc::default());
        let raster = Some((mime, bytes));
        return Some(PreviewFile {
            name,
            kind: PreviewKind::Raster,
            text,
            files,
            missing: Vec::new(),
            raster,
        });
    };
    let text = |name: &String| sources.mind.files.row(name).map(|text| text.get());
    let (text, files, missing) = match kind {
        PreviewKind::Picture | PreviewKind::Prose | PreviewKind::Raster => {
            (text(&name.to_owned())?, Arc::default(), Vec::new())
        }
        PreviewKind::Page => {
            let names = sources.mind.files.order.get();
            let files: VecMap<String, Arc<str>> =
                names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect();
            let image = |file: &str| {
                let (mime, _, base64) = sources.picture(file)?;
                Some(format!("data:{mime};base64,{base64}"))
            };
            let text_of = |file: &str| files.get(&file.to_owned()).map(|text| &**text);
            let page =
                web_page(name, &|file| text_of(file).filter(|text| ImageFile::of(text).is_none()), &image)?;
            let fetched = fetched(&page.html, &files);
            let fetched = fetched.and_then(|files| json::write(files).ok()).unwrap_or_default();
            (Arc::from(page.html), Arc::from(fetched), page.missing)
        }
    };
    Some(PreviewFile { name: name.to_owned(), kind, text, files, missing, raster: None })
}

lazy_view!(board, lazy_image_file, ImageFileView { name: String, text: Arc<str> });

/// An image file, shown instead of the editor.
#[component]
pub fn ImageFileView(name: String, text: Arc<str>) -> impl IntoMarkup {
    let image = ImageFile::of(&text)?;
    let (mime, bytes, base64) = (image.mime.to_owned(), image.bytes(), Arc::from(image.base64));
    Some(view! { <ImagePreview name mime bytes base64 /> })
}

#[component]
pub fn ImagePreview(name: String, mime: String, bytes: u64, base64: Arc<str>) -> impl IntoMarkup {
    let url = PictureUrl::new(&base64, &mime);
    let address = url.as_ref().map(|url| url.address().to_owned());
    // Revoked when the image is no longer shown.
    let url_handle = StoredValue::new(url);
    on_cleanup(move || url_handle.dispose());
    let name = StoredValue::new(name);
    let points = RwSignal::new(None::<(u32, u32)>);
    let is_broken = RwSignal::new(address.is_none());
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
                when=move || !is_broken.get()
                fallback=|| view! { <p class="preview-broken" role="alert">{words::BROKEN}</p> }
            >
                <img
                    node_ref=image src=address.clone() alt=name.get_value() on:load=loaded
                    on:error=move |_| is_broken.set(true)
                />
            </Show>
        </div>
    }
}
