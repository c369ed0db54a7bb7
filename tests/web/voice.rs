//! Tests of voice with a fake recogniser and fake voices: dictation, commands, hands-free, every error, reading aloud,
//! barge-in, and browsers without speech support.

use nexus_engine::tests::{Scripted, ScriptedChunk, event, says};
use nexus_model::settings::RecognitionError;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::script;

const STAND_IN: &str = include_str!("../corpus/fake_speech.js");

/// Shorter waits: for a pause, a recogniser or voice that does not end, and voices that are not there yet.
const SHORT_WAITS: &str = "(() => {
    const short = { 1500: 20, 2000: 40, 15000: 60, 100: 1 };
    const wait = window.setTimeout;
    __voice.put(window, 'setTimeout', (act, time, ...more) => wait.call(window, act, short[time] ?? time, ...more));
})();";

/// The browser's speech, replaced until dropped.
struct FakeSpeech;

impl FakeSpeech {
    fn put() -> Self {
        script(STAND_IN);
        script(SHORT_WAITS);
        Self
    }
}

impl Drop for FakeSpeech {
    fn drop(&mut self) {
        script("__voice.putBack()");
    }
}

fn hear(finals: &[&str], interim: &str) {
    script(&format!("__voice.hear({}, {})", json!(finals), json!(interim)));
}

fn starts() -> f64 {
    script("__voice.starts").as_f64().unwrap()
}

fn spoken() -> Vec<String> {
    let said = script("JSON.stringify(__voice.said.map(one => one.text))").as_string().unwrap();
    serde_json::from_str(&said).unwrap()
}

/// Waits until the bar shows this state, and the microphone is as it says.
async fn see_state(page: &MountedPage, state: &str) {
    page.see(VOICE.with("data-state", state)).await;
    let is_on = ["listening", "hands-free"].contains(&state);
    page.script_is_true(if is_on { "__voice.on" } else { "!__voice.on" }).await;
}

async fn composer_holds(page: &MountedPage, text: &str) {
    page.until(&format!("exactly {text:?}"), || page.texts(COMPOSER) == [text]).await;
}

async fn listen(page: &MountedPage) {
    page.click(MICROPHONE).await;
    see_state(page, "listening").await;
}

async fn go_hands_free(page: &MountedPage) {
    page.click(VOICE_HANDS_FREE).await;
    see_state(page, "hands-free").await;
}

async fn open() -> (FakeSpeech, MountedPage) {
    let speech = FakeSpeech::put();
    (speech, MountedPage::open(|agent, _| says(&format!("{agent} heard it."))).await)
}

/// As [`open`], with a text in the composer.
async fn open_typed() -> (FakeSpeech, MountedPage) {
    let (speech, page) = open().await;
    page.fill(COMPOSER, "Typed.").await;
    (speech, page)
}

#[wasm_bindgen_test]
async fn recognised_words_follow_typed_text_and_are_sent_by_a_command() {
    let (_speech, page) = open().await;
    page.fill(COMPOSER, "Dear Engineer,").await;
    page.choose(TARGET_SELECT, "engineer").await;
    listen(&page).await;
    hear(&[], "right a");
    composer_holds(&page, "Dear Engineer, right a").await;
    hear(&["write a page"], "");
    composer_holds(&page, "Dear Engineer, write a page").await;
    page.fill(COMPOSER, "Dear Engineer, write a page (mine)").await;
    hear(&["write a page"], "that");
    composer_holds(&page, "Dear Engineer, write a page (mine) that").await;
    hear(&["write a page", "that stops there"], "");
    composer_holds(&page, "Dear Engineer, write a page (mine) that stops there").await;
    hear(&["write a page", "that stops there", " Send. "], "");
    see_state(&page, "idle").await;
    page.see_text(answers_of("engineer"), "Engineer heard it.").await;
    page.idle().await;
    let sent = page.tab.question(0);
    assert!(sent.contains("write a page (mine) that stops there") && !sent.contains("Send."), "{sent}");
    assert_eq!(page.tab.speakers(), ["Engineer"]);
    composer_holds(&page, "").await;
}

