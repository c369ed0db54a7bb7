//! The inspector screen: a turn's requests, responses, times and costs.
//!
//! Each model call has its figures, the blocks of its context, and its attempts with request, raw response and result.
//! Marks a rebuilt request that may differ from the one that was sent. Never shows an API key, and shows providers'
//! responses as plain text.

use crate::ui::kit::icon::INSPECT;
use crate::ui::prelude::*;
use nexus_engine::queries::inspect::{
    AttemptEnd, AttemptReport, CallReport, ContextBlock, RequestMatch, TurnInspection, curl, head_of, inspect,
};
use nexus_model::job::maintenance::kind_of;
use nexus_model::limits::SHOWN_CHARS;
use nexus_view::strings::chat::message_overrides;
use nexus_view::strings::{audit, inspect as own};

lazy_view!(settings, lazy_inspector, InspectScreen);

/// Delay after a turn closed until its records are stored, in milliseconds.
const STORE_DELAY_MS: u64 = 800;

#[derive(Clone, PartialEq)]
enum InspectState {
    Reading,
    Nothing(&'static str),
    Turn(Arc<TurnInspection>),
}

#[component]
pub fn InspectScreen() -> impl IntoMarkup {
    // A link or a step of history on this screen leads to another turn.
    move || {
        address::track_visits();
        view! { <AddressedTurn /> }
    }
}

#[component]
fn AddressedTurn() -> impl IntoMarkup {
    let turn: Option<TurnId> = address::query_value("turn").and_then(|id| id.parse().ok());
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
    let &Page { dispatch, history, .. } = expect_context();
    let records = history.records();
    let mut news = records.news().ready_chunks(256);
    let read = async move || {
        let read = match inspect(&records, turn).await {
            Ok(Some(inspection)) => InspectState::Turn(Arc::new(inspection)),
            Ok(None) => InspectState::Nothing(own::NOT_HERE.get()),
            Err(_) => InspectState::Nothing(common::UNREADABLE.get()),
        };
        let is_open = matches!(&read, InspectState::Turn(read) if read.turn.closed_at.is_none());
        // Rerendering would fold what the reader unfolded.
        found.set_if_changed(read);
        is_open
    };
    spawn_here(async move {
        while read().await {
            if news.next().await.is_none() {
                return;
            }
        }
        // The last records are stored a moment after the turn closed.
        dispatch.clock().sleep(STORE_DELAY_MS).await;
        read().await;
    });
}

#[component]
fn InspectReport(inspection: Arc<TurnInspection>) -> impl IntoMarkup {
    let &Page { local, .. } = expect_context();
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
            {calls.into_iter().zip(1u32..).map(|(call, number)| view! { <CallView call number raw_days /> })}
        </div>
    }
}

#[component]
pub fn CallView(call: CallReport, number: u32, raw_days: u64) -> impl IntoMarkup {
    let id = format!("call-{number}");
    let heading = id.clone();
    let figures = call.attempts.last().map(|last| figures(&call, last));
    let is_job = call.estimated == 0;
    let missing =
        call.blocks.is_empty().then_some(if is_job { own::ASIDE_CONTEXT } else { own::CONTEXT_GONE });
    let most = call.blocks.iter().map(|block| block.tokens).max().unwrap_or_default().max(1);
    let sum = call.blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.tokens));
    let context = (!is_job).then(|| format!(" · ≈ {}", strings::tokens_with_unit(sum.max(call.estimated))));
    let pictures: Vec<_> = call.omitted_images.iter().map(own::omitted_image).collect();
    let in_short = !call.truncated.is_empty();
    let left_out = (call.omitted_turn_count > 0 || in_short || !pictures.is_empty()).then(|| {
        let line = |block: &ContextBlock| view! { <ContextLine block=block.clone() most /> };
        view! {
            <div class="inspect-left-out" data-testid="inspect-left-out">
                <h4 class="label">{own::LEFT_OUT}</h4>
                {(call.omitted_turn_count > 0).then(|| view! { <p class="hint">{own::left_out(&call)}</p> })}
                {call.omitted_turns.iter().map(line)}
                {in_short.then(|| view! {
                    <p class="hint" data-testid="inspect-summary">{own::truncated_results(&call)}</p>
                })}
                {call.truncated.iter().map(line)}
                {pictures.into_iter().map(|words| view! {
                    <p class="hint" data-testid="inspect-picture-left-out">{words}</p>
                })}
            </div>
        }
    });
    view! {
        <section class="inspect-call" aria-labelledby=id data-testid="inspect-call" data-call=number.to_string()>
            <h3 id=heading>{text!("Call {number}")}</h3>
            {figures}
            <div class="inspect-context" data-testid="inspect-context">
                <h4 class="label">{own::CONTEXT} {context}</h4>
                <p class="hint">{missing.unwrap_or(own::ESTIMATED)}</p>
                {call.blocks.into_iter().map(|block| view! { <ContextLine block most /> })}
                {left_out}
            </div>
            {call.attempts.into_iter().map(|one| view! { <AttemptView one raw_days /> })}
        </section>
    }
}

