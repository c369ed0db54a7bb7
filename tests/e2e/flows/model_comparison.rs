//! Flows for model comparisons: side by side, picked or ended, with files and sibling turns.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard::{self, reach};
use crate::flows::{palette, screenshots, vision};
use crate::page::Page;
use crate::provider::{Answer, ApiError, Gate, Reply, Request};
use crate::selectors::*;

const FLASH: &str = "gemini-3.8-flash";
const ARGON: &str = "gemini-4-argon";

/// Takes a screenshot if they are enabled.
async fn picture(page: &Page, name: &str) -> Result<()> {
    screenshots::moment(page, &format!("race-{name}")).await
}

fn lane(model: &str) -> Selector {
    RACE_LANE.with("data-model", model)
}

/// Each model writes its own version of the file, and waits for its gate in between.
fn racer(flash: &Gate, argon: &Gate) -> impl Fn(&Request) -> Option<Reply> + Send + use<> {
    let gates = [(FLASH, flash.clone()), (ARGON, argon.clone())];
    move |request| {
        let (model, gate) = gates.iter().find(|(model, _)| *model == request.model())?;
        Some(match request.round() {
            0 => Answer::new()
                .text(&format!("{model} begins. "))
                .hold(gate)
                .call("write_file", json!({ "name": "poem.txt", "content": format!("by {model}\n") }))
                .into(),
            _ => Answer::say(&format!("{model} is done.")).into(),
        })
    }
}

/// The Critic uses another model, so that there are two to choose from.
async fn two_models(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    agent_setup::open_settings(&fixture.page).await?;
    agent_setup::assign(&fixture.page, "critic", "gemini", ARGON).await?;
    agent_setup::leave_settings(&fixture.page).await
}

/// Two models side by side: one is used, one merged into the other, and a turn is compared again.
pub(crate) async fn comparisons(fixture: &mut Fixture) -> Result<()> {
    two_models(fixture).await?;
    race(fixture).await?;
    app::start_over(fixture).await?;
    merge(fixture).await?;
    app::start_over(fixture).await?;
    again(fixture).await?;
    app::start_over(fixture).await?;
    vision::comparison(fixture).await
}

