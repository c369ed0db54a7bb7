//! Flows for voice with a fake recogniser and fake voices, which the page gets before it starts.
//!
//! Dictation, commands, hands-free, every error, reading aloud, barge-in, and browsers without speech support.

use anyhow::{Result, ensure};
use nexus_model::settings::RecognitionError;
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::fixture::Fixture;
use crate::provider::{Answer, Gate};
use crate::selectors::*;
use crate::site::BLANK_PAGE;
use crate::{agent_setup, app};

/// A recogniser that returns what a flow provides, and a voice that records what it speaks.
pub(crate) const STAND_IN: &str = "
(() => {
    const voice = window.__voice = { starts: 0, on: false, said: [], cancels: 0, speaks: true };
    class Ear {
        start() {
            if (voice.on) { throw new DOMException('It runs.', 'InvalidStateError'); }
            if (voice.refuses) { throw new DOMException('No.', voice.refuses); }
            voice.starts += 1; voice.on = true; voice.ear = this; voice.lang = this.lang;
        }
        stop() { if (voice.ear === this && voice.on && !voice.sticks) { setTimeout(() => this.end(), 0); } }
        abort() { if (voice.ear === this) { voice.on = false; } }
        end() { voice.on = false; this.onend?.({}); }
    }
    voice.hear = (finals, interim) => {
        const result = (transcript, isFinal) => Object.assign([{ transcript }], { isFinal });
        const results = finals.map(words => result(words, true));
        if (interim) { results.push(result(interim, false)); }
        voice.ear.onresult?.({ resultIndex: 0, results });
    };
    voice.end = () => voice.ear.end();
    voice.fail = error => { voice.ear.onerror?.({ error }); if (voice.on) { voice.ear.end(); } };
    class Utterance { constructor(text) { this.text = text; this.rate = 1; this.pitch = 1; this.lang = ''; this.voice = null; } }
    const synthesis = {
        getVoices: () => [
            { name: 'Ada', lang: 'en-US', localService: true },
            { name: 'Bruno', lang: 'de_DE', localService: true },
        ],
        speak(spoken) {
            voice.said.push({ text: spoken.text, voice: spoken.voice?.name ?? '', rate: spoken.rate, pitch: spoken.pitch, lang: spoken.lang });
            voice.now = spoken;
            if (voice.speaks) { setTimeout(() => voice.spoken(spoken), 10); }
        },
        cancel() {
            const spoken = voice.now;
            voice.now = null;
            voice.cancels += 1;
            spoken?.onerror?.({ error: 'interrupted' });
        },
    };
    voice.spoken = spoken => { if (voice.now === spoken) { voice.now = null; spoken?.onend?.({}); } };
    const put = (name, value) => Object.defineProperty(window, name, { value, configurable: true, writable: true });
    put('SpeechRecognition', undefined);
    put('webkitSpeechRecognition', Ear);
    put('SpeechSynthesisUtterance', Utterance);
    put('speechSynthesis', synthesis);
})();";

/// A browser without what the tab names: everything, recognition, speech, or all voices.
const LACKING: &str = "(() => {
    const lacks = sessionStorage.getItem('lacks') ?? 'both';
    const not = name => Object.defineProperty(window, name, { value: undefined, configurable: true, writable: true });
    if (lacks === 'both' || lacks === 'recognition') ['SpeechRecognition', 'webkitSpeechRecognition'].forEach(not);
    if (lacks === 'both' || lacks === 'synthesis') not('speechSynthesis');
    if (lacks === 'voices') {
        speechSynthesis.getVoices = () => [];
        speechSynthesis.speak = spoken => setTimeout(() => spoken.onerror?.({ error: 'voice-unavailable' }), 10);
    }
})();";

/// A browser whose voice never ends, with a faster clock for the timeout.
const STUCK: &str = "
window.__voice.speaks = false;
const wait = window.setTimeout;
window.setTimeout = (act, time, ...more) => wait(act, time === 15000 ? 60 : time, ...more);";

async fn set_up(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(STAND_IN).await?;
    app::set_up(fixture).await
}

