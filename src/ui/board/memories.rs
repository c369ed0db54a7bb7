//! The board's memory view: the session summary and a searchable list of facts, each to edit, pin, move and delete.
//!
//! Also the Archivist's current job and its latest runs for the session in view. The audit log has all of them.

use std::cmp::Reverse;

use crate::ui::agents::gauge::JobBudget;
use crate::ui::prelude::*;
use nexus_engine::queries::{JobRecord, newest};
use nexus_model::command::MemoryChange;
use nexus_model::id::MemoryId;
use nexus_model::job::JobKind;
use nexus_model::job::maintenance::job_session_of;
use nexus_model::limits::MEMORY_CHARS;
use nexus_model::memory::{Memory, MemoryScope};
use nexus_text::vec_map::by_key;
use nexus_view::strings::maintenance as words;

lazy_view!(board, lazy_memories, MemoriesPanel);

#[component]
pub fn MemoriesPanel() -> impl IntoMarkup {
    let &Page { world, .. } = expect_context();
    let search = RwSignal::new(String::new());
    // Facts deleted since the panel opened can be restored.
    let deleted = RwSignal::new(VecSet::<MemoryId>::new());
    let known = select(move || {
        let deleted_ids = deleted.get();
        world.with(WorldParts::MEMORIES, |world| {
            let here = world
                .memories
                .values()
                .filter(|row| row.exists() || row.is_retired() || deleted_ids.contains(&row.id));
            let here = by_key(here, |row| Reverse((row.pinned, row.at, row.id)));
            here.into_iter().map(|row| (row.id, row.content.to_lowercase())).collect::<Vec<_>>()
        })
    });
    let found = select(move || {
        let query = search.with(|text| text.trim().to_lowercase());
        known.with(|known| {
            let hits = known.iter().filter(|(_, text)| text.contains(&query));
            hits.map(|(id, _)| *id).collect::<Vec<_>>()
        })
    });
    let counted = move || {
        let (shown, all) = (found.with(Vec::len), known.with(Vec::len));
        match (shown, all) {
            (_, 0) => words::NOTHING_NOTED.to_owned(),
            (0, _) => words::NOTHING_FOUND.to_owned(),
            (shown, all) => words::listed(shown, all),
        }
    };
    view! {
        <section class="memories" data-testid="memories" aria-label=common::MEMORIES>
            <h3 class="label">{common::MEMORIES}</h3>
            <p class="hint">{words::MEMORIES_ABOUT}</p>
            <input
                class="input" type="search" data-testid="memory-search" aria-label=words::SEARCH
                placeholder=words::SEARCH prop:value=search
                on:input=move |ev| search.set(event_target_value(&ev))
            />
            <p class="hint" role="status" data-testid="memory-count">{counted}</p>
            <ul class="memory-list">
                {keyed_list(move || found.get(), Clone::clone,
                    move |id| view! { <MemoryRow id deleted /> })}
            </ul>
            <SessionSummaryCard />
            <JobList />
        </section>
    }
}

/// Title, summary and keywords of the session in view.
#[component]
fn SessionSummaryCard() -> impl IntoMarkup {
    let &Page { sessions, world, .. } = expect_context();
    let details = select(move || {
        let session = sessions.focus.get();
        world.with(WorldParts::SESSIONS, |world| {
            let row = world.session(&session)?;
            Some((row.title.clone(), row.summary.clone(), row.keywords.join(" · ")))
        })
    });
    // Failed jobs are shown too; they are retried automatically.
    let failed = move || {
        let session = sessions.focus.get();
        [JobKind::Summary, JobKind::Memory].map(|kind| {
            let details = world.with(WorldParts::SESSIONS, |world| {
                let failed = world.session(&session)?.jobs.failed(kind)?;
                Some(words::maintenance_failed(failed, failed.failure.as_ref()?))
            })?;
            Some(view! { <p class="hint" role="status" data-testid="chore-failed">{details}</p> })
        })
    };
    view! {
        <div class="session-short" data-testid="session-short">
            <h3 class="label">{words::SESSION_SUMMARY}</h3>
            {move || match details.get() {
                Some((title, Some(summary), keywords)) => view! {
                    <p class="session-title" data-testid="session-title">{title.map(|title| reveal(&title))}</p>
                    <p class="session-summary" data-testid="session-summary">{reveal(&plain(&summary))}</p>
                    <p class="hint" data-testid="session-keywords">{reveal(&keywords)}</p>
                },
                Some((_, None, _)) | None => view! { <p class="hint">{words::NO_SESSION_SUMMARY}</p> },
            }}
            {failed}
        </div>
    }
}

