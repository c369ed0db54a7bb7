//! State of the folder sync of the session in view: status, checks on window focus, reading and writing.
//!
//! Never writes to the folder or asks for a permission without a click.

use leptos::ev;

use crate::ui::hooks::dom::on_window;
use crate::ui::hooks::files::LazyFileSystem;
use crate::ui::prelude::*;
use nexus_engine::folder_sync::{FolderSync, SessionFiles, WriteOutcome};
use nexus_engine::port::{FileSystem, FileSystemError, FileSystemUnavailable, LinkedFolder};
use nexus_model::mind::MindFile;
use nexus_model::mind::folder_sync::{FileStatus, FolderContents};
use nexus_model::settings::schema::SYNCED_FOLDERS;
use nexus_view::strings::board::files as words;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderSyncStatus {
    Unknown,
    /// No folder can be linked here.
    Unavailable(FileSystemUnavailable),
    Free,
    /// Linked to this folder, whose permission has lapsed.
    Lapsed(String),
    Linked(String),
    /// The folder could not be read or written.
    Failed(FileSystemError),
}

#[derive(Clone, Copy)]
pub struct FolderSyncState {
    pub(super) page: &'static Page,
    pub state: RwSignal<FolderSyncStatus>,
    pub differences: RwSignal<Vec<(String, FileStatus)>>,
    /// What is not synced, in words.
    pub left_out: RwSignal<String>,
    pub busy: RwSignal<bool>,
    /// True if the operator denied the permission.
    pub refused: RwSignal<bool>,
    disk: StoredValue<Option<Rc<dyn FileSystem>>>,
    sync: StoredValue<Option<Rc<FolderSync>>>,
    on_disk: RwSignal<Option<Arc<FolderContents>>>,
}

impl FolderSyncState {
    /// Follows the linked folder of the session in view. Created with its component.
    pub(crate) fn new() -> Self {
        let page = expect_context::<&Page>();
        let sessions = page.sessions;
        let load = expect_context::<LazyFileSystem>();
        let this = Self {
            page,
            state: RwSignal::new(FolderSyncStatus::Unknown),
            differences: RwSignal::new(Vec::new()),
            left_out: RwSignal::default(),
            busy: RwSignal::new(false),
            refused: RwSignal::new(false),
            disk: StoredValue::new(None),
            sync: StoredValue::new(None),
            on_disk: expect_context::<Workspace>().files.on_disk,
        };
        Effect::new(move |_| {
            let session = sessions.focus.get();
            this.sync.set_value(None);
            this.state.set(FolderSyncStatus::Unknown);
            this.differences.set(Vec::new());
            this.refused.set(false);
            spawn_here(async move {
                match (load.0)().await {
                    Ok(disk) => this.begin(disk(), session).await,
                    Err(_) => this.state.set(FolderSyncStatus::Failed(FileSystemError::Gone)),
                }
            });
        });
        // Edits of agents and the operator change the differences without reading the folder again. Before the session
        // is loaded, or while it is read-only, nothing is compared or read.
        Effect::new(move |was: Option<bool>| {
            let is_ready = this.page.mind.hash.get().is_some() && !sessions.read_only.get();
            if is_ready && was == Some(false) {
                this.check();
            }
            this.compare();
            is_ready
        });
        // An unlinked folder is no base for a comparison.
        Effect::new(move |_| {
            if !matches!(this.state.get(), FolderSyncStatus::Linked(_)) {
                this.on_disk.set(None);
            }
        });
        on_window(ev::focus, move |_| this.check());
        on_window(ev::visibilitychange, move |_| this.check());
        on_cleanup(move || this.on_disk.set(None));
        this
    }

    /// The status of a file that differs.
    pub fn status(self, name: &str) -> Option<FileStatus> {
        self.differences.with(|all| all.iter().find(|(other, _)| other == name).map(|(_, status)| *status))
    }

    /// True if the folder has a text for this file.
    pub fn has_folder_text(self, name: &str) -> bool {
        self.sync.get_value().is_some_and(|sync| sync.text(name).is_some())
    }

    async fn begin(self, disk: Rc<dyn FileSystem>, session: SessionId) {
        let disk = self.disk.get_value().unwrap_or(disk);
        self.disk.set_value(Some(Rc::clone(&disk)));
        if let Some(why) = disk.unavailable() {
            return self.state.set(FolderSyncStatus::Unavailable(why));
        }
        self.update(disk.linked_folder(session).await, session);
    }