/// A new message goes to two models by keyboard alone: both stream side by side, one is used, and the other is its
/// sibling with its files.
async fn race(fixture: &mut Fixture) -> Result<()> {
    let (flash, argon) = (Gate::new(), Gate::new());
    fixture.provider.otherwise(racer(&flash, &argon));
    let page = &fixture.page;
    palette::run(page, "new prompt", "race-new").await?;
    page.see(RACE_DIALOG).await?;
    reach(page, RACE_TEXT).await?;
    page.press("Write a poem.").await?;
    picture(page, "dialog").await?;
    reach(page, RACE_START).await?;
    page.press(Key::Enter).await?;
    page.hidden(RACE_DIALOG).await?;
    page.see_count(RACE_LANE, 2).await?;
    for model in [FLASH, ARGON] {
        page.see_text(lane(model).inner(RACE_STATUS), &format!("{model} begins.")).await?;
    }
    picture(page, "streams").await?;
    const BESIDE: &str = "const [a, b] = [...document.querySelectorAll(arguments[0])].map(each => each.getBoundingClientRect());
        return Math.abs(a.top - b.top) < 2 && a.right <= b.left && a.width > 200";
    let lanes = Selector::from(RACE_LANE);
    ensure!(page.eval(BESIDE, &[json!(lanes.as_str())]).await? == json!(true), "not side by side");
    page.resize(360, 780).await?;
    const STACKED: &str = "const [a, b] = [...document.querySelectorAll(arguments[0])].map(each => each.getBoundingClientRect());
        return a.bottom <= b.top && document.documentElement.scrollWidth <= 360";
    ensure!(page.eval(STACKED, &[json!(lanes.as_str())]).await? == json!(true), "not stacked on a telephone");
    page.resize(1440, 900).await?;

    // A message sent meanwhile is queued until the choice.
    reach(page, COMPOSER).await?;
    page.press("And a title.").await?;
    page.press(Key::Enter).await?;
    flash.open();
    page.see(lane(FLASH).with("data-state", "done")).await?;
    page.see(lane(ARGON).with("data-state", "working")).await?;
    argon.open();
    page.see(RACE.with("data-waits", "true")).await?;
    for model in [FLASH, ARGON] {
        page.see_text(lane(model).inner(RACE_STATUS), &format!("{model} is done.")).await?;
        page.see_text(lane(model).inner(RACE_CHANGES), "poem.txt +1").await?;
        page.see_text(lane(model).inner(RACE_FIGURES), "2 calls").await?;
    }
    picture(page, "waits").await?;
    // The dialog also requests the model list.
    let mut models: Vec<String> =
        fixture.provider.requests().iter().map(|request| request.model().to_owned()).collect();
    models.retain(|model| !model.is_empty());
    ensure!(models.len() == 4, "a queued message was sent before the choice: {models:?}");
    ensure!(
        [FLASH, ARGON].iter().all(|model| models.iter().filter(|one| one == model).count() == 2),
        "{models:?}"
    );
    for agent in app::AGENTS {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} gives it a title.")));
    }

    palette::run(page, "use answer 2", "race-use-2").await?;
    page.hidden(RACE).await?;
    page.see_text(answers_of("critic"), "Critic gives it a title.").await?;
    app::idle(page).await?;
    page.see_text(FILE_EDITOR, &format!("by {ARGON}")).await?;
    page.see_text(SIBLING_PLACE, "2/2").await?;
    page.see_text(answers_of("architect"), &format!("{ARGON} is done.")).await?;
    page.see_count(FORK_MARK, 0).await?;
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see_text(SIBLING_PLACE, "2/2").await?;
    reach(page, SIBLING_PREVIOUS).await?;
    page.press(Key::Enter).await?;
    page.see_text(SIBLING_PLACE, "1/2").await?;
    page.see_text(answers_of("architect"), &format!("{FLASH} is done.")).await?;
    page.see_text(FILE_EDITOR, &format!("by {FLASH}")).await
}

/// A turn is compared again from its menu: one model fails and says why; a reload in the middle keeps both; two
/// answers are compared; and ending it leaves the session unchanged.
async fn again(fixture: &mut Fixture) -> Result<()> {
    let (flash, argon) = (Gate::new(), Gate::new());
    flash.open();
    fixture.provider.otherwise(racer(&flash, &argon));
    app::send_to(&fixture.page, "engineer", "Write a poem.").await?;
    fixture.page.see_text(answers_of("engineer"), &format!("{FLASH} is done.")).await?;
    app::idle(&fixture.page).await?;

    fixture.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    fixture.page.click(TURN_RACE).await?;
    fixture.page.see(RACE_DIALOG).await?;
    fixture.page.see_count(RACE_MODEL, 3).await?;
    let second = RACE_MODEL.with("data-place", "1");
    fixture.page.choose(second.clone(), &format!("gemini/{FLASH}")).await?;
    fixture.page.see_text(RACE_PROBLEM, "different models").await?;
    fixture.page.choose(second, &format!("gemini/{ARGON}")).await?;
    fixture.page.click(RACE_START).await?;
    fixture.page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await?;
    fixture.page.see(lane(FLASH).with("data-state", "done")).await?;
    fixture.page.reload().await?;
    fixture.page.see(lane(FLASH).with("data-state", "done")).await?;
    fixture.page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await?;
    let before = fixture.provider.requests().len();
    argon.open();
    fixture.page.click(RESUME).await?;
    // The comparison was open before, too: its other lane has continued.
    fixture.page.see(lane(ARGON).with("data-state", "done")).await?;
    fixture.page.see(RACE.with("data-waits", "true")).await?;
    ensure!(fixture.provider.requests().len() == before + 2, "a finished model was called again");
    fixture.page.click(lane(ARGON).inner(RACE_COMPARE)).await?;
    fixture.page.see_text(TREE_COMPARED, &format!("{FLASH} is done.")).await?;
    fixture.page.see_text(TREE_COMPARED, &format!("by {ARGON}")).await?;
    picture(&fixture.page, "compared").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(TREE_COMPARED).await?;
    fixture.page.click(RACE_END).await?;
    fixture.page.hidden(RACE).await?;
    fixture.page.see_text(FILE_EDITOR, &format!("by {FLASH}")).await?;
    fixture.page.see_text(SIBLING_PLACE, "1/3").await?;

    fixture.provider.otherwise(|request| {
        let api_error = ApiError::argument("this model is not for you");
        Some(match (request.model(), request.round()) {
            (ARGON, _) => Reply::error(&api_error),
            _ => Answer::say("The other one is there.").into(),
        })
    });
    fixture.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    fixture.page.click(TURN_RACE).await?;
    fixture.page.click(RACE_START).await?;
    fixture.page.see_text(lane(ARGON).inner(RACE_FAILED), "this model is not for you").await?;
    fixture.page.see(RACE.with("data-waits", "true")).await?;
    picture(&fixture.page, "failed").await?;
    fixture.page.click(lane(FLASH).inner(RACE_USE)).await?;
    fixture.page.hidden(RACE).await?;
    fixture.page.see_text(answers_of("engineer"), "The other one is there.").await?;
    let place = fixture.page.texts(SIBLING_PLACE).await?.pop().context("no siblings")?;
    ensure!(place == "4/5", "all answers are side by side: {place}");

    // One more answer, by the other model alone, chosen in the turn's menu.
    fixture
        .provider
        .otherwise(|request| Some(Answer::say(&format!("{} answers alone.", request.model())).into()));
    fixture.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    fixture.page.choose(TURN_AGAIN_MODEL, &format!("gemini/{ARGON}")).await?;
    fixture.page.click(TURN_AGAIN).await?;
    fixture.page.see_text(answers_of("engineer"), &format!("{ARGON} answers alone.")).await?;
    app::idle(&fixture.page).await
}

