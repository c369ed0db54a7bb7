//! The reflog dialog: former heads of a session, each to open as a snapshot or to fork. And the dialog that compares
//! two turns: their messages side by side, and their minds field by field.

use crate::ui::board::comparison::comparison;
use crate::ui::prelude::*;
use nexus_engine::queries::tree as reader;
use nexus_engine::queries::tree::{TurnPreview, more_heads};
use nexus_model::mind::review::changes;
use nexus_model::turn::tree::{Reflog, ReflogEntry, TurnStub};
use nexus_view::strings::{tree as words, tree_layout as tree_layout_words};

lazy_view!(board, lazy_reflog, ReflogDialog);

#[derive(Clone, Debug)]
struct ReflogRow {
    head: ReflogEntry,
    dot: Option<TurnStub>,
    first_words: String,
    is_now: bool,
}

#[derive(Clone, Copy)]
struct ReflogState {
    session: SessionId,
    heads: StoredValue<Reflog>,
    rows: RwSignal<Vec<ReflogRow>>,
    more: RwSignal<bool>,
    is_reading: RwSignal<bool>,
    problem: RwSignal<Option<&'static str>>,
}

impl ReflogState {
    fn read(self, records: EventQueries) {
        if self.is_reading.get_untracked() {
            return;
        }
        self.is_reading.set(true);
        spawn_local(async move {
            let mut heads = self.heads.get_value();
            let read = more(&records, self.session, &mut heads).await;
            self.is_reading.set(false);
            match read {
                Ok((more, rows)) => {
                    self.more.set(more);
                    self.rows.update(|all| all.extend(rows));
                    self.heads.set_value(heads);
                }
                Err(_) => self.problem.set(Some(words::UNREADABLE.get())),
            }
        });
    }
}

/// Loads older heads; returns whether there are more, and their rows.
async fn more(
    records: &EventQueries,
    session: SessionId,
    heads: &mut Reflog,
) -> Result<(bool, Vec<ReflogRow>), StoreError> {
    let from = heads.all.len();
    let more = more_heads(records, session, heads).await?;
    let new = heads.all.iter().enumerate().skip(from);
    let mut turns: Vec<TurnId> = new.clone().filter_map(|(_, head)| head.turn).collect();
    turns.small_sort();
    turns.dedup();
    let (dots, _) = reader::stubs(records, turns.iter().map(ToString::to_string).collect()).await?;
    let words = reader::last_lines(records, &turns).await?;
    let rows = new.map(|(place, head)| {
        let dot = dots.iter().find(|dot| Some(dot.id) == head.turn).cloned();
        let words = words.iter().find(|(turn, _)| dot.as_ref().is_some_and(|dot| dot.id == *turn));
        let first_words = words.map(|(_, words)| words.clone()).unwrap_or_default();
        ReflogRow { head: head.clone(), dot, first_words, is_now: place == 0 }
    });
    Ok((more, rows.collect()))
}

#[component]
pub(crate) fn ReflogDialog() -> impl IntoMarkup {
    let &Page { history, sessions, .. } = expect_context();
    let Workspace { dialogs: tree, .. } = expect_context();
    let Some(OpenDialog::Heads(session)) = tree.opened.get_untracked() else { return None };
    let (dialog, leave) = dialog::leaving(move || tree.opened.set(None));
    let list = ReflogState {
        session,
        heads: StoredValue::new(Reflog::default()),
        rows: RwSignal::new(Vec::new()),
        more: RwSignal::new(false),
        is_reading: RwSignal::new(false),
        problem: RwSignal::new(None),
    };
    list.read(history.records());
    let name = sessions.rows.get_untracked(&session).map(|row| reveal(&row.label));
    let nothing =
        move || list.rows.with(Vec::is_empty) && !list.is_reading.get() && list.problem.get().is_none();
    Some(modal("dialog session-list head-list", "head-list", leave).titled("head-list-title").node(dialog).with_children(view! {
        <div class="session-head">
            <h2 id="head-list-title">{common::SESSION_HISTORY}</h2>
            <span class="tag" dir="auto">{name}</span>
            {icon_button(icon(icon::CLOSE)).test("head-list-close").named(common::CLOSE)
                .on_click(move |_| leave())}
        </div>
        <p class="hint">{words::HEADS_ABOUT}</p>
        <p class="session-error" role="alert">{move || list.problem.get()}</p>
        <ol class="session-rows" on:keydown=|event| focus::step_by_arrows(&event, ".head-open")>
            {keyed_list(move || list.rows.get(), |row: &ReflogRow| row.head.seq,
                move |row: ReflogRow| view! { <ReflogLine row list leave=Callback::new(move |()| leave()) /> })}
        </ol>
        <Show when=nothing><p class="hint" data-testid="head-none">{words::NO_HEADS}</p></Show>
        <Show when=move || list.more.get()>
            {button(words::OLDER_HEADS).test("head-older").disabled(move || list.is_reading.get())
                .on_click(move |_| list.read(history.records()))}
        </Show>
    }))
}

