//! The card that deletes all data of this device, after the operator typed a confirmation.

use leptos::html::Input;
use leptos::prelude::*;

use crate::ui::hooks::address::home_path;
use crate::ui::hooks::{address, focus};
use crate::ui::settings::data::BackupState;
pub use nexus_view::strings::settings::data as words;

#[component]
pub fn ResetCard(data: BackupState) -> impl IntoView {
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
        view! { class="n",
            <div class="callout">
                <p>{words::RESET_LAST}</p>
                <button type="button" class="button" data-testid="data-reset-export" on:click=export>
                    {words::EXPORT_ALL}
                </button>
                <p role="status" data-testid="data-reset-said">{move || said.get()}</p>
                <div class="field">
                    <label class="field-name" for="data-reset-word">{words::RESET_TYPE}</label>
                    <input
                        node_ref=input
                        id="data-reset-word"
                        class="input"
                        data-testid="data-reset-word"
                        autocomplete="off"
                        spellcheck="false"
                    />
                    <p class="field-problem" role="alert">{move || problem.get()}</p>
                </div>
                <div class="settings-acts">
                    <button
                        type="button"
                        class="button"
                        data-weight="danger"
                        data-testid="data-reset-go"
                        disabled=move || busy.get()
                        on:click=remove
                    >
                        {words::RESET_GO}
                    </button>
                    <button type="button" class="button" on:click=move |_| is_asked.set(false)>
                        {words::RESET_NO}
                    </button>
                </div>
            </div>
        }
    };
    view! { class="n",
        <div class="settings-card" data-testid="data-reset-card">
            <h3>{words::RESET}</h3>
            <p class="hint">{words::RESET_ABOUT}</p>
            <div class="settings-acts" hidden=move || is_asked.get()>
                <button type="button" class="button" data-weight="danger" data-testid="data-reset" on:click=ask>
                    {words::RESET_BEGIN}
                </button>
            </div>
            <Show when=move || is_asked.get()>{question}</Show>
        </div>
    }
}