/// One answer is used and another merged into it: the conflict of their files is resolved, and the next agent has
/// both.
async fn merge(fixture: &mut Fixture) -> Result<()> {
    let open = Gate::new();
    open.open();
    fixture.provider.otherwise(racer(&open, &open));
    palette::run(&fixture.page, "new prompt", "race-new").await?;
    fixture.page.see(RACE_DIALOG).await?;
    fixture.page.fill(RACE_TEXT, "Write a poem.").await?;
    fixture.page.click(RACE_START).await?;
    fixture.page.see(RACE.with("data-waits", "true")).await?;
    keyboard::enter(&fixture.page, lane(ARGON).inner(RACE_MERGE)).await?;
    fixture.page.see_text(MERGE_SUMMARY, "1 conflict to decide").await?;
    fixture.page.see_text(MERGE_FIELD, "poem.txt").await?;
    picture(&fixture.page, "merging").await?;
    // Cancelling leads back to the conversation that opened it; opened again, from the tree.
    fixture.page.press(Key::Escape).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.hidden(RACE).await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(TREE_MERGE).await?;
    fixture.page.hidden(MERGE).await?;
    picture(&fixture.page, "before-merging").await?;
    fixture.page.click(TREE_MERGE).await?;
    fixture.page.see_text(MERGE_SUMMARY, "1 conflict to decide").await?;
    fixture.page.click(MERGE_BOTH).await?;
    fixture.page.click(MERGE_GO).await?;
    fixture.page.hidden(MERGE).await?;
    let later = "!location.search.includes('merge')";
    fixture.page.wait_for("the address to ask for no other merge", later, &[]).await?;
    fixture.page.eval("history.back()", &[]).await?;
    for words in [FLASH, ARGON] {
        fixture.page.see_text(FILE_EDITOR, &format!("by {words}")).await?;
    }
    fixture.provider.otherwise(|_| None);
    fixture.provider.queue_for("Critic", Answer::say("I see both poems."));
    app::send_to(&fixture.page, "critic", "What is there?").await?;
    fixture.page.see_text(answers_of("critic"), "I see both poems.").await?;
    let prompt = fixture.provider.requests_of("Critic").pop().context("no request")?.all_text();
    ensure!(prompt.contains(&format!("by {FLASH}")) && prompt.contains(&format!("by {ARGON}")), "{prompt}");
    Ok(())
}
