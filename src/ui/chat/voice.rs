//! Voice: dictation and reading aloud; the bar below the composer shows status, errors and buttons to stop; and the
//! settings: language, automatic reading, and a voice for each agent.
//!
//! Except for two buttons and a slot, it is loaded lazily. [`talk`] listens and reads. The microphone is never on
//! without a request or an indicator.

pub mod talk;

use crate::ui::chat::voice::talk::VoiceController;
use crate::ui::hooks::js_part::{LazyVoice, MakeVoice};
use crate::ui::kit::icon::{MICROPHONE, SPEAKER};
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::setting_fields;
use nexus_engine::port::{VoiceInfo, VoicePorts};
use nexus_model::limits::VOICE_HOLD_MS;
use nexus_model::settings::schema::{VOICE_LANGUAGE, VOICE_LANGUAGES, VOICE_SOUNDS};
use nexus_model::settings::{PITCHES, RATES, VoiceProfile, is_tag, languages, number_within};
use nexus_view::strings::lazy;
use nexus_view::strings::settings::voice as words;
use nexus_view::strings::settings::voice::settings as settings_words;
use nexus_view::voice::listening::{ListeningMode, VoiceError, VoiceEvent, VoiceStatus};
use nexus_view::voice::spoken_words;

lazy_view!(board, lazy_voice_bar, VoiceBar);

#[component]
pub fn VoiceBar() -> impl IntoMarkup {
    let LazyVoice(load) = expect_context::<LazyVoice>();
    let loading = load_state::<MakeVoice>(load);
    move || match loading.get() {
        Some(Ok(make)) => view! { <ActiveVoiceBar make /> },
        Some(Err(ChunkLoadError)) => {
            view! { <p class="voice-trouble" role="alert">{lazy::NOT_LOADED}</p> }
        }
        None => Markup::Empty,
    }
}

#[component]
fn ActiveVoiceBar(make: MakeVoice) -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, settings, .. } = expect_context();
    let Workspace { voice, .. } = expect_context();
    let ports = make();
    let (can_hear, can_speak) = (ports.recognizer.is_available(), ports.synthesizer.is_available());
    let talk = VoiceController::new(ports, voice, dispatch.field(&DraftField::Composer));
    if can_speak {
        talk.follow_answers();
    }
    Effect::new(move |_| {
        for request in voice.take() {
            match request {
                VoiceRequest::Talk => talk.begin(),
                VoiceRequest::StopTalking => talk.handle(VoiceEvent::Stop),
                VoiceRequest::Read(message, agent, text) => talk.read(message, &agent, &text),
                VoiceRequest::StopReading => talk.silence(),
            }
        }
    });
    Effect::new(move |_| talk.handle(VoiceEvent::AgentsWorking(works.get())));
    let is_idle = |status| matches!(status, VoiceStatus::Idle | VoiceStatus::Error);
    page::on_key(move |event| {
        if event.key() == "Escape" && !event.is_composing() && !is_idle(voice.status.get_untracked()) {
            // Escape stops reading first, then listening.
            if voice.reading.get_untracked().is_some() {
                talk.silence();
            } else {
                talk.handle(VoiceEvent::Stop);
            }
        }
    });
    let reads = settings.get(AUTO_READ);
    let is_active = move || !is_idle(voice.status.get()) || voice.reading.get().is_some();
    let listens = move || matches!(voice.status.get(), VoiceStatus::Listening | VoiceStatus::HandsFree);
    let hands_free = move || talk.mode.get() == ListeningMode::HandsFree;
    let begin = VoiceEvent::Begin(ListeningMode::HandsFree);
    let switch = move |_| talk.handle(if hands_free() { VoiceEvent::Stop } else { begin.clone() });
    let close = move |_| {
        talk.end();
        voice.open.set(false);
    };
    let error = move || {
        talk.error.get().map(|error| {
            let notice = words::error(error);
            view! {
                <p class="voice-trouble" role="alert" data-testid="voice-trouble" data-code=code_of(error)>
                    <b>{notice.title}</b>
                    " "
                    {notice.advice}
                </p>
            }
        })
    };
    view! {
        <div
            class="voice" role="group" aria-label=common::VOICE data-testid="voice"
            data-state=move || json::name(&voice.status.get())
            hidden=move || !voice.open.get() && !is_active() && talk.error.get().is_none()
        >
            <div class="voice-row">
                <span class="voice-mark" aria-hidden="true"></span>
                <span class="voice-status" role="status" data-testid="voice-status">
                    {move || words::status(voice.status.get())}
                </span>
                <span class="voice-end">
                    {can_hear.then(|| quiet_button(words::HANDS_FREE).test("voice-hands-free")
                                .title(words::HANDS_FREE_ABOUT)
                                .with("aria-pressed", move || hands_free().to_string()).on_click(switch))}
                    {can_speak.then(|| quiet_button(words::AUTO_READ).test("voice-auto-read")
                                .title(words::AUTO_READ_ABOUT)
                                .with("aria-pressed", move || reads.get().to_string())
                                .on_click(move |_| dispatch.set_setting(AUTO_READ, !reads.get_untracked())))}
                    <Show when=is_active>
                        {button(common::STOP).danger().test("voice-stop").title("Esc")
                            .on_click(move |_| talk.end())}
                    </Show>
                    {icon_button(icon(icon::CLOSE)).test("voice-close").named(words::CLOSE).on_click(close)}
                </span>
            </div>
            <Show when=listens>
                <p class="voice-hint">{move || words::commands(spoken_words(&talk.language.get()))}</p>
            </Show>
            {error}
        </div>
    }
}

