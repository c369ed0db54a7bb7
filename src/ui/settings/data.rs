//! The data section of the settings: export, import, restore points, storage and reset. Loaded lazily.
//!
//! API keys are never exported. A restore point is restored by importing it like a file. Deleting all data of this
//! device requires a typed confirmation.

pub mod import;

use crate::ui::prelude::*;
use crate::ui::settings::data::import::{BackupState, ImportCard, in_utc};
use crate::ui::settings::pending_edit::button_with_question;
use nexus_engine::port::{RestorePoint, StorageEstimate};
use nexus_model::settings::schema::EXPORTED_AT;
use nexus_view::strings::settings::data as words;

#[component]
pub fn BackupCards() -> impl IntoMarkup {
    let data = BackupState {
        client: expect_context(),
        dispatch: expect_context::<&Page>().dispatch,
        step: RwSignal::default(),
        preview: StoredValue::new(0),
        imported: RwSignal::new(0),
        version: RwSignal::new(0),
    };
    view! {
        <ExportCard data />
        <ImportCard data />
        <RestorePointsCard data />
        <StorageCard data />
        <ResetCard data />
    }
}

#[component]
pub fn StorageCard(data: BackupState) -> impl IntoMarkup {
    let facts = RwSignal::new(StorageEstimate::default());
    let status = RwSignal::new("");
    Effect::new(move |_| {
        data.version.track();
        data.with_service(move |service| async move {
            facts.set(service.device.estimate().await);
        });
    });
    let persist = move |_| {
        data.with_service(move |service| async move {
            let is_persistent = service.device.persist().await;
            status.set(if is_persistent { "" } else { words::PERSIST_REFUSED.get() });
            data.note_change();
        });
    };
    let share = move || {
        let StorageEstimate { used, quota, .. } = facts.get();
        used.zip(quota).filter(|(_, quota)| *quota > 0)
    };
    view! {
        <div class="settings-card" data-testid="data-storage-card">
            <h3>{words::STORAGE}</h3>
            <p data-testid="data-used">{move || words::used(facts.get())}</p>
            <meter
                class="data-meter" min="0" aria-label=words::STORAGE hidden=move || share().is_none()
                max=move || share().map(|(_, quota)| quota.to_string())
                value=move || share().map(|(used, _)| used.to_string())
            ></meter>
            <p class="hint" data-testid="data-persisted">{move || words::persisted(facts.get())}</p>
            <div class="settings-actions" hidden=move || facts.get().persisted != Some(false)>
                {button(words::PERSIST).test("data-persist").on_click(persist)}
            </div>
            <p class="hint" role="status">{status}</p>
        </div>
    }
}

/// Saves a session or everything as a file; `then` learns whether that worked.
fn export(
    data: BackupState,
    only: Option<SessionId>,
    status: RwSignal<String>,
    then: impl Fn(bool) + 'static,
) {
    status.set(common::ONE_MOMENT.to_owned());
    data.with_service(move |service| async move {
        let outcome = data.save(service.export(only)).await;
        then(outcome.is_ok());
        status.set(match outcome {
            Ok(()) => words::EXPORTED.to_owned(),
            Err(error) => words::store_error(&error),
        });
    });
}

#[component]
pub fn ExportCard(data: BackupState) -> impl IntoMarkup {
    let &Page { sessions, .. } = expect_context();
    let chosen = RwSignal::new(sessions.focus.get_untracked());
    let (busy, status) = (RwSignal::new(false), RwSignal::new(String::new()));
    let export = move |only: Option<SessionId>| {
        busy.set(true);
        export(data, only, status, move |is_saved| {
            busy.set(false);
            if is_saved && only.is_none() {
                // Postpones the export reminder for a week.
                data.dispatch.set_setting(EXPORTED_AT, data.dispatch.now().0);
            }
        });
    };
    let one = move |id: SessionId| {
        let label = sessions.rows.get_untracked(&id).map(|row| row.label).unwrap_or_default();
        let label = if label.is_empty() { words::UNNAMED.to_owned() } else { label };
        option(id.to_string(), label, move || chosen.get() == id)
    };
    let choose = move |value: String| {
        if let Ok(id) = value.parse() {
            chosen.set(id);
        }
    };
    view! {
        <div class="settings-card" data-testid="data-export-card">
            <h3>{common::EXPORT}</h3>
            <p class="hint">{words::EXPORT_ABOUT}</p>
            <div class="settings-actions">
                {button(words::EXPORT_ALL).first().test("data-export").disabled(busy)
                    .on_click(move |_| export(None))}
            </div>
            <div class="field">
                <label class="field-name" for="data-session">{words::EXPORT_ONE}</label>
                <div class="key-line">
                    {select_box(move || sessions.rows.order.get().into_iter().map(one), choose).id("data-session")
                        .test("data-export-session")}
                    {button(words::EXPORT_THIS).test("data-export-one").disabled(busy)
                        .on_click(move |_| export(Some(chosen.get_untracked())))}
                </div>
            </div>
            <p class="hint" role="status" data-testid="data-export-status">{status}</p>
        </div>
    }
}

