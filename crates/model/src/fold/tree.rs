//! Folds turns and head moves into the thread cache, former heads and the tombstones of purged sessions.

use std::sync::Arc;

use super::{Fold, node_of};
use crate::event::EventKind;
use crate::id::SessionId;
use crate::limits::{FORMER_HEADS, MERGES_REMEMBERED};
use crate::session::{FormerHead, MergeRecord};
use crate::turn::tree::add_child;
use crate::turn::{Thread, Turn, TurnKind};

impl Fold<'_, '_> {
    pub(super) fn turn_opened(&mut self, turn: &Turn) {
        let parent = turn.parent.and_then(|id| self.overlay.thread(&id).cloned());
        let mut thread = Thread::alone(turn);
        if let Some(parent) = &parent {
            thread.join(parent, |id| self.overlay.thread(&id).map(|thread| &**thread));
        }
        self.overlay.rows.threads.insert(turn.id, Arc::new(thread));
        if let Some(mut parent) = parent {
            add_child(&mut Arc::make_mut(&mut parent).children, turn.id);
            self.overlay.rows.threads.insert(parent.turn, parent);
        }
        let mut row = turn.clone();
        if let Some(session) = self.overlay.session(&turn.session) {
            row.core_before = session.core_changes_at(turn.parent);
        }
        self.overlay.rows.turns.insert(turn.id, Arc::new(row));
        for id in &turn.query {
            // A message keeps the turn that took it first.
            if let Some(message) = self.overlay.message(id).filter(|message| message.turn.is_none()) {
                let mut message = message.as_ref().clone();
                message.turn = Some(turn.id);
                message.run = turn.run;
                self.overlay.rows.messages.insert(*id, Arc::new(message));
            }
        }
        let at = self.event.at;
        self.session(turn.session, |session| {
            session.unanswered.retain(|id| !turn.query.contains(id));
            if turn.parent.is_none() {
                add_child(&mut session.roots, turn.id);
            }
            if let Some(other) = turn.second_parent {
                session.merges.push(MergeRecord { turn: turn.id, other, mind: turn.mind_shown });
                let over = session.merges.len().saturating_sub(MERGES_REMEMBERED);
                session.merges.drain(..over);
            }
        });
        self.run(|run| {
            let is_graph = run.graph.is_some();
            if let Some(node) = node_of(run, turn) {
                node.turn = Some(turn.id);
                node.inbox.clear();
                node.continues = None;
                if is_graph {
                    node.turns = node.turns.saturating_add(1);
                }
            }
        });
        self.session(turn.session, |session| session.archivist.start_error = None);
        if turn.kind != TurnKind::Compaction {
            self.count(|used| used.turns = used.turns.saturating_add(1));
            self.flags(turn.session, &turn.agent, |flags| flags.last_activity = Some(at));
        }
    }

    pub(super) fn head_moved(&mut self, kind: &EventKind) {
        let EventKind::HeadMoved { from, to, mind, by_hand } = kind else { return };
        let Some(id) = self.event.stream.session() else { return };
        let Some(by_hand) = by_hand else {
            return self.session(id, |session| session.head = *to);
        };
        let at = self.event.at;
        self.edit_mind(id, &by_hand.edits);
        self.session(id, |session| {
            let unanswered = std::mem::replace(&mut session.unanswered, by_hand.unanswered.clone());
            session.former.retain(|former| former.turn != *from && former.turn != *to);
            if from != to {
                session.former.push(FormerHead { turn: *from, mind: *mind, unanswered, at });
            }
            let over = session.former.len().saturating_sub(FORMER_HEADS);
            session.former.drain(..over);
            session.head = *to;
            // The Core need not sync what was brought back.
            session.core.synced = Some(session.mind);
        });
    }

    /// Reduces a session to a tombstone: that it existed, and when.
    pub(super) fn session_purged(&mut self, id: SessionId) {
        let at = self.event.at;
        self.session(id, |session| *session = session.tombstone(at));
    }
}
