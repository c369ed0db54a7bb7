//! Snapshot of an earlier turn, instead of the panes: the conversation up to it and the mind of that time.
//!
//! Links to the previous and next turn, to a fork, and back to the present. Reads from the store; never changes
//! anything.
//!
//! The mind is objective, scratchpad and files, marked where they differ from now; the conversation is the rows of the
//! timeline.

use crate::ui::agents::badge::OPERATOR;
use crate::ui::board::editor::LongText;
use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::prelude::*;
use nexus_engine::queries::tree;
use nexus_engine::queries::tree::TurnSnapshot;
use nexus_model::mind::blob::shown_text;
use nexus_model::mind::review::changes;
use nexus_view::strings::board::compare::field as field_name;
use nexus_view::strings::tree as words;
use nexus_view::timeline::timeline;

lazy_view!(board, lazy_turn_snapshot, SnapshotPanel);

const TITLE: &str = "snapshot-title";

#[derive(Clone)]
enum SnapshotState {
    Reading,
    Missing,
    Loaded(Arc<TurnSnapshot>),
}

#[component]
pub(crate) fn SnapshotPanel() -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { focus, .. }, world, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let target = dialogs.snapshot;
    let state = RwSignal::new(SnapshotState::Reading);
    let turns = RwSignal::new(TURNS_LOADED);
    let chosen = RwSignal::new(None::<String>);
    let leave = move || dialogs.show_snapshot(None);
    stop_dictation();
    read(target, turns, state);
    // Opening another session closes the snapshot.
    on_change(
        move || focus.get(),
        move |now| {
            if target.with_untracked(|target| target.as_ref().is_none_or(|target| target.session != *now)) {
                leave();
            }
        },
    );
    focus::soon(TITLE.to_owned());
    let loaded_snapshot =
        move || if let SnapshotState::Loaded(snapshot) = state.get() { Some(snapshot) } else { None };
    let go_to = move |turn: Option<TurnId>| {
        let Some((turn, target)) = turn.zip(target.get_untracked()) else { return };
        dialogs.show_snapshot(Some(SnapshotTarget { session: target.session, turn, mind: None }));
    };
    let older = move || loaded_snapshot().and_then(|snapshot| snapshot.turn.parent);
    let newer =
        move || loaded_snapshot().and_then(|snapshot| newer(world, target.get_untracked(), &snapshot));
    let keys = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            leave();
        }
    };
    let step = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowLeft" => go_to(untrack(older)),
        "ArrowRight" => go_to(untrack(newer)),
        _ => {}
    };
    let is_forking = RwSignal::new(false);
    let continue_here = move |_| {
        let target = target.get_untracked().filter(|_| !is_forking.get_untracked());
        let Some(SnapshotTarget { session, turn, mind }) = target else { return };
        is_forking.set(true);
        dispatch.continue_from_session(session, (turn, mind), String::new(), move |made| {
            is_forking.set(false);
            if made {
                leave();
            }
        });
    };
    let shown = move || match state.get() {
        SnapshotState::Reading => {
            view! { <p class="snapshot-none" role="status">{words::READING}</p> }
        }
        SnapshotState::Missing => {
            view! { <p class="snapshot-none" role="alert" data-testid="snapshot-gone">{words::GONE}</p> }
        }
        SnapshotState::Loaded(snapshot) => {
            let thread = timeline(&snapshot.world, snapshot.session, None);
            let earlier = thread.earlier.is_some().then(|| {
                let more = move |_| turns.update(|turns| *turns = turns.saturating_add(TURNS_LOADED));
                plain_button("button snapshot-more", words::MORE_SAID).test("snapshot-more").on_click(more)
            });
            let now = world.with_untracked(|world| {
                world.session(&focus.get_untracked()).and_then(|session| world.working_mind(session)).cloned()
            });
            let now: Arc<Mind> = now.unwrap_or_default();
            view! {
                <div class="snapshot-panes">
                    <section class="snapshot-status" aria-label=common::CONVERSATION tabindex="0" data-testid="snapshot-status">
                        <div class="snapshot-thread">
                            {earlier}
                            {thread.rows.into_iter().filter_map(|(_, row)| row_view(row)).collect::<Vec<_>>()}
                        </div>
                    </section>
                    <section class="snapshot-mind" aria-label=words::MIND tabindex="0" data-testid="snapshot-mind">
                        <SnapshotMind snapshot=Arc::clone(&snapshot.mind) now chosen />
                    </section>
                </div>
            }
        }
    };
    view! {
        <main class="snapshot" data-testid="snapshot" on:keydown=keys>
            <header class="snapshot-bar" data-testid="snapshot-bar" on:keydown=step>
                <div class="snapshot-which">
                    <p class="label">{words::AS_IT_WAS}</p>
                    <h1 id=TITLE tabindex="-1" data-testid="snapshot-title">{move || loaded_snapshot().map(|snapshot| title(&snapshot, dispatch))}</h1>
                    <p class="hint">{words::READ_ONLY}</p>
                </div>
                <div class="snapshot-actions" role="group" aria-label=words::AS_IT_WAS>
                    {icon_button(icon(icon::BACK)).test("snapshot-older").named(words::OLDER)
                        .with("aria-keyshortcuts", "ArrowLeft")
                        .with("aria-disabled", move || older().is_none().to_string())
                        .on_click(move |_| go_to(untrack(older)))}
                    {icon_button(icon(icon::FORWARD)).test("snapshot-newer").named(words::NEWER)
                        .with("aria-keyshortcuts", "ArrowRight")
                        .with("aria-disabled", move || newer().is_none().to_string())
                        .on_click(move |_| go_to(untrack(newer)))}
                    {button(common::FORK_FROM_HERE).test("snapshot-continue")
                        .disabled(move || loaded_snapshot().is_none() || is_forking.get()).on_click(continue_here)}
                    {button(words::RETURN).first().test("snapshot-return").on_click(move |_| leave())}
                </div>
            </header>
            {shown}
        </main>
    }
}

