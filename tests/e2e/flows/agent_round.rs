//! Flows for one round of agents: who is called, with what, and how the page shows the answers.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::{concurrent_typing, first_use};
use crate::provider::{Answer, Ending, Gate, Reply};
use crate::selectors::*;

/// A round in which each agent sees the previous answers, a tool loop, a failing agent, and Stop, each in a session.
pub(crate) async fn answers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fresh_plan(fixture).await?;
    app::start_over(fixture).await?;
    routed(fixture).await?;
    app::start_over(fixture).await?;
    tool_loop(fixture).await?;
    app::start_over(fixture).await?;
    failing_agent(fixture).await?;
    app::start_over(fixture).await?;
    stop(fixture).await
}

/// A router uses another model than requested, which the answer says.
async fn routed(fixture: &mut Fixture) -> Result<()> {
    let part = json!({ "role": "model", "parts": [{ "text": "From another one." }] });
    let event = json!({
        "modelVersion": "routed-1",
        "candidates": [{ "content": part, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 9, "candidatesTokenCount": 3 },
    });
    let answer = Answer::new().bytes(format!("data: {event}\r\n\r\n")).unfinished();
    fixture.provider.queue_for("Critic", answer);
    app::send_to(&fixture.page, "critic", "Who are you?").await?;
    let answers = answers_of("critic");
    fixture.page.see_text(answers.clone(), "From another one.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(answers.inner(MESSAGE_MODEL), "answered by routed-1").await
}

/// Architect, Engineer and Critic answer in turn, each with the mind as the previous one left it. The whole round is
/// sent in half frames.
async fn fresh_plan(fixture: &mut Fixture) -> Result<()> {
    const PLAN: &str = "- [ ] Engineer: grüße.html greets 🦀 by name";
    const PAGE: &str = "<h1>Hallo, Ferris</h1>\n";
    let halves = |answer: Answer| Reply::from(answer).in_pieces(11);
    let plan = Answer::new()
        .thinking("They want a greeting.")
        .text("Let me plan.")
        .call("update_nexus_state", json!({ "scratchpad": PLAN }));
    fixture.provider.queue_for("Architect", halves(plan));
    fixture.provider.queue_for("Architect", halves(Answer::say("The plan is on the board.").signed_end()));
    fixture.provider.queue_for("Engineer", halves(app::writing("grüße.html", PAGE)));
    fixture.provider.queue_for("Engineer", halves(Answer::say("Built as planned.")));
    fixture.provider.queue_for("Critic", halves(Answer::say("It greets.")));
    app::send_to(&fixture.page, "ALL", "Greet the crab.").await?;
    fixture.page.see_text(answers_of("critic"), "It greets.").await?;
    app::idle(&fixture.page).await?;

    ensure!(fixture.provider.order() == app::AGENTS, "the order was {:?}", fixture.provider.order());
    ensure!(fixture.provider.requests().len() == 5);
    let architect = fixture.request_of("Architect", 1).await?;
    let before = architect.mind_block().context("the Architect was shown no mind")?;
    ensure!(!before.contains("grüße.html"), "the plan was there before it was made");
    ensure!(architect.last_user_text().contains("Greet the crab."));

    let engineer = fixture.request_of("Engineer", 1).await?;
    let mind = engineer.mind_block().context("the Engineer was shown no mind")?;
    ensure!(mind.contains(PLAN), "the Engineer's mind is stale: {mind}");
    let prompt = engineer.all_text();
    ensure!(
        prompt.contains("The plan is on the board."),
        "the prompt of the Engineer lacks the Architect's message"
    );
    ensure!(!prompt.contains("They want a greeting."), "thinking was sent as history");

    let critic = fixture.request_of("Critic", 1).await?;
    let mind = critic.mind_block().context("the Critic was shown no mind")?;
    ensure!(mind.contains(PLAN) && mind.contains(PAGE.trim()), "the Critic's mind is stale: {mind}");
    ensure!(critic.all_text().contains("Built as planned."));

    let page = &fixture.page;
    page.see_text(SCRATCHPAD, PLAN).await?;
    page.see_text(FILE_EDITOR, PAGE.trim()).await?;
    page.see(FILE_TAB.with("data-file", "grüße.html")).await?;
    let answer_text = page.texts(answers_of("architect").inner(MESSAGE_TEXT)).await?.join("\n");
    ensure!(
        answer_text.contains("Let me plan.") && !answer_text.contains("They want a greeting."),
        "it reads: {answer_text}"
    );
    let thought = page.texts(answers_of("architect").inner(MESSAGE_THINKING)).await?.join("\n");
    ensure!(thought.contains("They want a greeting."), "the thinking is lost: {thought}");
    page.see_count(TOOL_CARD.with("data-status", "succeeded"), 2).await?;
    ensure!(fixture.provider.requests().iter().all(|request| request.header("x-goog-api-key").is_some()));
    Ok(())
}

/// Calls run, results with changes are sent back, an invalid call runs nothing and returns an error, and the loop
/// continues until the final answer.
async fn tool_loop(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for(
        "Engineer",
        Answer::new().text("First the file.").calls([
            (
                "update_nexus_state",
                json!({ "activeFile": "one\ntwo\nthree\n", "activeFileName": "list.txt" }),
            ),
            ("get_active_file", json!({})),
        ]),
    );
    let bad = json!({ "activeFile": { "no": "text" }, "activeFileName": "list.txt" });
    fixture.provider.queue_for("Engineer", Answer::new().call("update_nexus_state", bad));
    let other_name = json!({ "activeFileContent": "one\ntwo\n", "activeFileName": "list.txt" });
    fixture.provider.queue_for("Engineer", Answer::new().call("update_nexus_state", other_name));
    fixture.provider.queue_for("Engineer", Answer::say("The list is short now."));
    app::ask(&fixture.page, "engineer", "Make a list.", "The list is short now.").await?;

    ensure!(fixture.provider.requests().len() == 4);
    let first = fixture.request_of("Engineer", 1).await?;
    for tool in ["update_nexus_state", "get_active_file", "read_file", "write_file", "edit_file"] {
        ensure!(first.tools().contains(&tool), "{tool} is not offered, only {:?}", first.tools());
    }
    let results = fixture.request_of("Engineer", 2).await?.tool_results();
    let names: Vec<_> = results.iter().filter_map(|each| each.get("name").and_then(Value::as_str)).collect();
    ensure!(names == ["update_nexus_state", "get_active_file"], "results of {names:?}");
    let bad = fixture.request_of("Engineer", 3).await?.tool_results();
    let bad = bad.first().context("the bad call has no result")?;
    ensure!(bad.pointer("/response/error").is_some(), "the bad call was accepted: {bad}");
    let last = fixture.request_of("Engineer", 4).await?;
    ensure!(
        last.round() == 3 && last.system_text() == first.system_text(),
        "the persona was lost on the way"
    );
    ensure!(last.mind_block() == first.mind_block(), "the mind block moved within the turn");

    let page = &fixture.page;
    ensure!(page.text(FILE_EDITOR).await? == "one\ntwo\n");
    let states = page.attributes(TOOL_CARD, "data-status").await?;
    ensure!(states == ["succeeded", "succeeded", "failed", "succeeded"], "the cards say {states:?}");
    Ok(())
}

/// Recipients; concurrent edits of one text; the changes bar, each in a session.
pub(crate) async fn recipients(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    who_answers(fixture).await?;
    app::start_over(fixture).await?;
    concurrent_typing::shared(fixture).await?;
    app::start_over(fixture).await?;
    first_use::changes_bar(fixture).await
}

/// Muted agents do not answer a broadcast; the others answer by priority, then by position. A selected or mentioned
/// agent answers alone.
async fn who_answers(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.otherwise(|request| Some(Answer::say(&format!("Said {}.", request.number)).into()));
    let page = &fixture.page;
    page.click(agent_card("engineer").inner(AGENT_MUTE)).await?;
    page.see(agent_card("engineer").with("data-muted", "true")).await?;
    let button = |agent: &str| agent_card(agent).inner(AGENT_PRIORITY);
    // Low → Normal → High for the Critic, High → Low for the Architect.
    for (agent, words) in [("critic", "Normal"), ("critic", "High"), ("architect", "Low")] {
        page.click(button(agent)).await?;
        let contains =
            "document.querySelector(arguments[0])?.textContent.toLowerCase().includes(arguments[1])";
        let arguments = [json!(button(agent).as_str()), json!(words.to_lowercase())];
        page.wait_for(&format!("{agent} to be {words}"), contains, &arguments).await?;
    }
    app::send_to(page, "ALL", "Anybody?").await?;
    fixture.until("two answers", |fixture| fixture.provider.requests().len() == 2).await?;
    app::idle(page).await?;
    ensure!(
        fixture.provider.order() == ["Critic", "Architect"],
        "the order was {:?}",
        fixture.provider.order()
    );

    // Stored for this session.
    fixture.page.reload().await?;
    fixture.page.see(agent_card("engineer").with("data-muted", "true")).await?;
    fixture.page.click(agent_card("engineer").inner(AGENT_MUTE)).await?;
    fixture.page.see(agent_card("engineer").with("data-muted", "false")).await?;
    fixture.provider.reset();
    app::send_to(&fixture.page, "ALL", "And now?").await?;
    fixture.until("three answers", |fixture| fixture.provider.requests().len() == 3).await?;
    ensure!(fixture.provider.order() == ["Critic", "Engineer", "Architect"]);
    app::idle(&fixture.page).await?;

    // A message to one agent, by selector or mention, is answered by that agent only, muted or not.
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::say("Only me."));
    app::ask(&fixture.page, "engineer", "You alone.", "Only me.").await?;
    ensure!(fixture.provider.order() == ["Engineer"]);

    fixture.page.click(agent_card("critic").inner(AGENT_MUTE)).await?;
    fixture.page.see(agent_card("critic").with("data-muted", "true")).await?;
    fixture.provider.queue_for("Critic", Answer::say("Even muted."));
    fixture.page.choose(TARGET_SELECT, "ALL").await?;
    fixture.page.fill(COMPOSER, "@Cri").await?;
    fixture.page.see_text(MENTION_LIST, "Critic").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.hidden(MENTION_LIST).await?;
    fixture.page.see_text(COMPOSER, "@Critic").await?;
    fixture.page.type_into(COMPOSER, " what do you think?").await?;
    fixture.page.click(SEND).await?;
    fixture.page.see_text(answers_of("critic"), "Even muted.").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.order() == ["Engineer", "Critic"]);
    Ok(())
}

