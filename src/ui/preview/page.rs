//! Never reads anything but the files and pictures of the session.
//!
//! Owns making what a frame shows of a file and those that it names.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::id::SessionId;
use crate::domain::json;
use crate::domain::preview::{Kind, fetched, kind_of, pictures_said};
use crate::domain::sorted::SortedMap;
use crate::domain::text::web_page::web_page;
use crate::ui::view_state::{MindView, Past, Pictures};

/// Where what is shown comes from.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) mind: MindView,
    pub(super) past: Past,
    pub(super) pictures: Pictures,
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
}

/// The file as it is to be shown. Tracks it, and for a page all files.
pub(super) fn page_of(name: &str, own: Own) -> Option<Page> {
    let kind = kind_of(name)?;
    let text = |name: &String| own.mind.file_text(name).map(|text| text.get());
    let (text, files, missing) = match kind {
        Kind::Picture | Kind::Prose => (text(&name.to_owned())?, Arc::default(), Vec::new()),
        Kind::Page => {
            let names = own.mind.files().get();
            let files: SortedMap<String, Arc<str>> =
                names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect();
            let image = |file: &str| picture(file, own);
            let page = web_page(name, &|file| files.get(&file.to_owned()).map(|text| &**text), &image)?;
            let fetched = fetched(&page.html, &files);
            let fetched = fetched.and_then(|files| json::write(files).ok()).unwrap_or_default();
            (Arc::from(page.html), Arc::from(fetched), page.missing)
        }
    };
    Some(Page { name: name.to_owned(), kind, text, files, missing })
}

/// A picture that a message of the session brought along, under the name that it has there, as an address that holds it.
fn picture(file: &str, own: Own) -> Option<String> {
    let session = own.session.get();
    let (hash, mime) = own.past.fold(|world| pictures_said(world, session, file))?;
    let base64 = own.pictures.content(&hash).get()?;
    Some(format!("data:{mime};base64,{base64}"))
}
