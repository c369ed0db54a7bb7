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
use nexus_model::message::{CoreNote, Message as Stored};
use nexus_view::strings::chat::message_actions as action_words;
use nexus_view::timeline::{MessageRow, TurnFigures};

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
    let unsupported_attachments = shown.map(move |row| {
        let names = &row.as_ref()?.unsupported_attachments;
        (!names.is_empty()).then(|| action_words::unsupported_attachments(names))
    });
    let results = shown.map_some(move |row| row.results.clone());
    let faults = of(stored, |row| action_words::faults(row.metadata.faults));
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
        |old, new| is_same_content(old.as_ref(), new.as_ref()),
    );
    Some(view! {
        <Show when=move || opens_day.get()><DayHeading at /></Show>
        <article
            class="message" id=format!("message-{id}") data-testid="message" data-role=json::name(&role)
            data-agent=first.agent.as_ref().map(|agent| agent.0.clone()) data-accent=move || badge.accent()
            data-demo=is_demo(&first).then_some("") data-continued=continued.to_string() data-status=move || status.get().map(|status| json::name(&status))
            data-reason=move || reason.get().flatten().map(|reason| json::name(&reason)) aria-busy=move || writing.get().then_some("true")
        >
            {(!continued).then(|| view! { <MessageHeader message=Arc::clone(&first) badge stored=stored /> })}
            {edited(id)}
            {move || unsupported_attachments.get().map(|words| view! {
                <p class="message-note" data-testid="message-unseen">{words}</p>
            })}
            {move || results.get().into_iter().map(node_result).into_markup()}
            <Show when=move || deleted.get() == Some(true)>
                <p class="message-note" data-testid="message-deleted">{action_words::DELETED}</p>
            </Show>
            <MessageContent id role content thinking_open />
            {move || faults.get().into_iter().flatten().map(fault_line).into_markup()}
            <DemoOffer stored=stored />
            {first.metadata.core.as_ref().map(core_note)}
            {first.metadata.origin.as_ref().map(|origin| {
                let origin_text = strings::search::origin(first.source, origin);
                view! { <p class="message-note" data-testid="message-origin">{origin_text}</p> }
            })}
            <Show when=move || unanswered.get()>
                <p class="message-wait">{tr("No agent has answered this yet. It is sent along with your next message.")}</p>
            </Show>
            {move || ends_turn.get().then(|| view! { <TurnFooter id stored=stored used /> })}
            {move || (!ends_turn.get()).then(|| view! { <MessageButtons id stored=stored ends_turn=false /> })}
        </article>
    })
}

fn of<T: PartialEq + Send + Sync + 'static>(
    stored: Selector<Option<PtrEq<Stored>>>,
    read: fn(&Stored) -> T,
) -> Selector<Option<T>> {
    stored.map_some(move |row| Some(read(&row.0)))
}

/// Usage and actions of an agent's turn: once, below its last answer.
#[component]
fn TurnFooter(
    id: MessageId,
    stored: Selector<Option<PtrEq<Stored>>>,
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
            <MessageButtons id stored=stored ends_turn=true />
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

fn core_note(note: &CoreNote) -> Markup {
    let line = |words: String| view! { <p class="message-note" data-testid="core-note">{words}</p> };
    strings::board::core_sync::core_note(note).into_iter().map(line).into_markup()
}

/// Why the turn began: what a check or a terminal put out.
fn node_result(result: Envelope) -> Markup {
    let from = strings::run_graph::from_node(&reveal(result.node_id.as_str()));
    let head = format!("{from} · {}", strings::run_graph::envelope_status(&result.status));
    view! {
        <p class="message-note" data-testid="node-result">{head}</p>
        <pre class="message-data" tabindex="0">{reveal(&translate_template(&result.summary))}</pre>
    }
}

/// A part of the answer that could not be used.
fn fault_line(words: String) -> Markup {
    view! { <p class="message-note" data-testid="message-fault">{words}</p> }
}

fn is_same_content(old: Option<&PtrEq<Stored>>, new: Option<&PtrEq<Stored>>) -> bool {
    old == new || matches!((old, new), (Some(old), Some(new)) if old.0.parts == new.0.parts)
}

#[component]
fn MessageHeader(
    message: Arc<Stored>,
    badge: AgentBadge,
    stored: Selector<Option<PtrEq<Stored>>>,
) -> impl IntoMarkup {
    let &Page { local, settings, .. } = expect_context();
    let operator = settings.text(OPERATOR_NAME);
    let role = message.role;
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
    stored: Selector<Option<PtrEq<Stored>>>,
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
        used.get()?.cost.map(|cost| {
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

fn is_demo(message: &Stored) -> bool {
    message.model.as_deref() == Some(DEMO_MODEL)
}
