//! Review of changes to the mind: baselines, changed fields, accept and revert.
//!
//! Accepting a hunk updates the reviewed mind and leaves the mind as it is. Reverting one writes the old lines back
//! into the mind.

use std::sync::Arc;

use crate::id::{AgentKey, Millis, SessionId, TurnId};
use crate::mind::image_file::{ImageFile, shown};
use crate::mind::{Mind, MindEdit, MindWrite, shortened};
use crate::session::Session;
use crate::session::race;
use crate::turn::{Turn, TurnKind};
use crate::world::World;
use nexus_text::compare::{Comparison, Hunk, HunkId};
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_text::vec_map::VecSet;

/// A text of the mind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MindField {
    Objective,
    Scratchpad,
    File(String),
}

impl MindField {
    /// What a mind holds in it; `None` where it has no such file.
    pub fn text(&self, mind: &Mind) -> Option<Arc<str>> {
        match self {
            Self::Objective => Some(Arc::from(mind.objective.as_str())),
            Self::Scratchpad => Some(Arc::from(mind.scratchpad.as_str())),
            Self::File(name) => mind.files.get(name).map(|file| Arc::clone(&file.text)),
        }
    }

    /// Its name in the mind before, where a file was renamed on the way to the mind after.
    #[must_use]
    pub fn before(&self, before: &Mind, after: &Mind) -> Self {
        let Self::File(name) = self else { return self.clone() };
        let Some(file) = after.files.get(name).filter(|_| !before.files.contains_key(name)) else {
            return self.clone();
        };
        let old = before
            .files
            .iter()
            .find(|(old, other)| other.hash == file.hash && !after.files.contains_key(old.as_str()));
        old.map_or_else(|| self.clone(), |(old, _)| Self::File(old.clone()))
    }

    /// The write that makes this its text; a file without a text goes.
    pub fn write(&self, text: Option<String>) -> MindWrite {
        match (self, text) {
            (Self::Objective, text) => MindWrite::Objective(text.unwrap_or_default()),
            (Self::Scratchpad, text) => MindWrite::Scratchpad(text.unwrap_or_default()),
            (Self::File(name), Some(text)) => MindWrite::File { name: name.clone(), text },
            (Self::File(name), None) => MindWrite::Remove(name.clone()),
        }
    }

    pub(crate) fn edit(&self, text: Option<String>) -> MindEdit {
        match (self, text) {
            (Self::Objective, text) => MindEdit::Objective { text: text.unwrap_or_default() },
            (Self::Scratchpad, text) => MindEdit::Scratchpad { text: text.unwrap_or_default() },
            (Self::File(name), Some(text)) => MindEdit::File { name: name.clone(), text },
            (Self::File(name), None) => MindEdit::FileRemoved { name: name.clone() },
        }
    }
}

/// A field whose text differs between two minds.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDiff {
    pub field: MindField,
    /// Its old text; `None` where the file was made.
    pub old: Option<Arc<str>>,
    /// Its new text; `None` where the file is gone.
    pub new: Option<Arc<str>>,
}

impl FieldDiff {
    /// Compares the two texts; of an image what is said of it.
    pub fn compare(&self) -> Comparison {
        let text = |text: &Option<Arc<str>>| text.as_ref().map_or_else(|| Arc::from(""), shown);
        Comparison::between(&text(&self.old), &text(&self.new))
    }

    /// Whether one side is an image: such a change is accepted and reverted whole.
    fn is_of_image(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(|text| ImageFile::of(text).is_some())
    }
}

/// What differs between two minds, field by field: objective, scratchpad, files by name.
pub fn changes(old: &Mind, new: &Mind) -> Vec<FieldDiff> {
    let names: VecSet<String> = old.files.keys().chain(new.files.keys()).cloned().collect();
    let same = |name: &String| match (old.files.get(name), new.files.get(name)) {
        (Some(old), Some(new)) => old.hash == new.hash,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let files = names.iter().filter(|name| !same(name)).map(|name| MindField::File(name.clone()));
    [MindField::Objective, MindField::Scratchpad]
        .into_iter()
        .chain(files)
        .map(|field| FieldDiff { old: field.text(old), new: field.text(new), field })
        .filter(|change| change.old != change.new)
        .collect()
}

/// What a comparison is made against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonBase {
    Review,
    /// The mind when the newest run began.
    RunStart,
    /// The mind when its present or last round began.
    RoundStart,
    /// The mind as the Core left it last.
    LastSync,
    /// The mind as a turn left it.
    Turn(TurnId),
    /// The files as they lie on disk.
    Disk,
}

