//! Placeholder of a lazily loaded screen: loading, failed, retry.
//!
//! `docs/architecture.md` describes how to make a screen lazy.

use futures_util::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;

use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_view::strings::lazy as words;

/// Draws a screen that has come.
pub type RenderFn = fn() -> AnyView;

/// Asks for a part: what is there already comes at once, without a gap on screen.
fn ask_for<T: Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
    place: RwSignal<Option<Result<T, ChunkLoadError>>>,
) {
    let mut coming = load();
    place.set((&mut coming).now_or_never());
    if place.with_untracked(Option::is_none) {
        spawn_local(async move {
            let came = coming.await;
            // Nobody looks any more where the operator has gone on meanwhile.
            place.try_update(|place| *place = Some(came));
        });
    }
}

/// A part of a screen: `None` until it has come. Whoever shows something without it asks again the next time.
pub fn arriving<T: Clone + Send + Sync + 'static>(load: fn() -> LazyFuture<T>) -> Signal<Option<T>> {
    let place = asked(load);
    Signal::derive(move || place.get().and_then(Result::ok))
}

/// The same, and whether it did not come.
pub fn asked<T: Clone + Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
) -> Signal<Option<Result<T, ChunkLoadError>>> {
    let place = RwSignal::new(None);
    ask_for(load, place);
    place.into()
}

/// A screen that is loaded when it is first shown.
#[component]
pub fn LazyView(
    /// Loads it; what has come once is there at once.
    load: fn() -> LazyFuture<RenderFn>,
) -> impl IntoView {
    let screen = RwSignal::new(None);
    let ask = move || ask_for(load, screen);
    ask();
    move || {
        match screen.get() {
        None => {
            view! { class="n", <p class="later" role="status" data-testid="loading">{words::LOADING}</p> }
                .into_any()
        }
        Some(Ok(draw)) => draw(),
        Some(Err(ChunkLoadError)) => view! { class="n",
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
