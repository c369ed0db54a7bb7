//! Never applies a theme: the app does, whichever screen is shown.
//!
//! Owns what the operator sets about themselves.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, Tag, TextField};
use crate::ui::view_state::Settings;
use crate::ui::words::settings as words;

/// The operator's name and the theme.
#[component]
pub fn OperatorForm() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let kept = settings.text("theme");
    let theme = Signal::derive(move || match kept.get() {
        none if none.is_empty() => "dark".to_owned(),
        theme => theme,
    });
    let themes = words::THEMES.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec();
    let keep_name = move |name: &str| {
        dispatch.set_setting("operator_name", name);
        Ok(())
    };
    view! { class="n",
        <div class="settings-card">
            <div class="settings-row">
                <TextField
                    tag=Tag::known("operator-name", "settings-name")
                    title=words::NAME
                    value=settings.text("operator_name")
                    keep=keep_name
                />
                <ChoiceField
                    tag=Tag::known("theme", "theme-select")
                    title=words::THEME
                    choices=Signal::stored(themes)
                    value=theme
                    keep=move |theme: String| dispatch.set_setting("theme", theme)
                />
            </div>
        </div>
    }
}
