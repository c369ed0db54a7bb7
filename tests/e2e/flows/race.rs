//! Flows for model comparisons: side by side, picked or ended, with files and sibling turns.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::flows::keyboard::{self, reach};
use crate::flows::{palette, pictures, sight};
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Gate, Refusal, Reply, Request};
use crate::stage::Stage;
use crate::team;

const FLASH: &str = "gemini-3.8-flash";
const ARGON: &str = "gemini-4-argon";

/// Takes a screenshot if they are enabled.
async fn picture(page: &Page, name: &str) -> Result<()> {
    pictures::moment(page, &format!("race-{name}")).await
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
async fn two_models(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    team::open_settings(&stage.page).await?;
    team::assign(&stage.page, "critic", "gemini", ARGON).await?;
    team::leave_settings(&stage.page).await
}

/// Two models side by side: one is used, one merged into the other, and a turn is compared again.
pub(crate) async fn races(stage: &mut Stage) -> Result<()> {
    two_models(stage).await?;
    race(stage).await?;
    app::afresh(stage).await?;
    merge(stage).await?;
    app::afresh(stage).await?;
    again(stage).await?;
    app::afresh(stage).await?;
    sight::race(stage).await
}

/// A new message goes to two models by keyboard alone: both stream side by side, one is used, and the other is its
/// sibling with its files.
async fn race(stage: &mut Stage) -> Result<()> {
    let (flash, argon) = (Gate::new(), Gate::new());
    stage.provider.otherwise(racer(&flash, &argon));
    let page = &stage.page;
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
        page.see_words(lane(model).inner(RACE_SAID), &format!("{model} begins.")).await?;
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
        page.see_words(lane(model).inner(RACE_SAID), &format!("{model} is done.")).await?;
        page.see_words(lane(model).inner(RACE_CHANGES), "poem.txt +1").await?;
        page.see_words(lane(model).inner(RACE_FIGURES), "2 calls").await?;
    }
    picture(page, "waits").await?;
    // The dialog also requests the model list.
    let mut models: Vec<String> =
        stage.provider.requests().iter().map(|request| request.model().to_owned()).collect();
    models.retain(|model| !model.is_empty());
    ensure!(models.len() == 4, "a queued message was sent before the choice: {models:?}");
    ensure!(
        [FLASH, ARGON].iter().all(|model| models.iter().filter(|one| one == model).count() == 2),
        "{models:?}"
    );
    for agent in app::AGENTS {
        stage.provider.queue_for(agent, Answer::say(&format!("{agent} gives it a title.")));
    }

    palette::run(page, "use answer 2", "race-use-2").await?;
    page.hidden(RACE).await?;
    page.see_words(answers_of("critic"), "Critic gives it a title.").await?;
    app::idle(page).await?;
    page.see_words(FILE_EDITOR, &format!("by {ARGON}")).await?;
    page.see_words(SIBLING_PLACE, "2/2").await?;
    page.see_words(answers_of("architect"), &format!("{ARGON} is done.")).await?;
    page.see_count(FORK_MARK, 0).await?;
    stage.page.reload().await?;
    let page = &stage.page;
    page.see_words(SIBLING_PLACE, "2/2").await?;
    reach(page, SIBLING_PREVIOUS).await?;
    page.press(Key::Enter).await?;
    page.see_words(SIBLING_PLACE, "1/2").await?;
    page.see_words(answers_of("architect"), &format!("{FLASH} is done.")).await?;
    page.see_words(FILE_EDITOR, &format!("by {FLASH}")).await
}

