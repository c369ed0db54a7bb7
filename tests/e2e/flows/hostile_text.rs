//! Flows for hostile text in answers, messages, tool calls, files and titles.
//!
//! None of it runs, loads anything, or becomes an element that is not allowed.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use nexus_text::invisible::{reveal, reveal_encoded};
use serde_json::json;

use crate::app;
use crate::corpus::vectors::{OWN, all, places};
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::seeded_answers;
use crate::selectors::*;

/// Number of answers on one page.
const BATCH: usize = seeded_answers::MOST_ANSWERS;

/// Maximum number of characters in a session's name.
const NAME: usize = 120;

/// A text without whitespace, which layout changes.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Each text alone, and in all places of an answer: link, image, code, table and others.
pub(crate) async fn answers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let vectors = all();
    println!("        {} hostile texts", vectors.len());
    let alone = vectors.clone();
    // Separate answers: text that swallows the rest is last in its own.
    let placed: Vec<String> = vectors.iter().map(|vector| places(vector).join("\n\n")).collect();
    for batch in alone.chunks(BATCH).chain(placed.chunks(BATCH)) {
        seeded_answers::show(fixture, batch).await?;
        seeded_answers::check_allowed(fixture).await?;
    }
    // In code blocks they are shown unchanged, except invisible characters.
    let fenced: Vec<String> = vectors.iter().map(|vector| format!("~~~~~~\n{vector}\n~~~~~~")).collect();
    for (batch, vectors) in fenced.chunks(BATCH).zip(vectors.chunks(BATCH)) {
        seeded_answers::show(fixture, batch).await?;
        seeded_answers::check_allowed(fixture).await?;
        let shown = seeded_answers::each(fixture, "root => root.querySelector('pre').textContent").await?;
        ensure!(shown.len() == vectors.len(), "{} answers are shown", shown.len());
        for (shown, vector) in shown.iter().zip(vectors) {
            let shown = shown.as_str().unwrap_or_default();
            let wanted = reveal(&vector.replace("\r\n", "\n").replace('\0', "\u{fffd}"));
            ensure!(squeezed(shown) == squeezed(&wanted), "{vector:?} shows as {shown:?}");
        }
    }
    Ok(())
}

/// Hostile text in titles, messages, tools and files.
pub(crate) async fn other_places(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    titles(fixture).await?;
    fixture.page.click(SESSION_CLOSE).await?;
    app::start_over(fixture).await?;
    messages_and_tools(fixture).await
}

/// Messages of the operator, tool arguments and results, and files.
async fn messages_and_tools(fixture: &mut Fixture) -> Result<()> {
    const FILES: usize = 12;
    seeded_answers::set_traps(fixture).await?;
    let vectors = all();
    let usable = vectors.iter().filter(|vector| !vector.trim().is_empty() && !vector.contains('\0'));
    let usable: Vec<&str> = usable.map(String::as_str).collect();
    for batch in usable.chunks(usable.len() / 4 + 1) {
        let text = batch.join("\n");
        fixture.provider.reset();
        fixture.provider.queue_for("Engineer", Answer::say("I read it."));
        fixture.page.choose(TARGET_SELECT, "engineer").await?;
        fixture.page.set_text(COMPOSER, &text).await?;
        let before = fixture.page.count(MESSAGE.with("data-role", "user")).await?;
        fixture.page.click(SEND).await?;
        fixture.page.see_count(MESSAGE.with("data-role", "user"), before + 1).await?;
        let prompt = fixture.request_of("Engineer", 1).await?.all_text();
        let shown = fixture.page.texts(MESSAGE.with("data-role", "user").inner(MESSAGE_TEXT)).await?;
        let shown = squeezed(shown.last().context("no message")?);
        for vector in batch {
            ensure!(shown.contains(&squeezed(vector)), "{vector:?} is not shown");
            // Invisible characters are spelled out for models.
            let sent = squeezed(&reveal_encoded(vector));
            ensure!(squeezed(&prompt).contains(&sent), "{vector:?} was not sent");
        }
        fixture.page.hidden(STOP).await?;
        app::idle(&fixture.page).await?;
    }
    seeded_answers::check_nothing_ran(fixture).await?;

    // Names of missing files are in the error; others are written and read.
    fixture.provider.reset();
    let names = OWN.map(|vector| ("read_file", json!({ "name": vector })));
    let calls = names.len() + 2 * FILES;
    fixture.provider.queue_for("Engineer", Answer::new().calls(names));
    let every =
        |number: usize| vectors.iter().skip(number).step_by(FILES).map(String::as_str).collect::<Vec<_>>();
    let files: Vec<(String, String)> =
        (0..FILES).map(|number| (format!("hostile-{number}.txt"), every(number).join("\n"))).collect();
    ensure!(files.iter().all(|(_, text)| !text.is_empty()), "there are fewer texts than files");
    let writes = files.iter().map(|(name, text)| ("write_file", json!({ "name": name, "content": text })));
    fixture.provider.queue_for("Engineer", Answer::new().calls(writes));
    let reads = files.iter().map(|(name, _)| ("read_file", json!({ "name": name })));
    fixture.provider.queue_for("Engineer", Answer::new().calls(reads));
    fixture.provider.queue_for("Engineer", Answer::say("Look at that."));
    app::ask(&fixture.page, "engineer", "Show me.", "Look at that.").await?;
    fixture.page.see_count(TOOL_CARD, calls).await?;
    // The calls of one answer are folded into a card.
    fixture.page.see_count(TOOL_GROUP, 2).await?;
    let unfold = "document.querySelectorAll(arguments[0]).forEach(each => { each.open = true; })";
    fixture.page.eval(unfold, &[json!(Selector::from(TOOL_GROUP).as_str())]).await?;
    let cards = Selector::from(TOOL_CARD);
    fixture.page.eval(unfold, &[json!(cards.as_str())]).await?;
    fixture.page.see_text(TOOL_CARD, "Result").await?;
    fixture.page.eval(unfold, &[json!(format!("{} details", cards.as_str()))]).await?;
    let shown = squeezed(&fixture.page.texts(TOOL_CARD).await?.join("\n"));
    for vector in &vectors {
        let plain = squeezed(&reveal(vector));
        let escaped = json!(vector).to_string();
        let escaped = squeezed(&reveal(escaped.trim_matches('"')));
        ensure!(shown.contains(&plain) || shown.contains(&escaped), "no card shows {vector:?}");
    }
    for (name, text) in &files {
        fixture.page.click(FILE_TAB.with("data-file", name)).await?;
        let first = text.lines().find(|line| line.len() > 8).unwrap_or_default();
        fixture.page.see_text(FILE_EDITOR, first).await?;
    }
    let odd = "return [...document.querySelectorAll(`${arguments[0]} *`)].filter(each => each.matches(
            'script, iframe, object, embed, img, svg, form, input, style, link, base, meta, template'))
        // The app's own icons: on its buttons, and beside authors.
        .filter(each => !each.matches(':is(button, .avatar, .message-inspect) > svg.sign'))
        .map(each => each.outerHTML.slice(0, 300))";
    let timeline = Selector::from(TIMELINE);
    let odd = fixture.page.eval(odd, &[json!(timeline.as_str())]).await?;
    ensure!(odd.as_array().is_some_and(Vec::is_empty), "hostile text became {odd}");
    seeded_answers::check_nothing_ran(fixture).await
}

