//! The virtual list of events, with rows of equal height, scrolled by pointer and keys; and the open event: its JSON as
//! plain text, with links to run, turn and session.

use serde_json::Value;

use crate::ui::audit::state::{AuditState, ROW};
use crate::ui::hooks::text;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::inspect_path;
use nexus_model::event::EventPosition;
use nexus_model::limits::SHOWN_CHARS;
use nexus_text::json;
use nexus_view::audit::{AuditEntry, AuditFilter};
use nexus_view::strings::audit as words;

/// Rows rendered above and below the viewport.
const OVERSCAN: usize = 8;

#[component]
pub fn AuditList(audit: AuditState) -> impl IntoMarkup {
    let top = RwSignal::new(0i32);
    let height = RwSignal::new(0i32);
    let measure = move || {
        if let Some(node) = audit.node.get_untracked() {
            top.set(node.scroll_top());
            height.set(node.client_height());
        }
    };
    let resized = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());
    Effect::new(move |_| {
        drop(audit.node.get());
        audit.version.track();
        audit.open.track();
        // The height may have changed too.
        request_animation_frame(measure);
    });
    let window = select(move || {
        let row = |pixels: i32| usize::try_from(pixels / ROW).unwrap_or_default();
        let first = row(top.get()).saturating_sub(OVERSCAN);
        (first, row(top.get().saturating_add(height.get())) + OVERSCAN)
    });
    Effect::new(move |_| {
        audit.version.track();
        audit.view.set(window.get());
        audit.load_lines();
    });
    let rows = move || {
        audit.version.track();
        audit.filter.with(|filter| filter.oldest_first);
        let (first, last) = window.get();
        let shown =
            (first..last.min(audit.count())).filter_map(|position| Some((position, audit.at(position)?)));
        shown.collect::<Vec<_>>()
    };
    let whole = move || {
        audit.version.track();
        format!("{}px", i32::try_from(audit.count()).unwrap_or(i32::MAX).saturating_mul(ROW))
    };
    Effect::new(move |_| {
        audit.version.track();
        if audit.seeks.get_value()
            && let Some(position) = audit.open.get_untracked().and_then(|open| audit.position_of(open))
        {
            audit.seeks.set_value(false);
            request_animation_frame(move || scroll_to_row(audit, position));
        }
    });
    let active = move || audit.open.get().map(row_id);
    view! {
        <div
            class="audit-list" data-testid="audit-list" role="grid" tabindex="0" aria-label=words::EVENTS
            aria-rowcount=move || { audit.version.track(); audit.count().to_string() }
            aria-activedescendant=active node_ref=audit.node on:scroll=move |_| measure()
            on:keydown=move |event| on_key(audit, &event)
        >
            <div class="audit-rows" role="presentation" style:block-size=whole>
                {keyed_list(rows, |(position, known)| (*position, known.place, known.agent.clone()),
                    move |(position, known)| view! { <AuditRow audit position known /> })}
            </div>
            <Show when=move || { audit.version.track(); audit.count() == 0 && audit.is_done() }>
                <p class="audit-nothing">{words::NOTHING}</p>
            </Show>
        </div>
    }
}

fn row_id(place: EventPosition) -> String {
    format!("event-{}-{}", place.stream, place.seq)
}

fn scroll_to_row(audit: AuditState, position: usize) {
    let Some(node) = audit.node.get_untracked() else { return };
    let at = i32::try_from(position).unwrap_or(i32::MAX).saturating_mul(ROW);
    let (top, height) = (node.scroll_top(), node.client_height());
    if at < top {
        node.set_scroll_top(at);
    } else if at.saturating_add(ROW) > top.saturating_add(height) {
        node.set_scroll_top(at.saturating_add(ROW).saturating_sub(height));
    }
}