fn code_of(error: VoiceError) -> &'static str {
    match error {
        VoiceError::Recognition(fault) => fault.name(),
        VoiceError::NothingHeard => "nothing-heard",
        VoiceError::Hidden => "hidden",
        VoiceError::OtherTab => "elsewhere",
        VoiceError::Speech(_) => "synthesis",
    }
}

#[component]
pub fn VoiceSlot() -> impl IntoMarkup {
    let Workspace { voice, .. } = expect_context();
    let reads = expect_context::<&Page>().settings.get(AUTO_READ);
    let is_wanted =
        select_from(move |was| was == Some(&true) || voice.open.get() || (voice.can_speak && reads.get()));
    view! { <Show when=move || is_wanted.get()><LazyView load=lazy_voice_bar /></Show> }
}

/// The microphone button: a click toggles it, holding it listens until release.
#[component]
pub fn Microphone(disabled: Selector<bool>) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let Workspace { voice, .. } = expect_context();
    let pressed_at = StoredValue::new(None::<Millis>);
    let is_on = select(move || voice.status.get().is_listening());
    let down = move || {
        pressed_at.set_value((!is_on.get_untracked()).then(|| dispatch.now()));
        voice.request(if is_on.get_untracked() { VoiceRequest::StopTalking } else { VoiceRequest::Talk });
    };
    let up = move || {
        let since = pressed_at.try_update_value(Option::take).flatten();
        if since.is_some_and(|since| dispatch.now().0.saturating_sub(since.0) > VOICE_HOLD_MS) {
            voice.request(VoiceRequest::StopTalking);
        }
    };
    let label = move || if is_on.get() { common::STOP_LISTENING } else { words::TALK };
    voice.can_hear.then(|| {
        view! {
            <button
                type="button" class="quiet image-pick" data-testid="microphone" title=label aria-label=label
                aria-pressed=move || is_on.get().to_string() disabled=disabled
                on:pointerdown=move |event| if event.button() == 0 { down() }
                on:pointerup=move |_| up() on:pointerleave=move |_| up()
                // A click without a pointer, from a screen reader.
                on:click=move |event| if event.detail() == 0 { down(); pressed_at.set_value(None) }
                on:keydown=move |event| if js_part::is_key_press(&event) { down() }
                on:keyup=move |event| if js_part::is_key_press(&event) { up() }
            >
                {icon(MICROPHONE)}
            </button>
        }
    })
}

