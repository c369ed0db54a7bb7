//! Attributes lines of the mind to their authors.
//!
//! Follows the minds of turns. The author is unknown if the rows do not name one; nothing is guessed.

use nexus_model::prelude::*;
use nexus_text::compare::{Comparison, Hunk};
use nexus_text::small_sort::SmallSort as _;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    Operator,
    Core,
    /// What a merge wrote has the authors of the other branch, which need not be loaded.
    Merge(TurnId),
    Agent {
        agent: AgentKey,
        turn: TurnId,
        at: Millis,
    },
}

impl Author {
    pub fn agent(&self) -> Option<&AgentKey> {
        match self {
            Self::Agent { agent, .. } => Some(agent),
            Self::Operator | Self::Core | Self::Merge(_) => None,
        }
    }

    /// True if the operator is to review the change: it is neither their own nor the Core’s, which has its own undo.
    pub fn needs_review(&self) -> bool {
        matches!(self, Self::Agent { .. } | Self::Merge(_))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct AuthoredChange {
    pub author: Author,
    pub before: Arc<Mind>,
    pub after: Arc<Mind>,
}

/// The changes of a session's mind, oldest first, from the oldest turn of `world` or `older` up to now.
/// `older` has the turns from before the loaded ones, with their minds and tool runs.
pub fn history(world: &World, older: &World, id: SessionId) -> Vec<AuthoredChange> {
    let Some(session) = world.session(&id) else { return Vec::new() };
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    let mut turns: Vec<_> = ancestors(world, older, newest).collect();
    turns.reverse();
    let known = known_steps(world, older, session, &turns);
    let mut walk = BlameWalk { world, older, known, steps: Vec::new(), at: None };
    let mut by_core: &[(ContentHash, ContentHash)] = &[];
    for (at, turn) in turns.iter().enumerate() {
        walk.arrive(by_core, began_at(world, turn.session), &turn.core_before, &turn.mind_before);
        // A worker's change applies when the worker ended, not when it was started.
        let runs = turn.tool_runs.iter().filter_map(|id| world.tool_run(id).or_else(|| older.tool_run(id)));
        let mut runs: Vec<_> = runs.filter(|run| run.worker.is_none()).collect();
        runs.small_sort_by_key(|run| (run.ended_at, run.id));
        let author = Author::Agent { agent: turn.agent.clone(), turn: turn.id, at: turn.opened_at };
        for (before, after) in runs.iter().filter_map(|run| run.minds.as_ref()) {
            walk.go_to(before);
            walk.step(&author, after);
        }
        match &turn.mind_after {
            Some(after) if turn.second_parent.is_some() => walk.step(&Author::Merge(turn.id), after),
            Some(after) => walk.go_to(after),
            None => {}
        }
        let next = turns.get(at + 1).map_or(id, |next| next.session);
        by_core = if continues(world, turn, next) { &turn.core_steps } else { &[] };
    }
    let own = session.core_changes_at(session.head);
    walk.arrive(by_core, began_at(world, id), &own, &session.mind);
    walk.steps
}

/// The working mind that a forked session started with.
fn began_at(world: &World, id: SessionId) -> Option<ContentHash> {
    Some(world.session(&id)?.fork_base.as_ref()?.mind)
}

/// True if a session continues with the working mind at a turn, not with the mind that the turn ended with.
fn continues(world: &World, turn: &Turn, next: SessionId) -> bool {
    let began = world.session(&next).and_then(|session| session.fork_base.as_ref());
    turn.session == next || began.is_some_and(|began| began.turn == turn.id)
}

/// Loaded turns from `head` backwards.
fn ancestors<'w>(
    world: &'w World,
    older: &'w World,
    head: Option<TurnId>,
) -> impl Iterator<Item = &'w Arc<Turn>> {
    let turn = move |id: TurnId| world.turn(&id).or_else(|| older.turn(&id));
    let way = std::iter::successors(head.and_then(turn), move |last| last.parent.and_then(turn));
    way.take(world.turns.len() + older.turns.len())
}

