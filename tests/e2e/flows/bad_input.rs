//! Flows for bad input from the operator, network, provider, model or store.
//!
//! Each time the page says what happened and what to do, loses nothing, and keeps working.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate, KEY, Reply};
use crate::site::BLANK_PAGE;
use crate::stage::Stage;

/// After whatever went wrong, a message is answered as ever.
async fn goes_on(stage: &Stage) -> Result<()> {
    let before = stage.provider.requests().len();
    stage.provider.queue_for("Engineer", Answer::say("All is well."));
    app::say_to(&stage.page, "engineer", "Still there?").await?;
    stage.page.see_words(answers_of("engineer"), "All is well.").await?;
    ensure!(stage.provider.requests().len() == before + 1);
    app::idle(&stage.page).await
}

/// Asks the Engineer, and waits for an error card that holds these words.
async fn fails_with(stage: &Stage, words: &str) -> Result<()> {
    app::say_to(&stage.page, "engineer", "Do something.").await?;
    stage.page.see_words(ERROR_CARD, words).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(TIMELINE, "Do something.").await
}

/// A wrong key: the provider's words, where to mend it, and the key nowhere.
pub(crate) async fn wrong_key(stage: &mut Stage) -> Result<()> {
    const WRONG: &str = "AIza-surely-not-the-key-0000";
    app::set_up(stage).await?;
    app::enter_key(&stage.page, WRONG).await?;
    fails_with(stage, "key").await?;
    let refusals = stage.provider.take_refusals();
    ensure!(refusals.len() == 1, "it was tried {} times", refusals.len());
    ensure!(refusals.iter().all(|refusal| refusal.message.contains("API key not valid")));
    let seen = stage.page.visible_text().await?;
    let stored = format!("{}{}", stage.page.database().await?, stage.page.all_local().await?);
    ensure!(!seen.contains(WRONG) && !stored.contains(WRONG), "the key went where it must not");
    app::enter_key(&stage.page, KEY).await?;
    goes_on(stage).await
}

/// Nobody listens at the address.
pub(crate) async fn unreachable(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    // Port 9 is for discarding, and closed everywhere.
    app::set_address(&stage.page, "http://127.0.0.1:9").await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(WAR_ROOM).await?;
    app::enter_key(&stage.page, KEY).await?;
    fails_with(stage, "127.0.0.1:9").await?;
    ensure!(stage.provider.requests().is_empty());
    stage.page.see(RETRY).await
}

/// A model that does not exist is named, and the provider's words are told.
pub(crate) async fn unknown_model(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    let model = AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_MODEL);
    stage.page.fill(model.clone(), "gemini-99-imaginary").await?;
    stage.page.press(thirtyfour::Key::Tab).await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    fails_with(stage, "gemini-99-imaginary").await?;
    ensure!(stage.provider.requests().len() == 1, "it was tried again");
    ensure!(stage.provider.requests().iter().all(|request| request.model() == "gemini-99-imaginary"));
    Ok(())
}

/// A captive portal answers in the provider's place.
pub(crate) async fn html_answer(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let portal =
        "<!doctype html><title>Hotel</title><h1>Sign in to the network</h1><img src=x onerror=alert(1)>";
    stage.provider.queue_for("Engineer", Reply::html(200, portal));
    fails_with(stage, "Sign in to the network").await?;
    ensure!(stage.page.count(Spot::css("img[onerror]")).await? == 0, "the portal's page became part of ours");
    goes_on(stage).await
}

/// The stream ends, in good order, without saying that it is finished: the text is kept and marked as cut off, and
/// a call in it is not run.
pub(crate) async fn no_finish_mark(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let call = json!({ "activeFile": "half", "activeFileName": "half.txt" });
    let answer = Answer::new().text("This is only").call("update_nexus_state", call);
    stage.provider.queue_for("Engineer", answer.unfinished());
    app::say_to(&stage.page, "engineer", "Do something.").await?;
    app::ended(&stage.page, "engineer", "failed", Some("cut_off")).await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "This is only").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.page.count(FILE_TAB.with("data-file", "half.txt")).await? == 0, "half a call was run");
    ensure!(stage.provider.requests().len() == 1, "an answer that was shown was asked for again");

    // The same when the connection breaks. What the browser has not handed over by then it throws away.
    let shown = Gate::new();
    stage.provider.queue_for("Critic", Answer::new().text("And this").hold(&shown).cut());
    app::say_to(&stage.page, "critic", "And you?").await?;
    let said = answers_of("critic").inner(MESSAGE_TEXT);
    stage.page.see_words(said.clone(), "And this").await?;
    shown.open();
    app::ended(&stage.page, "critic", "failed", Some("cut_off")).await?;
    stage.page.see_words(said, "And this").await?;
    ensure!(stage.provider.requests().len() == 2, "an answer that was shown was asked for again");
    goes_on(stage).await
}

