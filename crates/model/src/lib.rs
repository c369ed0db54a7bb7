//! The domain model: sessions, turns, runs, minds and agents, with the commands and events that change them.
//!
//! [`decide()`](decide::decide) turns a command into events or rejects it; [`fold()`](fold::fold) applies events to the
//! [`World`](world::World) that is shown.
//!
//! Never performs I/O, awaits, reads a clock, makes ids, or uses JavaScript or Leptos.
//!
//! Start with [`turn`] (the commit, and the turn loop as a state machine), [`session`] and [`run`]; then [`command`],
//! [`event`], [`decide`] and [`fold`]. [`mind`] has the shared state and its merges. A record knows no [`world`]; what
//! reads the world, such as [`context`] and when a [`job`] is due, lies between it and [`decide`].

/// Defines `ALL`, `name` and `named` for an enum without fields: the values in their display order, and the word
/// stored for each.
#[macro_export]
macro_rules! words {
    ($kind:ident { $($value:ident: $word:literal),+ $(,)? }) => {
        impl $kind {
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }

            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == word)
            }
        }
    };
}

use nexus_text::json::is_default;

pub mod agent;
pub mod command;
pub mod context;
pub mod decide;
pub mod dump;
pub mod event;
pub mod fold;
pub mod id;
pub mod job;
pub mod limits;
pub mod llm;
pub mod memory;
pub mod message;
pub mod mind;
pub mod prelude;
pub mod provider;
pub mod run;
pub mod search_index;
pub mod session;
pub mod settings;
pub mod signal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tool;
pub mod turn;
pub mod world;
