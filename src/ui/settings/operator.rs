//! Never asks for more than a name.
//!
//! Owns what the operator sets about themselves.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{Tag, TextField};
use crate::ui::view_state::Settings;
use crate::ui::words::settings as words;

/// The operator's name.
#[component]
pub fn OperatorForm() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let keep_name = move |name: &str| {
        dispatch.set_setting("operator_name", name);
        Ok(())
    };
    view! { class="n",
        <div class="settings-card">
            <TextField
                tag=Tag::known("operator-name", "settings-name")
                title=words::NAME
                hint=words::NAME_ABOUT
                value=settings.text("operator_name")
                keep=keep_name
            />
        </div>
    }
}
