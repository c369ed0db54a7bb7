//! The conversation up to a snapshot: the timeline's rows, read-only.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::kit::agent_badge::AgentBadge;
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
) -> impl IntoView {
    rows.into_iter().filter_map(|(_, row)| drawn(row)).collect::<Vec<_>>()
}

fn drawn(row: TimelineRow) -> Option<AnyView> {
    let line = |words: String| view! { class="n", <p class="then-line">{words}</p> }.into_any();
    match row {
        TimelineRow::Message { message, continued, .. } => Some(message_then(message, continued)),
        TimelineRow::Tool { .. } => {
            Some(view! { class="n", <ToolCard row=Signal::stored(row) /> }.into_any())
        }
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
fn message_then(message: PtrEq<Message>, continued: bool) -> AnyView {
    let PtrEq(row) = &message;
    let (id, role) = (row.id, row.role);
    let face = AgentBadge::of(row.agent.as_ref());
    let accent = row.agent.as_ref().and_then(|_| face.accent());
    let head = (!continued).then(|| head(row, face));
    let content = Signal::stored(Some(message));
    view! { class="n",
        <article class="message" data-testid="then-message" data-role=role_name(role) data-accent=accent data-continued=continued.to_string()>
            {head}
            <MessageContent id role content thinking_open=RwSignal::new(false) />
        </article>
    }
    .into_any()
}

fn head(message: &Arc<Message>, face: AgentBadge) -> AnyView {
    let local = expect_context::<LocalTime>();
    let operator = expect_context::<Settings>().text(OPERATOR_NAME).get_untracked();
    let you = if operator.is_empty() { own::YOU.to_owned() } else { operator };
    let (who, avatar) = match message.role {
        Role::User => (you, "›".to_owned()),
        Role::System => (own::NEXUS.to_owned(), "◇".to_owned()),
        Role::Assistant | Role::Tool => (face.name(), face.emoji()),
    };
    view! { class="n",
        <span class="avatar" aria-hidden="true">{avatar}</span>
        <header class="message-head">
            <span class="message-who">{reveal(&who)}</span>
            <span class="message-meta">{local.clock(message.created_at)}</span>
        </header>
    }
    .into_any()
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Tool => "tool",
    }
}
