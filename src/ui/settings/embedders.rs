//! The list of origins whose pages may embed Nexus and place drafts.
//!
//! The operator types each origin: an embedding page could trick a click on a button that offers it.

use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Notices, WorldParts, WorldReader};
use nexus_model::command::Command;
use nexus_model::settings::iframe_policy;
use nexus_model::settings::iframe_policy::{AllowedEmbedder, embedders, exact_origin};
use nexus_model::settings::schema::{EMBEDDER_ROWS, info};
use nexus_text::invisible::reveal;
use nexus_view::language::Text;
use nexus_view::strings::board::deleted;
pub use nexus_view::strings::settings::iframe as words;
pub use nexus_view::strings::settings::triggers as own;

/// The id of the field.
pub(crate) const FIELD: &str = "page-origin";

/// The pages, and the way to let one in.
#[component]
pub fn EmbedderList() -> impl IntoMarkup {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let notices = expect_context::<Notices>();
    let all = past.select(WorldParts::SETTINGS, embedders);
    let (entered, problem) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let let_in = move || {
        let origin = exact_origin(&entered.get_untracked()).and_then(|origin| {
            let row = iframe_policy::row(&origin);
            past.with_untracked(|world| iframe_policy::check(world, &row)).map(|()| row)
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
    view! {
        {move || all.get().into_iter().map(move |page| card(page, dispatch, notices))}
        <form class="settings-card">
            <div class="field">
                <label class="field-name" for=FIELD>{Text(info(EMBEDDER_ROWS).label)}</label>
                <input
                    class="input" id=FIELD data-testid="page-origin" data-face="code" autocomplete="off"
                    spellcheck="false" placeholder="https://docs.example" aria-describedby="page-origin-about"
                    aria-invalid=move || problem.with(Option::is_some).then_some("true") prop:value=entered
                    on:input=move |event| entered.set(event_target_value(&event))
                />
                <p class="hint" id="page-origin-about">{words::PAGE_ABOUT}</p>
                <p class="field-problem" role="alert" data-testid="page-problem">{problem}</p>
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

fn card(page: AllowedEmbedder, dispatch: Dispatch, notices: Notices) -> Markup {
    let AllowedEmbedder { origin, rests } = page;
    let row = iframe_policy::row(&origin);
    let (name, title) = (row.clone(), reveal(&origin));
    let set = move |value: Value| Command::ChangeSetting { name: name.clone(), value };
    let delete = move |_| {
        let (set, title) = (set.clone(), deleted(&title));
        dispatch.send_then(set(Value::Null), move |outcome| {
            if outcome.is_ok() {
                notices.tell_undo(title, move || set(Value::Bool(!rests)));
            }
        });
    };
    let label = if rests { own::RESUME } else { own::PAUSE };
    view! {
        <div class="settings-card" data-testid="page" data-origin=origin.clone() data-rests=rests.to_string()>
            <h3 dir="ltr">{reveal(&origin)}</h3>
            <p>
                {words::MAY}
                {rests.then(|| view! { " " <span class="tag" data-testid="page-stands">{words::RESTS}</span> })}
            </p>
            <div class="settings-acts">
                {button(label).test("page-pause").label(format!("{label}: {origin}"))
                    .on_click(move |_| dispatch.set_row(&row, rests))}
                {button(own::DELETE).test("page-delete").label(format!("{}: {origin}", own::DELETE))
                    .on_click(delete)}
            </div>
        </div>
    }
}