/// Stops dictation while the composer is hidden.
fn stop_dictation() {
    let Some(room) = Workspace::now() else { return };
    if room.voice.status.get_untracked().is_listening() {
        room.voice.request(VoiceRequest::StopTalking);
    }
}

/// Loads the snapshot. The previous one stays until then.
fn read(target: RwSignal<Option<SnapshotTarget>>, turns: RwSignal<usize>, state: RwSignal<SnapshotState>) {
    let &Page { history: records, .. } = expect_context();
    let reading = Task::here();
    Effect::new(move |_| {
        let (Some(wanted), turns) = (target.get(), turns.get()) else { return reading.abort() };
        let records = records.records();
        reading.start(async move {
            let read = tree::snapshot(&records, wanted.session, wanted.turn, wanted.mind.as_ref(), turns);
            let snapshot = read.await.ok().flatten().map(Arc::new);
            state.set(snapshot.map_or(SnapshotState::Missing, SnapshotState::Loaded));
        });
    });
}

/// The next turn: on the way to the session's head, else the newest child.
fn newer(world: WorldReader, target: Option<SnapshotTarget>, snapshot: &TurnSnapshot) -> Option<TurnId> {
    let session = target?.session;
    let on_path = world.with_untracked(|world| {
        let head = world.session(&session)?.head;
        world.ancestry(head).map(|turn| turn.id).find(|turn| snapshot.newer.contains(turn))
    });
    on_path.or(snapshot.newer.last().copied())
}

fn title(snapshot: &TurnSnapshot, dispatch: Dispatch) -> String {
    let &Page { local, .. } = expect_context();
    let turn = &snapshot.turn;
    let badge = AgentBadge::of(Some(&turn.agent));
    let at = turn.closed_at.unwrap_or(turn.opened_at);
    let when = words::at(&local.day(at, dispatch.now()), &local.clock(at));
    format!("{} · {when}", reveal(&badge.name()))
}

#[component]
pub fn SnapshotMind(
    snapshot: Arc<Mind>,
    now: Arc<Mind>,
    /// The chosen file, kept from turn to turn.
    chosen: RwSignal<Option<String>>,
) -> impl IntoMarkup {
    let differing: Vec<MindField> = changes(&snapshot, &now).into_iter().map(|change| change.field).collect();
    let summary = match differing.is_empty() {
        true => words::SAME.to_owned(),
        false => {
            let names: Vec<String> = differing.iter().map(|field| reveal(&field_name(field))).collect();
            words::differs(&names)
        }
    };
    view! {
        <p class="snapshot-differs" data-testid="snapshot-differs" data-same=differing.is_empty().to_string()>{summary}</p>
        {field(common::OBJECTIVE.get(), "snapshot-objective", "prose", &snapshot.objective)}
        {field(common::SCRATCHPAD.get(), "snapshot-scratchpad", "code", &snapshot.scratchpad)}
        {files(snapshot, &differing, chosen)}
    }
}

fn field(title: &'static str, test: &'static str, style: &'static str, text: &str) -> Markup {
    let is_empty = text.trim().is_empty();
    let shown = if is_empty { words::EMPTY.to_owned() } else { text.to_owned() };
    view! {
        <h2 class="label">{title}</h2>
        <p class="snapshot-text" data-testid=test data-face=style data-empty=is_empty.to_string() dir="auto">{shown}</p>
    }
}

