//! The inspector screen: a turn's requests, responses, times and costs.
//!
//! Never shows an API key, and shows providers' responses as plain text.

pub mod call;

use std::time::Duration;

use futures_util::StreamExt as _;

use crate::ui::inspect::call::CallView;
use crate::ui::kit::icon::ScreenBar;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::{HistoryContext, run_path};
use nexus_engine::queries::inspect::{TurnInspection, inspect};
use nexus_model::job::maintenance::kind_of;
use nexus_model::turn::TurnKind;
use nexus_view::audit::pairs_of;
use nexus_view::strings::chat::message_overrides;
use nexus_view::strings::{audit, inspect as own};

lazy_view!(settings, lazy_inspector, InspectScreen);

/// Delay after a turn closed until its records are stored.
const STORE_DELAY: Duration = Duration::from_millis(800);

#[derive(Clone, PartialEq)]
enum InspectState {
    Reading,
    Nothing(&'static str),
    Turn(Arc<TurnInspection>),
}

#[component]
pub fn InspectScreen() -> impl IntoMarkup {
    let query = address::query();
    let turn: Option<TurnId> =
        pairs_of(&query).find(|(name, _)| *name == "turn").and_then(|(_, id)| id.parse().ok());
    let found = RwSignal::new(match turn {
        Some(_) => InspectState::Reading,
        None => InspectState::Nothing(own::NO_TURN.get()),
    });
    if let Some(turn) = turn {
        follow(turn, found);
    }
    let shown = move || match found.get() {
        InspectState::Reading => {
            view! { <p class="inspect-empty" role="status">{audit::READING}</p> }
        }
        InspectState::Nothing(words) => {
            view! { <p class="inspect-empty" data-testid="inspect-nothing" role="status">{words}</p> }
        }
        InspectState::Turn(inspection) => view! { <InspectReport inspection /> },
    };
    view! {
        <main class="inspect" data-testid="inspect">
            <ScreenBar title=own::TITLE children=Markup::Empty />
            {shown}
        </main>
    }
}

/// Reads the turn, and again on each event of its session while it is open.
fn follow(turn: TurnId, found: RwSignal<InspectState>) {
    let records = expect_context::<HistoryContext>().records();
    let read = {
        let records = records.clone();
        async move || {
            let read = match inspect(&records, turn).await {
                Ok(Some(inspection)) => InspectState::Turn(Arc::new(inspection)),
                Ok(None) => InspectState::Nothing(own::NOT_HERE.get()),
                Err(_) => InspectState::Nothing(common::UNREADABLE.get()),
            };
            let is_open = matches!(&read, InspectState::Turn(read) if read.turn.closed_at.is_none());
            // Rerendering would fold what the reader unfolded.
            if found.try_get_untracked().is_some_and(|before| before != read) {
                found.try_set(read);
            }
            is_open
        }
    };
    spawn_here(async move {
        let mut news = records.news().ready_chunks(256);
        while read().await {
            if news.next().await.is_none() {
                return;
            }
        }
        // The last records are stored a moment after the turn closed.
        let (sender, elapsed) = futures_channel::oneshot::channel::<()>();
        set_timeout(move || sender.send(()).unwrap_or_default(), STORE_DELAY);
        if elapsed.await.is_ok() {
            read().await;
        }
    });
}

#[component]
fn InspectReport(inspection: Arc<TurnInspection>) -> impl IntoMarkup {
    let local = expect_context::<LocalTime>();
    let TurnInspection { turn, agent, provider, calls, raw_days, message_permissions: overrides } =
        inspection.as_ref().clone();
    let run = turn.run.map(|run| {
        view! { <a class="button" data-testid="inspect-run" href=run_path(run)>{own::RUN}</a> }
    });
    let cost = turn.cost().map(|cost| format!(" · {}", strings::money(cost))).unwrap_or_default();
    let duration = turn.closed_at.map(|end| end.0.saturating_sub(turn.opened_at.0)).map(own::span);
    let facts = format!(
        "{} · {} · {}{cost}",
        audit::time(turn.opened_at, local),
        strings::count(calls.len(), "call", "calls"),
        duration.unwrap_or_else(|| "open".to_owned()),
    );
    // The demo is one provider with one model.
    let model = match strings::model_name(&turn.config.model) {
        name if name == provider => name,
        name => format!("{provider} · {name}"),
    };
    let end = turn.end.map(strings::ending_short);
    let is_job = turn.kind == TurnKind::Compaction || kind_of(&turn.agent).is_some();
    let none = calls.is_empty().then_some(if is_job { own::ASIDE_GONE } else { own::NO_CALLS });
    let overrides = overrides.map(|overrides| {
        let text = format!("{}: {}", message_overrides::HELD, message_overrides::tools(&overrides));
        view! { <p class="hint" data-testid="inspect-status">{text}</p> }
    });
    let calls: Vec<_> = calls
        .into_iter()
        .zip(1u32..)
        .map(|(call, number)| view! { <CallView call number raw_days /> })
        .collect();
    view! {
        <div class="inspect-parts">
            <header class="inspect-head" data-testid="inspect-head">
                <h2>{agent}</h2>
                <p class="inspect-model">{model}</p>
                <p class="hint">{facts}</p>
                {overrides}
                <span class="tag">{end}</span>
                {run}
            </header>
            <p class="hint" hidden=none.is_none()>{none}</p>
            {calls}
        </div>
    }
}