const SHOWN: usize = 8;

#[component]
pub fn JobList() -> impl IntoMarkup {
    let &Page { history, now, sessions, world, .. } = expect_context();
    let head = select(move || {
        let session = sessions.focus.get();
        world.with(WorldParts::SESSIONS, |world| job_session_of(world, session).and_then(|kept| kept.head))
    });
    let works = select(move || {
        let session = sessions.focus.get();
        world.with(WorldParts::SESSIONS, |world| {
            let job = world.session(&session)?.jobs.of(JobSlot::Maintenance)?;
            Some(words::pass_works(job))
        })
    });
    let read = RwSignal::new(Vec::<JobRecord>::new());
    Effect::new(move |_| {
        let wanted = head.get();
        let records = history.records();
        spawn_local(async move {
            let passes = match wanted {
                Some(head) => newest(&records, head, SHOWN).await.unwrap_or_default(),
                None => Vec::new(),
            };
            // Another session may be in view by now.
            if head.try_get_untracked() == Some(wanted) {
                read.set(passes);
            }
        });
    });
    let rows = move || read.get().into_iter().map(|pass| view! { <JobLine pass now /> }).into_markup();
    let none = move || read.with(Vec::is_empty) && works.with(Option::is_none);
    view! {
        <section class="passes" data-testid="passes" aria-label=words::PASSES>
            <h3 class="label">{words::PASSES}</h3>
            <p class="hint">{words::PASSES_ABOUT}</p>
            <JobBudget />
            <p class="hint" role="status" data-testid="pass-works" hidden=move || works.with(Option::is_none)>
                {works}
            </p>
            <p class="hint" hidden=move || !none()>{words::NO_PASSES}</p>
            <ul class="pass-list">{rows}</ul>
        </section>
    }
}

#[component]
fn JobLine(pass: JobRecord, now: Selector<Millis>) -> impl IntoMarkup {
    let shown = pass.clone();
    let about = move || words::pass(&shown, &ago(shown.turn.opened_at, now.get()));
    let failure = pass.turn.failure.as_ref().map(|failure| language::translate_template(&failure.message));
    let (state, kind) = (words::pass_state(&pass), words::pass_kind(pass.kind));
    view! {
        <li class="pass" data-testid="pass" data-state=state data-kind=kind>
            <span class="pass-about">{about}</span>
            {failure.map(|words| view! { <span class="field-problem" data-testid="pass-failure">{words}</span> })}
            <span class="pass-actions">
                <a class="quiet" data-testid="pass-inspect" href=inspect_path(pass.turn.id)>{common::INSPECT}</a>
                <a class="quiet" data-testid="pass-audit" href=run_path(pass.run)>{common::EVENT_LOG}</a>
            </span>
        </li>
    }
}

#[component]
pub fn MemoryRow(
    id: MemoryId,
    /// Facts deleted since the list opened.
    deleted: RwSignal<VecSet<MemoryId>>,
) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let row =
        world.select(WorldParts::MEMORIES, move |world| world.memory(&id).map(|row| row.as_ref().clone()));
    let change = Callback::new(move |change: MemoryChange| {
        let is_deleted = change == MemoryChange::Deleted;
        if is_deleted {
            // Noted before the deletion, so that the row stays.
            deleted.update(|deleted| deleted.extend([id]));
        }
        dispatch.send(Command::ChangeMemory { memory: id, change });
    });
    let is_here = row.map_some(Memory::exists);
    let is_retired = row.map_some(Memory::is_retired);
    view! {
        <li class="memory" data-testid="memory" data-memory=id.to_string() data-here=move || is_here.get().to_string()>
            <MemoryRevision row change />
            {move || {
                if is_retired.get() {
                    Markup::Empty
                } else if is_here.get() {
                    view! { <MemoryFields row change /> }
                } else {
                    view! {
                        <p class="hint">{words::DELETED}</p>
                        {quiet_button(common::RESTORE).test("memory-restore")
                            .on_click(move |_| change.run(MemoryChange::Restored))}
                    }
                }
            }}
        </li>
    }
}

/// The Archivist's last change, with its source and undo.
#[component]
fn MemoryRevision(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let revision = row.map_some(move |row| row.revision.clone());
    let source = row.map_some(|memory| {
        let revision = memory.revision.as_ref()?;
        Some(Memory { session: revision.session, message: revision.message, ..memory.clone() })
    });
    move || {
        revision.get().map(|revision| {
            view! {
                <div class="memory-foot" data-testid="memory-revision">
                    <p class="hint">{reveal(&words::revision(&revision))}</p>
                    <MemorySource row=source />
                    {quiet_button(common::UNDO).test("memory-undo")
                        .on_click(move |_| change.run(MemoryChange::Undone))}
                </div>
            }
        })
    }
}

