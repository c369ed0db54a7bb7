//! Three-way merge of two minds, field by field, with conflicts for the operator to resolve.
//!
//! Also describes the other branch in text for the models of the merged session.

pub mod proposal;

use std::sync::Arc;

use crate::id::{SessionId, TurnId};
use crate::limits::{MERGE_SUMMARY_TURNS, TASK_TITLE_CHARS};
use crate::message::{Message, Role, content::text_of};
use crate::mind::Mind;
use crate::mind::blob::{ImageFile, shown_text};
use crate::mind::review::{MindField, changes};
use crate::session::{Session, beginning};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::merge3::{Conflict, MergeChunk, Resolution, conflict_count, merge_chunks, resolve};
use nexus_text::shorten::{counted, ellipsis, first_bytes, one_line};
use nexus_text::{content_hash::ContentHash, markdown::tree::plain, vec_map::VecSet};

/// The merge of two minds with a common base.
#[derive(Clone, Debug, PartialEq)]
pub struct MindMerge {
    /// The fields that the other branch changed, in order.
    pub fields: Vec<MergedField>,
    pub active: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MergedField {
    pub field: MindField,
    pub merge: FieldMerge,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FieldMerge {
    /// Only the other branch changed it. `None` if it removed the file.
    Taken(Option<Arc<str>>),
    /// Both branches changed it.
    Chunks(Vec<MergeChunk>),
    /// One branch changed the file and the other removed it, or one has an image: either side wins whole.
    Whole { ours: Option<Arc<str>>, theirs: Option<Arc<str>> },
}

impl MergedField {
    pub fn conflict_count(&self) -> usize {
        match &self.merge {
            FieldMerge::Taken(_) => 0,
            FieldMerge::Chunks(pieces) => conflict_count(pieces),
            FieldMerge::Whole { .. } => 1,
        }
    }

    /// The conflicts in order; a removed file is one.
    pub fn contested(&self) -> Vec<Conflict> {
        match &self.merge {
            FieldMerge::Taken(_) => Vec::new(),
            FieldMerge::Chunks(pieces) => pieces
                .iter()
                .filter_map(|piece| match piece {
                    MergeChunk::Conflict(conflict) => Some(conflict.clone()),
                    MergeChunk::Agreed(_) => None,
                })
                .collect(),
            FieldMerge::Whole { ours, theirs } => {
                let text =
                    |side: &Option<Arc<str>>| side.as_ref().map(shown_text).unwrap_or_default().to_string();
                vec![Conflict { base: String::new(), ours: text(ours), theirs: text(theirs) }]
            }
        }
    }

    /// True if one side is an image, so that one side must win whole.
    pub fn is_of_image(&self) -> bool {
        matches!(&self.merge, FieldMerge::Whole { ours, theirs } if is_image(ours) || is_image(theirs))
    }

    /// The ids of the conflicts, in order, to which decisions and proposals refer. The same lines in the same text
    /// have the same id in every draft.
    pub fn conflict_ids(&self) -> Vec<ContentHash> {
        let field = match &self.field {
            MindField::Objective => "objective".to_owned(),
            MindField::Scratchpad => "scratchpad".to_owned(),
            MindField::File(name) => format!("file {name}"),
        };
        let contested = self.contested();
        let alike =
            |at: usize, conflict: &Conflict| contested.iter().take(at).filter(|it| *it == conflict).count();
        let mark = |(at, conflict): (usize, &Conflict)| {
            let of = [&conflict.base, &conflict.ours, &conflict.theirs]
                .map(|text| ContentHash::of_text(text).to_string());
            ContentHash::of_text(&format!("{field}\n{}\n{}", of.join(" "), alike(at, conflict)))
        };
        contested.iter().enumerate().map(mark).collect()
    }

    /// Up to `lines` lines of agreed text before and after a conflict.
    pub fn around(&self, at: usize, lines: usize) -> (String, String) {
        let FieldMerge::Chunks(pieces) = &self.merge else { return Default::default() };
        let conflict = |(_, piece): &(usize, &MergeChunk)| matches!(piece, MergeChunk::Conflict(_));
        let Some((place, _)) = pieces.iter().enumerate().filter(conflict).nth(at) else {
            return Default::default();
        };
        let agreed = |place: Option<usize>| match place.and_then(|place| pieces.get(place)) {
            Some(MergeChunk::Agreed(text)) => text.split_inclusive('\n').collect(),
            Some(MergeChunk::Conflict(_)) | None => Vec::new(),
        };
        let (before, after) = (agreed(place.checked_sub(1)), agreed(place.checked_add(1)));
        let skipped = before.len().saturating_sub(lines);
        (before.into_iter().skip(skipped).collect(), after.into_iter().take(lines).collect())
    }

    /// The number of lines before a conflict, in this branch and in the other, counting earlier conflicts.
    pub fn lines_before(&self, at: usize) -> (usize, usize) {
        let FieldMerge::Chunks(pieces) = &self.merge else { return (0, 0) };
        let count = |text: &str| text.split_inclusive('\n').count();
        let (mut before, mut conflicts) = ((0usize, 0usize), 0usize);
        for piece in pieces {
            let (ours, theirs) = match piece {
                MergeChunk::Agreed(text) => (text, text),
                MergeChunk::Conflict(_) if conflicts == at => break,
                MergeChunk::Conflict(conflict) => (&conflict.ours, &conflict.theirs),
            };
            conflicts += usize::from(matches!(piece, MergeChunk::Conflict(_)));
            before = (before.0 + count(ours), before.1 + count(theirs));
        }
        before
    }

    /// The merged text; the outer `None` if a conflict is unresolved, the inner if the file is removed.
    fn resolved(&self, sides: &[Resolution]) -> Option<Option<Arc<str>>> {
        match (&self.merge, sides) {
            (FieldMerge::Taken(text), []) => Some(text.clone()),
            (FieldMerge::Chunks(pieces), sides) => resolve(pieces, sides).map(|text| Some(Arc::from(text))),
            (FieldMerge::Whole { ours, .. }, [Resolution::Ours]) => Some(ours.clone()),
            (FieldMerge::Whole { theirs, .. }, [Resolution::Theirs]) => Some(theirs.clone()),
            (FieldMerge::Whole { .. }, [Resolution::Lines(lines)]) if lines.is_empty() => Some(None),
            // An image cannot be edited, nor replaced by its description.
            (FieldMerge::Whole { .. }, [Resolution::Lines(_)]) if self.is_of_image() => None,
            (FieldMerge::Whole { .. }, [Resolution::Lines(lines)]) => {
                self.contested().first().map(|conflict| Some(Arc::from(conflict.fitted(lines))))
            }
            (FieldMerge::Whole { .. } | FieldMerge::Taken(_), _) => None,
        }
    }
}

impl MindMerge {
    pub fn of(base: &Mind, ours: &Mind, theirs: &Mind) -> Self {
        let names: VecSet<String> =
            [base, ours, theirs].iter().flat_map(|mind| mind.files.keys()).cloned().collect();
        let files = names.iter().map(|name| MindField::File(name.clone()));
        let fields = [MindField::Objective, MindField::Scratchpad].into_iter().chain(files);
        let merged = fields.filter_map(|field| {
            let texts = [base, ours, theirs].map(|mind| field.text(mind));
            merge_text(&texts).map(|how| MergedField { field, merge: how })
        });
        let active = if ours.active == base.active { &theirs.active } else { &ours.active };
        Self { fields: merged.collect(), active: active.clone() }
    }

    pub fn conflict_count(&self) -> usize {
        self.fields.iter().map(MergedField::conflict_count).sum()
    }

    /// The merged mind with the given resolutions; `None` if a conflict is unresolved, or a resolution is for a field
    /// without conflicts.
    pub fn resolved(&self, ours: &Mind, decided: &[(MindField, Vec<Resolution>)]) -> Option<Mind> {
        let contested =
            |field: &MindField| self.fields.iter().any(|it| it.field == *field && it.conflict_count() > 0);
        if !decided.iter().all(|(field, _)| contested(field)) {
            return None;
        }
        let mut mind = ours.clone();
        for merged in &self.fields {
            let sides = decided.iter().find(|(field, _)| *field == merged.field);
            let text = merged.resolved(sides.map(|(_, sides)| sides.as_slice()).unwrap_or_default())?;
            mind.apply(&merged.field.edit(text.map(|text| text.to_string())));
        }
        let mut active = [&self.active, &ours.active].into_iter().flatten();
        mind.active = active.find(|name| mind.files.contains_key(*name)).cloned();
        Some(mind)
    }
}

/// The mind of an undecided merge, as the base of another one: conflicts as lines between markers that no other text
/// has; a file removed by one side and changed by the other stays as in `base`. The markers are longer the deeper such
/// bases are merged into each other.
pub fn marked(merge: &MindMerge, base: &Mind, ours: &Mind, depth: usize) -> Mind {
    let mark = |sign: &str| sign.repeat(depth.saturating_mul(2).saturating_add(9));
    let line = |text: &str| {
        if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
    };
    let sides = |field: &MergedField| -> Vec<Resolution> {
        let between = |conflict: &Conflict| {
            let (open, middle, end) = (mark("<"), mark("="), mark(">"));
            let (ours, theirs) = (line(&conflict.ours), line(&conflict.theirs));
            Resolution::Lines(Arc::from(format!("{open} one\n{ours}{middle}\n{theirs}{end} other\n")))
        };
        match &field.merge {
            FieldMerge::Taken(_) => Vec::new(),
            FieldMerge::Whole { .. } => vec![Resolution::Ours],
            FieldMerge::Chunks(_) => field.contested().iter().map(between).collect(),
        }
    };
    let contested = merge.fields.iter().filter(|field| field.conflict_count() > 0);
    let decided: Vec<_> = contested.map(|field| (field.field.clone(), sides(field))).collect();
    let mut mind = merge.resolved(ours, &decided).unwrap_or_else(|| ours.clone());
    for merged in merge.fields.iter().filter(|merged| matches!(merged.merge, FieldMerge::Whole { .. })) {
        if let MindField::File(name) = &merged.field {
            mind.files.remove(name);
            mind.files.extend(base.files.get(name).map(|file| (name.clone(), file.clone())));
        }
    }
    mind
}

fn is_image(text: &Option<Arc<str>>) -> bool {
    text.as_deref().and_then(ImageFile::of).is_some()
}

/// The merge of one text; `None` if our text stays.
fn merge_text([base, ours, theirs]: &[Option<Arc<str>>; 3]) -> Option<FieldMerge> {
    if ours == theirs || theirs == base {
        return None;
    }
    if ours == base {
        return Some(FieldMerge::Taken(theirs.clone()));
    }
    Some(match (ours, theirs) {
        (Some(ours), Some(theirs)) if ImageFile::of(ours).or(ImageFile::of(theirs)).is_none() => {
            FieldMerge::Chunks(merge_chunks(base.as_deref().unwrap_or_default(), ours, theirs))
        }
        (ours, theirs) => FieldMerge::Whole { ours: ours.clone(), theirs: theirs.clone() },
    })
}

/// The name of a branch: that of its session, or without one how its newest message of the operator begins.
pub fn branch_name(world: &World, session: Option<&Session>, head: Option<TurnId>) -> String {
    if let Some(session) = session {
        return session.name().into_owned();
    }
    let asked =
        |turn: &Arc<Turn>| last_line(turn.query.iter().filter_map(|id| world.message(id)), Role::User);
    let asked = world.ancestry(head).take(MERGE_SUMMARY_TURNS).find_map(asked);
    asked.map_or_else(|| "another branch".to_owned(), |line| beginning(&line, TASK_TITLE_CHARS))
}

/// A description of the other branch in Markdown for the merged session: its first prompt, last answer and changes.
/// Built from its turns, without a model.
pub fn describe_branch(
    world: &World,
    label: &str,
    session: Option<SessionId>,
    other: &Turn,
    branches: &MergeInputs,
) -> String {
    let turns = branches.turns;
    let mut text = format!("The branch “{label}” was merged into this conversation.");
    let own = counted(turns, "turn", "turns");
    let most = usize::try_from(turns).unwrap_or(usize::MAX).min(MERGE_SUMMARY_TURNS);
    let newest = world.ancestry(Some(other.id)).take(most);
    let session = session.and_then(|id| world.session(&id));
    let summary = session.and_then(|session| session.summary.as_deref()).unwrap_or_default().trim();
    match Some(summary).filter(|summary| !summary.is_empty()) {
        Some(summary) => {
            text.push_str(&format!(" It had {own} of its own, in short:\n\n"));
            text.push_str(summary);
            let reached = session.and_then(|session| session.summarised_to);
            let is_reached =
                |turn: &Arc<Turn>| turn.query.iter().chain(&turn.messages).any(|id| Some(*id) == reached);
            // Turns that the summary does not cover are quoted.
            let since = story(world, newest.take_while(|turn| !is_reached(turn)));
            if !since.is_empty() {
                text.push_str("\n\nThe summary does not reach to its end. Since then:\n\n");
                text.push_str(&since);
            }
        }
        None => {
            text.push_str(&format!(" It had {own} of its own:\n\n"));
            text.push_str(&story(world, newest));
        }
    }
    let (mut files, mut changed) = (Vec::new(), Vec::new());
    for change in changes(&branches.base, &branches.theirs) {
        match change.field {
            MindField::Objective => changed.push("It changed the objective.".to_owned()),
            MindField::Scratchpad => changed.push("It changed the scratchpad.".to_owned()),
            MindField::File(name) => files.push(format!("`{name}`")),
        }
    }
    if !files.is_empty() {
        changed.push(format!("It changed these files: {}.", files.join(", ")));
    }
    if !changed.is_empty() {
        text.push_str(&format!("\n\n{}", changed.join(" ")));
    }
    text
}

/// The prompts and answers of turns, one line each, oldest first; `turns` is newest first.
pub fn story<'w>(world: &'w World, turns: impl Iterator<Item = &'w Arc<Turn>>) -> String {
    let lines_of = |turn: &'w Arc<Turn>| {
        let who = world.agent_name(&turn.agent);
        let last_of = |ids: &[_], role| last_line(ids.iter().filter_map(|id| world.message(id)), role);
        let answer = last_of(&turn.messages, Role::Assistant).map(|line| format!("- {who}: {line}"));
        let prompt = last_of(&turn.query, Role::User).map(|line| format!("- the operator asked: {line}"));
        [answer, prompt].into_iter().flatten()
    };
    let mut lines: Vec<String> = turns.flat_map(lines_of).collect();
    lines.reverse();
    lines.join("\n")
}

/// The last non-empty message of a role, shortened to one line.
fn last_line<'m>(messages: impl Iterator<Item = &'m Arc<Message>>, role: Role) -> Option<String> {
    const CHARS: usize = 240;
    let texts = messages.filter(|message| message.role == role).map(|message| text_of(&message.parts));
    let text = texts.filter(|text| !text.trim().is_empty()).last()?;
    // Only the beginning is needed.
    Some(ellipsis(&one_line(&plain(first_bytes(&text, CHARS * 16))), CHARS))
}

/// The inputs of a merge, collected from loaded rows.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeInputs {
    /// The newest turn of the other branch that is an ancestor of ours, over any parents.
    pub ancestor: TurnId,
    pub base: Arc<Mind>,
    pub theirs: Arc<Mind>,
    /// The number of turns that only the other branch has.
    pub turns: u64,
}

#[cfg(test)]
mod tests;
