//! Never approves by itself, and never shows an argument that hides what it says. No key but the buttons' own decides
//! anything.
//!
//! Owns the card that asks the operator about a tool run: who asks, the exact arguments, what would change; and the
//! answers.

use leptos::prelude::*;
use serde_json::Value;

use crate::domain::command::{ApprovalAnswer, Command};
use crate::domain::json;
use crate::domain::part::ToolArgs;
use crate::domain::text::hidden::{escape_json, reveal};
use crate::domain::timeline::{Proposal, Row, Shared};
use crate::domain::tool::ToolRun;
use crate::ui::chat::tool_card::readable;
use crate::ui::chat::tool_diff::ToolDiff;
use crate::ui::dispatch::Dispatch;
use crate::ui::face::Face;
use crate::ui::view_state::Sessions;
use crate::ui::words;

/// A tool run that waits for the operator.
#[component]
pub fn ApprovalCard(
    /// The tool run.
    run: Shared<ToolRun>,
    /// Its row.
    row: Signal<Row>,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let read_only = expect_context::<Sessions>().read_only();
    let run = run.0;
    let id = run.id;
    let face = Face::of(Some(&run.agent));
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
                wrong.set(words::not_json(&error.to_string()));
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
            <h3>{move || words::wants(&face.name(), &tool.get_value())}</h3>
            <p class="label">{"Arguments"}</p>
            {args}
            <Show when=move || !editing.get()>
                <Changes row />
            </Show>
            <label class="approval-always">
                <input
                    type="checkbox"
                    data-testid="approval-always"
                    prop:checked=move || always.get()
                    on:change=move |event| always.set(event_target_checked(&event))
                />
                <span>{move || words::always(&face.name(), &tool.get_value())}</span>
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
fn Changes(row: Signal<Row>) -> impl IntoView {
    let proposal = Memo::new(move |_| {
        row.with(|row| match row {
            Row::Tool { run, asked, .. } => asked.as_ref().map(|asked| asked.proposal(&run.0)),
            Row::Message { .. }
            | Row::Ending { .. }
            | Row::Round(_)
            | Row::Paused { .. }
            | Row::Unasked { .. }
            | Row::Held { .. }
            | Row::Siblings { .. }
            | Row::Forked { .. }
            | Row::Ahead { .. }
            | Row::Compaction { .. }
            | Row::Unread => None,
        })
    });
    move || match proposal.get() {
        None => view! { class="n", <p class="label">{words::changes_unknown()}</p> }.into_any(),
        Some(Proposal::Refused(refused)) => {
            let told = words::write_refused(&refused);
            view! { class="n", <p class="approval-wrong">{format!("As the files stand now, this would fail: {}.", told.title)}</p> }
                .into_any()
        }
        Some(Proposal::Changes { touched, .. }) if touched.is_empty() => {
            view! { class="n", <p class="label">{"It would change nothing: it is like this already."}</p> }
                .into_any()
        }
        Some(Proposal::Changes { touched, before, after }) => {
            let (before, after) = (Shared(before), Shared(after));
            touched
                .into_iter()
                .map(|touched| view! { class="n", <ToolDiff touched before=before.clone() after=after.clone() /> })
                .collect::<Vec<_>>()
                .into_any()
        }
    }
}
