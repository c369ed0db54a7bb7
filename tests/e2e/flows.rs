//! The list of flows. Never the steps of one: each file of `flows/` holds those that belong
//! together.

mod harness;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::stage::Stage;

/// A flow that is being played.
type Play<'stage> = Pin<Box<dyn Future<Output = Result<()>> + 'stage>>;

/// One flow.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) play: for<'stage> fn(&'stage mut Stage) -> Play<'stage>,
}

macro_rules! flows {
    ($($name:literal => $play:path,)*) => {
        vec![$(Flow { name: $name, play: |stage| Box::pin($play(stage)) },)*]
    };
}

/// All flows, in the order in which they run.
pub(crate) fn all() -> Vec<Flow> {
    flows! {
        "harness-page" => harness::page,
        "harness-faults" => harness::faults,
        "harness-provider" => harness::provider,
        "harness-crash" => harness::crash,
    }
}