impl ComparisonBase {
    /// What it is called in an address or a list.
    pub fn key(&self) -> String {
        match self {
            Self::Review => "review".to_owned(),
            Self::RunStart => "run".to_owned(),
            Self::RoundStart => "round".to_owned(),
            Self::LastSync => "sync".to_owned(),
            Self::Turn(turn) => turn.to_string(),
            Self::Disk => "disk".to_owned(),
        }
    }
}

/// A turn as a list names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnLabel {
    pub agent: AgentKey,
    pub at: Millis,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BaseOption {
    pub base: ComparisonBase,
    pub mind: Arc<Mind>,
    /// Its address, where the ledger holds it.
    pub hash: Option<ContentHash>,
    pub turn: Option<TurnLabel>,
}

/// The bases that there are, the usual one first, turns newest first. `older` holds turns from before those that are loaded,
/// with their minds; `disk` is what lies on disk, where that is known.
pub fn offers(world: &World, older: &World, id: SessionId, disk: Option<&Arc<Mind>>) -> Vec<BaseOption> {
    let Some(session) = world.session(&id) else { return Vec::new() };
    let offer = |base: ComparisonBase, hash: Option<&ContentHash>, turn: Option<TurnLabel>| {
        let hash = hash?;
        let mind = Arc::clone(world.mind(hash).or_else(|| older.mind(hash))?);
        Some(BaseOption { base, mind, hash: Some(*hash), turn })
    };
    let rounds = session.run.and_then(|id| world.run(&id)).filter(|run| run.rounds.current > 1);
    let mut out: Vec<BaseOption> = [
        offer(ComparisonBase::Review, session.reviewed.as_ref(), None),
        offer(ComparisonBase::RunStart, run_start(world, session), None),
        offer(ComparisonBase::RoundStart, rounds.map(|run| &run.round_mind), None),
        offer(ComparisonBase::LastSync, session.core.after_last(), None),
        disk.map(|mind| BaseOption {
            base: ComparisonBase::Disk,
            mind: Arc::clone(mind),
            hash: None,
            turn: None,
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    let oldest = world.ancestry(session.head).last().and_then(|turn| turn.parent);
    out.extend(world.replies(session.head).chain(older.replies(oldest)).filter_map(|turn| {
        let name = TurnLabel { agent: turn.agent.clone(), at: turn.opened_at };
        offer(ComparisonBase::Turn(turn.id), turn.mind_after.as_ref(), Some(name))
    }));
    out
}

/// The mind at the start of a session's newest run; `None` if no turn of the run is loaded.
pub fn run_start<'w>(world: &'w World, session: &Session) -> Option<&'w ContentHash> {
    newest_run_turns(world, session).last().map(|turn| &turn.mind_before)
}

/// The loaded turns of a session's newest run, newest first. Skips merges that followed it.
pub fn newest_run_turns<'w>(world: &'w World, session: &Session) -> impl Iterator<Item = &'w Arc<Turn>> {
    let run = session.run.and_then(|id| world.run(&id));
    // Of a comparison of models, the lane that was picked.
    let run = run.map(|run| race::picked(world, session, run).unwrap_or(run).id);
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    let turns = world.replies(newest).skip_while(|turn| turn.kind == TurnKind::Merge);
    turns.take_while(move |turn| run.is_some() && turn.run == run)
}

/// Whether a hunk of a comparison with the mind as it is has been reviewed: nothing of it differs from what was.
pub fn is_reviewed(reviewed: &Comparison, hunk: &Hunk) -> bool {
    reviewed.touching(&hunk.new).next().is_none()
}

/// How the reviewed mind changes where a hunk is accepted, whose new side is `now`.
pub fn accept(reviewed: &Mind, now: &Mind, field: &MindField, hunk: &Hunk) -> Vec<MindEdit> {
    let mut change = FieldDiff { field: field.clone(), old: field.text(reviewed), new: field.text(now) };
    if change.is_of_image() {
        return accept_all(reviewed, now, field);
    }
    // Texts that repeat themselves may be seen anew to differ a line further on: then that goes with it.
    loop {
        let found = change.compare();
        let taken: Vec<&HunkId> = found.touching(&hunk.new).map(|hunk| &hunk.id).collect();
        if taken.len() == found.hunks.len() {
            return accept_all(reviewed, now, field);
        }
        if taken.is_empty() {
            return edit_if_new(reviewed, field, change.old.map(|text| text.to_string()));
        }
        change.old = Some(Arc::from(found.mixed(|hunk| taken.contains(&&hunk.id))));
    }
}

