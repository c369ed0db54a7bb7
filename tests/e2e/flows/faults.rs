//! Flows for network and server faults, injected over real HTTP: the rows of the fault table that a page can show.
//!
//! Those that need a clock or a socket of their own are native tests.

use anyhow::{Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Ending, Gate, Provider, Refusal, Reply};
use crate::stage::Stage;
use crate::team;

const EVENTS: &str = "text/event-stream";

/// Whom these flows ask. The others have no part in them.
async fn ask(stage: &Stage, reply: impl Into<Reply>) -> Result<()> {
    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", reply);
    app::say_to(&stage.page, "engineer", "Go.").await
}

/// Asks, and waits for the number of error cards to grow to this, one of them with these words. Whoever is asked
/// again answers the same again.
async fn fails(stage: &Stage, reply: impl Into<Reply>, cards: usize, words: &str) -> Result<()> {
    let reply = reply.into();
    let again = reply.clone();
    stage.provider.otherwise(move |_| Some(again.clone()));
    ask(stage, reply).await?;
    stage.page.see_count(ERROR_CARD, cards).await?;
    stage.page.see_words(ERROR_CARD, words).await?;
    app::idle(&stage.page).await
}

/// Asks, and waits for an answer with this text and nothing else.
async fn says(stage: &Stage, reply: impl Into<Reply>, text: &str) -> Result<()> {
    let before = stage.page.count(answers_of("engineer")).await?;
    ask(stage, reply).await?;
    stage.page.see_count(answers_of("engineer"), before + 1).await?;
    app::idle(&stage.page).await?;
    let texts = stage.page.texts(answers_of("engineer").inner(MESSAGE_TEXT)).await?;
    let said = texts.last().map(|text| text.trim()).unwrap_or_default();
    ensure!(said == text, "it reads {said:?}, not {text:?}");
    Ok(())
}

/// A server's own error before any answer: its words, no second attempt.
pub(crate) async fn refusals(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    team::spread(stage, &[("engineer", Protocol::Openai)]).await?;
    // What is made of a request that is too long is another flow's.
    team::open_settings(&stage.page).await?;
    stage.page.click(COMPACT_AUTO).await?;
    team::leave_settings(&stage.page).await?;
    let cases: [(u16, &'static str, &str); 6] = [
        (400, "context_length_exceeded", "This model's maximum context length is 9 tokens."),
        (401, "invalid_api_key", "The key was withdrawn."),
        (402, "insufficient_credits", "This account has no credit."),
        (403, "forbidden", "Not from your country."),
        (404, "model_not_found", "The model was retired."),
        (413, "too_large", "That is too much."),
    ];
    for (number, (code, status, message)) in cases.into_iter().enumerate() {
        let refusal = Refusal { code, status, ..Refusal::argument(message) };
        fails(stage, Reply::error(&refusal), number + 1, message).await?;
        ensure!(stage.provider.requests().len() == 1, "{code} was tried again");
    }
    Ok(())
}

/// Passing faults of a server are tried again by themselves.
pub(crate) async fn passing(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    for code in [408, 500, 502, 503] {
        let passing = Refusal { code, status: "UNAVAILABLE", ..Refusal::argument("Passing.") };
        stage.provider.begin_anew();
        stage.provider.queue_for("Engineer", Reply::error(&passing));
        stage.provider.queue_for("Engineer", Answer::say(&format!("After {code}.")));
        app::say_to(&stage.page, "engineer", "Go.").await?;
        stage.page.see_words(answers_of("engineer"), &format!("After {code}.")).await?;
        app::idle(&stage.page).await?;
        ensure!(stage.provider.requests().len() == 2, "{code}: {} attempts", stage.provider.requests().len());
    }
    Ok(())
}

/// Offline in mid-stream and before a call; back online all is as before.
pub(crate) async fn offline(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let lost = Gate::new();
    ask(stage, Answer::new().text("So far").hold(&lost).cut()).await?;
    stage.page.see_words(answers_of("engineer"), "So far").await?;
    stage.page.go_offline(true).await?;
    // What the driver calls offline leaves open connections alone: this one breaks by itself.
    lost.open();
    app::ended(&stage.page, "engineer", "failed", Some("cut_off")).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "So far").await?;

    stage.provider.begin_anew();
    app::say_to(&stage.page, "engineer", "Hello?").await?;
    stage.page.see_count(ERROR_CARD, 2).await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().is_empty(), "it was not offline");
    stage.page.go_offline(false).await?;
    stage.provider.queue_for("Engineer", Answer::say("Here again."));
    stage.page.click_last(RETRY).await?;
    stage.page.see_words(answers_of("engineer"), "Here again.").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() == 1, "it was asked more than once");
    Ok(())
}

