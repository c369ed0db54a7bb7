//! Voice settings: language, automatic reading, and a voice for each agent.

use send_wrapper::SendWrapper;
use serde_json::Value;

use crate::ui::hooks::js_part::{LazyVoice, MakeVoice};
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::setting_fields;
use nexus_engine::port::{VoiceInfo, VoicePorts};
use nexus_model::settings::schema::{SettingGroup, VOICE_LANGUAGE, VOICE_LANGUAGES, VOICE_SOUNDS, info};
use nexus_model::settings::voice::{PITCHES, RATES, VoiceProfile, is_tag, languages, number_within};
pub use nexus_view::strings::settings::voice;
pub use nexus_view::strings::settings::voice::settings as words;

#[component]
pub fn VoiceFields() -> impl IntoMarkup {
    let LazyVoice(load) = expect_context::<LazyVoice>();
    let make = loaded::<MakeVoice>(load);
    move || make.get().map(|make| view! { <VoiceFieldList make /> })
}

#[component]
fn VoiceFieldList(make: MakeVoice) -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let agents = expect_context::<Agents>();
    let ports = make();
    let (can_hear, can_speak) = (ports.recognizer.is_available(), ports.synthesizer.is_available());
    let own = ports.recognizer.languages();
    let voices = RwSignal::new(None::<Vec<VoiceInfo>>);
    let coming = ports.synthesizer.voices();
    spawn_local(async move {
        let voices_found = coming.await;
        // The component may be gone by now.
        voices.try_update(|voices| *voices = Some(voices_found));
    });
    let ports = StoredValue::new(SendWrapper::new(ports));
    on_cleanup(move || {
        ports.try_with_value(|ports| ports.synthesizer.stop());
    });
    let (chosen, listed) = (settings.text(VOICE_LANGUAGE), settings.value(VOICE_LANGUAGES));
    let tags = select(move || {
        let of_voices = voices.with(|voices| {
            let voices = voices.iter().flatten();
            voices.map(|voice| voice.language.clone()).collect::<Vec<_>>()
        });
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
            return Err(words::LANGUAGES_WRONG);
        }
        let list = if lines.is_empty() { Value::Null } else { lines.into() };
        dispatch.set_setting(VOICE_LANGUAGES, list);
        Ok(())
    };
    let has_no_voices = move || can_speak && voices.with(|voices| voices.as_ref().is_some_and(Vec::is_empty));
    view! {
        <div class="settings-card">
            <p class="hint">{words::PRIVACY}</p>
            {(!can_hear).then(|| view! { <p class="hint" data-testid="voice-no-recognition">{words::NO_RECOGNITION}</p> })}
            {(!can_speak).then(|| view! { <p class="hint" data-testid="voice-no-synthesis">{words::NO_SPEECH_OUTPUT}</p> })}
            <Show when=has_no_voices><p class="hint" data-testid="voice-no-voices">{words::NO_VOICES}</p></Show>
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
    let dispatch = expect_context::<Dispatch>();
    let sounds = expect_context::<Settings>().value(VOICE_SOUNDS);
    let row = expect_context::<Agents>().rows.row(&agent)?;
    let name = select(move || row.with(|row| row.agent.identity.name.clone()));
    let id = agent.0.clone();
    let key = StoredValue::new(agent);
    let sound =
        select(move || sounds.with(|sounds| key.with_value(|key| VoiceProfile::of(sounds.as_deref(), key))));
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
        let mut all = vec![(String::new(), words::USUAL.to_owned())];
        voices.with(|voices| {
            let named = voices.iter().flatten();
            all.extend(
                named.map(|voice| (voice.name.clone(), format!("{} · {}", voice.name, voice.language))),
            );
        });
        let chosen = sound.get().voice;
        if !all.iter().any(|(voice, _)| *voice == chosen) {
            all.push((chosen.clone(), chosen));
        }
        all
    });
    let play_sample = move |_| {
        let (synthesizer, sound) =
            (ports.with_value(|ports| std::rc::Rc::clone(&ports.synthesizer)), sound.get_untracked());
        synthesizer.stop();
        let utterance =
            synthesizer.speak(voice::sample(&name.get_untracked()), language.get_untracked(), sound);
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
                    .hint(words::SOUND_ABOUT)}
                {text_field(format!("voice-rate-{id}"), common::SPEED,
                    select(move || sound.get().rate.to_string()), move |text: &str| {
                        let rate = number_within(text, RATES).ok_or(words::RATE_WRONG)?;
                        keep(&|sound| sound.rate = rate);
                        Ok(())
                    }).test("voice-rate").hint(words::RATE_ABOUT).code()}
                {text_field(format!("voice-pitch-{id}"), words::PITCH,
                    select(move || sound.get().pitch.to_string()), move |text: &str| {
                        let pitch = number_within(text, PITCHES).ok_or(words::PITCH_WRONG)?;
                        keep(&|sound| sound.pitch = pitch);
                        Ok(())
                    }).test("voice-pitch").hint(words::PITCH_ABOUT).code()}
                {plain_button("button voice-test", words::TEST).test("voice-test").on_click(play_sample)}
            </div>
        </div>
    })
}
