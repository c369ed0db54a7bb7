//! Never reads anything but the files and pictures of the session.
//!
//! Owns making what a frame shows of a file and those that it names.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::blob::NewBlob;
use crate::domain::id::SessionId;
use crate::domain::json;
use crate::domain::preview::{Kind, Picture, fetched, kind_of, meant, pictures};
use crate::domain::sorted::SortedMap;
use crate::domain::text::web_page::web_page;
use crate::ui::chat::composer::images::Waiting;
use crate::ui::view_state::{MindView, Past};

/// Where what is shown comes from.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) mind: MindView,
    pub(super) past: Past,
    pub(super) waiting: Waiting,
    pub(super) session: Signal<SessionId>,
}

/// A file as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) text: Arc<str>,
    /// What it can fetch, as JSON.
    pub(super) files: Arc<str>,
    /// Files that it names and that are not there.
    pub(super) missing: Vec<String>,
    /// The media type and the number of bytes of a picture.
    pub(super) raster: Option<(String, u64)>,
}

/// A picture that can be shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offer {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Whether its message is still to be sent.
    pub(super) waits: bool,
}

impl Own {
    /// The pictures that there are, those that wait first. Tracks them.
    pub(super) fn offers(self) -> Vec<Offer> {
        let waiting = self.waiting.0.with(|list| {
            let offer = |(_, blob): &(u32, NewBlob)| {
                let bytes = u64::try_from(blob.base64.len() / 4 * 3).unwrap_or(u64::MAX);
                Offer { name: blob.name.clone(), bytes, waits: true }
            };
            list.iter().rev().map(offer).collect::<Vec<_>>()
        });
        let said = self.said();
        let said = said.into_iter().filter(|one| !waiting.iter().any(|other| other.name == one.name));
        let said = said.map(|one| Offer { name: one.name, bytes: one.bytes, waits: false });
        waiting.iter().cloned().chain(said).collect()
    }

    fn said(self) -> Vec<Picture> {
        let session = self.session.get();
        self.past.fold(|world| pictures(world, session))
    }

    /// The media type and the content of a picture that a page or the operator means by this name.
    fn picture(self, name: &str) -> Option<(String, u64, Arc<str>)> {
        let waits = self.waiting.0.with(|list| {
            let own = meant(list.iter().rev().map(|(_, blob)| blob.name.as_str()), name)?;
            let (_, blob) = list.iter().rev().find(|(_, blob)| blob.name == own)?;
            let bytes = u64::try_from(blob.base64.len() / 4 * 3).unwrap_or(u64::MAX);
            Some((blob.mime.clone(), bytes, Arc::from(blob.base64.as_str())))
        });
        waits.or_else(|| {
            let said = self.said();
            let own = meant(said.iter().map(|one| one.name.as_str()), name)?;
            let one = said.iter().find(|one| one.name == own)?;
            let content = self.past.fold_untracked(|world| world.blob(&one.hash).cloned())?;
            Some((one.mime.clone(), one.bytes, content))
        })
    }
}

/// The file as it is to be shown. Tracks it, and for a page all files.
pub(super) fn page_of(name: &str, own: Own) -> Option<Page> {
    let has = own.mind.files().with(|files| files.iter().any(|file| file == name));
    let Some(kind) = kind_of(name).filter(|_| has) else {
        let (mime, bytes, text) = own.picture(name)?;
        let (name, files) = (name.to_owned(), Arc::default());
        let raster = Some((mime, bytes));
        return Some(Page { name, kind: Kind::Raster, text, files, missing: Vec::new(), raster });
    };
    let text = |name: &String| own.mind.file_text(name).map(|text| text.get());
    let (text, files, missing) = match kind {
        Kind::Picture | Kind::Prose | Kind::Raster => (text(&name.to_owned())?, Arc::default(), Vec::new()),
        Kind::Page => {
            let names = own.mind.files().get();
            let files: SortedMap<String, Arc<str>> =
                names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect();
            let image = |file: &str| {
                let (mime, _, base64) = own.picture(file)?;
                Some(format!("data:{mime};base64,{base64}"))
            };
            let page = web_page(name, &|file| files.get(&file.to_owned()).map(|text| &**text), &image)?;
            let fetched = fetched(&page.html, &files);
            let fetched = fetched.and_then(|files| json::write(files).ok()).unwrap_or_default();
            (Arc::from(page.html), Arc::from(fetched), page.missing)
        }
    };
    Some(Page { name: name.to_owned(), kind, text, files, missing, raster: None })
}