#[wasm_bindgen_test]
async fn dictation_by_keyboard_is_cancelled_by_a_command_which_restores_the_text() {
    let (_speech, page) = open_typed().await;
    page.all(MICROPHONE)[0].focus().unwrap();
    page.press(" ").await;
    see_state(&page, "listening").await;
    hear(&["no no no"], "no");
    composer_holds(&page, "Typed. no no no no").await;
    hear(&["no no no", "cancel"], "");
    see_state(&page, "idle").await;
    composer_holds(&page, "Typed.").await;
}

#[wasm_bindgen_test]
async fn a_second_press_and_escape_end_dictation_and_keep_the_text() {
    let (_speech, page) = open_typed().await;
    listen(&page).await;
    hear(&["And this."], "");
    composer_holds(&page, "Typed. And this.").await;
    page.click(MICROPHONE).await;
    see_state(&page, "idle").await;
    listen(&page).await;
    page.press("Escape").await;
    see_state(&page, "idle").await;
    composer_holds(&page, "Typed. And this.").await;
}

#[wasm_bindgen_test]
async fn each_recognition_error_has_its_own_text_keeps_the_message_and_restarts_nothing() {
    let (_speech, page) = open_typed().await;
    let mut messages = Vec::new();
    for (number, fault) in RecognitionError::ALL.into_iter().enumerate() {
        listen(&page).await;
        script(&format!("__voice.fail({})", json!(fault.name())));
        see_state(&page, "error").await;
        messages.push(page.text(VOICE_TROUBLE.with("data-code", fault.name())).await);
        assert_eq!(starts(), (number + 1) as f64, "started again after {}", fault.name());
        composer_holds(&page, "Typed.").await;
    }
    let count = messages.len();
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), count, "two errors have the same text: {messages:?}");
}

#[wasm_bindgen_test]
async fn an_end_with_neither_result_nor_error_says_that_the_page_needs_permission() {
    let (_speech, page) = open_typed().await;
    listen(&page).await;
    script("__voice.end()");
    see_state(&page, "error").await;
    page.see_text(VOICE_TROUBLE.with("data-code", "nothing-heard"), "that page has to allow it").await;
    composer_holds(&page, "Typed.").await;
}

#[wasm_bindgen_test]
async fn a_recogniser_that_does_not_start_is_reported() {
    let (_speech, page) = open_typed().await;
    for (thrown, code) in [("NotAllowedError", "not-allowed"), ("InvalidStateError", "other")] {
        script(&format!("__voice.refuses = '{thrown}'"));
        page.click(MICROPHONE).await;
        see_state(&page, "error").await;
        page.see(VOICE_TROUBLE.with("data-code", code)).await;
        composer_holds(&page, "Typed.").await;
    }
    assert_eq!(starts(), 0.0);
}

#[wasm_bindgen_test]
async fn an_unplugged_microphone_ends_both_modes_and_keeps_the_text() {
    let (_speech, page) = open_typed().await;
    for (button, state) in [(MICROPHONE, "listening"), (VOICE_HANDS_FREE, "hands-free")] {
        page.click(button).await;
        see_state(&page, state).await;
        hear(&[], "half a");
        composer_holds(&page, "Typed. half a").await;
        let before = starts();
        script("__voice.fail('audio-capture')");
        see_state(&page, "error").await;
        page.see_text(VOICE_TROUBLE.with("data-code", "audio-capture"), "Connect one").await;
        composer_holds(&page, "Typed. half a").await;
        assert_eq!(starts(), before, "started again without one");
        page.fill(COMPOSER, "Typed.").await;
    }
}

#[wasm_bindgen_test]
async fn a_recogniser_that_does_not_stop_is_aborted_and_a_new_start_does_not_wait_for_it() {
    let (_speech, page) = open_typed().await;
    script("__voice.sticks = true");
    listen(&page).await;
    page.click(MICROPHONE).await;
    see_state(&page, "idle").await;
    listen(&page).await;
    let before = starts();
    page.click(MICROPHONE).await;
    page.click(MICROPHONE).await;
    page.script_is_true(&format!("__voice.starts === {}", before + 1.0)).await;
    see_state(&page, "listening").await;
    hear(&["again"], "");
    composer_holds(&page, "Typed. again").await;
    page.click(MICROPHONE).await;
    see_state(&page, "idle").await;
}

