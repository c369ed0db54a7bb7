//! Never applies a theme: the app does, whichever screen is shown.
//!
//! Owns how the operator wants Nexus to look.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, Tag};
use crate::ui::view_state::Settings;
use crate::ui::words::settings as words;

/// The theme.
#[component]
pub fn AppearanceForm() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let kept = settings.text("theme");
    let theme = Signal::derive(move || match kept.get() {
        none if none.is_empty() => "dark".to_owned(),
        theme => theme,
    });
    let themes = words::THEMES.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec();
    view! { class="n",
        <div class="settings-card">
            <ChoiceField
                tag=Tag::known("theme", "theme-select")
                title=words::THEME
                choices=Signal::stored(themes)
                value=theme
                keep=move |theme: String| dispatch.set_setting("theme", theme)
            />
        </div>
    }
}
