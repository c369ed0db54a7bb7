//! The card of the selected turn, its text plain with invisible characters made visible, and its actions; and the list
//! of sessions beside the tree: go to the head, rename, archive.

use crate::ui::prelude::*;
use crate::ui::tree_map::state::TreeState;
use crate::ui::workspace::snapshot_path;
use nexus_engine::queries::tree as reader;
use nexus_engine::queries::tree::{SessionFlag, TurnPreview};
use nexus_model::limits::TREE_PREVIEW_CHARS;
use nexus_model::session::SessionStatus;
use nexus_view::strings::board::core_sync::core_change;
use nexus_view::strings::{tree, tree_layout as words};

pub(super) const FIRST: &str = "tree-first";

#[component]
pub fn TurnCard(tree: TreeState) -> impl IntoMarkup {
    let preview = RwSignal::new(None::<Arc<TurnPreview>>);
    // Read again when another turn is selected, and when the turn ended.
    let target = select(move || {
        let turn = tree.at.get()?;
        let end = tree.map.with(|map| map.turn_of(turn).map(|dot| dot.end));
        Some((turn, end))
    });
    let reading = Task::here();
    Effect::new(move |_| {
        let Some((turn, _)) = target.get() else { return reading.abort() };
        let records = tree.records();
        reading.start(async move {
            let read = reader::preview(&records, turn, TREE_PREVIEW_CHARS).await.ok().flatten();
            // Rerendering the same text would take the focus off the buttons below.
            preview.set_if_changed(read.map(Arc::new));
        });
    });
    let shown = move || match (tree.at.get(), preview.get()) {
        (Some(turn), Some(preview)) if preview.turn.id == turn => preview_view(tree, &preview),
        (Some(_), _) => view! { <p class="hint">{words::READING}</p> },
        (None, _) => view! { <p class="hint">{words::NO_TURN}</p> },
    };
    view! { <section class="tree-card" data-testid="tree-card" aria-live="off">{shown}</section> }
}

fn preview_view(tree: TreeState, preview: &TurnPreview) -> Markup {
    let &Page { local, .. } = expect_context();
    let turn = &preview.turn;
    let id = turn.id;
    let badge = AgentBadge::of(Some(&turn.agent));
    let is_merge = turn.kind == TurnKind::Merge;
    // A merge has no model and no agent.
    let model = (!is_merge).then(|| strings::model_name(&turn.config.model));
    let used = Some(turn.usage.total()).filter(|used| *used > 0).map(strings::tokens_with_unit);
    let facts = [Some(local.clock(turn.opened_at)), model, used, turn.cost().map(strings::money)];
    let facts = facts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let nobody = is_merge.then(|| words::nobody(turn.kind, &turn.agent));
    // Read within: the agents are those of the session in view, and a card that is rerendered when a fork of its turn
    // comes into view loses the focus.
    let name = move || nobody.clone().unwrap_or_else(|| reveal(&badge.name()));
    let (kind, end) = (turn.kind, turn.end);
    let changed = (!preview.touched.is_empty()).then(|| core_change(&preview.touched));
    let tools = (!preview.tools.is_empty()).then(|| preview.tools.join(", "));
    let text = |label: &'static str, test: &'static str, text: String| {
        (!text.trim().is_empty()).then(|| {
            view! {
                <h3 class="label">{label}</h3>
                <p class="tree-text" data-testid=test dir="auto">{reveal(&plain(&text))}</p>
            }
        })
    };
    view! {
        <header class="tree-card-head" data-accent=move || badge.accent()>
            <span class="avatar" aria-hidden="true">{move || badge.picture()}</span>
            <h2>{name}</h2>
            <span class="tag">{move || tree.special(id, kind, end)}</span>
        </header>
        <p class="hint">{facts}</p>
        <p class="hint">{move || tree.is_orphan(id).then_some(words::TORN)}</p>
        {text(words::ASKED.get(), "tree-asked", preview.prompt.clone())}
        {text(words::ANSWERED.get(), "tree-answered", preview.answer.clone())}
        {text(words::CHANGED.get(), "tree-changed", changed.unwrap_or_default())}
        {text(common::TOOLS.get(), "tree-tools", tools.unwrap_or_default())}
        <TurnButtons tree turn=id home=turn.session />
    }
}