#[wasm_bindgen_test]
async fn a_hidden_page_and_another_tab_that_listens_end_dictation_and_keep_the_text() {
    let (_speech, page) = open_typed().await;
    listen(&page).await;
    hear(&[], "half");
    composer_holds(&page, "Typed. half").await;
    script(
        "__voice.put(document, 'visibilityState', 'hidden');
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        delete document.visibilityState",
    );
    see_state(&page, "error").await;
    page.see(VOICE_TROUBLE.with("data-code", "hidden")).await;
    composer_holds(&page, "Typed. half").await;

    // A start announces itself to other tabs, and their start ends ours.
    script(
        "__voice.channel = new BroadcastChannel('nexus-voice');
        __voice.channel.onmessage = () => { __voice.announced = true; }",
    );
    listen(&page).await;
    page.script_is_true("__voice.announced").await;
    script("__voice.channel.postMessage('listening')");
    see_state(&page, "error").await;
    page.see(VOICE_TROUBLE.with("data-code", "elsewhere")).await;
    composer_holds(&page, "Typed. half").await;
    script("__voice.channel.close()");
}

#[wasm_bindgen_test]
async fn hands_free_sends_at_a_pause_and_continues() {
    let (_speech, page) = open().await;
    page.choose(TARGET_SELECT, "critic").await;
    listen(&page).await;
    go_hands_free(&page).await;
    hear(&["is it good"], "");
    page.see_text(answers_of("critic"), "Critic heard it.").await;
    page.idle().await;
    assert!(page.tab.question(0).contains("is it good"), "{}", page.tab.question(0));
    composer_holds(&page, "").await;
    see_state(&page, "hands-free").await;

    hear(&["is it good", "and now"], "");
    page.until("the second message", || page.tab.requests.borrow().len() == 2).await;
    page.idle().await;
    let sent = page.tab.question(1);
    assert!(sent.contains("and now") && !sent.contains("is it good"), "{sent}");
}

#[wasm_bindgen_test]
async fn hands_free_ends_after_silent_ends_by_a_command_and_by_its_button() {
    let (_speech, page) = open().await;
    listen(&page).await;
    go_hands_free(&page).await;
    hear(&["well"], "");
    composer_holds(&page, "well").await;
    hear(&["well", "cancel"], "");
    composer_holds(&page, "").await;
    let before = starts();
    // The first end follows a result.
    for number in 1..=4 {
        script("__voice.fail('no-speech')");
        page.script_is_true(&format!("__voice.starts === {}", before + f64::from(number))).await;
    }
    script("__voice.end()");
    see_state(&page, "error").await;
    page.see(VOICE_TROUBLE.with("data-code", "nothing-heard")).await;

    go_hands_free(&page).await;
    hear(&["stop"], "");
    see_state(&page, "idle").await;
    go_hands_free(&page).await;
    page.click(VOICE_STOP).await;
    see_state(&page, "idle").await;
    assert_eq!(page.tab.requests.borrow().len(), 0, "something was sent unasked");
}

/// A streamed answer whose pieces are a second apart.
fn streamed(pieces: &[&str]) -> Scripted {
    let chunk = |text: &str, end: Option<&str>| {
        let content = json!({"role": "model", "parts": [{"text": text}]});
        event(&json!({"candidates": [{"content": content, "finishReason": end}]}))
    };
    let piece = |text: &&str| [chunk(text, None), ScriptedChunk::Wait(1_000)];
    let mut beats: Vec<_> = pieces.iter().flat_map(piece).collect();
    beats.push(chunk("", Some("STOP")));
    Scripted { status: 200, beats }
}

