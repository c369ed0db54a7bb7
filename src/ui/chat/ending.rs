//! Cards in the timeline: below a failed or stopped turn, while a call waits for its retry, at the end of a round, and
//! where a run asks the operator.

use crate::ui::hooks::address::page_origin;
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::{KeyFormPlace, WantedKey};
use nexus_model::provider::ProviderErrorKind;
use nexus_model::provider::presets::preset_of;
use nexus_model::turn::{Turn, TurnEnd};
use nexus_view::strings::error_remedy::{SettingsField, field_of, is_for_provider};
use nexus_view::strings::settings::provider_card as card_words;

lazy_view!(codecs, lazy_turn_card, TurnCard { row: Selector<TimelineRow> });

/// A card that is about a model call: loaded with the calls.
#[component]
fn TurnCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let first = row.get_untracked();
    if matches!(first, TimelineRow::Retrying { .. }) {
        view! { <RetryCard row /> }
    } else if matches!(first, TimelineRow::Ending { .. }) {
        view! { <TurnEnding row /> }
    } else {
        view! { <RunPrompt row /> }
    }
}

#[component]
fn TurnEnding(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let ending = row.map(move |row| {
        let TimelineRow::Ending { turn, end, retry, has_text, is_last_of_provider } = row else {
            return None;
        };
        Some((turn.clone(), *end, *retry, *has_text, *is_last_of_provider))
    });
    move || {
        let (PtrEq(turn), end, retry, has_text, is_last_of_provider) = ending.get()?;
        Some(match end {
            TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut => {
                view! { <ErrorCard turn=(*turn).clone() end retry has_text is_last_of_provider /> }
            }
            TurnEnd::Completed | TurnEnd::Cancelled | TurnEnd::Interrupted => {
                view! { <StoppedLine turn=(*turn).clone() end retry /> }
            }
        })
    }
}

#[component]
fn ErrorCard(
    turn: Turn,
    end: TurnEnd,
    retry: bool,
    has_text: bool,
    is_last_of_provider: bool,
) -> impl IntoMarkup {
    let &Page { dispatch, providers, sessions: Sessions { read_only, .. }, world, .. } = expect_context();
    let badge = AgentBadge::of(Some(&turn.agent));
    let known = providers.rows.get_untracked(&turn.config.provider).map(|row| row.provider);
    let unreachable =
        turn.failure.as_ref().is_some_and(|failure| failure.category == ProviderErrorKind::Unreachable);
    let checks = known.as_ref().filter(|_| unreachable).map(|provider| {
        let checks = strings::reach_checks(provider, &page_origin());
        let checks: Vec<_> = checks.into_iter().map(|check| view! { <li>{check}</li> }).collect();
        view! { <ul class="reach-checks" data-testid="reach-checks">{checks}</ul> }
    });
    let known_id = known.as_ref().filter(|known| !known.is_demo()).map(|known| known.id.clone());
    let lacks_key = || {
        let row = providers.rows.get_untracked(&turn.config.provider);
        row.is_some_and(|row| row.key == KeyState::Missing)
    };
    let is_keyless =
        turn.failure.as_ref().is_some_and(|failure| providers.is_keyless(&turn.config.provider, failure));
    let wants_key = turn.failure.as_ref().is_some_and(|failure| {
        matches!(failure.category, ProviderErrorKind::Authentication | ProviderErrorKind::Permission)
            || failure.lacks_key() && lacks_key()
    });
    // Without its provider, nothing else about the call can be changed.
    let field = turn.failure.as_ref().and_then(field_of);
    // The field of the key is hidden until the provider is set to need one.
    let field = if is_keyless { Some(SettingsField::NeedsKey) } else { field };
    let field = field.map(|field| if known.is_some() { field } else { SettingsField::Provider });
    let link = field.map(|field| {
        let at = settings_path_at(&field.id(&turn.agent, &turn.config.provider));
        let label = field.label();
        view! { <a href=at class="quiet" data-testid="error-field">{text!("Settings: {label}")}</a> }
    });
    let asks_provider = turn.failure.as_ref().is_some_and(|failure| is_for_provider(failure.category));
    let page = known.as_ref().filter(|_| asks_provider).and_then(|known| preset_of(known).key_page);
    let page = page.map(|page| {
        let label = tr("Open the provider’s page");
        view! { <a href=page target="_blank" rel="noopener noreferrer" class="quiet">{label}</a> }
    });
    let provider = providers.label_untracked(&turn.config.provider);
    let notice = match &turn.failure {
        Some(failure) => providers.failure_notice(&turn.config.provider, failure, &turn.config.model),
        None => strings::ending(end),
    };
    let raw = turn.failure.as_ref().map(|failure| {
        let status = failure.status.map(|status| format!("HTTP {status} ")).unwrap_or_default();
        let code = failure.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        format!("{status}{code}{}", language::translate_template(&failure.message))
    });
    let answered = turn.failure.as_ref().is_some_and(|failure| failure.status.is_some());
    let whose = if answered { text!("Response of {provider}") } else { tr("Details").to_owned() };
    let (id, session, run) = (turn.id, turn.session, turn.run);
    let key_form = known_id.filter(|_| retry && wants_key && is_last_of_provider).map(|provider| {
        // The other agents of an ended run lacked this key, too. It continues only in its own session.
        let has_ended = move |run: &RunId| {
            let is_here = session == dispatch.session();
            is_here && world.with_untracked(|world| world.run(run).is_some_and(|run| !run.status.is_open()))
        };
        let then = Callback::new(move |()| match run.filter(has_ended) {
            Some(run) => dispatch.send(Command::ContinueRun { run }),
            None => dispatch.try_again(id),
        });
        let wanted = WantedKey { provider, verb: card_words::SAVE_AND_RETRY.get(), then };
        view! { <KeyFormPlace wanted /> }
    });
    view! {
        <div
            class="error-card" data-testid="error-card" data-agent=turn.agent.0.clone()
            data-accent=move || badge.accent() role="group"
        >
            <h3>{move || format!("{}: {}", badge.name(), notice.title)}</h3>
            <p>{notice.advice}</p>
            {checks}
            {raw.filter(|raw| !raw.trim().is_empty())
                .map(|raw| view! {
                    <p class="label">{whose}</p>
                    <pre tabindex="0">{raw}</pre>
                })}
            {key_form}
            <div class="card-actions">
                {(retry && has_text).then(|| button(tr("Continue")).first().test("resume")
                    .disabled(read_only).on_click(move |_| dispatch.send(Command::ContinueAnswer { turn: id })))}
                {retry.then(|| view! { <RetryButton turn=id /> })}
                {link}
                {page}
            </div>
        </div>
    }
}

