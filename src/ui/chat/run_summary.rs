//! The summary card of the newest run, with review and undo of its last round; and the button below the timeline that
//! opens it. It opens by itself if the operator was away. Asks no model.

use crate::ui::board::compare::state::{CompareState, Unreviewed};
use crate::ui::board::comparison::{comparison, counts};
use crate::ui::prelude::*;
use nexus_model::mind::preview::first_page;
use nexus_view::blame::Author;
use nexus_view::run_summary::{ChangedField, OpenQuestion, RoundMinds, RunSummary, run_summary, undo};
use nexus_view::strings::Notice;
use nexus_view::strings::board::compare;
use nexus_view::strings::board::preview;
use nexus_view::strings::{checks, run_graph, run_summary as words};

lazy_view!(board, lazy_run_summary, RunSummaryCard);

const CARD: &str = "catch-up";

#[component]
pub fn RunSummaryCard() -> impl IntoMarkup {
    let &Page { sessions, world, .. } = expect_context();
    let Workspace { open_summary: opened, .. } = expect_context();
    let summary = select(move || {
        let session = sessions.focus.get();
        world.with(WorldParts::ALL, |world| run_summary(world, session)).map(Arc::new)
    });
    move || summary.get().map(|summary| view! { <SummaryCard summary opened /> })
}

/// Undoes the changes of a round and shows a notice. If others changed the same lines since, it only shows the
/// conflict. False if there was nothing to undo.
pub fn undo_round(page: &'static Page, minds: &RoundMinds, then: impl FnOnce() + 'static) -> bool {
    let &Page { dispatch, notices, world, .. } = page;
    let plan = undo(minds);
    if !plan.conflicts.is_empty() {
        let fields: Vec<_> = plan.conflicts.iter().map(compare::field).collect();
        let Notice { title, advice } = words::conflict(&fields);
        notices.add(NoticeKind::Info, title, advice);
        return true;
    }
    if plan.writes.is_empty() {
        return false;
    }
    let (session, before) = (dispatch.session(), Arc::clone(&minds.now));
    let mind = move || world.mind_untracked(session);
    dispatch.write_mind_then(plan.writes, move || {
        let Some((_, after)) = mind() else { return };
        notices.add_with_undo(words::UNDONE, move || {
            let (base, now) = mind().unwrap_or_else(|| (after.hash(), Arc::clone(&after)));
            // Redoes only what the undo changed.
            let (before, after) = (Arc::clone(&before), Arc::clone(&after));
            Command::EditMind { session, base, writes: undo(&RoundMinds { before, after, now }).writes }
        });
        then();
    });
    true
}

#[component]
fn SummaryCard(summary: Arc<RunSummary>, opened: RwSignal<Option<RunId>>) -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let &Page { agents, sessions: Sessions { read_only, .. }, .. } = page;
    let room = expect_context::<Workspace>();
    let name = move |agent: &AgentKey| agents.name_untracked(agent);
    let close = move || opened.set(None);
    let review = move |_| room.compare_with(Some(ComparisonBase::RunStart));
    let undoing = summary.minds.as_ref().map(undo);
    let can_undo = undoing.is_some_and(|undo| !undo.writes.is_empty() || !undo.conflicts.is_empty());
    let minds = summary.minds.clone();
    let undo = Callback::new(move |()| {
        if let Some(minds) = minds.as_ref().filter(|_| !read_only.get_untracked()) {
            // The card is rendered anew, without the undone changes.
            undo_round(page, minds, || focus::soon(CARD.to_owned()));
        }
    });
    let keys = move |ev: KeyboardEvent| match ev.key().as_str() {
        "u" if can_undo && !ev.ctrl_key() && !ev.meta_key() && !ev.alt_key() => {
            ev.prevent_default();
            undo.run(());
        }
        "Escape" => close(),
        _ => {}
    };
    let is_plan = |field: &MindField| matches!(field, MindField::Objective | MindField::Scratchpad);
    let plan = summary.changed.iter().map(|changed| &changed.change).filter(|change| is_plan(&change.field));
    let plan: Vec<_> = plan.cloned().collect();
    let files: Vec<_> = summary.changed.iter().map(|changed| changed_row(changed, name)).collect();
    let questions: Vec<_> = summary.questions.iter().map(|question| question_row(question, name)).collect();
    let nothing = files.is_empty().then(|| view! { <p>{words::NOTHING}</p> });
    let no_questions = questions.is_empty().then(|| view! { <p>{words::NO_QUESTIONS}</p> });
    let has_changes = !files.is_empty();
    view! {
        <div
            class="run-card catch-up-card" id=CARD data-testid="catch-up" role="group" aria-label=common::RECAP
            tabindex="0" on:keydown=keys
        >
            <h3>{common::RECAP}</h3>
            <p data-testid="catch-up-summary">{words::summary(&summary)}</p>
            <h4 class="label">{common::CHANGES}</h4>
            {nothing}
            <ul class="catch-up-list" data-testid="catch-up-changes">{files}</ul>
            {(!plan.is_empty()).then(|| view! {
                <details data-testid="catch-up-plan">
                    <summary>{words::PLAN}</summary>
                    {comparison(plan)}
                </details>
            })}
            <h4 class="label">{words::QUESTIONS}</h4>
            {no_questions}
            <ul class="catch-up-list" data-testid="catch-up-questions">{questions}</ul>
            <div class="card-actions">
                {has_changes.then(|| button(words::REVIEW).first().test("catch-up-review").on_click(review))}
                {can_undo.then(|| button(words::undo(summary.rounds)).test("catch-up-undo").title(words::UNDO_ABOUT)
                        .with("aria-keyshortcuts", "u").disabled(read_only)
                        .on_click(move |_| undo.run(())))}
                <a class="quiet" href=run_graph_path(summary.run) data-testid="catch-up-graph" title=run_graph::OPEN_ABOUT>{common::GRAPH}</a>
                {quiet_button(common::CLOSE).test("catch-up-close").on_click(move |_| close())}
            </div>
        </div>
    }
}