fn figures(call: &CallReport, last: &AttemptReport) -> Markup {
    let known = |value: Option<String>| value.unwrap_or_else(|| common::UNKNOWN.to_owned());
    let finish = call.finish.as_ref().map(|(finish, raw)| own::finish(*finish, raw.as_deref()));
    let all = [
        (own::FIRST_WORD, "first-token", known(last.first_word_ms().map(own::span))),
        (own::TOOK, "took", known(last.took_ms().map(own::span))),
        (common::SPEED, "speed", known(last.tokens_per_second().map(own::speed))),
        (common::INPUT, "tokens-in", known(own::tokens_in(&last.usage))),
        (common::OUTPUT, "tokens-out", known(own::tokens_out(&last.usage))),
        (own::COST, "cost", known(last.cost.map(strings::money))),
        (own::ENDED, "ended", finish.unwrap_or_else(|| own::ended(last))),
    ];
    let all = all.map(|(name, figure, value)| {
        view! {
            <div class="inspect-figure" data-testid="inspect-figure" data-figure=figure>
                <dt class="label">{name}</dt>
                <dd>{value}</dd>
            </div>
        }
    });
    view! { <dl class="inspect-figures">{all}</dl> }
}

#[component]
fn ContextLine(block: ContextBlock, most: u64) -> impl IntoMarkup {
    let share = format!("{}%", block.tokens.saturating_mul(100).checked_div(most).unwrap_or_default().max(1));
    let tokens = format!("≈ {}", strings::tokens(block.tokens));
    let name = own::block(&block);
    let link = block.turn.map(|turn| {
        view! { <a class="inspect-turn" href=inspect_path(turn)>{icon(INSPECT)}<span class="unseen">{audit::INSPECT}</span></a> }
    });
    let line = move |link: Option<Markup>| {
        view! {
            <span class="inspect-block-name">{name} {link}</span>
            <span class="inspect-share" aria-hidden="true"><i style:inline-size=share></i></span>
            <span class="inspect-block-tokens">{tokens}</span>
        }
    };
    if block.text.is_empty() {
        return view! { <p class="inspect-block">{line(link)}</p> };
    }
    // Beside the heading: a summary must not contain other controls.
    view! {
        <div class="inspect-beside">
            <Disclosure test="inspect-block" head=line(None) text=block.text />
            {link}
        </div>
    }
}

/// A heading that unfolds a text.
#[component]
pub fn Disclosure(test: &'static str, head: Markup, text: String) -> impl IntoMarkup {
    let open = RwSignal::new(false);
    let text = StoredValue::new(text);
    let shown = move || {
        open.get().then(|| {
            let (shown, bytes) =
                text.with_value(|text| (text.chars().take(SHOWN_CHARS).collect::<String>(), text.len()));
            let long = (shown.len() < bytes).then(|| audit::shortened(bytes));
            view! {
                <pre class="inspect-text" tabindex="0" dir="auto">{shown}</pre>
                {long.map(|long| view! { <p class="hint">{long}</p> })}
            }
        })
    };
    view! {
        <details class="inspect-fold" data-testid=test prop:open=open on:toggle=move |event| open.set(dialog::is_details_open(&event))>
            <summary>{head}</summary>
            {shown}
        </details>
    }
}

