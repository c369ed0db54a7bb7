//! Never takes anything in that was not shown first.
//!
//! Owns the card that takes a dump in: a file is chosen, or a restore point; all of it is looked at; what would come is
//! shown; and the operator says yes.

use std::rc::Rc;

use leptos::html::Input;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

use crate::engine::data::{Fate, Plan, Taken};
use crate::engine::port::Source;
use crate::ui::app::home_path;
use crate::ui::data::proposals::Proposals;
use crate::ui::data::session_table::SessionTable;
use crate::ui::data::{Data, Wanted};
use crate::ui::hooks::{big_file, focus};
use crate::ui::words::data as words;

/// What was looked at.
#[derive(Clone)]
pub struct Looked {
    source: SendWrapper<Rc<dyn Source>>,
    plan: SendWrapper<Rc<Plan>>,
    name: String,
}

/// Where the import stands.
#[derive(Clone)]
enum Step {
    Nothing,
    Looking,
    Failed(String),
    Shown(Looked),
    Taking(Looked),
    Done(Looked, Taken),
}

/// The card.
#[component]
pub fn ImportCard(
    /// What the cards share.
    data: Data,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let (step, done) = (RwSignal::new(Step::Nothing), RwSignal::new(0u64));
    let choose = move |_| {
        if let Some(file) = big_file::chosen(input) {
            let name = file.name.clone();
            data.look_into(Rc::new(file), name);
        }
    };
    Effect::new(move |_| {
        if let Some(wanted) = data.wanted.get() {
            look(data, step, wanted);
        }
    });
    let shown = move || match step.get() {
        Step::Nothing => None,
        Step::Looking => Some(view! { class="n", <p class="data-said">{words::LOOKING}</p> }.into_any()),
        Step::Failed(why) => Some(
            view! { class="n", <p class="callout" data-testid="data-import-problem">{why}</p> }.into_any(),
        ),
        Step::Shown(looked) => Some(view! { class="n", <Shown data step done looked /> }.into_any()),
        Step::Taking(looked) => {
            let of = looked.plan.events();
            let said = move || words::taking(done.get(), of);
            Some(view! { class="n", <p class="data-said">{said}</p> }.into_any())
        }
        Step::Done(looked, taken) => Some(view! { class="n", <Done looked taken /> }.into_any()),
    };
    view! { class="n",
        <div class="settings-card" data-testid="data-import-card">
            <h3 id="data-import" tabindex="-1">{words::IMPORT}</h3>
            <p class="hint">{words::IMPORT_ABOUT}</p>
            <div class="settings-acts">
                <label class="button file-button">
                    {words::CHOOSE}
                    <input
                        node_ref=input
                        type="file"
                        class="unseen"
                        accept=".json,application/json"
                        data-testid="data-import-file"
                        on:change=choose
                    />
                </label>
            </div>
            <div class="data-found" aria-live="polite">{shown}</div>
        </div>
    }
}

fn look(data: Data, step: RwSignal<Step>, wanted: Wanted) {
    step.set(Step::Looking);
    focus::go_to("data-import");
    data.ask(move |desk| async move {
        let Wanted { source, name } = wanted;
        let next = match desk.look(&**source).await {
            Ok(plan) => Step::Shown(Looked { source, plan: SendWrapper::new(Rc::new(plan)), name }),
            Err(error) => Step::Failed(words::import_error(&error)),
        };
        step.try_set(next);
    });
}

fn take(data: Data, step: RwSignal<Step>, done: RwSignal<u64>, looked: Looked) {
    step.set(Step::Taking(looked.clone()));
    data.ask(move |desk| async move {
        // Once in a hundred is often enough for an eye.
        let told = move |events: u64| {
            if events.is_multiple_of(100) {
                done.try_set(events);
            }
        };
        let taken = desk.take(&**looked.source, &looked.plan, words::COPY_MARK, &told).await;
        let next = match taken {
            Ok(taken) => Step::Done(looked, taken),
            Err(error) => Step::Failed(words::import_error(&error)),
        };
        step.try_set(next);
        data.note_change();
    });
}

/// What would come.
#[component]
fn Shown(data: Data, step: RwSignal<Step>, done: RwSignal<u64>, looked: Looked) -> impl IntoView {
    let plan = Rc::clone(&looked.plan);
    let found = &plan.found;
    let coming = plan.count(Fate::New).saturating_add(plan.count(Fate::Copy));
    let when = found.at.rfc3339().replace('T', " ").replace('Z', " UTC");
    let head = format!("{} {}", looked.name, words::written_by(&found.app, &when));
    let nothing = match (coming, plan.sessions.is_empty()) {
        (0, true) => Some(words::NO_SESSIONS),
        (0, false) => Some(words::NOTHING_NEW),
        _ => None,
    };
    let remarks = [
        plan.brings_rules.then(|| words::RULES_LEFT.to_owned()),
        (coming > 0 && found.drafts > 0).then(|| words::drafts(found.drafts)),
        (found.unknown > 0).then(|| words::unknown(found.unknown)),
        (!found.notes.is_empty()).then(|| format!("{}: {}", words::NOTES, found.notes.join(" "))),
        nothing.map(str::to_owned),
    ];
    let remarks = remarks.into_iter().flatten().map(|remark| view! { class="n", <li>{remark}</li> });
    let typed = found.typed.iter().map(|typed| {
        let (field, text) = (typed.field.clone(), typed.text.clone());
        view! { class="n",
            <div class="field">
                <p class="field-name">{field.clone()}</p>
                <textarea class="area" rows="3" readonly="" aria-label=field prop:value=text></textarea>
            </div>
        }
    });
    let typed = typed.collect_view();
    let has_typed = !found.typed.is_empty();
    let (again, proposals) = (looked.clone(), looked.clone());
    let go = move |_| take(data, step, done, again.clone());
    view! { class="n",
        <p data-testid="data-import-head">{head}</p>
        <SessionTable plan=looked.plan.clone() />
        <ul class="checklist">{remarks.collect_view()}</ul>
        <div class="settings-acts">
            <button
                type="button"
                class="button"
                data-weight="first"
                data-testid="data-import-take"
                hidden=coming == 0
                on:click=go
            >
                {words::take(coming)}
            </button>
            <button
                type="button"
                class="button"
                data-testid="data-import-away"
                on:click=move |_| step.set(Step::Nothing)
            >
                {words::PUT_AWAY}
            </button>
        </div>
        <Proposals plan=proposals.plan />
        <details class="guide" hidden=!has_typed>
            <summary>{words::TYPED}</summary>
            {typed}
        </details>
    }
}

/// What came.
#[component]
fn Done(looked: Looked, taken: Taken) -> impl IntoView {
    let said = words::taken(taken.sessions.len(), taken.events);
    view! { class="n",
        <p class="data-said" data-testid="data-import-done">{said}</p>
        <div class="settings-acts">
            <a href=home_path() class="button" data-weight="first" rel="external" data-testid="data-to-war-room">
                {words::TO_WAR_ROOM}
            </a>
        </div>
        <Proposals plan=looked.plan />
    }
}
