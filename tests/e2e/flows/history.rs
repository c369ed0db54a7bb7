//! Benchmark of a session of 10,000 turns against one of ten, and repeated kills of the browser during turns.
//!
//! Both on demand: `cargo xtask bench history` and `cargo xtask kills`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::tree_screen::move_many;
use crate::provider::{Answer, KEY};
use crate::seeded_history;
use crate::selectors::*;

/// Number of measurements of each figure; the median counts.
const TIMES: usize = 5;
/// Number of openings: each takes a fifth of a second, which a busy machine doubles.
const OPENINGS: usize = 15;
/// Maximum slowdown of what must not depend on the history.
const GROWTH: f64 = 1.3;
/// Limit of the frame time while the tree is panned, in milliseconds at the 95th percentile.
const FRAME: f64 = 50.0;
/// Turns of the long session.
const MANY: usize = 10_000;
/// Turns of the short one.
const FEW: usize = 10;
/// Turns of a session whose requests fill the agents' context windows: requests do not grow beyond that.
const FULL: usize = 1_000;
/// Only in the oldest answer.
const NEEDLE: &str = "needle-in-history";

/// Time until the newest answer is shown and the composer accepts input, in milliseconds since navigation.
const OPENED: &str = r#"(() => {
    const look = () => {
        const said = [...document.querySelectorAll("[data-testid=message]")];
        const field = document.querySelector("[data-testid=composer]");
        if (field && !field.disabled && said.some(each => /Critic is ready|Appended/.test(each.textContent)))
            window.__opened = performance.now();
        else setTimeout(look, 4);
    };
    if (location.pathname === "/") look();
})();"#;

/// Figures of a session, in milliseconds except the memory and the request.
struct Figures {
    open: f64,
    append: f64,
    fork: f64,
    find: f64,
    /// The ranked search over all sessions.
    find_any: f64,
    draw: f64,
    /// Memory of the page's process in megabytes.
    memory: f64,
    /// Size of the last request in kilobytes.
    request: f64,
}

