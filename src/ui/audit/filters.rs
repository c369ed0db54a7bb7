//! The filter fields of the audit. The filter is stored only in the page's address.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;

use crate::ui::audit::book::AuditState;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Agents, Sessions};
use nexus_model::event::Topic;
use nexus_model::id::StreamId;
use nexus_text::small_sort::SmallSort as _;
use nexus_view::audit::{AuditFilter, AuditIndex, KINDS};
use nexus_view::strings::audit as words;

/// Quiet after which a text that is typed is looked for.
const QUIET: Duration = Duration::from_millis(250);

#[component]
pub fn AuditFilters(book: AuditState) -> impl IntoMarkup {
    let (agents, sessions) = (expect_context::<Agents>(), expect_context::<Sessions>());
    let known_agents = select(move || {
        book.version.track();
        book.index(AuditIndex::agents)
    });
    let known_kinds = select(move || {
        book.version.track();
        book.index(AuditIndex::kinds)
    });
    let known_streams = select(move || {
        book.version.track();
        book.index(AuditIndex::streams)
    });
    let of_agents = select(move || {
        let name = |key: String| {
            let row = agents.get_untracked(&key.as_str().into());
            let name = row.map_or_else(|| key.clone(), |row| row.agent.identity.name.clone());
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
    view! {
        <div class="audit-filters" role="search" aria-label=words::FILTERS>
            <FilterSelect book title=words::AGENT.get() test="audit-agent" choices=of_agents part=|filter| &mut filter.agent />
            <FilterSelect book title=words::KIND.get() test="audit-kind" choices=of_kinds part=|filter| &mut filter.kind />
            <FilterSelect book title=words::TOPIC.get() test="audit-topic" choices=of_topics part=|filter| &mut filter.topic />
            <FilterSelect book title=words::STREAM.get() test="audit-stream" choices=of_streams part=|filter| &mut filter.stream />
            <label class="audit-field">
                <span class="label">{words::RUN}</span>
                <input
                    class="input" data-face="code" data-testid="audit-run-field" autocomplete="off"
                    spellcheck="false" prop:value=move || book.filter.with(|filter| filter.run.clone())
                    on:input=type_run
                />
            </label>
            <label class="audit-field" data-wide="true">
                <span class="label">{words::TEXT}</span>
                <input
                    class="input" type="search" data-testid="audit-text" placeholder=words::TEXT_EXAMPLE
                    autocomplete="off" spellcheck="false"
                    prop:value=move || book.filter.with(|filter| filter.text.clone()) on:input=type_text
                />
            </label>
            {check(words::OLDEST, move || book.filter.with(|filter| filter.oldest_first), move |oldest_first| {
                book.filter.update(|filter| filter.oldest_first = oldest_first);
            }).test("audit-oldest")}
            {quiet_button(words::CLEAR).test("audit-clear")
                .disabled(move || book.filter.with(AuditFilter::is_empty))
                .on_click(move |_| book.filter.set(AuditFilter::default()))}
        </div>
    }
}

/// A choice among what there is.
#[component]
fn FilterSelect(
    book: AuditState,
    title: &'static str,
    test: &'static str,
    choices: Selector<Vec<(String, String)>>,
    part: fn(&mut AuditFilter) -> &mut String,
) -> impl IntoMarkup {
    let value = select(move || std::mem::take(part(&mut book.filter.get())));
    // What an address asks for stands in the list even before such an event was read.
    let all = move || {
        let (mut all, now) = (vec![(String::new(), words::ALL.to_owned())], value.get());
        all.extend(choices.get());
        if !all.iter().any(|(one, _)| *one == now) {
            all.push((now.clone(), now));
        }
        options(all, value)
    };
    let choose = move |chosen| book.filter.update(|filter| *part(filter) = chosen);
    view! {
        <label class="audit-field">
            <span class="label">{title}</span>
            {select_box(all, choose).test(test)}
        </label>
    }
}
