//! Never hides that the microphone is on.
//!
//! Owns the bar below the message while voice is wanted: where it stands, what went wrong, and the ways out.

use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::domain::voice::listening::{Mode, Sign, Standing, Trouble};
use crate::domain::voice::spoken_command::told_in;
use crate::domain::voice::{AUTO_READ_SETTING, EarFault};
use crate::engine::parts::{Coming, NotLoaded};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::page;
use crate::ui::later::asked;
use crate::ui::start::{MakeVoice, VoiceDoor};
use crate::ui::view_state::{RunView, Settings};
use crate::ui::voice::desk::{VoiceDesk, Wish};
use crate::ui::voice::talk::Talk;
use crate::ui::words::later;
use crate::ui::words::voice as words;

/// The bar, with all that listens and reads.
#[component]
pub fn VoiceBar() -> impl IntoView {
    let VoiceDoor(door) = expect_context::<VoiceDoor>();
    let came: Signal<Option<Result<MakeVoice, NotLoaded>>> = asked(door as fn() -> Coming<MakeVoice>);
    move || match came.get() {
        Some(Ok(make)) => view! { class="n", <Serving make /> }.into_any(),
        Some(Err(NotLoaded)) => {
            view! { class="n", <p class="voice-trouble" role="alert">{later::NOT_LOADED}</p> }.into_any()
        }
        None => ().into_any(),
    }
}

/// The bar while it serves.
#[component]
fn Serving(make: MakeVoice) -> impl IntoView {
    let (desk, dispatch) = (expect_context::<VoiceDesk>(), expect_context::<Dispatch>());
    let (settings, works) = (expect_context::<Settings>(), expect_context::<RunView>().works());
    let ports = make();
    let (can_hear, can_speak) = (ports.ears.is_there(), ports.mouth.is_there());
    let talk = Talk::new(ports, desk, dispatch.field(&DraftField::Composer));
    if can_speak {
        talk.follow_answers();
    }
    Effect::new(move |_| {
        for wish in desk.take() {
            match wish {
                Wish::Talk => talk.begin(),
                Wish::TalkEnd => talk.take(Sign::Leave),
                Wish::Read(message, agent, text) => talk.read(message, &agent, &text),
                Wish::Hush => talk.silence(),
            }
        }
    });
    Effect::new(move |_| talk.take(Sign::Works(works.get())));
    page::on_key(move |event| {
        if event.key() == "Escape" && !event.is_composing() {
            match desk.standing.get_untracked() {
                Standing::Idle | Standing::Error => {}
                Standing::Listening | Standing::HandsFree | Standing::Resting | Standing::Reading => {
                    // What is read ends first, then the listening.
                    if desk.reading.get_untracked().is_some() {
                        talk.silence();
                    } else {
                        talk.take(Sign::Leave);
                    }
                }
            }
        }
    });
    let reads = settings.is_on(AUTO_READ_SETTING);
    let is_active = move || match desk.standing.get() {
        Standing::Idle | Standing::Error => desk.reading.get().is_some(),
        Standing::Listening | Standing::HandsFree | Standing::Resting | Standing::Reading => true,
    };
    let listens = move || match desk.standing.get() {
        Standing::Listening | Standing::HandsFree => true,
        Standing::Idle | Standing::Resting | Standing::Reading | Standing::Error => false,
    };
    let hands_free = move || talk.mode.get() == Mode::HandsFree;
    let switch = move |_| {
        talk.take(if hands_free() { Sign::Leave } else { Sign::Begin(Mode::HandsFree) });
    };
    let close = move |_| {
        talk.end();
        desk.open.set(false);
    };
    let trouble = move || {
        talk.trouble.get().map(|trouble| {
            let told = words::trouble(trouble);
            view! { class="n",
                <p class="voice-trouble" role="alert" data-testid="voice-trouble" data-code=code_of(trouble)>
                    <b>{told.title}</b>
                    " "
                    {told.advice}
                </p>
            }
        })
    };
    view! { class="n",
        <div
            class="voice"
            role="group"
            aria-label=words::BAR
            data-testid="voice"
            data-state=move || name_of(desk.standing.get())
            hidden=move || !desk.open.get() && !is_active() && talk.trouble.get().is_none()
        >
            <div class="voice-row">
                <span class="voice-mark" aria-hidden="true"></span>
                <span class="voice-said" role="status" data-testid="voice-said">
                    {move || words::standing(desk.standing.get())}
                </span>
                <span class="voice-end">
                    {can_hear
                        .then(|| view! { class="n",
                            <button
                                type="button"
                                class="quiet"
                                data-testid="voice-hands-free"
                                title=words::HANDS_FREE_ABOUT
                                aria-pressed=move || hands_free().to_string()
                                on:click=switch
                            >
                                {words::HANDS_FREE}
                            </button>
                        })}
                    {can_speak
                        .then(|| view! { class="n",
                            <button
                                type="button"
                                class="quiet"
                                data-testid="voice-auto-read"
                                title=words::AUTO_READ_ABOUT
                                aria-pressed=move || reads.get().to_string()
                                on:click=move |_| dispatch.set_setting(AUTO_READ_SETTING, !reads.get_untracked())
                            >
                                {words::AUTO_READ}
                            </button>
                        })}
                    <Show when=is_active>
                        <button
                            type="button"
                            class="button"
                            data-weight="danger"
                            data-testid="voice-stop"
                            title="Esc"
                            on:click=move |_| talk.end()
                        >
                            {words::STOP}
                        </button>
                    </Show>
                    <button
                        type="button"
                        class="icon"
                        data-testid="voice-close"
                        title=words::CLOSE
                        aria-label=words::CLOSE
                        on:click=close
                    >
                        {"×"}
                    </button>
                </span>
            </div>
            <Show when=listens>
                <p class="voice-hint">{move || words::commands(told_in(&talk.language.get()))}</p>
            </Show>
            {trouble}
        </div>
    }
}

fn name_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Idle => "idle",
        Standing::Listening => "listening",
        Standing::HandsFree => "hands-free",
        Standing::Resting => "resting",
        Standing::Reading => "reading",
        Standing::Error => "error",
    }
}

fn code_of(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Ear(fault) => EarFault::code(fault),
        Trouble::NothingHeard => "nothing-heard",
        Trouble::Hidden => "hidden",
        Trouble::Elsewhere => "elsewhere",
        Trouble::Mouth(_) => "mouth",
    }
}
