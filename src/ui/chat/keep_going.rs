//! The option to repeat rounds until the work is done, stored as a setting; and the demo's offer to connect a model.

use serde_json::json;

use crate::ui::kit::control::Control;
use crate::ui::prelude::*;
use nexus_model::limits::ROUNDS_UNTIL_DONE;
use nexus_model::provider::presets::{DEMO_OBJECTIVES, NEEDS_MODEL};
use nexus_model::session::KeepGoing;
use nexus_model::settings::schema::KEEP_GOING;
use nexus_view::strings::first_start as words;

#[derive(Clone, Copy)]
pub struct KeepGoingState {
    on: RwSignal<bool>,
    rounds: RwSignal<u32>,
    done: RwSignal<String>,
    dispatch: Dispatch,
}

impl KeepGoingState {
    pub(super) fn from_setting() -> Self {
        let &Page { dispatch, settings, .. } = expect_context();
        let setting = settings.value(KEEP_GOING);
        let stored = setting.get_untracked();
        let member = |name: &str| stored.as_ref().and_then(|stored| stored.get(name));
        let rounds = member("rounds").and_then(|rounds| rounds.as_u64()).and_then(|n| u32::try_from(n).ok());
        let done = member("definition_of_done").and_then(|done| done.as_str()).map(str::to_owned);
        let on = RwSignal::new(is_on(stored.as_deref()));
        // The palette toggles it too.
        Effect::new(move |_| on.set(is_on(setting.get().as_deref())));
        Self {
            on,
            rounds: RwSignal::new(rounds.unwrap_or(ROUNDS_UNTIL_DONE)),
            done: RwSignal::new(done.unwrap_or_else(|| strings::DONE.to_owned())),
            dispatch,
        }
    }

    /// The option as sent with a message.
    pub(super) fn option(self) -> Option<KeepGoing> {
        self.on.get_untracked().then(|| KeepGoing {
            rounds: self.rounds.get_untracked(),
            definition_of_done: self.done.get_untracked(),
        })
    }

    fn save(self) {
        let value = json!({
            "on": self.on.get_untracked(), "rounds": self.rounds.get_untracked(),
            "definition_of_done": self.done.get_untracked(),
        });
        self.dispatch.set_setting(KEEP_GOING, value);
    }
}

pub fn is_on(stored: Option<&Value>) -> bool {
    stored.and_then(|stored| stored.get("on")?.as_bool()).unwrap_or(false)
}

#[component]
pub fn KeepGoingSwitch(state: KeepGoingState) -> impl IntoMarkup {
    let switch = move |on| {
        state.on.set(on);
        state.save();
    };
    check(tr("Keep going"), state.on, switch)
        .test("keep-going")
        .title(tr("Repeat the round until the Critic accepts the work"))
}

/// Maximum rounds and the definition of done; shown while the option is on.
#[component]
pub fn KeepGoingGoal(state: KeepGoingState) -> impl IntoMarkup {
    let set_rounds = move |event| {
        if let Ok(rounds) = event_target_value(&event).parse::<u32>() {
            state.rounds.set(rounds.clamp(2, 99));
            state.save();
        }
    };
    let set_done = move |event| {
        state.done.set(event_target_value(&event));
        state.save();
    };
    view! {
        <Show when=move || state.on.get()>
            <div class="composer-goal">
                <label class="field">
                    <span class="field-name">{tr("Done when")}</span>
                    <input
                        class="input" dir="auto" data-testid="definition-of-done"
                        prop:value=state.done on:change=set_done
                    />
                </label>
                <label class="field">
                    <span class="field-name">{tr("Rounds")}</span>
                    <input
                        class="input" type="number" title=tr("The maximum number of rounds")
                        min="2" max="99" data-testid="rounds" prop:value=move || state.rounds.get().to_string()
                        on:change=set_rounds
                    />
                </label>
            </div>
        </Show>
    }
}

/// A link to the providers, and the prepared objectives as drafts of the next message, if this message of the demo says
/// that it needs a model.
#[component]
pub fn DemoOffer(stored: Selector<Option<PtrEq<Message>>>) -> impl IntoMarkup {
    let needs_model = stored.map_some(|PtrEq(message)| {
        message.model.as_deref() == Some(DEMO_MODEL) && text_of(&message.parts).contains(NEEDS_MODEL)
    });
    move || needs_model.get().then(offer)
}

/// A button that inserts a text into the composer.
pub fn draft_button(name: &'static str, words: &'static str) -> Control {
    let &Page { dispatch, .. } = expect_context();
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
                class="button" data-weight="first" data-testid="connect-model" href=screen_path(Screen::Settings)
                on:click=move |_| focus::focus_when_ready("#settings-providers".to_owned())
            >
                {common::CONNECT_A_MODEL}
            </a>
            {objectives}
        </div>
    }
}
