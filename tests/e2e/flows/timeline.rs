//! Flows for message actions on a phone, and for search and scrolling in long conversations.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::network_faults::quick;
use crate::flows::palette;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::seeded_history;
use crate::selectors::*;

/// Focuses a button of an agent's newest answer, as Tab does, and presses it.
async fn press_at(page: &Page, selector: &Selector, part: TestId) -> Result<()> {
    let script = "const all = document.querySelectorAll(arguments[0]);
        all[all.length - 1].querySelector(arguments[1]).focus()";
    page.eval(script, &[json!(selector.as_str()), json!(Selector::from(part).as_str())]).await?;
    let seen = "getComputedStyle(document.activeElement.parentElement).opacity === '1'";
    page.wait_for("the focus to bring the buttons", seen, &[]).await?;
    page.press(Key::Enter).await
}

/// Waits until an agent's newest answer is in view.
async fn in_view(page: &Page, selector: &Selector) -> Result<()> {
    let script = "(() => {
        const all = [...document.querySelectorAll(arguments[0])];
        const view = document.querySelector('[role=log]').getBoundingClientRect();
        return all.some(each => {
            const at = each.getBoundingClientRect();
            return at.height > 0 && at.top < view.bottom - 8 && at.bottom > view.top + 8;
        });
    })()";
    page.wait_for(&format!("{selector} to be in view"), script, &[json!(selector.as_str())]).await
}

/// The Engineer answers with this text; waits for these words.
async fn engineer_answers(fixture: &mut Fixture, text: &str, words: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::say(text));
    app::send_to(&fixture.page, "engineer", "Tell me.").await?;
    fixture.page.see_text(answers_of("engineer"), words).await?;
    app::idle(&fixture.page).await
}

/// Waits until a button has this text.
async fn has_text(page: &Page, selector: impl Into<Selector>, words: &str) -> Result<()> {
    let selector = selector.into();
    let script =
        "[...document.querySelectorAll(arguments[0])].some(each => each.textContent.includes(arguments[1]))";
    page.wait_for(&format!("{selector} to say {words:?}"), script, &[json!(selector.as_str()), json!(words)])
        .await
}

/// On a phone: message actions, and the ways between a message, its tool run and its file.
pub(crate) async fn messages(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", app::writing("poem.txt", "roses\n"));
    engineer_answers(fixture, "A **small** answer.", "A small answer.").await?;
    narrow(fixture).await?;
    ways(fixture).await
}

/// On a phone a message has one button, and the menu has the rest.
async fn narrow(fixture: &mut Fixture) -> Result<()> {
    fixture.page.resize(360, 780).await?;
    let answer = answers_of("engineer");
    press_at(&fixture.page, &answer, MESSAGE_MORE).await?;
    fixture.page.see(MESSAGE_MENU).await?;
    ensure!(fixture.page.count(answer.clone().inner(MESSAGE_COPY)).await? >= 1, "the buttons are there");
    fixture.page.hidden(answer.clone().inner(MESSAGE_COPY)).await?;
    let fits = "(at => at.left >= 0 && at.right <= innerWidth && at.bottom <= innerHeight)
        (document.querySelector(arguments[0]).getBoundingClientRect())";
    fixture.page.wait_for("the menu to fit", fits, &[json!(Selector::from(MESSAGE_MENU).as_str())]).await?;
    fixture.page.click(MENU_PIN).await?;
    has_text(&fixture.page, PINS_OPEN, "1").await?;
    fixture.page.allow_clipboard(true).await?;
    press_at(&fixture.page, &answer, MESSAGE_MORE).await?;
    fixture.page.click(MENU_COPY).await?;
    fixture.page.see_text(NOTICE, "Message copied").await?;
    let copied = fixture.page.eval_async("return await navigator.clipboard.readText()", &[]).await?;
    ensure!(copied == "A **small** answer.", "{copied} was copied");
    press_at(&fixture.page, &answer, MESSAGE_MORE).await?;
    fixture.page.click(MENU_QUOTE).await?;
    fixture.page.see_text(COMPOSER, "> A **small** answer.").await?;
    fixture.page.fill(COMPOSER, "").await?;
    // Its button would cover the text here.
    palette::run(&fixture.page, "look for text", "timeline-find").await?;
    fixture.page.see(FIND_BAR).await?;
    fixture.page.wait_for("the bar to fit", fits, &[json!(Selector::from(FIND_BAR).as_str())]).await?;
    fixture.page.press("small").await?;
    fixture.page.see_text(FIND_COUNT, "1 of 1").await?;
    fixture.page.click(FIND_NEXT).await?;
    fixture.page.click(FIND_BACK).await?;
    fixture.page.see_text(FIND_COUNT, "1 of 1").await?;
    fixture.page.click(FIND_CLOSE).await?;
    fixture.page.hidden(FIND_BAR).await?;
    let wide = "document.documentElement.scrollWidth <= innerWidth";
    fixture.page.wait_for("nothing to stick out", wide, &[]).await
}

