//! Downloads one file, or all of them as a ZIP archive.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::hooks::files::compression::packed;
use crate::ui::hooks::files::download_bytes;
use crate::ui::view_state::{MindView, NoticeKind, Notices, Sessions};
use nexus_model::mind::file_name::label;
use nexus_model::mind::image_file::disk_bytes;
use nexus_model::session::draft::DraftField;
pub use nexus_view::strings::board::files as words;

/// Downloads a file under the last segment of its name.
pub fn one(mind: MindView, notices: Notices, name: &str) {
    let text = mind.text_untracked(&DraftField::File(name.to_owned()));
    let short = name.rsplit('/').next().unwrap_or(name);
    if !download_bytes(short, &disk_bytes(&text)) {
        notices.tell(NoticeKind::Problem, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
    }
}

/// Downloads all files as one archive, named after the session.
pub fn all(mind: MindView) {
    let (notices, sessions) = (expect_context::<Notices>(), expect_context::<Sessions>());
    let names = mind.files().get_untracked();
    let text = |name: &String| mind.text_untracked(&DraftField::File(name.clone()));
    let with_bytes = |name: String| {
        let bytes = disk_bytes(&text(&name));
        (name, bytes)
    };
    let files: Vec<_> = names.into_iter().map(with_bytes).collect();
    let session = sessions.get_untracked(&sessions.focus().get_untracked());
    let label = session.and_then(|row| label(&row.label)).unwrap_or_else(|| "files".to_owned());
    let name = format!("{}.zip", label.replace('/', "-"));
    spawn_local(async move {
        if !packed(&files).await.is_some_and(|bytes| download_bytes(&name, &bytes)) {
            notices.tell(NoticeKind::Problem, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
        }
    });
}
