//! Flows for the code editor, bundled if Node is present: concurrent edits, long files, and the page without it.
//!
//! Tests the integration and what users rely on, not the library.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::{Key, TypingData};

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::site::{BARE_PATH, BLANK_PAGE};
use crate::stage::Stage;

const PROGRAM: &str = "fn main() {\n    let apples = 3;\n    println!(\"{apples} apples\");\n}\n";

/// Creates a file in the war room and pastes its text: the mirror in localStorage accepts no long one.
async fn new_file(page: &Page, name: &str, text: &str) -> Result<()> {
    page.click(Selector::css("[data-testid=file-new]")).await?;
    page.fill(Selector::css("[data-testid=file-name]"), name).await?;
    page.press(Key::Enter).await?;
    page.see(FILE_TAB.with("data-file", name).with("data-active", "true")).await?;
    page.see(CODE_FIND).await?;
    page.paste(FILE_EDITOR, text).await
}

/// Moves the caret before the first occurrence of a text, by search.
async fn caret_before(page: &Page, words: &str) -> Result<()> {
    page.click(CODE_FIND).await?;
    page.fill(Selector::css(".cm-search [name=search]"), words).await?;
    page.press(Key::Enter).await?;
    page.press(Key::Escape).await?;
    // The match is selected: Left moves the caret to its start.
    page.press(Key::Left).await
}

/// Focuses the editor.
async fn focus(page: &Page) -> Result<()> {
    page.eval("document.querySelector('#file-text').focus()", &[]).await.map(drop)
}

fn is_focused(page: &Page) -> impl Future<Output = Result<()>> + '_ {
    let focused = "document.activeElement?.dataset.testid === 'file-editor'";
    page.wait_for("the editor to have the focus", focused, &[])
}

/// Editor features, and concurrent edits beside each other and in the same lines, each in a session.
pub(crate) async fn editor(stage: &mut Stage) -> Result<()> {
    works(stage).await?;
    app::afresh(stage).await?;
    concurrent_edits(stage).await?;
    app::afresh(stage).await?;
    clash(stage).await
}

/// Highlighting, undo, find and replace, go to line, indent, leaving by keyboard, wrapping; agents receive what was
/// typed.
async fn works(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    // Written by an agent: a paste of the operator could be undone.
    stage.provider.queue_for("Engineer", app::writing("src/main.rs", PROGRAM));
    stage.provider.queue_for("Engineer", Answer::say("Written."));
    app::say_to(&stage.page, "engineer", "Begin.").await?;
    stage.page.see_words(answers_of("engineer"), "Written.").await?;
    app::idle(&stage.page).await?;
    stage.provider.begin_anew();
    let page = &stage.page;
    page.see(Selector::css(".code-place .tok-keyword")).await?;
    ensure!(page.texts(Selector::css(".code-place .tok-keyword")).await?.contains(&"fn".to_owned()));
    ensure!(page.text(FILE_EDITOR).await? == PROGRAM, "the field shows other text");

    // Undo reverts typed text only.
    page.type_into(FILE_EDITOR, "// more").await?;
    page.see_words(FILE_EDITOR, "// more").await?;
    page.press(Key::Control + "z").await?;
    let text = "document.querySelector(arguments[0]).value === arguments[1]";
    let field = Selector::from(FILE_EDITOR);
    page.wait_for("the typing to be undone", text, &[json!(field.as_str()), json!(PROGRAM)]).await?;

    // Undo history and caret survive a switch to another file.
    page.press("// mine").await?;
    page.see_words(FILE_EDITOR, "// mine").await?;
    page.click(Selector::css("[data-testid=file-new]")).await?;
    page.fill(Selector::css("[data-testid=file-name]"), "other.txt").await?;
    page.press(Key::Enter).await?;
    page.see(FILE_TAB.with("data-file", "other.txt").with("data-active", "true")).await?;
    page.click(FILE_TAB.with("data-file", "src/main.rs")).await?;
    page.see_words(FILE_EDITOR, "// mine").await?;
    focus(page).await?;
    page.press(", and more").await?;
    page.see_words(FILE_EDITOR, "// mine, and more").await?;
    for _ in 0..2 {
        page.press(Key::Control + "z").await?;
    }
    page.wait_for("all of it to be undone", text, &[json!(field.as_str()), json!(PROGRAM)]).await?;

    // Find and replace.
    page.press(Key::Control + "f").await?;
    page.fill(Selector::css(".cm-search [name=search]"), "apples").await?;
    page.see_count(Selector::css(".cm-searchMatch"), 3).await?;
    page.fill(Selector::css(".cm-search [name=replace]"), "pears").await?;
    page.click(Selector::css(".cm-search [name=replaceAll]")).await?;
    page.press(Key::Escape).await?;
    page.hidden(Selector::css(".cm-search")).await?;
    let pears = PROGRAM.replace("apples", "pears");
    ensure!(page.text(FILE_EDITOR).await? == pears, "replaced: {}", page.text(FILE_EDITOR).await?);
    is_focused(page).await?;

    // Go to line, and a matching bracket there.
    page.click(CODE_GO_TO).await?;
    page.fill(Selector::css(".cm-goto-line input"), "4").await?;
    page.press(Key::Enter).await?;
    page.see_words(Selector::css(".cm-activeLineGutter"), "4").await?;
    is_focused(page).await?;
    page.press(Key::End).await?;
    page.see_count(Selector::css(".cm-matchingBracket"), 2).await?;

    // Enter and Tab indent; Escape, then Tab leaves.
    page.press(Key::Up + Key::End).await?;
    page.press(Key::Enter + Key::Tab).await?;
    page.press("deeper").await?;
    page.see_words(FILE_EDITOR, "\n        deeper\n").await?;
    page.press(TypingData::from(Key::Escape)).await?;
    page.press(Key::Tab).await?;
    ensure!(page.focused().await? != "file-editor", "the keyboard is caught in the editor");

    // Wrapping is optional, and survives a reload.
    ensure!(page.count(Selector::css(".cm-lineWrapping")).await? == 0);
    page.click(EDITOR_WRAP).await?;
    page.see(Selector::css(".cm-lineWrapping")).await?;

    stage.provider.queue_for("Engineer", Answer::say("I see pears."));
    app::say_to(&stage.page, "engineer", "What do you see?").await?;
    let request = stage.request_of("Engineer", 1).await?;
    let mind = request.mind_block().context("the Engineer was shown no mind")?;
    ensure!(mind.contains("let pears = 3;") && mind.contains("        deeper"), "it was shown: {mind}");
    stage.page.see_words(answers_of("engineer"), "I see pears.").await?;
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see(Selector::css(".cm-lineWrapping")).await?;
    stage.page.see_words(FILE_EDITOR, "        deeper").await
}

