//! The import card: reads a dump from a file or restore point, shows the plan, and imports it when confirmed.
//!
//! A table of the dump's sessions shows the contents of each and what the import does with it. Below it are the
//! providers, agents, settings and triggers of the dump, each with a button to adopt it.

use crate::ui::prelude::*;
use nexus_engine::backup::{BackupClient, BackupService, ImportPlan, ImportResult, PlannedSession};
use nexus_engine::port::{ByteSource, TextStream};
use nexus_model::dump::check::{DumpedSession, Sums};
use nexus_model::dump::import::ImportProposal;
use nexus_model::session::trigger::TriggerError;
use nexus_model::settings::schema::{ARCHIVIST_PROVIDER, CORE_PROVIDER, LANGUAGE};
use nexus_view::strings::settings::data as words;
use nexus_view::strings::trigger_error;

/// A dump that was read, and its plan.
#[derive(Clone)]
pub struct CheckedDump {
    source: SendWrapper<Rc<dyn ByteSource>>,
    plan: SendWrapper<Rc<ImportPlan>>,
    name: String,
}

#[derive(Clone, Default)]
pub enum ImportStep {
    #[default]
    Nothing,
    Looking,
    Failed(String),
    Shown(CheckedDump),
    Importing(CheckedDump),
    Done(CheckedDump, ImportResult),
}

#[component]
pub fn ImportCard(data: BackupState) -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    let choose = move |_| {
        if let Some(file) = files::chosen(input) {
            let name = file.name.clone();
            data.preview_import(Rc::new(file), name);
        }
    };
    let shown = move || match data.step.get() {
        ImportStep::Nothing => None,
        ImportStep::Looking => Some(view! { <p class="hint">{words::LOOKING}</p> }),
        ImportStep::Failed(why) => {
            Some(view! { <p class="callout" data-testid="data-import-problem">{why}</p> })
        }
        ImportStep::Shown(dump) => Some(view! { <ImportPreview data dump /> }),
        ImportStep::Importing(dump) => {
            let of = dump.plan.events();
            let status = move || words::importing(data.imported.get(), of);
            Some(view! { <p class="hint">{status}</p> })
        }
        ImportStep::Done(dump, result) => Some(view! { <ImportReport dump result /> }),
    };
    view! {
        <div class="settings-card" data-testid="data-import-card">
            <h3 id="data-import" tabindex="-1">{common::IMPORT}</h3>
            <p class="hint">{words::IMPORT_ABOUT}</p>
            <div class="settings-actions">
                <label class="button file-button">
                    {words::CHOOSE}
                    <input
                        node_ref=input type="file" class="unseen" accept=".json,application/json"
                        data-testid="data-import-file" disabled=move || data.is_importing() on:change=choose
                    />
                </label>
            </div>
            <div class="data-found" aria-live="polite">{shown}</div>
        </div>
    }
}

fn start_import(data: BackupState, dump: CheckedDump) {
    data.step.set(ImportStep::Importing(dump.clone()));
    data.with_service(move |service| async move {
        // Update the progress once per hundred events.
        let report_progress = move |events: u64| {
            if events.is_multiple_of(100) {
                data.imported.set(events);
            }
        };
        let result =
            service.import(&**dump.source, &dump.plan, words::COPY_MARK.get(), &report_progress).await;
        let next = match result {
            Ok(result) => {
                // Leaving the settings without a reload shows it too.
                result.shown.into_iter().for_each(|session| data.dispatch.open(session));
                ImportStep::Done(dump, result)
            }
            Err(error) => ImportStep::Failed(words::import_error(&error)),
        };
        data.step.set(next);
        data.note_change();
    });
}

