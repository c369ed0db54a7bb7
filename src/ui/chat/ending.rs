//! Cards in the timeline: below a failed or stopped turn, while a call waits for its retry, at the end of a round, and
//! where a run asks the operator.

use crate::ui::chat::reading::ReadingPosition;
use crate::ui::hooks::address::page_origin;
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::{WantedKey, key_form};
use nexus_model::provider::presets::preset_of;
use nexus_model::provider::{ProviderError, ProviderErrorKind};
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
    move || {
        let TimelineRow::Ending { turn: PtrEq(turn), end, retry, has_text, is_last_of_provider } = row.get()
        else {
            return None;
        };
        Some(match end {
            TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut => {
                view! { <ErrorCard turn end retry has_text is_last_of_provider /> }
            }
            TurnEnd::Completed | TurnEnd::Cancelled | TurnEnd::Interrupted => {
                view! { <StoppedLine turn end retry /> }
            }
        })
    }
}

#[component]
fn ErrorCard(
    turn: Arc<Turn>,
    end: TurnEnd,
    retry: bool,
    has_text: bool,
    is_last_of_provider: bool,
) -> impl IntoMarkup {
    let &Page { dispatch, providers, world, .. } = expect_context();
    let (disabled, show_newest) = (cannot_ask(turn.run), newest_row());
    let badge = AgentBadge::of(Some(&turn.agent));
    let known = providers.rows.get_untracked(&turn.config.provider).map(|row| row.provider);
    let failure = turn.failure.as_ref();
    let category = failure.map(|failure| failure.category);
    let unreachable = category == Some(ProviderErrorKind::Unreachable);
    let checks = known.as_ref().filter(|_| unreachable).map(|provider| {
        let checks = strings::reach_checks(provider, &page_origin());
        let checks = checks.into_iter().map(|check| view! { <li>{check}</li> });
        view! { <ul class="reach-checks" data-testid="reach-checks">{checks}</ul> }
    });
    let known_id = known.as_ref().filter(|known| !known.is_demo()).map(|known| known.id.clone());
    let is_keyless = failure.is_some_and(|failure| providers.is_keyless(&turn.config.provider, failure));
    let is_rejected =
        matches!(category, Some(ProviderErrorKind::Authentication | ProviderErrorKind::Permission));
    let wants_key = is_rejected || failure.is_some_and(ProviderError::lacks_key);
    // Without its provider, nothing else about the call can be changed.
    let field = failure.and_then(field_of);
    // The field of the key is hidden until the provider is set to need one.
    let field = if is_keyless { Some(SettingsField::NeedsKey) } else { field };
    let field = field.map(|field| if known.is_some() { field } else { SettingsField::Provider });
    let key = providers.key_state(turn.config.provider.clone());
    let (agent, of_provider) = (turn.agent.clone(), turn.config.provider.clone());
    let link = move || {
        let field = field?;
        let is_locked = field == SettingsField::ApiKey && key.get() == Some(KeyState::Locked);
        let (id, label) = if is_locked {
            (format!("key-{of_provider}-unlock"), card_words::PASSPHRASE)
        } else {
            (field.id(&agent, &of_provider), field.label())
        };
        let at = settings_path_at(&id);
        Some(view! { <a href=at class="quiet" data-testid="error-field">{text!("Settings: {label}")}</a> })
    };
    let asks_provider = category.is_some_and(is_for_provider);
    let page = known.as_ref().filter(|_| asks_provider).and_then(|known| preset_of(known).key_page);
    let page = page.map(|page| {
        let label = tr("Open the provider’s page");
        view! { <a href=page target="_blank" rel="noopener noreferrer" class="quiet">{label}</a> }
    });
    let provider = providers.label_untracked(&turn.config.provider);
    let notice = match failure {
        Some(failure) => providers.failure_notice(&turn.config.provider, failure, &turn.config.model),
        None => strings::ending(end),
    };
    let raw = failure.map(|failure| {
        let status = failure.status.map(|status| format!("HTTP {status} ")).unwrap_or_default();
        let code = failure.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        format!("{status}{code}{}", language::translate_template(&failure.message))
    });
    let answered = failure.is_some_and(|failure| failure.status.is_some());
    let whose = if answered { text!("Response of {provider}") } else { tr("Details").to_owned() };
    let (id, session, run) = (turn.id, turn.session, turn.run);
    let form = known_id.filter(|_| retry && wants_key && is_last_of_provider).map(|provider| {
        // The other agents of an ended run lacked this key, too. It continues only in its own session.
        let has_ended = move |run: &RunId| {
            let is_here = session == dispatch.session();
            is_here && world.with_untracked(|world| world.run(run).is_some_and(|run| !run.status.is_open()))
        };
        let then = Callback::new(move |()| match run.filter(has_ended) {
            Some(run) => dispatch.send_done(Command::ContinueRun { run }, show_newest),
            None => dispatch.try_again(id, show_newest),
        });
        // A key that was missing or locked may be entered or unlocked elsewhere; a rejected one must be replaced. Any
        // other change leaves what is typed here.
        let wanted = select(move || match key.get() {
            Some(KeyState::Locked) if !is_rejected => Some((true, card_words::UNLOCK_AND_RETRY)),
            state => (is_rejected || state == Some(KeyState::Missing))
                .then_some((false, card_words::SAVE_AND_RETRY)),
        });
        move || {
            let (is_locked, verb) = wanted.get()?;
            let (provider, verb) = (provider.clone(), verb.get());
            Some(key_form(WantedKey { provider, prefix: "card", is_locked, verb, then }))
        }
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
            {form}
            <div class="card-actions">
                {(retry && has_text).then(|| button(tr("Continue")).first().test("resume").disabled(disabled)
                    .on_click(move |_| dispatch.send_done(Command::ContinueAnswer { turn: id }, show_newest)))}
                {retry.then(|| view! { <RetryButton turn=id run /> })}
                {link}
                {page}
            </div>
        </div>
    }
}

/// A turn that was stopped or interrupted: not an error, so only a line.
#[component]
fn StoppedLine(turn: Arc<Turn>, end: TurnEnd, retry: bool) -> impl IntoMarkup {
    let notice = strings::ending(end);
    let (id, run) = (turn.id, turn.run);
    view! {
        <p class="message-ended" data-testid="stopped" data-agent=turn.agent.0.clone() title=notice.advice>
            <span>{notice.title}</span>
            {retry.then(|| view! { <RetryButton turn=id run /> })}
        </p>
    }
}

#[component]
fn RetryButton(turn: TurnId, run: Option<RunId>) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let (disabled, show_newest) = (cannot_ask(run), newest_row());
    button(tr("Retry"))
        .test("retry")
        .disabled(disabled)
        .on_click(move |_| dispatch.try_again(turn, show_newest))
}

