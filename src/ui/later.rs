//! Never knows what it loads.
//!
//! Owns what stands in the place of a screen whose part of the program is still on its way, and what is said when it
//! does not come. How a screen becomes such a part is in `docs/architecture.md`.

use futures_util::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::SplitLoaderError;

use crate::engine::parts::{Coming, NotLoaded};
use crate::ui::words::later as words;

/// Draws a screen that has come.
pub type Draw = fn() -> AnyView;

impl From<SplitLoaderError> for NotLoaded {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// A screen that is loaded when it is first shown.
#[component]
pub fn Later(
    /// Loads it; what has come once is there at once.
    load: fn() -> Coming<Draw>,
) -> impl IntoView {
    let screen = RwSignal::new(None);
    let ask = move || {
        let mut coming = load();
        // What is there already is shown without a gap.
        screen.set((&mut coming).now_or_never());
        if screen.with_untracked(Option::is_none) {
            spawn_local(async move {
                let came = coming.await;
                // Nobody looks any more where the operator has gone on meanwhile.
                screen.try_update(|screen| *screen = Some(came));
            });
        }
    };
    ask();
    move || {
        match screen.get() {
        None => {
            view! { class="n", <p class="later" role="status" data-testid="loading">{words::LOADING}</p> }
                .into_any()
        }
        Some(Ok(draw)) => draw(),
        Some(Err(NotLoaded)) => view! { class="n",
            <main class="later" role="alert" data-testid="not-loaded">
                <h1>{words::NOT_LOADED}</h1>
                <p>{words::NOT_LOADED_ADVICE}</p>
                <button type="button" class="button" data-weight="first" data-testid="load-again" on:click=move |_| ask()>{words::AGAIN}</button>
            </main>
        }
        .into_any(),
    }
    }
}