/// Stop cancels the request, keeps the partial answer, and calls no other agent. The next message continues from
/// there.
async fn stop(fixture: &mut Fixture) -> Result<()> {
    let never = Gate::new();
    fixture.provider.queue_for("Architect", Answer::new().text("Half a thou").hold(&never).text("ght"));
    app::send_to(&fixture.page, "ALL", "Think.").await?;
    let answer = answers_of("architect").inner(MESSAGE_TEXT);
    fixture.page.see_text(answer.clone(), "Half a thou").await?;
    fixture.page.see(agent_card("architect").with("data-state", "processing")).await?;
    fixture.page.click(STOP).await?;
    app::ended(&fixture.page, "architect", "failed", Some("cancelled")).await?;
    app::idle(&fixture.page).await?;
    fixture
        .until("the provider to notice", |fixture| {
            fixture.provider.requests().iter().all(|request| request.ending == Ending::Aborted)
        })
        .await?;
    ensure!(fixture.provider.order() == ["Architect"], "the remaining agents were called");
    let texts = fixture.page.texts(answer).await?;
    ensure!(texts.last().is_some_and(|text| text.trim() == "Half a thou"), "remaining text: {texts:?}");
    fixture.page.see(agent_card("architect").with("data-state", "idle")).await?;

    for agent in app::AGENTS {
        fixture.provider.queue_for(agent, Answer::say("Yes."));
    }
    app::send(&fixture.page, "Go on then.").await?;
    fixture.until("three more", |fixture| fixture.provider.requests().len() == 4).await?;
    let engineer = fixture.request_of("Engineer", 1).await?.all_text();
    ensure!(engineer.contains("Half a thou"), "the partial answer is not in the history");
    app::idle(&fixture.page).await
}

