//! The card below a turn that failed or was stopped: reason, advice and retry button.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::page_origin;
use crate::ui::hooks::address::settings_path;
use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::settings::providers::key_form::{KeyFormPlace, WantedKey};
use crate::ui::view_state::Providers;
use nexus_engine::keys::KeyState;
use nexus_model::command::Command;
use nexus_model::id::TurnId;
use nexus_model::provider::failure::{NO_KEY, ProviderErrorKind};
use nexus_model::turn::{Turn, TurnEnd};
use nexus_view::strings;
pub use nexus_view::strings::settings::provider_card as card_words;
use nexus_view::timeline::{PtrEq, TimelineRow};

#[component]
pub fn TurnEnding(#[prop(into)] row: Signal<TimelineRow>) -> impl IntoView {
    let ending = Memo::new(move |_| {
        row.with(|row| match row {
            TimelineRow::Ending { turn, end, retry, has_text } => {
                Some((turn.clone(), *end, *retry, *has_text))
            }
            TimelineRow::Message { .. }
            | TimelineRow::Tool { .. }
            | TimelineRow::Round(_)
            | TimelineRow::Paused { .. }
            | TimelineRow::Unasked { .. }
            | TimelineRow::Held { .. }
            | TimelineRow::Siblings { .. }
            | TimelineRow::Forked { .. }
            | TimelineRow::Ahead { .. }
            | TimelineRow::Compaction { .. }
            | TimelineRow::Unread => None,
        })
    });
    move || {
        let (PtrEq(turn), end, retry, has_text) = ending.get()?;
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

#[component]
fn ErrorCard(turn: Turn, end: TurnEnd, retry: bool, has_text: bool) -> impl IntoView {
    let providers = expect_context::<Providers>();
    let face = AgentBadge::of(Some(&turn.agent));
    let known = providers.get_untracked(&turn.config.provider).map(|row| row.provider);
    let unreachable =
        turn.failure.as_ref().is_some_and(|failure| failure.category == ProviderErrorKind::Unreachable);
    let checks = known.as_ref().filter(|_| unreachable).map(|provider| {
        let checks = strings::reach_checks(provider, &page_origin());
        let checks: Vec<_> = checks.into_iter().map(|check| view! { class="n", <li>{check}</li> }).collect();
        view! { class="n", <ul class="reach-checks" data-testid="reach-checks">{checks}</ul> }
    });
    let dispatch = expect_context::<Dispatch>();
    let known_id = known.as_ref().filter(|known| !known.is_rehearsal()).map(|known| known.id.clone());
    let lacks_key = || {
        let row = providers.get_untracked(&turn.config.provider);
        row.is_some_and(|row| row.key == KeyState::Missing)
    };
    let wants_key = turn.failure.as_ref().is_some_and(|failure| match failure.category {
        ProviderErrorKind::Authentication | ProviderErrorKind::Permission => true,
        ProviderErrorKind::NotSetUp => failure.message == NO_KEY && lacks_key(),
        ProviderErrorKind::Quota
        | ProviderErrorKind::RateLimit
        | ProviderErrorKind::Overloaded
        | ProviderErrorKind::Server
        | ProviderErrorKind::BadRequest
        | ProviderErrorKind::NotFound
        | ProviderErrorKind::ContextOverflow
        | ProviderErrorKind::Blocked
        | ProviderErrorKind::Unreachable
        | ProviderErrorKind::Stalled
        | ProviderErrorKind::CutOff
        | ProviderErrorKind::Garbled
        | ProviderErrorKind::Empty => false,
    });
    let (provider, address) = known
        .map(|provider| (provider.label.clone(), provider.base_url.clone()))
        .unwrap_or_else(|| (turn.config.provider.0.clone(), String::new()));
    let told = match &turn.failure {
        Some(failure) => strings::failure(failure, &provider, &address, &turn.config.model),
        None => strings::ending(end),
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
    let key_form = known_id.filter(|_| retry && wants_key).map(|provider| {
        let then = Callback::new(move |()| try_again(dispatch, id));
        let wanted = WantedKey { provider, verb: card_words::SAVE_AND_RETRY, then };
        view! { class="n", <KeyFormPlace wanted /> }
    });
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
            {key_form}
            <div class="card-actions">
                {(retry && has_text).then(|| view! { class="n", <ContinueButton turn=id /> })}
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
    let told = strings::ending(end);
    let id = turn.id;
    view! { class="n",
        <p class="message-ended" data-testid="stopped" data-agent=turn.agent.0.clone() title=told.advice>
            <span>{told.title}</span>
            {retry.then(|| view! { class="n", <RetryButton turn=id /> })}
        </p>
    }
}

/// Tries a turn again, in the session in view, which may go on from the one that the turn was made in.
fn try_again(dispatch: Dispatch, turn: TurnId) {
    let session = dispatch.session();
    dispatch.send(Command::TryAgain { session, turn, agent: None, config: None, tools: None });
}

/// The way to try a turn again.
#[component]
fn RetryButton(turn: nexus_model::id::TurnId) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    view! { class="n",
        <button
            class="button"
            type="button"
            data-testid="retry"
            on:click=move |_| try_again(dispatch, turn)
        >
            {"Retry"}
        </button>
    }
}

/// The way to let an agent go on with an answer that was cut off.
#[component]
fn ContinueButton(turn: nexus_model::id::TurnId) -> impl IntoView {
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
fn is_for_settings(category: ProviderErrorKind) -> bool {
    match category {
        ProviderErrorKind::Authentication
        | ProviderErrorKind::Permission
        | ProviderErrorKind::Quota
        | ProviderErrorKind::BadRequest
        | ProviderErrorKind::NotFound
        | ProviderErrorKind::ContextOverflow
        | ProviderErrorKind::Unreachable
        | ProviderErrorKind::Garbled
        | ProviderErrorKind::NotSetUp => true,
        ProviderErrorKind::RateLimit
        | ProviderErrorKind::Overloaded
        | ProviderErrorKind::Server
        | ProviderErrorKind::Blocked
        | ProviderErrorKind::Stalled
        | ProviderErrorKind::CutOff
        | ProviderErrorKind::Empty => false,
    }
}
