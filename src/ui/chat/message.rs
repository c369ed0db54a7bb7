//! A message of the timeline: author, time, model, status and content. Tool calls have their own cards.

use crate::ui::agents::badge::OPERATOR;
use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::keep_going::DemoOffer;
use crate::ui::chat::message_actions::MessageButtons;
use crate::ui::chat::turn_menu::{edited, turn_actions};
use crate::ui::chat::voice::ReadAloud;
use crate::ui::kit::icon::INSPECT;
use crate::ui::kit::selector::select_by;
use crate::ui::prelude::*;
use nexus_view::strings::board::core_sync::core_note;
use nexus_view::strings::chat::message_actions as action_words;
use nexus_view::timeline::{MessageRow, TurnFigures, inbox_notes};

#[component]
pub fn MessageView(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let shown =
        row.map(move |row| if let TimelineRow::Message(row) = row { Some(row.clone()) } else { None });
    let MessageRow { message: PtrEq(first), continued, .. } = shown.get_untracked()?;
    let stored = select(move || shown.get().map(|row| row.message));
    let unanswered = shown.map_some(move |row| row.unanswered);
    let used = shown.map_some(move |row| row.ends_turn);
    let ends_turn = used.map(Option::is_some);
    let opens_day = shown.map_some(move |row| row.opens_day);
    let has_notes =
        shown.map_some(move |row| !row.unsupported_attachments.is_empty() || row.notes_of.is_some());
    let has_more_notes = of(stored, has_more_notes);
    let deleted = of(stored, |row| row.deleted_at.is_some());
    let at = first.created_at;
    let status = of(stored, |row| row.status);
    let writing = select(move || status.get() == Some(MessageStatus::Processing));
    let reason = of(stored, |row| row.failed_reason);
    let badge = AgentBadge::of(first.agent.as_ref());
    let id = first.id;
    let role = first.role;
    // Thinking that the reader opened stays open when the answer completes.
    let thinking_open = RwSignal::new(false);
    // A row also changes when its tools run; its content and the reader's selection in it must stay.
    let content = select_by(
        move || stored.get().filter(|_| !writing.get()),
        |old, new| old == new || matches!((old, new), (Some(old), Some(new)) if old.0.parts == new.0.parts),
    );
    Some(view! {
        <Show when=move || opens_day.get()><DayHeading at /></Show>
        <article
            class="message" id=format!("message-{id}") data-testid="message" data-role=json::name(&role)
            data-agent=first.agent.as_ref().map(|agent| agent.0.clone()) data-accent=move || badge.accent()
            data-demo=is_demo(&first).then_some("") data-continued=continued.to_string() data-status=move || status.get().map(|status| json::name(&status))
            data-reason=move || reason.get().flatten().map(|reason| json::name(&reason)) aria-busy=move || writing.get().then_some("true")
        >
            {(!continued).then(|| view! { <MessageHeader message=Arc::clone(&first) badge stored /> })}
            {edited(id)}
            {move || has_notes.get().then(|| lazy_part_of(lazy_message_notes, row))}
            <Show when=move || deleted.get() == Some(true)>{note("message-deleted", action_words::DELETED)}</Show>
            <MessageContent id role content thinking_open />
            <DemoOffer stored />
            {move || (has_more_notes.get() == Some(true)).then(|| lazy_part_of(lazy_more_notes, row))}
            <Show when=move || unanswered.get()>
                <p class="message-wait">{tr("No agent has answered this yet. It is sent along with your next message.")}</p>
            </Show>
            {move || ends_turn.get().then(|| view! { <TurnFooter id stored used /> })}
            {move || (!ends_turn.get()).then(|| view! { <MessageButtons id stored ends_turn=false /> })}
        </article>
    })
}

fn of<T: PartialEq + Send + Sync + 'static>(
    stored: Selector<Option<PtrEq<Message>>>,
    read: fn(&Message) -> T,
) -> Selector<Option<T>> {
    stored.map_some(move |row| Some(read(&row.0)))
}

/// Usage and actions of an agent's turn: once, below its last answer.
#[component]
fn TurnFooter(
    id: MessageId,
    stored: Selector<Option<PtrEq<Message>>>,
    used: Selector<Option<TurnFigures>>,
) -> impl IntoMarkup {
    let turn = stored.with_some_untracked(|row| row.0.turn);
    let inspect = turn.map(|turn| {
        view! {
            <a
                class="message-inspect" href=inspect_path(turn) data-testid="inspect-turn"
                title=strings::audit::INSPECT aria-label=strings::audit::INSPECT
            >
                {icon(INSPECT)}
            </a>
        }
    });
    view! {
        <footer class="message-foot" data-testid="turn-foot">
            <MessageButtons id stored ends_turn=true />
            <ReadAloud stored />
            {inspect}
            {move || stored.with_some(|row| turn_actions(&row.0))}
            <span class="message-usage" data-testid="message-usage"><UsageLine stored used /></span>
        </footer>
    }
}

#[component]
fn DayHeading(at: Millis) -> impl IntoMarkup {
    let &Page { local, now, .. } = expect_context();
    // At midnight today becomes yesterday.
    let day = select(move || local.day(at, now.get()));
    view! {
        <div class="round day-line" role="separator" data-testid="day">
            <div class="round-lines">{day}</div>
        </div>
    }
}

fn has_more_notes(message: &Message) -> bool {
    let metadata = &message.metadata;
    metadata.core.is_some() || metadata.origin.is_some() || metadata.faults != Default::default()
}

lazy_view!(board, lazy_more_notes, MoreNotes { row: Selector<TimelineRow> });

