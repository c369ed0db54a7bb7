//! Graph of which sessions depend on turns of others, by parents (two for a merge) and remembered heads.
//!
//! Never reads the store or decides what is purged.

use serde::Deserialize;

use nexus_model::id::{SessionId, TurnId};
use nexus_text::json;
use nexus_text::vec_map::{VecMap, VecSet};

/// What is needed of a turn's row: it may be a hundred times as long.
#[derive(Deserialize)]
struct TurnLinks {
    id: TurnId,
    session: SessionId,
    #[serde(default)]
    parent: Option<TurnId>,
    #[serde(default)]
    second_parent: Option<TurnId>,
}

/// Which sessions go back to which.
#[derive(Default)]
pub(super) struct TurnReferences {
    home: VecMap<TurnId, SessionId>,
    named: Vec<(SessionId, TurnId)>,
    /// Rows that cannot be read.
    unread: Vec<String>,
}

impl TurnReferences {
    pub(super) fn note(&mut self, row: String) {
        match json::read::<TurnLinks>(&row) {
            Ok(TurnLinks { id, session, parent, second_parent }) => {
                self.home.insert(id, session);
                self.named.extend([parent, second_parent].into_iter().flatten().map(|turn| (session, turn)));
            }
            Err(_) => self.unread.push(row),
        }
    }

    /// Notes a turn that a session names as a head.
    pub(super) fn tie(&mut self, session: SessionId, turn: TurnId) {
        self.named.push((session, turn));
    }

    /// Whether a row that cannot be read names one of these turns.
    pub(super) fn unread_names(&self, turns: &VecSet<TurnId>) -> bool {
        let words = self.unread.iter().flat_map(|row| row.split('"'));
        words.filter_map(|word| word.parse().ok()).any(|turn: TurnId| turns.contains(&turn))
    }

    /// Every session that goes back to this one, itself and through others.
    pub(super) fn keepers(&self, session: SessionId) -> VecSet<SessionId> {
        self.reach(session, |from, to| (to, from))
    }

    /// Every session that this one goes back to, itself and through others.
    pub(super) fn kept(&self, session: SessionId) -> VecSet<SessionId> {
        self.reach(session, |from, to| (from, to))
    }

    fn reach(
        &self,
        session: SessionId,
        step: impl Fn(SessionId, SessionId) -> (SessionId, SessionId),
    ) -> VecSet<SessionId> {
        let mut steps: VecMap<SessionId, VecSet<SessionId>> = VecMap::new();
        for (from, turn) in &self.named {
            if let Some(to) = self.home.get(turn).filter(|to| *to != from) {
                let (from, to) = step(*from, *to);
                steps.get_or_insert_with(from, VecSet::new).insert(to);
            }
        }
        let (mut found, mut next) = (VecSet::new(), vec![session]);
        while let Some(here) = next.pop() {
            let beyond = steps.get(&here).into_iter().flatten().copied();
            next.extend(beyond.filter(|there| *there != session && found.insert(*there)));
        }
        found
    }
}