/// True while no agent can be asked again: the session is read-only, or agents work in another run than `own`, which
/// takes its failed turns up again.
fn cannot_ask(own: Option<RunId>) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
    let &Page { run: RunView { run, is_working, .. }, sessions, .. } = expect_context();
    move || {
        let works_elsewhere = is_working.get() && run.with_some(|run| Some(run.id)) != own;
        sessions.read_only.get() || works_elsewhere
    }
}

/// Scrolls to the newest row: the new answer appears there, however old the card is that asked for it.
fn newest_row() -> impl Fn() + Copy + Send + Sync + 'static {
    let reading = expect_context::<ReadingPosition>();
    move || reading.newest()
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
    let disabled = cannot_ask(None);
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
                    {button(go_on).first().test(go_on_test).disabled(disabled)
                        .on_click(move |_| dispatch.send(Command::ContinueRun { run }))}
                    {can_end.then(|| quiet_button(tr("End run")).test(end_test)
                        .disabled(read_only).on_click(move |_| dispatch.send_to_end(Command::EndRun { run })))}
                </div>
            </div>
        })
    }
}

#[component]
fn RetryCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, now, providers, sessions: Sessions { read_only, .. }, .. } = expect_context();
    move || {
        let TimelineRow::Retrying { turn, agent, provider, retry, failure } = row.get() else { return None };
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
                        .on_click(move |_| dispatch.send_to_end(Command::StopWaiting { turn }))}
                </div>
            </div>
        })
    }
}
