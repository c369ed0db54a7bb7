//! Voice buttons of the war room and their requests, before voice is loaded.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::voice;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::shell::screens;
use crate::ui::view_state::Settings;
use nexus_model::id::{AgentKey, MessageId, Millis};
use nexus_model::limits::VOICE_HOLD_MS;
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, MessageStatus};
use nexus_model::settings::schema::AUTO_READ;
pub use nexus_view::strings::settings::voice as words;
use nexus_view::timeline::PtrEq;
use nexus_view::voice::listening::VoiceStatus;

/// What the operator wants of voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceRequest {
    Talk,
    TalkEnd,
    Read(MessageId, AgentKey, String),
    /// To hear nothing more.
    Hush,
}

/// Voice, as the war room knows it.
#[derive(Clone, Copy)]
pub struct VoiceState {
    /// Whether the bar is wanted.
    pub open: RwSignal<bool>,
    /// Where voice stands; the part that listens keeps it.
    pub standing: RwSignal<VoiceStatus>,
    pub reading: RwSignal<Option<MessageId>>,
    wishes: RwSignal<Vec<VoiceRequest>>,
    send: StoredValue<Option<Callback<()>>>,
    can_hear: bool,
    can_speak: bool,
}

impl VoiceState {
    /// Voice that nobody has wanted yet.
    pub(crate) fn new() -> Self {
        Self {
            open: RwSignal::new(false),
            standing: RwSignal::new(VoiceStatus::Idle),
            reading: RwSignal::new(None),
            wishes: RwSignal::new(Vec::new()),
            send: StoredValue::new(None),
            can_hear: voice::can_hear(),
            can_speak: voice::can_speak(),
        }
    }

    /// Wants something.
    pub fn wish(self, wish: VoiceRequest) {
        self.wishes.update(|wishes| wishes.push(wish));
        self.open.set(true);
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<VoiceRequest> {
        if self.wishes.with(Vec::is_empty) {
            return Vec::new();
        }
        self.wishes.try_update(std::mem::take).unwrap_or_default()
    }

    /// Sends what stands in the composer.
    pub(crate) fn send(self) {
        if let Some(send) = self.send.get_value() {
            send.run(());
        }
    }

    pub(crate) fn send_by(self, send: impl Fn() + Send + Sync + 'static) {
        self.send.set_value(Some(Callback::new(move |()| send())));
    }
}

/// The place where voice shows itself.
#[component]
pub fn VoiceSlot() -> impl IntoView {
    let desk = expect_context::<VoiceState>();
    let reads = expect_context::<Settings>().get(AUTO_READ);
    let is_wanted =
        Memo::new(move |was| was == Some(&true) || desk.open.get() || (desk.can_speak && reads.get()));
    view! { class="n",
        <Show when=move || is_wanted.get()>
            <LazyView load=screens::voice_bar />
        </Show>
    }
}

/// The button that listens: pressed it goes on until it is pressed again, held until it is let go.
#[component]
pub fn Microphone(
    /// Whether nothing can be sent here.
    #[prop(into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let (desk, dispatch) = (expect_context::<VoiceState>(), expect_context::<Dispatch>());
    let held = StoredValue::new(None::<Millis>);
    let is_on = Memo::new(move |_| match desk.standing.get() {
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
        view! { class="n",
            <button
                type="button"
                class="quiet image-pick"
                data-testid="microphone"
                title=move || if is_on.get() { words::TALK_END } else { words::TALK }
                aria-label=move || if is_on.get() { words::TALK_END } else { words::TALK }
                aria-pressed=move || is_on.get().to_string()
                disabled=move || disabled.get()
                on:pointerdown=move |event| if event.button() == 0 { down() }
                on:pointerup=move |_| up()
                on:pointerleave=move |_| up()
                // Without a pointer: a screen reader's own click.
                on:click=move |event| if event.detail() == 0 { down(); held.set_value(None) }
                on:keydown=move |event| if voice::presses(&event) { down() }
                on:keyup=move |event| if voice::presses(&event) { up() }
            >
                <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" aria-hidden="true">
                    <path d="M8 1.7a2.1 2.1 0 0 0-2.1 2.1v3.6a2.1 2.1 0 0 0 4.2 0V3.8A2.1 2.1 0 0 0 8 1.7zM3.6 7.2a4.4 4.4 0 0 0 8.8 0M8 11.7v2.6M5.8 14.3h4.4" />
                </svg>
            </button>
        }
    })
}

/// The button that reads a message, once it is whole.
#[component]
pub fn ReadAloud(stored: Signal<Option<PtrEq<Message>>>) -> impl IntoView {
    let desk = use_context::<VoiceState>().filter(|desk| desk.can_speak)?;
    let id = stored.with_untracked(|row| row.as_ref().map(|row| row.0.id));
    let is_read = Memo::new(move |_| id.is_some() && desk.reading.get() == id);
    let is_whole = Memo::new(move |_| {
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
    Some(view! { class="n",
        <Show when=move || is_whole.get()>
            <button
                type="button"
                class="quiet read-aloud"
                data-testid="read-aloud"
                title=move || if is_read.get() { words::READ_END } else { words::READ }
                aria-label=move || if is_read.get() { words::READ_END } else { words::READ }
                aria-pressed=move || is_read.get().to_string()
                on:click=press
            >
                <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
                    <path d="M2.5 6.2v3.6h2.3L8 12.6V3.4L4.8 6.2zM10.3 5.8a3.2 3.2 0 0 1 0 4.4M12.2 4a5.8 5.8 0 0 1 0 8" />
                </svg>
            </button>
        </Show>
    })
}
