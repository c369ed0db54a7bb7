//! Notices and banners.

use crate::ui::kit::base::*;
use crate::ui::view_state::agents::Agents;
use crate::ui::view_state::sessions::Sessions;
use nexus_model::command::Command;
use nexus_model::limits::NOTICES;
use nexus_text::vec_map::insert_by_key;
use nexus_view::strings::Notice;
use nexus_view::{StorageStatus, strings};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoticeId(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Information; disappears by itself.
    Info,
    /// An error; stays until it is dismissed.
    Error,
}

#[derive(Clone)]
pub struct NoticeEntry {
    pub id: NoticeId,
    pub kind: NoticeKind,
    pub title: String,
    /// What to do; may be empty.
    pub advice: String,
    pub undo: Option<UndoCommand>,
}

/// Creates the command that undoes something. A closure, so that the first program need not contain the cloning of all
/// commands.
pub type UndoCommand = Arc<dyn Fn() -> Command + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Banner {
    /// Nothing is stored, for this reason; data is lost with the page.
    Memory(StorageStatus),
    /// The ledger cannot be written; commands are rejected.
    StoreFailed,
    /// The browser deleted the stored data while the page was open.
    Deleted,
    /// The store is slow to respond.
    Waiting,
    /// Another tab has the session's lock.
    ReadOnly,
    SafeMode,
    /// The demo answers for at least one agent.
    Demo,
}

impl Banner {
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory(_) => "memory",
            Self::StoreFailed => "store",
            Self::Deleted => "deleted",
            Self::Waiting => "waiting",
            Self::ReadOnly => "read-only",
            Self::SafeMode => "safe-mode",
            Self::Demo => "rehearsal",
        }
    }
}

#[derive(Clone, Copy)]
pub struct Notices {
    /// The notices, oldest first.
    pub list: RwSignal<Vec<NoticeEntry>>,
    /// Banners that code shows and hides; two others follow from the world.
    shown_banners: RwSignal<Vec<Banner>>,
    pub banners: Selector<Vec<Banner>>,
    /// Why the ledger cannot be written, while it cannot.
    pub store_failure: RwSignal<Option<String>>,
    /// The announcement for screen readers, once per answer.
    pub announcement: RwSignal<String>,
    last: StoredValue<u64>,
    /// The notice of the last step to another version.
    step: StoredValue<Option<NoticeId>>,
}

impl Notices {
    pub(crate) fn new(sessions: Sessions, agents: Agents) -> Self {
        let shown_banners = RwSignal::new(Vec::new());
        let banners = move || {
            let mut banners: Vec<Banner> = shown_banners.get();
            // If the whole device is read-only, no other tab is to blame.
            if sessions.is_in_other_tab() && !banners.contains(&Banner::Memory(StorageStatus::ReadOnly)) {
                insert_by_key(&mut banners, Banner::ReadOnly, |banner| *banner);
            }
            if agents.demo.get() {
                insert_by_key(&mut banners, Banner::Demo, |banner| *banner);
            }
            banners
        };
        Self {
            list: RwSignal::new(Vec::new()),
            shown_banners,
            banners: select(banners),
            store_failure: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            last: StoredValue::new(0),
            step: StoredValue::new(None),
        }
    }

    /// Shows a notice. The same text is not shown twice at a time; over the limit the oldest is removed.
    pub fn add(&self, kind: NoticeKind, title: impl Into<String>, advice: impl Into<String>) -> NoticeId {
        self.put(kind, title.into(), advice.into(), None)
    }

    pub fn add_error(&self, notice: Notice) {
        self.add(NoticeKind::Error, notice.title, notice.advice);
    }

    /// Shows what was done, with undo.
    pub fn add_with_undo(
        &self,
        title: impl Into<String>,
        undo: impl Fn() -> Command + Send + Sync + 'static,
    ) -> NoticeId {
        self.put(NoticeKind::Info, title.into(), String::new(), Some(Arc::new(undo)))
    }

    /// Dismisses the newest notice with undo, and returns its command.
    pub fn take_undo(&self) -> Option<UndoCommand> {
        let newest = |list: &Vec<NoticeEntry>| {
            list.iter().rev().find_map(|notice| Some((notice.id, notice.undo.clone()?)))
        };
        let (id, undo) = self.list.with_untracked(newest)?;
        self.dismiss(id);
        Some(undo)
    }

    /// Shows a step to another version; replaces the notice of the step before.
    pub fn add_step(&self, title: String, undo: impl Fn() -> Command + Send + Sync + 'static) {
        self.end_step();
        self.step.set_value(Some(self.add_with_undo(title, undo)));
    }

    /// Removes the notice of the last step, which can no longer be undone.
    pub fn end_step(&self) {
        self.step.get_value().into_iter().for_each(|step| self.dismiss(step));
    }

    fn put(&self, kind: NoticeKind, title: String, advice: String, undo: Option<UndoCommand>) -> NoticeId {
        let id = NoticeId(self.last.with_value(|last| last.saturating_add(1)));
        self.last.set_value(id.0);
        let notice = NoticeEntry { id, kind, title, advice, undo };
        self.list.update(|list| {
            list.retain(|old| old.title != notice.title || old.advice != notice.advice);
            list.push(notice);
            if list.len() > NOTICES {
                list.remove(0);
            }
        });
        id
    }

    /// Shows or removes the notice that a part of the program could not be loaded.
    pub fn part_missing(&self, is_missing: bool) {
        let notice = strings::part_missing();
        self.list.update(|list| list.retain(|other| other.title != notice.title));
        if is_missing {
            self.add_error(notice);
        }
    }

    pub fn dismiss(&self, id: NoticeId) {
        // A timer may end after the page.
        let is_shown = self.list.try_with_untracked(|list| list.iter().any(|notice| notice.id == id));
        if is_shown == Some(true) {
            self.list.update(|list| list.retain(|notice| notice.id != id));
        }
    }

    /// The ledger cannot be written, for this reason, or `None` if it can again.
    pub fn store_failed(&self, reason: Option<String>) {
        self.banner(Banner::StoreFailed, reason.is_some());
        self.store_failure.set(reason);
    }

    pub fn banner(&self, banner: Banner, is_shown: bool) {
        if self.shown_banners.with_untracked(|all| all.contains(&banner)) != is_shown {
            self.shown_banners.update(|all| {
                all.retain(|one| *one != banner);
                if is_shown {
                    insert_by_key(all, banner, |banner| *banner);
                }
            });
        }
    }
}
