//! The approval card of a tool run: the agent, the exact arguments, the changes, and the answers.
//!
//! Invisible characters in arguments are made visible. Only the buttons' own keys decide.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::chat::tool_card::readable;
use crate::ui::chat::tool_diff::ToolDiff;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::view_state::Sessions;
use nexus_model::command::{ApprovalAnswer, Command};
use nexus_model::message::content::ToolArgs;
use nexus_model::tool::ToolRun;
use nexus_text::invisible::{escape_json, reveal};
use nexus_text::json;
use nexus_view::strings;
use nexus_view::timeline::{ProposedChanges, PtrEq, TimelineRow};

/// A tool run that waits for the operator.
#[component]
pub fn ApprovalCard(run: PtrEq<ToolRun>, row: Signal<TimelineRow>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let read_only = expect_context::<Sessions>().read_only();
    let run = run.0;
    let id = run.id;
    let face = AgentBadge::of(Some(&run.agent));
    let tool = StoredValue::new(reveal(&run.call.name));
    let asked = match &run.call.args {
        ToolArgs::Parsed(args) => args.clone(),
        ToolArgs::Broken(text) => Value::String(text.clone()),
    };
    let shown = StoredValue::new(readable(&asked));
    let editing = RwSignal::new(false);
    let text = RwSignal::new(escape_json(&serde_json::to_string_pretty(&asked).unwrap_or_default()));
    let wrong = RwSignal::new(String::new());
    let always = RwSignal::new(false);
    let reason = RwSignal::new(String::new());
    let answer = move |answer| dispatch.send(Command::AnswerApproval { tool_run: id, answer });
    let approve = move |_| {
        let args = match editing.get_untracked().then(|| json::read::<Value>(&text.get_untracked())) {
            None => None,
            Some(Ok(args)) => Some(args),
            Some(Err(error)) => {
                wrong.set(strings::not_json(&error.to_string()));
                return;
            }
        };
        wrong.set(String::new());
        answer(ApprovalAnswer::Approve { args, always: always.get_untracked() });
    };
    let deny = move |_| answer(ApprovalAnswer::Deny { reason: reason.get_untracked() });
    let args = move || {
        if editing.get() {
            view! { class="n",
                <textarea
                    class="input approval-args"
                    data-testid="approval-args"
                    aria-label="Arguments, as JSON"
                    spellcheck="false"
                    rows="8"
                    prop:value=text.get_untracked()
                    on:input=move |event| text.set(event_target_value(&event))
                ></textarea>
                <p class="approval-wrong" role="alert">{move || wrong.get()}</p>
            }
            .into_any()
        } else {
            view! { class="n", <pre tabindex="0" data-testid="approval-args">{shown.get_value()}</pre> }
                .into_any()
        }
    };
    view! { class="n",
        <section
            class="approval-card"
            data-testid="approval-card"
            data-tool=run.call.name.clone()
            data-agent=run.agent.0.clone()
            data-accent=move || face.accent()
            aria-label="Approval"
        >
            <h3>{move || strings::wants(&face.name(), &tool.get_value())}</h3>
            <p class="label">{"Arguments"}</p>
            {args}
            <Show when=move || !editing.get()>
                <ApprovalChanges row />
            </Show>
            <label class="approval-always">
                <input
                    type="checkbox"
                    data-testid="approval-always"
                    prop:checked=move || always.get()
                    on:change=move |event| always.set(event_target_checked(&event))
                />
                <span>{move || strings::always(&face.name(), &tool.get_value())}</span>
            </label>
            <input
                class="input"
                dir="auto"
                data-testid="approval-reason"
                aria-label="Why not, for the agent"
                placeholder="If not: why? The agent reads this."
                on:input=move |event| reason.set(event_target_value(&event))
            />
            <div class="card-actions">
                <button
                    class="button"
                    type="button"
                    data-weight="first"
                    data-testid="approval-approve"
                    disabled=move || read_only.get()
                    on:click=approve
                >
                    {move || if editing.get() { "Approve as edited" } else { "Approve" }}
                </button>
                <button
                    class="quiet"
                    type="button"
                    data-testid="approval-edit"
                    aria-pressed=move || editing.get().to_string()
                    on:click=move |_| {
                        wrong.set(String::new());
                        editing.update(|editing| *editing = !*editing);
                    }
                >
                    {move || if editing.get() { "As asked" } else { "Edit" }}
                </button>
                <button
                    class="button"
                    type="button"
                    data-weight="danger"
                    data-testid="approval-deny"
                    disabled=move || read_only.get()
                    on:click=deny
                >
                    {"Deny"}
                </button>
            </div>
        </section>
    }
}

/// What the call would change in the mind as it is now.
#[component]
fn ApprovalChanges(row: Signal<TimelineRow>) -> impl IntoView {
    let proposal = Memo::new(move |_| {
        row.with(|row| match row {
            TimelineRow::Tool { run, asked, .. } => asked.as_ref().map(|asked| asked.proposal(&run.0)),
            TimelineRow::Message { .. }
            | TimelineRow::Ending { .. }
            | TimelineRow::Round(_)
            | TimelineRow::Paused { .. }
            | TimelineRow::Unasked { .. }
            | TimelineRow::Held { .. }
            | TimelineRow::Siblings { .. }
            | TimelineRow::Forked { .. }
            | TimelineRow::Ahead { .. }
            | TimelineRow::Compaction { .. }
            | TimelineRow::Unread => None,
        })
    });
    move || match proposal.get() {
        None => view! { class="n", <p class="label">{strings::changes_unknown()}</p> }.into_any(),
        Some(ProposedChanges::Refused(refused)) => {
            let told = strings::write_refused(&refused);
            view! { class="n", <p class="approval-wrong">{format!("As the files stand now, this would fail: {}.", told.title)}</p> }
                .into_any()
        }
        Some(ProposedChanges::Changes { touched, .. }) if touched.is_empty() => {
            view! { class="n", <p class="label">{"It would change nothing: it is like this already."}</p> }
                .into_any()
        }
        Some(ProposedChanges::Changes { touched, before, after }) => {
            let (before, after) = (PtrEq(before), PtrEq(after));
            touched
                .into_iter()
                .map(|touched| view! { class="n", <ToolDiff touched before=before.clone() after=after.clone() /> })
                .collect::<Vec<_>>()
                .into_any()
        }
    }
}
