//! Never takes a message out of the queue by itself.
//!
//! Owns the strip of messages that wait for the run to end, each with what is to happen to it, and that choice for the
//! next message. What is typed into a waiting message is a draft of its own until it is kept.

use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::draft::DraftField;
use crate::domain::id::QueueItemId;
use crate::domain::session::{QUEUE_MODE_SETTING, QueueMode, Target};
use crate::ui::dispatch::Dispatch;
use crate::ui::each::Each;
use crate::ui::face::Face;
use crate::ui::hooks::focus;
use crate::ui::view_state::{DraftState, Drafts, NoticeKind, Notices, QueueRow, RunView, Sessions, Settings};
use crate::ui::words;
use crate::ui::words::overriding::held as held_words;
use crate::ui::words::queue as own;

/// The messages that wait, in their order.
#[component]
pub fn Queue() -> impl IntoView {
    let run = expect_context::<RunView>();
    let order = run.queue_order();
    let row = move |id: QueueItemId| run.queue_row(&id).map(|row| view! { class="n", <Item id row /> });
    view! { class="n",
        <div class="queue" role="list" aria-label=own::WAITING data-testid="queue">
            <Each each=move || order.get() key=Clone::clone children=row />
        </div>
    }
}

/// A message that waits.
#[component]
fn Item(id: QueueItemId, row: Signal<QueueRow>) -> impl IntoView {
    let (dispatch, run) = (expect_context::<Dispatch>(), expect_context::<RunView>());
    let (notices, sessions) = (expect_context::<Notices>(), expect_context::<Sessions>());
    let read_only = sessions.read_only();
    let (session, name) = (dispatch.session(), DraftField::Queued(id));
    let field = dispatch.field(&name);
    let editing = Memo::new(move |_| field.state.get() != DraftState::Kept);
    // Taken while it is changed: what was typed is not lost with it.
    let (drafts, kept) = (expect_context::<Drafts>(), name.clone());
    on_cleanup(move || {
        let in_view = sessions.focus().try_get_untracked() == Some(session);
        let waits = run.queue_order().try_with_untracked(|order| order.contains(&id)).unwrap_or(true);
        let typed = drafts.slot(session, &kept).get_untracked().map(|typing| typing.text);
        let Some(typed) = typed.filter(|_| in_view && !waits) else { return };
        let was = row.try_get_untracked().map(|row| row.text).unwrap_or_default();
        dispatch.discard_draft(&kept);
        if typed.trim().is_empty() || *typed == *was {
            return;
        }
        let before = drafts.slot(session, &DraftField::Composer).get_untracked();
        let text = match before {
            Some(before) if !before.text.trim().is_empty() => format!("{}\n{typed}", before.text),
            Some(_) | None => typed.to_string(),
        };
        dispatch.type_into(&DraftField::Composer, &text);
        notices.tell(NoticeKind::Word, own::TAKEN, own::TAKEN_ADVICE);
    });
    let whom = move || match row.get().target {
        Target::All => own::TO_ALL.to_owned(),
        Target::Agents(agents) => {
            let names: Vec<_> = agents.iter().map(|agent| Face::of(Some(agent)).name()).collect();
            own::to(&words::names(&names))
        }
    };
    let held = move || {
        let told = row.with(|row| held_words(&row.over));
        (!told.is_empty())
            .then(|| view! { class="n", <span class="over-chip" data-testid="queue-over">{told}</span> })
    };
    let mode = Memo::new(move |_| row.with(|row| row.mode));
    let set_mode = move |mode: QueueMode| dispatch.send(Command::SetQueueMode { item: id, mode });
    let edit = move |_| field.typed(&row.get_untracked().text);
    let button = format!("queue-edit-{id}");
    let back = button.clone();
    let leave = move || {
        field.discard();
        focus::soon(back.clone());
    };
    let leave = StoredValue::new(leave);
    let keep = move || {
        let text = field.text.get_untracked().to_string();
        dispatch.edit_queued(id, text, move |kept| {
            if kept {
                leave.with_value(|leave| leave());
            }
        });
    };
    let area = NodeRef::<Textarea>::new();
    Effect::new(move |_| {
        if let Some(area) = area.get() {
            // A field that is gone already needs no focus.
            drop(area.focus());
        }
    });
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        _ if event.is_composing() => {}
        "Enter" if !event.shift_key() && !event.alt_key() => {
            event.prevent_default();
            keep();
        }
        "Escape" => {
            event.prevent_default();
            leave.with_value(|leave| leave());
        }
        _ => {}
    };
    let form = move || {
        view! { class="n",
            <div class="queue-form">
                <textarea
                    class="input" dir="auto" rows="2" aria-label=own::FIELD data-testid="queue-text"
                    node_ref=area
                    prop:value=move || field.text.get().to_string()
                    on:input=move |event| field.typed(&event_target_value(&event))
                    on:keydown=keys
                />
                <div class="queue-acts">
                    <button type="button" class="button" data-testid="queue-keep" on:click=move |_| keep()>{own::KEEP}</button>
                    <button type="button" class="quiet" data-testid="queue-leave" on:click=move |_| leave.with_value(|leave| leave())>
                        {own::LEAVE}
                    </button>
                </div>
            </div>
        }
    };
    let button = StoredValue::new(button);
    let shown = move || {
        view! { class="n",
            <span class="queue-text" dir="auto" title=move || row.get().text>{move || row.get().text}</span>
            <span class="queue-acts">
                // What an agent reports is not put in other words.
                <Show when=move || !row.with(|row| row.is_report)>
                    <button
                        class="quiet" type="button" id=button.get_value() data-testid="queue-edit"
                        disabled=move || read_only.get()
                        on:click=edit
                    >
                        {own::EDIT}
                    </button>
                </Show>
                <button
                    class="quiet" type="button" data-testid="queue-withdraw"
                    disabled=move || read_only.get()
                    on:click=move |_| dispatch.send(Command::WithdrawQueued { item: id })
                >
                    {own::WITHDRAW}
                </button>
            </span>
        }
    };
    view! { class="n",
        <div class="queue-item" role="listitem" data-testid="queue-item" data-mode=move || mode.get().name()>
            <Modes label=own::CHANGE test="queue-item-mode" chosen=mode.into() choose=Callback::new(set_mode) />
            <span class="label">{whom}</span>
            {held}
            {move || if editing.get() { form().into_any() } else { shown().into_any() }}
        </div>
    }
}