#[wasm_bindgen_test]
async fn an_answer_is_read_sentence_by_sentence_while_it_streams() {
    let _speech = FakeSpeech::put();
    let mut round = 0;
    let page = MountedPage::open(move |_, _| {
        round += 1;
        match round {
            1 => says("Said before."),
            _ => streamed(&[
                "I looked at [the page](https://example.org/a). It nee",
                "ds a title.\n\n```html\n<h1>Hello</h1>\n```\n\nNow ",
                "it is done.",
            ]),
        }
    })
    .await;
    page.ask("engineer", "Be there.", "Said before.").await;
    listen(&page).await;
    page.click(VOICE_AUTO_READ).await;
    page.see(VOICE_AUTO_READ.with("aria-pressed", "true")).await;
    page.click(VOICE_STOP).await;
    see_state(&page, "idle").await;
    assert!(spoken().is_empty(), "earlier text was read aloud");

    page.send_to("engineer", "Look at it.").await;
    page.script_is_true("__voice.said.length === 1").await;
    assert_eq!(spoken(), ["I looked at the page."]);
    page.see(answers_of("engineer").with("data-status", "processing")).await;
    page.tab.pass(1_000);
    page.script_is_true("__voice.said.length === 3").await;
    page.tab.pass(1_000);
    page.tab.pass(1_000);
    page.script_is_true("__voice.said.length === 4").await;
    assert_eq!(spoken()[1..], ["It needs a title.", "Code in html, 1 line.", "Now it is done."]);
    page.idle().await;
    see_state(&page, "idle").await;

    listen(&page).await;
    page.click(VOICE_AUTO_READ).await;
    page.see(VOICE_AUTO_READ.with("aria-pressed", "false")).await;
}

/// Opens a page whose engineer said two sentences, with a voice that speaks until it is stopped.
async fn open_answered() -> (FakeSpeech, MountedPage) {
    let speech = FakeSpeech::put();
    script("__voice.speaks = false");
    let page = MountedPage::open(|_, _| says("I looked at the page. It needs a title.")).await;
    page.ask("engineer", "Look at it.", "It needs a title.").await;
    (speech, page)
}

async fn read_aloud(page: &MountedPage) {
    page.click(answers_of("engineer").inner(READ_ALOUD)).await;
    page.script_is_true("__voice.now").await;
}

#[wasm_bindgen_test]
async fn escape_stops_reading_at_once_and_for_good() {
    let (_speech, page) = open_answered().await;
    read_aloud(&page).await;
    see_state(&page, "reading").await;
    page.press("Escape").await;
    page.script_is_true("!__voice.now").await;
    see_state(&page, "idle").await;
    assert_eq!(spoken().len(), 1, "it was read on");
}

#[wasm_bindgen_test]
async fn its_echo_is_not_written_and_a_speaker_ends_the_reading() {
    let (_speech, page) = open_answered().await;
    listen(&page).await;
    go_hands_free(&page).await;
    read_aloud(&page).await;
    hear(&[], "looked at the page");
    hear(&["i looked at the page"], "");
    page.settle().await;
    assert!(script("Boolean(__voice.now)").is_truthy(), "its echo stopped it");
    composer_holds(&page, "").await;
    hear(&["i looked at the page"], "wait make the title blue");
    page.script_is_true("!__voice.now").await;
    composer_holds(&page, "wait make the title blue").await;
    hear(&["i looked at the page", "cancel"], "");
    composer_holds(&page, "").await;
    hear(&["i looked at the page", "cancel", "stop"], "");
    see_state(&page, "idle").await;
    assert_eq!(page.tab.requests.borrow().len(), 1, "the echo was sent");
}

#[wasm_bindgen_test]
async fn a_voice_that_never_ends_is_abandoned_and_reported_the_second_time() {
    let (_speech, page) = open_answered().await;
    page.click(answers_of("engineer").inner(READ_ALOUD)).await;
    page.see_text(VOICE_TROUBLE, "stopped responding").await;
    assert_eq!(spoken(), ["I looked at the page.", "It needs a title."]);
    page.hidden(VOICE_STOP).await;
}

/// Opens a browser that lacks some speech features, and compares the buttons and the settings with what it can do.
async fn lacking(lack: &str, can_recognise: bool, can_speak: bool) -> (FakeSpeech, MountedPage) {
    let speech = FakeSpeech::put();
    script(lack);
    let page = MountedPage::open(|_, _| says("I am ready.")).await;
    page.ask("critic", "Are you ready?", "I am ready.").await;
    assert_eq!(page.count(MICROPHONE) > 0, can_recognise, "the microphone");
    assert_eq!(page.count(READ_ALOUD) > 0, can_speak, "reading aloud");
    page.open_settings().await;
    page.see(VOICE_LANGUAGES).await;
    for (selector, is_shown) in [
        (VOICE_NO_RECOGNITION, !can_recognise),
        (VOICE_NO_SYNTHESIS, !can_speak),
        (VOICE_AUTO_READ_SETTING, can_speak),
        (VOICE_HANDS_FREE_SETTING, can_recognise),
    ] {
        assert_eq!(page.count(selector) == 1, is_shown, "{}", Selector::from(selector));
    }
    assert_eq!(page.count(VOICE_AGENT) > 0, can_speak, "how agents sound");
    (speech, page)
}

