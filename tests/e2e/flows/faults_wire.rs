//! Flows for faults at the byte level: no answer, floods, pings, invalid bytes, and abandoned answers.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate, Reply};
use crate::stage::Stage;
use crate::team;

const EVENTS: &str = "text/event-stream";

/// A closed port, a name that nobody has, a host that lets no page in: for a page they are one, so it is told in the same
/// words, with what to look at; none of them is claimed.
pub(crate) async fn no_answer(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.expect_fault("has been blocked by CORS policy");
    team::open_settings(&stage.page).await?;
    // Port 9 is for discarding, and closed everywhere; names below `invalid` are promised to nobody.
    let addresses = ["http://127.0.0.1:9", "https://nobody.invalid", &stage.provider.base_url()];
    let mut ids = Vec::new();
    for address in addresses {
        ids.push(team::add_preset(&stage.page, PRESET_OLLAMA, address).await?);
    }
    // Two of the three are called after the next load only.
    stage.page.reload().await?;
    stage.page.see(SETTINGS).await?;
    for (agent, id) in ["architect", "engineer", "critic"].into_iter().zip(&ids) {
        team::assign(&stage.page, agent, id, "llama-of-nobody").await?;
    }
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.provider.refuse_origins(true);
    app::say_to(&stage.page, "ALL", "Anybody?").await?;
    stage.page.see_count(ERROR_CARD, 3).await?;
    app::idle(&stage.page).await?;
    let cards = stage.page.texts(ERROR_CARD).await?;
    for (card, address) in cards.iter().zip(addresses) {
        ensure!(card.contains("cannot be reached") && card.contains(address), "the card reads {card:?}");
        ensure!(card.contains("does not tell a page why"), "it claims a cause: {card:?}");
    }
    stage.page.see_count(REACH_CHECKS, 3).await?;
    let checks = stage.page.texts(REACH_CHECKS).await?;
    ensure!(checks.iter().all(|list| !list.trim().is_empty()), "the lists say {checks:?}");
    ensure!(stage.provider.requests().is_empty(), "a refused request was answered");
    Ok(())
}

/// A thousand events at once are one answer; the field takes what is typed meanwhile.
pub(crate) async fn thousand_events(stage: &mut Stage) -> Result<()> {
    const EACH: usize = 1_000;
    app::set_up(stage).await?;
    let event = |text: &str| {
        let part = json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" } }] });
        format!("data: {part}\n\n")
    };
    let burst =
        |from: usize| (from..from + EACH).map(|number| event(&format!("{number} "))).collect::<String>();
    let pause = Duration::from_millis(300);
    let answer =
        Answer::new().bytes(burst(0)).wait(pause).bytes(burst(EACH)).wait(pause).bytes(burst(2 * EACH));
    stage.provider.queue_for("Engineer", answer);
    app::say_to(&stage.page, "engineer", "Count.").await?;
    // How long a key would have to wait, at the worst, while the answer comes.
    let worst = "let worst = 0;
        const spot = arguments[0];
        for (let last = performance.now(), end = last + 30000; last < end;) {
            await new Promise(done => setTimeout(done));
            const now = performance.now();
            worst = Math.max(worst, now - last);
            last = now;
            if ([...document.querySelectorAll(spot)].some(each => each.textContent.includes(' 2999'))) break;
        }
        return worst;";
    let said = answers_of("engineer").inner(MESSAGE_TEXT);
    let worst = stage.page.eval_async(worst, &[json!(said.as_str())]).await?.as_f64().context("no number")?;
    // 100 ms is what a reader notices; beside this page a browser is driven and others are tested.
    ensure!(worst < 400.0, "a key would have waited {worst} ms");
    app::ended(&stage.page, "engineer", "completed", None).await?;
    app::idle(&stage.page).await?;
    let texts = stage.page.texts(said).await?;
    let text = texts.last().context("no answer")?;
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let wanted: Vec<String> = (0..3 * EACH).map(|number| number.to_string()).collect();
    ensure!(numbers == wanted, "{} numbers came", numbers.len());
    Ok(())
}

