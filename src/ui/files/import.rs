//! Opens files from disk: checks the selection, imports texts, and asks if a name is taken.

use crate::ui::hooks::files::compression::inflated;
use crate::ui::prelude::*;
use nexus_model::limits::{DOCUMENT_BYTES, IMAGE_BYTES, OPEN_ALL_BYTES, OPEN_BYTES, OPEN_FILES};
use nexus_model::mind::blob;
use nexus_model::mind::file_name::{beside, label, text_of};
use nexus_model::mind::folder_sync::is_generated_folder;
use nexus_text::document;
use nexus_text::document::{body_of, text_name};
use nexus_view::strings::board::files as words;
use nexus_view::strings::board::files::OpenFileError;

/// A chosen file that was not simply opened.
#[derive(Clone)]
struct FileImport {
    id: u32,
    name: String,
    status: FileImportStatus,
}

#[derive(Clone)]
enum FileImportStatus {
    Failed(OpenFileError),
    /// The session has an identical file.
    Same,
    /// Number of files of this folder that are not text.
    Skipped(usize),
    /// Its name is taken; this is its text.
    NameTaken(Arc<str>),
}

/// Results of opening files that need attention.
#[derive(Clone, Copy)]
pub struct FileImports {
    page: &'static Page,
    lines: RwSignal<Vec<FileImport>>,
    next: StoredValue<u32>,
    panel: FilePanelState,
}

impl FileImports {
    /// An empty list. Created with its component.
    pub(crate) fn new() -> Self {
        let focus = expect_context::<&Page>().sessions.focus;
        let lines = RwSignal::new(Vec::new());
        // Questions about one session must not be answered in another.
        Effect::new(move |_| {
            focus.track();
            lines.set(Vec::new());
        });
        let Workspace { files: panel, .. } = expect_context();
        Self { page: expect_context(), lines, next: StoredValue::new(0), panel }
    }

    pub fn take(self, chosen: Vec<PickedFile>) {
        if !chosen.is_empty() {
            spawn_local(self.open(chosen));
        }
    }

    async fn open(self, chosen: Vec<PickedFile>) {
        let mut fresh: Vec<(String, String)> = Vec::new();
        // Another session may come into view while files are read; they belong to this one.
        let (session, edit) = (self.page.dispatch.session(), self.page.dispatch.mind_edit(Vec::new()));
        let (mut lines, mut bytes_left) = (Vec::new(), OPEN_ALL_BYTES);
        let mut skipped = VecMap::<String, usize>::new();
        for file in &chosen {
            let folder = file.name.split_once('/').map(|(folder, _)| folder.to_owned());
            let folder_path = file.name.rsplit_once('/').map_or("", |(folders, _)| folders);
            if folder_path.split('/').any(is_generated_folder) {
                continue;
            }
            let read = match fresh.len() < OPEN_FILES {
                true => read(file, bytes_left).await,
                false => Err(OpenFileError::Many),
            };
            let (name, text) = match (read, folder) {
                (Ok(read), _) => read,
                // Non-text files of a folder are counted, not listed.
                (Err(OpenFileError::Binary | OpenFileError::Many), Some(folder)) => {
                    *skipped.get_or_insert_with(folder, usize::default) += 1;
                    continue;
                }
                (Err(why), _) => {
                    lines.push((file.name.clone(), FileImportStatus::Failed(why)));
                    continue;
                }
            };
            bytes_left = bytes_left.saturating_sub(file.bytes);
            let existing = self.text(session, &name);
            let opened_text = fresh.iter().find(|(other, _)| *other == name).map(|(_, text)| text.as_str());
            match opened_text.or(existing.as_deref()) {
                None => fresh.push((name, text)),
                Some(same) if same == text => lines.push((name, FileImportStatus::Same)),
                Some(_) => lines.push((name, FileImportStatus::NameTaken(Arc::from(text)))),
            }
        }
        lines.extend(skipped.into_iter().map(|(folder, number)| (folder, FileImportStatus::Skipped(number))));
        if !fresh.is_empty() {
            self.create(edit, fresh).await;
        }
        if !lines.is_empty() && self.page.dispatch.session() == session {
            self.lines
                .update(|all| all.extend(lines.into_iter().map(|(name, status)| self.line(name, status))));
            self.panel.open.set(true);
        }
    }

    fn line(self, name: String, status: FileImportStatus) -> FileImport {
        let id = self.next.try_update_value(|next| std::mem::replace(next, *next + 1)).unwrap_or_default();
        FileImport { id, name, status }
    }

    /// The text of the session's file of that name, if any. Another session may be in view by now.
    fn text(self, session: SessionId, name: &str) -> Option<Arc<str>> {
        let (_, mind) = self.page.world.mind_untracked(session)?;
        mind.files.get(name).map(|file| Arc::clone(&file.text))
    }

