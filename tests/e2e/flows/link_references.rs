//! Flows for link references that are defined at the end of an answer, after their uses.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// Before its definition, a reference is shown as source. In the complete answer it is a link, an image's name or a
/// footnote; unchanged nodes are the same as before.
pub(super) async fn late(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    let answer = Answer::new()
        .text("Read [the guide][g], see ![a plan][p] and mind the note[^n].\n\n")
        .text("The middle.\n\n- one [g]\n- two\n\n")
        .text("The end")
        .hold(&gate)
        .text(".\n\n[g]: https://guide.example/x \"The guide\"\n[p]: https://plans.example/p.png\n\n[^n]: Mind it.\n");
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Explain.").await?;
    let answer_text = answers_of("engineer").inner(MESSAGE_TEXT);
    fixture.page.see_text(answer_text.clone(), "The end").await?;
    let there = "return [...document.querySelectorAll(`${arguments[0]} ${arguments[1]}`)].map(each => each.textContent)";
    let found =
        async |what: &str| fixture.page.eval(there, &[json!(answer_text.as_str()), json!(what)]).await;
    ensure!(found("a, .prose-link").await? == json!([]), "a link to nowhere");
    let text = fixture.page.text(answer_text.clone()).await?;
    ensure!(text.contains("[the guide][g]") && text.contains("[^n]"), "it reads {text:?}");
    let keep = "window.kept = [...document.querySelectorAll(`${arguments[0]} > p`)]
        .find(each => each.textContent === 'The middle.')";
    fixture.page.eval(keep, &[json!(answer_text.as_str())]).await?;

    gate.open();
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see(Selector::css(&format!("{answer_text} .prose-notes"))).await?;
    let links = "return [...document.querySelectorAll(`${arguments[0]} a[href]`)].map(each => each.href)";
    let links = fixture.page.eval(links, &[json!(answer_text.as_str())]).await?;
    // The image's name is a button that opens it.
    let guide = "https://guide.example/x";
    ensure!(links == json!([guide, "https://plans.example/p.png", guide]), "the links are {links}");
    ensure!(found("sup").await? == json!(["1"]), "the note is not mentioned");
    ensure!(found(".prose-image .prose-alt").await? == json!(["🖼 a plan"]));
    let text = fixture.page.text(answer_text.clone()).await?;
    ensure!(
        !text.contains("[g]") && !text.contains("[^n]") && text.contains("Mind it."),
        "it reads {text:?}"
    );
    let is_same = fixture.page.eval("return window.kept?.isConnected ?? false", &[]).await?;
    ensure!(is_same == true, "what did not change was made again");

    let before = fixture
        .page
        .eval("return document.querySelector(arguments[0]).innerHTML", &[json!(answer_text.as_str())])
        .await?;
    fixture.page.reload().await?;
    fixture.page.see(Selector::css(&format!("{answer_text} .prose-notes"))).await?;
    let after = fixture
        .page
        .eval("return document.querySelector(arguments[0]).innerHTML", &[json!(answer_text.as_str())])
        .await?;
    ensure!(before == after, "before the load it was {before}, after it {after}");
    Ok(())
}
