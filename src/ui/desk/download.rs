//! Never sends a file anywhere but to the operator's own disk.
//!
//! Owns the downloads of one file and of all.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::archive;
use crate::domain::draft::DraftField;
use crate::domain::shelf::label;
use crate::ui::hooks::text_file::download_bytes;
use crate::ui::view_state::{MindView, NoticeKind, Notices, Sessions};
use crate::ui::words::desk as words;

/// Downloads a file under the last segment of its name.
pub fn one(mind: MindView, notices: Notices, name: &str) {
    let text = mind.text_untracked(&DraftField::File(name.to_owned()));
    let short = name.rsplit('/').next().unwrap_or(name);
    if !download_bytes(short, text.as_bytes()) {
        notices.tell(NoticeKind::Problem, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
    }
}

/// Downloads all files as one archive, named after the session.
pub fn all(mind: MindView) {
    let (notices, sessions) = (expect_context::<Notices>(), expect_context::<Sessions>());
    let names = mind.files().get_untracked();
    let texts: Vec<Arc<str>> =
        names.iter().map(|name| mind.text_untracked(&DraftField::File(name.clone()))).collect();
    let files = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes()));
    let session = sessions.get_untracked(&sessions.focus().get_untracked());
    let label = session.and_then(|row| label(&row.label)).unwrap_or_else(|| "files".to_owned());
    let name = format!("{}.zip", label.replace('/', "-"));
    if !archive::zip(files).is_some_and(|bytes| download_bytes(&name, &bytes)) {
        notices.tell(NoticeKind::Problem, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
    }
}