    fn update(self, linked: Result<Option<LinkedFolder>, FileSystemError>, session: SessionId) {
        // Another session may be in view by now. This one's folder is read again when it is.
        if self.page.dispatch.session() != session {
            return;
        }
        match (linked, self.disk.try_get_value().flatten()) {
            (Ok(Some(folder)), Some(disk)) => {
                self.sync.set_value(Some(Rc::new(FolderSync::new(disk, session, &folder))));
                self.remember(session, true);
                if folder.allowed {
                    self.state.set(FolderSyncStatus::Linked(folder.name));
                    self.check();
                } else {
                    self.state.set(FolderSyncStatus::Lapsed(folder.name));
                }
            }
            (Ok(None), _) => {
                self.sync.set_value(None);
                self.differences.set(Vec::new());
                self.remember(session, false);
                self.state.set(FolderSyncStatus::Free);
            }
            (Err(error), _) => self.state.set(FolderSyncStatus::Failed(error)),
            (Ok(Some(_)), None) => {}
        }
    }

    /// Stores whether the session is linked, so that the next start checks the folder.
    fn remember(self, session: SessionId, is_linked: bool) {
        let known = self.page.settings.value(SYNCED_FOLDERS).get_untracked();
        let mut all: Vec<Value> = known.and_then(|all| all.as_array().cloned()).unwrap_or_default();
        let id = Value::from(session.to_string());
        if all.contains(&id) != is_linked {
            all.retain(|other| *other != id);
            if is_linked {
                all.push(id);
            }
            self.page.dispatch.set_setting(SYNCED_FOLDERS, all);
        }
    }

    pub fn pick(self) {
        let (Some(disk), session) = (self.disk.get_value(), self.page.dispatch.session()) else { return };
        // The picker requires the click's own task.
        let picking = disk.pick(session);
        spawn_local(async move {
            match picking.await {
                Ok(None) => {}
                picked => self.update(picked, session),
            }
        });
    }

    pub fn allow(self) {
        let (Some(disk), session) = (self.disk.get_value(), self.page.dispatch.session()) else { return };
        let asking = disk.request_access(session);
        spawn_local(async move {
            match asking.await {
                Ok(true) => {
                    self.refused.set(false);
                    self.update(disk.linked_folder(session).await, session);
                }
                Ok(false) => self.refused.set(self.page.dispatch.session() == session),
                Err(error) => self.update(Err(error), session),
            }
        });
    }

    pub fn unlink(self) {
        let (Some(disk), session) = (self.disk.get_value(), self.page.dispatch.session()) else { return };
        spawn_local(async move {
            match disk.unlink(session).await {
                Ok(()) => self.update(Ok(None), session),
                Err(error) => self.update(Err(error), session),
            }
        });
    }

    fn compare(self) {
        let sync = self.sync.get_value();
        let all = sync.map(|sync| sync.differences(&files_now(self.page.mind)));
        self.differences.set_if_changed(all.unwrap_or_default());
    }

    fn failed(self, error: FileSystemError) {
        match (error, self.state.get_untracked()) {
            (FileSystemError::Lapsed, FolderSyncStatus::Linked(name)) => {
                self.state.set(FolderSyncStatus::Lapsed(name))
            }
            (error, _) => self.state.set(FolderSyncStatus::Failed(error)),
        }
    }

    /// Reads the folder, and imports what changed only there.
    pub fn check(self) {
        // The panel may be gone by now.
        if matches!(self.state.try_get_untracked(), Some(FolderSyncStatus::Linked(_))) {
            self.work(move |sync| async move { self.check_now(&sync).await });
        }
    }

