//! Never changes a mind, and never decides a clash.
//!
//! Owns what merging two branches means for the mind that they share: field by field three ways, with each clash to be
//! decided, and what the other branch was about in words.

pub mod answer;
pub mod proposal;

use std::sync::Arc;

use crate::domain::hash::Hash;
use crate::domain::id::{SessionId, TurnId};
use crate::domain::limits::MERGED_TOLD;
use crate::domain::message::{Message, Role};
use crate::domain::mind::{File, Mind};
use crate::domain::part::text_of;
use crate::domain::review::{Field, changes};
use crate::domain::sorted::SortedSet;
use crate::domain::text::join::{Clash, Piece, Side, clashes, join, settled};
use crate::domain::turn::Turn;
use crate::domain::world::World;

/// What two branches made of the mind that they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Joining {
    /// The fields that the other branch changed, in order.
    pub fields: Vec<JoinedField>,
    /// The active file, as it comes out.
    pub active: Option<String>,
}

/// A field that the other branch changed.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedField {
    /// Which.
    pub field: Field,
    /// How it comes out.
    pub how: How,
}

/// How a field comes out of a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// As the other branch has it: only that one changed it. `None` where it removed the file.
    Taken(Option<Arc<str>>),
    /// By lines.
    Pieces(Vec<Piece>),
    /// One branch changed the file, the other removed it: one of them wins whole.
    Whole {
        /// As this branch has it.
        ours: Option<Arc<str>>,
        /// As the other has it.
        theirs: Option<Arc<str>>,
    },
}

impl JoinedField {
    /// How many decisions it takes.
    pub fn clashes(&self) -> usize {
        match &self.how {
            How::Taken(_) => 0,
            How::Pieces(pieces) => clashes(pieces),
            How::Whole { .. } => 1,
        }
    }

    /// What clashes, in order; a file that one branch removed is one clash.
    pub fn contested(&self) -> Vec<Clash> {
        match &self.how {
            How::Taken(_) => Vec::new(),
            How::Pieces(pieces) => pieces
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Clash(clash) => Some(clash.clone()),
                    Piece::Agreed(_) => None,
                })
                .collect(),
            How::Whole { ours, theirs } => {
                let text = |side: &Option<Arc<str>>| side.as_deref().unwrap_or_default().to_owned();
                vec![Clash { base: String::new(), ours: text(ours), theirs: text(theirs) }]
            }
        }
    }

    /// The marks of what clashes, in order: what a decision or a proposal is for. The same lines in the same text have
    /// the same mark in every draft.
    pub fn marks(&self) -> Vec<Hash> {
        let field = match &self.field {
            Field::Objective => "objective".to_owned(),
            Field::Scratchpad => "scratchpad".to_owned(),
            Field::File(name) => format!("file {name}"),
        };
        let contested = self.contested();
        let alike = |at: usize, clash: &Clash| contested.iter().take(at).filter(|it| *it == clash).count();
        let mark = |(at, clash): (usize, &Clash)| {
            let of = [&clash.base, &clash.ours, &clash.theirs].map(|text| Hash::of_text(text).to_string());
            Hash::of_text(&format!("{field}\n{}\n{}", of.join(" "), alike(at, clash)))
        };
        contested.iter().enumerate().map(mark).collect()
    }

    /// So many lines before and after a clash, as far as nobody contests them.
    pub fn around(&self, at: usize, lines: usize) -> (String, String) {
        let How::Pieces(pieces) = &self.how else { return Default::default() };
        let clash = |(_, piece): &(usize, &Piece)| matches!(piece, Piece::Clash(_));
        let Some((place, _)) = pieces.iter().enumerate().filter(clash).nth(at) else {
            return Default::default();
        };
        let agreed = |place: Option<usize>| match place.and_then(|place| pieces.get(place)) {
            Some(Piece::Agreed(text)) => text.split_inclusive('\n').collect(),
            Some(Piece::Clash(_)) | None => Vec::new(),
        };
        let (before, after) = (agreed(place.checked_sub(1)), agreed(place.checked_add(1)));
        let skipped = before.len().saturating_sub(lines);
        (before.into_iter().skip(skipped).collect(), after.into_iter().take(lines).collect())
    }

    /// Its text, with its clashes decided; the outer `None` where they are not, the inner where the file goes.
    fn settled(&self, sides: &[Side]) -> Option<Option<Arc<str>>> {
        match (&self.how, sides) {
            (How::Taken(text), []) => Some(text.clone()),
            (How::Pieces(pieces), sides) => settled(pieces, sides).map(|text| Some(Arc::from(text))),
            (How::Whole { ours, .. }, [Side::Ours]) => Some(ours.clone()),
            (How::Whole { theirs, .. }, [Side::Theirs]) => Some(theirs.clone()),
            (How::Whole { .. }, [Side::Lines(lines)]) if lines.is_empty() => Some(None),
            (How::Whole { .. }, [Side::Lines(lines)]) => {
                self.contested().first().map(|clash| Some(Arc::from(clash.fitted(lines))))
            }
            (How::Whole { .. } | How::Taken(_), _) => None,
        }
    }
}

impl Joining {
    /// Joins what two branches made of `base`.
    pub fn of(base: &Mind, ours: &Mind, theirs: &Mind) -> Self {
        let names: SortedSet<String> =
            [base, ours, theirs].iter().flat_map(|mind| mind.files.keys()).cloned().collect();
        let files = names.iter().map(|name| Field::File(name.clone()));
        let fields = [Field::Objective, Field::Scratchpad].into_iter().chain(files);
        let joined = fields.filter_map(|field| {
            let texts = [base, ours, theirs].map(|mind| field.text(mind));
            how(&texts).map(|how| JoinedField { field, how })
        });
        let active = if ours.active == base.active { &theirs.active } else { &ours.active };
        Self { fields: joined.collect(), active: active.clone() }
    }