/// An agent writes above and below while the operator types in between: the caret stays in place, both texts are
/// kept, and undo reverts only the operator's.
async fn concurrent_edits(stage: &mut Stage) -> Result<()> {
    let mut poem = String::new();
    for number in 1..=400 {
        writeln!(poem, "line {number}")?;
    }
    let theirs = poem.replace("line 1\n", "a new beginning\nline 1\n") + "a new end\n";
    new_file(&stage.page, "poem.txt", &poem).await?;
    caret_before(&stage.page, "line 200").await?;
    let typed = Gate::new();
    let answer = Answer::new().text("Writing.").hold(&typed);
    let call = json!({ "activeFile": theirs, "activeFileName": "poem.txt" });
    stage.provider.queue_for("Engineer", answer.call("update_nexus_state", call));
    stage.provider.queue_for("Engineer", Answer::say("Framed it."));
    app::say_to(&stage.page, "engineer", "Frame it.").await?;
    stage.page.see_words(answers_of("engineer"), "Writing.").await?;
    focus(&stage.page).await?;
    stage.page.press("mine, ").await?;
    let scrolled = "return document.querySelector('.cm-scroller').scrollTop";
    let before = stage.page.eval(scrolled, &[]).await?.as_f64().context("no scroller")?;
    typed.open();
    stage.page.see_words(FILE_EDITOR, "a new end").await?;
    ensure!(before > 1_000.0, "the caret's place was not scrolled to");
    is_focused(&stage.page).await?;
    stage.page.press("and more ").await?;
    stage.page.see_words(answers_of("engineer"), "Framed it.").await?;
    app::idle(&stage.page).await?;
    let both = theirs.replace("line 200\n", "mine, and more line 200\n");
    let text = stage.page.text(FILE_EDITOR).await?;
    ensure!(text == both, "the caret moved, or a text was lost: {}", beside(&text, "mine"));
    let after = stage.page.eval(scrolled, &[]).await?.as_f64().context("no scroller")?;
    ensure!((after - before).abs() < 60.0, "the view jumped from {before} to {after}");
    for _ in 0..2 {
        stage.page.press(Key::Control + "z").await?;
    }
    let undone = "document.querySelector('#file-text').value === arguments[0]";
    stage.page.wait_for("only the operator's typing to be undone", undone, &[json!(theirs)]).await
}