/// The parent of the oldest loaded turn of a session's branch; `None` if the branch is complete.
pub fn first_missing_turn(world: &World, older: &World, id: SessionId) -> Option<TurnId> {
    ancestors(world, older, world.session(&id)?.head).last()?.parent
}

/// Known changes that the turns' own agents did not make, with their authors: the Core and workers.
fn known_steps(
    world: &World,
    older: &World,
    session: &Session,
    turns: &[&Arc<Turn>],
) -> Vec<(Author, ContentHash, ContentHash)> {
    let own = session.core_changes_at(session.head);
    let by_core = turns.iter().flat_map(|turn| turn.core_before.iter().chain(&turn.core_steps));
    let by_core =
        by_core.chain(&own).chain(&session.core_steps).map(|(before, after)| (Author::Core, *before, *after));
    let runs = turns.iter().flat_map(|turn| &turn.tool_runs);
    let runs = runs.filter_map(|id| world.tool_run(id).or_else(|| older.tool_run(id)));
    let by_workers = runs.filter_map(|run| {
        let (worker, (before, after)) = (run.worker.as_ref()?, run.minds.as_ref()?);
        let at = run.ended_at.unwrap_or(run.requested_at);
        let author = Author::Agent { agent: worker.agent.clone(), turn: run.turn, at };
        Some((author, *before, *after))
    });
    by_core.chain(by_workers).collect()
}

struct BlameWalk<'w> {
    world: &'w World,
    older: &'w World,
    known: Vec<(Author, ContentHash, ContentHash)>,
    steps: Vec<AuthoredChange>,
    /// The mind after the last step; `None` before the first.
    at: Option<ContentHash>,
}