/// A failing agent gets a card with the cause and a retry; the other agents continue; the retry sends the same
/// request.
async fn failing_agent(fixture: &mut Fixture) -> Result<()> {
    const CAUSE: &str = "The widget is not frobnicated.";
    fixture.provider.queue_for("Architect", Reply::error(&crate::provider::ApiError::argument(CAUSE)));
    fixture.provider.queue_for("Engineer", Answer::say("I went on."));
    fixture.provider.queue_for("Critic", Answer::say("So did I."));
    app::send_to(&fixture.page, "ALL", "Try this.").await?;
    fixture.page.see_text(answers_of("critic"), "So did I.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(ERROR_CARD, CAUSE).await?;
    fixture.page.see(agent_card("architect").with("data-state", "error")).await?;
    ensure!(fixture.provider.order() == app::AGENTS);
    ensure!(fixture.provider.requests().len() == 3, "a bad request was sent again");

    fixture.provider.queue_for("Architect", Answer::say("Now it works."));
    fixture.page.click(RETRY).await?;
    fixture.page.see_text(answers_of("architect"), "Now it works.").await?;
    app::idle(&fixture.page).await?;
    let again = fixture.request_of("Architect", 2).await?;
    ensure!(again.last_user_text().contains("Try this."), "the request has other text");
    ensure!(again.all_text().contains("I went on."), "others' answers were rewritten");
    ensure!(fixture.provider.requests().len() == 4, "other agents were called again");
    fixture.page.see(agent_card("architect").with("data-state", "idle")).await
}
