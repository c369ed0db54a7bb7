//! Table of a dump's sessions: contents of each, and what the import does with it.

use std::rc::Rc;

use send_wrapper::SendWrapper;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use nexus_engine::backup::{ImportPlan, PlannedSession};
use nexus_view::strings as all_words;
pub use nexus_view::strings::settings::data as words;

/// Sessions that are listed; the rest is counted.
const LISTED: usize = 100;

#[component]
pub fn SessionTable(
    /// What would come.
    plan: SendWrapper<Rc<ImportPlan>>,
) -> impl IntoMarkup {
    let now = expect_context::<Dispatch>().now();
    let row = move |coming: &PlannedSession| {
        let session = &coming.session;
        let label = if session.label.is_empty() { words::UNNAMED.to_owned() } else { session.label.clone() };
        let contents = words::contents(session.turns, session.messages);
        let contents = format!("{contents}, {}", all_words::ago(session.last_at, now));
        let hash = session.hash.to_string();
        view! {
            <tr data-testid="data-session" data-hash=hash data-comes=coming.fate.comes().to_string()>
                <th scope="row">{label}</th>
                <td>{contents}</td>
                <td>{words::fate(coming.fate)}</td>
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
                        <th scope="col">{words::SESSION}</th>
                        <th scope="col">{words::CONTENTS}</th>
                        <th scope="col">{words::FATE}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="hint" hidden=further == 0>{words::further(further)}</p>
    }
}