fn files(snapshot: Arc<Mind>, differing: &[MindField], chosen: RwSignal<Option<String>>) -> Markup {
    let names: Vec<String> = snapshot.files.keys().cloned().collect();
    if names.is_empty() {
        return view! {
            <h2 class="label">{common::FILES}</h2>
            <p class="snapshot-text" data-empty="true">{words::NO_FILES}</p>
        };
    }
    let active =
        snapshot.active.clone().filter(|name| names.contains(name)).or_else(|| names.first().cloned());
    let all = StoredValue::new(names.clone());
    let shown = select(move || {
        chosen.get().filter(|name| all.with_value(|all| all.contains(name))).or_else(|| active.clone())
    });
    let tab = |name: String| {
        let differs = differing.contains(&MindField::File(name.clone()));
        let (label, key) = (reveal(&name), StoredValue::new(name));
        let is_shown = shown.map(move |shown| key.with_value(|key| shown.as_ref() == Some(key)));
        let title = differs.then(|| format!("{label} {}", words::DIFFERS));
        view! {
            <button
                type="button" class="file-tab" data-testid="snapshot-file" data-file=key.get_value()
                data-active=move || is_shown.get().to_string() data-differs=differs.to_string()
                aria-pressed=move || is_shown.get().to_string() title=title
                on:click=move |_| chosen.set(Some(key.get_value()))
            >
                <span><bdi>{label}</bdi></span>
            </button>
        }
    };
    let tabs: Vec<_> = names.into_iter().map(tab).collect();
    let text = move || {
        let name = shown.get()?;
        let text = shown_text(&snapshot.files.get(&name)?.text);
        Some(view! { <LongText label=reveal(&name) text=Selector::fixed(text) /> })
    };
    view! {
        <h2 class="label">{common::FILES}</h2>
        <div class="file-tabs" role="group" aria-label=common::FILES>{tabs}</div>
        <div class="snapshot-file">{text}</div>
    }
}

fn row_view(row: TimelineRow) -> Option<Markup> {
    let line = |words: String| view! { <p class="snapshot-line">{words}</p> };
    match row {
        TimelineRow::Message(row) => Some(message_view(row.message, row.continued)),
        TimelineRow::Tool { .. } => Some(view! { <ToolCard row=Selector::fixed(row) /> }),
        TimelineRow::Ending { turn, end, .. } => {
            let name = AgentBadge::of(Some(&turn.0.agent)).name();
            Some(line(format!("{}: {}", reveal(&name), strings::ending_short(end))))
        }
        TimelineRow::Compaction { .. } => Some(line(words::COMPACTED.to_owned())),
        TimelineRow::Forked { .. } => Some(line(words::FORKED.to_owned())),
        TimelineRow::Retrying { .. }
        | TimelineRow::Round(_)
        | TimelineRow::Paused { .. }
        | TimelineRow::NotAsked { .. }
        | TimelineRow::Unread
        | TimelineRow::Siblings { .. }
        | TimelineRow::Ahead { .. } => None,
    }
}

/// A message of the snapshot. Text after tools continues below the same name.
fn message_view(message: PtrEq<Message>, continued: bool) -> Markup {
    let PtrEq(row) = &message;
    let (id, role) = (row.id, row.role);
    let badge = AgentBadge::of(row.agent.as_ref());
    let accent = row.agent.as_ref().and_then(|_| badge.accent());
    let head = (!continued).then(|| head(row, badge));
    let content = Selector::fixed(Some(message));
    view! {
        <article class="message" data-testid="snapshot-message" data-role=json::name(&role) data-accent=accent data-continued=continued.to_string()>
            {head}
            <MessageContent id role content thinking_open=RwSignal::new(false) />
        </article>
    }
}

fn head(message: &Arc<Message>, badge: AgentBadge) -> Markup {
    let &Page { local, settings, .. } = expect_context();
    let operator = settings.text(OPERATOR_NAME).get_untracked();
    let you = if operator.is_empty() { common::YOU.to_owned() } else { operator };
    let (who, avatar) = match message.role {
        Role::User => (you, icon(OPERATOR)),
        Role::System => (common::NEXUS.to_owned(), icon(PROGRAM)),
        Role::Assistant | Role::Tool => (badge.name(), badge.picture()),
    };
    view! {
        <span class="avatar" aria-hidden="true">{avatar}</span>
        <header class="message-head">
            <span class="message-who">{reveal(&who)}</span>
            <span class="message-meta">{local.clock(message.created_at)}</span>
        </header>
    }
}