/// Tool arguments that are no object run nothing; the model is told, and mends it.
pub(crate) async fn odd_arguments(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.provider.queue_for("Engineer", Answer::new().call("update_nexus_state", json!("scratchpad=mine")));
    stage.provider.queue_for("Engineer", Answer::new().call("no_such_tool", json!({ "a": 1 })));
    stage.provider.queue_for("Engineer", Answer::say("I give up."));
    app::say_to(&stage.page, "engineer", "Do something.").await?;
    stage.page.see_words(answers_of("engineer"), "I give up.").await?;
    app::idle(&stage.page).await?;
    for number in [2, 3] {
        let results = stage.request_of("Engineer", number).await?.tool_results();
        let result = results.first().context("no result")?;
        ensure!(result.pointer("/response/error").is_some(), "it was run: {result}");
    }
    ensure!(!stage.page.text(SCRATCHPAD).await?.contains("mine"));
    stage.page.see_count(TOOL_CARD.with("data-status", "failed"), 2).await
}

/// An error in mid-stream, a safety block and an empty answer each say what happened; the text before is kept.
pub(crate) async fn errors_in_the_stream(stage: &mut Stage) -> Result<()> {
    const PAUSE: Duration = Duration::from_millis(300);
    app::set_up(stage).await?;
    let broken = crate::provider::Refusal {
        code: 500,
        status: "INTERNAL",
        message: "An internal error has occurred.".to_owned(),
        details: Vec::new(),
    };
    stage.provider.queue_for("Engineer", Answer::new().text("So far so").error_in_stream(&broken));
    fails_with(stage, "An internal error has occurred.").await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "So far so").await?;
    stage.provider.queue_for("Critic", Reply::blocked_prompt("PROHIBITED_CONTENT"));
    app::say_to(&stage.page, "critic", "And you?").await?;
    stage.page.see_count(ERROR_CARD, 2).await?;
    app::idle(&stage.page).await?;
    stage.provider.queue_for("Critic", Answer::new().text("I would").wait(PAUSE).finish("SAFETY"));
    app::say_to(&stage.page, "critic", "And now?").await?;
    stage.page.see_count(ERROR_CARD, 3).await?;
    stage.page.see_words(answers_of("critic").inner(MESSAGE_TEXT), "I would").await?;
    app::idle(&stage.page).await?;

    // Overload passes: it is tried again by itself, with a pause.
    stage.provider.begin_anew();
    stage.provider.queue_for("Architect", Reply::overloaded());
    stage.provider.queue_for("Architect", Reply::rate_limited("0.2s"));
    stage.provider.queue_for("Architect", Answer::say("Third time lucky."));
    app::say_to(&stage.page, "architect", "And you?").await?;
    stage.page.see_words(answers_of("architect"), "Third time lucky.").await?;
    ensure!(stage.provider.requests().len() == 3);
    app::idle(&stage.page).await
}

/// 5 MB pasted into the composer become an attachment; the page stays quick.
pub(crate) async fn big_paste(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let line = "0123456789 abcdefghij klmnopqrst\n";
    let text = line.repeat((5 << 20) / line.len());
    stage.page.paste(COMPOSER, &text).await?;
    stage.page.see(ATTACHMENT).await?;
    ensure!(stage.page.text(COMPOSER).await?.len() < 1 << 20, "the field holds all of it");
    stage.page.see(FILE_EDITOR).await?;
    ensure!(stage.page.count(Spot::css(".cm-line")).await? < 500, "the whole of it was laid out");
    stage.page.type_into(COMPOSER, "What is this?").await?;
    stage.provider.queue_for("Engineer", Answer::say("A lot of text."));
    stage.page.choose(TARGET_SELECT, "engineer").await?;
    stage.page.click(SEND).await?;
    stage.page.see_words(answers_of("engineer"), "A lot of text.").await?;
    ensure!(stage.request_of("Engineer", 1).await?.last_user_text().contains("What is this?"));
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see_words(answers_of("engineer"), "A lot of text.").await
}