/// A turn is compared again from its menu: one model fails and says why; a reload in the middle keeps both; two
/// answers are compared; and ending it leaves the session unchanged.
async fn again(stage: &mut Stage) -> Result<()> {
    let (flash, argon) = (Gate::new(), Gate::new());
    flash.open();
    stage.provider.otherwise(racer(&flash, &argon));
    app::say_to(&stage.page, "engineer", "Write a poem.").await?;
    stage.page.see_words(answers_of("engineer"), &format!("{FLASH} is done.")).await?;
    app::idle(&stage.page).await?;

    stage.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    stage.page.click(TURN_RACE).await?;
    stage.page.see(RACE_DIALOG).await?;
    stage.page.see_count(RACE_MODEL, 3).await?;
    let second = RACE_MODEL.with("data-place", "1");
    stage.page.choose(second.clone(), &format!("gemini/{FLASH}")).await?;
    stage.page.see_words(RACE_PROBLEM, "different models").await?;
    stage.page.choose(second, &format!("gemini/{ARGON}")).await?;
    stage.page.click(RACE_START).await?;
    stage.page.see_words(lane(ARGON).inner(RACE_SAID), &format!("{ARGON} begins.")).await?;
    stage.page.see(lane(FLASH).with("data-state", "done")).await?;
    stage.page.reload().await?;
    stage.page.see(lane(FLASH).with("data-state", "done")).await?;
    stage.page.see_words(lane(ARGON).inner(RACE_SAID), &format!("{ARGON} begins.")).await?;
    let before = stage.provider.requests().len();
    argon.open();
    stage.page.click(GO_ON).await?;
    // The comparison was open before, too: its other lane has continued.
    stage.page.see(lane(ARGON).with("data-state", "done")).await?;
    stage.page.see(RACE.with("data-waits", "true")).await?;
    ensure!(stage.provider.requests().len() == before + 2, "a finished model was called again");
    stage.page.click(lane(ARGON).inner(RACE_COMPARE)).await?;
    stage.page.see_words(TREE_COMPARED, &format!("{FLASH} is done.")).await?;
    stage.page.see_words(TREE_COMPARED, &format!("by {ARGON}")).await?;
    picture(&stage.page, "compared").await?;
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(TREE_COMPARED).await?;
    stage.page.click(RACE_END).await?;
    stage.page.hidden(RACE).await?;
    stage.page.see_words(FILE_EDITOR, &format!("by {FLASH}")).await?;
    stage.page.see_words(SIBLING_PLACE, "1/3").await?;

    stage.provider.otherwise(|request| {
        let refusal = Refusal::argument("this model is not for you");
        Some(match (request.model(), request.round()) {
            (ARGON, _) => Reply::error(&refusal),
            _ => Answer::say("The other one is there.").into(),
        })
    });
    stage.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    stage.page.click(TURN_RACE).await?;
    stage.page.click(RACE_START).await?;
    stage.page.see_words(lane(ARGON).inner(RACE_FAILED), "this model is not for you").await?;
    stage.page.see(RACE.with("data-waits", "true")).await?;
    picture(&stage.page, "failed").await?;
    stage.page.click(lane(FLASH).inner(RACE_USE)).await?;
    stage.page.hidden(RACE).await?;
    stage.page.see_words(answers_of("engineer"), "The other one is there.").await?;
    let place = stage.page.texts(SIBLING_PLACE).await?.pop().context("no siblings")?;
    ensure!(place == "4/5", "all answers are side by side: {place}");

    // One more answer, by the other model alone, chosen in the turn's menu.
    stage
        .provider
        .otherwise(|request| Some(Answer::say(&format!("{} answers alone.", request.model())).into()));
    stage.page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    stage.page.choose(TURN_AGAIN_MODEL, &format!("gemini/{ARGON}")).await?;
    stage.page.click(TURN_AGAIN).await?;
    stage.page.see_words(answers_of("engineer"), &format!("{ARGON} answers alone.")).await?;
    app::idle(&stage.page).await
}

/// One answer is used and another merged into it: the conflict of their files is resolved, and the next agent has
/// both.
async fn merge(stage: &mut Stage) -> Result<()> {
    let open = Gate::new();
    open.open();
    stage.provider.otherwise(racer(&open, &open));
    palette::run(&stage.page, "new prompt", "race-new").await?;
    stage.page.see(RACE_DIALOG).await?;
    stage.page.fill(RACE_TEXT, "Write a poem.").await?;
    stage.page.click(RACE_START).await?;
    stage.page.see(RACE.with("data-waits", "true")).await?;
    keyboard::enter(&stage.page, lane(ARGON).inner(RACE_MERGE)).await?;
    stage.page.see_words(MERGE_TOLD, "1 conflict to decide").await?;
    stage.page.see_words(MERGE_FIELD, "poem.txt").await?;
    picture(&stage.page, "merging").await?;
    // Opened again, from the tree behind it.
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(MERGE).await?;
    picture(&stage.page, "before-merging").await?;
    stage.page.click(TREE_MERGE).await?;
    stage.page.see_words(MERGE_TOLD, "1 conflict to decide").await?;
    stage.page.click(MERGE_BOTH).await?;
    stage.page.click(MERGE_GO).await?;
    stage.page.hidden(MERGE).await?;
    let later = "!location.search.includes('merge')";
    stage.page.wait_for("the address to ask for no other merge", later, &[]).await?;
    stage.page.eval("history.back()", &[]).await?;
    for words in [FLASH, ARGON] {
        stage.page.see_words(FILE_EDITOR, &format!("by {words}")).await?;
    }
    stage.provider.otherwise(|_| None);
    stage.provider.queue_for("Critic", Answer::say("I see both poems."));
    app::say_to(&stage.page, "critic", "What is there?").await?;
    stage.page.see_words(answers_of("critic"), "I see both poems.").await?;
    let prompt = stage.provider.requests_of("Critic").pop().context("no request")?.all_text();
    ensure!(prompt.contains(&format!("by {FLASH}")) && prompt.contains(&format!("by {ARGON}")), "{prompt}");
    Ok(())
}