#[component]
fn MemoryFields(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let content = row.map_some(move |row| row.content.clone());
    let importance = row.map_some(move |row| row.importance.to_string());
    let pinned = row.map_some(move |row| row.pinned);
    let set_content = move |ev| {
        let text = event_target_value(&ev);
        if text.trim() != content.get_untracked() {
            change.run(MemoryChange::Content(text));
        }
    };
    let set_importance = move |value: String| {
        if let Ok(importance) = value.parse() {
            change.run(MemoryChange::Importance(importance));
        }
    };
    let weights = (1..=5).map(|weight: u8| (weight.to_string(), weight.to_string()));
    let weights = options(weights.collect(), importance);
    view! {
        <textarea
            class="input memory-content" rows="2" data-testid="memory-content" aria-label=words::CONTENT
            maxlength=MEMORY_CHARS.to_string() prop:value=content on:change=set_content
        ></textarea>
        <div class="memory-foot">
            {quiet_button(move || if pinned.get() { common::UNPIN } else { common::PIN }).test("memory-pin")
                .with("aria-pressed", move || pinned.get().to_string())
                .on_click(move |_| change.run(MemoryChange::Pinned(!pinned.get_untracked())))}
            {captioned(None, words::IMPORTANCE, select_box(weights, set_importance).test("memory-importance"))}
            <MemoryScopeSelect row change />
            <MemorySource row />
            {quiet_button(common::DELETE).test("memory-delete")
                .on_click(move |_| change.run(MemoryChange::Deleted))}
        </div>
    }
}

fn scope_value(scope: &MemoryScope) -> String {
    match scope {
        MemoryScope::Session => "session".to_owned(),
        MemoryScope::Operator => "operator".to_owned(),
        MemoryScope::Persona(agent) => format!("agent {}", agent.as_str()),
    }
}

#[component]
fn MemoryScopeSelect(row: Selector<Option<Memory>>, change: Callback<MemoryChange>) -> impl IntoMarkup {
    let &Page { agents, .. } = expect_context();
    let name = move |key: &str| agents.name_untracked(&key.into());
    let chosen = row.map_some(move |row| scope_value(&row.scope));
    let choices = move || {
        let own = row.with_some_untracked(|row| Some(row.scope.clone()));
        let personas = agents.order.get().into_iter().map(MemoryScope::Persona);
        let mut all: Vec<_> =
            [MemoryScope::Session, MemoryScope::Operator].into_iter().chain(personas).collect();
        // An agent that left keeps its scope.
        all.extend(own.filter(|own| !all.contains(own)));
        all
    };
    let scopes = move || {
        let choices = choices();
        let named = choices.iter().map(|scope| (scope_value(scope), reveal(&words::scope(scope, name))));
        options(named.collect(), chosen)
    };
    let choose = move |value: String| {
        if let Some(scope) = untrack(choices).into_iter().find(|scope| scope_value(scope) == value) {
            change.run(MemoryChange::Scope(scope));
        }
    };
    captioned(None, words::SCOPE, select_box(scopes, choose).test("memory-scope"))
}

#[component]
fn MemorySource(row: Selector<Option<Memory>>) -> impl IntoMarkup {
    let &Page { dispatch, sessions, world, .. } = expect_context();
    let Workspace { pane: in_view, .. } = expect_context();
    let place = select(move || {
        let memory = row.get()?;
        let focus = sessions.focus.get();
        let (label, loaded) = world.with(WorldParts::SESSIONS, |world| {
            let label = memory.source(world).map(|session| session.name().into_owned());
            (label, memory.message.is_some_and(|id| world.message(&id).is_some()))
        });
        let here = memory.session == focus;
        Some((memory.session, label, here, memory.message.filter(|_| loaded && here)))
    });
    let go_to = move |message: MessageId| {
        in_view.set(Pane::Timeline);
        focus::focus_and_scroll_to(format!("message-{message}"));
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
                .on_click(move |_| go_to(message))
                .into_markup(),
            (true, None) => view! { <span class="hint">{words::SOURCE_GONE}</span> },
            (false, _) => quiet_button(reveal(&label))
                .test("memory-source")
                .on_click(move |_| dispatch.open(session))
                .into_markup(),
        })
    }
}
