//! Never offers anything to do with what was said.
//!
//! Owns what had been said up to a turn: the same rows as the timeline's, to be read only.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::message::{Message, Role};
use crate::domain::text::hidden::reveal;
use crate::domain::timeline::{Row, RowKey, Shared};
use crate::ui::chat::answer::Answer;
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::face::Face;
use crate::ui::local_time::LocalTime;
use crate::ui::view_state::Settings;
use crate::ui::words::{self, past as own};

/// What had been said.
#[component]
pub fn Said(
    /// The rows, oldest first.
    rows: Vec<(RowKey, Row)>,
) -> impl IntoView {
    rows.into_iter().filter_map(|(_, row)| drawn(row)).collect::<Vec<_>>()
}

fn drawn(row: Row) -> Option<AnyView> {
    let line = |words: String| view! { class="n", <p class="then-line">{words}</p> }.into_any();
    match row {
        Row::Message { message, continued, .. } => Some(message_then(message, continued)),
        Row::Tool { .. } => Some(view! { class="n", <ToolCard row=Signal::stored(row) /> }.into_any()),
        Row::Ending { turn, end, .. } => {
            let name = Face::of(Some(&turn.0.agent)).name();
            Some(line(format!("{}: {}", reveal(&name), words::ending_short(end))))
        }
        Row::Compaction { .. } => Some(line(own::COMPACTED.to_owned())),
        Row::Forked { .. } => Some(line(own::FORKED.to_owned())),
        Row::Held { .. }
        | Row::Round(_)
        | Row::Paused { .. }
        | Row::Unasked { .. }
        | Row::Unread
        | Row::Siblings { .. }
        | Row::Ahead { .. } => None,
    }
}

/// A message as it was. What goes on after tools stands below the name above it.
fn message_then(message: Shared<Message>, continued: bool) -> AnyView {
    let Shared(row) = &message;
    let (id, role) = (row.id, row.role);
    let face = Face::of(row.agent.as_ref());
    let accent = row.agent.as_ref().and_then(|_| face.accent());
    let head = (!continued).then(|| head(row, face));
    let content = Signal::stored(Some(message));
    view! { class="n",
        <article class="message" data-testid="then-message" data-role=role_name(role) data-accent=accent data-continued=continued.to_string()>
            {head}
            <Answer id role content thinking_open=RwSignal::new(false) />
        </article>
    }
    .into_any()
}

fn head(message: &Arc<Message>, face: Face) -> AnyView {
    let local = expect_context::<LocalTime>();
    let operator = expect_context::<Settings>().text("operator_name").get_untracked();
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