#[component]
pub fn ReadAloud(stored: Selector<Option<PtrEq<Message>>>) -> impl IntoMarkup {
    let voice = use_context::<Workspace>().map(|room| room.voice).filter(|voice| voice.can_speak)?;
    let id = stored.with_some_untracked(|row| Some(row.0.id));
    let is_read = select(move || id.is_some() && voice.reading.get() == id);
    let is_whole = stored.map_some(move |row| row.0.status != MessageStatus::Processing);
    let press = move |_| {
        let read = stored.with_some_untracked(|PtrEq(message)| {
            Some(VoiceRequest::Read(message.id, message.agent.clone()?, text_of(&message.parts)))
        });
        let read = read.filter(|_| !is_read.get_untracked());
        voice.request(read.unwrap_or(VoiceRequest::StopReading));
    };
    Some(view! {
        <Show when=move || is_whole.get()>
            {plain_button("quiet read-aloud", icon(SPEAKER))
                .test("read-aloud").named(move || if is_read.get() { words::READ_END } else { words::READ })
                .with("aria-pressed", move || is_read.get().to_string()).on_click(press)}
        </Show>
    })
}

#[component]
pub fn VoiceFields() -> impl IntoMarkup {
    let LazyVoice(load) = expect_context::<LazyVoice>();
    let make = loaded::<MakeVoice>(load);
    move || make.get().map(|make| view! { <VoiceFieldList make /> })
}

#[component]
fn VoiceFieldList(make: MakeVoice) -> impl IntoMarkup {
    let &Page { agents, dispatch, settings, .. } = expect_context();
    let ports = make();
    let (can_hear, can_speak) = (ports.recognizer.is_available(), ports.synthesizer.is_available());
    let own = ports.recognizer.languages();
    let voices = RwSignal::new(None::<Vec<VoiceInfo>>);
    let coming = ports.synthesizer.voices();
    spawn_local(async move { voices.set(Some(coming.await)) });
    let ports = StoredValue::new(SendWrapper::new(ports));
    on_cleanup(move || {
        ports.try_with_value(|ports| ports.synthesizer.stop());
    });
    let (chosen, listed) = (settings.text(VOICE_LANGUAGE), settings.value(VOICE_LANGUAGES));
    let tags = select(move || {
        let of_voices: Vec<_> =
            voices.with(|voices| voices.iter().flatten().map(|voice| voice.language.clone()).collect());
        listed.with(|listed| languages(listed.as_deref(), &own, &of_voices))
    });
    let choices = select(move || {
        let named = tags.get().into_iter().map(|tag| (tag.clone(), tag));
        let mut all: Vec<_> =
            std::iter::once((String::new(), common::BROWSER_LANGUAGE.to_owned())).chain(named).collect();
        // A chosen language that is no longer listed stays selectable.
        let chosen = chosen.get();
        if !all.iter().any(|(tag, _)| *tag == chosen) {
            all.push((chosen.clone(), chosen));
        }
        all
    });
    let keep_list = move |text: &str| {
        let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if !lines.iter().all(|line| is_tag(line)) {
            return Err(settings_words::LANGUAGES_WRONG);
        }
        let list = if lines.is_empty() { Value::Null } else { lines.into() };
        dispatch.set_setting(VOICE_LANGUAGES, list);
        Ok(())
    };
    let has_no_voices = move || can_speak && voices.with_some(Vec::is_empty);
    view! {
        <div class="settings-card">
            <p class="hint">{settings_words::PRIVACY}</p>
            {(!can_hear).then(|| view! { <p class="hint" data-testid="voice-no-recognition">{settings_words::NO_RECOGNITION}</p> })}
            {(!can_speak).then(|| view! { <p class="hint" data-testid="voice-no-synthesis">{settings_words::NO_SPEECH_OUTPUT}</p> })}
            <Show when=has_no_voices><p class="hint" data-testid="voice-no-voices">{settings_words::NO_VOICES}</p></Show>
            <div class="settings-row">
                {choice_field("voice-language", Text(info(VOICE_LANGUAGE).label), choices, chosen,
                    move |tag: String| dispatch.set_setting(VOICE_LANGUAGE, tag))
                    .test("voice-language").hint(Text(info(VOICE_LANGUAGE).hint))}
                {text_field("voice-languages", Text(info(VOICE_LANGUAGES).label),
                    select(move || tags.get().join("\n")), keep_list).test("voice-languages")
                    .hint(Text(info(VOICE_LANGUAGES).hint)).lines()}
            </div>
            {can_speak.then(|| setting_fields(SettingGroup::Reading))}
            {can_hear.then(|| setting_fields(SettingGroup::Listening))}
        </div>
        {can_speak.then(|| keyed_list(move || agents.order.get(), Clone::clone,
                    move |agent| view! { <AgentVoiceFields agent voices ports language=chosen /> }))}
    }
}

