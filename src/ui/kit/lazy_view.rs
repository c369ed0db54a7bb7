//! Declares lazily loaded views beside their components, and shows them: loading, failed, retry.
//!
//! A function marked with `wasm_split`, with everything that only it reaches, becomes a part of the chunk that it names
//! (`xtask/src/split.rs`); calling it loads the chunk. It returns a constructor, not a view, so that the view is created
//! under its caller's owner. All are `fallible`: a panic on a missing file would end the page.

use futures_util::{FutureExt as _, future};
use leptos::task::spawn_local;

use crate::ui::hooks::page;
use crate::ui::hooks::page::dress;
use crate::ui::kit::markup::{IntoMarkup, Markup, component, view};
use crate::ui::kit::selector::{Selector, select_by};
use crate::ui::kit::signal::RwSignal;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_view::strings::common;
use nexus_view::strings::lazy as words;

/// Draws a view without properties.
pub type RenderFn = fn() -> Markup;

/// Loads a view without properties.
pub type LoadView = fn() -> LazyFuture<RenderFn>;

/// Declares the function that loads a component with its chunk and the chunk's stylesheets, and returns what draws it:
/// `lazy_view!(board, lazy_preview, PreviewPanel)`, with properties `lazy_view!(board, lazy_gauge, WindowGauge { agent:
/// AgentKey })`. Stands beside the component, which nothing else outside of the chunk may name.
macro_rules! lazy_view {
    ($chunk:ident, $load:ident, $component:ident $({ $($property:ident: $kind:ty),+ })?) => {
        pub(crate) fn $load() -> nexus_engine::lazy::LazyFuture<fn($($($kind),+)?) -> $crate::ui::kit::markup::Markup> {
            #[wasm_split_helpers::wasm_split($chunk, fallible)]
            fn $load() -> Result<fn($($($kind),+)?) -> $crate::ui::kit::markup::Markup, nexus_engine::lazy::ChunkLoadError> {
                Ok(|$($($property),+)?| $crate::ui::kit::markup::view! { <$component $($($property)+)? /> })
            }
            $crate::ui::kit::lazy_view::dressed(stringify!($chunk), Box::pin($load()))
        }
    };
}
pub(crate) use lazy_view;

/// A part of a chunk, when the stylesheets have come too that `index.html` names `disabled` with this `data-style`.
pub fn dressed<T: 'static>(chunk: &'static str, part: LazyFuture<T>) -> LazyFuture<T> {
    Box::pin(future::join(part, dress(chunk)).map(|(part, ())| part))
}

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

/// A lazily loaded part: `None` until it is loaded. Whoever shows something without it asks again the next time. While
/// the page starts it waits for the first quiet moment, so that the first screen comes before it.
pub fn loaded<T: Clone + Send + Sync + 'static>(load: fn() -> LazyFuture<T>) -> Selector<Option<T>> {
    came(load_state(load))
}

/// The same for what the first screen is drawn with: asked for at once.
pub fn loaded_first<T: Clone + Send + Sync + 'static>(load: fn() -> LazyFuture<T>) -> Selector<Option<T>> {
    let place = RwSignal::new(None);
    ask_for(load, place);
    came(place.into())
}

fn came<T: Clone + Send + Sync + 'static>(
    place: Selector<Option<Result<T, ChunkLoadError>>>,
) -> Selector<Option<T>> {
    select_by(move || place.get().and_then(Result::ok), |_, _| false)
}

/// As [`loaded`], and whether it could not be loaded.
pub fn load_state<T: Clone + Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
) -> Selector<Option<Result<T, ChunkLoadError>>> {
    let place = RwSignal::new(None);
    if page::is_settled() {
        ask_for(load, place);
    } else {
        spawn_local(page::settled().map(move |()| {
            // Who asked may be gone, and the place with them.
            if place.try_with_untracked(Option::is_none).is_some() {
                ask_for(load, place);
            }
        }));
    }
    place.into()
}

/// A view that is loaded when it is first shown.
#[component]
pub fn LazyView(
    /// Loads it; what has come once is there at once.
    load: LoadView,
) -> impl IntoMarkup {
    let screen = RwSignal::new(None);
    let ask = move || ask_for(load, screen);
    ask();
    Markup::Live(Box::new(move |()| match screen.get() {
        None => view! { <p class="later" role="status" data-testid="loading">{words::LOADING}</p> },
        Some(Ok(draw)) => draw(),
        Some(Err(ChunkLoadError)) => view! {
            <main class="later" role="alert" data-testid="not-loaded">
                <h1>{words::NOT_LOADED}</h1>
                <p>{words::NOT_LOADED_ADVICE}</p>
                <button type="button" class="button" data-weight="first" data-testid="load-again" on:click=move |_| ask()>{common::TRY_AGAIN}</button>
            </main>
        },
    }))
}
