//! The import card: reads a dump from a file or restore point, shows the plan, and imports when confirmed.

use std::rc::Rc;

use leptos::html::Input;
use send_wrapper::SendWrapper;

use crate::ui::hooks::address::home_path;
use crate::ui::hooks::files::streamed_file;
use crate::ui::hooks::focus;
use crate::ui::hooks::page::forget_session;
use crate::ui::kit::prelude::*;
use crate::ui::settings::data::proposals::ProposalList;
use crate::ui::settings::data::session_table::SessionTable;
use crate::ui::settings::data::state::{BackupState, PendingDump};
use nexus_engine::backup::{ImportAction, ImportPlan, ImportResult};
use nexus_engine::port::ByteSource;
use nexus_model::dump::sums::Sums;
use nexus_view::language::Text;
pub use nexus_view::strings::settings::data as words;

/// What was looked at.
#[derive(Clone)]
pub struct CheckedDump {
    source: SendWrapper<Rc<dyn ByteSource>>,
    plan: SendWrapper<Rc<ImportPlan>>,
    name: String,
}

#[derive(Clone)]
enum ImportStep {
    Nothing,
    Looking,
    Failed(String),
    Shown(CheckedDump),
    Taking(CheckedDump),
    Done(CheckedDump, ImportResult),
}

#[component]
pub fn ImportCard(data: BackupState) -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    let (step, done) = (RwSignal::new(ImportStep::Nothing), RwSignal::new(0u64));
    let choose = move |_| {
        if let Some(file) = streamed_file::chosen(input) {
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
        ImportStep::Nothing => None,
        ImportStep::Looking => Some(view! { <p class="data-said">{words::LOOKING}</p> }),
        ImportStep::Failed(why) => {
            Some(view! { <p class="callout" data-testid="data-import-problem">{why}</p> })
        }
        ImportStep::Shown(looked) => Some(view! { <ImportPreview data step done looked /> }),
        ImportStep::Taking(looked) => {
            let of = looked.plan.events();
            let said = move || words::taking(done.get(), of);
            Some(view! { <p class="data-said">{said}</p> })
        }
        ImportStep::Done(looked, taken) => Some(view! { <ImportReport looked taken /> }),
    };
    view! {
        <div class="settings-card" data-testid="data-import-card">
            <h3 id="data-import" tabindex="-1">{words::IMPORT}</h3>
            <p class="hint">{words::IMPORT_ABOUT}</p>
            <div class="settings-acts">
                <label class="button file-button">
                    {words::CHOOSE}
                    <input
                        node_ref=input type="file" class="unseen" accept=".json,application/json"
                        data-testid="data-import-file" on:change=choose
                    />
                </label>
            </div>
            <div class="data-found" aria-live="polite">{shown}</div>
        </div>
    }
}

fn look(data: BackupState, step: RwSignal<ImportStep>, wanted: PendingDump) {
    step.set(ImportStep::Looking);
    focus::go_to("data-import");
    data.ask(move |desk| async move {
        let PendingDump { source, name } = wanted;
        let next = match desk.look(&**source).await {
            Ok(plan) => {
                ImportStep::Shown(CheckedDump { source, plan: SendWrapper::new(Rc::new(plan)), name })
            }
            Err(error) => ImportStep::Failed(words::import_error(&error)),
        };
        step.try_set(next);
    });
}

fn take(data: BackupState, step: RwSignal<ImportStep>, done: RwSignal<u64>, looked: CheckedDump) {
    step.set(ImportStep::Taking(looked.clone()));
    data.ask(move |desk| async move {
        // Once in a hundred is often enough for an eye.
        let told = move |events: u64| {
            if events.is_multiple_of(100) {
                done.try_set(events);
            }
        };
        let taken = desk.take(&**looked.source, &looked.plan, words::COPY_MARK.get(), &told).await;
        let next = match taken {
            Ok(taken) => {
                forget_session();
                ImportStep::Done(looked, taken)
            }
            Err(error) => ImportStep::Failed(words::import_error(&error)),
        };
        step.try_set(next);
        data.note_change();
    });
}