fn changed_row(changed: &ChangedField, name: impl Fn(&AgentKey) -> String) -> Markup {
    let by = changed.by.iter().map(|author| match author {
        Author::Agent { agent, .. } => name(agent),
        Author::Operator => compare::YOU.to_owned(),
        Author::Core => compare::CORE.to_owned(),
        Author::Merge(_) => compare::MERGE.to_owned(),
    });
    let by: Vec<_> = by.collect();
    let by = (!by.is_empty()).then(|| words::by(&by));
    view! {
        <li>
            <b>{reveal(&compare::field(&changed.change.field))}</b>
            " "
            {by}
            " "
            {counts(changed.lines)}
        </li>
    }
}

fn question_row(question: &OpenQuestion, name: impl Fn(&AgentKey) -> String) -> Markup {
    let (agent, by_form) = match question {
        OpenQuestion::Approval { agent, .. } => (name(agent), false),
        OpenQuestion::Paused(_) => (String::new(), false),
        OpenQuestion::InText { agent, .. } => (name(agent), true),
    };
    view! {
        <li>
            {reveal(&words::question(question, &agent))}
            {by_form.then(|| view! { " " <span class="tag">{words::BY_FORM}</span> })}
        </li>
    }
}

#[component]
pub fn RunSummaryOffer() -> impl IntoMarkup {
    let run = expect_context::<&Page>().run.run;
    let Workspace { open_summary: opened, .. } = expect_context();
    let hidden = page::hidden();
    let ended = run.map(move |run| {
        run.as_ref().filter(|run| !run.status.is_working() && run.used.calls > 0).map(|run| run.id)
    });
    Effect::new(move |before: Option<Option<RunId>>| {
        let ended = ended.get();
        // The run ended while the page was hidden.
        if before == Some(None) && hidden.get_untracked() {
            opened.set(ended);
        }
        ended
    });
    let is_open = select(move || opened.get().is_some() && opened.get() == ended.get());
    let open = move |_| opened.set(ended.get_untracked());
    view! {
        <Show when=move || ended.get().is_some()>
            <aside class="catch-up">
                {move || if is_open.get() {
                    view! { <LazyView load=lazy_run_summary /> }
                } else {
                    quiet_button(common::RECAP).test("catch-up-open").on_click(open).into_markup()
                }}
            </aside>
        </Show>
    }
}

lazy_view!(board, lazy_changes_bar, ChangesBar);

/// The slot of the bar, empty while agents work, because their changes are unfinished.
#[component]
pub fn ChangesBarSlot() -> impl IntoMarkup {
    let &Page { run, .. } = expect_context();
    let (run, works) = (run.run, run.is_working);
    let is_at_rest = select(move || !works.get() && run.with_some(|run| run.used.calls > 0));
    let bar = loaded(lazy_changes_bar);
    move || is_at_rest.get().then(|| bar.get().map(|draw| draw()))
}

#[component]
pub fn ChangesBar() -> impl IntoMarkup {
    let state = CompareState::open(Selector::fixed(None));
    let &Page { mind, run, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let newest = run.run;
    let room = expect_context::<Workspace>();
    let dialogs = room.dialogs;
    let left = select(move || state.unreviewed());
    let page = mind.files.order.map(move |files| first_page(files).cloned());
    let changes = move |left: Unreviewed| {
        view! {
            <span class="changes-summary" data-testid="changes-summary">
                {compare::changed(left.files, left.others)}
                {counts(left.lines)}
            </span>
            {button(compare::REVIEW).test("changes-review").on_click(move |_| room.compare_with(None))}
            {quiet_button(compare::ACCEPT_ALL).test("changes-accept").title(compare::ACCEPT_ABOUT).disabled(read_only)
                .on_click(move |_| state.accept_all())}
            {quiet_button(compare::REVERT_ALL).test("changes-revert").title(compare::REVERT_ABOUT)
                .disabled(move || read_only.get() || left.unknown).on_click(move |_| state.revert_others())}
        }
    };
    let run = move |_| room.preview(page.get_untracked());
    let graph = move || {
        let path = run_graph_path(newest.with_some(|run| Some(run.id))?);
        Some(view! {
            <a class="quiet" href=path data-testid="run-graph-link" title=run_graph::OPEN_ABOUT>{common::GRAPH}</a>
        })
    };
    view! {
        <Show when=move || left.get().is_some() || page.with(Option::is_some)>
            <div class="changes-bar" role="group" aria-label=common::CHANGES data-testid="changes-bar">
                {move || left.get().map(changes)}
                <Show when=move || mind.files.order.with(|files| !files.is_empty())>
                    {plain_button("quiet changes-checks", checks::RUN).test("run-checks").title(checks::RUN_ABOUT)
                        .on_click(move |_| dialogs.open(OpenDialog::Checks))}
                </Show>
                <Show when=move || page.with(Option::is_some)>
                    {quiet_button(preview::see()).test("see-it-run").on_click(run)}
                </Show>
                {graph}
            </div>
        </Show>
    }
}
