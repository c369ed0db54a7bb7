//! The audit screen: every event of the ledger, live, filtered, opened to its JSON, and exported.
//!
//! Keeps a few bytes of each event that is not in view.

pub mod book;
pub mod detail;
pub mod export;
pub mod filters;
pub mod list;

use crate::ui::audit::book::AuditState;
use crate::ui::audit::detail::AuditDetail;
use crate::ui::audit::export::AuditExport;
use crate::ui::audit::filters::AuditFilters;
use crate::ui::audit::list::AuditList;
use crate::ui::hooks::address;
use crate::ui::hooks::address::home_path;
use crate::ui::kit::icon::Brand;
use crate::ui::kit::prelude::*;
use nexus_view::audit::AuditFilter;
use nexus_view::strings::audit as words;

lazy_view!(settings, lazy_audit, AuditScreen);

#[component]
pub fn AuditScreen() -> impl IntoMarkup {
    let (filter, open) = AuditFilter::read(&address::query());
    let book = AuditState::new(filter, open);
    book.follow();
    let is_open = move || book.open.get().is_some();
    view! {
        <main class="audit" data-testid="audit" data-open=move || is_open().to_string()>
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint">{words::ABOUT}</p>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <AuditFilters book />
            <div class="audit-told">
                <p role="status" data-testid="audit-count" data-done=move || book.is_done().to_string()>
                    {move || book.told()}
                </p>
                <p class="field-problem" role="alert">{move || book.problem.get()}</p>
                <AuditExport book />
            </div>
            <div class="audit-panes">
                <AuditList book />
                <Show when=is_open><AuditDetail book /></Show>
            </div>
        </main>
    }
}