    /// Creates files in the session; a single one is opened. A rejection is shown.
    async fn create(self, mut edit: Command, fresh: Vec<(String, String)>) {
        let names: Vec<String> = fresh.iter().map(|(name, _)| name.clone()).collect();
        if let Command::EditMind { writes, .. } = &mut edit {
            writes.extend(fresh.into_iter().map(|(name, text)| MindWrite::New { name, text }));
            if let [only] = names.as_slice() {
                writes.push(MindWrite::Activate(only.clone()));
            }
        }
        if self.page.dispatch.send_and_wait(edit).await.is_ok() {
            self.page.notices.add(NoticeKind::Info, words::opened(&names), "");
        }
    }

    fn forget(self, id: u32) {
        self.lines.update(|lines| lines.retain(|line| line.id != id));
    }

    fn replace(self, line: &FileImport, text: &str) {
        let (id, name, text) = (line.id, line.name.clone(), text.to_owned());
        let writes = vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)];
        self.page.dispatch.write_mind_then(writes, move || self.forget(id));
    }

    fn keep_both(self, line: &FileImport, text: &str) {
        let files = self.page.mind.files.order.get_untracked();
        let name = beside(&line.name, |name| files.iter().any(|file| file == name));
        self.forget(line.id);
        spawn_local(self.create(self.page.dispatch.mind_edit(Vec::new()), vec![(name, text.to_owned())]));
    }
}

/// Checks a file's size, reads it, and returns its name and text.
async fn read(file: &PickedFile, bytes_left: u64) -> Result<(String, String), OpenFileError> {
    if file.is_folder {
        return Err(OpenFileError::Folder);
    }
    if file.bytes > OPEN_BYTES {
        return Err(OpenFileError::Large);
    }
    if file.bytes > bytes_left {
        return Err(OpenFileError::Many);
    }
    let name = label(&file.name).ok_or(OpenFileError::Nameless)?;
    let bytes = file.bytes().await.ok_or(OpenFileError::Unread)?;
    if let Some(text) = document_text(&name, &bytes).await {
        return Ok((text_name(&name), text));
    }
    if let Some(image) = blob::image_text(&bytes) {
        return if file.bytes > IMAGE_BYTES { Err(OpenFileError::Large) } else { Ok((name, image)) };
    }
    let text = text_of(bytes).ok_or(OpenFileError::Binary)?;
    Ok((name, text))
}

/// The text of a word processor document.
async fn document_text(name: &str, bytes: &[u8]) -> Option<String> {
    let body = body_of(name, bytes)?;
    let xml = match body.is_deflated {
        true => inflated(body.bytes, DOCUMENT_BYTES).await?,
        false => body.bytes.to_vec(),
    };
    String::from_utf8(xml).ok().map(|xml| document::text_of(&xml))
}

/// The results and questions of opened files.
#[component]
pub fn FileImportList(imports: FileImports) -> impl IntoMarkup {
    let lines = imports.lines;
    let row = move |line: FileImport| {
        let line = StoredValue::new(line);
        let (name, status) = line.with_value(|line| (line.name.clone(), line.status.clone()));
        let dismiss_row = move |_| line.with_value(|line| imports.forget(line.id));
        let (kind, message, buttons) = match status {
            FileImportStatus::Failed(why) => ("refused", words::not_opened(why), None),
            FileImportStatus::Same => ("same", words::SAME.to_owned(), None),
            FileImportStatus::Skipped(number) => ("refused", words::files_skipped(number), None),
            FileImportStatus::NameTaken(text) => {
                let (mine, other) = (Arc::clone(&text), text);
                let buttons = view! {
                    {button(words::REPLACE).test("arrival-replace")
                        .on_click(move |_| line.with_value(|line| imports.replace(line, &mine)))}
                    {button(common::KEEP_BOTH).test("arrival-both")
                        .on_click(move |_| line.with_value(|line| imports.keep_both(line, &other)))}
                };
                ("taken", words::TAKEN.to_owned(), Some(buttons))
            }
        };
        let (dismiss, file) = (words::dismiss(&name), name.clone());
        view! {
            <li class="files-note" data-testid="arrival" data-kind=kind data-file=file>
                <p>
                    <b>{name}</b>
                    {" "}
                    {message}
                </p>
                {buttons}
                {icon_button(icon(icon::CLOSE)).label(dismiss).test("arrival-leave").on_click(dismiss_row)}
            </li>
        }
    };
    view! {
        <ul class="files-notes" role="status" hidden=move || lines.with(Vec::is_empty)>
            {keyed_list(move || lines.get(), |line| line.id, row)}
        </ul>
    }
}