fn beside(text: &str, words: &str) -> String {
    text.lines().filter(|line| line.contains(words)).collect::<Vec<_>>().join(" | ")
}

/// An agent and the operator write the same lines: both are shown with markers, nothing is shared, and each conflict
/// is resolved by a button at it or in the bar; then agents see the result.
async fn clash(stage: &mut Stage) -> Result<()> {
    const TEXT: &str = "red\none\ntwo\nthree\nblue\nfour\nfive\nsix\n";
    new_file(&stage.page, "colours.txt", TEXT).await?;
    let typed = Gate::new();
    let theirs = TEXT.replace("red", "crimson").replace("blue", "navy");
    let call = json!({ "activeFile": theirs, "activeFileName": "colours.txt" });
    let answer = Answer::new().text("Painting.").hold(&typed);
    stage.provider.queue_for("Engineer", answer.call("update_nexus_state", call));
    stage.provider.queue_for("Engineer", Answer::say("Painted."));
    app::say_to(&stage.page, "engineer", "Paint.").await?;
    stage.page.see_words(answers_of("engineer"), "Painting.").await?;
    stage.page.fill(FILE_EDITOR, "").await?;
    stage.page.paste(FILE_EDITOR, &TEXT.replace("red", "pink").replace("blue", "teal")).await?;
    stage.page.see_words(FILE_EDITOR, "teal").await?;
    typed.open();
    stage.page.see(CLASH).await?;
    stage.page.see_words(CLASH, "2 conflicts").await?;
    stage.page.see_words(answers_of("engineer"), "Painted.").await?;
    app::idle(&stage.page).await?;
    let marked = stage.page.text(FILE_EDITOR).await?;
    for words in ["crimson", "pink", "navy", "teal", "<<<<<<<", ">>>>>>>"] {
        ensure!(marked.contains(words), "{words} is not in {marked}");
    }
    stage.page.see_words(Selector::css(".cm-clash-now"), "crimson").await?;
    stage.page.see_words(Selector::css(".cm-clash-mine"), "pink").await?;
    if let Some(folder) = std::env::var_os("NEXUS_EDITOR_PICTURES") {
        stage.page.screenshot(&std::path::Path::new(&folder).join("clash.png")).await?;
    }

    // By a button at the conflict, undone, and again.
    stage.page.click(Selector::css("[data-testid=clash-here-theirs]")).await?;
    stage.page.see_words(CLASH, "1 conflict.").await?;
    focus(&stage.page).await?;
    stage.page.press(Key::Control + "z").await?;
    stage.page.see_words(CLASH, "2 conflicts").await?;
    stage.page.click(Selector::css("[data-testid=clash-here-theirs]")).await?;
    stage.page.see_words(CLASH, "1 conflict.").await?;
    // By keyboard: to the next one, then the bar.
    stage.page.press(Key::F8).await?;
    stage.page.eval("document.querySelector('[data-testid=clash-both]').focus()", &[]).await?;
    stage.page.press(Key::Enter).await?;
    stage.page.hidden(CLASH).await?;
    let decided = TEXT.replace("red", "crimson").replace("blue", "navy\nteal");
    let text = stage.page.text(FILE_EDITOR).await?;
    ensure!(text == decided, "decided: {text}");

    stage.provider.queue_for("Critic", Answer::say("Colourful."));
    app::say_to(&stage.page, "critic", "How is it?").await?;
    let request = stage.request_of("Critic", 1).await?;
    let mind = request.mind_block().context("the Critic was shown no mind")?;
    ensure!(mind.contains("crimson") && mind.contains("navy\nteal") && !mind.contains("<<<<"), "{mind}");
    stage.page.see_words(answers_of("critic"), "Colourful.").await?;
    app::idle(&stage.page).await
}

/// A program with this many lines.
fn long_program(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        // Writing to a string cannot fail.
        writeln!(text, "    let value_{number} = compute({number}, \"of {number}\"); // step")
            .unwrap_or_default();
    }
    text
}

