//! The page of Nexus, a war room in a browser tab: the browser adapters and the screens. `main.rs` connects them.
//!
//! This package builds for `wasm32-unknown-unknown` only. What needs no browser is in the crates below it, which are
//! tested natively.
//!
//! `docs/architecture.md` lists the crates and what each promises. [`browser`] has the adapters of the engine's ports;
//! the Leptos components of `ui` get ports from `main.rs` (clock, folders, voice, terminals) and never name an adapter.
//!
//! # Where to start
//!
//! 1. `nexus_model::turn` and `nexus_model::run`: the turn loop as a state machine, and what a run is.
//! 2. `nexus_model::event`: everything that can happen, and its topic.
//! 3. `nexus_model::decide` and `nexus_model::fold`: commands in, events out, state folded.
//! 4. `nexus_engine::store::ledger` and `nexus_engine::bus`: append, apply, publish.
//! 5. `nexus_engine::start`: how the engine is put together; then the services, each on its own.
//! 6. `nexus_providers::gemini`: a whole codec.
//! 7. `ui::shell`: the page, from the frame down.

pub mod browser;
pub mod ui;

/// Declares functions that load a value with its chunk: `lazy! { work::lazy_follow: FollowBus = follow; }`.
///
/// The value, and everything that only it reaches, becomes part of the named chunk (`xtask/src/split.rs`). Without the
/// feature `split` it is part of the program.
#[macro_export]
macro_rules! lazy {
    ($($(#[$about:meta])* $chunk:ident::$load:ident: $value:ty = $loaded:expr;)+) => {$(
        $(#[$about])*
        pub(crate) fn $load() -> nexus_engine::lazy::LazyFuture<$value> {
            // `fallible`: a panic on a missing file would end the page.
            #[cfg_attr(feature = "split", wasm_split_helpers::wasm_split($chunk, fallible))]
            fn $load() -> Result<$value, nexus_engine::lazy::ChunkLoadError> {
                Ok($loaded)
            }
            #[cfg(feature = "split")]
            let loading = $load();
            #[cfg(not(feature = "split"))]
            let loading = futures_util::future::ready($load());
            Box::pin(loading)
        }
    )+};
}
