//! Hostile text where it is no answer: in what tools are given and give back, in files, and in the titles of session and
//! page. Never anything but text; answers themselves are held by `tests/web/answers.rs`.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

const VECTORS: [&str; 12] = [
    "<script>alert(1)</script>",
    "<img src=https://attacker.example/x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc=\"<script>parent.alert(1)</script>\"></iframe>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<style>@import 'https://attacker.example/x'</style>",
    "<form action=https://attacker.example><input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "![x](https://attacker.example/x.png)",
    "[x](javascript:alert(1))",
    "</title><script>alert(1)</script>",
];

/// Arguments, results, files and titles show hostile text as it is; nothing of it runs, loads or becomes an element.
pub(crate) async fn tools_and_titles(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.eval("window.hits = 0; window.alert = () => { window.hits += 1; };", &[]).await?;
    let all = VECTORS.join("\n");
    // The first result repeats what it was asked for, the second is the content itself.
    let asks = VECTORS.map(|vector| ("read_file", json!({ "name": vector })));
    stage.provider.queue_for("Engineer", Answer::new().calls(asks));
    stage.provider.queue_for("Engineer", app::writing("hostile.txt", &all));
    stage.provider.queue_for("Engineer", Answer::new().call("read_file", json!({ "name": "hostile.txt" })));
    stage.provider.queue_for("Engineer", Answer::say("Look at that."));
    app::say_to(&stage.page, "engineer", "Show me.").await?;
    stage.page.see_words(answers_of("engineer"), "Look at that.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(TOOL_CARD, VECTORS.len() + 2).await?;
    stage
        .page
        .eval("document.querySelectorAll('details').forEach(each => { each.open = true; })", &[])
        .await?;
    for vector in VECTORS {
        let shown = "return [...document.querySelectorAll(arguments[0])].filter(card => \
             card.textContent.includes(arguments[1])).length";
        let cards = Spot::from(TOOL_CARD);
        let cards = stage.page.eval(shown, &[json!(cards.as_str()), json!(vector)]).await?;
        ensure!(cards.as_u64().is_some_and(|cards| cards > 0), "no card shows {vector:?}: {cards}");
    }

    for vector in VECTORS {
        stage.page.click(SESSION_NAME).await?;
        stage.page.fill(SESSION_LABEL, vector).await?;
        stage.page.press(thirtyfour::Key::Enter).await?;
        let titled = "document.title.includes(arguments[0])";
        stage.page.wait_for("the title to be the label", titled, &[json!(vector)]).await?;
    }

    let odd = "const timeline = [...document.querySelectorAll(`${arguments[0]} *`)];
        const listed = 'script, iframe, object, embed, img, svg, form, input, style, link, base, meta, template';
        const handles = each => [...each.attributes].some(one => one.name.startsWith('on'));
        const runs = each => (each.getAttribute('href') ?? '').startsWith('javascript:');
        return timeline.filter(each => each.matches(listed))
            .concat([...document.querySelectorAll('*')].filter(each => handles(each) || runs(each)))
            .map(each => each.outerHTML);";
    let timeline = Spot::from(TIMELINE);
    let odd = stage.page.eval(odd, &[timeline.as_str().into()]).await?;
    ensure!(odd.as_array().is_some_and(Vec::is_empty), "hostile text became {odd}");
    ensure!(stage.page.eval("return window.hits", &[]).await? == 0, "hostile text ran");
    let loaded = "return performance.getEntriesByType('resource').map(each => each.name) \
         .filter(name => name.includes('attacker'))";
    let loaded = stage.page.eval(loaded, &[]).await?;
    ensure!(loaded.as_array().is_some_and(Vec::is_empty), "hostile text loaded {loaded}");
    Ok(())
}