async fn hear(fixture: &Fixture, finals: &[&str], interim: &str) -> Result<()> {
    let script = "__voice.hear(arguments[0], arguments[1])";
    fixture.page.eval(script, &[json!(finals), json!(interim)]).await.map(drop)
}

async fn wait(fixture: &Fixture, what: &str, expression: &str) -> Result<()> {
    fixture.page.wait_for(what, expression, &[]).await
}

async fn composer_holds(fixture: &Fixture, text: &str) -> Result<()> {
    let holds = "document.querySelector(arguments[0])?.value === arguments[1]";
    let composer = Selector::from(COMPOSER);
    fixture.page.wait_for(&format!("exactly {text:?}"), holds, &[json!(composer.as_str()), json!(text)]).await
}

async fn spoken(fixture: &Fixture) -> Result<Vec<String>> {
    let spoken = fixture.page.eval("return __voice.said.map(one => one.text)", &[]).await?;
    Ok(serde_json::from_value(spoken)?)
}

async fn see_state(fixture: &Fixture, state: &str) -> Result<()> {
    fixture.page.see(VOICE.with("data-state", state)).await?;
    let on = ["listening", "hands-free"].contains(&state);
    let is_true = if on { "__voice.on" } else { "!__voice.on" };
    wait(fixture, &format!("a microphone that is as {state} says"), is_true).await
}

/// Dictation, hands-free, reading aloud, a voice that never ends, and settings, each in a session.
pub(crate) async fn voice(fixture: &mut Fixture) -> Result<()> {
    set_up(fixture).await?;
    talk(fixture).await?;
    app::start_over(fixture).await?;
    hands_free(fixture).await?;
    app::start_over(fixture).await?;
    reading(fixture).await?;
    app::start_over(fixture).await?;
    stuck(fixture).await?;
    app::start_over(fixture).await?;
    settings(fixture).await
}

/// Recognised words follow typed text, interim words are replaced, and commands must be alone.
async fn talk(fixture: &mut Fixture) -> Result<()> {
    fixture.page.type_into(COMPOSER, "Dear Engineer,").await?;
    fixture.page.choose(TARGET_SELECT, "engineer").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &[], "right a").await?;
    composer_holds(fixture, "Dear Engineer, right a").await?;
    hear(fixture, &["write a page"], "").await?;
    composer_holds(fixture, "Dear Engineer, write a page").await?;
    fixture.page.type_into(COMPOSER, " (mine)").await?;
    hear(fixture, &["write a page"], "that").await?;
    composer_holds(fixture, "Dear Engineer, write a page (mine) that").await?;
    hear(fixture, &["write a page", "that stops there"], "").await?;
    composer_holds(fixture, "Dear Engineer, write a page (mine) that stops there").await?;
    fixture.provider.queue_for("Engineer", Answer::say("Gladly."));
    hear(fixture, &["write a page", "that stops there", " Send. "], "").await?;
    see_state(fixture, "idle").await?;
    let request = fixture.request_of("Engineer", 1).await?;
    let text = request.last_user_text();
    ensure!(text.contains("write a page (mine) that stops there") && !text.contains("Send."), "sent: {text}");
    for other in ["Architect", "Critic"] {
        ensure!(fixture.provider.requests_of(other).is_empty(), "{other} was called, too");
    }
    composer_holds(fixture, "").await?;
    app::idle(&fixture.page).await?;

    // By keyboard; cancel restores the typed text.
    fixture.page.fill(COMPOSER, "Kept.").await?;
    fixture.page.eval("document.querySelector('[data-testid=microphone]').focus()", &[]).await?;
    fixture.page.press(Key::Space + "").await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &["no no no"], "no").await?;
    composer_holds(fixture, "Kept. no no no no").await?;
    hear(fixture, &["no no no", "cancel"], "").await?;
    see_state(fixture, "idle").await?;
    composer_holds(fixture, "Kept.").await?;

    // A second press ends it, and the text stays. So does Escape.
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &["And this."], "").await?;
    composer_holds(fixture, "Kept. And this.").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "idle").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.press(Key::Escape + "").await?;
    see_state(fixture, "idle").await?;
    composer_holds(fixture, "Kept. And this.").await
}

