//! Workers in the war room: the card below the tool run that started one, and notices of those that need an answer.
//!
//! The slots are in the first program; their content is loaded with the board.
//!
//! Also the lines above the composer, in any session: workers that ask or wait, and the link back from a worker's
//! session.

use crate::ui::chat::approval_card::approval_cards;
use crate::ui::chat::race::lazy_race;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::merge_path;
use nexus_model::session::SessionRole;
use nexus_model::session::delegation::{OpenWorker, Worker, WorkerEnd};
use nexus_model::session::workers::{WorkerState, spent_by, state, unmerged};
use nexus_view::strings::chat::workers as own;

/// The slot below a tool run that started a worker.
#[component]
pub fn WorkerSlot(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let is_sent = row.map(move |row| row.tool().is_some_and(|run| run.0.worker.is_some()));
    move || is_sent.get().then(|| lazy_part_of(lazy_worker_card, row))
}

#[component]
pub fn WorkerNeedsSlot() -> impl IntoMarkup {
    [lazy_slot(lazy_race, |draw| draw()), lazy_slot(lazy_worker_needs, |draw| draw())]
}

lazy_view!(board, lazy_worker_needs, WorkerNeeds);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WorkerRequest {
    session: SessionId,
    agent: AgentKey,
    title: String,
    needs_approval: bool,
}

/// Workers of other sessions that ask or wait.
fn needs(world: &World, in_view: SessionId) -> Vec<WorkerRequest> {
    let open = world.sessions.values().flat_map(|session| &session.workers);
    let need = |sent: &OpenWorker| {
        let worker = world.tool_run(&sent.tool_run)?.worker.as_ref()?;
        let needs_approval = match state(world, worker) {
            WorkerState::AwaitsApproval(_) => true,
            WorkerState::Paused(_) => false,
            WorkerState::Working | WorkerState::Ended(_) => return None,
        };
        let (agent, title) = (worker.agent.clone(), worker.title.clone());
        Some(WorkerRequest { session: worker.session, agent, title, needs_approval })
    };
    open.filter(|sent| sent.session != in_view).filter_map(need).collect()
}

/// The worker of the session in view, and the session that started it.
fn sent_from(world: &World, in_view: SessionId) -> Option<(AgentKey, SessionId, String)> {
    let session = world.session(&in_view).filter(|session| session.role() == SessionRole::Worker)?;
    let parent = world.session(&session.parent?).filter(|parent| parent.deleted_at.is_none())?;
    Some((session.owner.clone()?, parent.id, parent.name().into_owned()))
}

#[component]
pub fn WorkerNeeds() -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { focus, .. }, world, .. } = expect_context();
    let needed = world.select(WorldParts::ALL, move |world| needs(world, focus.get()));
    let from = world.select(WorldParts::ALL, move |world| sent_from(world, focus.get()));
    let line = move |need: WorkerRequest| {
        let badge = AgentBadge::of(Some(&need.agent));
        let (session, asks, title) = (need.session, need.needs_approval, reveal(&need.title));
        view! {
            <li class="worker-need" data-testid="worker-need" data-session=session.to_string() data-accent=move || badge.accent()>
                <span dir="auto">{move || own::needs(&badge.name(), &title, asks)}</span>
                {button(own::OPEN).test("worker-need-open").on_click(move |_| dispatch.open(session))}
            </li>
        }
    };
    let back = move || {
        let (agent, parent, label) = from.get()?;
        let badge = AgentBadge::of(Some(&agent));
        let label = reveal(&label);
        let label_text = label.clone();
        Some(view! {
            <p class="worker-back" data-testid="worker-back" data-accent=move || badge.accent()>
                <span dir="auto">{move || own::is_worker(&badge.name(), &label_text)}</span>
                {quiet_button(own::back_to(&label)).test("worker-back-to")
                    .on_click(move |_| dispatch.open(parent))}
            </p>
        })
    };
    view! {
        <div class="worker-needs" aria-live="polite">
            {back}
            <Show when=move || needed.with(|needed| !needed.is_empty())>
                <ul aria-label=own::NEEDED>{keyed_list(move || needed.get(), Clone::clone, line)}</ul>
            </Show>
        </div>
    }
}

lazy_view!(board, lazy_worker_card, WorkerCard { row: Selector<TimelineRow> });

#[derive(Clone, Debug, PartialEq)]
struct WorkerStatus {
    worker: Worker,
    state: WorkerState,
    used: RunUsage,
    /// The worker's turn that is not merged yet.
    unmerged: Option<TurnId>,
    run: Option<RunId>,
    exists: bool,
}

fn shown(world: &World, worker: &Worker) -> WorkerStatus {
    let session = world.session(&worker.session).filter(|session| session.deleted_at.is_none());
    let used = match &worker.end {
        Some(end) => end.spent,
        None => session.map(|session| spent_by(world, session)).unwrap_or_default(),
    };
    WorkerStatus {
        worker: worker.clone(),
        state: state(world, worker),
        used,
        unmerged: unmerged(world, worker),
        run: session.and_then(|session| world.open_run(session)).map(|run| run.id),
        exists: session.is_some(),
    }
}

