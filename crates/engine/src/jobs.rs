//! Jobs beside the turns: begins those that are due, asks the model, and records what came of it.
//!
//! `decide` says what is due and what an answer changes; `schedule` knows when, `plan` prepares compactions, `runner`
//! asks, and a prompt module builds the request of each kind. Loaded lazily, on the first event that it handles.

mod maintenance_prompt;
mod merge_prompt;
mod plan;
mod runner;
mod schedule;
mod sync_prompt;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, select};
use futures_util::stream::{self, StreamExt as _};

use crate::calls::limiter::sleep_until;
use crate::calls::model_client::ModelClient;
use crate::client::EngineClient;
use crate::jobs::schedule::Schedule;
use crate::lazy::{ChunkLoadError, LazyService, PeekableEvents};
use crate::port::{Clock, Store};
use crate::store::ledger::WorldRef;
use nexus_model::command::{Command, MaintenanceCommand};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{JobId, SessionId};
use nexus_model::llm::Usage;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::session::Session;
use nexus_model::signal::TransientEvent;
use nexus_text::vec_map::{VecMap, VecSet};

pub struct JobService {
    /// What asks a model, with all that the service works on.
    pub(super) client: ModelClient,
    pub(super) events: PeekableEvents,
    pub(super) live: UnboundedReceiver<TransientEvent>,
}

#[derive(Clone)]
pub(super) struct JobContext {
    pub(super) world: WorldRef,
    pub(super) handle: EngineClient,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) client: ModelClient,
    pub(super) store: Rc<dyn Store>,
    /// Sessions whose compaction is being planned.
    pub(super) planning: Rc<RefCell<VecSet<SessionId>>>,
}

enum JobInput {
    Event(Arc<Event>),
    Live(TransientEvent),
}

impl LazyService for JobService {
    fn concerns(event: &Event) -> bool {
        let is_of_session = event.stream.session().is_some();
        is_of_session && !matches!(event.happening(), Some(EventKind::SessionChanged { .. }))
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.client.clock.as_ref()
    }

    async fn give_up(&mut self, lost: ChunkLoadError) {
        let failure = ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
        let commands: Vec<_> = {
            let world = self.client.world.borrow();
            let of = |row: &Arc<Session>| {
                let (session, failure) = (row.id, failure.clone());
                let wanted = row.archivist.wanted.as_ref();
                let drops = wanted.map(|_| MaintenanceCommand::DropCompaction { session, failure }.into());
                let failed = |job: JobId| {
                    let (attempt, usage, retry_in_ms) = (1, Usage::default(), None);
                    let failure = ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
                    Command::RecordJobFailure { session, job, attempt, failure, usage, retry_in_ms }
                };
                let open = row.jobs.open.iter().map(|job| failed(job.id));
                open.chain(drops).collect::<Vec<_>>()
            };
            world.sessions.values().flat_map(of).collect()
        };
        for command in commands {
            // A refusal means that it was stopped meanwhile.
            drop(self.client.handle.send(command).await);
        }
    }
}

impl JobService {
    /// Begins. It ends when the bus is gone.
    pub fn begin(self) {
        let spawn = Rc::clone(&self.client.spawn);
        spawn.spawn(Box::pin(self.serve()));
    }

    async fn serve(self) {
        let Self { client, events, live } = self;
        let (bus, spawn) = (Rc::clone(&client.bus), Rc::clone(&client.spawn));
        let context = JobContext {
            world: Rc::clone(&client.world),
            handle: client.handle.clone(),
            clock: Rc::clone(&client.clock),
            store: Rc::clone(&client.store),
            client,
            planning: Rc::default(),
        };
        let mut inputs = stream::select(events.map(JobInput::Event), live.map(JobInput::Live));
        let mut schedule = Schedule::default();
        let mut calls: VecMap<JobId, AbortHandle> = VecMap::new();
        loop {
            let next = schedule.next(&context.world.borrow(), &bus, context.clock.now());
            let waited = match next {
                Some(at) => {
                    let due = sleep_until(context.clock.as_ref(), at).boxed_local();
                    match select(inputs.next(), due).await {
                        Either::Left((input, _)) => Some(input),
                        Either::Right(_) => None,
                    }
                }
                None => Some(inputs.next().await),
            };
            let event = match waited {
                Some(Some(JobInput::Event(event))) => event,
                Some(Some(JobInput::Live(TransientEvent::Typed { session, at }))) => {
                    schedule.typed(session, at);
                    continue;
                }
                Some(Some(JobInput::Live(_))) => continue,
                Some(None) => return,
                None => {
                    let due = schedule.due(&context.world.borrow(), context.clock.now());
                    for command in due {
                        // A refusal means that things have moved on, or that another tab works there now.
                        drop(context.handle.send(command).await);
                    }
                    continue;
                }
            };
            let Some(session) = event.stream.session() else { continue };
            let wanted = schedule.hear(&context.world.borrow(), session, &event);
            match event.happening() {
                Some(EventKind::JobOpened(job)) => {
                    let (abort, registration) = AbortHandle::new_pair();
                    calls.insert(job.id, abort);
                    let work = Abortable::new(context.clone().run(session, job.id), registration);
                    spawn.spawn(Box::pin(work.map(|_| ())));
                }
                Some(EventKind::JobFailed(failed)) => {
                    if let Some(abort) = calls.remove(&failed.job) {
                        abort.abort();
                    }
                }
                Some(EventKind::JobDone(done)) => drop(calls.remove(&done.job)),
                _ => {}
            }
            if let Some(command) = wanted {
                drop(context.handle.send(command).await);
            }
            if context.may_plan(session) {
                spawn.spawn(Box::pin(context.clone().plan(session)));
            }
        }
    }
}