/// Each error has its own text, ends listening, keeps the composer's text, and restarts nothing.
pub(crate) async fn faults(fixture: &mut Fixture) -> Result<()> {
    set_up(fixture).await?;
    fixture.page.type_into(COMPOSER, "Typed.").await?;
    let mut messages = Vec::new();
    for (number, fault) in RecognitionError::ALL.into_iter().enumerate() {
        fixture.page.click(MICROPHONE).await?;
        see_state(fixture, "listening").await?;
        fixture.page.eval("__voice.fail(arguments[0])", &[json!(fault.name())]).await?;
        see_state(fixture, "error").await?;
        let selector = VOICE_TROUBLE.with("data-code", fault.name());
        messages.push(fixture.page.text(selector).await?);
        let starts = fixture.page.eval("return __voice.starts", &[]).await?;
        ensure!(starts == json!(number + 1), "started again after {}: {starts}", fault.name());
        composer_holds(fixture, "Typed.").await?;
    }
    let count = messages.len();
    messages.sort();
    messages.dedup();
    ensure!(messages.len() == count, "two faults have the same words: {messages:?}");

    // It ends with neither result nor error, as after a dismissed permission prompt.
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.eval("__voice.end()", &[]).await?;
    see_state(fixture, "error").await?;
    fixture
        .page
        .see_text(VOICE_TROUBLE.with("data-code", "nothing-heard"), "that page has to allow it")
        .await?;
    composer_holds(fixture, "Typed.").await?;

    // It does not start, as in a frame without microphone permission.
    for (thrown, code) in [("NotAllowedError", "not-allowed"), ("InvalidStateError", "other")] {
        fixture.page.eval("__voice.refuses = arguments[0]", &[json!(thrown)]).await?;
        fixture.page.click(MICROPHONE).await?;
        see_state(fixture, "error").await?;
        fixture.page.see(VOICE_TROUBLE.with("data-code", code)).await?;
        composer_holds(fixture, "Typed.").await?;
    }
    fixture.page.eval("__voice.refuses = null", &[]).await?;

    // The microphone is unplugged in mid-sentence, in both modes: the text stays, and it is off.
    for (button, state) in [(MICROPHONE, "listening"), (VOICE_HANDS_FREE, "hands-free")] {
        fixture.page.click(button).await?;
        see_state(fixture, state).await?;
        hear(fixture, &[], "half a").await?;
        composer_holds(fixture, "Typed. half a").await?;
        let starts = fixture.page.eval("return __voice.starts", &[]).await?;
        fixture.page.eval("__voice.fail('audio-capture')", &[]).await?;
        see_state(fixture, "error").await?;
        fixture.page.see_text(VOICE_TROUBLE.with("data-code", "audio-capture"), "Connect one").await?;
        composer_holds(fixture, "Typed. half a").await?;
        ensure!(
            fixture.page.eval("return __voice.starts", &[]).await? == starts,
            "started again without one"
        );
        fixture.page.fill(COMPOSER, "Typed.").await?;
    }

    // A recogniser that does not stop is aborted, and a new start does not wait for it.
    fixture.page.eval("__voice.sticks = true", &[]).await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "idle").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    let starts = fixture.page.eval("return __voice.starts", &[]).await?.as_u64().unwrap_or_default();
    fixture.page.click(MICROPHONE).await?;
    fixture.page.click(MICROPHONE).await?;
    wait(fixture, "another recogniser", &format!("__voice.starts === {}", starts + 1)).await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &["again"], "").await?;
    composer_holds(fixture, "Typed. again").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "idle").await?;
    fixture.page.eval("__voice.sticks = false", &[]).await?;
    fixture.page.fill(COMPOSER, "Typed.").await?;

    // The page is hidden by another tab; then another tab of ours listens.
    let (first, blank, home) =
        (fixture.page.tab().await?, fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &[], "half").await?;
    composer_holds(fixture, "Typed. half").await?;
    fixture.page.open_tab(&blank).await?;
    fixture.page.in_every_document(STAND_IN).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    let second = fixture.page.tab().await?;
    fixture.page.switch_to(&first).await?;
    see_state(fixture, "error").await?;
    fixture.page.see(VOICE_TROUBLE.with("data-code", "hidden")).await?;
    composer_holds(fixture, "Typed. half").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    // A hidden tab is not always notified.
    fixture
        .page
        .eval(
            "Object.defineProperty(document, 'visibilityState', { value: 'visible' });
        Object.defineProperty(document, 'hidden', { value: false });",
            &[],
        )
        .await?;
    fixture.page.switch_to(&second).await?;
    app::new_session(&fixture.page).await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.switch_to(&first).await?;
    see_state(fixture, "error").await?;
    fixture.page.see(VOICE_TROUBLE.with("data-code", "elsewhere")).await?;
    composer_holds(fixture, "Typed. half").await
}

