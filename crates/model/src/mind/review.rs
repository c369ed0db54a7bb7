//! Review of changes to the mind: baselines, changed fields, accept and revert.
//!
//! Accepting a hunk updates the reviewed mind only. Reverting one writes the old lines back to the mind.

use std::sync::Arc;

use crate::id::{AgentKey, Millis, SessionId, TurnId};
use crate::mind::blob::{ImageFile, shown_text};
use crate::mind::{Mind, MindEdit, MindWrite, changed_files, shortened};
use crate::session::{Session, workers};
use crate::turn::{Turn, TurnKind};
use crate::world::World;
use nexus_text::compare::{Comparison, Hunk, HunkId};
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::{MergeOutcome, merge};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MindField {
    Objective,
    Scratchpad,
    File(String),
}

impl MindField {
    /// The text in a mind; `None` if it has no such file.
    pub fn text(&self, mind: &Mind) -> Option<Arc<str>> {
        match self {
            Self::Objective => Some(Arc::from(mind.objective.as_str())),
            Self::Scratchpad => Some(Arc::from(mind.scratchpad.as_str())),
            Self::File(name) => mind.files.get(name).map(|file| Arc::clone(&file.text)),
        }
    }

    /// Its name in the mind `before`, if the file was renamed between the two.
    #[must_use]
    pub fn before(&self, before: &Mind, after: &Mind) -> Self {
        let old = || {
            let Self::File(name) = self else { return None };
            let file = after.files.get(name).filter(|_| !before.files.contains_key(name))?;
            let removed = before.files.iter().filter(|(old, _)| !after.files.contains_key(*old));
            removed.filter(|(_, old)| old.hash == file.hash).map(|(old, _)| Self::File(old.clone())).next()
        };
        old().unwrap_or_else(|| self.clone())
    }

    /// The write that sets the text; `None` removes the file.
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

#[derive(Clone, Debug, PartialEq)]
pub struct FieldDiff {
    pub field: MindField,
    /// `None` if the file was created.
    pub old: Option<Arc<str>>,
    /// `None` if the file was removed.
    pub new: Option<Arc<str>>,
}

impl FieldDiff {
    /// Compares the two texts; an image by its description.
    pub fn compare(&self) -> Comparison {
        let text = |text: &Option<Arc<str>>| text.as_ref().map_or_else(|| Arc::from(""), shown_text);
        Comparison::between(&text(&self.old), &text(&self.new))
    }

