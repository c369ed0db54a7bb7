//! A row of the memory list: shows, edits, pins, moves and deletes one memory.

use std::sync::Arc;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Agents, Sessions, WorldParts, WorldReader};
use crate::ui::workspace::panes::{ActivePane, Pane};
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
) -> impl IntoMarkup {
    let (past, dispatch) = (expect_context::<WorldReader>(), expect_context::<Dispatch>());
    let row =
        past.select(WorldParts::MEMORIES, move |world| world.memory(&id).map(|row| row.as_ref().clone()));
    let change = Callback::new(move |change: MemoryChange| {
        let is_deleted = change == MemoryChange::Deleted;
        if is_deleted {
            // Before it goes, so that it stays in sight.
            deleted.update(|deleted| deleted.extend([id]));
        }
        dispatch.send(Command::Archivist(MaintenanceCommand::ChangeMemory { memory: id, change }));
    });
    let is_here = select(move || row.with(|row| row.as_ref().is_some_and(Memory::is_here)));
    let is_retired = select(move || row.with(|row| row.as_ref().is_some_and(Memory::is_retired)));
    view! {
        <li class="memory" data-testid="memory" data-memory=id.to_string() data-here=move || is_here.get().to_string()>
            <MemoryRevision row change />
            {move || {
                if is_retired.get() {
                    None::<()>.into_markup()
                } else if is_here.get() {
                    view! { <MemoryFields row change /> }.into_markup()
                } else {
                    view! {
                        <p class="hint">{words::DELETED}</p>
                        {quiet_button(words::RESTORE).test("memory-restore")
                            .on_click(move |_| change.run(MemoryChange::Restored))}
                    }
                    .into_markup()
                }
            }}
        </li>
    }
}

/// What the Archivist last did to it, with its source and the way back.
#[component]
fn MemoryRevision(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let revision = select(move || row.with(|row| row.as_ref().and_then(|row| row.revision.clone())));
    let source = select(move || {
        let memory = row.get()?;
        let revision = memory.revision.as_ref()?;
        Some(Memory { session: revision.session, message: revision.message, ..memory.clone() })
    });
    move || {
        revision.get().map(|revision| {
            view! {
                <div class="memory-foot" data-testid="memory-revision">
                    <p class="hint">{reveal(&words::revision(&revision))}</p>
                    <MemorySource row=source />
                    {quiet_button(words::UNDO).test("memory-undo")
                        .on_click(move |_| change.run(MemoryChange::TakenBack))}
                </div>
            }
        })
    }
}

#[component]
fn MemoryFields(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let of = move |read: fn(&Memory) -> String| row.with(|row| row.as_ref().map(read).unwrap_or_default());
    let content = select(move || of(|row| row.content.clone()));
    let importance = select(move || of(|row| row.importance.to_string()));
    let pinned = select(move || row.with(|row| row.as_ref().is_some_and(|row| row.pinned)));
    let rewrite = move |ev| {
        let text = event_target_value(&ev);
        if text.trim() != content.get_untracked() {
            change.run(MemoryChange::Content(text));
        }
    };
    let weigh = move |value: String| {
        if let Ok(importance) = value.parse() {
            change.run(MemoryChange::Importance(importance));
        }
    };
    let weights = (1..=5).map(|weight: u8| (weight.to_string(), weight.to_string()));
    let weights = options(weights.collect(), importance);
    view! {
        <textarea
            class="input memory-content" rows="2" data-testid="memory-content" aria-label=words::CONTENT
            maxlength=MEMORY_CHARS.to_string() prop:value=content on:change=rewrite
        ></textarea>
        <div class="memory-foot">
            {quiet_button(move || if pinned.get() { words::UNPIN } else { words::PIN }).test("memory-pin")
                .with("aria-pressed", move || pinned.get().to_string())
                .on_click(move |_| change.run(MemoryChange::Pinned(!pinned.get_untracked())))}
            <label>
                <span class="label">{words::IMPORTANCE}</span>
                {select_box(weights, weigh).test("memory-importance")}
            </label>
            <MemoryScopeSelect row change />
            <MemorySource row />
            {quiet_button(words::DELETE).test("memory-delete")
                .on_click(move |_| change.run(MemoryChange::Deleted))}
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
fn MemoryScopeSelect(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let name = move |key: &str| {
        agents
            .get_untracked(&key.into())
            .map_or_else(|| key.to_owned(), |row| row.agent.identity.name.clone())
    };
    let chosen =
        select(move || row.with(|row| row.as_ref().map(|row| written(&row.scope)).unwrap_or_default()));
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
    let scopes = move || {
        let choices = choices();
        all.set_value(Arc::new(choices.clone()));
        let named = choices.iter().map(|scope| (written(scope), reveal(&words::scope(scope, name))));
        options(named.collect(), chosen)
    };
    let choose = move |value: String| {
        let scope = all.with_value(|all| all.iter().find(|scope| written(scope) == value).cloned());
        if let Some(scope) = scope {
            change.run(MemoryChange::Scope(scope));
        }
    };
    view! {
        <label>
            <span class="label">{words::SCOPE}</span>
            {select_box(scopes, choose).test("memory-scope")}
        </label>
    }
}

/// The message that it comes from.
#[component]
fn MemorySource(row: Selector<Option<Memory>>) -> impl IntoMarkup {
    let (past, in_view) = (expect_context::<WorldReader>(), expect_context::<ActivePane>());
    let (sessions, dispatch) = (expect_context::<Sessions>(), expect_context::<Dispatch>());
    let place = select(move || {
        let memory = row.get()?;
        let focus = sessions.focus().get();
        let (label, loaded) = past.with(WorldParts::SESSIONS, |world| {
            let label = memory.source(world).map(|session| session.name().to_owned());
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
            return Some(
                view! { <span class="hint" data-testid="memory-source-gone">{words::SESSION_GONE}</span> },
            );
        };
        Some(match (here, message) {
            (true, Some(message)) => quiet_button(words::SOURCE)
                .test("memory-source")
                .on_click(move |_| lead(message))
                .into_markup(),
            (true, None) => view! { <span class="hint">{words::SOURCE_GONE}</span> },
            (false, _) => {
                let label = reveal(&label);
                quiet_button(label)
                    .test("memory-source")
                    .on_click(move |_| dispatch.open(session))
                    .into_markup()
            }
        })
    }
}