#[component]
fn ImportPreview(data: BackupState, dump: CheckedDump) -> impl IntoMarkup {
    let plan = Rc::clone(&dump.plan);
    let found = &plan.found;
    let counts = plan.count();
    let has_new = counts != (0, 0);
    let head = format!("{} · {}", dump.name, words::written_by(&found.app, &in_utc(found.at)));
    let has_more = !(plan.proposals.is_empty() && plan.left_out.is_empty());
    let nothing = match (has_new, plan.sessions.is_empty()) {
        (false, true) => Some(words::NO_SESSIONS),
        (false, false) if has_more => Some(words::NO_NEW_SESSIONS),
        (false, false) => Some(words::NOTHING_NEW),
        (true, _) => None,
    };
    let agreed = RwSignal::new(!matches!(found.sums, Sums::Wrong { .. }));
    let version = if let Sums::Wrong { sessions } = &found.sums {
        let named = sessions.iter().filter_map(|id| found.sessions.get(id));
        let labels: Vec<_> = named.map(name_of).collect();
        view! {
            <p class="callout" data-testid="data-import-changed">{words::changed(&labels)}</p>
            {check(words::TAKE_CHANGED, agreed, move |on| agreed.set(on)).test("data-import-agree")
                .around("hidden", !has_new)}
        }
    } else {
        Markup::Empty
    };
    let remarks = [
        (found.sums == Sums::None).then(|| words::NO_SUMS.to_owned()),
        (!plan.left_out.is_empty()).then(|| words::left_out(&plan.left_out)),
        (has_new && found.drafts > 0).then(|| words::drafts(found.drafts)),
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
    let (again, proposals) = (dump.clone(), dump.clone());
    let import = move |_| start_import(data, again.clone());
    view! {
        <p data-testid="data-import-head">{head}</p>
        {version}
        <SessionTable plan=dump.plan.clone() />
        <ul class="checklist">{remarks}</ul>
        <div class="settings-actions">
            {button(words::take(counts)).first().test("data-import-take").with("hidden", !has_new)
                .disabled(move || !agreed.get()).on_click(import)}
            {button(common::CANCEL).test("data-import-away")
                .on_click(move |_| data.step.set(ImportStep::Nothing))}
        </div>
        <ProposalList plan=proposals.plan />
        <details class="guide" hidden=!has_typed>
            <summary>{words::TYPED}</summary>
            {typed}
        </details>
    }
}

fn name_of(session: &DumpedSession) -> String {
    let name = session.name();
    if name.is_empty() { words::UNNAMED.to_owned() } else { reveal(&name) }
}

#[component]
fn ImportReport(dump: CheckedDump, result: ImportResult) -> impl IntoMarkup {
    let status = words::imported(dump.plan.count(), result.events);
    view! {
        <p class="hint" data-testid="data-import-done">{status}</p>
        <div class="settings-actions">
            <a href=home_path() class="button" data-weight="first" rel="external" data-testid="data-to-war-room">
                {words::TO_WAR_ROOM}
            </a>
        </div>
        <ProposalList plan=dump.plan />
    }
}

/// Maximum number of listed sessions; the rest is counted.
const LISTED: usize = 100;

#[component]
pub fn SessionTable(plan: SendWrapper<Rc<ImportPlan>>) -> impl IntoMarkup {
    let now = expect_context::<&Page>().now;
    let row = move |planned: &PlannedSession| {
        let session = &planned.session;
        let label = name_of(session);
        let contents = words::contents(session.turns, session.messages);
        let last_at = session.last_at;
        let hash = session.hash.to_string();
        view! {
            <tr data-testid="data-session" data-hash=hash data-imported=planned.action.is_written().to_string()>
                <th scope="row">{label}</th>
                <td>{contents} ", " {move || ago(last_at, now.get())}</td>
                <td>{words::action(planned.action)}</td>
            </tr>
        }
    };
    let rows = plan.sessions.iter().take(LISTED).map(row);
    let further = plan.sessions.len().saturating_sub(LISTED);
    view! {
        <div class="data-scroll" hidden=plan.sessions.is_empty()>
            <table class="data-table">
                <thead>
                    <tr>
                        <th scope="col">{common::SESSION}</th>
                        <th scope="col">{words::CONTENTS}</th>
                        <th scope="col">{common::RESULT}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="hint" hidden=further == 0>{words::further(further)}</p>
    }
}

/// Maximum number of characters shown of a setting's value, or of a trigger's message.
const VALUE_CHARS: usize = 200;

#[component]
pub fn ProposalList(plan: SendWrapper<Rc<ImportPlan>>) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let all = plan.proposals.clone();
    let rows = all.clone().into_iter().map(|proposal| view! { <ProposalLine proposal /> });
    let (has_one, all) = (all.len() == 1, StoredValue::new(all));
    let is_done = world.select(WorldParts::ALL, move |world| {
        all.with_value(|all| all.iter().all(|proposal| proposal.is_applied(world)))
    });
    // In their order: providers come before the agents that need them.
    let apply_all = move |_| {
        spawn_local(async move {
            for proposal in all.get_value() {
                let is_ready = world.with_untracked(|world| {
                    !proposal.is_applied(world) && obstacle(world, &proposal, dispatch.now()).is_none()
                });
                if is_ready {
                    // A rejection was shown; the others are still applied.
                    drop(dispatch.send_and_wait(command_of(proposal)).await);
                }
            }
        });
    };
    view! {
        <section class="data-proposals" hidden=plan.proposals.is_empty() data-testid="data-proposals">
            <h4>{words::PROPOSALS}</h4>
            <p class="hint">{words::PROPOSALS_ABOUT}</p>
            <div class="settings-actions" hidden=has_one>
                {button(words::ACCEPT_ALL).test("data-accept-all").disabled(is_done).on_click(apply_all)}
            </div>
            <ul>{rows}</ul>
        </section>
    }
}

