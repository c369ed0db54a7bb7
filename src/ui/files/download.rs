//! Downloads one file, or all of them as a ZIP archive.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::hooks::files::download_bytes;
use crate::ui::view_state::{MindView, NoticeKind, Notices, Sessions};
use nexus_model::mind::file_name::label;
use nexus_model::session::draft::DraftField;
use nexus_text::zip;
pub use nexus_view::strings::board::files as words;

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
    if !zip::zip(files).is_some_and(|bytes| download_bytes(&name, &bytes)) {
        notices.tell(NoticeKind::Problem, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
    }
}
