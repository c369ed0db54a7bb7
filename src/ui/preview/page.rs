//! Never reads anything but the files of the session.
//!
//! Owns making what a frame shows of a file and those that it names.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::preview::{Kind, kind_of};
use crate::domain::sorted::SortedMap;
use crate::domain::text::web_page::web_page;
use crate::ui::view_state::MindView;

/// A file as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) text: Arc<str>,
    /// Files that it names and that are not there.
    pub(super) missing: Vec<String>,
}

/// The file as it is to be shown. Tracks it, and for a page all files.
pub(super) fn page_of(name: &str, mind: MindView) -> Option<Page> {
    let kind = kind_of(name)?;
    let text = |name: &String| mind.file_text(name).map(|text| text.get());
    let (text, missing) = match kind {
        Kind::Picture | Kind::Prose => (text(&name.to_owned())?, Vec::new()),
        Kind::Page => {
            let names = mind.files().get();
            let files: SortedMap<String, Arc<str>> =
                names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect();
            let page = web_page(name, &|file| files.get(&file.to_owned()).map(|text| &**text))?;
            (Arc::from(page.html), page.missing)
        }
    };
    Some(Page { name: name.to_owned(), kind, text, missing })
}
