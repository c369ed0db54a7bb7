//! The list of origins whose pages may embed Nexus and place drafts.
//!
//! The operator types each origin: an embedding page could trick a click on a button that offers it.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::view_state::WorldReader;
use nexus_model::settings::iframe_policy;
use nexus_model::settings::iframe_policy::{AllowedEmbedder, EmbedderError, embedders, exact_origin};
use nexus_model::settings::schema::{EMBEDDER_ROWS, info};
use nexus_text::invisible::reveal;
pub use nexus_view::strings::settings::iframe as words;
pub use nexus_view::strings::settings::triggers as own;

/// The id of the field.
pub(crate) const FIELD: &str = "page-origin";

/// The pages, and the way to let one in.
#[component]
pub fn EmbedderList() -> impl IntoView {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let all = Memo::new(move |_| past.fold(embedders));
    let (entered, problem) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let let_in = move || {
        let origin = exact_origin(&entered.get_untracked()).and_then(|origin| {
            let row = iframe_policy::row(&origin);
            let checked = past.fold_untracked(|world| Some(iframe_policy::check(world, &row)));
            checked.unwrap_or(Err(EmbedderError::TooMany)).map(|()| row)
        });
        match origin {
            Ok(row) => {
                problem.set(None);
                entered.set(String::new());
                dispatch.set_row(&row, true);
            }
            Err(bad) => problem.set(Some(words::bad_page(bad))),
        }
        focus::soon(FIELD.to_owned());
    };
    view! { class="n",
        {move || all.get().into_iter().map(|page| card(page, dispatch)).collect_view()}
        <form class="settings-card">
            <div class="field">
                <label class="field-name" for=FIELD>{info(EMBEDDER_ROWS).label}</label>
                <input
                    class="input" id=FIELD data-testid="page-origin" data-face="code" autocomplete="off"
                    spellcheck="false" placeholder="https://docs.example" aria-describedby="page-origin-about"
                    aria-invalid=move || problem.with(Option::is_some).then_some("true")
                    prop:value=move || entered.get()
                    on:input=move |event| entered.set(event_target_value(&event))
                />
                <p class="hint" id="page-origin-about">{words::PAGE_ABOUT}</p>
                <p class="field-problem" role="alert" data-testid="page-problem">{move || problem.get()}</p>
            </div>
            <div class="settings-acts">
                // Not the form's own event: a sandboxed frame submits nothing.
                <button
                    type="submit" class="button" data-testid="page-let-in"
                    on:click=move |event| {
                        event.prevent_default();
                        let_in();
                    }
                >
                    {words::LET_IN}
                </button>
            </div>
        </form>
    }
}

fn card(page: AllowedEmbedder, dispatch: Dispatch) -> AnyView {
    let AllowedEmbedder { origin, rests } = page;
    let (row, gone) = (iframe_policy::row(&origin), iframe_policy::row(&origin));
    let label = if rests { own::RESUME } else { own::PAUSE };
    view! { class="n",
        <div class="settings-card" data-testid="page" data-origin=origin.clone() data-rests=rests.to_string()>
            <h3 dir="ltr">{reveal(&origin)}</h3>
            <p>
                {words::MAY}
                {rests.then(|| view! { class="n", " " <span class="tag" data-testid="page-stands">{words::RESTS}</span> })}
            </p>
            <div class="settings-acts">
                <button
                    type="button" class="button" data-testid="page-pause" aria-label=format!("{label}: {origin}")
                    on:click=move |_| dispatch.set_row(&row, rests)
                >
                    {label}
                </button>
                <button
                    type="button" class="button" data-testid="page-delete"
                    aria-label=format!("{}: {origin}", own::DELETE)
                    on:click=move |_| dispatch.set_row(&gone, Value::Null)
                >
                    {own::DELETE}
                </button>
            </div>
        </div>
    }
    .into_any()
}