/// The session's name, which is the page's title.
async fn titles(fixture: &mut Fixture) -> Result<()> {
    seeded_answers::set_traps(fixture).await?;
    // Also characters that cannot be typed.
    let script = "const [vectors, name, label, keep, shows] = arguments;
        const until = async (is, most) => {
            for (const end = performance.now() + most; performance.now() < end;) {
                const found = is();
                if (found) return found;
                await new Promise(done => setTimeout(done, 4));
            }
        };
        const find = spot => () => document.querySelector(spot);
        const seen = [];
        for (const vector of vectors) {
            const before = document.title;
            (await until(find(name), 8000)).click();
            const field = await until(find(label), 8000);
            field.value = vector;
            (await until(find(keep), 8000)).click();
            await until(() => document.title !== before, 8000);
            await until(() => !find(label)(), 8000);
            const shown = await until(find(shows), 8000);
            seen.push([document.title, shown.textContent]);
        }
        return seen;";
    let mut names = BTreeSet::new();
    let vectors: Vec<String> = all()
        .into_iter()
        .filter(|vector| !vector.trim().is_empty() && names.insert(squeezed(&vector.to_lowercase())))
        .collect();
    let selectors = [SESSION_NAME, SESSION_LABEL, SESSION_KEEP, SESSION_OPEN];
    let [name, label, keep, shows] = selectors.map(|part| json!(Selector::from(part).as_str()));
    fixture.page.click(SESSION_SWITCHER).await?;
    fixture.page.see(SESSION_OPEN).await?;
    // As many in one name as fit: it is one text, whatever it contains.
    let mut together: Vec<(String, Vec<&str>)> = Vec::new();
    for vector in &vectors {
        match together.last_mut() {
            Some((name, within)) if name.chars().count() + vector.chars().count() < NAME => {
                name.push_str(" · ");
                name.push_str(vector);
                within.push(vector);
            }
            _ => together.push((vector.clone(), vec![vector])),
        }
    }
    for batch in together.chunks(25) {
        let titles: Vec<&str> = batch.iter().map(|(name, _)| name.as_str()).collect();
        let arguments = [json!(titles), name.clone(), label.clone(), keep.clone(), shows.clone()];
        let seen: Vec<[String; 2]> =
            serde_json::from_value(fixture.page.eval_async(script, &arguments).await?)?;
        ensure!(seen.len() == batch.len(), "{} of {} names", seen.len(), batch.len());
        for ((_, within), [title, shown]) in batch.iter().zip(&seen) {
            for vector in within {
                // A single-line field has no line breaks; the browser changes spaces.
                let wanted = squeezed(&reveal(vector.replace(['\n', '\r'], "").trim()));
                ensure!(squeezed(title).contains(&wanted), "{vector:?} made the title {title:?}");
                ensure!(squeezed(shown).contains(&wanted), "{vector:?} shows as {shown:?}");
            }
        }
    }
    seeded_answers::check_nothing_ran(fixture).await
}
