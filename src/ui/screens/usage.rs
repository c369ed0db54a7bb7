//! The usage screen: tokens and cost of all model calls, by day, agent, model or session.

use crate::ui::prelude::*;
use nexus_model::memory::DAY_MS;
use nexus_view::strings::usage as words;
use nexus_view::usage::{UsageBy, UsageRow, UsageTally, csv};

lazy_view!(settings, lazy_usage, UsageScreen);

#[derive(Clone, Copy)]
struct UsageState {
    tally: RwSignal<UsageTally>,
    /// True if everything was read; `None` while reading.
    outcome: RwSignal<Option<bool>>,
    by: RwSignal<UsageBy>,
    /// Number of days included; 0 means all.
    days: RwSignal<u64>,
}

#[component]
pub fn UsageScreen() -> impl IntoMarkup {
    let state = UsageState {
        tally: RwSignal::new(UsageTally::default()),
        outcome: RwSignal::new(None),
        by: RwSignal::new(UsageBy::Day),
        days: RwSignal::new(30),
    };
    let records = expect_context::<&Page>().history.records();
    spawn_here(async move {
        let read = read_all(&records).await;
        state.outcome.set(Some(read.is_ok()));
        state.tally.set(read.unwrap_or_default());
    });
    let spans = words::SPANS.map(|(id, name, days)| option(id, name, move || state.days.get() == days));
    let span = move |id: String| {
        let days = words::SPANS.iter().find(|(name, ..)| *name == id).map(|(.., days)| *days);
        state.days.set(days.unwrap_or_default());
    };
    let groups = UsageBy::ALL.map(|by| option(by.name(), by.name(), move || state.by.get() == by));
    let group = move |name: String| {
        let by = UsageBy::ALL.into_iter().find(|by| *by.name() == *name);
        state.by.set(by.unwrap_or(UsageBy::Day));
    };
    view! {
        <main class="audit usage" data-testid="usage" data-done=move || state.outcome.get().is_some().to_string()>
            <ScreenBar title=common::USAGE>
                <p class="hint">{words::ABOUT}</p>
            </ScreenBar>
            <div class="usage-bar">
                <label class="usage-choice">{words::GROUP}" "
                    {select_box(groups, group).test("usage-by")}</label>
                <label class="usage-choice">{words::SPAN}" "
                    {select_box(spans, span).test("usage-span")}</label>
                <a class="quiet" href=settings_path_at("settings-costs")>{words::PRICES}</a>
            </div>
            <UsageTable state />
        </main>
    }
}

#[component]
fn UsageTable(state: UsageState) -> impl IntoMarkup {
    let &Page { dispatch, local, world, .. } = expect_context();
    let since = state.days.map(move |days| match days {
        0 => Millis(0),
        days => Millis(dispatch.now().0.saturating_sub(days.saturating_mul(DAY_MS))),
    });
    let rows = world.select(WorldParts::ROSTER.and(WorldParts::SESSIONS), move |world| {
        let agent = |key: &AgentKey| {
            world.agent(key).map_or_else(|| key.0.clone(), |agent| reveal(&agent.identity.name))
        };
        let session = |id: &SessionId| {
            let name = world.session(id).map(|row| row.name()).filter(|name| !name.is_empty());
            name.map_or_else(|| words::UNKNOWN.to_owned(), |name| reveal(&name))
        };
        state.tally.with(|tally| tally.rows(state.by.get(), since.get(), local, agent, session))
    });
    let total = state.tally.map(move |tally| tally.total(since.get()));
    let copy_status = RwSignal::new("");
    let copy = move |_| {
        let text = csv(state.by.get_untracked(), &rows.get_untracked());
        spawn_local(async move {
            let copied = text::copy(&text).await;
            copy_status.set(if copied { words::COPIED.get() } else { common::NOT_COPIED.get() });
        });
    };
    let summary = move || match state.outcome.get() {
        None => words::READING.to_owned(),
        Some(false) => words::FAILED.to_owned(),
        Some(true) if rows.with(Vec::is_empty) => words::NOTHING.to_owned(),
        Some(true) => total.with(UsageRow::summary),
    };
    let most = rows.map(move |rows| rows.iter().map(weight).max().unwrap_or_default());
    let row = move |row: UsageRow| {
        let share = weight(&row).saturating_mul(100).checked_div(most.get_untracked()).unwrap_or_default();
        view! {
            <tr data-testid="usage-row">
                <th scope="row" dir="auto">
                    {row.name.clone()}
                    <span class="usage-share" aria-hidden="true" style:inline-size=format!("{share}%")></span>
                </th>
                <td>{strings::tokens(row.calls)}</td>
                <td>{strings::tokens(row.input)}</td>
                <td>{strings::tokens(row.output)}</td>
                <td>{row.cost_text()}</td>
            </tr>
        }
    };
    view! {
        <div class="usage-summary">
            <p role="status" data-testid="usage-summary">{summary}</p>
            {button(words::COPY).test("usage-copy").disabled(move || rows.with(Vec::is_empty)).on_click(copy)}
            <span class="hint" role="status">{copy_status}</span>
        </div>
        <div class="usage-rows" tabindex="0" role="group" aria-label=common::USAGE>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{move || state.by.get().name()}</th>
                        <th scope="col">{words::CALLS}</th>
                        <th scope="col">{words::INPUT}</th>
                        <th scope="col">{words::OUTPUT}</th>
                        <th scope="col">{common::COST}</th>
                    </tr>
                </thead>
                <tbody>{move || rows.get().into_iter().map(row).into_markup()}</tbody>
            </table>
            <Show when=move || total.with(|total| total.is_unpriced)>
                <p class="hint">{words::UNPRICED}" "{strings::ESTIMATE}</p>
            </Show>
        </div>
    }
}

/// A bar's length: the cost, or without any known cost the tokens.
fn weight(row: &UsageRow) -> u64 {
    if row.cost.0 > 0 { row.cost.0 } else { row.tokens() }
}

async fn read_all(records: &EventQueries) -> Result<UsageTally, StoreError> {
    let mut tally = UsageTally::default();
    for (stream, last) in records.streams().await? {
        let mut seq = 0u64;
        while seq < last {
            let page = records.after(stream, seq).await?;
            let count = u64::try_from(page.len()).unwrap_or(u64::MAX);
            if count == 0 {
                break;
            }
            page.iter().for_each(|text| tally.read(text));
            seq = seq.saturating_add(count);
        }
    }
    Ok(tally)
}
