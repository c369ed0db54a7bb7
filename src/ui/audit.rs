//! The audit screen: every event of the ledger, live, filtered, opened to its JSON, and exported.
//!
//! Keeps a few bytes of each event that is not in view.
//! Exports the listed events as JSON Lines, in pieces.

pub mod book;
pub mod detail;
pub mod filters;
pub mod list;

use futures_util::future::{AbortHandle, Abortable};
use leptos::task::spawn_local;

use crate::ui::audit::book::AuditState;
use crate::ui::audit::detail::AuditDetail;
use crate::ui::audit::filters::AuditFilters;
use crate::ui::audit::list::AuditList;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address;
use crate::ui::hooks::address::home_path;
use crate::ui::hooks::files::FileBuilder;
use crate::ui::kit::icon::Brand;
use crate::ui::kit::prelude::*;
use nexus_model::event::EventPosition;
use nexus_model::limits::AUDIT_PAGE;
use nexus_view::audit::AuditFilter;
use nexus_view::strings::audit as words;

lazy_view!(settings, lazy_audit, AuditScreen);

#[component]
pub fn AuditScreen() -> impl IntoMarkup {
    let (filter, open) = AuditFilter::read(&address::query());
    let book = AuditState::new(filter, open);
    book.follow();
    let is_open = move || book.open.get().is_some();
    view! {
        <main class="audit" data-testid="audit" data-open=move || is_open().to_string()>
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint">{words::ABOUT}</p>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <AuditFilters book />
            <div class="audit-told">
                <p role="status" data-testid="audit-count" data-done=move || book.is_done().to_string()>
                    {move || book.told()}
                </p>
                <p class="field-problem" role="alert">{move || book.problem.get()}</p>
                <AuditExport book />
            </div>
            <div class="audit-panes">
                <AuditList book />
                <Show when=is_open><AuditDetail book /></Show>
            </div>
        </main>
    }
}

/// The button, and how far the export has come.
#[component]
pub fn AuditExport(book: AuditState) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let done = RwSignal::new(None::<(usize, usize)>);
    let running = StoredValue::new(None::<AbortHandle>);
    let stop = move || {
        if let Some(running) = running.try_update_value(Option::take).flatten() {
            running.abort();
        }
    };
    on_cleanup(stop);
    let begin = move |_| {
        if done.get_untracked().is_some() {
            stop();
            done.set(None);
            return;
        }
        let name = format!("nexus-audit-{}.jsonl", dispatch.now().rfc3339().replace(':', "-"));
        let places = book.places();
        done.set(Some((0, places.len())));
        let (abort, registration) = AbortHandle::new_pair();
        running.set_value(Some(abort));
        let work = async move {
            let went = write(book, &places, |count| done.set(Some((count, places.len())))).await;
            let went = went.is_some_and(|pieces| pieces.offer(&name, "application/jsonl"));
            book.problem.set((!went).then_some(words::EXPORT_FAILED.get()));
            done.set(None);
        };
        spawn_local(async move { Abortable::new(work, registration).await.unwrap_or_default() });
    };
    let label = move || match done.get() {
        None => words::EXPORT.to_owned(),
        Some((count, all)) => format!("{} · {}", words::exported(count, all), words::STOP),
    };
    button(label)
        .test("audit-export")
        .title(words::EXPORT_ABOUT)
        .disabled(move || {
            book.version.track();
            book.count() == 0
        })
        .on_click(begin)
}

/// The lines of these events; `None` where they cannot be read, or the browser does not take them.
async fn write(book: AuditState, places: &[EventPosition], tell: impl Fn(usize)) -> Option<FileBuilder> {
    let (records, pieces) = (book.records(), FileBuilder::new());
    let mut count = 0usize;
    for some in places.chunks(AUDIT_PAGE) {
        let texts = records.at(some).await.ok()?;
        let mut lines = String::new();
        for text in some.iter().filter_map(|place| texts.get(place)) {
            lines.push_str(text);
            lines.push('\n');
        }
        if !pieces.push(&lines) {
            return None;
        }
        count = count.saturating_add(some.len());
        tell(count);
    }
    Some(pieces)
}
