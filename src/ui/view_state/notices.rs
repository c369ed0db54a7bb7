//! Notices and banners.

use std::fmt;
use std::sync::Arc;

use crate::ui::kit::selector::{Selector, select};
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
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
    /// Good to know; goes away by itself.
    Word,
    /// Something did not work; stays until it is put away.
    Problem,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NoticeEntry {
    pub id: NoticeId,
    pub kind: NoticeKind,
    pub title: String,
    /// What to do; may be empty.
    pub advice: String,
    pub undo: Option<UndoCommand>,
}

/// Makes the command that takes something back. Not the command itself: the first program would have to know how to
/// copy every command that there is.
#[derive(Clone)]
pub struct UndoCommand(Arc<dyn Fn() -> Command + Send + Sync>);

impl UndoCommand {
    pub fn command(&self) -> Command {
        (self.0)()
    }
}

impl fmt::Debug for UndoCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Undo")
    }
}

impl PartialEq for UndoCommand {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Banner {
    /// Nothing is kept, for this reason; everything goes with the page.
    Memory(StorageStatus),
    /// The ledger cannot be written; commands are refused.
    StoreFailed,
    /// The browser deleted what was kept while the page was open.
    Deleted,
    /// The store takes unusually long to answer.
    Waiting,
    /// Another tab works in this session.
    ReadOnly,
    /// The demo answers for at least one agent.
    Rehearsal,
}

impl Banner {
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory(_) => "memory",
            Self::StoreFailed => "store",
            Self::Deleted => "deleted",
            Self::Waiting => "waiting",
            Self::ReadOnly => "read-only",
            Self::Rehearsal => "rehearsal",
        }
    }
}

#[derive(Clone, Copy)]
pub struct Notices {
    /// The notices, oldest first.
    pub list: RwSignal<Vec<NoticeEntry>>,
    /// The banners that are put up and taken down; two follow from the world.
    put_up: RwSignal<Vec<Banner>>,
    pub banners: Selector<Vec<Banner>>,
    /// Why the ledger cannot be written, while it cannot.
    pub store_failure: RwSignal<Option<String>>,
    /// What those who hear the page are told, once for each answer.
    pub announcement: RwSignal<String>,
    last: StoredValue<u64>,
    /// The notice of the last step to another version.
    step: StoredValue<Option<NoticeId>>,
}

impl Notices {
    pub(super) fn new(sessions: Sessions, agents: Agents) -> Self {
        let put_up = RwSignal::new(Vec::new());
        let banners = move || {
            let mut banners: Vec<Banner> = put_up.get();
            // Where nothing on this device can be changed here, no other tab is to blame.
            if sessions.is_elsewhere() && !banners.contains(&Banner::Memory(StorageStatus::ReadOnly)) {
                insert_by_key(&mut banners, Banner::ReadOnly, |banner| *banner);
            }
            if agents.rehearsal.get() {
                insert_by_key(&mut banners, Banner::Rehearsal, |banner| *banner);
            }
            banners
        };
        Self {
            list: RwSignal::new(Vec::new()),
            put_up,
            banners: select(banners),
            store_failure: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            last: StoredValue::new(0),
            step: StoredValue::new(None),
        }
    }

    /// Tells something. The same words are not told twice at a time, and of too many the oldest go.
    pub fn tell(&self, kind: NoticeKind, title: impl Into<String>, advice: impl Into<String>) -> NoticeId {
        self.put(kind, title.into(), advice.into(), None)
    }

    /// Tells what is wrong.
    pub fn problem(&self, told: Notice) {
        self.tell(NoticeKind::Problem, told.title, told.advice);
    }

    /// Tells of something that was done, and offers to take it back.
    pub fn tell_undo(
        &self,
        title: impl Into<String>,
        undo: impl Fn() -> Command + Send + Sync + 'static,
    ) -> NoticeId {
        self.put(NoticeKind::Word, title.into(), String::new(), Some(UndoCommand(Arc::new(undo))))
    }

    /// Dismisses the newest notice that offers to take something back, and returns how.
    pub fn take_undo(&self) -> Option<UndoCommand> {
        let newest = |list: &Vec<NoticeEntry>| {
            list.iter().rev().find_map(|notice| Some((notice.id, notice.undo.clone()?)))
        };
        let (id, undo) = self.list.with_untracked(newest)?;
        self.dismiss(id);
        Some(undo)
    }

    /// Tells of a step to another version, in the place of the step before it.
    pub fn tell_step(&self, title: String, undo: impl Fn() -> Command + Send + Sync + 'static) {
        if let Some(before) = self.step.get_value() {
            self.dismiss(before);
        }
        self.step.set_value(Some(self.tell_undo(title, undo)));
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

    /// A part of the program did not come, or came at last.
    pub fn part_missing(&self, is_missing: bool) {
        let told = strings::part_missing();
        self.list.update(|list| list.retain(|notice| notice.title != told.title));
        if is_missing {
            self.problem(told);
        }
    }

    pub fn dismiss(&self, id: NoticeId) {
        if self.list.with_untracked(|list| list.iter().any(|notice| notice.id == id)) {
            self.list.update(|list| list.retain(|notice| notice.id != id));
        }
    }

    /// The ledger cannot be written, for this reason, or it can again.
    pub fn store_failed(&self, reason: Option<String>) {
        self.banner(Banner::StoreFailed, reason.is_some());
        self.store_failure.set(reason);
    }

    pub fn banner(&self, banner: Banner, holds: bool) {
        if self.put_up.with_untracked(|all| all.contains(&banner)) != holds {
            self.put_up.update(|all| {
                all.retain(|one| *one != banner);
                if holds {
                    insert_by_key(all, banner, |banner| *banner);
                }
            });
        }
    }
}
