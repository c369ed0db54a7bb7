//! Flow for a model comparison by keyboard alone, and its layout. `tests/web/comparing_models.rs` tests the rest.

use anyhow::{Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard::reach;
use crate::flows::{palette, screenshots};
use crate::page::Page;
use crate::provider::{Answer, Gate, Reply, Request};
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

/// A new message goes to two models by keyboard alone: both stream side by side, one is used, and the other is its
/// sibling with its files.
pub(crate) async fn by_keyboard(fixture: &mut Fixture) -> Result<()> {
    two_models(fixture).await?;
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
    picture(page, "waits").await?;
    for agent in app::AGENTS {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} gives it a title.")));
    }

    palette::run(page, "use answer 2", "race-use-2").await?;
    page.hidden(RACE).await?;
    page.see_text(answers_of("critic"), "Critic gives it a title.").await?;
    app::idle(page).await?;
    page.see_text(FILE_EDITOR, &format!("by {ARGON}")).await?;
    page.see_text(SIBLING_PLACE, "2/2").await?;
    reach(page, SIBLING_PREVIOUS).await?;
    page.press(Key::Enter).await?;
    page.see_text(SIBLING_PLACE, "1/2").await?;
    page.see_text(answers_of("architect"), &format!("{FLASH} is done.")).await?;
    page.see_text(FILE_EDITOR, &format!("by {FLASH}")).await
}