/// A choice among the modes.
#[component]
fn Modes(
    label: &'static str,
    test: &'static str,
    chosen: Signal<QueueMode>,
    choose: Callback<QueueMode>,
) -> impl IntoView {
    let read_only = expect_context::<Sessions>().read_only();
    let option = move |mode: QueueMode| {
        view! { class="n",
            <option value=mode.name() title=own::about(mode) prop:selected=move || chosen.get() == mode>{own::mode(mode)}</option>
        }
    };
    view! { class="n",
        <select
            class="select queue-mode"
            data-testid=test
            aria-label=label
            title=move || own::in_full(chosen.get())
            disabled=move || read_only.get()
            on:change=move |event| if let Some(mode) = QueueMode::named(&event_target_value(&event)) { choose.run(mode) }
        >
            {QueueMode::ALL.map(option).into_iter().collect_view()}
        </select>
    }
}

/// What usually happens to a message while a run works.
pub(in crate::ui) fn usual_mode(settings: Settings) -> Signal<QueueMode> {
    let kept = settings.text(QUEUE_MODE_SETTING);
    Signal::derive(move || kept.with(|kept| QueueMode::named(kept)).unwrap_or_default())
}

/// What happens to the next message while a run works: as usual, unless the operator chooses.
#[component]
pub fn ModeChoice(
    /// What was chosen.
    chosen: RwSignal<Option<QueueMode>>,
) -> impl IntoView {
    let usual = usual_mode(expect_context::<Settings>());
    let mode = Memo::new(move |_| chosen.get().unwrap_or_else(|| usual.get()));
    view! { class="n",
        <Modes label=own::CHOICE test="queue-mode" chosen=mode.into() choose=Callback::new(move |mode| chosen.set(Some(mode))) />
        // Whoever chooses is told what that does.
        <span class="queue-about" role="status">{move || chosen.get().map(own::about)}</span>
    }
}
