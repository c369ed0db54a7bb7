//! Rebuilds a run as it was before one of its turns opened, from the run's own events.

use super::fold;
use crate::event::{Event, EventKind};
use crate::id::TurnId;
use crate::run::{NodeStatus, Run};
use crate::world::World;

/// The run of a turn as it was before the turn opened: its node is READY, with what the turn took in its inbox. `None`
/// where these are not the events of its run.
pub fn run_before(events: &[Event], turn: TurnId) -> Option<Run> {
    let opens = |event: &Event| matches!(event.happening(), Some(EventKind::TurnOpened { turn: opened }) if opened.id == turn);
    let at = events.iter().position(opens)?;
    let before = events.get(..at)?;
    let is_start = |event: &Event| {
        matches!(event.happening(), Some(EventKind::NodeChanged { status: NodeStatus::Running, .. }))
    };
    let start = before.iter().rposition(is_start)?;
    let run = events.get(at)?.run?;
    fold(&World::default(), events.get(..start)?).run(&run).map(|run| run.as_ref().clone())
}