/// An error after good events, in each protocol that reports one: the text stays, nothing is asked again.
pub(crate) async fn error_events(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let team =
        [("architect", Protocol::Anthropic), ("engineer", Protocol::Responses), ("critic", Protocol::Openai)];
    team::spread(stage, &team).await?;
    let broken = Refusal { code: 529, status: "overloaded", ..Refusal::argument("Broken in mid-stream.") };
    for (number, ((agent, _), name)) in team.into_iter().zip(app::AGENTS).enumerate() {
        let words = format!("{agent} so far");
        stage.provider.queue_for(name, Answer::new().text(&words).error_in_stream(&broken));
        app::say_to(&stage.page, agent, "Go.").await?;
        stage.page.see_count(ERROR_CARD, number + 1).await?;
        app::idle(&stage.page).await?;
        stage.page.see_words(answers_of(agent).inner(MESSAGE_TEXT), &words).await?;
        ensure!(stage.provider.requests_of(name).len() == 1, "what was shown was asked for again");
    }
    let told = stage.page.texts(ERROR_CARD).await?;
    ensure!(told.iter().all(|card| card.contains("Broken in mid-stream.")), "the cards say {told:?}");
    Ok(())
}

/// Things that are no stream, called one, or the other way round.
pub(crate) async fn strange_bodies(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let event = |text: &str| {
        let part = json!({ "candidates": [{
            "content": { "parts": [{ "text": text }], "role": "model" }, "finishReason": "STOP", "index": 0,
        }]});
        format!("data: {part}\r\n\r\n")
    };
    fails(stage, Reply::body(200, EVENTS, ""), 1, "").await?;
    fails(stage, Reply::body(200, EVENTS, "<html><h1>Hotel network</h1>"), 2, "Hotel network").await?;
    fails(stage, Reply::body(404, "text/plain", "404 page not found\n"), 3, "404 page not found").await?;
    fails(stage, Reply::body(200, "application/json", "{\"moon\":\"full\"}"), 4, "").await?;
    says(stage, Reply::body(200, "application/octet-stream", event("Named wrongly.")), "Named wrongly.")
        .await?;
    says(stage, Reply::body(200, EVENTS, format!("\u{feff}{}", event("With a mark."))), "With a mark.").await
}

/// Rubbish between good events is passed over; too much of it ends the answer.
pub(crate) async fn rubbish(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let piece = |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" } }] });
    let end = json!({ "candidates": [{ "finishReason": "STOP" }] });
    let lines = [
        ": a comment\n\n".to_owned(),
        format!("data: {}\n\n", piece("One")),
        "data: {not JSON\n\n".to_owned(),
        "event: moon\nid: 7\nretry: 5\n\n".to_owned(),
        format!("data:{}\r\r", piece(" two")),
        "data: {\"candidates\":\"\u{0}\"}\n\n".to_owned(),
        format!("data: {}\r\n\r\n", piece(" three\u{2028}four")),
        "\n\n\n".to_owned(),
        format!("data: {end}"),
    ];
    let body = lines.concat();
    says(stage, Reply::body(200, EVENTS, body.clone()), "One two three\u{2028}four").await?;
    let fault = "2 pieces of this answer could not be read.";
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_FAULT), fault).await?;
    says(stage, Reply::body(200, EVENTS, body).in_pieces(1), "One two three\u{2028}four").await?;

    let endless = format!("data: {}\n\n{}", piece("Before it"), "data: {rubbish\n\n".repeat(40));
    let gate = Gate::new();
    ask(stage, Answer::new().bytes(endless).hold(&gate).unfinished()).await?;
    stage.page.see(ERROR_CARD).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "Before it").await?;
    stage
        .until("the provider to be hung up on", |stage| {
            stage.provider.requests().last().is_some_and(|request| request.ending == Ending::Aborted)
        })
        .await
}

