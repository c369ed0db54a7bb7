//! Keeps the page's theme up to date; the boot script sets it before the first paint.

use leptos::prelude::*;

/// Keeps the page in this theme: `dark`, `light` or `auto`. Where it is none of these, the page stays as it is.
pub fn use_theme(theme: Signal<String>) {
    Effect::new(move || {
        let theme = theme.get();
        if let ("dark" | "light" | "auto", Some(page)) = (theme.as_str(), document().document_element())
            && page.set_attribute("data-theme", &theme).is_err()
        {
            leptos::logging::warn!("The theme could not be set.");
        }
    });
}