#[component]
pub fn RestorePointsCard(data: BackupState) -> impl IntoMarkup {
    let (points, status) = (RwSignal::new(Vec::<RestorePoint>::new()), RwSignal::new(String::new()));
    let (is_kept, busy) = (RwSignal::new(true), RwSignal::new(false));
    Effect::new(move |_| {
        data.version.track();
        data.with_service(move |service| async move {
            is_kept.set(service.client.is_persistent);
            match service.device.restore_points().await {
                Ok(all) => points.set(all),
                Err(error) => status.set(words::store_error(&error)),
            }
        });
    });
    let create = move |_| {
        busy.set(true);
        data.with_service(move |service| async move {
            let outcome = service.make_restore_point().await;
            busy.set(false);
            status.set(outcome.err().map(|error| words::store_error(&error)).unwrap_or_default());
            data.note_change();
        });
    };
    let open_point = move |at: Millis| {
        data.with_service(move |service| async move {
            match service.device.restore_point(at).await {
                Ok(source) => data.preview_import(source, tr("Restore point").to_owned()),
                Err(error) => status.set(words::store_error(&error)),
            }
        });
    };
    let forget = move |at: Millis| {
        data.with_service(move |service| async move {
            if let Err(error) = service.device.delete_restore_point(at).await {
                status.set(words::store_error(&error));
            }
            data.note_change();
        });
    };
    let now = expect_context::<&Page>().now;
    let row = move |point: RestorePoint| {
        let RestorePoint { at, bytes, sessions, events } = point;
        let delete = move || {
            button(words::POINT_DELETE).danger().test("data-point-drop-yes").on_click(move |_| forget(at))
        };
        view! {
            <li data-testid="data-point">
                <span class="settings-card-words">
                    <b>
                        <time datetime=at.rfc3339()>{in_utc(at)}</time>
                        " · " {move || ago(at, now.get())}
                    </b>
                    <span class="hint">{words::point(sessions, events, bytes)}</span>
                </span>
                {button(words::POINT_LOOK).test("data-point-look").on_click(move |_| open_point(at))}
                {button_with_question(button(common::DELETE).test("data-point-drop"),
                    || words::POINT_DELETE_ABOUT.to_owned(), delete)}
            </li>
        }
    };
    let none = move || {
        let words = if is_kept.get() { words::POINTS_NONE } else { words::POINTS_NOT_KEPT };
        points.with(Vec::is_empty).then_some(words)
    };
    view! {
        <div class="settings-card" data-testid="data-points-card">
            <h3>{common::RESTORE_POINTS}</h3>
            <p class="hint">{words::points_about()}</p>
            <ul class="data-list">{keyed_list(move || points.get(), |point| point.at.0, row)}</ul>
            <p class="hint">{none}</p>
            <div class="settings-actions">
                {button(words::POINT_NOW).test("data-point-make")
                    .disabled(move || busy.get() || !is_kept.get()).on_click(create)}
            </div>
            <p class="field-problem" role="alert">{status}</p>
        </div>
    }
}

#[component]
pub fn ResetCard(data: BackupState) -> impl IntoMarkup {
    let (is_asked, busy) = (RwSignal::new(false), RwSignal::new(false));
    let (status, problem) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let input = NodeRef::<Input>::new();
    let with_service = move |_| {
        is_asked.set(true);
        focus::soon("data-reset-word".to_owned());
    };
    let export = move |_| export(data, None, status, |_| ());
    let remove = move |_| {
        let typed = input.get_untracked().map(|field| field.value()).unwrap_or_default();
        if typed.trim().to_lowercase() != *words::RESET_WORD {
            problem.set(words::RESET_WRONG.to_owned());
            return;
        }
        problem.set(String::new());
        busy.set(true);
        data.with_service(move |service| async move {
            match service.device.delete_everything().await {
                Ok(()) => address::leave_for(&home_path()),
                Err(error) => {
                    busy.set(false);
                    problem.set(words::store_error(&error));
                }
            }
        });
    };
    let question = move || {
        view! {
            <div class="callout">
                <p>{words::RESET_LAST}</p>
                {button(words::EXPORT_ALL).test("data-reset-export").on_click(export)}
                <p role="status" data-testid="data-reset-status">{status}</p>
                <div class="field">
                    <label class="field-name" for="data-reset-word">{words::RESET_TYPE}</label>
                    <input
                        node_ref=input id="data-reset-word" class="input" data-testid="data-reset-word"
                        autocomplete="off" spellcheck="false"
                    />
                    <p class="field-problem" role="alert">{problem}</p>
                </div>
                <div class="settings-actions">
                    {button(words::RESET_GO).danger().test("data-reset-go").disabled(busy).on_click(remove)}
                    {button(common::CANCEL).on_click(move |_| is_asked.set(false))}
                </div>
            </div>
        }
    };
    view! {
        <div class="settings-card" data-testid="data-reset-card">
            <h3>{common::FACTORY_RESET}</h3>
            <p class="hint">{words::RESET_ABOUT}</p>
            <div class="settings-actions" hidden=is_asked>
                {button(words::RESET_BEGIN).danger().test("data-reset").on_click(with_service)}
            </div>
            <Show when=move || is_asked.get()>{question}</Show>
        </div>
    }
}
