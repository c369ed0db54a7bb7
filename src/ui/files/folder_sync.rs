//! State of the folder sync of the session in view: status, checks when the page gets focus, reading and writing.
//!
//! Never writes to the folder or asks for a permission without a click.

use leptos::ev;
use serde_json::Value;

use crate::ui::hooks::files::LazyFileSystem;
use crate::ui::prelude::*;
use crate::ui::workspace::message_actions::FilePanelState;
use nexus_engine::folder_sync::{FolderSync, SessionFiles, WriteOutcome};
use nexus_engine::port::{FileSystem, FileSystemError, FileSystemUnavailable, LinkedFolder};
use nexus_model::mind::folder_sync::{FileStatus, FolderContents};
use nexus_model::mind::{MindFile, MindWrite};
use nexus_model::settings::schema::SYNCED_FOLDERS;
pub use nexus_view::strings::board::files as words;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderSyncStatus {
    Unknown,
    /// No folder can be tied here.
    Hindered(FileSystemUnavailable),
    Free,
    /// There is one of this name, whose permission has lapsed.
    Lapsed(String),
    Tied(String),
    /// It could not be read or written.
    Failed(FileSystemError),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedFiles {
    /// Files that are no text or too large.
    pub passed_over: usize,
    /// Whether there are more than a session takes.
    pub cut: bool,
}

/// What stood here when it was compared with the folder, and the edit of it that is still empty: so what others write
/// meanwhile is merged, not written over.
struct SyncBase {
    here: SessionFiles,
    edit: Command,
}

#[derive(Clone, Copy)]
pub struct FolderSyncState {
    pub state: RwSignal<FolderSyncStatus>,
    pub differences: RwSignal<Vec<(String, FileStatus)>>,
    pub left_out: RwSignal<SkippedFiles>,
    pub busy: RwSignal<bool>,
    /// The operator was asked for the permission, and it was not given.
    pub refused: RwSignal<bool>,
    disk: StoredValue<Option<Rc<dyn FileSystem>>>,
    tie: StoredValue<Option<Rc<FolderSync>>>,
    on_disk: RwSignal<Option<Arc<FolderContents>>>,
    mind: MindView,
    dispatch: Dispatch,
    notices: Notices,
    settings: Settings,
    read_only: Selector<bool>,
}

impl FolderSyncState {
    /// The tie of the session in view, and of each that comes into view after it. Made with its component.
    pub(crate) fn new() -> Self {
        let (sessions, door) = (expect_context::<Sessions>(), expect_context::<LazyFileSystem>());
        let this = Self {
            state: RwSignal::new(FolderSyncStatus::Unknown),
            differences: RwSignal::new(Vec::new()),
            left_out: RwSignal::new(SkippedFiles::default()),
            busy: RwSignal::new(false),
            refused: RwSignal::new(false),
            disk: StoredValue::new(None),
            tie: StoredValue::new(None),
            on_disk: expect_context::<FilePanelState>().on_disk,
            mind: expect_context(),
            dispatch: expect_context(),
            notices: expect_context(),
            settings: expect_context(),
            read_only: sessions.read_only,
        };
        Effect::new(move |_| {
            let session = sessions.focus.get();
            this.tie.set_value(None);
            this.state.set(FolderSyncStatus::Unknown);
            this.differences.set(Vec::new());
            this.refused.set(false);
            spawn_local(async move {
                match (door.0)().await {
                    Ok(disk) => this.begin(disk(), session).await,
                    Err(_) => this.state.set(FolderSyncStatus::Failed(FileSystemError::Gone)),
                }
            });
        });
        // What agents and the operator write changes how files stand, without another look at the disk.
        // Before the session is loaded, and while another tab works in it, there is nothing to compare or to read into.
        Effect::new(move |was: Option<bool>| {
            let is_ready = this.is_ready();
            if is_ready && was == Some(false) {
                this.look();
            }
            this.compare();
            is_ready
        });
        // What cannot be looked at any more is nothing to compare with.
        Effect::new(move |_| {
            if !matches!(this.state.get(), FolderSyncStatus::Tied(_)) {
                this.on_disk.set(None);
            }
        });
        let again = window_event_listener(ev::focus, move |_| this.look());
        let shown = window_event_listener(ev::visibilitychange, move |_| this.look());
        on_cleanup(move || {
            this.on_disk.try_set(None);
            again.remove();
            shown.remove();
        });
        this
    }

    /// How a file stands, where it differs.
    pub fn standing(self, name: &str) -> Option<FileStatus> {
        self.differences
            .with(|all| all.iter().find(|(other, _)| other == name).map(|(_, standing)| *standing))
    }

    /// Whether the folder's text of a file can be taken: not of one that is none.
    pub fn has_theirs(self, name: &str) -> bool {
        self.tie().is_some_and(|tie| tie.text(name).is_some())
    }

    fn is_ready(self) -> bool {
        self.mind.hash.get().is_some() && !self.read_only.get()
    }

    fn tie(self) -> Option<Rc<FolderSync>> {
        self.tie.get_value()
    }

    fn disk(self) -> Option<Rc<dyn FileSystem>> {
        self.disk.get_value()
    }

    async fn begin(self, disk: Rc<dyn FileSystem>, session: SessionId) {
        let disk = self.disk().unwrap_or(disk);
        self.disk.set_value(Some(Rc::clone(&disk)));
        if let Some(why) = disk.hindrance() {
            return self.state.set(FolderSyncStatus::Hindered(why));
        }
        let tied = disk.tied(session).await;
        if self.dispatch.session() == session {
            self.found(tied, session);
        }
    }

    fn found(self, tied: Result<Option<LinkedFolder>, FileSystemError>, session: SessionId) {
        match (tied, self.disk()) {
            (Ok(Some(folder)), Some(disk)) => {
                self.tie.set_value(Some(Rc::new(FolderSync::new(disk, session, &folder))));
                self.remember(session, true);
                if folder.allowed {
                    self.state.set(FolderSyncStatus::Tied(folder.name));
                    self.look();
                } else {
                    self.state.set(FolderSyncStatus::Lapsed(folder.name));
                }
            }
            (Ok(None), _) => {
                self.remember(session, false);
                self.state.set(FolderSyncStatus::Free);
            }
            (Err(error), _) => self.state.set(FolderSyncStatus::Failed(error)),
            (Ok(Some(_)), None) => {}
        }
    }

    /// Notes whether the session is tied, so that the next start of the page knows that it has to look.
    fn remember(self, session: SessionId, is_tied: bool) {
        let known = self.settings.value(SYNCED_FOLDERS).get_untracked();
        let mut all: Vec<Value> = known.and_then(|all| all.as_array().cloned()).unwrap_or_default();
        let id = Value::from(session.to_string());
        if all.contains(&id) != is_tied {
            all.retain(|other| *other != id);
            if is_tied {
                all.push(id);
            }
            self.dispatch.set_setting(SYNCED_FOLDERS, all);
        }
    }

    pub fn pick(self) {
        let (Some(disk), session) = (self.disk(), self.dispatch.session()) else { return };
        // The picker opens only in the click's own task.
        let picking = disk.pick(session);
        spawn_local(async move {
            match picking.await {
                Ok(None) => {}
                picked => self.found(picked, session),
            }
        });
    }

    pub fn allow(self) {
        let (Some(disk), session) = (self.disk(), self.dispatch.session()) else { return };
        let asking = disk.allow(session);
        spawn_local(async move {
            match asking.await {
                Ok(true) => {
                    self.refused.set(false);
                    self.found(disk.tied(session).await, session);
                }
                Ok(false) => self.refused.set(self.dispatch.session() == session),
                Err(error) => self.state.set(FolderSyncStatus::Failed(error)),
            }
        });
    }

    /// Unties the session. The folder and the files stay.
    pub fn untie(self) {
        let (Some(disk), session) = (self.disk(), self.dispatch.session()) else { return };
        spawn_local(async move {
            match disk.forget(session).await {
                Ok(()) => {
                    self.tie.set_value(None);
                    self.differences.set(Vec::new());
                    self.found(Ok(None), session);
                }
                Err(error) => self.state.set(FolderSyncStatus::Failed(error)),
            }
        });
    }

    fn compare(self) {
        let found = self.tie().map(|tie| tie.differences(&files_now(self.mind))).unwrap_or_default();
        if self.differences.with_untracked(|known| *known != found) {
            self.differences.set(found);
        }
    }

    /// Tells what the folder holds, for comparing with it.
    fn feed(self, tie: &FolderSync) {
        let holding = Some(Arc::new(tie.holding()));
        if self.on_disk.with_untracked(|known| *known != holding) {
            self.on_disk.set(holding);
        }
    }

    fn failed(self, error: FileSystemError) {
        match (error, self.state.get_untracked()) {
            (FileSystemError::Lapsed, FolderSyncStatus::Tied(name)) => {
                self.state.set(FolderSyncStatus::Lapsed(name))
            }
            (error, _) => self.state.set(FolderSyncStatus::Failed(error)),
        }
    }

    /// Looks at the folder, and reads in what changed only there.
    pub fn look(self) {
        if matches!(self.state.get_untracked(), FolderSyncStatus::Tied(_)) {
            self.work(move |tie| async move { self.look_at(&tie).await });
        }
    }

    fn work<F: Future<Output = Result<(), FileSystemError>> + 'static>(
        self,
        work: impl FnOnce(Rc<FolderSync>) -> F + 'static,
    ) {
        let Some(tie) = self.tie() else { return };
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let outcome = work(Rc::clone(&tie)).await;
            self.busy.set(false);
            // Another session may be in view by now.
            if self.is_in_view(&tie) {
                match outcome {
                    Ok(()) => self.feed(&tie),
                    Err(error) => self.failed(error),
                }
                self.compare();
            } else {
                self.look();
            }
        });
    }

    /// Whether the session that is tied is the one in view.
    fn is_in_view(self, tie: &Rc<FolderSync>) -> bool {
        self.dispatch.session() == tie.session() && self.tie().is_some_and(|now| Rc::ptr_eq(&now, tie))
    }

    async fn look_at(self, tie: &Rc<FolderSync>) -> Result<(), FileSystemError> {
        if !self.is_in_view(tie) {
            return Ok(());
        }
        if self.mind.hash.get_untracked().is_none() {
            return Ok(());
        }
        let ground = self.ground();
        let look = tie.look(&ground.here).await?;
        if !self.is_in_view(tie) {
            return Ok(());
        }
        self.left_out.set(SkippedFiles { passed_over: look.passed_over, cut: look.cut });
        if self.read_only.get_untracked() {
            return Ok(());
        }
        self.take_in(tie, ground, look.reads).await
    }

    fn ground(self) -> SyncBase {
        SyncBase { here: files_now(self.mind), edit: self.dispatch.mind_edit(Vec::new()) }
    }

    /// Takes texts of the folder into the session, and notes what is the same then.
    async fn take_in(
        self,
        tie: &FolderSync,
        ground: SyncBase,
        reads: Vec<MindWrite>,
    ) -> Result<(), FileSystemError> {
        let SyncBase { mut here, mut edit } = ground;
        if reads.is_empty() {
            return tie.agree(&here).await;
        }
        let names: Vec<String> = reads.iter().filter_map(apply(&mut here)).collect();
        if let Command::EditMind { writes, .. } = &mut edit {
            *writes = reads;
        }
        if self.dispatch.ask(edit).await.is_ok() {
            self.notices.tell(NoticeKind::Word, words::read_in(&names), "");
            tie.agree(&here).await?;
        }
        Ok(())
    }

    /// Writes all that changed only here.
    pub fn write_all(self) {
        let wanted: Vec<String> = self.differences.with_untracked(|all| {
            all.iter().filter(|(_, standing)| standing.is_written()).map(|(name, _)| name.clone()).collect()
        });
        self.write(wanted, false);
    }

    /// Writes these files; `over` what is there now, where the operator decided so.
    pub fn write(self, names: Vec<String>, over: bool) {
        let text = |name: &String| self.mind.text_untracked(&DraftField::File(name.clone()));
        let wanted: Vec<_> = names.into_iter().map(|name| (text(&name), name)).collect();
        self.work(move |tie| async move {
            let (mut written, mut kept, mut refused) = (Vec::new(), Vec::new(), Vec::new());
            for (text, name) in wanted {
                match tie.write(&name, &text, over).await {
                    Ok(WriteOutcome::Done) => written.push(name),
                    Ok(WriteOutcome::ChangedOutside) => kept.push(name),
                    // Such as a name that the disk does not take: the others are written all the same.
                    Err(FileSystemError::Failed(why)) => refused.push((name, why)),
                    Err(error) => return Err(error),
                }
            }
            if !written.is_empty() {
                self.notices.tell(NoticeKind::Word, words::written(&written), "");
            }
            if !kept.is_empty() {
                // A passing word: what is to be done stands on the desk, and must not be covered.
                self.notices.tell(NoticeKind::Word, words::not_written(&kept), words::NOT_WRITTEN_ADVICE);
            }
            for (name, why) in refused {
                let advice = words::refused_advice(&why);
                self.notices.tell(NoticeKind::Problem, words::refused(&name), advice);
            }
            self.look_at(&tie).await
        });
    }

    /// Takes the folder's text of a file.
    pub fn take_theirs(self, name: String) {
        self.work(move |tie| async move {
            let Some(text) = tie.text(&name).map(|text| text.to_string()) else { return Ok(()) };
            let is_here = self.mind.files.order.with_untracked(|files| files.contains(&name));
            let write = match is_here {
                true => MindWrite::File { name, text },
                false => MindWrite::New { name, text },
            };
            self.take_in(&tie, self.ground(), vec![write]).await
        });
    }
}

/// What `writes` make of `here`; gives the names.
fn apply(here: &mut SessionFiles) -> impl FnMut(&MindWrite) -> Option<String> {
    move |write| {
        let (MindWrite::File { name, text } | MindWrite::New { name, text }) = write else { return None };
        here.insert(name.clone(), MindFile::new(text));
        Some(name.clone())
    }
}

/// The files of the session as they are now, to be compared with a folder.
fn files_now(mind: MindView) -> SessionFiles {
    let names = mind.files.order.get_untracked();
    let text = |name: &String| -> Arc<str> { mind.text_untracked(&DraftField::File(name.clone())) };
    names.iter().map(|name| (name.clone(), MindFile::new(&text(name)))).collect()
}