    /// How many decisions it takes.
    pub fn clashes(&self) -> usize {
        self.fields.iter().map(JoinedField::clashes).sum()
    }

    /// The mind that comes out, with the clashes decided field by field; `None` where one is not, or a decision is for
    /// something that does not clash.
    pub fn settled(&self, ours: &Mind, decided: &[(Field, Vec<Side>)]) -> Option<Mind> {
        let contested = |field: &Field| self.fields.iter().any(|it| it.field == *field && it.clashes() > 0);
        if !decided.iter().all(|(field, _)| contested(field)) {
            return None;
        }
        let mut mind = ours.clone();
        for joined in &self.fields {
            let sides = decided.iter().find(|(field, _)| *field == joined.field);
            let text = joined.settled(sides.map(|(_, sides)| sides.as_slice()).unwrap_or_default())?;
            match (&joined.field, text) {
                (Field::Objective, text) => mind.objective = text.as_deref().unwrap_or_default().to_owned(),
                (Field::Scratchpad, text) => mind.scratchpad = text.as_deref().unwrap_or_default().to_owned(),
                (Field::File(name), Some(text)) => {
                    mind.files.insert(name.clone(), File::new(&text));
                }
                (Field::File(name), None) => {
                    mind.files.remove(name);
                }
            }
        }
        mind.active = self
            .active
            .clone()
            .filter(|name| mind.files.contains_key(name))
            .or_else(|| ours.active.clone().filter(|name| mind.files.contains_key(name)));
        Some(mind)
    }
}

/// How a text comes out; `None` where it stays as this branch has it.
fn how([base, ours, theirs]: &[Option<Arc<str>>; 3]) -> Option<How> {
    if ours == theirs || theirs == base {
        return None;
    }
    if ours == base {
        return Some(How::Taken(theirs.clone()));
    }
    Some(match (ours, theirs) {
        (Some(ours), Some(theirs)) => How::Pieces(join(base.as_deref().unwrap_or_default(), ours, theirs)),
        (ours, theirs) => How::Whole { ours: ours.clone(), theirs: theirs.clone() },
    })
}

/// What the other branch was about, for the thread that goes on: what was asked there, what was answered last, what
/// changed. Told from the turns, without a model.
pub fn told(
    world: &World,
    label: &str,
    session: Option<SessionId>,
    other: &Turn,
    branches: &Branches,
) -> String {
    let turns = branches.turns;
    let mut told = format!("The branch “{label}” was merged into this conversation.");
    let count = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    told.push_str(&format!(" It had {count} of its own"));
    let summary = session.and_then(|id| world.session(&id)).and_then(|session| session.summary.clone());
    match summary.filter(|summary| !summary.trim().is_empty()) {
        Some(summary) => told.push_str(&format!(", in short:\n{}", summary.trim())),
        None => {
            told.push_str(":\n");
            let most = usize::try_from(turns).unwrap_or(usize::MAX).min(MERGED_TOLD);
            told.push_str(&story(world, world.ancestry(Some(other.id)).take(most)));
        }
    }
    let changed: Vec<String> = changes(&branches.base, &branches.theirs)
        .into_iter()
        .map(|change| match change.field {
            Field::Objective => "the objective".to_owned(),
            Field::Scratchpad => "the scratchpad".to_owned(),
            Field::File(name) => name,
        })
        .collect();
    if !changed.is_empty() {
        told.push_str(&format!("\nIt changed: {}.", changed.join(", ")));
    }
    told
}

/// What was asked and answered in turns, which come newest first: the oldest first, in a line each.
pub fn story<'w>(world: &'w World, turns: impl Iterator<Item = &'w Arc<Turn>>) -> String {
    let told = |turn: &'w Arc<Turn>| {
        let who = world.agent(&turn.agent).map_or(turn.agent.as_str(), |agent| &agent.identity.name);
        let said = |ids: &[_], role| last_line(ids.iter().filter_map(|id| world.message(id)), role);
        let answer = said(&turn.messages, Role::Assistant).map(|line| format!("- {who}: {line}"));
        let asked = said(&turn.query, Role::User).map(|line| format!("- asked: {line}"));
        [answer, asked].into_iter().flatten()
    };
    let mut lines: Vec<String> = turns.flat_map(told).collect();
    lines.reverse();
    lines.join("\n")
}

/// The last message of a role that says something, in one short line.
fn last_line<'m>(messages: impl Iterator<Item = &'m Arc<Message>>, role: Role) -> Option<String> {
    const CHARS: usize = 240;
    let texts = messages.filter(|message| message.role == role).map(|message| text_of(&message.parts));
    let text = texts.filter(|text| !text.trim().is_empty()).last()?;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = words.chars().take(CHARS).collect();
    if line.len() < words.len() {
        line.push('…');
    }
    Some(line)
}

/// What a merge is made of, found in the rows that are loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// The newest turn that both go back to, or the one of the other branch that was merged last.
    pub ancestor: TurnId,
    /// The mind that both come from.
    pub base: Arc<Mind>,
    /// The mind of the other branch.
    pub theirs: Arc<Mind>,
    /// How many turns the other branch has of its own.
    pub turns: u64,
}

#[cfg(test)]
#[path = "joining_tests.rs"]
mod tests;