/// 50 MB pasted at once: a file and an attachment, the page goes on, and all of it is there after a reload.
pub(crate) async fn huge_paste(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.see(COMPOSER).await?;
    let paste = "const field = document.querySelector(arguments[0]);
        field.focus();
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '0123456789 abcdefghij klmnopqrst\\n'.repeat(1515152));
        return field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));";
    let inserted = stage.page.eval(paste, &[Spot::from(COMPOSER).as_str().into()]).await?;
    ensure!(inserted == false, "the field took all of it");
    stage.page.see(ATTACHMENT).await?;
    stage.page.see_words(NOTICE, "50.0 MB are too much for a message").await?;
    stage.page.see(FILE_EDITOR).await?;
    ensure!(stage.page.count(Spot::css(".cm-line")).await? < 500, "the whole of it was laid out");
    stage.page.type_into(COMPOSER, "What is this?").await?;
    stage.provider.queue_for("Engineer", Answer::say("Too much text."));
    stage.page.choose(TARGET_SELECT, "engineer").await?;
    stage.page.click(SEND).await?;
    stage.page.see_words(answers_of("engineer"), "Too much text.").await?;
    app::idle(&stage.page).await?;
    let sent = stage.request_of("Engineer", 1).await?.body.to_string();
    ensure!(sent.len() < 4_000_000, "all of it was sent: {} bytes", sent.len());
    stage.page.reload().await?;
    stage.page.see_words(answers_of("engineer"), "Too much text.").await?;
    stage.page.see_words(Spot::css("[data-part=files]"), "1515152 lines").await
}

/// Rubbish in localStorage is put aside, not overwritten; the app starts and says so.
pub(crate) async fn rubbish_in_local_storage(stage: &mut Stage) -> Result<()> {
    const RUBBISH: &str = "{\"objective\": [not JSON";
    let blank = stage.site.url(BLANK_PAGE);
    let home = stage.site.url("/");
    stage.page.goto(&blank).await?;
    for key in ["nexus_context_state", "nexus_critical_errors", "nexus_boot"] {
        stage.page.set_local(key, RUBBISH).await?;
    }
    stage.page.goto(&home).await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see_words(TIMELINE, app::PREPARED).await?;
    let kept = stage.page.all_local().await?;
    ensure!(kept.contains("not JSON"), "what could not be read was thrown away");
    let state = stage.page.local("nexus_context_state").await?.context("no state was saved")?;
    let state: Value = serde_json::from_str(&state).context("the state is rubbish still")?;
    ensure!(state.get("objective").is_some_and(Value::is_string));
    Ok(())
}

/// An event of a kind that this program does not know is kept, and the rest goes on.
pub(crate) async fn unknown_event(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let events = app::events(&stage.page).await?;
    let is_session = |event: &&Value| event.get("kind").and_then(Value::as_str) == Some("TurnClosed");
    let mut strange = events.iter().rfind(is_session).context("no turn was closed")?.clone();
    let stream = strange.get("stream").cloned().context("an event without a stream")?;
    let own = events.iter().filter(|event| event.get("stream") == Some(&stream));
    let last =
        own.filter_map(|event| event.get("seq").and_then(Value::as_u64)).max().context("no sequence")?;
    for (field, value) in
        [("seq", json!(last + 1)), ("kind", json!("MoonRisen")), ("data", json!({ "phase": "full" }))]
    {
        strange.as_object_mut().context("an event is no object")?.insert(field.to_owned(), value);
    }
    stage.page.put_row("events", json!([stream, last + 1]), strange).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    app::enter_key(&stage.page, KEY).await?;
    goes_on(stage).await?;
    let events = app::events(&stage.page).await?;
    let is_there = events.iter().any(|event| event.to_string().contains("MoonRisen"));
    ensure!(is_there, "the unknown event was thrown away");
    Ok(())
}
