//! The approval card of a tool run: agent, exact arguments, changes, and buttons.
//!
//! Invisible characters in arguments are made visible. Only the buttons decide.

use crate::ui::board::comparison::changed_fields;
use crate::ui::prelude::*;
use nexus_model::command::ApprovalAnswer;
use nexus_model::message::content::ToolArgs;
use nexus_text::invisible::escape_json;
use nexus_view::timeline::{ProposedChanges, approval_minds};

pub fn approval_cards(approval: Selector<Vec<ToolRunId>>) -> Markup {
    let &Page { world, .. } = expect_context();
    let card = move |tool_run: ToolRunId| {
        let timeline_row = world.select(WorldParts::SESSIONS, move |world| {
            let run = world.tool_run(&tool_run)?;
            let approval = approval_minds(world, run);
            Some(TimelineRow::Tool { run: PtrEq(Arc::clone(run)), minds: None, approval, group: None })
        });
        let row = select(move || timeline_row.get().unwrap_or(TimelineRow::Unread));
        view! { <ApprovalCard row /> }
    };
    keyed_list(move || approval.get(), |id| *id, card)
}

lazy_view!(codecs, lazy_approval_card, ApprovalCard { row: Selector<TimelineRow> });

#[component]
fn ApprovalCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let PtrEq(run) = row.with_untracked(|row| row.tool().cloned())?;
    let id = run.id;
    let badge = AgentBadge::of(Some(&run.agent));
    let tool = StoredValue::new(reveal(&run.call.name));
    let asked = match &run.call.args {
        ToolArgs::Parsed(args) => args.clone(),
        ToolArgs::Broken(text) => Value::String(text.clone()),
    };
    let shown = StoredValue::new(readable(&asked));
    let editing = RwSignal::new(false);
    let text = RwSignal::new(escape_json(&format!("{asked:#}")));
    let wrong = RwSignal::new(String::new());
    let always = RwSignal::new(false);
    let reason = RwSignal::new(String::new());
    let answer = move |answer| dispatch.send(Command::AnswerApproval { tool_run: id, answer });
    let approve = move |_| {
        let edited = editing.get_untracked().then(|| json::read::<Value>(&text.get_untracked()));
        let args = match edited.transpose() {
            Ok(args) => args,
            Err(error) => return wrong.set(strings::not_json(&error.to_string())),
        };
        wrong.set(String::new());
        answer(ApprovalAnswer::Approve { args, always: always.get_untracked() });
    };
    let deny = move |_| answer(ApprovalAnswer::Deny { reason: reason.get_untracked() });
    let proposal = row.map(move |row| {
        let TimelineRow::Tool { run, approval, .. } = row else { return None };
        approval.as_ref().map(|approval| approval.proposal(&run.0))
    });
    // The diff shows a write's arguments already.
    let shows_diff = proposal.map(move |proposal| {
        matches!(proposal, Some(ProposedChanges::Changes { touched, .. }) if !touched.is_empty())
    });
    let args = move || {
        if editing.get() {
            let field = NodeRef::<Textarea>::new();
            focus::once_mounted(field);
            view! {
                <p class="label">{tr("Arguments")}</p>
                <textarea
                    node_ref=field
                    class="input approval-args" data-testid="approval-args" aria-label=tr("Arguments (JSON)")
                    spellcheck="false" rows="8" prop:value=text.get_untracked()
                    on:input=move |event| text.set(event_target_value(&event))
                ></textarea>
                <p class="approval-wrong" role="alert">{wrong}</p>
            }
        } else {
            view! {
                <details open=move || !shows_diff.get()>
                    <summary class="label">{tr("Arguments")}</summary>
                    <pre tabindex="0" data-testid="approval-args">{shown.get_value()}</pre>
                </details>
            }
        }
    };
    let words = view! { <span>{move || strings::always(&badge.name(), &tool.get_value())}</span> };
    Some(view! {
        <section
            class="approval-card" data-testid="approval-card" data-tool=run.call.name.clone()
            data-agent=run.agent.0.clone() data-accent=move || badge.accent() aria-label=tr("Approval")
        >
            <h3>{move || strings::wants(&badge.name(), &tool.get_value())}</h3>
            {args}
            <Show when=move || !editing.get()><ApprovalChanges proposal /></Show>
            {check(words, always, move |on| always.set(on)).test("approval-always")
                .around("class", "approval-always")}
            <input
                class="input" dir="auto" data-testid="approval-reason" aria-label=tr("Reason for denying")
                placeholder=tr("Reason, if denied (shown to the agent)")
                on:input=move |event| reason.set(event_target_value(&event))
            />
            <div class="card-actions">
                {button(move || if editing.get() { tr("Approve edited") } else { tr("Approve") }).first()
                    .test("approval-approve").disabled(read_only).on_click(approve)}
                {quiet_button(move || if editing.get() { tr("Undo edits") } else { tr("Edit") }).test("approval-edit")
                    .with("aria-pressed", move || editing.get().to_string())
                    .on_click(move |_| {
                        wrong.set(String::new());
                        editing.update(|editing| *editing = !*editing);
                    })}
                {button(tr("Deny")).danger().test("approval-deny").disabled(read_only).on_click(deny)}
            </div>
        </section>
    })
}

#[component]
fn ApprovalChanges(proposal: Selector<Option<ProposedChanges>>) -> impl IntoMarkup {
    move || match proposal.get() {
        None => view! { <p class="label">{strings::CHANGES_UNKNOWN}</p> },
        Some(ProposedChanges::Rejected(refused)) => {
            let notice = strings::write_error(&refused);
            view! { <p class="approval-wrong">{text!("This would fail on the current files: {}.", notice.title)}</p> }
        }
        Some(ProposedChanges::Changes { touched, .. }) if touched.is_empty() => {
            view! { <p class="label">{tr("No changes.")}</p> }
        }
        Some(ProposedChanges::Changes { touched, before, after }) => {
            changed_fields(&touched, &before, &after)
        }
    }
}

/// JSON for people: an object's members line by line, with the line breaks of its texts.
pub(super) fn readable(value: &Value) -> String {
    let Value::Object(members) = value else {
        return reveal(&format!("{value:#}"));
    };
    if members.is_empty() {
        return "none".to_owned();
    }
    let member = |(name, value): (&String, &Value)| match value.as_str() {
        Some(text) if text.contains('\n') => format!("{name}:\n{text}"),
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value:#}"),
    };
    reveal(&members.iter().map(member).collect::<Vec<_>>().join("\n"))
}