    /// True if one side is an image, which is accepted and reverted whole.
    pub fn is_of_image(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(|text| ImageFile::of(text).is_some())
    }
}

/// The fields that differ between two minds: objective, scratchpad, files by name.
pub fn changes(old: &Mind, new: &Mind) -> Vec<FieldDiff> {
    let files = changed_files(old, new).map(|name| MindField::File(name.clone()));
    [MindField::Objective, MindField::Scratchpad]
        .into_iter()
        .chain(files)
        .map(|field| FieldDiff { old: field.text(old), new: field.text(new), field })
        .filter(|change| change.old != change.new)
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonBase {
    Review,
    /// The mind where review begins, while nothing is reviewed.
    ReviewStart,
    /// The mind when the newest run began.
    RunStart,
    /// The mind when its current or last round began.
    RoundStart,
    /// The mind after the last Core sync.
    LastSync,
    Turn(TurnId),
    Disk,
}

impl ComparisonBase {
    /// The name in URLs and lists.
    pub fn key(&self) -> String {
        match self {
            Self::Review => "review".to_owned(),
            Self::ReviewStart => "start".to_owned(),
            Self::RunStart => "run".to_owned(),
            Self::RoundStart => "round".to_owned(),
            Self::LastSync => "sync".to_owned(),
            Self::Turn(turn) => turn.to_string(),
            Self::Disk => "disk".to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct BaseOption {
    pub base: ComparisonBase,
    pub mind: Arc<Mind>,
    pub hash: Option<ContentHash>,
    /// The agent of a turn, and when the turn was opened.
    pub turn: Option<(AgentKey, Millis)>,
}

/// The available baselines, default first, turns newest first. `older` holds turns and minds from before the loaded
/// ones; `disk` is the mind of the disk folder, if known.
pub fn offers(world: &World, older: &World, id: SessionId, disk: Option<&Arc<Mind>>) -> Vec<BaseOption> {
    let Some(session) = world.session(&id) else { return Vec::new() };
    let offer = |base: ComparisonBase, hash: Option<&ContentHash>, turn: Option<(AgentKey, Millis)>| {
        let hash = hash?;
        let mind = Arc::clone(world.mind(hash).or_else(|| older.mind(hash))?);
        Some(BaseOption { base, mind, hash: Some(*hash), turn })
    };
    let rounds = session.run.and_then(|id| world.run(&id)).filter(|run| run.rounds.current > 1);
    let start = session.review_start.as_ref().filter(|_| session.reviewed.is_none());
    let mut out: Vec<BaseOption> = [
        offer(ComparisonBase::Review, session.reviewed.as_ref(), None),
        offer(ComparisonBase::ReviewStart, start, None),
        offer(ComparisonBase::RunStart, run_start(world, session), None),
        offer(ComparisonBase::RoundStart, rounds.map(|run| &run.round_mind), None),
        offer(ComparisonBase::LastSync, session.core.after_last(), None),
        disk.cloned().map(|mind| BaseOption { base: ComparisonBase::Disk, mind, hash: None, turn: None }),
    ]
    .into_iter()
    .flatten()
    .collect();
    let oldest = world.ancestry(session.head).last().and_then(|turn| turn.parent);
    out.extend(world.replies(session.head).chain(older.replies(oldest)).filter_map(|turn| {
        let name = Some((turn.agent.clone(), turn.opened_at));
        offer(ComparisonBase::Turn(turn.id), turn.mind_after.as_ref(), name)
    }));
    out
}

/// The mind at the start of a session's newest run; of the run at its head while that has no turn of the newest one,
/// as after a move to another version. `None` if no turn of the run is loaded.
pub fn run_start<'w>(world: &'w World, session: &Session) -> Option<&'w ContentHash> {
    let at_head = || {
        let mut turns = world.replies(session.head).skip_while(|turn| turn.kind == TurnKind::Merge);
        let newest = turns.next()?;
        Some(turns.take_while(|turn| turn.run == newest.run).last().unwrap_or(newest))
    };
    newest_run_turns(world, session).last().or_else(at_head).map(|turn| &turn.mind_before)
}

/// The loaded turns of a session's newest run, newest first. Skips merges that followed it.
pub fn newest_run_turns<'w>(world: &'w World, session: &Session) -> impl Iterator<Item = &'w Arc<Turn>> {
    let run = session.run.and_then(|id| world.run(&id));
    // For a race: the run of the picked lane.
    let run = run.map(|run| workers::picked_lane(world, session, run).unwrap_or(run).id);
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    let turns = world.replies(newest).skip_while(|turn| turn.kind == TurnKind::Merge);
    turns.take_while(move |turn| run.is_some() && turn.run == run)
}

/// True if a hunk has been reviewed: it has no difference from the reviewed mind.
pub fn is_reviewed(reviewed: &Comparison, hunk: &Hunk) -> bool {
    reviewed.touching(&hunk.new).next().is_none()
}

/// The edits of the reviewed mind that accept a hunk; `now` is the hunk's new side.
pub fn accept(reviewed: &Mind, now: &Mind, field: &MindField, hunk: &Hunk) -> Vec<MindEdit> {
    let mut change = FieldDiff { field: field.clone(), old: field.text(reviewed), new: field.text(now) };
    if change.is_of_image() {
        return accept_all(reviewed, now, field);
    }
    // In repetitive texts the diff may move a change by a line; then that change is accepted too.
    loop {
        let comparison = change.compare();
        let taken: Vec<&HunkId> = comparison.touching(&hunk.new).map(|hunk| &hunk.id).collect();
        if taken.len() == comparison.hunks.len() {
            return accept_all(reviewed, now, field);
        }
        if taken.is_empty() {
            return edit_if_new(reviewed, field, change.old.map(|text| text.to_string()));
        }
        change.old = Some(Arc::from(comparison.mixed(|hunk| taken.contains(&&hunk.id))));
    }
}

pub fn accept_all(reviewed: &Mind, now: &Mind, field: &MindField) -> Vec<MindEdit> {
    edit_if_new(reviewed, field, field.text(now).map(|text| text.to_string()))
}

fn edit_if_new(mind: &Mind, field: &MindField, text: Option<String>) -> Vec<MindEdit> {
    let old = field.text(mind);
    if old.as_deref() == text.as_deref() { Vec::new() } else { shortened(mind, vec![field.edit(text)]) }
}

/// The write that reverts a hunk; `None` if the hunk no longer exists.
pub fn revert(change: &FieldDiff, hunk: &HunkId) -> Option<MindWrite> {
    let comparison = change.compare();
    comparison.hunk(hunk)?;
    if change.is_of_image() {
        return Some(revert_all(change));
    }
    let text = comparison.reverted(hunk);
    // A created file that becomes empty is removed; a deleted one is restored.
    let is_removed = change.old.is_none() && text.is_empty();
    Some(change.field.write((!is_removed).then_some(text)))
}

pub fn revert_all(change: &FieldDiff) -> MindWrite {
    change.field.write(change.old.as_ref().map(|text| text.to_string()))
}

/// A reverted field or hunk, to undo the revert.
#[derive(Clone, Debug)]
pub struct Reverted {
    field: MindField,
    before: Arc<Mind>,
    /// The text written by the revert; `None` if it removed the file.
    written: Option<String>,
    left: Arc<Mind>,
}

impl Reverted {
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

    /// The writes that undo it. They are made for the mind after the revert: resolved against `now`, they keep later
    /// changes.
    pub fn undo(&self, now: &Mind) -> Vec<MindWrite> {
        let left = self.field.text(&self.left);
        let Some(was) = self.field.text(&self.before) else {
            // The file did not exist before. It stays if others wrote to it since.
            return match self.field.text(now) {
                None => Vec::new(),
                Some(text) if Some(&text) == left.as_ref() => vec![self.field.write(None)],
                Some(_) => vec![self.field.write(Some(String::new()))],
            };
        };
        // Keep what others had written before the revert.
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

/// The edits of the reviewed mind that accept these hunks; `None` stands for a whole field.
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
mod tests;
