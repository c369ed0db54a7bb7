//! A row of the memory list: shows, edits, pins, moves and deletes one memory.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::shell::panes::{ActivePane, Pane};
use crate::ui::view_state::{Agents, Sessions, WorldReader};
use nexus_model::command::{Command, MaintenanceCommand, MemoryChange};
use nexus_model::id::MemoryId;
use nexus_model::limits::MEMORY_CHARS;
use nexus_model::memory::{Memory, MemoryScope};
use nexus_text::invisible::reveal;
use nexus_text::vec_map::VecSet;
use nexus_view::strings::maintenance as words;

/// A memory, to be read and changed.
#[component]
pub fn MemoryRow(
    id: MemoryId,
    /// Those that were deleted since the list stands.
    deleted: RwSignal<VecSet<MemoryId>>,
) -> impl IntoView {
    let (past, dispatch) = (expect_context::<WorldReader>(), expect_context::<Dispatch>());
    let row = Memo::new(move |_| past.fold(|world| world.memory(&id).map(|row| row.as_ref().clone())));
    let change = Callback::new(move |change: MemoryChange| {
        let is_deleted = change == MemoryChange::Deleted;
        if is_deleted {
            // Before it goes, so that it stays in sight.
            deleted.update(|deleted| deleted.extend([id]));
        }
        dispatch.send(Command::Archivist(MaintenanceCommand::ChangeMemory { memory: id, change }));
    });
    let is_here = Memo::new(move |_| row.with(|row| row.as_ref().is_some_and(Memory::is_here)));
    view! { class="n",
        <li class="memory" data-testid="memory" data-memory=id.to_string() data-here=move || is_here.get().to_string()>
            {move || {
                if is_here.get() {
                    view! { class="n", <MemoryFields row change /> }.into_any()
                } else {
                    view! { class="n",
                        <p class="hint">{words::DELETED}</p>
                        <button
                            type="button"
                            class="quiet"
                            data-testid="memory-restore"
                            on:click=move |_| change.run(MemoryChange::Restored)
                        >
                            {words::RESTORE}
                        </button>
                    }
                    .into_any()
                }
            }}
        </li>
    }
}