/// How the reviewed mind changes where a whole field is accepted.
pub fn accept_all(reviewed: &Mind, now: &Mind, field: &MindField) -> Vec<MindEdit> {
    edit_if_new(reviewed, field, field.text(now).map(|text| text.to_string()))
}

fn edit_if_new(mind: &Mind, field: &MindField, text: Option<String>) -> Vec<MindEdit> {
    let old = field.text(mind);
    if old.as_deref() == text.as_deref() { Vec::new() } else { shortened(mind, vec![field.edit(text)]) }
}

/// The write that takes a hunk back; `None` where there is no such hunk any more.
pub fn revert(change: &FieldDiff, hunk: &HunkId) -> Option<MindWrite> {
    let found = change.compare();
    found.hunk(hunk)?;
    if change.is_of_image() {
        return Some(revert_all(change));
    }
    let text = found.reverted(hunk);
    // Nothing is left of a file that was made: it goes, and one that was deleted comes back.
    let gone = change.old.is_none() && text.is_empty();
    Some(change.field.write((!gone).then_some(text)))
}

/// The write that takes back all that changed in a field.
pub fn revert_all(change: &FieldDiff) -> MindWrite {
    change.field.write(change.old.as_ref().map(|text| text.to_string()))
}

/// A field that was reverted, whole or in part, so that this can be undone.
#[derive(Clone, Debug)]
pub struct Reverted {
    field: MindField,
    before: Arc<Mind>,
    /// The text that was written then; `None` where the file went.
    written: Option<String>,
    left: Arc<Mind>,
}

impl Reverted {
    /// What a revert by `write` in the mind `before` did, which left the mind `left`.
    pub fn new(before: Arc<Mind>, write: &MindWrite, left: Arc<Mind>) -> Option<Self> {
        let (field, written) = match write {
            MindWrite::Objective(text) => (MindField::Objective, Some(text)),
            MindWrite::Scratchpad(text) => (MindField::Scratchpad, Some(text)),
            MindWrite::File { name, text } => (MindField::File(name.clone()), Some(text)),
            MindWrite::Remove(name) => (MindField::File(name.clone()), None),
            MindWrite::New { .. }
            | MindWrite::Replace { .. }
            | MindWrite::Rename { .. }
            | MindWrite::Activate(_) => return None,
        };
        Some(Self { field, before, written: written.cloned(), left })
    }

    /// The writes that undo it, made for the mind that it left: resolved against the mind `now`, they keep what was
    /// written since.
    pub fn undo(&self, now: &Mind) -> Vec<MindWrite> {
        let left = self.field.text(&self.left);
        let Some(was) = self.field.text(&self.before) else {
            // The file was gone. With what was written into it since, it stays.
            return match self.field.text(now) {
                None => Vec::new(),
                Some(text) if Some(&text) == left.as_ref() => vec![self.field.write(None)],
                Some(_) => vec![self.field.write(Some(String::new()))],
            };
        };
        // What others had written besides, when it was reverted, stays.
        let written = self.written.as_deref().unwrap_or_default();
        let MergeOutcome::Clean(text) = merge(written, left.as_deref().unwrap_or_default(), &was) else {
            return Vec::new();
        };
        let mut writes = vec![self.field.write(Some(text))];
        if let MindField::File(name) = &self.field
            && self.written.is_none()
            && self.before.active.as_ref() == Some(name)
        {
            writes.push(MindWrite::Activate(name.clone()));
        }
        writes
    }
}

/// How the reviewed mind changes where these hunks of fields are accepted, and whole fields where no hunk is named.
pub fn accept_many<'h>(
    reviewed: &Mind,
    now: &Mind,
    hunks: impl IntoIterator<Item = (&'h MindField, Option<&'h Hunk>)>,
) -> Vec<MindEdit> {
    let mut mind = reviewed.clone();
    for (field, hunk) in hunks {
        let edits = match hunk {
            Some(hunk) => accept(&mind, now, field, hunk),
            None => accept_all(&mind, now, field),
        };
        mind = mind.with(&edits);
    }
    let edits = changes(reviewed, &mind)
        .into_iter()
        .map(|change| change.field.edit(change.new.map(|text| text.to_string())));
    shortened(reviewed, edits.collect())
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
