//! Never retries by itself.
//!
//! Owns the card below a turn that did not end well: why, what to do, and the way to try again.

use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::failure::FailureCategory;
use crate::domain::timeline::{Row, Shared};
use crate::domain::turn::{Turn, TurnEnd};
use crate::ui::app::settings_path;
use crate::ui::dispatch::Dispatch;
use crate::ui::face::Face;
use crate::ui::hooks::address::page_origin;
use crate::ui::view_state::Providers;
use crate::ui::words;

/// How a turn ended.
#[component]
pub fn Ending(
    /// Its row.
    #[prop(into)]
    row: Signal<Row>,
) -> impl IntoView {
    let ending = Memo::new(move |_| {
        row.with(|row| match row {
            Row::Ending { turn, end, retry, has_text } => Some((turn.clone(), *end, *retry, *has_text)),
            Row::Message { .. }
            | Row::Tool { .. }
            | Row::Round(_)
            | Row::Paused { .. }
            | Row::Unasked { .. }
            | Row::Held { .. }
            | Row::Siblings { .. }
            | Row::Forked { .. }
            | Row::Ahead { .. }
            | Row::Compaction { .. }
            | Row::Unread => None,
        })
    });
    move || {
        let (Shared(turn), end, retry, has_text) = ending.get()?;
        Some(match end {
            TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut => {
                view! { class="n", <ErrorCard turn=(*turn).clone() end retry has_text /> }.into_any()
            }
            TurnEnd::Completed | TurnEnd::Cancelled | TurnEnd::Interrupted => {
                view! { class="n", <StoppedLine turn=(*turn).clone() end retry /> }.into_any()
            }
        })
    }
}

/// A turn that failed.
#[component]
fn ErrorCard(turn: Turn, end: TurnEnd, retry: bool, has_text: bool) -> impl IntoView {
    let providers = expect_context::<Providers>();
    let face = Face::of(Some(&turn.agent));
    let known = providers.get_untracked(&turn.config.provider).map(|row| row.provider);
    let unreachable =
        turn.failure.as_ref().is_some_and(|failure| failure.category == FailureCategory::Unreachable);
    let checks = known.as_ref().filter(|_| unreachable).map(|provider| {
        let checks = words::reach_checks(provider, &page_origin());
        let checks: Vec<_> = checks.into_iter().map(|check| view! { class="n", <li>{check}</li> }).collect();
        view! { class="n", <ul class="reach-checks" data-testid="reach-checks">{checks}</ul> }
    });
    let (provider, address) = known
        .map(|provider| (provider.label.clone(), provider.base_url.clone()))
        .unwrap_or_else(|| (turn.config.provider.0.clone(), String::new()));
    let told = match &turn.failure {
        Some(failure) => words::failure(failure, &provider, &address, &turn.config.model),
        None => words::ending(end),
    };
    let raw = turn.failure.as_ref().map(|failure| {
        let status = failure.status.map(|status| format!("HTTP {status} ")).unwrap_or_default();
        let code = failure.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        format!("{status}{code}{}", failure.message)
    });
    let answered = turn.failure.as_ref().is_some_and(|failure| failure.status.is_some());
    let whose = if answered { format!("What {provider} said") } else { "In detail".to_owned() };
    let in_settings = turn.failure.as_ref().is_some_and(|failure| is_for_settings(failure.category));
    let id = turn.id;
    view! { class="n",
        <div
            class="error-card"
            data-testid="error-card"
            data-agent=turn.agent.0.clone()
            data-accent=move || face.accent()
            role="group"
        >
            <h3>{move || format!("{}: {}", face.name(), told.title)}</h3>
            <p>{told.advice}</p>
            {checks}
            {raw
                .filter(|raw| !raw.trim().is_empty())
                .map(|raw| view! { class="n",
                    <p class="label">{whose}</p>
                    <pre tabindex="0">{raw}</pre>
                })}
            <div class="card-actions">
                {(retry && has_text).then(|| view! { class="n", <GoOnButton turn=id /> })}
                {retry.then(|| view! { class="n", <RetryButton turn=id /> })}
                {in_settings
                    .then(|| {
                        let label = if unreachable { "Test the connection" } else { "Settings" };
                        view! { class="n", <a href=settings_path() class="quiet">{label}</a> }
                    })}
            </div>
        </div>
    }
}

/// A turn that was stopped or interrupted: no failure, so no more than a line.
#[component]
fn StoppedLine(turn: Turn, end: TurnEnd, retry: bool) -> impl IntoView {
    let told = words::ending(end);
    let id = turn.id;
    view! { class="n",
        <p class="message-ended" data-testid="stopped" data-agent=turn.agent.0.clone() title=told.advice>
            <span>{told.title}</span>
            {retry.then(|| view! { class="n", <RetryButton turn=id /> })}
        </p>
    }
}

/// The way to try a turn again.
#[component]
fn RetryButton(turn: crate::domain::id::TurnId) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    view! { class="n",
        <button
            class="button"
            type="button"
            data-testid="retry"
            on:click=move |_| {
                // In the session in view, which may go on from the one that the turn was made in.
                let session = dispatch.session();
                dispatch.send(Command::TryAgain { session, turn, agent: None, config: None, tools: None });
            }
        >
            {"Retry"}
        </button>
    }
}

/// The way to let an agent go on with an answer that was cut off.
#[component]
fn GoOnButton(turn: crate::domain::id::TurnId) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    view! { class="n",
        <button
            class="button"
            type="button"
            data-weight="first"
            data-testid="go-on"
            on:click=move |_| dispatch.send(Command::ContinueAnswer { turn })
        >
            {"Go on"}
        </button>
    }
}

/// Whether the cure lies in the settings.
fn is_for_settings(category: FailureCategory) -> bool {
    match category {
        FailureCategory::Authentication
        | FailureCategory::Permission
        | FailureCategory::Quota
        | FailureCategory::BadRequest
        | FailureCategory::NotFound
        | FailureCategory::ContextOverflow
        | FailureCategory::Unreachable
        | FailureCategory::Garbled
        | FailureCategory::NotSetUp => true,
        FailureCategory::RateLimit
        | FailureCategory::Overloaded
        | FailureCategory::Server
        | FailureCategory::Blocked
        | FailureCategory::Stalled
        | FailureCategory::CutOff
        | FailureCategory::Empty => false,
    }
}
