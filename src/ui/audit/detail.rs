//! The opened event: its JSON as plain text, and links to the run, turn and session.

use leptos::task::spawn_local;
use serde_json::Value;

use crate::ui::audit::book::AuditState;
use crate::ui::hooks::text;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::inspect_path;
use nexus_model::event::EventPosition;
use nexus_model::id::TurnId;
use nexus_model::limits::SHOWN_CHARS;
use nexus_text::json;
use nexus_view::audit::AuditFilter;
use nexus_view::strings::audit as words;

#[derive(Clone, Default)]
struct EventDetail {
    /// Its JSON, to be read by people.
    pretty: String,
    /// The beginning of it, where it is long.
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

/// The event that is open.
#[component]
pub fn AuditDetail(book: AuditState) -> impl IntoMarkup {
    // `None` while it is read; `Some(None)` where it is not there.
    let opened = RwSignal::new(None::<Option<EventDetail>>);
    let read = move |place: EventPosition| {
        spawn_local(async move {
            let texts = book.records().at(&[place]).await.unwrap_or_default();
            let read = texts.get(&place).and_then(|text| EventDetail::read(text));
            // Meanwhile another one may be open, or none.
            if book.open.try_get_untracked() == Some(Some(place)) {
                opened.try_update(|opened| *opened = Some(read));
            }
        });
    };
    Effect::new(move |_| {
        if let Some(place) = book.open.get() {
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
        book.open.get().map(|place| match place.stream.session() {
            None => format!("{} {} · {}", words::OPENED, place.seq, words::APP),
            Some(_) => format!("{} {}", words::OPENED, place.seq),
        })
    };
    let ways = move || {
        let EventDetail { run, turn, pretty, shown } = opened.get().flatten()?;
        let long = (shown.len() < pretty.len()).then(|| words::shortened(pretty.len()));
        let chain = run.map(|run| {
            let follow = move |_| book.filter.set(AuditFilter::of_run(&run));
            button(words::CHAIN).test("audit-chain").title(words::CHAIN_ABOUT).on_click(follow)
        });
        let inspect = turn.map(|turn| {
            view! {
                <a class="button" data-testid="audit-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
            }
        });
        Some(view! {
            <div class="audit-ways">
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
                {icon_button(icon(icon::CLOSE)).title(words::CLOSE).label(words::CLOSE).test("audit-close")
                    .on_click(move |_| book.open.set(None))}
            </header>
            {ways}
            <pre class="audit-json" data-testid="audit-json" tabindex="0" dir="auto">{text}</pre>
        </aside>
    }
}