/// What has to be here before the proposal can be applied.
fn obstacle(world: &World, proposal: &ImportProposal, now: Millis) -> Option<String> {
    let without_provider =
        |id: &ProviderId| world.live_provider(id).is_none().then(|| words::NO_PROVIDER.to_owned());
    match proposal {
        ImportProposal::Provider { .. } => None,
        ImportProposal::Agent { agent, .. } => without_provider(&agent.config.provider),
        ImportProposal::Setting { name, value } => [CORE_PROVIDER, ARCHIVIST_PROVIDER]
            .iter()
            .any(|setting| setting.name() == name)
            .then(|| ProviderId(value.as_str().unwrap_or_default().to_owned()))
            .and_then(|id| without_provider(&id)),
        ImportProposal::Trigger(trigger) => match trigger.check(world, now) {
            Ok(()) => None,
            Err(TriggerError::Nobody) => Some(words::NO_RECIPIENT.to_owned()),
            Err(error) => Some(trigger_error(error)),
        },
    }
}

fn command_of(proposal: ImportProposal) -> Command {
    match proposal {
        ImportProposal::Provider { provider, .. } => Command::ChangeProvider { provider },
        ImportProposal::Agent { agent, .. } => Command::ChangeAgent { agent: *agent },
        ImportProposal::Setting { name, value } => Command::ChangeSetting { name, value },
        ImportProposal::Trigger(trigger) => Command::ChangeTrigger(*trigger),
    }
}

