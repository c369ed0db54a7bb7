//! The program's logo and name.

use crate::ui::kit::markup::{IntoMarkup, component, view};

/// The mark and the name.
#[component]
pub fn Brand() -> impl IntoMarkup {
    view! {
        <span class="brand">
            <svg viewBox="0 0 32 32" aria-hidden="true">
                <path class="brand-line" d="M9 23V9l14 14V9" />
                <circle class="brand-start" cx="9" cy="9" r="2.8" />
                <circle class="brand-end" cx="23" cy="23" r="2.8" />
            </svg>
            <span class="brand-name">{"Nexus"}</span>
        </span>
    }
}