/// Hands-free sends at a pause, continues, and ends after three silent ends, and by command.
async fn hands_free(fixture: &mut Fixture) -> Result<()> {
    fixture.page.choose(TARGET_SELECT, "critic").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.click(VOICE_HANDS_FREE).await?;
    see_state(fixture, "hands-free").await?;
    fixture.provider.queue_for("Critic", Answer::say("It is good."));
    hear(fixture, &["is it good"], "").await?;
    let request = fixture.request_of("Critic", 1).await?;
    ensure!(request.last_user_text().contains("is it good"), "{}", request.last_user_text());
    composer_holds(fixture, "").await?;
    fixture.page.see_text(answers_of("critic"), "It is good.").await?;
    app::idle(&fixture.page).await?;
    see_state(fixture, "hands-free").await?;

    fixture.provider.queue_for("Critic", Answer::say("Still good."));
    hear(fixture, &["is it good", "and now"], "").await?;
    let request = fixture.request_of("Critic", 2).await?;
    ensure!(!request.last_user_text().contains("is it good"), "the first words were sent twice");
    app::idle(&fixture.page).await?;

    let starts = fixture.page.eval("return __voice.starts", &[]).await?.as_u64().unwrap_or_default();
    // The first end follows a result.
    for number in 1..=4u64 {
        fixture.page.eval("__voice.fail('no-speech')", &[]).await?;
        wait(fixture, "another start", &format!("__voice.starts === {}", starts + number)).await?;
    }
    fixture.page.eval("__voice.end()", &[]).await?;
    see_state(fixture, "error").await?;
    fixture.page.see(VOICE_TROUBLE.with("data-code", "nothing-heard")).await?;

    fixture.page.click(VOICE_HANDS_FREE).await?;
    see_state(fixture, "hands-free").await?;
    hear(fixture, &["stop"], "").await?;
    see_state(fixture, "idle").await?;
    fixture.page.click(VOICE_HANDS_FREE).await?;
    see_state(fixture, "hands-free").await?;
    fixture.page.click(VOICE_STOP).await?;
    see_state(fixture, "idle").await?;
    ensure!(fixture.provider.requests_of("Critic").len() == 2, "something was sent unasked");
    Ok(())
}

