//! The functions of the lazily loaded part of the engine: model calls, jobs, triggers, verifiers, rare commands.

use crate::calls::context::{MeasureFn, measure};
use crate::calls::{CallServices, SendRequest, send};
use crate::command_loop::lazy_commands::LazyCommands;
use crate::jobs::JobService;
use crate::keys::service::{KeyService, ListModels};
use crate::prelude::*;
use crate::triggers::TriggerService;
use crate::verifier::VerifierService;

/// The engine's code that loads with the first model call. One chunk, since its services share most of their code.
#[derive(Clone)]
pub struct LazyEngine {
    pub(crate) calls: fn(CallServices),
    pub(crate) jobs: fn(JobService),
    pub(crate) triggers: fn(TriggerService),
    pub(crate) verifier: fn(VerifierService),
    pub(crate) models: ListModels,
    pub(crate) measure: MeasureFn,
    pub(crate) commands: LazyCommands,
    pub(crate) send: SendRequest,
}

impl LazyEngine {
    /// All of its functions; the caller's chunk contains them.
    pub fn with_http(http: Rc<dyn Http>) -> Self {
        Self {
            calls: CallServices::begin,
            jobs: JobService::begin,
            triggers: TriggerService::begin,
            verifier: VerifierService::begin,
            models: KeyService::list,
            measure,
            commands: LazyCommands::built_in(),
            send: Rc::new(move |engine, demo, request| send(&*http, engine, demo, request)),
        }
    }
}
