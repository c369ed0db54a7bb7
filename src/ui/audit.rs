//! The audit screen: every event of the ledger, live, filtered, opened to its JSON, and exported as JSON Lines.
//!
//! Stores a few bytes of each event that is not in view. The filter is stored only in the page's address.

pub mod list;
pub mod state;

use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable};
use leptos::leptos_dom::helpers::TimeoutHandle;

use crate::ui::audit::list::{AuditDetail, AuditList};
use crate::ui::audit::state::AuditState;
use crate::ui::hooks::files::FileBuilder;
use crate::ui::kit::icon::ScreenBar;
use crate::ui::prelude::*;
use nexus_model::event::{EventPosition, KINDS, Topic};
use nexus_model::id::StreamId;
use nexus_model::limits::AUDIT_PAGE;
use nexus_text::small_sort::SmallSort as _;
use nexus_view::audit::{AuditFilter, AuditIndex};
use nexus_view::strings::audit as words;

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
        let places = audit.places();
        done.set(Some((0, places.len())));
        let (abort, registration) = AbortHandle::new_pair();
        running.set_value(Some(abort));
        let work = async move {
            let saved = write(audit, &places, |count| done.set(Some((count, places.len())))).await;
            let saved = saved.is_some_and(|pieces| pieces.offer(&name, "application/jsonl").is_ok());
            audit.problem.set((!saved).then_some(words::EXPORT_FAILED.get()));
            done.set(None);
        };
        spawn_local(async move { Abortable::new(work, registration).await.unwrap_or_default() });
    };
    let label = move || match done.get() {
        None => words::EXPORT.to_owned(),
        Some((count, all)) => format!("{} · {}", words::exported(count, all), common::STOP),
    };
    button(label)
        .test("audit-export")
        .title(words::EXPORT_ABOUT)
        .disabled(move || {
            audit.version.track();
            audit.count() == 0
        })
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

/// Debounce of the text filter.
const DEBOUNCE: Duration = Duration::from_millis(250);

#[component]
pub fn AuditFilters(audit: AuditState) -> impl IntoMarkup {
    let (agents, sessions) = (expect_context::<Agents>(), expect_context::<Sessions>());
    let known = move |read: fn(&AuditIndex) -> Vec<String>| {
        select(move || {
            audit.version.track();
            audit.index(read)
        })
    };
    let (known_agents, known_kinds) = (known(AuditIndex::agents), known(AuditIndex::kinds));
    let known_streams = select(move || {
        audit.version.track();
        audit.index(AuditIndex::streams)
    });
    let of_agents = select(move || {
        let name = |key: String| {
            let name = agents.name_untracked(&key.as_str().into());
            (key, name)
        };
        known_agents.get().into_iter().map(name).collect::<Vec<_>>()
    });
    let of_kinds = select(move || {
        let shipped = KINDS.iter().map(|(name, _)| (*name).to_owned());
        let mut kinds: Vec<String> = shipped.chain(known_kinds.get()).collect();
        kinds.small_sort();
        kinds.dedup();
        kinds.into_iter().map(|kind| (kind.clone(), kind)).collect::<Vec<_>>()
    });
    let of_topics = select(move || {
        let topics = Topic::ALL.into_iter().map(|topic| topic.name().to_owned());
        topics.map(|topic| (topic.clone(), topic)).collect::<Vec<_>>()
    });
    let of_streams = select(move || {
        let label = |stream: StreamId| {
            let session = stream.session();
            let row = session
                .map(|id| sessions.rows.get_untracked(&id).map_or_else(|| id.to_string(), |row| row.label));
            (stream.to_string(), row.unwrap_or_else(|| words::APP.to_owned()))
        };
        known_streams.get().into_iter().map(label).collect::<Vec<_>>()
    });
    let typing = StoredValue::new(None::<TimeoutHandle>);
    let debounce = move |then: Box<dyn Fn()>| {
        if let Some(older) = typing.get_value() {
            older.clear();
        }
        typing.set_value(set_timeout_with_handle(then, DEBOUNCE).ok());
    };
    on_cleanup(move || {
        if let Some(older) = typing.try_get_value().flatten() {
            older.clear();
        }
    });
    let type_text = move |event| {
        let text = event_target_value(&event);
        debounce(Box::new(move || audit.filter.update(|filter| filter.text.clone_from(&text))));
    };
    let type_run = move |event| {
        let run = event_target_value(&event).trim().to_owned();
        debounce(Box::new(move || audit.filter.update(|filter| filter.run.clone_from(&run))));
    };
    view! {
        <div class="audit-filters" role="search" aria-label=words::FILTERS>
            <FilterSelect audit title=common::AGENT.get() test="audit-agent" choices=of_agents part=|filter| &mut filter.agent />
            <FilterSelect audit title=words::KIND.get() test="audit-kind" choices=of_kinds part=|filter| &mut filter.kind />
            <FilterSelect audit title=words::TOPIC.get() test="audit-topic" choices=of_topics part=|filter| &mut filter.topic />
            <FilterSelect audit title=common::SESSION.get() test="audit-stream" choices=of_streams part=|filter| &mut filter.stream />
            <label class="audit-field">
                <span class="label">{common::RUN}</span>
                <input
                    class="input" data-face="code" data-testid="audit-run-field" autocomplete="off"
                    spellcheck="false" prop:value=move || audit.filter.with(|filter| filter.run.clone())
                    on:input=type_run
                />
            </label>
            <label class="audit-field" data-wide="true">
                <span class="label">{words::TEXT}</span>
                <input
                    class="input" type="search" data-testid="audit-text" placeholder=words::TEXT_EXAMPLE
                    autocomplete="off" spellcheck="false"
                    prop:value=move || audit.filter.with(|filter| filter.text.clone()) on:input=type_text
                />
            </label>
            {check(words::OLDEST, move || audit.filter.with(|filter| filter.oldest_first), move |oldest_first| {
                audit.filter.update(|filter| filter.oldest_first = oldest_first);
            }).test("audit-oldest")}
            {quiet_button(words::CLEAR).test("audit-clear")
                .disabled(move || audit.filter.with(AuditFilter::is_empty))
                .on_click(move |_| audit.filter.set(AuditFilter::default()))}
        </div>
    }
}

#[component]
fn FilterSelect(
    audit: AuditState,
    title: &'static str,
    test: &'static str,
    choices: Selector<Vec<(String, String)>>,
    part: fn(&mut AuditFilter) -> &mut String,
) -> impl IntoMarkup {
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
    view! {
        <label class="audit-field">
            <span class="label">{title}</span>
            {select_box(all, choose).test(test)}
        </label>
    }
}