/// Characters that are cut between packets are whole again; bytes that are no character are marked, and the rest stands;
/// a body that is not packed as it says is no answer.
pub(crate) async fn bytes(stage: &mut Stage) -> Result<()> {
    const TEXT: &str = "Grüße, 世界 🦀, e\u{301}";
    app::set_up(stage).await?;
    let event = |text: &str| {
        let part = json!({ "candidates": [{
            "content": { "parts": [{ "text": text }], "role": "model" }, "finishReason": "STOP", "index": 0,
        }]});
        format!("data: {part}\r\n\r\n").into_bytes()
    };
    stage.provider.queue_for("Engineer", Reply::body(200, EVENTS, event(TEXT)).in_pieces(1));
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), TEXT).await?;
    app::idle(&stage.page).await?;

    let mut broken = event(TEXT);
    let place = broken.windows(2).position(|pair| pair == "ü".as_bytes()).context("no ü")?;
    *broken.get_mut(place + 1).context("no ü")? = 0xFF;
    stage.provider.queue_for("Engineer", Reply::body(200, EVENTS, broken));
    app::say_to(&stage.page, "engineer", "And now?").await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "\u{fffd}").await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "e, 世界 🦀, e\u{301}").await?;
    app::idle(&stage.page).await?;

    stage.provider.begin_anew();
    let packed = Reply::body(200, EVENTS, event("Not packed.")).with_header("content-encoding", "gzip");
    stage.provider.otherwise(move |_| Some(packed.clone()));
    app::say_to(&stage.page, "engineer", "Unpack this.").await?;
    stage.page.see(ERROR_CARD).await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() <= 2, "it was tried {} times", stage.provider.requests().len());
    let picture = Reply::body(200, "image/png", vec![0x89, b'P', b'N', b'G', 13, 10, 26, 10]);
    stage.provider.otherwise(move |_| Some(picture.clone()));
    app::say_to(&stage.page, "engineer", "And this.").await?;
    stage.page.see_words(ERROR_CARD, "not an answer of a model").await?;
    app::idle(&stage.page).await?;
    ensure!(
        stage.page.count(Spot::css("[data-testid=timeline] img")).await? == 0,
        "the picture is in the page"
    );

    // The body of an error without the mark of an event, after good events.
    stage.provider.begin_anew();
    let bare = json!({ "error": { "code": 503, "message": "Broken and bare.", "status": "UNAVAILABLE" } });
    let answer = Answer::new().text("So far so").bytes(format!("{bare:#}")).unfinished();
    stage.provider.queue_for("Critic", answer);
    app::say_to(&stage.page, "critic", "And you?").await?;
    stage.page.see_words(ERROR_CARD, "Broken and bare.").await?;
    stage.page.see_words(answers_of("critic").inner(MESSAGE_TEXT), "So far so").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() == 1, "what was shown was asked for again");
    Ok(())
}

/// An answer that is slow to come is no silent one while the provider pings.
pub(crate) async fn pings(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    app::enter(&stage.page, SILENCE_SECONDS, "2").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    let pause = Duration::from_millis(1_300);
    let pinged =
        (0..3).fold(Answer::new().text("So far"), |answer, _| answer.wait(pause).bytes(": ping\n\n"));
    stage.provider.queue_for("Engineer", pinged.text(" and on."));
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see_words(answers_of("engineer"), "So far and on.").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.page.count(ERROR_CARD).await? == 0, "a ping is no sign of life");
    Ok(())
}

/// An answer that comes after its session was stopped and left for another comes to life in neither.
pub(crate) async fn session_left(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    team::spread(stage, &[("engineer", Protocol::Anthropic)]).await?;
    let gate = Gate::new();
    let late = Answer::new()
        .text("Early.")
        .hold(&gate)
        .text(" Late.")
        .call("write_file", json!({ "name": "late.txt", "content": "late" }));
    stage.provider.queue_for("Engineer", late);
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see_words(answers_of("engineer"), "Early.").await?;
    stage.page.click(STOP).await?;
    app::ended(&stage.page, "engineer", "failed", Some("cancelled")).await?;
    app::idle(&stage.page).await?;
    let old = app::session(&stage.page).await?;
    app::new_session(&stage.page).await?;
    let events = app::events(&stage.page).await?.len();
    gate.open();
    // Long enough for what was held back to be there.
    stage.provider.queue_for("Critic", Answer::new().wait(Duration::from_millis(500)).text("Only me."));
    app::say_to(&stage.page, "critic", "Who is here?").await?;
    stage.page.see_words(answers_of("critic"), "Only me.").await?;
    app::idle(&stage.page).await?;
    ensure!(!stage.page.text(TIMELINE).await?.contains("Late."), "it came to life here");
    let stored = app::events(&stage.page).await?;
    ensure!(stored.len() > events && !json!(stored).to_string().contains("Late."), "it was stored");
    app::open_session(&stage.page, &old).await?;
    stage.page.see_words(answers_of("engineer"), "Early.").await?;
    ensure!(!stage.page.text(TIMELINE).await?.contains("Late."), "it came to life there");
    ensure!(stage.page.count(FILE_TAB).await? == 0, "its call was run");
    Ok(())
}
