//! Never keeps the key anywhere but in the key ring of this tab.
//!
//! Owns the first screen that a newcomer sees: who you are, who answers, what shall be built, and off they go.

mod begin;
pub mod team;

pub(in crate::ui) use begin::use_for_all;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::draft::DraftField;
use crate::ui::brand::Brand;
use crate::ui::dispatch::Dispatch;
use crate::ui::first_start::begin::{Beginning, begin};
use crate::ui::first_start::team::Team;
use crate::ui::view_state::{Agents, MindView, Providers, Settings};
use crate::ui::words::first_start as words;

/// The first start.
#[component]
pub fn FirstStart() -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let (agents, mind) = (expect_context::<Agents>(), expect_context::<MindView>());
    let providers = expect_context::<Providers>();
    // What was typed while the program was loading, else what an older version left on this device.
    let typed = dispatch.field(&DraftField::Composer).text.get_untracked();
    let known = mind.objective().get_untracked();
    let objective = RwSignal::new(if typed.is_empty() { known.to_string() } else { typed.to_string() });
    // The device's first session may come a moment after the screen.
    Effect::new(move |_| {
        let known = mind.objective().get();
        if objective.with_untracked(String::is_empty) {
            objective.set(known.to_string());
        }
    });
    let name = RwSignal::new(expect_context::<Settings>().text("operator_name").get_untracked());
    let key = RwSignal::new(String::new());
    let rehearse = RwSignal::new(true);
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<&'static str>);

    let go = move || {
        let beginning = Beginning {
            name: name.get_untracked().trim().to_owned(),
            key: (!rehearse.get_untracked()).then(|| key.get_untracked().trim().to_owned()),
            objective: objective.get_untracked().trim().to_owned(),
        };
        let found = match &beginning {
            Beginning { objective, .. } if objective.is_empty() => Some(words::NO_OBJECTIVE),
            Beginning { key: Some(key), .. } if key.is_empty() => Some(words::NO_KEY),
            Beginning { .. } => None,
        };
        problem.set(found);
        if found.is_none() && !busy.get_untracked() {
            busy.set(true);
            spawn_local(async move {
                // A refusal was told as a notice; the screen stays, with what was entered.
                if begin(dispatch, agents, providers, beginning).await.is_err() {
                    busy.try_set(false);
                }
            });
        }
    };
    // The click, not the form's own event: a sandboxed frame submits nothing. Enter clicks this button too.
    let submit = move |ev: MouseEvent| {
        ev.prevent_default();
        go();
    };
    let shortcut = move |ev: KeyboardEvent| {
        if ev.key() == "Enter" && (ev.ctrl_key() || ev.meta_key()) {
            ev.prevent_default();
            go();
        }
    };
    let key_typed = move |ev| {
        key.set(event_target_value(&ev));
        rehearse.set(key.with_untracked(String::is_empty));
    };
    let ideas = words::IDEAS.map(|(short, idea)| {
        view! { class="n",
            <button type="button" class="first-idea" title=idea on:click=move |_| objective.set(idea.to_owned())>
                {short}
            </button>
        }
    });

    view! { class="n",
        <main class="first-start" data-testid="first-start">
            <div class="first-columns">
                <div class="first-words">
                    <Brand />
                    <h1>{words::TITLE}</h1>
                    <p>{words::ABOUT}</p>
                    <Team agents />
                </div>
                <form class="first-form" autocomplete="off">
                    <div class="field">
                        <label class="field-name" for="first-name">{words::NAME}</label>
                        <input
                            id="first-name"
                            class="input"
                            data-testid="first-name"
                            autocomplete="nickname"
                            placeholder=words::NAME_EXAMPLE
                            prop:value=move || name.get()
                            on:input=move |ev| name.set(event_target_value(&ev))
                        />
                    </div>
                    <div class="field" role="group" aria-labelledby="first-who">
                        <span class="field-name" id="first-who">{words::WHO}</span>
                        <button
                            type="button"
                            class="first-way"
                            data-testid="first-rehearsal"
                            aria-pressed=move || rehearse.get().to_string()
                            on:click=move |_| rehearse.set(true)
                        >
                            <b>{words::REHEARSAL}</b>
                            <span>{words::REHEARSAL_ABOUT}</span>
                        </button>
                        <div class="first-way" data-chosen=move || (!rehearse.get()).to_string()>
                            <button
                                type="button"
                                class="first-way-choose"
                                aria-pressed=move || (!rehearse.get()).to_string()
                                on:click=move |_| rehearse.set(false)
                            >
                                <b>{words::GEMINI}</b>
                                <span>{words::GEMINI_ABOUT}</span>
                            </button>
                            <input
                                type="password"
                                class="input"
                                data-testid="first-key"
                                data-face="code"
                                aria-label=words::KEY
                                aria-describedby="first-key-about"
                                autocomplete="off"
                                spellcheck="false"
                                placeholder=words::KEY_EXAMPLE
                                prop:value=move || key.get()
                                on:input=key_typed
                            />
                            <span id="first-key-about">{words::KEY_ABOUT}</span>
                        </div>
                    </div>
                    <div class="field">
                        <label class="field-name" for="first-objective">{words::OBJECTIVE}</label>
                        <textarea
                            id="first-objective"
                            class="area"
                            data-testid="first-objective"
                            rows="4"
                            placeholder=words::OBJECTIVE_EXAMPLE
                            prop:value=move || objective.get()
                            on:input=move |ev| objective.set(event_target_value(&ev))
                            on:keydown=shortcut
                        ></textarea>
                        <div class="first-ideas" role="group" aria-label=words::IDEAS_LABEL>{ideas}</div>
                    </div>
                    <p class="field-problem" role="alert">{move || problem.get()}</p>
                    <button
                        type="submit"
                        on:click=submit
                        class="button"
                        data-weight="first"
                        data-testid="first-go"
                        disabled=move || busy.get()
                    >
                        {words::GO}
                    </button>
                    <p class="hint">{words::GO_ABOUT}</p>
                </form>
            </div>
        </main>
    }
}