/// 50,000 lines open, scroll to the end, accept input, and are stored.
pub(crate) async fn long(stage: &mut Stage) -> Result<()> {
    const LINES: usize = 50_000;
    app::set_up(stage).await?;
    new_file(&stage.page, "long.rs", &long_program(LINES)).await?;
    stage.page.click(CODE_GO_TO).await?;
    stage.page.fill(Selector::css(".cm-goto-line input"), "49999").await?;
    stage.page.press(Key::Enter).await?;
    stage.page.see_words(Selector::css(".cm-activeLineGutter"), "49999").await?;
    let drawn = stage.page.count(Selector::css(".cm-line")).await?;
    ensure!(drawn < 500, "{drawn} lines are laid out");
    stage.page.press("typed_at_the_end ").await?;
    stage.page.see_words(Selector::css(".cm-line"), "typed_at_the_end").await?;
    // Ten times the benchmark's limit: a busy machine is slow, a full layout for each key is slower.
    let slow = quantile(&typing(stage).await?, 0.95)?;
    ensure!(slow <= 10.0 * BAR_MS, "a key takes {slow:.0} ms to its frame");
    let read = json!({ "name": "long.rs", "from_line": LINES - 3 });
    stage.provider.queue_for("Engineer", Answer::new().call("read_file", read));
    stage.provider.queue_for("Engineer", Answer::say("Read it."));
    app::say_to(&stage.page, "engineer", "Read the end.").await?;
    stage.page.see_words(answers_of("engineer"), "Read it.").await?;
    let results = Value::from(stage.request_of("Engineer", 2).await?.tool_results()).to_string();
    ensure!(results.contains("typed_at_the_end"), "the agent read {results}");
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see(CODE_FIND).await?;
    let there = "document.querySelector('#file-text')?.value.includes('typed_at_the_end')";
    stage.page.wait_for("the typed text to be stored", there, &[]).await
}

/// On the sub-path, after the demo: chunks load there from any initial page, and the agents' files appear in the
/// editor.
pub(super) async fn sub_path(stage: &mut Stage) -> Result<()> {
    let settings = app::below(stage, "settings/");
    stage.page.goto(&settings).await?;
    stage.page.see(SETTINGS).await?;
    stage.page.click(Selector::css(".settings-back")).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.click(FILE_TAB.with("data-file", "index.html")).await?;
    stage.page.see(CODE_FIND).await?;
    stage.page.see(Selector::css(".code-place .tok-typeName")).await?;
    let script = "return performance.getEntriesByType('resource').map(each => each.name)
        .filter(each => each.includes('/parts/') && !each.startsWith(arguments[0]))";
    let home = app::below(stage, "parts/");
    ensure!(stage.page.eval(script, &[json!(home)]).await? == json!([]), "a part was requested elsewhere");
    Ok(())
}

/// A page built without JavaScript modules has a plain field with the same abilities; a file that is too long for it
/// is read-only. Agents work as usual.
pub(crate) async fn without_parts(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url(BARE_PATH);
    let blank = stage.site.url(BLANK_PAGE);
    let text = long_program(6_000);
    let state = json!({ "objective": "", "scratchpad": "", "activeFile": text, "activeFileName": "long.rs" });
    stage.page.goto(&blank).await?;
    stage.page.set_local("nexus_context_state", &state.to_string()).await?;
    stage.page.goto(&home).await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    for agent in ["architect", "engineer", "critic"] {
        app::ended(&stage.page, agent, "completed", None).await?;
    }
    app::idle(&stage.page).await?;
    let page = &stage.page;
    page.click(FILE_TAB.with("data-file", "index.html")).await?;
    page.see_words(FILE_EDITOR, "<html").await?;
    let is_field = "document.querySelector('#file-text')?.tagName === 'TEXTAREA'";
    page.wait_for("a plain field", is_field, &[]).await?;
    page.type_into(FILE_EDITOR, "<!-- by hand -->").await?;
    page.see_words(FILE_EDITOR, "<!-- by hand -->").await?;
    ensure!(page.count(Selector::css(".cm-editor")).await? == 0);

    page.click(FILE_TAB.with("data-file", "long.rs")).await?;
    page.see(FILE_LARGE).await?;
    page.see_words(FILE_LONG, "value_5999").await?;
    ensure!(page.count(FILE_EDITOR).await? == 0, "the whole of it was laid out");
    page.click(Selector::css("[data-testid=file-large] button")).await?;
    page.see_words(FILE_EDITOR, "value_5999").await?;
    let script = "return performance.getEntriesByType('resource').filter(each => each.name.includes('/parts/')).length";
    ensure!(page.eval(script, &[]).await? == 0, "unlisted parts were requested");
    Ok(())
}

/// If the modules fail to load, the plain field is used too.
pub(super) async fn parts_blocked(stage: &Stage) -> Result<()> {
    stage.page.click(FILE_TAB.with("data-file", "index.html")).await?;
    stage.page.see_words(FILE_EDITOR, "<html").await?;
    let is_field = "document.querySelector('#file-text')?.tagName === 'TEXTAREA'";
    stage.page.wait_for("a plain field", is_field, &[]).await
}

/// Limit of the 95th percentile from key, or scroll step, to frame, in milliseconds.
const BAR_MS: f64 = 50.0;

