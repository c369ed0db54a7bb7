//! The page of Nexus: the adapters of the browser and the screens. `main.rs` puts them together.
//!
//! Nexus is a war room in a browser tab: several AI agents work for one person on one shared mind. This package builds
//! for `wasm32-unknown-unknown` only; what does not need a browser lies in the crates below it, which are tested
//! natively: `cargo test --workspace --exclude nexus`.
//!
//! ```text
//! text ← model ← providers ← engine ← view ← nexus { browser, ui }
//! ```
//!
//! - [`nexus_text`]: algorithms on text: diff, merge, Markdown, JSON. Knows nothing of ours.
//! - [`nexus_model`]: the nouns, commands and events; `decide` and `fold`. Pure: no clock, no async.
//! - [`nexus_providers`]: how models speak. HTTP and bytes as data. Never does I/O.
//! - [`nexus_engine`]: what happens: the ledger, services on its bus, calls of models. Async, over ports; no browser.
//! - [`nexus_view`]: what is shown, without a screen: view models, texts, shortcuts. Never names Leptos.
//! - [`browser`]: the engine's ports in a browser; the only code on `web-sys` besides `ui::hooks`.
//! - [`ui`]: the Leptos components; never calls a port.
//!
//! # A reading order
//!
//! 1. [`nexus_model::turn`] and [`nexus_model::run`]: what a turn and a run are; the turn loop as a state machine.
//! 2. [`nexus_model::event`]: everything that can happen, and its topic.
//! 3. [`nexus_model::decide`] and [`nexus_model::fold`]: commands in, events out, state folded.
//! 4. [`nexus_engine::store::ledger`] and [`nexus_engine::bus`]: append, apply, publish; services meet only on the bus.
//! 5. [`nexus_engine::start`]: how the parts are put together. Then the services, each on its own.
//! 6. [`nexus_providers::gemini`]: a whole codec.
//! 7. [`ui::shell::app`], from the screen down.

pub mod browser;
pub mod ui;