#[component]
pub fn CopyButton(test: &'static str, title: &'static str, text: String) -> impl IntoMarkup {
    let copied = RwSignal::new(None::<bool>);
    let text = StoredValue::new(text);
    let copy = move |_| {
        spawn_local(async move {
            let Some(text) = text.try_get_value() else { return };
            copied.set(Some(text::copy(&text).await));
        });
    };
    let label = move || match copied.get() {
        None => title,
        Some(true) => audit::COPIED.get(),
        Some(false) => audit::NOT_COPIED.get(),
    };
    button(label).test(test).on_click(copy)
}

#[component]
pub fn AttemptView(one: AttemptReport, raw_days: u64) -> impl IntoMarkup {
    let &Page { local, .. } = expect_context();
    let (state, failure) = match &one.end {
        AttemptEnd::Open => ("open", None),
        AttemptEnd::Answered => ("answered", None),
        AttemptEnd::Failed(failure) => {
            let kind = strings::failure_kind(failure.category);
            ("failed", Some(format!("{kind}: {}", translate_template(&failure.message))))
        }
        AttemptEnd::Closed(_) => ("closed", None),
    };
    let ended = own::ended(&one);
    let facts = format!(
        "{} · {}{}",
        audit::time(one.requested_at, local),
        ended,
        one.took_ms().map(|ms| format!(" · {}", own::span(ms))).unwrap_or_default(),
    );
    let heading = own::attempt(&one);
    view! {
        <article class="inspect-try" data-testid="inspect-try" data-attempt=one.attempt.to_string() data-state=state>
            <header>
                <h4>{heading}</h4>
                <p class="hint">{facts}</p>
            </header>
            {failure.map(|failure| view! { <p class="field-problem" data-testid="inspect-failure">{failure}</p> })}
            {request(&one)}
            {response(&one, raw_days)}
        </article>
    }
}

fn request(one: &AttemptReport) -> Markup {
    let Some(request) = &one.request else {
        return view! { <p class="hint">{own::REQUEST_GONE}</p> };
    };
    let body = request.body.clone().unwrap_or_default();
    // Formatted for reading; the copy is as it was sent.
    let pretty = json::tree(&body).map_or_else(|_| body.clone(), |tree| format!("{tree:#}"));
    let text = format!("{}\n\n{pretty}", head_of(request));
    let agrees = match one.request_match {
        RequestMatch::Yes => "yes",
        RequestMatch::No => "no",
        RequestMatch::Unknown => "unknown",
    };
    let size = strings::size(body.len());
    let head = view! {
        <span class="inspect-block-name">{own::REQUEST}</span>
        <span class="inspect-agrees" data-testid="inspect-agrees" data-agrees=agrees>{own::request_match(one.request_match)}</span>
        <span class="inspect-block-tokens">{size}</span>
    };
    let command = curl(request);
    view! {
        <Disclosure test="inspect-request" head=head.into_markup() text />
        <div class="audit-actions">
            <CopyButton test="inspect-curl" title=own::COPY_CURL.get() text=command />
            <CopyButton test="inspect-body" title=own::COPY_BODY.get() text=body />
        </div>
    }
}

fn response(one: &AttemptReport, raw_days: u64) -> Markup {
    let Some(raw) = &one.raw else {
        let why = own::no_response(one, raw_days);
        return view! { <p class="hint" data-testid="inspect-no-response">{why}</p> };
    };
    let status = raw.status.map_or_else(|| tr("no answer").to_owned(), |status| status.to_string());
    let media_type = raw.media_type.clone().map(|kind| format!(" · {kind}")).unwrap_or_default();
    let bytes = strings::size(usize::try_from(raw.bytes).unwrap_or(usize::MAX));
    let truncated = raw.is_cut().then_some(own::RESPONSE_CUT);
    let head = view! {
        <span class="inspect-block-name">{own::RESPONSE}</span>
        <span class="inspect-agrees">{format!("{status}{media_type}")}</span>
        <span class="inspect-block-tokens">{bytes}</span>
    };
    view! {
        <Disclosure test="inspect-response" head=head.into_markup() text=raw.body.clone() />
        <p class="hint" hidden=truncated.is_none()>{truncated}</p>
        <div class="audit-actions">
            <CopyButton test="inspect-copy-response" title=own::COPY_RESPONSE.get() text=raw.body.clone() />
        </div>
    }
}
