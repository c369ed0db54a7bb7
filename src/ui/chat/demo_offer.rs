//! The way from the demo to a model, below an answer of the demo that needs one.

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::settings_path;
use crate::ui::hooks::focus;
use crate::ui::hooks::focus::COMPOSER;
use crate::ui::kit::control::Control;
use crate::ui::kit::prelude::*;
use nexus_model::agent::defaults::REHEARSAL_MODEL;
use nexus_model::message::Message;
use nexus_model::message::content::text_of;
use nexus_model::provider::demo::{DEMO_OBJECTIVES, NEEDS_MODEL};
use nexus_model::session::draft::DraftField;
use nexus_view::language::tr;
use nexus_view::strings::first_start as words;
use nexus_view::timeline::PtrEq;

/// Whether the demo said here that it needs a model.
fn needs_model(message: &Message) -> bool {
    message.model.as_deref() == Some(REHEARSAL_MODEL) && text_of(&message.parts).contains(NEEDS_MODEL)
}

/// A link to the providers, and the prepared objectives as drafts of the next message.
#[component]
pub fn DemoOffer(stored: Selector<Option<PtrEq<Message>>>) -> impl IntoMarkup {
    let needs = select(move || stored.with(|row| row.as_ref().is_some_and(|row| needs_model(&row.0))));
    move || needs.get().then(offer)
}

/// A button that puts words into the message box.
pub fn draft_button(name: &'static str, words: &'static str) -> Control {
    let dispatch = expect_context::<Dispatch>();
    quiet_button(name).title(words).on_click(move |_| {
        dispatch.field(&DraftField::Composer).typed(words);
        focus::soon(COMPOSER.to_owned());
    })
}

fn offer() -> Markup {
    let objectives =
        DEMO_OBJECTIVES.map(|one| draft_button(tr(one.title), one.objective).test("demo-objective"));
    view! {
        <div class="card-actions" data-testid="demo-offer" role="group" aria-label=words::DEMO_OFFER>
            <a
                class="button" data-weight="first" data-testid="connect-model" href=settings_path()
                on:click=move |_| focus::lead_when_there("#settings-providers".to_owned())
            >
                {words::CONNECT_MODEL}
            </a>
            {objectives}
        </div>
    }
}