#[component]
fn TurnButtons(tree: TreeState, turn: TurnId, home: SessionId) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    // Each is rerendered only when its content changed: a rerendered button loses the focus.
    let flags = select(move || tree.flags_at(turn));
    let open = move || {
        let open = |flag: SessionFlag| {
            let session = flag.session;
            view! {
                <a class="button" data-testid="tree-open" href=home_path() title=words::OPEN_ABOUT on:click=move |_| dispatch.open(session)>
                    {words::open(&reveal(&flag.name))}
                </a>
            }
        };
        flags.get().into_iter().map(open).collect::<Vec<_>>()
    };
    let from = move || untrack(move || tree.flags_at(turn)).first().map(|flag| flag.session);
    let target = select(move || tree.merges_into(turn));
    let merge = move || {
        target.get().map(|label| {
            button(words::merge_into(&reveal(&label)))
                .test("tree-merge")
                .title(words::MERGE_ABOUT)
                .on_click(move |_| tree.merged.set(Some((turn, from()))))
        })
    };
    let is_done = tree.map.map(move |map| map.turn_of(turn).is_some_and(|dot| dot.end.is_some()));
    let fork = move |_| dispatch.continue_at((turn, home), move || tree.follows_head.set_value(true));
    let folded = select(move || Some(tree.folded_here()).filter(|folded| *folded > 0));
    let unfold = move || {
        folded.get().map(|folded| {
            button(words::unfold(folded)).test("tree-unfold").on_click(move |_| tree.toggle_run())
        })
    };
    let is_marked = move || tree.marked.get() == Some(turn);
    let can_compare = move || tree.marked.get().is_some_and(|marked| marked != turn);
    let compare = move |_| {
        if let Some(marked) = tree.marked.get_untracked() {
            tree.compared.set(Some((marked, turn)));
        }
    };
    view! {
        <div class="tree-actions" role="group">
            {unfold}
            {open}
            <Show when=can_compare>
                {button(words::WITH_MARKED).first().test("tree-compare").on_click(compare)}
            </Show>
            {button(move || if is_marked() { words::MARKED } else { words::MARK }).id(FIRST).test("tree-mark")
                .with("aria-pressed", move || is_marked().to_string()).title(words::MARK_ABOUT)
                .on_click(move |_| tree.marked.set((!is_marked()).then_some(turn)))}
            <span class="hint" role="status">{move || is_marked().then_some(words::MARKED_NEXT)}</span>
            <Show when=move || is_done.get()>
                <a class="button" data-testid="tree-then" href=snapshot_path(turn) title=tree::OPEN_ABOUT>{tree::OPEN}</a>
                {button(common::FORK_FROM_HERE).test("tree-fork").title(words::FORK_ABOUT).on_click(fork)}
            </Show>
            {merge}
            <a class="button" data-testid="tree-inspect" href=inspect_path(turn) title=words::INSPECT_ABOUT>{common::INSPECT}</a>
        </div>
    }
}

#[component]
pub fn FlagList(tree: TreeState) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let row = move |flag: SessionFlag| {
        let head = flag.head;
        let session = flag.session;
        let about = move || {
            let mut about: Vec<&'static str> = Vec::new();
            if tree.page.sessions.focus.get() == session {
                about.push(words::IN_VIEW.get());
            }
            about.extend(words::flag(flag.origin, flag.status));
            if head.is_none() {
                about.push(words::NO_HEAD.get());
            }
            about.join(" · ")
        };
        let is_here = move || head.is_some() && tree.at.get() == head;
        let naming = RwSignal::new(false);
        let name = StoredValue::new(flag.name.clone());
        let field = NodeRef::<Input>::new();
        use_select_all(field);
        let save = move || {
            let new = field.get_untracked().map(|field| field.value()).unwrap_or_default();
            naming.set(false);
            if !new.trim().is_empty() && new.trim() != name.get_value() {
                dispatch.send(Command::LabelSession { session, label: new });
            }
        };
        let key = move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => save(),
            "Escape" => naming.set(false),
            _ => {}
        };
        let is_away = flag.status != SessionStatus::Open;
        let set = move |status: SessionStatus| {
            move |_| dispatch.send(Command::SetSessionStatus { session, status })
        };
        let (label, status) = match is_away {
            true => (common::REOPEN, SessionStatus::Open),
            false => (common::ARCHIVE, SessionStatus::Archived),
        };
        let close = quiet_button(common::CLOSE).test("tree-flag-close").on_click(set(SessionStatus::Closed));
        view! {
            <li class="tree-flag-row">
                <button
                    type="button" class="tree-flag" data-testid="tree-flag" data-session=session.to_string()
                    disabled=head.is_none() aria-pressed=move || is_here().to_string()
                    on:click=move |_| {
                        if let Some(head) = head {
                            tree.show(head);
                        }
                    }
                >
                    <span class="tree-flag-name">{reveal(&flag.name)}</span>
                    <span class="tree-flag-about">{about}</span>
                </button>
                <Show when=move || naming.get()>
                    <input
                        class="input" data-testid="tree-flag-field" aria-label=words::NAME node_ref=field
                        prop:value=name.get_value() on:keydown=key on:blur=move |_| naming.set(false)
                    />
                </Show>
                <span class="tree-flag-actions">
                    {icon_button(icon(EDIT)).test("tree-flag-name").named(words::NAME)
                        .on_click(move |_| naming.set(true))}
                    {quiet_button(label).test("tree-flag-archive").on_click(set(status))}
                    {(!is_away).then_some(close)}
                </span>
            </li>
        }
    };
    let rows = move || tree.flags.get().into_iter().map(row).collect::<Vec<_>>();
    view! {
        <section class="tree-flags" aria-label=common::SESSIONS>
            <h2 class="label">{common::SESSIONS}</h2>
            <ul>{rows}</ul>
        </section>
    }
}
