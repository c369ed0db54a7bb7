//! The button at a text selection that quotes it in the composer.

use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::hooks::text::selection;
use crate::ui::hooks::text::selection::SelectedText;
use crate::ui::kit::prelude::*;
use nexus_model::session::Target;
use nexus_view::strings::chat::message_actions as words;

/// The action, while something is selected.
#[component]
pub fn AskAboutSelection(serve: MessageActionsHandler) -> impl IntoMarkup {
    let picked = RwSignal::new(None::<SelectedText>);
    selection::on_change(move || {
        let now = selection::picked();
        if picked.try_with_untracked(|old| *old != now) == Some(true) {
            picked.set(now);
        }
    });
    let shown = move || {
        picked.get().map(|picked| {
            let (_, agent) = serve.origin(&picked.origin);
            let told = match &agent {
                Some(agent) => words::ask(&serve.agent_name(agent)),
                None => match serve.care.target.get() {
                    Target::Agents(agents) => agents
                        .first()
                        .map_or(words::ASK.to_owned(), |agent| words::ask(&serve.agent_name(agent))),
                    Target::All => words::ASK.to_owned(),
                },
            };
            let (left, top) = picked.place.clone();
            view! {
                <button
                    type="button"
                    class="button ask-action"
                    data-testid="ask-selection"
                    title=words::ASK_KEY
                    aria-keyshortcuts="Alt+Q"
                    style:left=left
                    style:top=top
                    // What is selected stays so until it is quoted.
                    on:pointerdown=|event| event.prevent_default()
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| serve.ask(&picked)
                >
                    {told}
                    <kbd aria-hidden="true">{words::ASK_KEY}</kbd>
                </button>
            }
        })
    };
    view! { {shown} }
}