/// Indexes that repeat, are interleaved or missing never join the arguments of two calls.
pub(crate) async fn tangled_calls(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    team::spread(stage, &[("engineer", Protocol::Openai)]).await?;
    let call = |index: usize, id: &str, name: &str, arguments: &str| json!({ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let more =
        |index: usize, arguments: &str| json!({ "index": index, "function": { "arguments": arguments } });
    let chunk = |calls: Vec<serde_json::Value>, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": { "tool_calls": calls }, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "id": "x", "choices": [choice] }))
    };
    let body = [
        chunk(vec![call(0, "a", "write_file", "{\"name\":\"a.txt\",")], None),
        chunk(vec![call(1, "b", "write_file", "{\"name\":\"b.txt\",")], None),
        chunk(vec![more(0, "\"content\":\"of a\"}"), more(1, "\"content\":\"of b\"}")], None),
        chunk(vec![call(1, "c", "write_file", "{\"name\":\"c.txt\",\"content\":\"of c\"}")], None),
        chunk(vec![], Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    stage.provider.queue_for("Engineer", Reply::body(200, EVENTS, body.concat()).in_pieces(9));
    stage.provider.queue_for("Engineer", Answer::say("Three files."));
    app::say_to(&stage.page, "engineer", "Write three files.").await?;
    stage.page.see_words(answers_of("engineer"), "Three files.").await?;
    app::idle(&stage.page).await?;
    for name in ["a", "b", "c"] {
        stage.page.click(FILE_TAB.with("data-file", &format!("{name}.txt"))).await?;
        stage.page.see_words(FILE_EDITOR, &format!("of {name}")).await?;
    }
    Ok(())
}

/// A redirect to another origin is not followed: the key would go along.
pub(crate) async fn redirect(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let elsewhere = Provider::start()?;
    let target =
        format!("{}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", elsewhere.base_url());
    // Tried once more, as every call that got no answer: it cannot be told from a network that fails.
    for _ in 0..3 {
        stage.provider.queue_for("Engineer", Reply::redirect(&target));
    }
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see(ERROR_CARD).await?;
    app::idle(&stage.page).await?;
    ensure!(elsewhere.requests().is_empty() && elsewhere.preflights().is_empty(), "it was followed");
    stage.provider.begin_anew();
    Ok(())
}

/// What comes after the operator stopped is dropped.
pub(crate) async fn after_stop(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let gate = Gate::new();
    ask(stage, Answer::new().text("Before.").hold(&gate).text(" After.")).await?;
    stage.page.see_words(answers_of("engineer"), "Before.").await?;
    stage.page.click(STOP).await?;
    app::ended(&stage.page, "engineer", "failed", Some("cancelled")).await?;
    app::idle(&stage.page).await?;
    gate.open();
    says(stage, Answer::say("Another."), "Another.").await?;
    ensure!(!stage.page.text(TIMELINE).await?.contains("After."), "it came back");
    stage.page.reload().await?;
    stage.page.see_words(answers_of("engineer"), "Another.").await?;
    ensure!(!stage.page.text(TIMELINE).await?.contains("After."), "it was stored");
    Ok(())
}

/// Everything is removed from the device while an answer comes: its request ends, and nothing of it is kept, neither what
/// had come nor what came later.
pub(crate) async fn all_removed(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let gate = Gate::new();
    let mut answer = Answer::new().text("Early.");
    // A page that goes on reading would keep some of it each second.
    for _ in 0..20 {
        answer = answer.wait(std::time::Duration::from_millis(200)).text(" More.");
    }
    ask(stage, answer.hold(&gate).text(" Late.")).await?;
    stage.page.see_words(answers_of("engineer"), "Early. More.").await?;
    team::open_settings(&stage.page).await?;
    stage.page.click(DATA_RESET).await?;
    stage.page.fill(DATA_RESET_WORD, "remove everything").await?;
    stage.page.click(DATA_RESET_GO).await?;
    stage.page.see(FIRST_START).await?;
    let ended = |stage: &Stage| stage.provider.requests().iter().all(|one| one.ending == Ending::Aborted);
    stage.until("the request to end", ended).await?;
    gate.open();
    stage.page.reload().await?;
    stage.page.see(FIRST_START).await?;
    let left = format!("{}{}", stage.page.database().await?, stage.page.all_local().await?);
    for words in ["Early.", "More.", "Late.", app::OBJECTIVE] {
        ensure!(!left.contains(words), "{words:?} came back");
    }
    ensure!(stage.provider.requests().len() == 1, "something was asked for again");
    Ok(())
}

/// A line of 16 MB is refused without taking the page along, which stays quick.
pub(crate) async fn endless_line(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let line = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{}\"}}]}}}}]}}\n\n",
        "x".repeat(16 << 20)
    );
    fails(stage, Reply::body(200, EVENTS, line), 1, "").await?;
    quick(&stage.page).await?;
    says(stage, Answer::say("Still here."), "Still here.").await
}

/// The page answers within a fraction of a second.
pub(super) async fn quick(page: &Page) -> Result<()> {
    let script = "const begun = performance.now();
        await new Promise(done => setTimeout(done));
        return performance.now() - begun;";
    let took = page.eval_async(script, &[]).await?.as_f64().unwrap_or(f64::MAX);
    ensure!(took < 300.0, "a click would wait {took} ms");
    Ok(())
}

/// A stream that falls silent ends after the time that the operator chose, keeps what came, and is asked again only when
/// the operator says so.
pub(crate) async fn silence(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    app::enter(&stage.page, SILENCE_SECONDS, "soon").await?;
    stage.page.see_words(SETTINGS, "Whole seconds").await?;
    app::enter(&stage.page, SILENCE_SECONDS, "2").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.provider.begin_anew();
    stage
        .provider
        .queue_for("Engineer", Answer::new().text("So far").hold(&Gate::new()).text(" and no further"));
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see_words(ERROR_CARD, "stopped coming").await?;
    app::ended(&stage.page, "engineer", "failed", Some("timed_out")).await?;
    stage.page.see_words(answers_of("engineer"), "So far").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests_of("Engineer").len() == 1, "it was asked again unasked");
    Ok(())
}