/// A turn that was stopped or interrupted: not an error, so only a line.
#[component]
fn StoppedLine(turn: Turn, end: TurnEnd, retry: bool) -> impl IntoMarkup {
    let notice = strings::ending(end);
    let id = turn.id;
    view! {
        <p class="message-ended" data-testid="stopped" data-agent=turn.agent.0.clone() title=notice.advice>
            <span>{notice.title}</span>
            {retry.then(|| view! { <RetryButton turn=id /> })}
        </p>
    }
}

#[component]
fn RetryButton(turn: TurnId) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    button(tr("Retry")).test("retry").disabled(read_only).on_click(move |_| dispatch.try_again(turn))
}

lazy_view!(board, lazy_round_card, RoundCard { row: Selector<TimelineRow> });

#[component]
fn RoundCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    move || {
        row.with(|row| {
            let TimelineRow::Round(summary) = row else { return None };
            Some(view! {
                <div class="round" data-testid="round" data-round=summary.round.to_string()>
                    <div class="round-lines">
                        <span>{text!("Round {} · {}", summary.round, summary.changed)}</span>
                        <span>{translate_template(&summary.outcome)}</span>
                        <span>{summary.end.map(strings::rounds_end)}</span>
                    </div>
                </div>
            })
        })
    }
}

#[component]
pub fn RunPrompt(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    move || {
        let row = row.get();
        let (run, notice, used, can_end) = if let TimelineRow::Paused { run, cause, used } = row {
            (run, strings::pause(&cause), cause.is_budget().then(|| strings::used(&used)), true)
        } else {
            let TimelineRow::NotAsked { run, agents } = row else { return None };
            let names: Vec<_> = agents.iter().map(|agent| AgentBadge::of(Some(agent)).name()).collect();
            (run, strings::not_asked(&names), None, false)
        };
        let (card, go_on, go_on_test, end_test) = if used.is_some() {
            ("cap-card", tr("Raise limit and continue"), "cap-raise", "cap-end")
        } else {
            ("run-card", tr("Resume"), "resume", "end-run")
        };
        Some(view! {
            <div class="run-card" data-testid=card role="group">
                <h3>{notice.title}</h3>
                <p>{notice.advice}</p>
                {used.map(|used| view! { <p>{used}</p> })}
                <div class="card-actions">
                    {button(go_on).first().test(go_on_test).disabled(read_only)
                        .on_click(move |_| dispatch.send(Command::ContinueRun { run }))}
                    {can_end.then(|| quiet_button(tr("End run")).test(end_test)
                        .disabled(read_only).on_click(move |_| dispatch.send(Command::EndRun { run })))}
                </div>
            </div>
        })
    }
}

#[component]
fn RetryCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let waiting = row.map(move |row| {
        let TimelineRow::Retrying { turn, agent, provider, retry, failure } = row else { return None };
        Some((*turn, agent.clone(), provider.clone(), *retry, failure.clone()))
    });
    let &Page { dispatch, now, providers, sessions: Sessions { read_only, .. }, .. } = expect_context();
    move || {
        let (turn, agent, provider, retry, failure) = waiting.get()?;
        let badge = AgentBadge::of(Some(&agent));
        let why = strings::retry_reason(failure.as_ref(), &providers.label_untracked(&provider));
        Some(view! {
            <div
                class="run-card" data-testid="retry-card" data-agent=agent.0.clone()
                data-accent=move || badge.accent() role="group"
            >
                <h3>
                    {move || format!("{} ", badge.name())}
                    <span data-testid="retry-countdown">
                        {move || strings::countdown(retry.at, now.get(), retry.attempt)}
                    </span>
                </h3>
                <p>{why}</p>
                <div class="card-actions">
                    {button(tr("Try now")).test("retry-now").disabled(read_only)
                        .on_click(move |_| dispatch.send(Command::RetryNow { turn }))}
                    {quiet_button(tr("Stop waiting")).test("retry-stop").disabled(read_only)
                        .on_click(move |_| dispatch.send(Command::StopWaiting { turn }))}
                </div>
            </div>
        })
    }
}