/// Key-to-frame and scroll-to-frame times in files of these lengths, with the limit. `cargo xtask bench editor` runs
/// them; they are no tests, because they depend on the machine.
pub(crate) async fn bench_short(stage: &mut Stage) -> Result<()> {
    bench(stage, 2_000).await
}

/// The longest file with highlighting.
pub(crate) async fn bench_long(stage: &mut Stage) -> Result<()> {
    bench(stage, 13_000).await
}

/// The longest supported file.
pub(crate) async fn bench_longest(stage: &mut Stage) -> Result<()> {
    bench(stage, 50_000).await
}

async fn bench(stage: &mut Stage, lines: usize) -> Result<()> {
    app::set_up(stage).await?;
    new_file(&stage.page, "long.rs", &long_program(lines)).await?;
    let mut slow = Vec::new();
    for (place, line) in [("top", 10), ("end", lines - 10)] {
        stage.page.click(CODE_GO_TO).await?;
        stage.page.fill(Selector::css(".cm-goto-line input"), &line.to_string()).await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see_words(Selector::css(".cm-activeLineGutter"), &line.to_string()).await?;
        // Work started by the jump, such as parsing the text up to here, does not belong to the key.
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        for (what, times) in [("key", typing(stage).await?), ("scroll", scrolling(stage).await?)] {
            let (middle, most) = (quantile(&times, 0.5)?, quantile(&times, 0.95)?);
            let coloured = stage.page.count(Selector::css(".tok-keyword")).await? > 0;
            let result = format!(
                "{lines} lines, coloured {coloured}, {what} at the {place}: \
                 {middle:.0} ms median, {most:.0} ms p95 of {}",
                times.len()
            );
            println!("{result}");
            if most > BAR_MS {
                slow.push(result);
            }
        }
    }
    ensure!(slow.is_empty(), "above {BAR_MS} ms: {}", slow.join("; "));
    Ok(())
}

/// Key-to-frame times in milliseconds.
async fn typing(stage: &Stage) -> Result<Vec<f64>> {
    let measure = "window.__keys = [];
            const field = document.querySelector('#file-text');
            field.__bench?.();
            const heard = event => {
                const began = event.timeStamp;
                requestAnimationFrame(() => {
                    const channel = new MessageChannel();
                    channel.port1.onmessage = () => window.__keys.push(performance.now() - began);
                    channel.port2.postMessage(0);
                });
            };
            field.addEventListener('keydown', heard, true);
            field.__bench = () => field.removeEventListener('keydown', heard, true);";
    stage.page.eval(measure, &[]).await?;
    for _ in 0..80 {
        stage.page.press("a").await?;
    }
    stage.page.wait_for("the frames of all keys", "window.__keys.length === 80", &[]).await?;
    Ok(serde_json::from_value(stage.page.eval("return window.__keys", &[]).await?)?)
}

/// Scroll-to-frame times in milliseconds: a page up and down from here, then to positions across the file. The text
/// must be visible in the frame after the scroll event.
async fn scrolling(stage: &Stage) -> Result<Vec<f64>> {
    let measure = "const box = document.querySelector('.cm-scroller');
        const times = [], from = box.scrollTop, page = box.clientHeight * 0.9;
        const end = box.scrollHeight - box.clientHeight;
        const shown = () => {
            const top = box.getBoundingClientRect().top;
            const lines = [...box.querySelectorAll('.cm-line')].map(line => line.getBoundingClientRect());
            return lines.some(line => line.bottom > top && line.top < top + box.clientHeight / 4);
        };
        for (let step = 0; step < 80; step++) {
            const near = from + page * (step % 20 < 10 ? step % 20 : 20 - step % 20) * (from > end / 2 ? -1 : 1);
            const began = performance.now();
            box.scrollTop = step < 40 ? near : (step * 7919 * 31) % end;
            let frames = 0;
            do {
                await new Promise(done => requestAnimationFrame(() => {
                    const channel = new MessageChannel();
                    channel.port1.onmessage = done;
                    channel.port2.postMessage(0);
                }));
            } while (!shown() && ++frames < 60);
            times.push(performance.now() - began);
        }
        box.scrollTop = from;
        return times";
    let times: Vec<f64> = serde_json::from_value(stage.page.eval_async(measure, &[]).await?)?;
    ensure!(times.len() == 80, "{} steps were measured", times.len());
    Ok(times)
}

fn quantile(values: &[f64], share: f64) -> Result<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let place = (share * last as f64).round() as usize;
    sorted.get(place).copied().context("nothing was measured")
}
