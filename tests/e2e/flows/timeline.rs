//! Flows for message actions, pins, search, links between rows, quotes, long conversations and notifications.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::agent_setup::rule;
use crate::app;
use crate::corpus::vectors::OWN;
use crate::fixture::Fixture;
use crate::flows::network_faults::quick;
use crate::flows::palette;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::seeded_answers;
use crate::seeded_history;
use crate::selectors::*;
use crate::site::BLANK_PAGE;

async fn clipboard(page: &Page) -> Result<String> {
    let text = page.eval_async("return await navigator.clipboard.readText()", &[]).await?;
    text.as_str().map(str::to_owned).context("no text")
}

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

/// Message actions: by mouse, by keyboard, on a phone, and with hostile text.
pub(crate) async fn messages(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    acts(fixture).await?;
    app::start_over(fixture).await?;
    deleted(fixture).await?;
    app::start_over(fixture).await?;
    ask(fixture).await?;
    app::start_over(fixture).await?;
    hostile(fixture).await?;
    app::start_over(fixture).await?;
    narrow(fixture).await?;
    fixture.page.resize(1440, 900).await?;
    app::start_over(fixture).await?;
    ways(fixture).await
}

/// Copy as Markdown, quote, pin, the list of pins, the menu: by mouse and by keyboard; pins survive a reload.
async fn acts(fixture: &mut Fixture) -> Result<()> {
    fixture.page.allow_clipboard(true).await?;
    engineer_answers(fixture, "The **first** answer.\n\n- one\n- two", "The first answer.").await?;
    let answer = answers_of("engineer");
    press_at(&fixture.page, &answer, MESSAGE_COPY).await?;
    fixture.page.see_text(NOTICE, "Message copied").await?;
    let copied = clipboard(&fixture.page).await?;
    ensure!(copied == "The **first** answer.\n\n- one\n- two", "{copied:?} was copied");

    fixture.page.fill(COMPOSER, "Look:").await?;
    press_at(&fixture.page, &answer, MESSAGE_QUOTE).await?;
    let quoted = "Look:\n\n> Engineer:\n> The **first** answer.\n>\n> - one\n> - two\n\n";
    fixture.page.see_text(COMPOSER, "> - two").await?;
    let typed = fixture.page.texts(COMPOSER).await?;
    ensure!(typed == [quoted], "{typed:?} is typed");
    fixture.page.has_focus("composer").await?;
    fixture.page.press("Is that so?").await?;
    fixture.page.see_text(COMPOSER, "> - two\n\nIs that so?").await?;
    fixture.page.fill(COMPOSER, "").await?;

    press_at(&fixture.page, &answer, MESSAGE_PIN).await?;
    has_text(&fixture.page, PINS_OPEN, "1").await?;
    // The first message with the objective, too: by its menu.
    let question = MESSAGE.with("data-role", "user");
    press_at(&fixture.page, &question, MESSAGE_MORE).await?;
    fixture.page.see(MESSAGE_MENU).await?;
    fixture.page.has_focus("menu-copy").await?;
    fixture.page.press(Key::Down + Key::Down).await?;
    fixture.page.has_focus("menu-pin").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.hidden(MESSAGE_MENU).await?;
    fixture.page.has_focus("message-more").await?;
    has_text(&fixture.page, PINS_OPEN, "2").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see(MESSAGE_MENU).await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(MESSAGE_MENU).await?;
    let focused = "document.activeElement.matches(arguments[0])";
    let more = Selector::from(MESSAGE_MORE);
    fixture.page.wait_for("the focus to return", focused, &[json!(more.as_str())]).await?;

    fixture.page.reload().await?;
    has_text(&fixture.page, PINS_OPEN, "2").await?;
    let events = app::events(&fixture.page).await?;
    let pinned = events.iter().filter(|event| event.pointer("/data/change/pinned").is_some()).count();
    ensure!(pinned == 2, "{pinned} pin events");
    fixture.page.click(PINS_OPEN).await?;
    fixture.page.see_count(PIN, 2).await?;
    has_text(&fixture.page, PIN, "The first answer. - one - two").await?;
    fixture
        .page
        .wait_for("the list to have the focus", "document.activeElement.matches('.pin')", &[])
        .await?;
    fixture.page.press(Key::Down).await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.hidden(PINS).await?;
    let led = "document.activeElement.matches('article[data-role=assistant][data-agent=engineer]')";
    fixture.page.wait_for("to be led to the message", led, &[]).await?;
    fixture.page.click(PINS_OPEN).await?;
    fixture.page.click(PIN_OFF).await?;
    fixture.page.see_count(PIN, 1).await?;
    fixture.page.click(PIN_OFF).await?;
    fixture.page.hidden(PINS).await?;
    fixture.page.hidden(PINS_OPEN).await
}

