//! The card that deletes all data of this device, after the operator typed a confirmation.

use leptos::html::Input;

use crate::ui::hooks::address::home_path;
use crate::ui::hooks::{address, focus};
use crate::ui::kit::prelude::*;
use crate::ui::settings::data::state::BackupState;
pub use nexus_view::strings::settings::data as words;

#[component]
pub fn ResetCard(data: BackupState) -> impl IntoMarkup {
    let (is_asked, busy) = (RwSignal::new(false), RwSignal::new(false));
    let (said, problem) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let input = NodeRef::<Input>::new();
    let ask = move |_| {
        is_asked.set(true);
        focus::soon("data-reset-word".to_owned());
    };
    let export = move |_| {
        said.set(words::ONE_MOMENT.to_owned());
        data.ask(move |desk| async move {
            said.try_set(match data.save(desk.export(None)).await {
                Ok(()) => words::EXPORTED.to_owned(),
                Err(error) => words::store_error(&error),
            });
        });
    };
    let remove = move |_| {
        let typed = input.get_untracked().map(|field| field.value()).unwrap_or_default();
        if typed.trim().to_lowercase() != words::RESET_WORD {
            problem.set(words::RESET_WRONG.to_owned());
            return;
        }
        problem.set(String::new());
        busy.set(true);
        data.ask(move |desk| async move {
            match desk.forget_everything().await {
                Ok(()) => address::leave_for(&home_path()),
                Err(error) => {
                    busy.try_set(false);
                    problem.try_set(words::store_error(&error));
                }
            }
        });
    };
    let question = move || {
        view! {
            <div class="callout">
                <p>{words::RESET_LAST}</p>
                {button(words::EXPORT_ALL).test("data-reset-export").on_click(export)}
                <p role="status" data-testid="data-reset-said">{said}</p>
                <div class="field">
                    <label class="field-name" for="data-reset-word">{words::RESET_TYPE}</label>
                    <input
                        node_ref=input id="data-reset-word" class="input" data-testid="data-reset-word"
                        autocomplete="off" spellcheck="false"
                    />
                    <p class="field-problem" role="alert">{problem}</p>
                </div>
                <div class="settings-acts">
                    {button(words::RESET_GO).danger().test("data-reset-go").disabled(busy).on_click(remove)}
                    {button(words::RESET_NO).on_click(move |_| is_asked.set(false))}
                </div>
            </div>
        }
    };
    view! {
        <div class="settings-card" data-testid="data-reset-card">
            <h3>{words::RESET}</h3>
            <p class="hint">{words::RESET_ABOUT}</p>
            <div class="settings-acts" hidden=is_asked>
                {button(words::RESET_BEGIN).danger().test("data-reset").on_click(ask)}
            </div>
            <Show when=move || is_asked.get()>{question}</Show>
        </div>
    }
}
