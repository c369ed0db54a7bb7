//! The filter fields of the audit. The filter is stored only in the page's address.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::ui::audit::book::AuditState;
use crate::ui::view_state::{Agents, Sessions};
use nexus_model::event::Topic;
use nexus_model::id::StreamId;
use nexus_view::audit::{AuditFilter, AuditIndex, KINDS};
use nexus_view::strings::audit as words;

/// Quiet after which a text that is typed is looked for.
const QUIET: Duration = Duration::from_millis(250);

/// The fields of the filter.
#[component]
pub fn AuditFilters(book: AuditState) -> impl IntoView {
    let (agents, sessions) = (expect_context::<Agents>(), expect_context::<Sessions>());
    let known_agents = Memo::new(move |_| {
        book.version.track();
        book.index(AuditIndex::agents)
    });
    let known_kinds = Memo::new(move |_| {
        book.version.track();
        book.index(AuditIndex::kinds)
    });
    let known_streams = Memo::new(move |_| {
        book.version.track();
        book.index(AuditIndex::streams)
    });
    let of_agents = Signal::derive(move || {
        let name = |key: String| {
            let row = agents.get_untracked(&key.as_str().into());
            let name = row.map_or_else(|| key.clone(), |row| row.agent.identity.name.clone());
            (key, name)
        };
        known_agents.get().into_iter().map(name).collect::<Vec<_>>()
    });
    let of_kinds = Signal::derive(move || {
        let shipped = KINDS.iter().map(|(name, _)| (*name).to_owned());
        let mut kinds: Vec<String> = shipped.chain(known_kinds.get()).collect();
        kinds.sort();
        kinds.dedup();
        kinds.into_iter().map(|kind| (kind.clone(), kind)).collect::<Vec<_>>()
    });
    let of_topics = Signal::derive(move || {
        let topics = Topic::ALL.into_iter().map(|topic| topic.name().to_owned());
        topics.map(|topic| (topic.clone(), topic)).collect::<Vec<_>>()
    });
    let of_streams = Signal::derive(move || {
        let label = |stream: StreamId| {
            let session = stream.session();
            let row =
                session.map(|id| sessions.get_untracked(&id).map_or_else(|| id.to_string(), |row| row.label));
            (stream.to_string(), row.unwrap_or_else(|| words::APP.to_owned()))
        };
        known_streams.get().into_iter().map(label).collect::<Vec<_>>()
    });
    let typing = StoredValue::new(None::<TimeoutHandle>);
    let wait = move |then: Box<dyn Fn()>| {
        if let Some(older) = typing.get_value() {
            older.clear();
        }
        typing.set_value(set_timeout_with_handle(then, QUIET).ok());
    };
    on_cleanup(move || {
        if let Some(older) = typing.try_get_value().flatten() {
            older.clear();
        }
    });
    let type_text = move |event| {
        let text = event_target_value(&event);
        wait(Box::new(move || book.filter.update(|filter| filter.text.clone_from(&text))));
    };
    let type_run = move |event| {
        let run = event_target_value(&event).trim().to_owned();
        wait(Box::new(move || book.filter.update(|filter| filter.run.clone_from(&run))));
    };
    view! { class="n",
        <div class="audit-filters" role="search" aria-label=words::FILTERS>
            <FilterSelect book title=words::AGENT test="audit-agent" options=of_agents part=|filter| &mut filter.agent />
            <FilterSelect book title=words::KIND test="audit-kind" options=of_kinds part=|filter| &mut filter.kind />
            <FilterSelect book title=words::TOPIC test="audit-topic" options=of_topics part=|filter| &mut filter.topic />
            <FilterSelect book title=words::STREAM test="audit-stream" options=of_streams part=|filter| &mut filter.stream />
            <label class="audit-field">
                <span class="label">{words::RUN}</span>
                <input
                    class="input"
                    data-face="code"
                    data-testid="audit-run-field"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || book.filter.with(|filter| filter.run.clone())
                    on:input=type_run
                />
            </label>
            <label class="audit-field" data-wide="true">
                <span class="label">{words::TEXT}</span>
                <input
                    class="input"
                    type="search"
                    data-testid="audit-text"
                    placeholder=words::TEXT_EXAMPLE
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || book.filter.with(|filter| filter.text.clone())
                    on:input=type_text
                />
            </label>
            <label class="check">
                <input
                    type="checkbox"
                    data-testid="audit-oldest"
                    prop:checked=move || book.filter.with(|filter| filter.oldest_first)
                    on:change=move |event| {
                        let oldest_first = event_target_checked(&event);
                        book.filter.update(|filter| filter.oldest_first = oldest_first);
                    }
                />
                {words::OLDEST}
            </label>
            <button
                type="button"
                class="quiet"
                data-testid="audit-clear"
                disabled=move || book.filter.with(AuditFilter::is_empty)
                on:click=move |_| book.filter.set(AuditFilter::default())
            >
                {words::CLEAR}
            </button>
        </div>
    }
}

/// A choice among what there is.
#[component]
fn FilterSelect(
    book: AuditState,
    title: &'static str,
    test: &'static str,
    options: Signal<Vec<(String, String)>>,
    part: fn(&mut AuditFilter) -> &mut String,
) -> impl IntoView {
    let value = Memo::new(move |_| std::mem::take(part(&mut book.filter.get())));
    let option = move |(one, name): (String, String)| {
        let chosen = {
            let one = one.clone();
            move || value.with(|value| *value == one)
        };
        view! { class="n", <option value=one prop:selected=chosen>{name}</option> }
    };
    // What an address asks for stands in the list even before such an event was read.
    let all = move || {
        let (mut options, value) = (options.get(), value.get());
        if !value.is_empty() && !options.iter().any(|(one, _)| *one == value) {
            options.push((value.clone(), value));
        }
        options.into_iter().map(option).collect_view()
    };
    let choose = move |event| {
        let chosen = event_target_value(&event);
        book.filter.update(|filter| *part(filter) = chosen);
    };
    view! { class="n",
        <label class="audit-field">
            <span class="label">{title}</span>
            <select class="select" data-testid=test on:change=choose>
                <option value="" prop:selected=move || value.with(String::is_empty)>{words::ALL}</option>
                {all}
            </select>
        </label>
    }
}