const NO_RECOGNITION: &str = "__voice.put(window, 'webkitSpeechRecognition', undefined);";
const NO_SYNTHESIS: &str = "__voice.put(window, 'speechSynthesis', undefined);";

#[wasm_bindgen_test]
async fn without_speech_there_are_no_buttons_and_the_settings_say_why() {
    lacking(&format!("{NO_RECOGNITION}{NO_SYNTHESIS}"), false, false).await;
}

#[wasm_bindgen_test]
async fn without_recognition_answers_can_be_read_aloud() {
    lacking(NO_RECOGNITION, false, true).await;
}

#[wasm_bindgen_test]
async fn without_speech_output_dictation_works() {
    lacking(NO_SYNTHESIS, true, false).await;
}

#[wasm_bindgen_test]
async fn without_any_voice_the_page_says_why_nothing_is_heard() {
    let lack = "speechSynthesis.getVoices = () => [];
        speechSynthesis.speak = spoken => setTimeout(() => spoken.onerror?.({ error: 'voice-unavailable' }), 10);";
    let (_speech, page) = lacking(lack, true, true).await;
    page.see_text(VOICE_NO_VOICES, "voice").await;
    page.back().await;
    page.click(answers_of("critic").inner(READ_ALOUD)).await;
    page.see(VOICE_TROUBLE.with("data-code", "synthesis")).await;
    page.see_text(VOICE_TROUBLE, "That voice is not available").await;
    page.hidden(VOICE_STOP).await;
    see_state(&page, "error").await;
}

#[wasm_bindgen_test]
async fn languages_and_each_agents_voice_are_stored_and_wrong_values_reported() {
    let (_speech, page) = open().await;
    let of_engineer = |part: TestId| VOICE_AGENT.with("data-agent", "engineer").inner(part);
    page.open_settings().await;
    page.see_text(VOICE_LANGUAGES, "de-DE").await;
    page.enter(VOICE_LANGUAGES, "<b>").await;
    page.see(VOICE_LANGUAGES.with("aria-invalid", "true")).await;
    page.enter(VOICE_LANGUAGES, "de-DE\nfr-FR").await;
    page.choose(VOICE_LANGUAGE, "fr-FR").await;
    page.click(VOICE_HANDS_FREE_SETTING).await;
    page.choose(of_engineer(VOICE_OF), "Bruno").await;
    page.enter(of_engineer(VOICE_RATE), "9").await;
    page.see(of_engineer(VOICE_RATE).with("aria-invalid", "true")).await;
    page.enter(of_engineer(VOICE_RATE), "1,5").await;
    page.enter(of_engineer(VOICE_PITCH), "0.8").await;
    let page = page.reload(|_, _| says("Yes.")).await;
    page.open_settings().await;
    page.see_text(VOICE_LANGUAGES, "de-DE\nfr-FR").await;
    page.see_text(VOICE_LANGUAGE, "fr-FR").await;
    page.see_text(of_engineer(VOICE_OF), "Bruno").await;
    page.see_text(of_engineer(VOICE_RATE), "1.5").await;
    page.see_text(of_engineer(VOICE_PITCH), "0.8").await;
    page.click(of_engineer(VOICE_TEST)).await;
    page.script_is_true("__voice.said.length === 1").await;
    let sample = script("JSON.stringify(__voice.said[0])").as_string().unwrap();
    let sample: Value = serde_json::from_str(&sample).unwrap();
    let wanted = json!({ "voice": "Bruno", "rate": 1.5, "pitch": 0.8, "lang": "de_DE" });
    for name in ["voice", "rate", "pitch", "lang"] {
        assert_eq!(sample[name], wanted[name], "{name}");
    }
    page.back().await;
    page.click(MICROPHONE).await;
    see_state(&page, "hands-free").await;
    page.script_is_true("__voice.lang === 'fr-FR'").await;
    hear(&["arrêter"], "");
    see_state(&page, "idle").await;
}
