//! One attempt at a model call: request, raw answer and result.
//!
//! Says so if the request that was rebuilt may differ from the one that was sent.

use crate::ui::inspect::fold::{CopyButton, Disclosure};
use crate::ui::kit::prelude::*;
use nexus_engine::queries::inspect::{AttemptEnd, AttemptReport, RequestMatch, curl, head_of};
use nexus_text::json;
use nexus_view::language::{told, tr};
use nexus_view::local_time::LocalTime;
use nexus_view::strings;
use nexus_view::strings::inspect as own;

#[component]
pub fn AttemptView(
    one: AttemptReport,
    /// For how many days answers are kept.
    raw_days: u64,
) -> impl IntoMarkup {
    let local = expect_context::<LocalTime>();
    let failure = match &one.end {
        AttemptEnd::Failed(failure) => {
            let kind = strings::failure_kind(failure.category);
            Some(format!("{kind}: {}", told(&failure.message)))
        }
        AttemptEnd::Open | AttemptEnd::Answered | AttemptEnd::Closed(_) => None,
    };
    let ended = own::ended(&one);
    let facts = format!(
        "{} · {}{}",
        strings::audit::time(one.asked_at, local),
        ended,
        one.took_ms().map(|ms| format!(" · {}", own::span(ms))).unwrap_or_default(),
    );
    let state = match &one.end {
        AttemptEnd::Open => "open",
        AttemptEnd::Answered => "answered",
        AttemptEnd::Failed(_) => "failed",
        AttemptEnd::Closed(_) => "closed",
    };
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
    // To be read; what is copied is as it was sent.
    let pretty = json::tree(&body).map_or_else(|_| body.clone(), |tree| format!("{tree:#}"));
    let text = format!("{}\n\n{pretty}", head_of(request));
    let agrees = match one.agrees {
        RequestMatch::Yes => "yes",
        RequestMatch::No => "no",
        RequestMatch::Unknown => "unknown",
    };
    let size = strings::size(body.len());
    let head = view! {
        <span class="inspect-block-name">{own::REQUEST}</span>
        <span class="inspect-agrees" data-testid="inspect-agrees" data-agrees=agrees>{own::agrees(one.agrees)}</span>
        <span class="inspect-block-tokens">{size}</span>
    };
    let command = curl(request);
    view! {
        <Disclosure test="inspect-request" head=head.into_markup() text />
        <div class="audit-ways">
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
    let cut = raw.is_cut().then_some(own::RESPONSE_CUT);
    let head = view! {
        <span class="inspect-block-name">{own::RESPONSE}</span>
        <span class="inspect-agrees">{format!("{status}{media_type}")}</span>
        <span class="inspect-block-tokens">{bytes}</span>
    };
    view! {
        <Disclosure test="inspect-response" head=head.into_markup() text=raw.body.clone() />
        <p class="hint" hidden=cut.is_none()>{cut}</p>
        <div class="audit-ways">
            <CopyButton test="inspect-copy-response" title=own::COPY_RESPONSE.get() text=raw.body.clone() />
        </div>
    }
}