#[component]
fn ProposalLine(proposal: ImportProposal) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let (kind, key, name) = match &proposal {
        ImportProposal::Provider { provider, .. } => {
            ("provider", provider.id.to_string(), provider.label.clone())
        }
        ImportProposal::Agent { agent, .. } => ("agent", agent.key.to_string(), agent.identity.name.clone()),
        ImportProposal::Setting { name, .. } => ("setting", name.clone(), words::setting_name(name)),
        ImportProposal::Trigger(trigger) => ("trigger", trigger.id.to_string(), reveal(&trigger.name)),
    };
    // An agent becomes available once its provider was adopted, a trigger once its recipient was.
    let proposal = StoredValue::new(proposal);
    let is_done =
        world.select(WorldParts::ALL, move |world| proposal.with_value(|one| one.is_applied(world)));
    let obstacle = world.select(WorldParts::ALL, move |world| {
        proposal.with_value(|one| obstacle(world, one, dispatch.now()))
    });
    let about = move || {
        proposal.with_value(|proposal| match proposal {
            _ if obstacle.with(Option::is_some) => obstacle.get().unwrap_or_default(),
            ImportProposal::Provider { provider, here } => {
                words::would_call(&provider.base_url, here.as_deref())
            }
            ImportProposal::Agent { exists, .. } => words::agent(*exists).to_owned(),
            ImportProposal::Trigger(trigger) => {
                words::trigger(&reveal(&trigger.text)).chars().take(VALUE_CHARS).collect()
            }
            ImportProposal::Setting { name, value } => {
                let is_language = *name == LANGUAGE.name();
                let languages = page::languages().into_iter();
                let mut language = languages.filter(|(tag, _)| is_language && value.as_str() == Some(tag));
                let shown =
                    language.next().map_or_else(|| words::setting_value(name, value), |(_, name)| name);
                shown.chars().take(VALUE_CHARS).collect()
            }
        })
    };
    let accept = move |_| dispatch.send(command_of(proposal.get_value()));
    view! {
        <li data-testid="data-proposal" data-kind=kind data-key=key>
            <span class="settings-card-words">
                <b>{name}</b>
                <span class="hint">{about}</span>
            </span>
            {button(move || if is_done.get() { words::ACCEPTED } else { common::APPLY }).test("data-accept")
                .disabled(move || is_done.get() || obstacle.with(Option::is_some)).on_click(accept)}
        </li>
    }
}

/// A time to the second, such as “2026-11-28 06:30:00 UTC”.
pub(super) fn in_utc(at: Millis) -> String {
    at.rfc3339().replace('T', " ").replace('Z', " UTC")
}

/// State shared by the cards.
#[derive(Clone, Copy)]
pub struct BackupState {
    pub(super) client: StoredValue<SendWrapper<BackupClient>>,
    pub(super) dispatch: Dispatch,
    pub(super) step: RwSignal<ImportStep>,
    /// Number of the last preview.
    pub(super) preview: StoredValue<u32>,
    /// Number of events imported so far.
    pub(super) imported: RwSignal<u64>,
    /// Incremented when restore points or storage changed.
    pub(super) version: RwSignal<u32>,
}

impl BackupState {
    /// Runs `work` with the backup service.
    pub(super) fn with_service<W: Future<Output = ()> + 'static>(
        &self,
        work: impl FnOnce(BackupService) -> W + 'static,
    ) {
        let client = self.client.with_value(|client| (**client).clone());
        spawn_local(async move {
            // The service is in the same chunk as this code, so it is loaded.
            if let Ok(service) = client.service().await {
                work(service).await;
            }
        });
    }

    /// Saves a streamed dump as a file named after the time.
    pub(super) async fn save(&self, dump: TextStream) -> Result<(), StoreError> {
        let time = self.dispatch.now().rfc3339().replace([':', 'T'], "-");
        files::save(&format!("nexus-{}.json", time.trim_end_matches('Z')), dump).await
    }

    pub(super) fn is_importing(self) -> bool {
        self.step.with(|step| matches!(step, ImportStep::Importing(_)))
    }

    /// Reads a dump and shows its plan, unless another one was chosen since. During an import it does nothing.
    pub(super) fn preview_import(self, source: Rc<dyn ByteSource>, name: String) {
        if untrack(move || self.is_importing()) {
            return;
        }
        let number = self.preview.get_value().wrapping_add(1);
        self.preview.set_value(number);
        self.step.set(ImportStep::Looking);
        focus::go_to("data-import");
        self.with_service(move |service| async move {
            let next = match service.plan_import(&*source).await {
                Ok(plan) => {
                    let (source, plan) = (SendWrapper::new(source), SendWrapper::new(Rc::new(plan)));
                    ImportStep::Shown(CheckedDump { source, plan, name })
                }
                Err(error) => ImportStep::Failed(words::import_error(&error)),
            };
            if self.preview.try_get_value() == Some(number) {
                self.step.set(next);
            }
        });
    }

    pub(super) fn note_change(&self) {
        self.version.update(|count| *count = count.wrapping_add(1));
    }
}
