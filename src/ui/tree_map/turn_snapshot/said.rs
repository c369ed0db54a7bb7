//! The conversation up to a snapshot: the timeline's rows, read-only.

use std::sync::Arc;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::agents::badge::{OPERATOR, PROGRAM};
use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::message::role_name;
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Settings;
use nexus_model::message::{Message, Role};
use nexus_model::settings::schema::OPERATOR_NAME;
use nexus_text::invisible::reveal;
use nexus_view::local_time::LocalTime;
use nexus_view::strings;
use nexus_view::strings::snapshot as own;
use nexus_view::timeline::{PtrEq, TimelineKey, TimelineRow};

/// What had been said.
#[component]
pub fn SnapshotTimeline(
    /// The rows, oldest first.
    rows: Vec<(TimelineKey, TimelineRow)>,
) -> impl IntoMarkup {
    rows.into_iter().filter_map(|(_, row)| drawn(row)).collect::<Vec<_>>()
}

fn drawn(row: TimelineRow) -> Option<Markup> {
    let line = |words: String| view! { <p class="then-line">{words}</p> };
    match row {
        TimelineRow::Message { message, continued, .. } => Some(message_then(message, continued)),
        TimelineRow::Tool { .. } => Some(view! { <ToolCard row=Selector::fixed(row) /> }),
        TimelineRow::Ending { turn, end, .. } => {
            let name = AgentBadge::of(Some(&turn.0.agent)).name();
            Some(line(format!("{}: {}", reveal(&name), strings::ending_short(end))))
        }
        TimelineRow::Compaction { .. } => Some(line(own::COMPACTED.to_owned())),
        TimelineRow::Forked { .. } => Some(line(own::FORKED.to_owned())),
        TimelineRow::Held { .. }
        | TimelineRow::Round(_)
        | TimelineRow::Paused { .. }
        | TimelineRow::Unasked { .. }
        | TimelineRow::Unread
        | TimelineRow::Siblings { .. }
        | TimelineRow::Ahead { .. } => None,
    }
}

/// A message as it was. What goes on after tools stands below the name above it.
fn message_then(message: PtrEq<Message>, continued: bool) -> Markup {
    let PtrEq(row) = &message;
    let (id, role) = (row.id, row.role);
    let face = AgentBadge::of(row.agent.as_ref());
    let accent = row.agent.as_ref().and_then(|_| face.accent());
    let head = (!continued).then(|| head(row, face));
    let content = Selector::fixed(Some(message));
    view! {
        <article class="message" data-testid="then-message" data-role=role_name(role) data-accent=accent data-continued=continued.to_string()>
            {head}
            <MessageContent id role content thinking_open=RwSignal::new(false) />
        </article>
    }
}

fn head(message: &Arc<Message>, face: AgentBadge) -> Markup {
    let local = expect_context::<LocalTime>();
    let operator = expect_context::<Settings>().text(OPERATOR_NAME).get_untracked();
    let you = if operator.is_empty() { own::YOU.to_owned() } else { operator };
    let (who, avatar) = match message.role {
        Role::User => (you, icon(OPERATOR)),
        Role::System => (own::NEXUS.to_owned(), icon(PROGRAM)),
        Role::Assistant | Role::Tool => (face.name(), face.picture()),
    };
    view! {
        <span class="avatar" aria-hidden="true">{avatar}</span>
        <header class="message-head">
            <span class="message-who">{reveal(&who)}</span>
            <span class="message-meta">{local.clock(message.created_at)}</span>
        </header>
    }
}