/// A message is deleted by keyboard: it disappears from the screen and from the next request, and its placeholder
/// says so after a reload.
async fn deleted(fixture: &mut Fixture) -> Result<()> {
    engineer_answers(fixture, "A secret answer.", "A secret answer.").await?;
    press_at(&fixture.page, &answers_of("engineer"), MESSAGE_MORE).await?;
    fixture.page.see(MENU_DELETE).await?;
    fixture.page.press(Key::End).await?;
    fixture.page.has_focus("menu-delete").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see_text(MENU_DELETE, "cannot be undone").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see_text(MESSAGE_DELETED, "This message was deleted.").await?;
    engineer_answers(fixture, "Something else.", "Something else.").await?;
    let request = fixture.request_of("Engineer", 2).await?;
    ensure!(!request.all_text().contains("A secret answer."), "the deleted text was sent");
    fixture.page.reload().await?;
    fixture.page.see(MESSAGE_DELETED).await?;
    ensure!(!fixture.page.text(TIMELINE).await?.contains("A secret answer."), "it is on the screen");
    Ok(())
}

/// On a phone a message has one button, and the menu has the rest.
async fn narrow(fixture: &mut Fixture) -> Result<()> {
    engineer_answers(fixture, "A small answer.", "A small answer.").await?;
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
    press_at(&fixture.page, &answer, MESSAGE_MORE).await?;
    fixture.page.click(MENU_QUOTE).await?;
    fixture.page.see_text(COMPOSER, "> A small answer.").await?;
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

/// From a message to its tool run and back, to the file, and from the file to the tool run.
async fn ways(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("poem.txt", "roses\n"));
    fixture.provider.queue_for("Engineer", Answer::say("It rhymes."));
    app::ask(&fixture.page, "engineer", "Write a poem.", "It rhymes.").await?;
    fixture.page.click(FILE_CHANGE).await?;
    let at_card = "document.activeElement.matches('[data-testid=tool-card]')";
    fixture.page.wait_for("the tool run to have the focus", at_card, &[]).await?;
    fixture.page.eval("document.activeElement.open = true", &[]).await?;
    fixture.page.click(TOOL_MESSAGE).await?;
    let at_message = "document.activeElement.matches('article[data-agent=engineer]')";
    fixture.page.wait_for("the message to have the focus", at_message, &[]).await?;
    let more = "document.activeElement.querySelector(arguments[0]).click()";
    fixture.page.eval(more, &[json!(Selector::from(MESSAGE_MORE).as_str())]).await?;
    has_text(&fixture.page, MENU_TOOL, "poem.txt").await?;
    fixture.page.click(MENU_TOOL).await?;
    fixture.page.wait_for("the tool run to have the focus again", at_card, &[]).await?;
    // On a phone the file is in another pane.
    fixture.page.resize(360, 780).await?;
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

/// Selects the content of an element.
async fn select(page: &Page, css: &str) -> Result<()> {
    let script = "const all = document.querySelectorAll(arguments[0]);
        const range = document.createRange();
        range.selectNodeContents(all[all.length - 1]);
        getSelection().removeAllRanges();
        getSelection().addRange(range);";
    page.eval(script, &[json!(css)]).await.map(drop)
}

/// A selection is quoted for its author: from a message, by keyboard from a tool result, from a field of the board.
/// Mentions in the quote call no agent.
async fn ask(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("plan.txt", "@Critic and #plan.txt\n"));
    fixture.provider.queue_for("Engineer", Answer::say("@Architect knows the way."));
    app::ask(&fixture.page, "engineer", "Plan.", "knows the way").await?;
    fixture.page.choose(TARGET_SELECT, "ALL").await?;
    let words = answers_of("engineer").inner(MESSAGE_TEXT);
    select(&fixture.page, words.as_str()).await?;
    has_text(&fixture.page, ASK_SELECTION, "Ask Engineer").await?;
    fixture.page.click(ASK_SELECTION).await?;
    fixture.page.see_text(COMPOSER, "> @Architect knows the way.").await?;
    ensure!(fixture.page.texts(TARGET_SELECT).await? == ["engineer"], "no agent was chosen");
    fixture.page.hidden(ASK_SELECTION).await?;
    fixture.provider.queue_for("Engineer", Answer::say("I mean it."));
    fixture.page.press("Why?").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see_text(answers_of("engineer"), "I mean it.").await?;
    app::idle(&fixture.page).await?;
    let prompt = fixture.provider.requests_of("Engineer");
    let prompt = prompt.last().context("no request of the Engineer")?.all_text();
    ensure!(
        prompt.contains("> @Architect knows the way.") && prompt.contains("Why?"),
        "the prompt is {prompt:?}"
    );
    ensure!(fixture.provider.requests_of("Architect").is_empty(), "the quoted agent was called");

    // By keyboard, from tool arguments.
    let card = "document.querySelectorAll('[data-testid=tool-card]').forEach(card => { card.open = true; })";
    fixture.page.eval(card, &[]).await?;
    fixture.page.see(TOOL_MESSAGE).await?;
    let unfold =
        "document.querySelectorAll('[data-testid=tool-card] details').forEach(each => { each.open = true; })";
    fixture.page.eval(unfold, &[]).await?;
    select(&fixture.page, "[data-testid=tool-card] pre").await?;
    fixture.page.see(ASK_SELECTION).await?;
    fixture.page.press(Key::Alt + "q").await?;
    fixture.page.see_text(COMPOSER, "> update_nexus_state (Engineer):").await?;
    fixture.page.has_focus("composer").await?;
    let count = fixture.page.count(ATTACHMENT).await?;
    ensure!(count == 0, "the quote adds {count} files");
    fixture.page.fill(COMPOSER, "").await?;

    // From a field of the board.
    let field = "const area = document.querySelector(arguments[0]); area.focus(); area.select()";
    fixture.page.fill(OBJECTIVE_FIELD, "A field to ask about").await?;
    fixture.page.eval(field, &[json!(Selector::from(OBJECTIVE_FIELD).as_str())]).await?;
    fixture.page.see(ASK_SELECTION).await?;
    fixture.page.press(Key::Alt + "q").await?;
    fixture.page.see_text(COMPOSER, "> A field to ask about").await
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

/// Fakes the desktop: records notifications and sounds.
const DESKTOP: &str = "window.shown = []; window.played = [];
    window.allow ??= 'granted';
    class Sign {
        static get permission() { return sessionStorage.getItem('sign') ?? 'default'; }
        static async requestPermission() { sessionStorage.setItem('sign', window.allow); return window.allow; }
        constructor(title, options) {
            window.shown.push([title, options.body, options.tag]);
            window.sign = this;
            localStorage.setItem('flow-shown', window.shown.length);
        }
        close() {}
    }
    Object.defineProperty(window, 'Notification', { value: Sign, configurable: true });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (at) { window.played.push(this.frequency.value); start.call(this, at); };";

async fn hide(fixture: &mut Fixture) -> Result<thirtyfour::WindowHandle> {
    let first = fixture.page.tab().await?;
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.open_tab(&blank).await?;
    Ok(first)
}

/// Waits for this number of notifications of the hidden tab. A check in that tab would show it.
async fn called_from_behind(page: &Page, times: usize) -> Result<()> {
    let called = "Number(localStorage.getItem('flow-shown')) === arguments[0]";
    page.wait_for(&format!("call {times} of the tab behind"), called, &[json!(times)]).await
}

/// A hidden tab notifies when an agent asks, and when a run ends with a question or without; a visible one does not.
/// Permission is requested only on a click, and a denial is reported.
pub(crate) async fn calls(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.page.in_every_document(DESKTOP).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    rule(&fixture.page, "engineer", "update_nexus_state", "ask").await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.eval("window.allow = 'denied'", &[]).await?;
    fixture.page.click(CALLS_NOTIFY).await?;
    fixture.page.see_text(CALLS_PROBLEM, "blocks notifications from this page").await?;
    let off = "!document.querySelector(arguments[0]).checked";
    fixture
        .page
        .wait_for("the switch to be off", off, &[json!(Selector::from(CALLS_NOTIFY).as_str())])
        .await?;
    fixture.page.eval("window.allow = 'granted'; sessionStorage.removeItem('sign')", &[]).await?;
    fixture.page.click(CALLS_NOTIFY).await?;
    fixture.page.wait_for("the permission", "sessionStorage.getItem('sign') === 'granted'", &[]).await?;
    fixture.page.click(CALLS_SOUND).await?;
    fixture.page.wait_for("one sound", "window.played.length === 2", &[]).await?;
    fixture.page.eval("window.played.length = 0; history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;

    // Visible: no notification.
    fixture.provider.queue_for("Critic", Answer::say("Fine."));
    app::ask(&fixture.page, "critic", "Look.", "Fine.").await?;
    let called = fixture.page.eval("return [window.shown, window.played]", &[]).await?;
    ensure!(called == json!([[], []]), "a page in view called: {called}");

    // Hidden: an approval, then the end.
    let gate = Gate::new();
    fixture.provider.queue_for(
        "Engineer",
        Answer::new()
            .text("Wait.")
            .hold(&gate)
            .call("update_nexus_state", json!({ "activeFile": "x", "activeFileName": "x.txt" })),
    );
    fixture.provider.queue_for("Engineer", Answer::say("<b>Which</b> colour shall it have?"));
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    fixture.page.see_text(answers_of("engineer"), "Wait.").await?;
    let first = hide(fixture).await?;
    gate.open();
    called_from_behind(&fixture.page, 1).await?;
    fixture.page.close_tab(&first).await?;
    fixture.page.see(APPROVAL_CARD).await?;
    let shown = |value: &Value| value.as_array().map(Vec::len).unwrap_or_default();
    let called = fixture.page.eval("return window.shown", &[]).await?;
    ensure!(shown(&called) == 1 && called.to_string().contains("approval needed"), "{called}");
    fixture.page.wait_for("its sound", "window.played.length === 2", &[]).await?;
    let first = fixture.page.tab().await?;
    let allow = "const spot = arguments[0]; setTimeout(() => document.querySelector(spot).click(), 1500)";
    fixture.page.eval(allow, &[json!(Selector::from(APPROVAL_APPROVE).as_str())]).await?;
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.open_tab(&blank).await?;
    called_from_behind(&fixture.page, 2).await?;
    fixture.page.close_tab(&first).await?;
    app::idle(&fixture.page).await?;
    let called = fixture.page.eval("return window.shown", &[]).await?;
    ensure!(shown(&called) == 2 && called.to_string().contains("a question for you"), "{called}");
    ensure!(!called.to_string().contains("colour"), "a notification contains an agent's text: {called}");
    // A click on the notification opens the session.
    fixture.page.eval("window.sign.onclick(new Event('click'))", &[]).await?;
    fixture.page.see(WAR_ROOM).await
}

/// Hostile text in pins, search results and quotes is text.
async fn hostile(fixture: &mut Fixture) -> Result<()> {
    seeded_answers::set_traps(fixture).await?;
    let all = OWN.join("\n\n");
    fixture.provider.queue_for("Engineer", Answer::say(&all));
    app::send_to(&fixture.page, "engineer", "Be evil.").await?;
    fixture.page.see(answers_of("engineer").with("data-status", "completed")).await?;
    app::idle(&fixture.page).await?;
    press_at(&fixture.page, &answers_of("engineer"), MESSAGE_PIN).await?;
    press_at(&fixture.page, &answers_of("engineer"), MESSAGE_QUOTE).await?;
    fixture.page.see_text(COMPOSER, "> Engineer:").await?;
    fixture.page.press(Key::Control + Key::Shift + "f").await?;
    fixture.page.see(FIND_BAR).await?;
    for vector in OWN.iter().filter(|vector| !vector.contains('\n')).take(12) {
        fixture.page.set_text(FIND_TEXT, vector).await?;
        fixture.page.see_text(FIND_COUNT, "of").await?;
    }
    fixture.page.click(FIND_CLOSE).await?;
    fixture.page.click(PINS_OPEN).await?;
    fixture.page.see_count(PIN, 1).await?;
    let odd = "return [...document.querySelectorAll('[data-testid=pins] *')]
        .filter(each => !['HEADER', 'H2', 'UL', 'LI', 'BUTTON', 'SPAN'].includes(each.tagName))
        .filter(each => !each.closest('[data-testid=pins-close] svg.sign, [data-testid=pin-off] svg.sign'))
        .map(each => each.outerHTML.slice(0, 200))";
    let odd = fixture.page.eval(odd, &[]).await?;
    ensure!(odd == json!([]), "hostile text became {odd}");
    fixture.provider.queue_for("Engineer", Answer::say("Nothing happened."));
    fixture.page.click(SEND).await?;
    fixture.page.see_text(answers_of("engineer"), "Nothing happened.").await?;
    app::idle(&fixture.page).await?;
    seeded_answers::check_nothing_ran(fixture).await
}
