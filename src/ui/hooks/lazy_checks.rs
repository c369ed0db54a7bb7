//! The ways to what runs checks and what holds terminals, parts of the program that are loaded when first needed.

use std::rc::Rc;

use nexus_engine::checks::RunChecks;
use nexus_engine::lazy::LazyFuture;
use nexus_engine::port::terminal::Terminals;
use send_wrapper::SendWrapper;

#[derive(Clone, Copy)]
pub(crate) struct LazyChecks(pub(crate) fn() -> LazyFuture<RunChecks>);

/// Loads the terminals of this tab.
pub type LoadTerminals = Rc<dyn Fn() -> LazyFuture<Rc<dyn Terminals>>>;

/// The same for components.
#[derive(Clone)]
pub(crate) struct LazyTerminals(pub(crate) SendWrapper<LoadTerminals>);
