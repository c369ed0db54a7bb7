//! The working mind of the session in view, field by field, and the Core's state; and the drafts, by session and
//! field.
//!
//! A field shows its draft if there is one, else the mind. Writes of others never change the operator's typing.

use crate::ui::kit::base::*;
use crate::ui::view_state::world_reader::{KeyedRows, WorldReader};
use nexus_model::id::{AgentKey, Millis, SessionId};
use nexus_model::job::sync::core_at_head;
use nexus_model::job::{FailedJob, JobSlot, SessionJobs};
use nexus_model::mind::core_sync::CoreState;
use nexus_model::mind::{Mind, MindEdit};
use nexus_model::session::{Draft, DraftField, Session};
use nexus_model::world::{World, WorldParts};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use nexus_view::draft_merge::{EditBuffer, MergeFn};
use nexus_view::review_rows::HunkKey;
use nexus_view::timeline::PtrEq;

/// Who wrote a field last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWriter {
    pub agent: AgentKey,
    pub at: Millis,
}

#[derive(Clone, Copy)]
pub struct MindView {
    /// The last writer of each field, since the session came into view.
    pub last_writers: RwSignal<VecMap<DraftField, LastWriter>>,
    /// When an agent last wrote anything, since the session came into view.
    pub last_written: Selector<Option<Millis>>,
    /// The mind's hash, the base of the operator's next edit.
    pub hash: Selector<Option<ContentHash>>,
    pub objective: Selector<Arc<str>>,
    pub scratchpad: Selector<Arc<str>>,
    pub active: Selector<Option<String>>,
    /// File texts by name.
    pub files: KeyedRows<String, Arc<str>>,
}

impl MindView {
    pub(crate) fn new(world: WorldReader, focus: RwSignal<SessionId>) -> Self {
        let mind = select_from(move |before: Option<&Option<(ContentHash, PtrEq<Mind>)>>| {
            world.with(WorldParts::SESSIONS, |world| {
                let session = world.session(&focus.get());
                let mind = session.and_then(|session| Some((session, world.working_mind(session)?)));
                match (mind, before) {
                    // The same hash means the same mind.
                    (Some((session, _)), Some(Some(shown))) if session.mind == shown.0 => Some(shown.clone()),
                    (Some((session, mind)), _) => Some((session.mind, PtrEq(Arc::clone(mind)))),
                    (None, before) => before.cloned().flatten(),
                }
            })
        });
        let text = move |get: fn(&Mind) -> &str| {
            mind.map(move |mind| Arc::<str>::from(mind.as_ref().map_or("", |(_, mind)| get(&mind.0))))
        };
        let files = mind.map(move |mind| {
            let files = mind.iter().flat_map(|(_, mind)| mind.0.files.iter());
            Arc::new(files.map(|(name, file)| (name.clone(), Arc::clone(&file.text))).collect())
        });
        let last_writers = RwSignal::new(VecMap::<DraftField, LastWriter>::new());
        Self {
            last_writers,
            last_written: last_writers.map(move |writers| writers.values().map(|by| by.at).max()),
            hash: mind.map_some(move |(hash, _)| Some(*hash)),
            objective: text(|mind| &mind.objective),
            scratchpad: text(|mind| &mind.scratchpad),
            active: mind.map_some(move |mind| mind.1.0.active.clone()),
            files: KeyedRows::of(files),
        }
    }

    /// A file's text, for handlers; empty if there is no such file.
    pub fn file_untracked(&self, name: &str) -> Arc<str> {
        self.files.get_untracked(&name.to_owned()).unwrap_or_default()
    }

