//! The audit screen: every event of the ledger, live, filtered, opened to its JSON, and exported as JSON Lines.
//!
//! Stores a few bytes of each event that is not in view. The filter is stored only in the page's address. An open
//! event is plain text, with links to run, turn and session.

pub mod state;

use crate::ui::audit::state::{AuditState, ROW, row_top};
use crate::ui::hooks::files::FileBuilder;
use crate::ui::hooks::virtual_list::on_resize;
use crate::ui::prelude::*;
use crate::ui::screens::inspect::CopyButton;
use nexus_model::event::{KINDS, Topic};
use nexus_model::job::maintenance::kind_of;
use nexus_model::limits::{AUDIT_PAGE, SHOWN_CHARS};
use nexus_view::audit::{AuditEntry, AuditFilter};
use nexus_view::strings::{audit as words, maintenance};

lazy_view!(settings, lazy_audit, AuditScreen);

#[component]
pub fn AuditScreen() -> impl IntoMarkup {
    let (filter, open) = AuditFilter::read(&address::query());
    let audit = AuditState::new(filter, open);
    audit.follow();
    let is_open = move || audit.open.get().is_some();
    view! {
        <main class="audit" data-testid="audit" data-open=move || is_open().to_string()>
            <ScreenBar title=common::EVENT_LOG>
                <p class="hint">{words::ABOUT}</p>
            </ScreenBar>
            <AuditFilters audit />
            <div class="audit-summary">
                <p role="status" data-testid="audit-count" data-done=move || audit.is_done().to_string()>
                    {move || audit.summary()}
                </p>
                <p class="field-problem" role="alert">{move || audit.problem.get()}</p>
                <AuditExport audit />
            </div>
            <div class="audit-panes">
                <AuditList audit />
                <Show when=is_open><AuditDetail audit /></Show>
            </div>
        </main>
    }
}

#[component]
pub fn AuditExport(audit: AuditState) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let done = RwSignal::new(None::<(usize, usize)>);
    let running = Task::here();
    let begin = move |_| {
        if done.get_untracked().is_some() {
            running.abort();
            return done.set(None);
        }
        let name = format!("nexus-audit-{}.jsonl", dispatch.now().rfc3339().replace(':', "-"));
        let places = audit.places();
        done.set(Some((0, places.len())));
        running.start(async move {
            let saved = write(audit, &places, |count| done.set(Some((count, places.len())))).await;
            let saved = saved.is_some_and(|pieces| pieces.offer(&name, "application/jsonl").is_ok());
            audit.problem.set((!saved).then_some(words::EXPORT_FAILED.get()));
            done.set(None);
        });
    };
    let label = move || match done.get() {
        None => words::EXPORT.to_owned(),
        Some((count, all)) => format!("{} · {}", words::exported(count, all), common::STOP),
    };
    button(label)
        .test("audit-export")
        .title(words::EXPORT_ABOUT)
        .disabled(move || audit.count() == 0)
        .on_click(begin)
}

/// Writes these events as lines; `None` if they cannot be read, or the browser rejects them.
async fn write(
    audit: AuditState,
    places: &[EventPosition],
    report_progress: impl Fn(usize),
) -> Option<FileBuilder> {
    let (records, pieces) = (audit.records(), FileBuilder::default());
    let mut count = 0usize;
    for chunk in places.chunks(AUDIT_PAGE) {
        let texts = records.at(chunk).await.ok()?;
        let mut lines = String::new();
        for text in chunk.iter().filter_map(|place| texts.get(place)) {
            lines.push_str(text);
            lines.push('\n');
        }
        pieces.push(&lines).ok()?;
        count = count.saturating_add(chunk.len());
        report_progress(count);
    }
    Some(pieces)
}

/// An agent's name, also of the Archivist, which has a key for each of its jobs.
fn agent_name(agents: Agents, key: &AgentKey) -> String {
    kind_of(key).map_or_else(|| agents.name_untracked(key), maintenance::agent_name)
}

/// The name of a session, also of one that no list shows, or of the device; `None` if it was deleted.
fn stream_name(world: WorldReader, stream: StreamId) -> Option<String> {
    let Some(session) = stream.session() else { return Some(words::APP.to_owned()) };
    world.with_untracked(|world| world.session(&session).map(|row| reveal(&row.name())))
}

type FilterPart = fn(&mut AuditFilter) -> &mut String;

/// Debounce of the typed filters, in milliseconds.
const DEBOUNCE_MS: u64 = 250;