#[component]
fn AgentVoiceFields(
    agent: AgentKey,
    voices: RwSignal<Option<Vec<VoiceInfo>>>,
    ports: StoredValue<SendWrapper<VoicePorts>>,
    language: Selector<String>,
) -> impl IntoMarkup {
    let &Page { agents, dispatch, settings, .. } = expect_context();
    let sounds = settings.value(VOICE_SOUNDS);
    let row = agents.rows.row(&agent)?;
    let name = row.map(move |row| row.agent.identity.name.clone());
    let id = agent.0.clone();
    let key = StoredValue::new(agent);
    let sound = sounds.map(move |sounds| key.with_value(|key| VoiceProfile::of(sounds.as_deref(), key)));
    // A change that is not stored yet; the next change builds on it.
    let changed = StoredValue::new(None);
    Effect::new(move |_| {
        sounds.track();
        changed.set_value(None);
    });
    let keep = move |change: &dyn Fn(&mut VoiceProfile)| {
        let mut sound = changed.get_value().unwrap_or_else(|| sound.get_untracked());
        change(&mut sound);
        changed.set_value(Some(sound.clone()));
        let all = sounds.get_untracked();
        dispatch.set_setting(VOICE_SOUNDS, key.with_value(|key| sound.store_in(all.as_deref(), key)));
    };
    let choices = select(move || {
        let mut all = vec![(String::new(), settings_words::USUAL.to_owned())];
        voices.with(|voices| {
            let option =
                |voice: &VoiceInfo| (voice.name.clone(), format!("{} · {}", voice.name, voice.language));
            all.extend(voices.iter().flatten().map(option));
        });
        let chosen = sound.get().voice;
        if !all.iter().any(|(voice, _)| *voice == chosen) {
            all.push((chosen.clone(), chosen));
        }
        all
    });
    let play_sample = move |_| {
        let synthesizer = ports.with_value(|ports| Rc::clone(&ports.synthesizer));
        synthesizer.stop();
        let text = words::sample(&name.get_untracked());
        let utterance = synthesizer.speak(text, language.get_untracked(), sound.get_untracked());
        spawn_local(async move {
            // Success or failure makes no difference.
            utterance.await.unwrap_or_default();
        });
    };
    Some(view! {
        <div class="settings-card" data-testid="voice-agent" data-agent=id.clone()>
            <h3 class="voice-name">{name}</h3>
            <div class="settings-row">
                {choice_field(format!("voice-of-{id}"), common::VOICE, choices,
                    select(move || sound.get().voice),
                    move |voice: String| keep(&|sound| sound.voice.clone_from(&voice))).test("voice-of")
                    .hint(settings_words::SOUND_ABOUT)}
                {text_field(format!("voice-rate-{id}"), common::SPEED,
                    select(move || sound.get().rate.to_string()), move |text: &str| {
                        let rate = number_within(text, RATES).ok_or(settings_words::RATE_WRONG)?;
                        keep(&|sound| sound.rate = rate);
                        Ok(())
                    }).test("voice-rate").hint(settings_words::RATE_ABOUT).code()}
                {text_field(format!("voice-pitch-{id}"), settings_words::PITCH,
                    select(move || sound.get().pitch.to_string()), move |text: &str| {
                        let pitch = number_within(text, PITCHES).ok_or(settings_words::PITCH_WRONG)?;
                        keep(&|sound| sound.pitch = pitch);
                        Ok(())
                    }).test("voice-pitch").hint(settings_words::PITCH_ABOUT).code()}
                {plain_button("button voice-test", settings_words::TEST).test("voice-test").on_click(play_sample)}
            </div>
        </div>
    })
}