#[component]
fn ReflogLine(row: ReflogRow, list: ReflogState, leave: Callback<()>) -> impl IntoMarkup {
    let &Page { dispatch, local, sessions: Sessions { focus, .. }, .. } = expect_context();
    let Workspace { dialogs: tree, .. } = expect_context();
    let ReflogRow { head, dot, first_words, is_now } = row;
    let session = list.session;
    let when = words::at(&local.day(head.at, dispatch.now()), &local.clock(head.at));
    let why = words::why(head.reason, dot.as_ref().map(|dot| dot.kind), dot.as_ref().and_then(|dot| dot.end));
    let badge = AgentBadge::of(dot.as_ref().map(|dot| &dot.agent));
    let who = match (&dot, head.turn) {
        (Some(_), _) => reveal(&badge.name()),
        (None, Some(_)) => String::new(),
        (None, None) => words::BEGINNING.to_owned(),
    };
    let (turn, left) = (head.turn, head.mind_before);
    let open = move |_| {
        let Some(turn) = turn else { return };
        leave.run(());
        if focus.get_untracked() != session {
            dispatch.open(session);
        }
        tree.show_snapshot(Some(SnapshotTarget { session, turn, mind: left }));
    };
    let continue_here = move |_| {
        let Some(turn) = turn else { return };
        dispatch.continue_from_session(session, (turn, left), String::new(), move |made| {
            if made {
                leave.try_run(());
            }
        });
    };
    let continue_here = (turn.is_some() && !is_now).then(|| {
        view! {
            <span class="session-actions">
                {quiet_button(common::FORK_FROM_HERE).test("head-continue").on_click(continue_here)}
            </span>
        }
    });
    let now = is_now.then(|| view! { <span class="tag" data-kind="works">{words::NOW}</span> });
    view! {
        <li class="session-row" data-testid="head-row" data-turn=turn.map(|turn| turn.to_string())>
            <button
                type="button" class="session-open head-open" data-testid="head-open" data-accent=badge.accent()
                disabled=turn.is_none() title=words::OPEN on:click=open
            >
                <span class="session-name">{who}</span>
                <span class="session-about" dir="auto">{reveal(&first_words)}</span>
                <span class="session-facts">{now}<span class="tag">{why}</span><span>{when}</span></span>
            </button>
            {continue_here}
        </li>
    }
}

#[derive(Clone, PartialEq)]
enum TurnComparison {
    Reading,
    Gone,
    Both(Arc<(TurnPreview, TurnPreview, Vec<FieldDiff>)>),
}

#[component]
pub fn CompareTurns(
    history: HistoryContext,
    /// The two turns, the older one first; `None` if the dialog is closed.
    compared: RwSignal<Option<(TurnId, TurnId)>>,
) -> impl IntoMarkup {
    let found = RwSignal::new(TurnComparison::Reading);
    let records = history.records();
    let in_view = expect_context::<&Page>().sessions.focus.get_untracked();
    if let Some((old, new)) = compared.get_untracked() {
        spawn_local(async move {
            let read = async |turn: TurnId| {
                let preview = reader::preview(&records, turn, usize::MAX).await.ok().flatten()?;
                let mind = reader::mind_at(&records, turn, in_view).await.ok().flatten()?;
                Some((preview, mind))
            };
            let both = read(old).await.zip(read(new).await);
            found.set(both.map_or(TurnComparison::Gone, |((old, before), (new, after))| {
                TurnComparison::Both(Arc::new((old, new, changes(&before, &after))))
            }));
        });
    }
    let close = move || compared.set(None);
    let shown = move || match found.get() {
        TurnComparison::Reading => view! { <p class="hint">{tree_layout_words::READING}</p> },
        TurnComparison::Gone => {
            view! { <p class="hint" data-testid="tree-gone">{tree_layout_words::GONE}</p> }
        }
        TurnComparison::Both(both) => {
            let (old, new, changes) = both.as_ref();
            let same = changes.is_empty().then_some(tree_layout_words::SAME);
            let direction = tree_layout_words::direction(&head_of(old), &head_of(new));
            let direction = (!changes.is_empty()).then(|| view! { <p class="hint">{direction}</p> });
            let changed = (!changes.is_empty()).then(|| comparison(changes.clone()));
            view! {
                <div class="tree-both">{side(old)} {side(new)}</div>
                <p class="hint">{same}</p>
                {direction}
                {changed}
            }
        }
    };
    modal("tree-compare", "tree-compared", close).label(tree_layout_words::COMPARED).with_children(view! {
        <header class="tree-compare-head">
            <h2>{tree_layout_words::COMPARED}</h2>
            {button(common::CLOSE).test("tree-compare-close").on_click(move |_| close())}
        </header>
        {shown}
    })
}

/// The agent of a turn, its model and its time.
fn head_of(preview: &TurnPreview) -> String {
    let &Page { local, .. } = expect_context();
    let turn = &preview.turn;
    // A merge has no model and no agent.
    if turn.kind == TurnKind::Merge {
        let name = tree_layout_words::nobody(turn.kind, &turn.agent);
        return format!("{name} · {}", local.clock(turn.opened_at));
    }
    let name = AgentBadge::of(Some(&turn.agent)).name();
    let model = strings::model_name(&turn.config.model);
    format!("{} · {} · {}", reveal(&name), reveal(&model), local.clock(turn.opened_at))
}

fn side(preview: &TurnPreview) -> Markup {
    let badge = AgentBadge::of(Some(&preview.turn.agent));
    let head = head_of(preview);
    view! {
        <section class="tree-one" data-accent=badge.accent()>
            <h3>{head}</h3>
            <p class="tree-text" dir="auto">{reveal(&plain(&preview.prompt))}</p>
            <p class="tree-text" dir="auto">{reveal(&plain(&preview.answer))}</p>
        </section>
    }
}
