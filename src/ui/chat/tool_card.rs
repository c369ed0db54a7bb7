//! The card of a tool run: arguments, status, changes and result.
//!
//! Invisible characters in arguments are made visible.

use crate::ui::board::comparison::{changed_fields, counts};
use crate::ui::chat::approval_card::{lazy_approval_card, readable};
use crate::ui::chat::message_actions::ToolLinks;
use crate::ui::chat::workers::WorkerSlot;
use crate::ui::prelude::*;
use nexus_model::message::content::ToolArgs;
use nexus_model::run::ACCEPT_WORK;
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_text::diff::LineCount;

/// A tool run: an approval card while it waits for the operator, else arguments and result.
#[component]
pub fn ToolCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let is_pending =
        row.map(move |row| row.tool().is_some_and(|run| run.0.status == ToolStatus::AwaitingApproval));
    move || {
        if is_pending.get() {
            lazy_part_of(lazy_approval_card, row)
        } else {
            view! { <ToolRunCard row /> <WorkerSlot row /> }
        }
    }
}

/// A tool run that does not wait for the operator.
#[component]
fn ToolRunCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let run = row.map(|row| row.tool().cloned());
    let PtrEq(first) = run.get_untracked()?;
    let (id, group) = (first.id, row.map(TimelineRow::group));
    let open_groups = expect_context::<&Page>().conversation.open_groups;
    let is_folded = move || group.with_some(|group| !open_groups.with(|open| open.contains(&group.first)));
    let opens_group = group.map_some(move |group| group.first == id);
    let badge = AgentBadge::of(Some(&first.agent));
    let open = RwSignal::new(false);
    let status = run.map_some(move |run| Some(run.0.status));
    let subject = run.map_some(move |run| Some(subject_of(&run.0)));
    let lines = run.map_some(|PtrEq(run)| {
        (!run.touched.is_empty()).then(|| run.touched.iter().map(|touched| touched.lines).sum())
    });
    let duration = run.map_some(|PtrEq(run)| {
        let started = run.started_at.unwrap_or(run.requested_at);
        Some(run.ended_at?.0.saturating_sub(started.0))
    });
    let toggled = move |event| open.set(dialog::is_details_open(&event));
    // A folded body is not rendered: a diff can be long.
    let body = move || open.get().then(|| lazy_part_of(lazy_tool_body, row));
    Some(view! {
        {move || opens_group.get().then(|| lazy_part_of(lazy_group_head, row))}
        <details
            class="tool-card" id=format!("tool-{}", first.id) data-testid="tool-card"
            data-agent=first.agent.0.clone() data-tool=first.call.name.clone()
            data-status=move || status.get().map(|status| json::name(&status)) data-accent=move || badge.accent()
            hidden=is_folded on:toggle=toggled
        >
            <summary>
                <span class="tool-name">{reveal(&first.call.name)}</span>
                <span class="tool-subject">{subject}</span>
                <span class="tool-end">
                    {move || lines.get().map(counts)}
                    <span>{move || duration.get().map(strings::elapsed)}</span>
                    <span class="tool-status">{move || status.get().map(strings::tool_status)}</span>
                </span>
            </summary>
            {body}
        </details>
    })
}

lazy_view!(board, lazy_group_head, GroupHead { row: Selector<TimelineRow> });