fn on_key(audit: AuditState, event: &KeyboardEvent) {
    let last = audit.count().saturating_sub(1);
    let page = audit
        .node
        .get_untracked()
        .map_or(10, |node| usize::try_from(node.client_height() / ROW).unwrap_or(1));
    let at = audit.open.get_untracked().and_then(|open| audit.position_of(open));
    let to = match (event.key().as_str(), at) {
        ("ArrowDown", Some(at)) => at.saturating_add(1),
        ("ArrowUp", Some(at)) => at.saturating_sub(1),
        ("PageDown", Some(at)) => at.saturating_add(page),
        ("PageUp", Some(at)) => at.saturating_sub(page),
        ("Home", _) | ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp", None) => 0,
        ("End", _) => last,
        ("Escape", Some(_)) => {
            audit.open.set(None);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    if let Some(known) = audit.at(to.min(last)) {
        audit.open.set(Some(known.place));
        scroll_to_row(audit, to.min(last));
    }
}

#[component]
fn AuditRow(audit: AuditState, position: usize, known: AuditEntry) -> impl IntoMarkup {
    let (agents, sessions) = (expect_context::<Agents>(), expect_context::<Sessions>());
    let local = expect_context::<LocalTime>();
    let AuditEntry { place, at, kind, agent, run, .. } = known;
    let row = agent.as_ref().and_then(|agent| agents.rows.row(&agent.as_str().into()));
    let accent = move || row.map(|row| row.with(|row| row.agent.accent.name()));
    let who = move || match (row, &agent) {
        (Some(row), _) => row.with(|row| row.agent.identity.name.clone()),
        (None, agent) => agent.clone().unwrap_or_default(),
    };
    let session = place.stream.session().map(|id| sessions.rows.get_untracked(&id).map(|row| row.label));
    let session = match session {
        None => words::APP.to_owned(),
        Some(label) => label.unwrap_or_default(),
    };
    let name = kind.clone();
    let is_open = move || audit.open.get() == Some(place);
    let down = format!("{}px", i32::try_from(position).unwrap_or(i32::MAX).saturating_mul(ROW));
    let chain = run.map(|run| {
        let filter = AuditFilter::of_run(&run.to_string());
        let short: String =
            run.to_string().chars().rev().take(6).collect::<Vec<_>>().into_iter().rev().collect();
        let follow = move |event: leptos::ev::MouseEvent| {
            event.stop_propagation();
            audit.filter.set(filter.clone());
        };
        plain_button("audit-run", format!("…{short}"))
            .with("tabindex", "-1")
            .test("audit-run")
            .with("data-run", run.to_string())
            .title(words::CHAIN_ABOUT)
            .on_click(follow)
    });
    view! {
        <div
            class="audit-row" id=row_id(place) role="row" data-testid="audit-row" data-kind=kind
            data-seq=place.seq.to_string() data-stream=place.stream.to_string() data-accent=accent
            aria-selected=move || is_open().to_string() aria-rowindex=position.saturating_add(1).to_string()
            style:inset-block-start=down on:click=move |_| audit.open.set(Some(place))
        >
            <time class="audit-at" role="gridcell" title=at.rfc3339()>{words::time(at, local)}</time>
            <span class="audit-kind" role="gridcell">{name}</span>
            <b class="audit-who" role="gridcell">{who}</b>
            <span class="audit-line" role="gridcell" dir="auto">
                {move || audit.line(place).unwrap_or_else(|| words::READING.to_owned())}
            </span>
            <span class="audit-session" role="gridcell">{session}</span>
            <span class="audit-chain" role="gridcell">{chain}</span>
        </div>
    }
}

#[derive(Clone, Default)]
struct EventDetail {
    pretty: String,
    /// Its beginning, if it is long.
    shown: String,
    run: Option<String>,
    turn: Option<TurnId>,
}

impl EventDetail {
    fn read(text: &str) -> Option<Self> {
        let tree = json::tree(text).ok()?;
        let word = |name: &str| tree.get(name).and_then(Value::as_str);
        let pretty = format!("{tree:#}");
        let shown = pretty.chars().take(SHOWN_CHARS).collect();
        let turn = word("turn").and_then(|turn| turn.parse().ok());
        Some(Self { run: word("run").map(str::to_owned), turn, shown, pretty })
    }
}

#[component]
pub fn AuditDetail(audit: AuditState) -> impl IntoMarkup {
    // `None` while loading; `Some(None)` if it does not exist.
    let opened = RwSignal::new(None::<Option<EventDetail>>);
    let read = move |place: EventPosition| {
        spawn_local(async move {
            let texts = audit.records().at(&[place]).await.unwrap_or_default();
            let read = texts.get(&place).and_then(|text| EventDetail::read(text));
            // Another event may be open by now, or none.
            if audit.open.try_get_untracked() == Some(Some(place)) {
                opened.try_update(|opened| *opened = Some(read));
            }
        });
    };
    Effect::new(move |_| {
        if let Some(place) = audit.open.get() {
            read(place);
        }
    });
    let copied = RwSignal::new(None::<bool>);
    let copy = move |_| {
        let text = opened.with_untracked(|opened| opened.clone().flatten().unwrap_or_default().pretty);
        spawn_local(async move {
            let done = text::copy(&text).await;
            copied.try_update(|copied| *copied = Some(done));
        });
    };
    let copy_words = move || match copied.get() {
        None => words::COPY,
        Some(true) => words::COPIED,
        Some(false) => words::NOT_COPIED,
    };
    let heading = move || {
        audit.open.get().map(|place| match place.stream.session() {
            None => format!("{} {} · {}", words::OPENED, place.seq, words::APP),
            Some(_) => format!("{} {}", words::OPENED, place.seq),
        })
    };
    let links = move || {
        let EventDetail { run, turn, pretty, shown } = opened.get().flatten()?;
        let long = (shown.len() < pretty.len()).then(|| words::shortened(pretty.len()));
        let chain = run.map(|run| {
            let follow = move |_| audit.filter.set(AuditFilter::of_run(&run));
            button(words::CHAIN).test("audit-chain").title(words::CHAIN_ABOUT).on_click(follow)
        });
        let inspect = turn.map(|turn| {
            view! {
                <a class="button" data-testid="audit-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
            }
        });
        Some(view! {
            <div class="audit-actions">
                {chain} {inspect}
                {button(copy_words).test("audit-copy").on_click(copy)}
            </div>
            {long.map(|long| view! { <p class="hint">{long}</p> })}
        })
    };
    let text = move || match opened.get() {
        None => words::READING.to_owned(),
        Some(None) => words::GONE.to_owned(),
        Some(Some(opened)) => opened.shown,
    };
    view! {
        <aside class="audit-detail" data-testid="audit-detail" aria-label=words::OPENED>
            <header>
                <h2>{heading}</h2>
                {icon_button(icon(icon::CLOSE)).title(common::CLOSE).label(common::CLOSE).test("audit-close")
                    .on_click(move |_| audit.open.set(None))}
            </header>
            {links}
            <pre class="audit-json" data-testid="audit-json" tabindex="0" dir="auto">{text}</pre>
        </aside>
    }
}
