//! Never shows a key, and never makes HTML of what a provider sent.
//!
//! Owns the inspector: what a turn asked its model, what came back, what that took and cost.

pub mod attempt;
pub mod call;
pub mod fold;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, Abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::archivist::pass::kind_of;
use crate::domain::audit::pairs_of;
use crate::domain::id::TurnId;
use crate::domain::turn::TurnKind;
use crate::engine::inspect::{Inspection, inspect};
use crate::ui::app::home_path;
use crate::ui::brand::Brand;
use crate::ui::inspect::call::Call;
use crate::ui::local_time::LocalTime;
use crate::ui::look_back::{LookBack, opened_with, run_path};
use crate::ui::words::{self, audit, inspect as own, overriding};

/// After a turn has closed, so long until what came of it is kept.
const KEPT: Duration = Duration::from_millis(800);

/// What was found.
#[derive(Clone, PartialEq)]
enum Found {
    Reading,
    /// Words in the place of a turn.
    Nothing(&'static str),
    Turn(Arc<Inspection>),
}

/// The inspector.
#[component]
pub fn InspectScreen() -> impl IntoView {
    let query = opened_with();
    let turn: Option<TurnId> =
        pairs_of(&query).find(|(name, _)| *name == "turn").and_then(|(_, id)| id.parse().ok());
    let found = RwSignal::new(match turn {
        Some(_) => Found::Reading,
        None => Found::Nothing(own::NO_TURN),
    });
    if let Some(turn) = turn {
        follow(turn, found);
    }
    let shown = move || {
        match found.get() {
        Found::Reading => view! { class="n", <p class="inspect-empty" role="status">{audit::READING}</p> }.into_any(),
        Found::Nothing(words) => {
            view! { class="n", <p class="inspect-empty" data-testid="inspect-nothing" role="status">{words}</p> }.into_any()
        }
        Found::Turn(inspection) => view! { class="n", <Report inspection /> }.into_any(),
    }
    };
    view! { class="n",
        <main class="inspect" data-testid="inspect">
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=own::BACK><Brand /></a>
                <h1>{own::TITLE}</h1>
                <a href=home_path() class="button">{own::BACK}</a>
            </header>
            {shown}
        </main>
    }
}

/// Reads the turn, and again whenever something happens in its session while it is open.
fn follow(turn: TurnId, found: RwSignal<Found>) {
    let records = expect_context::<LookBack>().records();
    let read = {
        let records = records.clone();
        async move || {
            let read = match inspect(&records, turn).await {
                Ok(Some(inspection)) => Found::Turn(Arc::new(inspection)),
                Ok(None) => Found::Nothing(own::NOT_HERE),
                Err(_) => Found::Nothing(own::UNREADABLE),
            };
            let is_open = matches!(&read, Found::Turn(read) if read.turn.closed_at.is_none());
            // What is drawn anew folds what its reader had unfolded.
            if found.try_get_untracked().is_some_and(|before| before != read) {
                found.try_set(read);
            }
            is_open
        }
    };
    let (abort, registration) = AbortHandle::new_pair();
    let work = async move {
        let mut news = records.news().ready_chunks(256);
        while read().await {
            if news.next().await.is_none() {
                return;
            }
        }
        // What came is put down a moment after the turn has closed.
        let (tell, told) = futures_channel::oneshot::channel::<()>();
        set_timeout(move || tell.send(()).unwrap_or_default(), KEPT);
        if told.await.is_ok() {
            read().await;
        }
    };
    spawn_local(async move {
        // Aborted when the screen goes away.
        Abortable::new(work, registration).await.unwrap_or_default();
    });
    on_cleanup(move || abort.abort());
}

#[component]
fn Report(inspection: Arc<Inspection>) -> impl IntoView {
    let local = expect_context::<LocalTime>();
    let Inspection { turn, agent, provider, calls, raw_days, said } = inspection.as_ref().clone();
    let run = turn.run.map(|run| {
        view! { class="n", <a class="button" data-testid="inspect-run" href=run_path(run)>{own::RUN}</a> }
    });
    let cost = turn.cost().map(|cost| format!(" · {}", words::money(cost))).unwrap_or_default();
    let took = turn.closed_at.map(|end| end.0.saturating_sub(turn.opened_at.0)).map(own::span);
    let facts = format!(
        "{} · {} · {}{cost}",
        audit::time(turn.opened_at, local),
        words::count(calls.len(), "call", "calls"),
        took.unwrap_or_else(|| "open".to_owned()),
    );
    let end = turn.end.map(words::ending_short);
    let is_aside = turn.kind == TurnKind::Compaction || kind_of(&turn.agent).is_some();
    let none = calls.is_empty().then_some(if is_aside { own::ASIDE_GONE } else { own::NO_CALLS });
    let said = said.map(|said| {
        let told = format!("{}: {}", overriding::HELD, overriding::tools(&said));
        view! { class="n", <p class="hint" data-testid="inspect-said">{told}</p> }
    });
    let calls: Vec<_> = calls
        .into_iter()
        .zip(1u32..)
        .map(|(call, number)| view! { class="n", <Call call number raw_days /> })
        .collect();
    view! { class="n",
        <div class="inspect-parts">
            <header class="inspect-head" data-testid="inspect-head">
                <h2>{agent}</h2>
                <p class="inspect-model">{format!("{provider} · {}", turn.config.model)}</p>
                <p class="hint">{facts}</p>
                {said}
                <span class="tag">{end}</span>
                {run}
            </header>
            <p class="hint" hidden=none.is_none()>{none}</p>
            {calls}
        </div>
    }
}