/// Opening, appending, forking, searching, drawing the tree, and memory, with ten, a thousand and ten thousand turns:
/// prints all, and checks that opening does not slow down, that appending does not once requests are full, and the
/// frame time of a large tree.
pub(crate) async fn bench(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.page.in_every_document(OPENED).await?;
    let few = measure(fixture, FEW).await?;
    let full = measure(fixture, FULL).await?;
    let many = measure(fixture, MANY).await?;
    println!("      {:<24} {FEW:>12} {FULL:>12} {MANY:>12}", "medians");
    type Row = (&'static str, fn(&Figures) -> f64);
    let rows: [Row; 8] = [
        ("open, ms", |all| all.open),
        ("append a turn, ms", |all| all.append),
        ("its request, kB", |all| all.request),
        ("fork, ms", |all| all.fork),
        ("find in it, ms", |all| all.find),
        ("find among all, ms", |all| all.find_any),
        ("draw the tree, ms", |all| all.draw),
        ("memory, MB", |all| all.memory),
    ];
    for (name, of) in rows {
        println!("      {name:<24} {:>12.0} {:>12.0} {:>12.0}", of(&few), of(&full), of(&many));
    }
    for (name, before, many) in [("opening", few.open, many.open), ("appending", full.append, many.append)] {
        let times = many / before;
        ensure!(times <= GROWTH, "{name} takes {times:.2} times as long, {GROWTH} are allowed");
    }
    let frame = move_many(fixture).await?.into_iter().fold(0.0, f64::max);
    ensure!(frame <= FRAME, "a frame of the tree takes {frame:.0} ms, {FRAME} are allowed");
    Ok(())
}

async fn measure(fixture: &mut Fixture, turns: usize) -> Result<Figures> {
    let needle = format!("{NEEDLE}-{turns}-");
    let texts: Vec<String> = (0..turns)
        .map(|number| match number {
            0 => needle.clone(),
            number => format!("Answer {number} of a long conversation."),
        })
        .collect();
    seeded_history::seed_work_before(fixture, &texts).await?;
    let home = fixture.site.url("/");
    let mut open = Vec::new();
    for _ in 0..OPENINGS {
        fixture.page.goto(&home).await?;
        fixture.page.wait_for("the session to open", "window.__opened", &[]).await?;
        open.push(number(&fixture.page.eval("return window.__opened", &[]).await?)?);
    }
    let memory = fixture.page.profile().renderer_bytes()? as f64 / 1e6;

    app::enter_key(&fixture.page, KEY).await?;
    let mut append = Vec::new();
    for time in 0..TIMES {
        let text = format!("Appended {time} to {turns}.");
        fixture.provider.queue_for("Engineer", Answer::say(&text));
        fixture.page.choose(TARGET_SELECT, "engineer").await?;
        fixture.page.fill(COMPOSER, "Go on.").await?;
        let ended = answers_of("engineer").with("data-status", "completed");
        append.push(click_until(fixture, SEND, ended.as_str(), &text).await?);
        app::idle(&fixture.page).await?;
    }

    let request =
        fixture.provider.requests().last().map_or(0, |last| last.body.to_string().len()) as f64 / 1e3;

    let mut find = Vec::new();
    for _ in 0..TIMES {
        fixture.page.click(FIND_OPEN).await?;
        fixture.page.see(FIND_BAR).await?;
        let script = "const [field, count, words] = arguments;
            const input = document.querySelector(field);
            const start = performance.now();
            input.value = words;
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            while (!document.querySelector(count)?.textContent.includes('of 1'))
                await new Promise(done => setTimeout(done, 2));
            return performance.now() - start;";
        let selectors = [FIND_TEXT, FIND_COUNT].map(|part| json!(Selector::from(part).as_str()));
        let [field, count] = selectors;
        find.push(number(&fixture.page.eval_async(script, &[field, count, json!(needle)]).await?)?);
        fixture.page.click(FIND_CLOSE).await?;
        fixture.page.hidden(FIND_BAR).await?;
    }

    let mut find_any = Vec::new();
    for _ in 0..TIMES {
        fixture.page.press("w").await?;
        fixture.page.see(FINDER_INPUT).await?;
        let script = "const [field, row, words] = arguments;
            const input = document.querySelector(field);
            const start = performance.now();
            input.value = words;
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            while (!document.querySelector(row)?.textContent.includes(words))
                await new Promise(done => setTimeout(done, 2));
            return performance.now() - start;";
        let [field, row] = [FINDER_INPUT, FINDER_ROW].map(|part| json!(Selector::from(part).as_str()));
        find_any.push(number(&fixture.page.eval_async(script, &[field, row, json!(needle)]).await?)?);
        fixture.page.press(Key::Escape).await?;
        fixture.page.hidden(FINDER_INPUT).await?;
    }

    // Forks slow down the next session, and two measurements are enough.
    let mut fork = Vec::new();
    for _ in 0..if turns == FULL { 0 } else { TIMES } {
        // A session that has just been opened closes open menus, so it may have to be opened again.
        let menu = "const [message, button, menu] = arguments;
            while (!document.querySelector(menu)) {
                const all = [...document.querySelectorAll(message)];
                all[all.length - 1].querySelector(button).click();
                await new Promise(done => setTimeout(done, 250));
            }";
        let selectors = [MESSAGE, TURN_ACTIONS, TURN_MENU].map(|part| json!(Selector::from(part).as_str()));
        fixture.page.eval_async(menu, &selectors).await?;
        fixture.page.see(TURN_MENU).await?;
        let before = app::session(&fixture.page).await?;
        let other = format!("{}:not([data-session='{before}'])", Selector::from(SESSION_SWITCHER).as_str());
        fork.push(click_until(fixture, TURN_CONTINUE, &other, "").await?);
        fixture.page.see(FORK_MARK).await?;
        fixture.page.hidden(TURN_MENU).await?;
    }

    let tree = fixture.site.url("/tree/");
    let mut draw = Vec::new();
    for _ in 0..TIMES {
        fixture.page.goto(&tree).await?;
        let drawn = "const tree = arguments[0];
            while (!document.querySelector(tree)) await new Promise(done => setTimeout(done, 4));
            return performance.now();";
        let selector = TREE.with("data-done", "true");
        draw.push(number(&fixture.page.eval_async(drawn, &[json!(selector.as_str())]).await?)?);
    }
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    };
    Ok(Figures {
        open: median(open),
        append: median(append),
        fork: median(fork),
        find: median(find),
        find_any: median(find_any),
        draw: median(draw),
        memory,
        request,
    })
}

/// Milliseconds from a click until an element contains this text.
async fn click_until(fixture: &Fixture, button: TestId, selector: &str, words: &str) -> Result<f64> {
    let script = "const [button, spot, words] = arguments;
        const is_there = () => [...document.querySelectorAll(spot)].some(each => each.textContent.includes(words));
        const start = performance.now();
        document.querySelector(button).click();
        while (!is_there()) await new Promise(done => setTimeout(done, 2));
        return performance.now() - start;";
    let button = json!(Selector::from(button).as_str());
    number(&fixture.page.eval_async(script, &[button, json!(selector), json!(words)]).await?)
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("no number: {value}"))
}