/// A filter that is typed: its text, and the task that applies it.
#[derive(Clone, Copy)]
struct TypedFilter {
    audit: AuditState,
    part: FilterPart,
    /// Text that is not applied yet.
    pending: RwSignal<Option<String>>,
    applying: Task,
}

impl TypedFilter {
    fn new(audit: AuditState, part: FilterPart) -> Self {
        Self { audit, part, pending: RwSignal::new(None), applying: Task::here() }
    }

    fn shown(self) -> String {
        self.pending.get().unwrap_or_else(|| std::mem::take((self.part)(&mut self.audit.filter.get())))
    }

    fn enter(self, dispatch: Dispatch, text: String) {
        self.pending.set(Some(text));
        self.applying.start(async move {
            dispatch.clock().sleep(DEBOUNCE_MS).await;
            if let Some(text) = self.pending.get_untracked() {
                self.audit.filter.update(|filter| *(self.part)(filter) = text);
                self.pending.set(None);
            }
        });
    }

    fn drop_pending(self) {
        self.applying.abort();
        self.pending.set(None);
    }
}

#[component]
pub fn AuditFilters(audit: AuditState) -> impl IntoMarkup {
    let &Page { agents, dispatch, world, .. } = expect_context();
    let of_agents = audit.select(move |index| {
        let named = |key: String| (key.clone(), agent_name(agents, &key.as_str().into()));
        index.agents().into_iter().map(named).collect::<Vec<_>>()
    });
    let of_kinds = audit.select(|index| {
        let shipped = KINDS.iter().map(|(name, _)| (*name).to_owned());
        let mut kinds: Vec<String> = shipped.chain(index.kinds()).collect();
        kinds.small_sort();
        kinds.dedup();
        kinds.into_iter().map(|kind| (kind.clone(), kind)).collect::<Vec<_>>()
    });
    let of_topics = Topic::ALL.map(|topic| (topic.name().to_owned(), topic.name().to_owned()));
    let of_topics = Selector::fixed(of_topics.to_vec());
    let of_streams = audit.select(move |index| {
        let label = |stream: StreamId| {
            (stream.to_string(), stream_name(world, stream).unwrap_or_else(|| stream.to_string()))
        };
        index.streams().into_iter().map(label).collect::<Vec<_>>()
    });
    let text = TypedFilter::new(audit, |filter| &mut filter.text);
    let run = TypedFilter::new(audit, |filter| &mut filter.run);
    let clear = move |_| {
        text.drop_pending();
        run.drop_pending();
        audit.filter.set(AuditFilter::default());
    };
    view! {
        <div class="audit-filters" role="search" aria-label=words::FILTERS>
            {filter_select(audit, common::AGENT, "audit-agent", of_agents, |filter| &mut filter.agent)}
            {filter_select(audit, words::KIND, "audit-kind", of_kinds, |filter| &mut filter.kind)}
            {filter_select(audit, words::TOPIC, "audit-topic", of_topics, |filter| &mut filter.topic)}
            {filter_select(audit, common::SESSION, "audit-stream", of_streams, |filter| &mut filter.stream)}
            {captioned(Some("audit-field"), common::RUN, view! {
                <input
                    class="input" data-face="code" data-testid="audit-run-field" autocomplete="off"
                    spellcheck="false" prop:value=move || run.shown()
                    on:input=move |event| run.enter(dispatch, event_target_value(&event))
                />
            })}
            <label class="audit-field" data-wide="true">
                <span class="label">{words::TEXT}</span>
                <input
                    class="input" type="search" data-testid="audit-text" placeholder=words::TEXT_EXAMPLE
                    autocomplete="off" spellcheck="false"
                    prop:value=move || text.shown()
                    on:input=move |event| text.enter(dispatch, event_target_value(&event))
                />
            </label>
            {check(words::OLDEST, move || audit.filter.with(|filter| filter.oldest_first), move |oldest_first| {
                audit.filter.update(|filter| filter.oldest_first = oldest_first);
            }).test("audit-oldest")}
            {quiet_button(words::CLEAR).test("audit-clear")
                .disabled(move || audit.filter.with(AuditFilter::is_empty))
                .on_click(clear)}
        </div>
    }
}