#[component]
fn MemoryFields(row: Memo<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoView {
    let of = move |read: fn(&Memory) -> String| row.with(|row| row.as_ref().map(read).unwrap_or_default());
    let content = Memo::new(move |_| of(|row| row.content.clone()));
    let importance = Memo::new(move |_| of(|row| row.importance.to_string()));
    let pinned = Memo::new(move |_| row.with(|row| row.as_ref().is_some_and(|row| row.pinned)));
    let rewrite = move |ev| {
        let text = event_target_value(&ev);
        if text.trim() != content.get_untracked() {
            change.run(MemoryChange::Content(text));
        }
    };
    let weigh = move |ev| {
        if let Ok(importance) = event_target_value(&ev).parse() {
            change.run(MemoryChange::Importance(importance));
        }
    };
    let weights = (1..=5).map(|weight: u8| {
        let chosen = move || importance.get() == weight.to_string();
        view! { class="n", <option value=weight.to_string() prop:selected=chosen>{weight.to_string()}</option> }
    });
    view! { class="n",
        <textarea
            class="input memory-content"
            rows="2"
            data-testid="memory-content"
            aria-label=words::CONTENT
            maxlength=MEMORY_CHARS.to_string()
            prop:value=move || content.get()
            on:change=rewrite
        ></textarea>
        <div class="memory-foot">
            <button
                type="button"
                class="quiet"
                data-testid="memory-pin"
                aria-pressed=move || pinned.get().to_string()
                on:click=move |_| change.run(MemoryChange::Pinned(!pinned.get_untracked()))
            >
                {move || if pinned.get() { words::UNPIN } else { words::PIN }}
            </button>
            <label>
                <span class="label">{words::IMPORTANCE}</span>
                <select class="select" data-testid="memory-importance" on:change=weigh>{weights.collect_view()}</select>
            </label>
            <MemoryScopeSelect row change />
            <MemorySource row />
            <button
                type="button"
                class="quiet"
                data-testid="memory-delete"
                on:click=move |_| change.run(MemoryChange::Deleted)
            >
                {words::DELETE}
            </button>
        </div>
    }
}

/// How a scope is written in the list of choices.
fn written(scope: &MemoryScope) -> String {
    match scope {
        MemoryScope::Session => "session".to_owned(),
        MemoryScope::Operator => "operator".to_owned(),
        MemoryScope::Persona(agent) => format!("agent {}", agent.as_str()),
    }
}

#[component]
fn MemoryScopeSelect(row: Memo<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoView {
    let agents = expect_context::<Agents>();
    let name = move |key: &str| {
        agents
            .get_untracked(&key.into())
            .map_or_else(|| key.to_owned(), |row| row.agent.identity.name.clone())
    };
    let chosen = Memo::new(move |_| row.with(|row| row.as_ref().map(|row| written(&row.scope))));
    let choices = move || {
        let own = row.with_untracked(|row| row.as_ref().map(|row| row.scope.clone()));
        let personas = agents.order().get().into_iter().map(MemoryScope::Persona);
        let mut all: Vec<_> =
            [MemoryScope::Session, MemoryScope::Operator].into_iter().chain(personas).collect();
        // An agent that left keeps what it was told.
        all.extend(own.filter(|own| !all.contains(own)));
        all
    };
    let all = StoredValue::new(Arc::new(Vec::<MemoryScope>::new()));
    let options = move || {
        let choices = choices();
        all.set_value(Arc::new(choices.clone()));
        let option = |scope: MemoryScope| {
            let value = written(&scope);
            let is_chosen = {
                let value = value.clone();
                move || chosen.get().as_deref() == Some(value.as_str())
            };
            view! { class="n",
                <option value=value prop:selected=is_chosen>{reveal(&words::scope(&scope, name))}</option>
            }
        };
        choices.into_iter().map(option).collect_view()
    };
    let choose = move |ev| {
        let value = event_target_value(&ev);
        let scope = all.with_value(|all| all.iter().find(|scope| written(scope) == value).cloned());
        if let Some(scope) = scope {
            change.run(MemoryChange::Scope(scope));
        }
    };
    view! { class="n",
        <label>
            <span class="label">{words::SCOPE}</span>
            <select class="select" data-testid="memory-scope" on:change=choose>{options}</select>
        </label>
    }
}

/// The message that it comes from.
#[component]
fn MemorySource(row: Memo<Option<Memory>>) -> impl IntoView {
    let (past, in_view) = (expect_context::<WorldReader>(), expect_context::<ActivePane>());
    let (sessions, dispatch) = (expect_context::<Sessions>(), expect_context::<Dispatch>());
    let place = Memo::new(move |_| {
        let memory = row.get()?;
        let focus = sessions.focus().get();
        let (label, loaded) = past.fold(|world| {
            let label = memory.source(world).map(|session| session.label.clone());
            (label, memory.message.is_some_and(|id| world.message(&id).is_some()))
        });
        let here = memory.session == focus;
        Some((memory.session, label, here, memory.message.filter(|_| loaded && here)))
    });
    let lead = move |message: nexus_model::id::MessageId| {
        in_view.0.set(Pane::Timeline);
        focus::lead_to(format!("message-{message}"));
    };
    move || {
        let (session, label, here, message) = place.get()?;
        let Some(label) = label else {
            return Some(view! { class="n", <span class="hint" data-testid="memory-source-gone">{words::SESSION_GONE}</span> }.into_any());
        };
        Some(match (here, message) {
            (true, Some(message)) => view! { class="n",
                <button type="button" class="quiet" data-testid="memory-source" on:click=move |_| lead(message)>
                    {words::SOURCE}
                </button>
            }
            .into_any(),
            (true, None) => view! { class="n", <span class="hint">{words::SOURCE_GONE}</span> }.into_any(),
            (false, _) => {
                let label = reveal(&label);
                view! { class="n",
                    <button type="button" class="quiet" data-testid="memory-source" on:click=move |_| dispatch.open(session)>
                        {label}
                    </button>
                }
                .into_any()
            }
        })
    }
}
