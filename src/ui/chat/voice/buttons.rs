//! Voice buttons of the war room, and the place of the voice bar.

use crate::ui::chat::voice::lazy_voice_bar;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::voice;
use crate::ui::kit::icon::{MICROPHONE, SPEAKER};
use crate::ui::kit::prelude::*;
use crate::ui::kit::selector::select_from;
use crate::ui::view_state::Settings;
use crate::ui::workspace::message_actions::{VoiceRequest, VoiceState};
use nexus_model::id::Millis;
use nexus_model::limits::VOICE_HOLD_MS;
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, MessageStatus};
use nexus_model::settings::schema::AUTO_READ;
pub use nexus_view::strings::settings::voice as words;
use nexus_view::timeline::PtrEq;
use nexus_view::voice::listening::VoiceStatus;

/// The place where voice shows itself.
#[component]
pub fn VoiceSlot() -> impl IntoMarkup {
    let desk = expect_context::<VoiceState>();
    let reads = expect_context::<Settings>().get(AUTO_READ);
    let is_wanted =
        select_from(move |was| was == Some(&true) || desk.open.get() || (desk.can_speak && reads.get()));
    view! { <Show when=move || is_wanted.get()><LazyView load=lazy_voice_bar /></Show> }
}

/// The button that listens: pressed it goes on until it is pressed again, held until it is let go.
#[component]
pub fn Microphone(
    /// Whether nothing can be sent here.
    disabled: Selector<bool>,
) -> impl IntoMarkup {
    let (desk, dispatch) = (expect_context::<VoiceState>(), expect_context::<Dispatch>());
    let held = StoredValue::new(None::<Millis>);
    let is_on = select(move || match desk.standing.get() {
        VoiceStatus::Listening | VoiceStatus::HandsFree | VoiceStatus::Resting => true,
        VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => false,
    });
    let down = move || {
        held.set_value((!is_on.get_untracked()).then(|| dispatch.now()));
        desk.wish(if is_on.get_untracked() { VoiceRequest::TalkEnd } else { VoiceRequest::Talk });
    };
    let up = move || {
        let since = held.try_update_value(Option::take).flatten();
        if since.is_some_and(|since| dispatch.now().0.saturating_sub(since.0) > VOICE_HOLD_MS) {
            desk.wish(VoiceRequest::TalkEnd);
        }
    };
    desk.can_hear.then(|| {
        view! {
            <button
                type="button"
                class="quiet image-pick"
                data-testid="microphone"
                title=move || if is_on.get() { words::TALK_END } else { words::TALK }
                aria-label=move || if is_on.get() { words::TALK_END } else { words::TALK }
                aria-pressed=move || is_on.get().to_string()
                disabled=disabled
                on:pointerdown=move |event| if event.button() == 0 { down() }
                on:pointerup=move |_| up()
                on:pointerleave=move |_| up()
                // Without a pointer: a screen reader's own click.
                on:click=move |event| if event.detail() == 0 { down(); held.set_value(None) }
                on:keydown=move |event| if voice::presses(&event) { down() }
                on:keyup=move |event| if voice::presses(&event) { up() }
            >
                {icon(MICROPHONE)}
            </button>
        }
    })
}

/// The button that reads a message, once it is whole.
#[component]
pub fn ReadAloud(stored: Selector<Option<PtrEq<Message>>>) -> impl IntoMarkup {
    let desk = use_context::<VoiceState>().filter(|desk| desk.can_speak)?;
    let id = stored.with_untracked(|row| row.as_ref().map(|row| row.0.id));
    let is_read = select(move || id.is_some() && desk.reading.get() == id);
    let is_whole = select(move || {
        stored.with(|row| row.as_ref().is_some_and(|row| row.0.status != MessageStatus::Processing))
    });
    let press = move |_| {
        let read = stored.with_untracked(|row| {
            let message = &row.as_ref()?.0;
            Some(VoiceRequest::Read(message.id, message.agent.clone()?, text_of(&message.parts)))
        });
        desk.wish(if is_read.get_untracked() {
            VoiceRequest::Hush
        } else {
            read.unwrap_or(VoiceRequest::Hush)
        });
    };
    Some(view! {
        <Show when=move || is_whole.get()>
            {plain_button("quiet read-aloud", icon(SPEAKER))
                .test("read-aloud").title(move || if is_read.get() { words::READ_END } else { words::READ })
                .label(move || if is_read.get() { words::READ_END } else { words::READ })
                .with("aria-pressed", move || is_read.get().to_string()).on_click(press)}
        </Show>
    })
}