/// Kills the browser at random moments during turns, `NEXUS_KILLS` times. Each time the store is read, and every
/// answer that was shown as complete is in it.
pub(crate) async fn kills(fixture: &mut Fixture) -> Result<()> {
    let times: u64 = std::env::var("NEXUS_KILLS").ok().and_then(|times| times.parse().ok()).unwrap_or(50);
    let mut random = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() % 1_000_003)?;
    println!("      killed {times} times, from the seed {random}");
    app::set_up(fixture).await?;
    let (home, mut shown) = (fixture.site.url("/"), BTreeSet::new());
    let mut cut = 0_u64;
    for time in 1..=times {
        fixture.page.goto(&home).await?;
        fixture.page.see(WAR_ROOM).await?;
        app::enter_key(&fixture.page, KEY).await?;
        app::new_session(&fixture.page).await?;
        fixture.provider.reset();
        for step in 0..3 {
            let text = format!("{time}.{step}\n").repeat(200);
            fixture.provider.queue_for("Engineer", app::writing("kept.txt", &text));
            let mut answer = Answer::new();
            for piece in 0..20 {
                answer = answer.text(&format!("{time}.{step}.{piece} ")).wait(Duration::from_millis(15));
            }
            fixture.provider.queue_for("Engineer", answer);
        }
        fixture.page.choose(TARGET_SELECT, "engineer").await?;
        // Constants of a well-known generator.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let until = Instant::now() + Duration::from_millis(200 + (random >> 33) % 2_500);
        let mut sent = 0;
        while Instant::now() < until {
            let ended = "return [...document.querySelectorAll(arguments[0])].map(each => each.id.slice('message-'.length))";
            let selector = answers_of("engineer").with("data-status", "completed");
            let ended = fixture.page.eval(ended, &[json!(selector.as_str())]).await?;
            let ended: Vec<String> = serde_json::from_value(ended)?;
            let answered = ended.len() / 2;
            shown.extend(ended);
            if answered == sent && sent < 3 {
                app::send(&fixture.page, &format!("Go on, {sent}.")).await?;
                sent += 1;
            }
        }
        fixture.kill_browser().await?;
        fixture.restart_browser().await?;
        fixture.page.goto(&home).await?;
        fixture.page.see(WAR_ROOM).await?;
        let database = fixture.page.database().await?;
        let minds = fixture.page.keys("minds").await?.into_iter().collect();
        cut += check(&database, &minds, &shown).with_context(|| format!("after kill {time}"))?;
    }
    println!(
        "      {} answers were shown as complete, none is lost; {cut} times a turn was cut off",
        shown.len()
    );
    ensure!(!shown.is_empty(), "nothing was ever written");
    Ok(())
}

/// Checks that the store has no gap and no missing reference, and contains every answer that was shown. Returns
/// whether a turn was interrupted.
fn check(database: &Value, minds: &BTreeSet<String>, shown: &BTreeSet<String>) -> Result<u64> {
    let rows = |store: &str| database.get(store).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let messages = rows("messages");
    let complete: BTreeSet<String> =
        messages.iter().filter(|row| text(row, "status") == "completed").map(|row| text(row, "id")).collect();
    let lost: Vec<_> = shown.difference(&complete).collect();
    ensure!(lost.is_empty(), "lost: {lost:?}");
    let known: BTreeSet<String> = messages.iter().map(|row| text(row, "id")).collect();
    // Every shown answer is in a closed turn with its minds, reachable from the head.
    let turns: BTreeMap<String, Value> =
        rows("turns").into_iter().map(|row| (text(&row, "id"), row)).collect();
    let mut reached = BTreeSet::new();
    for session in rows("sessions") {
        let mut here = text(&session, "head");
        while let Some(turn) = turns.get(&here) {
            reached.insert(here);
            here = text(turn, "parent");
        }
        ensure!(here.is_empty(), "a head leads back to {here}, which is not there");
    }
    for message in messages.iter().filter(|row| shown.contains(&text(row, "id"))) {
        let id = text(message, "turn");
        let turn = turns.get(&id).with_context(|| format!("the turn {id} of an answer is not there"))?;
        // A killed turn is closed, and becomes a head, when its session is opened again.
        let (is_open, parent) = (turn.get("end").is_none(), text(turn, "parent"));
        let is_reached = reached.contains(&id) || is_open && (parent.is_empty() || reached.contains(&parent));
        ensure!(is_reached, "no head leads back to the turn {id} of an answer");
        for mind in ["mind_before", "mind_after"].into_iter().take(if is_open { 1 } else { 2 }) {
            let hash = text(turn, mind);
            ensure!(minds.contains(&hash), "the {mind} {hash:?} of the turn {id} is not there");
        }
    }
    let mut cut = 0;
    for turn in turns.values() {
        for message in turn.get("messages").and_then(Value::as_array).into_iter().flatten() {
            let id = message.as_str().unwrap_or_default();
            ensure!(known.contains(id), "the turn {} names a message that is not there", text(turn, "id"));
        }
        cut += u64::from(turn.to_string().contains("interrupted"));
    }
    let mut places: Vec<(String, u64)> = rows("events")
        .iter()
        .map(|event| (text(event, "stream"), event.get("seq").and_then(Value::as_u64).unwrap_or_default()))
        .collect();
    places.sort();
    let pairs = places.iter().zip(places.iter().skip(1));
    let gap = pairs.into_iter().find(|(one, next)| one.0 == next.0 && one.1.checked_add(1) != Some(next.1));
    ensure!(gap.is_none(), "a stream has a gap or a double: {gap:?}");
    Ok(cut)
}
