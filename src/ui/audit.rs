//! Never holds an event that is not in view but in a few bytes, and never changes one.
//!
//! Owns the audit: every event of the ledger, live, filtered, opened to its JSON, and exported as it is filtered.

pub mod book;
pub mod detail;
pub mod export;
pub mod filters;
pub mod list;

use leptos::prelude::*;

use crate::domain::audit::Filter;
use crate::ui::app::home_path;
use crate::ui::audit::book::Book;
use crate::ui::audit::detail::Detail;
use crate::ui::audit::export::Export;
use crate::ui::audit::filters::Filters;
use crate::ui::audit::list::List;
use crate::ui::brand::Brand;
use crate::ui::look_back::opened_with;
use crate::ui::words::audit as words;

/// The audit.
#[component]
pub fn AuditScreen() -> impl IntoView {
    let (filter, open) = Filter::read(&opened_with());
    let book = Book::new(filter, open);
    book.follow();
    let is_open = move || book.open.get().is_some();
    view! { class="n",
        <main class="audit" data-testid="audit" data-open=move || is_open().to_string()>
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint">{words::ABOUT}</p>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <Filters book />
            <div class="audit-told">
                <p role="status" data-testid="audit-count" data-done=move || book.is_done().to_string()>
                    {move || book.told()}
                </p>
                <p class="field-problem" role="alert">{move || book.problem.get()}</p>
                <Export book />
            </div>
            <div class="audit-panes">
                <List book />
                <Show when=is_open>
                    <Detail book />
                </Show>
            </div>
        </main>
    }
}