    fn work<F: Future<Output = Result<(), FileSystemError>> + 'static>(
        self,
        work: impl FnOnce(Rc<FolderSync>) -> F + 'static,
    ) {
        let Some(sync) = self.sync.get_value() else { return };
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let outcome = work(Rc::clone(&sync)).await;
            self.busy.set(false);
            // Another session may be in view by now.
            if self.is_in_view(&sync) {
                match outcome {
                    // The base of comparisons with the folder.
                    Ok(()) => self.on_disk.set_if_changed(Some(Arc::new(sync.contents()))),
                    Err(error) => self.failed(error),
                }
                self.compare();
            } else {
                self.check();
            }
        });
    }

    /// True if the linked session is the one in view.
    fn is_in_view(self, sync: &Rc<FolderSync>) -> bool {
        self.page.dispatch.session() == sync.session()
            && self.sync.try_get_value().flatten().is_some_and(|now| Rc::ptr_eq(&now, sync))
    }

    async fn check_now(self, sync: &Rc<FolderSync>) -> Result<(), FileSystemError> {
        if !self.is_in_view(sync) || self.page.mind.hash.get_untracked().is_none() {
            return Ok(());
        }
        let (here, edit) = self.base();
        let check = sync.scan(&here).await?;
        if !self.is_in_view(sync) {
            return Ok(());
        }
        self.left_out.set(words::left_out(check.skipped, check.is_truncated));
        if self.page.sessions.read_only.get_untracked() {
            return Ok(());
        }
        self.import(sync, here, edit, check.reads).await
    }

    /// The session's files, and the still empty edit on that base, so that later changes are merged, not overwritten.
    fn base(self) -> (SessionFiles, Command) {
        (files_now(self.page.mind), self.page.dispatch.mind_edit(Vec::new()))
    }

    /// Writes texts of the folder into the session, and records the agreed state.
    async fn import(
        self,
        sync: &FolderSync,
        mut here: SessionFiles,
        mut edit: Command,
        reads: Vec<MindWrite>,
    ) -> Result<(), FileSystemError> {
        if reads.is_empty() {
            return sync.record_common_state(&here).await;
        }
        let mut names = Vec::new();
        for read in &reads {
            if let MindWrite::File { name, text } | MindWrite::New { name, text } = read {
                here.insert(name.clone(), MindFile::new(text));
                names.push(name.clone());
            }
        }
        if let Command::EditMind { writes, .. } = &mut edit {
            *writes = reads;
        }
        if self.page.dispatch.send_and_wait(edit).await.is_ok() {
            self.page.notices.add(NoticeKind::Info, words::files_imported(&names), "");
            sync.record_common_state(&here).await?;
        }
        Ok(())
    }

    /// Writes all files that changed only here.
    pub fn write_all(self) {
        let wanted: Vec<String> = self.differences.with_untracked(|all| {
            all.iter().filter(|(_, status)| status.is_written()).map(|(name, _)| name.clone()).collect()
        });
        self.write(wanted, false);
    }

    /// Writes these files; `over` overwrites the folder's version, as the operator decided.
    pub fn write(self, names: Vec<String>, over: bool) {
        let mind = self.page.mind;
        let files: Vec<_> = names.into_iter().map(|name| (mind.file_untracked(&name), name)).collect();
        self.work(move |sync| async move {
            let (mut written, mut changed_outside, mut failed) = (Vec::new(), Vec::new(), Vec::new());
            for (text, name) in files {
                match sync.write(&name, &text, over).await {
                    Ok(WriteOutcome::Done) => written.push(name),
                    Ok(WriteOutcome::ChangedOutside) => changed_outside.push(name),
                    // For instance an invalid file name: the others are still written.
                    Err(FileSystemError::Failed(why)) => failed.push((name, why)),
                    Err(error) => return Err(error),
                }
            }
            if !written.is_empty() {
                self.page.notices.add(NoticeKind::Info, words::written(&written), "");
            }
            if !changed_outside.is_empty() {
                // A brief notice, which does not cover the panel that has the buttons.
                self.page.notices.add(
                    NoticeKind::Info,
                    words::not_written(&changed_outside),
                    words::NOT_WRITTEN_ADVICE,
                );
            }
            for (name, why) in failed {
                let advice = words::write_failed_advice(&why);
                self.page.notices.add(NoticeKind::Error, words::write_failed(&name), advice);
            }
            self.check_now(&sync).await
        });
    }

    /// Takes the folder's text of a file.
    pub fn import_file(self, name: String) {
        self.work(move |sync| async move {
            let Some(text) = sync.text(&name).map(|text| text.to_string()) else { return Ok(()) };
            let is_here = self.page.mind.files.order.with_untracked(|files| files.contains(&name));
            let write = match is_here {
                true => MindWrite::File { name, text },
                false => MindWrite::New { name, text },
            };
            let (here, edit) = self.base();
            self.import(&sync, here, edit, vec![write]).await
        });
    }
}

/// The session's current files, for the comparison with a folder.
fn files_now(mind: MindView) -> SessionFiles {
    let names = mind.files.order.get_untracked();
    names.iter().map(|name| (name.clone(), MindFile::new(&mind.file_untracked(name)))).collect()
}
