//! One model call: its figures, the blocks of its context, and its attempts.

use crate::ui::inspect::attempt::AttemptView;
use crate::ui::inspect::fold::Disclosure;
use crate::ui::kit::icon::INSPECT;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::inspect_path;
use nexus_engine::queries::inspect::{AttemptReport, CallReport, ContextBlock};
use nexus_view::language::text;
use nexus_view::strings;
use nexus_view::strings::inspect as own;

#[component]
pub fn CallView(
    call: CallReport,
    /// Its number, from 1.
    number: u32,
    /// For how many days answers are kept.
    raw_days: u64,
) -> impl IntoMarkup {
    let id = format!("call-{number}");
    let heading = id.clone();
    let figures = call.tries.last().map(|last| figures(&call, last));
    let is_aside = call.estimated == 0;
    let gone =
        call.blocks.is_empty().then_some(if is_aside { own::ASIDE_CONTEXT } else { own::CONTEXT_GONE });
    let most = call.blocks.iter().map(|block| block.tokens).max().unwrap_or_default().max(1);
    let sum = call.blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.tokens));
    let context = (!is_aside).then(|| format!(" · ≈ {}", strings::told_tokens(sum.max(call.estimated))));
    let pictures: Vec<_> = call.pictures_left_out.iter().map(own::picture_left_out).collect();
    let in_short = !call.in_short.is_empty();
    let left_out = (call.left_out_count > 0 || in_short || !pictures.is_empty()).then(|| {
        let short: Vec<_> =
            call.in_short.iter().map(|block| view! { <ContextLine block=block.clone() most /> }).collect();
        let turns: Vec<_> =
            call.left_out.iter().map(|block| view! { <ContextLine block=block.clone() most /> }).collect();
        view! {
            <div class="inspect-left-out" data-testid="inspect-left-out">
                <h4 class="label">{own::LEFT_OUT}</h4>
                {(call.left_out_count > 0).then(|| view! { <p class="hint">{own::left_out(&call)}</p> })}
                {turns}
                {in_short.then(|| view! {
                    <p class="hint" data-testid="inspect-in-short">{own::in_short(&call)}</p>
                })}
                {short}
                {pictures.into_iter().map(|words| view! {
                    <p class="hint" data-testid="inspect-picture-left-out">{words}</p>
                })}
            </div>
        }
    });
    let blocks: Vec<_> = call.blocks.into_iter().map(|block| view! { <ContextLine block most /> }).collect();
    let tries: Vec<_> = call.tries.into_iter().map(|one| view! { <AttemptView one raw_days /> }).collect();
    view! {
        <section class="inspect-call" aria-labelledby=id data-testid="inspect-call" data-call=number.to_string()>
            <h3 id=heading>{text!("Call {number}")}</h3>
            {figures}
            <div class="inspect-context" data-testid="inspect-context">
                <h4 class="label">{own::CONTEXT} {context}</h4>
                <p class="hint">{gone.unwrap_or(own::ESTIMATED)}</p>
                {blocks}
                {left_out}
            </div>
            {tries}
        </section>
    }
}

fn figures(call: &CallReport, last: &AttemptReport) -> Markup {
    let known = |value: Option<String>| value.unwrap_or_else(|| own::UNKNOWN.to_owned());
    let finish = call.finish.as_ref().map(|(finish, raw)| own::finish(*finish, raw.as_deref()));
    let all = [
        (own::FIRST_WORD, "first-token", known(last.first_word_ms().map(own::span))),
        (own::TOOK, "took", known(last.took_ms().map(own::span))),
        (own::SPEED, "speed", known(last.tokens_per_second().map(own::speed))),
        (own::TOKENS_IN, "tokens-in", known(own::tokens_in(&last.usage))),
        (own::TOKENS_OUT, "tokens-out", known(own::tokens_out(&last.usage))),
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

/// A part of the context, with its share.
#[component]
fn ContextLine(block: ContextBlock, most: u64) -> impl IntoMarkup {
    let share = format!("{}%", block.tokens.saturating_mul(100).checked_div(most).unwrap_or_default().max(1));
    let tokens = format!("≈ {}", strings::tokens(block.tokens));
    let name = own::block(&block);
    let way = block.turn.map(|turn| {
        view! { <a class="inspect-turn" href=inspect_path(turn)>{icon(INSPECT)}<span class="unseen">{strings::audit::INSPECT}</span></a> }
    });
    let line = move |way: Option<Markup>| {
        view! {
            <span class="inspect-block-name">{name} {way}</span>
            <span class="inspect-share" aria-hidden="true"><i style:inline-size=share></i></span>
            <span class="inspect-block-tokens">{tokens}</span>
        }
    };
    if block.text.is_empty() {
        return view! { <p class="inspect-block">{line(way)}</p> };
    }
    // Beside the head: what folds holds nothing else that can be pressed.
    view! {
        <div class="inspect-beside">
            <Disclosure test="inspect-block" head=line(None) text=block.text />
            {way}
        </div>
    }
}
