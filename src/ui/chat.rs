//! The middle pane: timeline, queue and composer of the session in view. A changed row of the timeline rebuilds no
//! other.

pub mod answer;
pub mod approval_card;
pub mod composer;
pub mod ending;
pub mod keep_going;
pub mod message;
pub mod message_actions;
pub mod message_overrides;
pub mod queue;
pub mod race;
pub mod reading;
pub mod run_summary;
pub mod tool_card;
pub mod turn_menu;
pub mod voice;
pub mod workers;

use crate::ui::agents::gauge::lazy_compaction_mark;
use crate::ui::chat::composer::Composer;
use crate::ui::chat::ending::{lazy_round_card, lazy_turn_card};
use crate::ui::chat::keep_going::draft_button;
use crate::ui::chat::message::MessageView;
use crate::ui::chat::message_actions::MessageActionsSlot;
use crate::ui::chat::queue::lazy_queue;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::chat::run_summary::{ChangesBarSlot, RunSummaryOffer};
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::chat::turn_menu::lazy_branch_row;
use crate::ui::chat::workers::WorkerNeedsSlot;
use crate::ui::prelude::*;
use crate::ui::view_state::Conversation;
use nexus_model::provider::presets::DEMO_OBJECTIVES;
use nexus_view::strings::chat::STARTERS;
use nexus_view::timeline::timeline_above;

#[component]
pub fn Chat() -> impl IntoMarkup {
    let order = expect_context::<&Page>().run.queue.order;
    let has_queue = order.map(move |order| !order.is_empty());
    provide_context(ReadingPosition::new());
    view! {
        <section class="chat" aria-label=tr("Chat")>
            <MessageActionsSlot />
            <TimelineList />
            <WorkerNeedsSlot />
            <Show when=move || has_queue.get()><LazyView load=lazy_queue /></Show>
            <ChangesBarSlot />
            <Composer />
        </section>
    }
}

/// The rows of the session in view, oldest first.
#[component]
pub fn TimelineList() -> impl IntoMarkup {
    let &Page { conversation, notices, .. } = expect_context();
    conversation.set_reader(timeline_above);
    let reading = expect_context::<ReadingPosition>();
    let order = conversation.rows.order;
    let (shown, holds_start) = (reading.shown(), reading.holds_start());
    let is_empty = select(move || conversation.loaded.get() && order.with(Vec::is_empty));
    view! {
        <div
            class="timeline" data-testid="timeline" tabindex="0" role="log" aria-label=tr("Conversation")
            aria-live="off" node_ref=reading.list on:scroll=move |_| reading.scrolled()
        >
            <Show when=move || holds_start.get() && conversation.earlier.with(Option::is_some)>
                <div class="timeline-earlier">
                    {quiet_button(tr("Load earlier turns")).test("load-earlier").on_click(move |_| reading.earlier())}
                </div>
            </Show>
            <Show when=move || is_empty.get()><Welcome /></Show>
            {keyed_list(move || shown.get(), Clone::clone, move |key| row(conversation, &key))}
            <RunSummaryOffer />
            <Show when=move || !reading.follow.at_end.get()>
                {plain_button("button timeline-newest", tr("↓ Latest")).test("timeline-newest").title(tr("Jump to the newest message"))
                    .on_click(move |_| reading.newest())}
            </Show>
        </div>
        // Tells screen readers once that an answer arrived.
        <div class="unseen" role="status" aria-live="polite">{notices.announcement}</div>
    }
}

fn row(conversation: Conversation, key: &TimelineKey) -> Option<Markup> {
    let row = conversation.rows.row(key)?;
    Some(match key {
        TimelineKey::Message(_) => view! { <MessageView row /> },
        TimelineKey::Tool(_) => view! { <ToolCard row /> },
        TimelineKey::Retrying(_) | TimelineKey::Ending(_) | TimelineKey::Waiting(_) => {
            lazy_part_of(lazy_turn_card, row)
        }
        TimelineKey::Round(..) => lazy_part_of(lazy_round_card, row),
        TimelineKey::Siblings(_) | TimelineKey::Forked(_) | TimelineKey::Ahead => {
            lazy_part_of(lazy_branch_row, row)
        }
        TimelineKey::Compaction(_) => lazy_part_of(lazy_compaction_mark, row),
        TimelineKey::Unread => view! {
            <div class="round unread-line" role="separator" data-testid="unread-line">
                <div class="round-lines">{tr("New while you were away")}</div>
            </div>
        },
    })
}

#[component]
fn Welcome() -> impl IntoMarkup {
    let &Page { agents: Agents { demo: is_demo, .. }, sessions: Sessions { read_only, .. }, .. } =
        expect_context();
    let ideas = move || {
        let ideas: Vec<_> = if is_demo.get() {
            DEMO_OBJECTIVES.iter().map(|one| (one.title, one.objective)).collect()
        } else {
            STARTERS.iter().map(|(name, words)| (name.get(), words.get())).collect()
        };
        ideas
            .into_iter()
            .map(|(name, words)| draft_button(name, words).test("idea").disabled(read_only))
            .into_markup()
    };
    view! {
        <div class="timeline-empty">
            <h2>{tr("No messages yet")}</h2>
            <p>
                {tr("Tell the agents what to do. They answer one after another; each sees what the previous one wrote.")}
            </p>
            <div class="timeline-ideas" role="group" aria-label=tr("Ideas to begin with")>{ideas}</div>
            <p class="hint">{tr("Drop files here to work on them. Type / for commands, @ to write to one agent.")}</p>
        </div>
    }
}
