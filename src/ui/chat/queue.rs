//! The queue of waiting messages, with the delivery mode of each and of the next one.
//!
//! An edit of a waiting message is a draft until it is saved.

use crate::ui::prelude::*;
use nexus_model::id::QueueItemId;
use nexus_model::session::QueueItem;
use nexus_model::settings::schema::QUEUE_MODE;
use nexus_view::strings::chat::message_overrides::held as held_words;
use nexus_view::strings::chat::queue as own;

lazy_view!(board, lazy_queue, MessageQueue);
lazy_view!(board, lazy_queue_modes, NextMessageMode { chosen: RwSignal<Option<QueueMode>> });

#[component]
pub fn MessageQueue() -> impl IntoMarkup {
    let &Page { run, .. } = expect_context();
    let order = run.queue.order;
    let row = move |id: QueueItemId| run.queue.row(&id).map(|row| view! { <QueuedMessage id row /> });
    view! {
        <div class="queue" data-testid="queue">
            <HeldMessages />
            <PausedRun />
            <div class="queue-list" role="list" aria-label=own::WAITING>
                {keyed_list(move || order.get(), Clone::clone, row)}
            </div>
        </div>
    }
}

/// Messages held by Stop, with buttons to send or discard them.
#[component]
fn HeldMessages() -> impl IntoMarkup {
    let &Page { dispatch, run, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let held_count = run.held_count;
    let send = move |_| dispatch.send(Command::SendAllHeld { session: dispatch.session() });
    view! {
        <Show when=move || { held_count.get() > 0 }>
            <div class="queue-held" data-testid="queue-held">
                <span class="queue-text" role="status">{move || own::held(held_count.get())}</span>
                <span class="queue-actions">
                    {button(own::SEND_HELD).test("queue-send-all").disabled(read_only).on_click(send)}
                    {quiet_button(common::DISCARD).test("queue-discard-all")
                        .disabled(read_only).on_click(move |_| dispatch.withdraw_queued(None))}
                </span>
            </div>
        </Show>
    }
}

/// What queued messages wait for while the run is paused, with buttons that resume it with them or end it and so send
/// them.
#[component]
fn PausedRun() -> impl IntoMarkup {
    let &Page { dispatch, run, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let held_count = run.held_count;
    let (queue, steerable) = (run.queue, run.steerable);
    let paused = run.run.map_some(|run| (run.status == RunStatus::Paused).then_some(run.id));
    let resume = move |run| {
        for item in queue.order.get_untracked().iter().copied() {
            // A report goes to the agent that waits for it.
            if queue.get_untracked(&item).is_none_or(|row| row.0.report.is_some()) {
                continue;
            }
            dispatch.send(Command::SetQueueMode { item, mode: QueueMode::Steer });
        }
        dispatch.send(Command::ContinueRun { run });
    };
    move || {
        let run = paused.get().filter(|_| held_count.get() == 0)?;
        Some(view! {
            <div class="queue-held" data-testid="queue-paused">
                <span class="queue-text" role="status">{own::WAITS_FOR_RUN}</span>
                <span class="queue-actions">
                    {(steerable.get() == Some(run)).then(|| {
                        button(own::RESUME_AND_SEND).test("queue-resume").disabled(read_only)
                            .on_click(move |_| resume(run))
                    })}
                    {button(own::END_AND_SEND).test("queue-end-run").disabled(read_only)
                        .on_click(move |_| dispatch.send_to_end(Command::EndRun { run }))}
                </span>
            </div>
        })
    }
}

#[component]
fn QueuedMessage(id: QueueItemId, row: Selector<PtrEq<QueueItem>>) -> impl IntoMarkup {
    let &Page { dispatch, drafts, notices, run, sessions, .. } = expect_context();
    let read_only = sessions.read_only;
    let (session, name) = (dispatch.session(), DraftField::Queued(id));
    let field = dispatch.field(&name);
    let in_edit = row.map(move |row| row.0.editing);
    let typed = move || field.state.get() != DraftState::Saved;
    // Another tab's edit is marked, not opened here.
    let editing = select(move || typed() || in_edit.get() && !read_only.get());
    let text = move || row.with(|row| row.0.text.clone());
    // An edit without a draft starts with the message's text.
    let words_now = move || if typed() { field.text.get().to_string() } else { text() };
    // If the message is sent during the edit, the edited text goes to the composer.
    on_cleanup(move || {
        let in_view = sessions.focus.try_get_untracked() == Some(session);
        let is_queued = run.queue.order.try_with_untracked(|order| order.contains(&id)).unwrap_or(true);
        let typed = drafts.slot(session, &name).get_untracked().map(|typing| typing.text);
        let Some(typed) = typed.filter(|_| in_view && !is_queued) else { return };
        let original = row.try_with_untracked(|row| row.0.text.clone()).unwrap_or_default();
        dispatch.discard_draft(&name);
        if typed.trim().is_empty() || *typed == *original {
            return;
        }
        let before = drafts.slot(session, &DraftField::Composer).get_untracked();
        let text = match before {
            Some(before) if !before.text.trim().is_empty() => format!("{}\n{typed}", before.text),
            Some(_) | None => typed.to_string(),
        };
        dispatch.type_into(&DraftField::Composer, &text);
        notices.add(NoticeKind::Info, own::TAKEN, own::TAKEN_ADVICE);
    });
    let recipients = move || match &row.get().0.target {
        Target::All => own::TO_ALL.to_owned(),
        Target::Agents(agents) => {
            let names: Vec<_> = agents.iter().map(|agent| AgentBadge::of(Some(agent)).name()).collect();
            own::to(&strings::listed(&names))
        }
    };
    let overrides = move || {
        let text = row.with(|row| held_words(&MessageOverrides::of(&row.0)));
        (!text.is_empty())
            .then(|| view! { <span class="override-chip" data-testid="queue-over">{text}</span> })
    };
    let mode = row.map(move |row| row.0.mode);
    let set_mode = move |mode: QueueMode| dispatch.send(Command::SetQueueMode { item: id, mode });
    // A message is not sent during its edit, even after a reload.
    let edit = move |_| {
        dispatch.send_done(Command::BeginQueuedEdit { item: id }, move || {
            field.typed(&row.get_untracked().0.text);
        });
    };
    let edit_id = move || format!("queue-edit-{id}");
    let close = move || {
        field.discard();
        focus::soon(edit_id());
    };
    let leave = move || {
        dispatch.send_done(Command::EndQueuedEdit { item: id }, close);
    };
    let save = move || {
        let text = untrack(words_now);
        dispatch.send_done(Command::EditQueued { item: id, text }, close);
    };
    let area = NodeRef::<Textarea>::new();
    focus::once_mounted(area);
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        _ if event.is_composing() => {}
        _ if events::is_send_key(&event) => {
            event.prevent_default();
            save();
        }
        "Escape" => {
            event.prevent_default();
            leave();
        }
        _ => {}
    };
    let form = move || {
        view! {
            <div class="queue-form">
                <textarea
                    class="input" dir="auto" rows="2" aria-label=own::FIELD data-testid="queue-text"
                    node_ref=area prop:value=words_now
                    on:input=move |event| field.typed(&event_target_value(&event)) on:keydown=keys
                />
                <div class="queue-actions">
                    {button(common::SAVE).test("queue-keep").on_click(move |_| save())}
                    {quiet_button(common::CANCEL).test("queue-leave").on_click(move |_| leave())}
                </div>
            </div>
        }
    };
    let is_held = row.map(move |row| row.0.held);
    let held_count = run.held_count;
    let send = move |_| dispatch.send(Command::SendHeld { item: id });
    let mark = move || match row.with(|row| (row.0.held, row.0.editing)) {
        (_, true) => Some(common::EDITING),
        (true, false) => Some(own::HELD),
        (false, false) => None,
    };
    let shown = move || {
        view! {
            {move || mark().map(|mark| view! { <span class="queue-mark">{mark}</span> })}
            <span class="queue-text" dir="auto" title=text>{text}</span>
            <span class="queue-actions">
                // A single held message is sent by the button above.
                <Show when=move || is_held.get() && { held_count.get() > 1 }>
                    {quiet_button(own::SEND_HELD).test("queue-send").disabled(read_only).on_click(send)}
                </Show>
                // Reports of agents cannot be edited.
                <Show when=move || !row.with(|row| row.0.report.is_some())>
                    {quiet_button(common::EDIT).id(edit_id()).test("queue-edit")
                        .disabled(read_only).on_click(edit)}
                </Show>
                {quiet_button(common::REMOVE).test("queue-withdraw").disabled(read_only)
                    .on_click(move |_| dispatch.withdraw_queued(Some(id)))}
            </span>
        }
    };
    view! {
        <div class="queue-item" role="listitem" data-testid="queue-item" data-mode=move || mode.get().name() data-held=move || is_held.get().to_string()>
            <QueueModeSelect label=own::CHANGE.get() test="queue-item-mode" chosen=mode choose=Callback::new(set_mode) />
            <span class="label">{recipients}</span>
            {overrides}
            {move || if editing.get() { form().into_markup() } else { shown().into_markup() }}
        </div>
    }
}

#[component]
fn QueueModeSelect(
    label: &'static str,
    test: &'static str,
    chosen: Selector<QueueMode>,
    choose: Callback<QueueMode>,
) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let option = move |mode: QueueMode| {
        view! {
            <option value=mode.name() title=own::about(mode) prop:selected=move || chosen.get() == mode>{own::mode(mode)}</option>
        }
    };
    select_box(QueueMode::ALL.map(option), move |value| {
        QueueMode::named(&value).into_iter().for_each(|mode| choose.run(mode))
    })
    .with("class", "select queue-mode")
    .test(test)
    .label(label)
    .title(move || own::in_full(chosen.get()))
    .disabled(read_only)
}

/// The default mode of messages sent during a run.
pub(crate) fn default_mode(settings: Settings) -> Selector<QueueMode> {
    let setting = settings.text(QUEUE_MODE);
    select(move || setting.with(|setting| QueueMode::named(setting)).unwrap_or_default())
}

/// The mode of the next message during a run: that of the run, unless the operator chooses.
#[component]
pub fn NextMessageMode(chosen: RwSignal<Option<QueueMode>>) -> impl IntoMarkup {
    let &Page { run, settings, .. } = expect_context();
    let default = default_mode(settings);
    let mode = select(move || chosen.get().unwrap_or_else(|| run.queue_mode(default.get())));
    view! {
        <QueueModeSelect label=own::CHOICE.get() test="queue-mode" chosen=mode choose=Callback::new(move |mode| chosen.set(Some(mode))) />
        // Explains the chosen mode.
        <span class="queue-about" role="status">{move || chosen.get().map(own::about)}</span>
    }
}