/// Answers are read sentence by sentence while they stream; Escape, the button and a voice stop it, its echo does
/// not.
async fn reading(fixture: &mut Fixture) -> Result<()> {
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.click(VOICE_AUTO_READ).await?;
    fixture.page.see(VOICE_AUTO_READ.with("aria-pressed", "true")).await?;
    fixture.page.click(VOICE_STOP).await?;
    see_state(fixture, "idle").await?;
    ensure!(spoken(fixture).await?.is_empty(), "earlier text was read aloud");

    let (first, second) = (Gate::new(), Gate::new());
    let answer = Answer::new()
        .text("I looked at [the page](https://example.org/a). It nee")
        .hold(&first)
        .text("ds a title.\n\n```html\n<h1>Hello</h1>\n```\n\nNow ")
        .hold(&second)
        .text("it is done.");
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Look at it.").await?;
    wait(fixture, "the first sentence", "__voice.said.length === 1").await?;
    ensure!(spoken(fixture).await? == ["I looked at the page."], "{:?}", spoken(fixture).await?);
    fixture.page.see(answers_of("engineer").with("data-status", "processing")).await?;
    first.open();
    wait(fixture, "the next pieces", "__voice.said.length === 3").await?;
    second.open();
    wait(fixture, "the last piece", "__voice.said.length === 4").await?;
    let all = spoken(fixture).await?;
    let later = ["It needs a title.", "Code in html, 1 line.", "Now it is done."];
    ensure!(all.iter().skip(1).eq(later), "{all:?}");
    app::idle(&fixture.page).await?;
    see_state(fixture, "idle").await?;

    // The key stops it immediately and for good.
    fixture.page.eval("__voice.speaks = false", &[]).await?;
    fixture.page.click_last(answers_of("engineer").inner(READ_ALOUD)).await?;
    wait(fixture, "the message again", "__voice.said.length === 5 && __voice.now").await?;
    see_state(fixture, "reading").await?;
    fixture.page.press(Key::Escape + "").await?;
    wait(fixture, "silence", "!__voice.now").await?;
    see_state(fixture, "idle").await?;
    ensure!(spoken(fixture).await?.len() == 5, "it was read on");

    // The echo is neither written nor sent; a speaker ends the reading.
    fixture.page.click(VOICE_HANDS_FREE).await?;
    see_state(fixture, "hands-free").await?;
    fixture.page.click_last(answers_of("engineer").inner(READ_ALOUD)).await?;
    wait(fixture, "the message once more", "__voice.said.length === 6 && __voice.now").await?;
    hear(fixture, &[], "looked at the page").await?;
    hear(fixture, &["i looked at the page"], "").await?;
    ensure!(fixture.page.eval("return Boolean(__voice.now)", &[]).await? == true, "its echo stopped it");
    composer_holds(fixture, "").await?;
    hear(fixture, &["i looked at the page"], "wait make the title blue").await?;
    wait(fixture, "silence", "!__voice.now").await?;
    composer_holds(fixture, "wait make the title blue").await?;
    hear(fixture, &["i looked at the page", "cancel"], "").await?;
    composer_holds(fixture, "").await?;
    hear(fixture, &["i looked at the page", "cancel", "stop"], "").await?;
    see_state(fixture, "idle").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.click(VOICE_AUTO_READ).await?;
    fixture.page.see(VOICE_AUTO_READ.with("aria-pressed", "false")).await?;
    fixture.page.click(VOICE_STOP).await?;
    see_state(fixture, "idle").await
}

/// A voice that never ends is abandoned after a while, and the second time this is reported.
async fn stuck(fixture: &mut Fixture) -> Result<()> {
    fixture.page.eval(STUCK, &[]).await?;
    fixture.page.eval("__voice.said.length = 0", &[]).await?;
    fixture.provider.queue_for("Engineer", Answer::say("One. Two. Three."));
    app::ask(&fixture.page, "engineer", "Count.", "Three.").await?;
    fixture.page.click_last(answers_of("engineer").inner(READ_ALOUD)).await?;
    fixture.page.see_text(VOICE_TROUBLE, "stopped responding").await?;
    ensure!(spoken(fixture).await? == ["One.", "Two."], "{:?}", spoken(fixture).await?);
    fixture.page.hidden(VOICE_STOP).await
}