/// From the tool run to its file in another pane, back, to its message, and from there to the file.
async fn ways(fixture: &mut Fixture) -> Result<()> {
    let at_card = "document.activeElement.matches('[data-testid=tool-card]')";
    let at_message = "document.activeElement.matches('article[data-agent=engineer]')";
    let more = "document.activeElement.querySelector(arguments[0]).click()";
    let unfold = "document.querySelector(arguments[0]).open = true";
    fixture.page.eval(unfold, &[json!(Selector::from(TOOL_CARD).as_str())]).await?;
    fixture.page.click(TOOL_FILE).await?;
    fixture.page.see(FILE_TAB.with("data-file", "poem.txt").with("data-active", "true")).await?;
    fixture.page.click(FILE_CHANGE).await?;
    fixture.page.wait_for("the way back over the panes", at_card, &[]).await?;
    fixture.page.click(TOOL_MESSAGE).await?;
    fixture.page.wait_for("the message once more", at_message, &[]).await?;
    fixture.page.eval(more, &[json!(Selector::from(MESSAGE_MORE).as_str())]).await?;
    fixture.page.click(MENU_FILE).await?;
    fixture.page.see(FILE_TAB.with("data-file", "poem.txt").with("data-active", "true")).await?;
    fixture.page.click(FILE_CHANGE).await?;
    fixture.page.wait_for("the way back over the panes", at_card, &[]).await?;
    in_view(&fixture.page, &Selector::from(TOOL_CARD)).await
}

/// Scrolls up until the first message of `turns` is loaded.
async fn to_the_first(page: &Page, turns: usize) -> Result<()> {
    let climb = "const list = document.querySelector('[role=log]');
        const climb = () => {
            list.scrollTop = list.scrollTop > 0 ? 0 : 1;
            // They are in order of time.
            for (const each of list.querySelectorAll('article')) {
                const found = each.textContent.match(/question (\\d+)/);
                if (!found) continue;
                window.__first = Number(found[1]);
                break;
            }
            // Each step draws the list; nothing comes of more of them than there is time for to read.
            if (window.__first > 0) setTimeout(climb, 100);
        };
        climb();";
    page.eval(&format!("window.__first = Infinity; {climb}"), &[]).await?;
    // However slow the machine is, it makes progress.
    for mark in (0..16).rev().map(|step| turns * step / 16) {
        let what = format!("question {mark}");
        page.wait_for(&what, "window.__first <= arguments[0]", &[json!(mark)]).await?;
    }
    Ok(())
}