/// What would come.
#[component]
fn ImportPreview(
    data: BackupState,
    step: RwSignal<ImportStep>,
    done: RwSignal<u64>,
    looked: CheckedDump,
) -> impl IntoMarkup {
    let plan = Rc::clone(&looked.plan);
    let found = &plan.found;
    let coming = plan.count(ImportAction::New).saturating_add(plan.count(ImportAction::Copy));
    let when = found.at.rfc3339().replace('T', " ").replace('Z', " UTC");
    let head = format!("{} {}", looked.name, words::written_by(&found.app, &when));
    let nothing = match (coming, plan.sessions.is_empty()) {
        (0, true) => Some(words::NO_SESSIONS),
        (0, false) => Some(words::NOTHING_NEW),
        _ => None,
    };
    let changed = match &found.sums {
        Sums::Wrong { sessions } => {
            let named = sessions.iter().filter_map(|id| found.sessions.get(id));
            let labels: Vec<_> = named.map(|session| label_of(&session.label)).collect();
            Some(words::changed(&labels))
        }
        Sums::None | Sums::Right => None,
    };
    let is_changed = changed.is_some();
    let agreed = RwSignal::new(!is_changed);
    let changed = changed.map(|said| {
        view! {
            <p class="callout" data-testid="data-import-changed">{said}</p>
            {check(words::TAKE_CHANGED, agreed, move |on| agreed.set(on)).test("data-import-agree")
                .around("hidden", coming == 0)}
        }
    });
    let remarks = [
        (found.sums == Sums::None).then(|| words::NO_SUMS.to_owned()),
        plan.brings_rules.then(|| words::RULES_LEFT.to_owned()),
        (coming > 0 && found.drafts > 0).then(|| words::drafts(found.drafts)),
        (found.unknown > 0).then(|| words::unknown(found.unknown)),
        (!found.notes.is_empty()).then(|| format!("{}: {}", words::NOTES, found.notes.join(" "))),
        nothing.map(Text::to_owned),
    ];
    let remarks = remarks.into_iter().flatten().map(|remark| view! { <li>{remark}</li> });
    let typed = found.typed.iter().map(|typed| {
        let (field, text) = (typed.field.clone(), typed.text.clone());
        view! {
            <div class="field">
                <p class="field-name">{field.clone()}</p>
                <textarea class="area" rows="3" readonly="" aria-label=field prop:value=text></textarea>
            </div>
        }
    });
    let has_typed = !found.typed.is_empty();
    let (again, proposals) = (looked.clone(), looked.clone());
    let go = move |_| take(data, step, done, again.clone());
    view! {
        <p data-testid="data-import-head">{head}</p>
        {changed}
        <SessionTable plan=looked.plan.clone() />
        <ul class="checklist">{remarks}</ul>
        <div class="settings-acts">
            {button(words::take(coming)).first().test("data-import-take").with("hidden", coming == 0)
                .disabled(move || !agreed.get()).on_click(go)}
            {button(words::PUT_AWAY).test("data-import-away")
                .on_click(move |_| step.set(ImportStep::Nothing))}
        </div>
        <ProposalList plan=proposals.plan />
        <details class="guide" hidden=!has_typed>
            <summary>{words::TYPED}</summary>
            {typed}
        </details>
    }
}

fn label_of(label: &str) -> String {
    if label.is_empty() { words::UNNAMED.to_owned() } else { label.to_owned() }
}

#[component]
fn ImportReport(looked: CheckedDump, taken: ImportResult) -> impl IntoMarkup {
    let said = words::taken(taken.sessions.len(), taken.events);
    view! {
        <p class="data-said" data-testid="data-import-done">{said}</p>
        <div class="settings-acts">
            <a href=home_path() class="button" data-weight="first" rel="external" data-testid="data-to-war-room">
                {words::TO_WAR_ROOM}
            </a>
        </div>
        <ProposalList plan=looked.plan />
    }
}
