//! Nexus, a war room in a browser tab: several AI agents work for one person on one shared mind.
//!
//! # The layer rule
//!
//! One package, five rooms. A room imports only from rooms below it:
//!
//! ```text
//! domain ← wire ← engine ← { browser, ui } ← main
//! ```
//!
//! - [`domain`]: the nouns and their rules. Pure: values in, values out.
//! - [`wire`]: how models speak. HTTP and bytes as data. Pure.
//! - [`engine`]: what happens. Async, over ports; no browser.
//! - `browser`: the ports' adapters; the only code on browser interfaces.
//! - `ui`: what the operator sees; knows `domain` and the engine's handle.
//!
//! The first three build and are tested without a browser: `cargo test --no-default-features`. The test
//! `architecture` fails on an upward import.
//!
//! # A reading order
//!
//! 1. [`domain::turn`] and [`domain::run`]: what a turn and a run are; the turn loop as a state machine.
//! 2. [`domain::event`]: everything that can happen, and its topic.
//! 3. [`domain::decide`] and [`domain::fold`]: commands in, events out, state folded.
//! 4. [`engine::ledger`] and [`engine::bus`]: append, apply, publish; services meet only on the bus.
//! 5. [`engine::start`]: how the parts are put together. Then the services, each on its own: `scheduler`, `context`,
//!    `caller`, `executor`.
//! 6. [`wire::gemini`]: a whole codec.
//! 7. `ui::app`, from the screen down.

#[cfg(feature = "browser")]
pub mod browser;
pub mod domain;
pub mod engine;
pub mod ui;
pub mod wire;