/// The notes below a message: faults of the answer, what the Core changed, and where the message came from.
#[component]
fn MoreNotes(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let first = row.with_untracked(|row| row.message().cloned())?;
    let faults = row.map(|row| row.message().map(|message| message.metadata.faults));
    let faults = move || {
        let words = faults.get().into_iter().flat_map(action_words::faults);
        words.map(|words| note("message-fault", words)).into_markup()
    };
    let of_core = first.metadata.core.iter().flat_map(core_note).map(|words| note("core-note", words));
    let origin = first.metadata.origin.as_ref();
    let origin = origin.map(|origin| note("message-origin", strings::search::origin(first.source, origin)));
    Some(view! { {faults} {of_core.into_markup()} {origin} })
}

fn note(test: &'static str, words: impl IntoMarkup) -> Markup {
    view! { <p class="message-note" data-testid=test>{words.into_markup()}</p> }
}

lazy_view!(board, lazy_message_notes, MessageNotes { row: Selector<TimelineRow> });

/// The notes above a message: images that the model was not sent, and why the turn began.
#[component]
fn MessageNotes(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { world, .. } = expect_context();
    let shown = row.map(|row| {
        let TimelineRow::Message(row) = row else { return None };
        Some((row.unsupported_attachments.clone(), row.notes_of))
    });
    let turn = shown.map_some(|(_, turn)| *turn);
    let notes = world.select(WorldParts::SESSIONS, move |world| {
        let turn = turn.get().and_then(|turn| world.turn(&turn));
        turn.map(|turn| inbox_notes(world, turn).cloned().collect::<Vec<_>>())
    });
    let unsupported_attachments = move || {
        let names = shown.with_some(|(names, _)| names.clone());
        (!names.is_empty()).then(|| note("message-unseen", action_words::unsupported_attachments(&names)))
    };
    view! {
        {unsupported_attachments}
        {move || notes.get().into_iter().flatten().map(inbox_note).into_markup()}
    }
}

fn inbox_note(from: Envelope) -> Markup {
    let (author, text) = strings::run_graph::inbox_note(&from);
    view! {
        {note("inbox-note", author)}
        <pre class="message-data" tabindex="0">{text}</pre>
    }
}

#[component]
fn MessageHeader(
    message: Arc<Message>,
    badge: AgentBadge,
    stored: Selector<Option<PtrEq<Message>>>,
) -> impl IntoMarkup {
    let &Page { drafts, local, sessions: Sessions { focus, .. }, settings, .. } = expect_context();
    let operator = settings.text(OPERATOR_NAME);
    let (role, draft) = (message.role, DraftField::Edited(message.id));
    let of_core = message.metadata.core.is_some();
    // A task or a report of another agent.
    let by_agent = message.source == Some(Source::Agent) && message.agent.is_some();
    let by_trigger = message.source == Some(Source::Trigger);
    let who = move || match role {
        Role::User if by_agent => badge.name(),
        Role::User if by_trigger => strings::search::TRIGGER.to_owned(),
        Role::User => {
            Some(operator.get()).filter(|name| !name.is_empty()).unwrap_or_else(|| tr("You").to_owned())
        }
        Role::System if of_core => common::CORE.to_owned(),
        Role::System => "Nexus".to_owned(),
        Role::Assistant | Role::Tool => badge.name(),
    };
    let avatar = move || match role {
        Role::User if by_agent => badge.picture(),
        Role::User => icon(OPERATOR),
        Role::System => icon(PROGRAM),
        Role::Assistant | Role::Tool => badge.picture(),
    };
    let label = match (by_agent, message.metadata.report.is_some()) {
        (_, true) => strings::chat::workers::REPORT.get(),
        (true, false) => common::TASK.get(),
        (false, false) => "",
    };
    // Only messages of the operator are edited.
    let has_edit = move || role == Role::User && drafts.slot(focus.get(), &draft).with(Option::is_some);
    let label = move || if has_edit() { strings::tree::UNFINISHED.get() } else { label };
    let is_demo = is_demo(&message);
    let model = message.model.clone().filter(|_| !is_demo);
    view! {
        <span class="avatar" aria-hidden="true">{avatar}</span>
        <header class="message-head">
            <span class="message-who">{who}</span>
            <span class="message-role">{label}</span>
            {is_demo.then(|| view! { <span class="tag" data-kind="rehearsal">{common::DEMO}</span> })}
            <span class="message-meta" title=model>{local.clock(message.created_at)}</span>
            {move || (role != Role::Assistant).then(|| stored.with_some(|row| turn_actions(&row.0)))}
        </header>
    }
}

/// Token usage of a turn, with the estimated cost if the price is known.
#[component]
fn UsageLine(
    stored: Selector<Option<PtrEq<Message>>>,
    used: Selector<Option<TurnFigures>>,
) -> impl IntoMarkup {
    let tokens = move || used.get()?.tokens.map(|(sent, received)| strings::spent_tokens(sent, received));
    let calls = move || {
        used.get().filter(|used| used.calls > 1).map(|used| language::count(used.calls, "call", "calls"))
    };
    let model = move || {
        let answered = stored.with_some(|row| row.0.metadata.answered_by.clone());
        answered.map(|model| action_words::answered_by(&model))
    };
    let money = move || {
        used.get()?.cost.filter(|cost| cost.0 > 0).map(|cost| {
            view! { <span title=strings::ESTIMATE data-testid="message-cost">{strings::money(cost)}</span> }
        })
    };
    view! {
        <span>{tokens}</span>
        <span>{calls}</span>
        <span data-testid="message-model">{model}</span>
        {money}
    }
}

fn is_demo(message: &Message) -> bool {
    message.model.as_deref() == Some(DEMO_MODEL)
}
