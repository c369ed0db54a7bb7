//! What makes a trigger fire, and the triggers behind a message or run, which must not fire because of it.

use crate::agent::matches as fits;
use crate::id::TriggerId;
use crate::message::MessageOrigin;
use crate::prelude::*;
use crate::session::QueueState;
use crate::session::trigger::{Schedule, Trigger, TriggerCause};

impl Trigger {
    /// The cause to fire if the event matches. Events that the trigger itself caused never match.
    pub fn matching_cause(&self, world: &World, event: &Event) -> Option<TriggerCause> {
        if self.pause_reason.is_some() || chain_of(world, event).contains(&self.id) {
            return None;
        }
        let here = event.stream.session()?;
        if self.when.session().is_some_and(|watched| watched != here) {
            return None;
        }
        let kind = event.known_kind()?;
        match &self.when {
            Schedule::At(_) | Schedule::Every { .. } => None,
            Schedule::FileChanged { file, .. } => {
                let mut names = kind.edits().iter().flat_map(changed_files);
                let name = names.find(|name| file.is_empty() || fits(file, name))?;
                Some(TriggerCause::File { file: name.to_owned(), session: here })
            }
            Schedule::ObjectiveChanged { .. } => {
                let mut edits = kind.edits().iter();
                let has_changed = edits.any(|edit| matches!(edit, MindEdit::Objective { .. }));
                has_changed.then_some(TriggerCause::Objective { session: here })
            }
            Schedule::RunFailed { .. } => {
                let has_failed =
                    matches!(kind, EventKind::RunEnded { status: RunStatus::Failed | RunStatus::TimedOut });
                Some(TriggerCause::Run { run: event.run.filter(|_| has_failed)?, session: here })
            }
        }
    }
}

fn changed_files(edit: &MindEdit) -> Vec<&str> {
    if let MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } | MindEdit::FileRemoved { name } =
        edit
    {
        vec![name]
    } else if let MindEdit::FileRenamed { from, to } = edit {
        vec![from, to]
    } else {
        Vec::new()
    }
}

/// The triggers that caused an event, first cause first. A Core event belongs to no run and counts as caused by the
/// newest run of its session.
pub fn chain_of(world: &World, event: &Event) -> Vec<TriggerId> {
    let session = || event.stream.session().and_then(|session| world.session(&session));
    let by_core = matches!(event.known_kind(), Some(EventKind::MindSynced { .. } | EventKind::JobDone(_)));
    let run = event.run.or_else(|| session().filter(|_| by_core)?.run);
    run.map(|run| chain_of_run(world, run)).unwrap_or_default()
}

/// The origin of a message that a run sends to another session; `None` if no trigger caused the run.
pub fn message_origin(world: &World, run: Option<RunId>) -> Option<MessageOrigin> {
    let triggers = run.map(|run| chain_of_run(world, run)).unwrap_or_default();
    (!triggers.is_empty()).then(|| MessageOrigin { triggers, ..MessageOrigin::default() })
}

fn chain_of_run(world: &World, run: RunId) -> Vec<TriggerId> {
    let Some(run) = world.run(&run) else { return Vec::new() };
    let cause = if let RunCause::Message(message) = &run.cause { Some(*message) } else { None };
    // Messages that joined while it worked, too.
    let joined =
        world.messages.values().filter(|message| message.run == Some(run.id)).map(|joined| joined.id);
    let mut chain = Vec::new();
    for message in run.messages.iter().copied().chain(cause).chain(joined) {
        for id in origin_of(world, message).map(|origin| origin.triggers.as_slice()).unwrap_or_default() {
            if !chain.contains(id) {
                chain.push(*id);
            }
        }
    }
    chain
}

fn origin_of(world: &World, message: MessageId) -> Option<&MessageOrigin> {
    world.message(&message).and_then(|message| message.metadata.origin.as_ref())
}

/// True while the trigger's last message is queued or being answered. It sends nothing then.
pub fn is_busy(world: &World, id: TriggerId) -> bool {
    let is_queued = world.queue.values().any(|item| {
        item.state == QueueState::Waiting
            && item.origin.as_ref().is_some_and(|origin| origin.triggers.last() == Some(&id))
    });
    is_queued || {
        let mut open = world.sessions.values().filter_map(|session| world.open_run(session));
        open.any(|run| chain_of_run(world, run.id).contains(&id))
    }
}