fn state_name(state: &WorkerState) -> &'static str {
    match state {
        WorkerState::Working => "working",
        WorkerState::AwaitsApproval(_) => "asking",
        WorkerState::Paused(_) => "waiting",
        WorkerState::Ended(WorkerEnd::Done) => "done",
        WorkerState::Ended(WorkerEnd::Failed) => "failed",
        WorkerState::Ended(WorkerEnd::Stopped) => "stopped",
        WorkerState::Ended(WorkerEnd::Lost) => "lost",
    }
}

#[component]
pub fn WorkerCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, world, .. } = expect_context();
    let sent = row.map(move |row| row.tool().and_then(|run| run.0.worker.clone()));
    let first = sent.get_untracked()?;
    let (session, title) = (first.session, reveal(&first.title));
    let badge = AgentBadge::of(Some(&first.agent));
    let shown = select(move || {
        sent.get().and_then(|worker| world.with(WorldParts::ALL, |world| Some(shown(world, &worker))))
    });
    let is_so = move |read: fn(&WorkerStatus) -> bool| shown.with_some(read);
    let name = move || shown.with_some(|shown| Some(state_name(&shown.state)));
    let status = move || shown.with_some(|shown| Some(own::state(&shown.state)));
    let used = move || {
        shown.with(|shown| shown.as_ref().filter(|shown| shown.used.calls > 0).map(|it| own::used(&it.used)))
    };
    let works = select(move || is_so(|shown| shown.worker.end.is_none() && shown.exists));
    let is_here = select(move || is_so(|shown| shown.exists));
    let pending = shown.map(move |shown| match shown.as_ref().map(|shown| &shown.state) {
        Some(WorkerState::AwaitsApproval(pending)) => pending.clone(),
        Some(WorkerState::Working | WorkerState::Paused(_) | WorkerState::Ended(_)) | None => Vec::new(),
    });
    let waiting_run = shown.map_some(move |shown| match &shown.state {
        WorkerState::Paused(cause) => Some((shown.run?, strings::pause(cause))),
        WorkerState::Working | WorkerState::AwaitsApproval(_) | WorkerState::Ended(_) => None,
    });
    let waiting = move || {
        let (run, status) = waiting_run.get()?;
        Some(view! {
            <div class="worker-waits">
                <p><b>{status.title}</b>" "{status.advice}</p>
                <div class="card-actions">
                    {button(common::RESUME).first().test("worker-resume").disabled(read_only)
                        .on_click(move |_| dispatch.send(Command::ContinueRun { run }))}
                    {quiet_button(own::END).test("worker-end").disabled(read_only)
                        .on_click(move |_| dispatch.send_to_end(Command::EndRun { run }))}
                </div>
            </div>
        })
    };
    let merge = move || {
        let turn = shown.with_some(|shown| shown.unmerged)?;
        Some(view! {
            <a class="button quiet" href=merge_path(turn) title=own::MERGE_ABOUT data-testid="worker-merge">{own::MERGE}</a>
        })
    };
    let conflicts = move || {
        let shown = shown.get()?;
        let conflicts =
            shown.worker.end.map(|end| end.conflicts).filter(|conflicts| !conflicts.is_empty())?;
        let conflicts: Vec<String> = conflicts.iter().map(|name| reveal(name)).collect();
        Some(view! {
            <p class="worker-conflicts" data-testid="worker-conflicts">{own::conflicts(&conflicts)}</p>
        })
    };
    Some(view! {
        <section
            class="worker-card" data-testid="worker-card" data-session=session.to_string() data-state=name
            data-accent=move || badge.accent() aria-label=move || own::works_on(&badge.name(), &title)
        >
            <div class="worker-head">
                <span class="avatar" aria-hidden="true">{move || badge.picture()}</span>
                <span class="worker-who">{move || badge.name()}</span>
                <span class="worker-title" dir="auto">{reveal(&first.title)}</span>
                <span class="tag" data-testid="worker-state" role="status">{status}</span>
                <span class="worker-used">{used}</span>
                <span class="worker-actions">
                    <Show when=move || works.get()>
                        {quiet_button(common::STOP).test("worker-stop").disabled(read_only)
                            .on_click(move |_| dispatch.send_to_end(Command::Stop { session }))}
                    </Show>
                    {merge}
                    <Show when=move || is_here.get()>
                        {quiet_button(own::OPEN).test("worker-open")
                            .on_click(move |_| dispatch.open(session))}
                    </Show>
                </span>
            </div>
            {conflicts}
            {waiting}
            {approval_cards(pending)}
            <Show when=move || !is_here.get()><p class="hint">{own::GONE}</p></Show>
        </section>
    })
}