fn filter_select(
    audit: AuditState,
    title: Text,
    test: &'static str,
    choices: Selector<Vec<(String, String)>>,
    part: FilterPart,
) -> Markup {
    let value = select(move || std::mem::take(part(&mut audit.filter.get())));
    // A value from the address is listed even before such an event was read.
    let all = move || {
        let (mut all, now) = (vec![(String::new(), words::ALL.to_owned())], value.get());
        all.extend(choices.get());
        if !all.iter().any(|(one, _)| *one == now) {
            all.push((now.clone(), now));
        }
        options(all, value)
    };
    let choose = move |chosen| audit.filter.update(|filter| *part(filter) = chosen);
    captioned(Some("audit-field"), title, select_box(all, choose).test(test))
}

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
    on_resize(move || vec![audit.node.get().map(Into::into)], measure);
    let window = select(move || {
        let row = |pixels: i32| usize::try_from(pixels / ROW).unwrap_or_default();
        let first = row(top.get()).saturating_sub(OVERSCAN);
        (first, row(top.get().saturating_add(height.get())) + OVERSCAN)
    });
    Effect::new(move |_| {
        audit.listed.track();
        audit.view.set(window.get());
        audit.load_lines();
    });
    let rows = move || {
        audit.filter.with(|filter| filter.oldest_first);
        let (first, last) = window.get();
        let shown =
            (first..last.min(audit.count())).filter_map(|position| Some((position, audit.at(position)?)));
        shown.collect::<Vec<_>>()
    };
    let whole = move || format!("{}px", row_top(audit.count()));
    Effect::new(move |_| {
        audit.listed.track();
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
            aria-rowcount=move || audit.count().to_string()
            aria-activedescendant=active node_ref=audit.node on:scroll=move |_| measure()
            on:keydown=move |event| on_key(audit, &event)
        >
            <div class="audit-rows" role="presentation" style:block-size=whole>
                {keyed_list(rows, |(position, known)| (*position, known.place, known.agent.clone()),
                    move |(position, known)| view! { <AuditRow audit position known /> })}
            </div>
            <Show when=move || audit.count() == 0 && audit.is_done()>
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
    let at = row_top(position);
    let (top, height) = (node.scroll_top(), node.client_height());
    if at < top {
        node.set_scroll_top(at);
    } else if at.saturating_add(ROW) > top.saturating_add(height) {
        node.set_scroll_top(at.saturating_add(ROW).saturating_sub(height));
    }
}

fn on_key(audit: AuditState, event: &KeyboardEvent) {
    let last = untrack(|| audit.count()).saturating_sub(1);
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
    let &Page { agents, local, world, .. } = expect_context();
    let AuditEntry { place, at, kind, agent, run, .. } = known;
    let row = agent.as_ref().and_then(|agent| agents.rows.row(&agent.as_str().into()));
    let accent = move || row.map(|row| row.with(|row| row.agent.accent.name()));
    let who = move || match (row, &agent) {
        (Some(row), _) => row.with(|row| row.agent.identity.name.clone()),
        (None, Some(agent)) => agent_name(agents, &agent.as_str().into()),
        (None, None) => String::new(),
    };
    let session = stream_name(world, place.stream).unwrap_or_default();
    let name = kind.clone();
    let is_open = move || audit.open.get() == Some(place);
    let down = format!("{}px", row_top(position));
    let chain = run.map(|run| {
        let filter = AuditFilter::of_run(&run.to_string());
        let id = run.to_string();
        let short = id.get(id.len().saturating_sub(6)..).unwrap_or(&id).to_owned();
        let follow = move |event: MouseEvent| {
            event.stop_propagation();
            audit.filter.set(filter.clone());
        };
        plain_button("audit-run", format!("…{short}"))
            .with("tabindex", "-1")
            .test("audit-run")
            .with("data-run", id)
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
    Effect::new(move |_| {
        let Some(place) = audit.open.get() else { return };
        spawn_local(async move {
            let texts = audit.records().at(&[place]).await.unwrap_or_default();
            let read = texts.get(&place).and_then(|text| EventDetail::read(text));
            // Another event may be open by now, or none.
            if audit.open.try_get_untracked() == Some(Some(place)) {
                opened.set(Some(read));
            }
        });
    });
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
                <CopyButton test="audit-copy" title=words::COPY.get() text=pretty />
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
                {icon_button(icon(icon::CLOSE)).named(common::CLOSE).test("audit-close")
                    .on_click(move |_| audit.open.set(None))}
            </header>
            {links}
            <pre class="audit-json" data-testid="audit-json" tabindex="0" dir="auto">{text}</pre>
        </aside>
    }
}