    /// The mind's text of a field; empty for the composer and for a missing file.
    pub fn text(&self, field: &DraftField) -> Selector<Arc<str>> {
        if let DraftField::File(name) = field {
            let name = name.clone();
            self.files.map(move |files| files.get(&name).cloned().unwrap_or_default())
        } else if *field == DraftField::Objective {
            self.objective
        } else if *field == DraftField::Scratchpad {
            self.scratchpad
        } else {
            Selector::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoreRow {
    pub state: CoreState,
    /// The session's jobs: those of the Core, and failed ones.
    pub jobs: SessionJobs,
    /// The mind before and after its last change.
    pub minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    /// The base of the proposal, and the current mind.
    pub proposed: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    pub due: Option<Millis>,
}

impl CoreRow {
    /// True if it is working, or waits for the end of a run.
    pub fn works(&self) -> bool {
        self.jobs.of(JobSlot::Core).is_some() || self.state.pending.is_some()
    }
}

#[derive(Clone, Copy)]
pub struct CoreView {
    pub row: Selector<CoreRow>,
    /// The failed sync whose card the operator dismissed.
    pub dismissed: RwSignal<Option<FailedJob>>,
    due: RwSignal<VecMap<SessionId, Millis>>,
}

impl CoreView {
    pub(crate) fn new(world: WorldReader, focus: RwSignal<SessionId>) -> Self {
        let due = RwSignal::new(VecMap::new());
        let row = world.select_of(focus, WorldParts::SESSIONS, move |world, session| {
            core_row(world, session, due.with(|due| due.get(&session.id).copied()))
        });
        Self { row, dismissed: RwSignal::new(None), due }
    }

    /// Sets the time of the Core's next automatic sync.
    pub fn note_due(&self, session: SessionId, at: Option<Millis>) {
        self.due.update(|due| match at {
            Some(at) => drop(due.insert(session, at)),
            None => drop(due.remove(&session)),
        });
    }
}

fn core_row(world: &World, session: &Session, due: Option<Millis>) -> CoreRow {
    let state = core_at_head(world, session);
    let minds = state.change.as_ref().and_then(|change| change.minds);
    let loaded = |hash: &ContentHash| world.mind(hash).map(|mind| PtrEq(Arc::clone(mind)));
    CoreRow {
        minds: minds.and_then(|(before, after)| loaded(&before).zip(loaded(&after))),
        proposed: state.proposal.as_ref().and_then(|proposal| {
            loaded(&proposal.base).zip(world.working_mind(session).map(|mind| PtrEq(Arc::clone(mind))))
        }),
        state,
        jobs: session.jobs.clone(),
        due,
    }
}

/// State of a field's draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftState {
    /// No draft: the field shows the mind.
    Saved,
    /// The draft is not committed yet.
    Typing,
    /// The draft conflicts with others' changes; its text contains both, with markers.
    Conflicted,
}

/// What will be sent back to agents from a comparison. Lasts as long as the page.
#[derive(Clone, Default, PartialEq)]
pub struct SendBackDraft {
    pub picked: Vec<HunkKey>,
    pub remark: String,
}

/// Lines that may resolve a conflict of a merge. They last as long as the page.
#[derive(Clone, PartialEq)]
pub struct ResolutionLines {
    pub text: String,
    /// As the Core proposed them, and why; `None` if the operator wrote them.
    pub proposed: Option<(String, String)>,
}

type EditSlot = ArcRwSignal<Option<EditBuffer>>;

#[derive(Clone, Copy, Default)]
pub struct Drafts {
    slots: RwSignal<VecMap<(SessionId, DraftField), EditSlot>>,
    pub send_back: RwSignal<VecMap<SessionId, SendBackDraft>>,
    /// By the hashes of the conflicts.
    pub merge_lines: RwSignal<VecMap<ContentHash, ResolutionLines>>,
    merger: StoredValue<Option<MergeFn>>,
}

impl Drafts {
    pub fn set_merger(&self, merger: MergeFn) {
        self.merger.set_value(Some(merger));
    }

    pub fn slot(&self, session: SessionId, field: &DraftField) -> EditSlot {
        let key = (session, field.clone());
        if let Some(slot) = self.slots.with_untracked(|slots| slots.get(&key).cloned()) {
            return slot;
        }
        let slot = EditSlot::new(None);
        self.slots.update(|slots| drop(slots.insert(key, slot.clone())));
        slot
    }

    pub fn change_send_back(&self, session: SessionId, change: impl FnOnce(&mut SendBackDraft)) {
        self.send_back.update(|all| change(all.get_or_insert_with(session, SendBackDraft::default)));
    }

    /// True while a field of the session's mind has uncommitted text. Reactive.
    pub fn has_edit(&self, session: SessionId) -> bool {
        let is_edit = |((of, field), slot): (&(SessionId, DraftField), &EditSlot)| {
            *of == session && field.is_of_mind() && slot.with(Option::is_some)
        };
        self.slots.with(|slots| slots.iter().any(is_edit))
    }

    /// Restores a stored draft. Text typed meanwhile is appended, unless it continues the draft. Returns the result if
    /// the engine does not have it.
    pub fn restore(&self, draft: Draft) -> Option<EditBuffer> {
        let slot = self.slot(draft.session, &draft.field);
        let (mut text, typed) = (draft.text?, slot.get_untracked());
        if let Some(typing) = &typed {
            if draft.field != DraftField::Composer || typing.text.starts_with(&text) {
                return None;
            }
            text.push('\n');
            text.push_str(&typing.text);
        }
        let restored = EditBuffer { text: Arc::from(text), base: draft.base, in_conflict: draft.in_conflict };
        slot.set(Some(restored.clone()));
        typed.map(|_| restored)
    }

    /// The mind with this hash, whose field is `now`, committed `taken`, or it moved elsewhere. Returns the remaining draft.
    pub fn settle(
        &self,
        (session, field): (SessionId, &DraftField),
        taken: &str,
        (mind, now): (&ContentHash, &str),
    ) -> Option<EditBuffer> {
        let slot = self.slot(session, field);
        // A message is no part of the mind: what was typed since stays as it is.
        let merger = self.merger.get_value().filter(|_| field.is_of_mind());
        let remaining = slot.get_untracked()?.after_settling(taken, now, mind, merger);
        slot.set(remaining.clone());
        remaining
    }

    /// The draft conflicts with the mind of this hash; editing continues with the marked text.
    pub fn set_conflict(&self, session: SessionId, field: &DraftField, marked: String, mind: &ContentHash) {
        let typing = EditBuffer { text: Arc::from(marked), base: *mind, in_conflict: true };
        self.slot(session, field).set(Some(typing));
    }
}

pub fn field_of(edit: &MindEdit) -> Option<DraftField> {
    match edit {
        MindEdit::Objective { .. } => Some(DraftField::Objective),
        MindEdit::Scratchpad { .. } | MindEdit::ScratchpadLines { .. } => Some(DraftField::Scratchpad),
        MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } => {
            Some(DraftField::File(name.clone()))
        }
        MindEdit::FileRemoved { .. } | MindEdit::FileRenamed { .. } | MindEdit::Active { .. } => None,
    }
}

pub fn text_of<'m>(mind: &'m Mind, field: &DraftField) -> &'m str {
    match field {
        DraftField::Composer
        | DraftField::Queued(_)
        | DraftField::Pages
        | DraftField::Recipient
        | DraftField::Edited(_)
        | DraftField::Attachments
        | DraftField::Overrides => "",
        DraftField::Objective => &mind.objective,
        DraftField::Scratchpad => &mind.scratchpad,
        DraftField::File(name) => mind.file(name).unwrap_or(""),
    }
}