/// The card of a group, from its first call: opening it shows the cards of its calls below.
#[component]
fn GroupHead(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let PtrEq(first) = row.with_untracked(|row| row.tool().cloned())?;
    let (id, group, tool) = (first.id, row.map(TimelineRow::group), &first.call.name);
    let badge = AgentBadge::of(Some(&first.agent));
    let open_groups = expect_context::<&Page>().conversation.open_groups;
    let toggled = move |event| {
        let is_open = dialog::is_details_open(&event);
        open_groups.update(|open| {
            open.retain(|other| *other != id);
            open.extend(is_open.then_some(id));
        });
    };
    let calls = move || group.get().map(|group| language::count(group.calls, "call", "calls"));
    let lines = group.map_some(|group| Some(group.lines).filter(|lines| *lines != LineCount::default()));
    Some(view! {
        <details
            class="tool-card" data-testid="tool-group" data-tool=tool.clone() data-status="succeeded"
            data-accent=move || badge.accent() prop:open=move || open_groups.with(|open| open.contains(&id))
            on:toggle=toggled
        >
            <summary>
                <span class="tool-name">{reveal(tool)}</span>
                <span class="tool-subject">{calls}</span>
                <span class="tool-end">
                    {move || lines.get().map(counts)}
                    <span class="tool-status">{strings::tool_status(ToolStatus::Succeeded)}</span>
                </span>
            </summary>
        </details>
    })
}

lazy_view!(board, lazy_tool_body, ToolCardBody { row: Selector<TimelineRow> });

#[component]
fn ToolCardBody(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let shown = row.map(|row| {
        let TimelineRow::Tool { run, minds, .. } = row else { return None };
        Some((run.clone(), minds.clone()))
    });
    move || shown.get().map(|(run, minds)| tool_body(&run.0, minds))
}

fn tool_body(run: &ToolRun, minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>) -> Markup {
    let args = match &run.call.args {
        ToolArgs::Parsed(args) => readable(args),
        ToolArgs::Broken(text) => reveal(text),
    };
    let edited = run.edited_args().map(|args| {
        view! {
            <div class="label">{tr("Arguments as you edited them")}</div>
            <pre tabindex="0">{readable(args)}</pre>
        }
    });
    let broken = matches!(run.call.args, ToolArgs::Broken(_));
    let result = run.result.as_ref().map(readable);
    // The diff shows a write's arguments already.
    let diffs = minds
        .filter(|_| !run.touched.is_empty())
        .map(|(before, after)| changed_fields(&run.touched, &before.0, &after.0));
    let shows_diff = diffs.is_some();
    let files = run.touched.iter().filter(|touched| touched.is_file).map(|touched| touched.field.clone());
    let files: Vec<_> = files.collect();
    let folded = |title: &'static str, text: String| {
        view! {
            <details open=!shows_diff>
                <summary class="label">{title}</summary>
                <pre tabindex="0">{text}</pre>
            </details>
        }
    };
    let args = folded(if broken { tr("Arguments (invalid JSON, not run)") } else { tr("Arguments") }, args);
    let result = result.map(|result| folded(tr("Result"), result));
    view! {
        <div class="tool-body">
            {diffs}
            {edited}
            {args}
            {result}
            <ToolLinks asked_by=run.requested_by files />
        </div>
    }
}

/// The subject of a run: the fields that it touched, else its result's summary, else the file that it names. An error
/// follows the file.
fn subject_of(run: &ToolRun) -> String {
    if !run.touched.is_empty() {
        let names: Vec<_> = run.touched.iter().map(|touched| touched.field.clone()).collect();
        return reveal(&names.join(", "));
    }
    let said = |field: &str| Some(language::translate_template(run.result.as_ref()?.get(field)?.as_str()?));
    // A summary says more than arguments.
    if let Some(summary) = said("summary") {
        return reveal(&summary);
    }
    // The reasons of a verdict are what the next agents work on.
    if run.call.name == ACCEPT_WORK
        && run.status == ToolStatus::Succeeded
        && let ToolArgs::Parsed(args) = &run.effective_call().args
        && let (Some(Value::Bool(accepted)), Some(Value::String(reasons))) =
            (args.get("accepted"), args.get("reasons"))
    {
        return reveal(&strings::verdict(*accepted, reasons));
    }
    let named = match &run.call.args {
        ToolArgs::Parsed(args) => {
            ["name", "path", "activeFileName"].iter().find_map(|name| args.get(*name)?.as_str())
        }
        ToolArgs::Broken(_) => None,
    };
    let parts: Vec<_> = named.map(str::to_owned).into_iter().chain(said("error")).collect();
    reveal(&parts.join(" · "))
}