/// A missing feature has no button, and the settings say why. Without any voice the buttons exist, and the page says
/// why nothing is heard.
pub(crate) async fn missing(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(&format!("{STAND_IN}{LACKING}")).await?;
    app::set_up(fixture).await?;
    for (missing, can_recognise, can_speak) in [
        ("both", false, false),
        ("recognition", false, true),
        ("synthesis", true, false),
        ("voices", true, true),
    ] {
        fixture.page.eval("sessionStorage.setItem('lacks', arguments[0])", &[json!(missing)]).await?;
        fixture.page.reload().await?;
        fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
        let page = &fixture.page;
        if can_recognise {
            page.see(MICROPHONE).await?;
        }
        if can_speak {
            page.see(READ_ALOUD).await?;
        }
        ensure!(can_recognise || page.count(MICROPHONE).await? == 0, "a microphone without recognition");
        ensure!(can_speak || page.count(READ_ALOUD).await? == 0, "a button that cannot speak");
        if missing == "voices" {
            page.click_last(answers_of("critic").inner(READ_ALOUD)).await?;
            page.see(VOICE_TROUBLE.with("data-code", "synthesis")).await?;
            page.see_text(VOICE_TROUBLE, "That voice is not available").await?;
            page.hidden(VOICE_STOP).await?;
            see_state(fixture, "error").await?;
        }
        let page = &fixture.page;
        agent_setup::open_settings(page).await?;
        page.see(VOICE_LANGUAGES).await?;
        if missing == "voices" {
            page.see_text(VOICE_NO_VOICES, "voice").await?;
        }
        for (selector, is_said) in [
            (VOICE_NO_RECOGNITION, !can_recognise),
            (VOICE_NO_SYNTHESIS, !can_speak),
            (VOICE_AUTO_READ_SETTING, can_speak),
            (VOICE_HANDS_FREE_SETTING, can_recognise),
        ] {
            ensure!(
                (page.count(selector).await? == 1) == is_said,
                "{} without {missing}",
                Selector::from(selector)
            );
        }
        ensure!((page.count(VOICE_AGENT).await? > 0) == can_speak, "how agents sound, without {missing}");
        agent_setup::leave_settings(page).await?;
    }
    Ok(())
}

/// Languages, switches and each agent's voice survive a reload; invalid values are reported.
async fn settings(fixture: &mut Fixture) -> Result<()> {
    agent_setup::open_settings(&fixture.page).await?;
    let of_engineer = |part: TestId| VOICE_AGENT.with("data-agent", "engineer").inner(part);
    fixture.page.see_text(VOICE_LANGUAGES, "de-DE").await?;
    app::enter(&fixture.page, VOICE_LANGUAGES, "<b>").await?;
    fixture.page.see(VOICE_LANGUAGES.with("aria-invalid", "true")).await?;
    app::enter(&fixture.page, VOICE_LANGUAGES, "de-DE\nfr-FR").await?;
    fixture.page.choose(VOICE_LANGUAGE, "fr-FR").await?;
    fixture.page.click(VOICE_HANDS_FREE_SETTING).await?;
    fixture.page.choose(of_engineer(VOICE_OF), "Bruno").await?;
    app::enter(&fixture.page, of_engineer(VOICE_RATE), "9").await?;
    fixture.page.see(of_engineer(VOICE_RATE).with("aria-invalid", "true")).await?;
    app::enter(&fixture.page, of_engineer(VOICE_RATE), "1,5").await?;
    app::enter(&fixture.page, of_engineer(VOICE_PITCH), "0.8").await?;
    fixture.page.stored("settings", "0.8").await?;
    fixture.page.reload().await?;
    fixture.page.see_text(VOICE_LANGUAGES, "de-DE\nfr-FR").await?;
    fixture.page.see_text(VOICE_LANGUAGE, "fr-FR").await?;
    fixture.page.see_text(of_engineer(VOICE_OF), "Bruno").await?;
    fixture.page.see_text(of_engineer(VOICE_RATE), "1.5").await?;
    fixture.page.see_text(of_engineer(VOICE_PITCH), "0.8").await?;
    fixture.page.click(of_engineer(VOICE_TEST)).await?;
    wait(fixture, "a sample", "__voice.said.length === 1").await?;
    let sample: Value = fixture.page.eval("return __voice.said[0]", &[]).await?;
    let wanted = json!({ "voice": "Bruno", "rate": 1.5, "pitch": 0.8, "lang": "de_DE" });
    for name in ["voice", "rate", "pitch", "lang"] {
        ensure!(sample.get(name) == wanted.get(name), "{name}: {sample}");
    }
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "hands-free").await?;
    wait(fixture, "the language", "__voice.lang === 'fr-FR'").await?;
    hear(fixture, &["arrêter"], "").await?;
    see_state(fixture, "idle").await
}
