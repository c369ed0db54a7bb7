//! Declares lazily loaded views beside their components, and shows them: loading, failed, retry.
//!
//! A lazy function returns a constructor, not a view, so that the view is created under its caller's owner.

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt as _, future};

use crate::ui::hooks::page;
use crate::ui::hooks::page::load_stylesheets;
use crate::ui::kit::base::*;
use crate::ui::kit::markup::{IntoMarkup, Markup, component, view};
use crate::ui::kit::selector::select_by;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_view::strings::common;
use nexus_view::strings::lazy as words;

/// Loads a view without properties.
pub type LoadView = fn() -> LazyFuture<fn() -> Markup>;

/// Loads a view with one property.
type LoadViewOf<P> = fn() -> LazyFuture<fn(P) -> Markup>;

/// Declares the function that loads a component with its chunk and the chunk's stylesheets, and returns its
/// constructor: `lazy_view!(board, lazy_preview, PreviewPanel)`, with properties `lazy_view!(board, lazy_gauge,
/// WindowGauge { agent: AgentKey })`. Declare it beside the component, which nothing outside of the chunk may name.
macro_rules! lazy_view {
    ($chunk:ident, $load:ident, $component:ident $({ $($property:ident: $kind:ty),+ })?) => {
        pub(crate) fn $load() -> nexus_engine::lazy::LazyFuture<fn($($($kind),+)?) -> $crate::ui::kit::markup::Markup> {
            $crate::lazy! {
                $chunk::$load: fn($($($kind),+)?) -> $crate::ui::kit::markup::Markup =
                    |$($($property),+)?| $crate::ui::kit::markup::view! { <$component $($($property)+)? /> };
            }
            $crate::ui::kit::lazy_view::with_stylesheets(stringify!($chunk), $load())
        }
    };
}
pub(crate) use lazy_view;

/// Completes with `part` once the stylesheets of `index.html` with this `data-style` are loaded too.
pub fn with_stylesheets<T: 'static>(chunk: &'static str, part: LazyFuture<T>) -> LazyFuture<T> {
    Box::pin(future::join(part, load_stylesheets(chunk)).map(|(part, ())| part))
}

/// Loads a part: a loaded one is available at once, without a flash.
fn start_loading<T: Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
    state: RwSignal<Option<Result<T, ChunkLoadError>>>,
) {
    let loading = load().map(move |result| {
        state.update(|state| *state = Some(result));
    });
    if is_pending(Box::pin(loading)) {
        state.set(None);
    }
}

/// Runs a task. False if it ended at once.
fn is_pending(mut task: LocalBoxFuture<'static, ()>) -> bool {
    let is_pending = (&mut task).now_or_never().is_none();
    if is_pending {
        spawn_local(task);
    }
    is_pending
}

/// Calls `start` in the first idle moment of the page.
fn when_settled(start: Box<dyn FnOnce()>) {
    if page::is_settled() {
        start();
    } else {
        spawn_local(page::settled().map(|()| start()));
    }
}

/// A lazily loaded part: `None` until it is loaded; a failed load is retried by the next caller. During startup it
/// waits for the first idle moment, so that the first screen comes first.
pub fn loaded<T: Clone + Send + Sync + 'static>(load: fn() -> LazyFuture<T>) -> Selector<Option<T>> {
    ok_of(load_state(load))
}

/// Like `loaded`, for the first screen: loads at once.
pub fn loaded_first<T: Clone + Send + Sync + 'static>(load: fn() -> LazyFuture<T>) -> Selector<Option<T>> {
    let state = RwSignal::new(None);
    start_loading(load, state);
    ok_of(state)
}

fn ok_of<T: Clone + Send + Sync + 'static>(
    state: RwSignal<Option<Result<T, ChunkLoadError>>>,
) -> Selector<Option<T>> {
    select_by(move || state.get().and_then(Result::ok), |_, _| false)
}

/// Like [`loaded`], and whether loading failed.
pub fn load_state<T: Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
) -> RwSignal<Option<Result<T, ChunkLoadError>>> {
    let state = RwSignal::new(None);
    when_settled(Box::new(move || {
        // The component may be gone, and its signal with it.
        if state.try_with_untracked(Option::is_none).is_some() {
            start_loading(load, state);
        }
    }));
    state
}

/// A part of a screen that is loaded when it is first shown, such as a card of the timeline. If it cannot be loaded, a
/// line says so and offers to try again.
pub fn lazy_part<T: Clone + Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
    draw: impl Fn(T) -> Markup + Send + 'static,
) -> Markup {
    let part = load_state(load);
    Markup::Live(Box::new(move |()| match part.get() {
        None => Markup::Empty,
        Some(Ok(part)) => draw(part),
        Some(Err(ChunkLoadError)) => part_not_loaded(Box::new(move || start_loading(load, part))),
    }))
}

/// Like [`lazy_part`], but nothing until it is loaded, and if it cannot be.
pub fn lazy_slot<T: Clone + Send + Sync + 'static>(
    load: fn() -> LazyFuture<T>,
    draw: impl Fn(T) -> Markup + Send + 'static,
) -> Markup {
    let part = load_state(load);
    Markup::Live(Box::new(move |()| part.get().and_then(Result::ok).map_or(Markup::Empty, &draw)))
}

/// A [`lazy_part`] with one property.
pub fn lazy_part_of<P: Copy + Send + Sync + 'static>(load: LoadViewOf<P>, property: P) -> Markup {
    lazy_part(load, move |draw| draw(property))
}

#[inline(never)]
fn part_not_loaded(load_again: Box<dyn Fn() + Send>) -> Markup {
    view! {
        <p class="message-ended" role="alert" data-testid="not-loaded">
            <span title=words::NOT_LOADED_ADVICE.get()>{words::PART_NOT_LOADED}</span>
            <button type="button" class="button" data-testid="load-again" on:click=move |_| load_again()>{common::TRY_AGAIN}</button>
        </p>
    }
}

/// A view that is loaded when it is first shown.
#[component]
pub fn LazyView(load: LoadView) -> impl IntoMarkup {
    let screen = RwSignal::new(None);
    let ask = move || start_loading(load, screen);
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
