//! The way to what runs checks, a part of the program that is loaded when it is first needed.

use nexus_engine::checks::RunChecks;
use nexus_engine::lazy::LazyFuture;

/// Loads it.
#[derive(Clone, Copy)]
pub(crate) struct LazyChecks(pub(crate) fn() -> LazyFuture<RunChecks>);