impl BlameWalk<'_> {
    fn mind(&self, hash: &ContentHash) -> Option<&Arc<Mind>> {
        self.world.mind(hash).or_else(|| self.older.mind(hash))
    }

    fn step(&mut self, author: &Author, to: &ContentHash) {
        let from = self.at.replace(*to);
        let minds = from.filter(|from| from != to).and_then(|from| self.mind(&from).zip(self.mind(to)));
        if let Some((before, after)) = minds.map(|(before, after)| (Arc::clone(before), Arc::clone(after))) {
            self.steps.push(AuthoredChange { author: author.clone(), before, after });
        }
    }

    /// Moves to a mind along the Core's changes at a turn and then, if a session was forked there, the Core's changes
    /// in that session before its next turn.
    fn arrive(
        &mut self,
        by_core: &[(ContentHash, ContentHash)],
        began: Option<ContentHash>,
        own: &[(ContentHash, ContentHash)],
        to: &ContentHash,
    ) {
        match (own, began) {
            ([], _) => self.go_along(by_core, to),
            (own, Some(began)) if !by_core.is_empty() => {
                self.go_along(by_core, &began);
                self.go_along(own, to);
            }
            (own, _) => self.go_along(own, to),
        }
    }

    /// Moves to a mind along the Core's changes at a turn that precede it.
    fn go_along(&mut self, by_core: &[(ContentHash, ContentHash)], to: &ContentHash) {
        let is_last = |(_, after): &(ContentHash, ContentHash)| after == to;
        let last = by_core.iter().rposition(is_last).map(|last| last + 1);
        let last = last.or_else(|| by_core.iter().position(|(before, _)| before == to));
        for (before, after) in by_core.iter().take(last.unwrap_or(by_core.len())) {
            self.go_to(before);
            self.step(&Author::Core, after);
        }
        self.go_to(to);
    }

    /// Attributes changes outside turns to the Core or a worker if known, else to the operator.
    fn go_to(&mut self, to: &ContentHash) {
        if self.at.is_none() {
            self.at = Some(*to);
        }
        // A mind can recur; a path is never longer than the known steps.
        for _ in 0..self.known.len() {
            if self.at.as_ref() == Some(to) {
                return;
            }
            let from_here = self.known.iter().find(|(_, before, _)| self.at.as_ref() == Some(before));
            let to_there = || self.known.iter().find(|(.., after)| after == to);
            match from_here.or_else(to_there).cloned() {
                Some((author, before, after)) => {
                    self.step(&Author::Operator, &before);
                    self.step(&author, &after);
                }
                None => break,
            }
        }
        self.step(&Author::Operator, to);
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blame {
    /// For each line, the index of its change in the history; `None` if the line precedes the history.
    lines: Vec<Option<usize>>,
    /// Removed lines, sorted, each with the index of the change that removed it.
    removed: Vec<(String, usize)>,
}

impl Blame {
    /// Computes the blame of a field, or of a file by its latest name.
    pub fn of(history: &[AuthoredChange], field: &MindField) -> Self {
        // The file may have been renamed.
        let mut names = vec![field.clone()];
        for step in history.iter().rev() {
            let name = names.last().cloned().unwrap_or_else(|| field.clone());
            names.push(name.before(&step.before, &step.after));
        }
        names.reverse();
        let empty: Arc<str> = Arc::from("");
        let start = history.first().zip(names.first()).and_then(|(step, name)| name.text(&step.before));
        let mut blame = Self::default();
        blame.lines.resize(start.as_ref().unwrap_or(&empty).split_inclusive('\n').count(), None);
        for ((place, step), pair) in history.iter().enumerate().zip(names.windows(2)) {
            let (Some(before), Some(after)) = (pair.first(), pair.last()) else { continue };
            let old = before.text(&step.before).unwrap_or_else(|| Arc::clone(&empty));
            let new = after.text(&step.after).unwrap_or_else(|| Arc::clone(&empty));
            if old != new {
                blame.take(&Comparison::between(&old, &new), place);
            }
        }
        // The latest removal of equal lines comes last.
        blame.removed.small_sort();
        blame
    }

    fn take(&mut self, found: &Comparison, place: usize) {
        let mut lines = Vec::with_capacity(found.new.len());
        let mut at = 0usize;
        for hunk in &found.hunks {
            lines.extend_from_slice(self.lines.get(at..hunk.old.start).unwrap_or_default());
            lines.resize(hunk.new.start, None);
            lines.resize(hunk.new.end, Some(place));
            at = hunk.old.end;
            self.removed.extend(hunk.old.clone().map(|line| (found.old.line(line).to_owned(), place)));
        }
        lines.extend_from_slice(self.lines.get(at..).unwrap_or_default());
        lines.resize(found.new.len(), None);
        self.lines = lines;
    }

    /// The index of the change that wrote a line, counted from 0.
    pub fn line(&self, line: usize) -> Option<usize> {
        self.lines.get(line).copied().flatten()
    }

    fn remover(&self, text: &str) -> Option<usize> {
        let end = self.removed.partition_point(|(other, _)| other.as_str() <= text);
        let (other, place) = self.removed.get(end.checked_sub(1)?)?;
        (other == text).then_some(*place)
    }

    /// The authors of a hunk whose new side is the current text, those with the most lines first.
    pub fn authors(&self, history: &[AuthoredChange], found: &Comparison, hunk: &Hunk) -> Vec<Author> {
        let wrote = hunk.new.clone().filter_map(|line| self.line(line));
        let removed = hunk.old.clone().filter_map(|line| self.remover(found.old.line(line)));
        let mut counts: Vec<(usize, Author)> = Vec::new();
        // The author of the new lines also removed the old ones; only a pure removal needs the removers.
        let places: Vec<usize> = if hunk.new.is_empty() { removed.collect() } else { wrote.collect() };
        for author in places.into_iter().filter_map(|place| history.get(place)).map(|step| &step.author) {
            match counts.iter_mut().find(|(_, other)| other == author) {
                Some((count, _)) => *count += 1,
                None => counts.push((1, author.clone())),
            }
        }
        counts.small_sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        counts.into_iter().map(|(_, author)| author).collect()
    }
}

#[cfg(test)]
mod tests;