/// 4,000 messages: few are rendered, with day headings, older ones load on demand, and the page stays responsive.
pub(crate) async fn long(fixture: &mut Fixture) -> Result<()> {
    const TURNS: usize = 2_000;
    app::set_up(fixture).await?;
    let text = |number: usize| match number {
        2 => "The first needle lies here.".to_owned(),
        700 => "A Needle in **the** middle, and one more needle.".to_owned(),
        _ => format!("Answer {number}: {}", "hay ".repeat(number % 40)),
    };
    let texts: Vec<String> = (0..TURNS).map(text).collect();
    seeded_history::seed_before(fixture, &texts).await?;
    let page = &fixture.page;
    page.see_text(MESSAGE_TEXT, &format!("Answer {}", TURNS - 1)).await?;
    page.see(DAY).await?;
    page.see(LOAD_EARLIER).await?;
    quick(page).await?;

    // Older turns load on scrolling up, and the reading position stays.
    let top = "const list = document.querySelector('[role=log]'); list.scrollTop = 300; list.scrollTop = 60;";
    let built = page.count(MESSAGE).await?;
    page.eval(top, &[]).await?;
    page.wait_for(
        "older turns",
        "document.querySelectorAll('article').length > arguments[0]",
        &[json!(built)],
    )
    .await?;
    let scrolled = "document.querySelector('[role=log]').scrollTop > 1000";
    page.wait_for("the read position to stay in view", scrolled, &[]).await?;
    to_the_first(page, TURNS).await?;

    page.press(Key::Control + Key::Shift + "f").await?;
    page.see(FIND_BAR).await?;
    page.has_focus("find-text").await?;
    page.press("needle").await?;
    page.see_text(FIND_COUNT, "3 of 3").await?;
    in_view(page, &Selector::css("article[data-found]")).await?;
    page.see_text(Selector::css("article[data-found]"), "in the middle").await?;
    let marked =
        "CSS.highlights.get('nexus-here')?.size === 1 && CSS.highlights.get('nexus-found')?.size === 1";
    page.wait_for("the places to be marked", marked, &[]).await?;
    let here = "[...CSS.highlights.get('nexus-here')][0].toString() === arguments[0]";
    page.wait_for("the second one to be marked", here, &[json!("needle")]).await?;
    page.press(Key::Shift + Key::Enter).await?;
    page.see_text(FIND_COUNT, "2 of 3").await?;
    page.wait_for("the first one to be marked", here, &[json!("Needle")]).await?;
    page.press(Key::Shift + Key::Enter).await?;
    page.see_text(FIND_COUNT, "1 of 3").await?;
    page.see_text(Selector::css("article[data-found]"), "The first needle").await?;
    in_view(page, &Selector::css("article[data-found]")).await?;
    page.click(FIND_CASE).await?;
    page.see_text(FIND_COUNT, "2 of 2").await?;
    page.press(Key::Enter).await?;
    let built = page.count(MESSAGE).await?;
    ensure!(built <= 480, "{built} messages are built");
    page.fill(FIND_TEXT, "no such words").await?;
    page.see_text(FIND_COUNT, "No results").await?;
    quick(page).await?;
    page.press(Key::Escape).await?;
    page.hidden(FIND_BAR).await?;
    ensure!(page.eval("return CSS.highlights.size", &[]).await? == 0, "marks are left");

    // The first letter was found in the newest message.
    page.eval("document.querySelector('[role=log]').scrollTop -= 3000", &[]).await?;
    page.click(Selector::css(".timeline-newest")).await?;
    let at_end = "(list => list.scrollHeight - list.scrollTop - list.clientHeight < 4)
        (document.querySelector('[role=log]'))";
    page.wait_for("the end", at_end, &[]).await?;
    in_view(page, &answers_of("critic")).await?;
    let built = page.count(MESSAGE).await?;
    ensure!(built <= 240, "{built} messages are built at the end");
    // A key in the composer, with everything loaded.
    let began = "const field = document.querySelector(arguments[0]); field.focus();
        const times = [];
        for (let key = 0; key < 20; key++) {
            const start = performance.now();
            field.value += 'x';
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[10];";
    let time = page.eval_async(began, &[json!(Selector::from(COMPOSER).as_str())]).await?;
    let time = time.as_f64().context("no time")?;
    println!("        a key takes {time:.0} ms beside {} messages", 2 * TURNS);
    ensure!(time < 200.0, "a key takes {time} ms");
    Ok(())
}

/// New text does not move a reader; at the end the view follows.
pub(crate) async fn scroll(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let texts: Vec<String> =
        (0..40).map(|number| format!("Answer {number}.\n\n{}", "more\n\n".repeat(8))).collect();
    seeded_history::seed_before(fixture, &texts).await?;
    let (first, second) = (Gate::new(), Gate::new());
    let many = "line\n\n".repeat(60);
    let answer =
        Answer::new().text("begin ").hold(&first).text(&many).hold(&second).text(&many).text("the end");
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Go on and on.").await?;
    fixture.page.see_text(answers_of("engineer"), "begin").await?;
    let left = "return (list => list.scrollHeight - list.scrollTop - list.clientHeight)
        (document.querySelector('[role=log]'))";
    first.open();
    let many_there = "document.querySelectorAll('[role=log] article:last-of-type p').length > 50";
    fixture.page.wait_for("the first half", many_there, &[]).await?;
    fixture.page.wait_for("the end to be followed", &left.replace("return ", "1 > "), &[]).await?;
    let up =
        "const list = document.querySelector('[role=log]'); list.scrollTop -= 900; return list.scrollTop";
    fixture.page.eval(up, &[]).await?;
    fixture.page.see(Selector::css(".timeline-newest")).await?;
    let read = "const list = document.querySelector('[role=log]').getBoundingClientRect();
        const at = document.elementFromPoint(list.left + list.width / 2, list.top + list.height / 2);
        window.readAt = at.closest('p, article');
        return window.readAt.getBoundingClientRect().top";
    let before = fixture.page.eval(read, &[]).await?.as_f64().context("nothing is read")?;
    second.open();
    fixture.page.see_text(answers_of("engineer"), "the end").await?;
    app::idle(&fixture.page).await?;
    let after = fixture.page.eval("return window.readAt.getBoundingClientRect().top", &[]).await?;
    let after = after.as_f64().context("nothing is read")?;
    ensure!((before - after).abs() < 4.0, "the read position moved from {before} to {after}");
    fixture.page.click(Selector::css(".timeline-newest")).await?;
    fixture.page.wait_for("the end", &left.replace("return ", "4 > "), &[]).await?;
    fixture.page.hidden(Selector::css(".timeline-newest")).await?;
    // The operator sees what they send, wherever they read before.
    fixture.page.eval(up, &[]).await?;
    fixture.page.see(Selector::css(".timeline-newest")).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Enough."));
    app::send_to(&fixture.page, "engineer", "Stop there.").await?;
    fixture.page.wait_for("the message sent", &left.replace("return ", "4 > "), &[]).await?;
    fixture.page.see_text(answers_of("engineer"), "Enough.").await?;
    app::idle(&fixture.page).await
}
