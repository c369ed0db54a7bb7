//! A collapsible text, rendered when opened, and a copy button.

use leptos::task::spawn_local;

use crate::ui::hooks::{dialog, text};
use crate::ui::kit::prelude::*;
use nexus_model::limits::SHOWN_CHARS;
use nexus_view::strings::audit as words;

/// A heading that unfolds to a text.
#[component]
pub fn Disclosure(
    test: &'static str,
    /// What stands in its line.
    head: Markup,
    text: String,
) -> impl IntoMarkup {
    let open = RwSignal::new(false);
    let text = StoredValue::new(text);
    let shown = move || {
        open.get().then(|| {
            let (shown, bytes) =
                text.with_value(|text| (text.chars().take(SHOWN_CHARS).collect::<String>(), text.len()));
            let long = (shown.len() < bytes).then(|| words::shortened(bytes));
            view! {
                <pre class="inspect-text" tabindex="0" dir="auto">{shown}</pre>
                {long.map(|long| view! { <p class="hint">{long}</p> })}
            }
        })
    };
    view! {
        <details class="inspect-fold" data-testid=test prop:open=open on:toggle=move |event| open.set(dialog::is_details_open(&event))>
            <summary>{head}</summary>
            {shown}
        </details>
    }
}

#[component]
pub fn CopyButton(test: &'static str, title: &'static str, text: String) -> impl IntoMarkup {
    let copied = RwSignal::new(None::<bool>);
    let text = StoredValue::new(text);
    let copy = move |_| {
        spawn_local(async move {
            let Some(text) = text.try_get_value() else { return };
            let done = text::copy(&text).await;
            copied.try_set(Some(done));
        });
    };
    let label = move || match copied.get() {
        None => title,
        Some(true) => words::COPIED.get(),
        Some(false) => words::NOT_COPIED.get(),
    };
    button(label).test(test).on_click(copy)
}
