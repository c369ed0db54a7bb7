//! Tests of the check sandbox: what runs, what is stopped, what cannot be reached; and of its results on the page.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::FutureExt as _;
use nexus::browser::checks::FrameCheckRunner;
use nexus::browser::lifecycle::BrowserClock;
use nexus_engine::checks::files::job;
use nexus_engine::checks::{CheckTest, CheckedFiles, TestStatus, by};
use nexus_engine::port::Clock as _;
use nexus_engine::port::lazy::{CheckJob, CheckRun, CheckRunner, CheckRunnerError};
use nexus_engine::tests::{calls, says};
use nexus_model::mind::MindFile;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::{MountedPage, ServedDocuments, queued};
use crate::script;

fn files(list: &[(&str, &str)]) -> CheckedFiles {
    list.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect()
}

fn frames() -> u32 {
    script("document.querySelectorAll('iframe').length").as_f64().unwrap() as u32
}

async fn run_checks(list: &[(&str, &str)]) -> CheckRun {
    // On a busy machine much output takes a second, and all of these checks more than a user would wait.
    run_job(CheckJob { silent_ms: 4_000, test_ms: 2_000, total_ms: 60_000, ..job(&files(list)) }).await
}

async fn run_job(job: CheckJob) -> CheckRun {
    let _documents = ServedDocuments::new();
    let run = FrameCheckRunner.run(job).await.unwrap();
    assert_eq!(frames(), 0, "the frame is gone");
    run
}

fn test_lines(run: &CheckRun) -> Vec<String> {
    run.tests.iter().map(|test| format!("{:?} {} {}", test.status, test.name, test.message)).collect()
}

#[wasm_bindgen_test]
async fn session_files_can_be_imported_required_and_read() {
    let run = run_checks(&[
        ("src/add.js", "import { one } from './one.mjs';\nexport const add = (a, b) => a + b * one;"),
        ("src/one.mjs", "export const one = 1;\nexport default () => {\n  throw new TypeError('bad');\n};"),
        ("old.js", "module.exports = { sub: (a, b) => a - b, data: require('./data.json') };"),
        ("data.json", "{\"n\": 5}"),
        (
            "tests/all.js",
            "import { add } from '../src/add.js';\nimport boom from '../src/one.mjs';\nimport { sub } from '../old.js';\n\
             import assert from 'node:assert';\n\
             describe('sums', () => {\n\
               test('add', async () => { await 0; expect(add(1, 2)).toBe(3); });\n\
               test('wrong', () => { assert.deepStrictEqual({ a: [1] }, { a: [2] }); });\n\
               test('throws', () => boom());\n\
               test.skip('skipped', () => {});\n\
             });\n\
             test('reads', () => { console.log('seen', readFile('data.json')); expect(sub(3, 1)).toEqual(2); });",
        ),
        ("checks/old.js", "const { sub, data } = require('../old.js');\nconst { add } = require('../src/add.js');\nassert.equal(add(sub(3, 1), data.n), 7);"),
    ])
    .await;
    assert_eq!(
        test_lines(&run),
        [
            "Passed (whole file) ",
            "Passed sums › add ",
            "Failed sums › wrong Expected {a: [2]}, got {a: [1]}.",
            "Failed sums › throws TypeError: bad",
            "Skipped sums › skipped ",
            "Passed reads ",
        ]
    );
    assert_eq!(run.tests[2].at, Some(("tests/all.js".to_owned(), 7)));
    assert_eq!(run.tests[3].at, Some(("src/one.mjs".to_owned(), 3)));
    assert_eq!(run.output, ["seen {\"n\": 5}"]);
    assert!(!run.stopped && run.problems.is_empty(), "{run:?}");
}

#[wasm_bindgen_test]
async fn scripts_with_syntax_errors_are_reported_with_line_and_not_run() {
    let run = run_checks(&[
        ("a.js", "let a = 1;\nlet b = ;\n"),
        ("b.test.js", "globalThis.ran = true;\ntest('x', () => {"),
        ("c.js", "export const c = 1;"),
        ("d.html", "<p>\n<script>\nfoo(;\n</script>"),
    ])
    .await;
    let found: Vec<_> = run.problems.iter().map(|problem| (&*problem.file, problem.line)).collect();
    assert_eq!(found, [("a.js", Some(2)), ("b.test.js", Some(2)), ("d.html", Some(3))]);
    assert!(run.tests.is_empty());
}

#[wasm_bindgen_test]
async fn endless_tests_and_output_are_stopped_and_other_tests_run() {
    let run = run_checks(&[
        ("tests/a.js", "test('loops', () => { for (;;); });"),
        ("tests/b.js", "test('waits', () => new Promise(() => {}));"),
        ("tests/c.js", "test('floods', () => { for (;;) postMessage('x'); });"),
        (
            "tests/d.js",
            "test('talks', () => { for (let i = 0; i < 500; i += 1) console.log('y'.repeat(1e4)); });",
        ),
        ("tests/e.js", "test('names ' + 'z'.repeat(1e7), () => { throw new Error('w'.repeat(1e7)); });"),
        ("tests/f.js", "test('ok', () => {});"),
    ])
    .await;
    let states: Vec<_> = run.tests.iter().map(|test| test.status).collect();
    let (bad, good) = (TestStatus::Failed, TestStatus::Passed);
    assert_eq!(states, [bad, bad, bad, good, bad, good], "{:?}", test_lines(&run));
    assert!(run.tests[0].message.contains("infinite loop"));
    assert!(run.tests[1].message.contains("longer than 2000 ms"));
    assert!(run.tests[2].message.starts_with("Stopped"), "{}", run.tests[2].message);
    assert!(run.tests[4].message.len() <= 4_000 && run.tests[4].name.len() <= 300);
    assert!(run.output.len() <= 200 && run.output.iter().all(|line| line.len() <= 2_000));
}

#[wasm_bindgen_test]
async fn checks_end_when_their_time_is_over() {
    let endless = ("tests/a.js", "test('loops', () => { for (;;); });");
    let list = files(&[endless, ("tests/b.js", "test('ok', () => {});")]);
    let run = run_job(CheckJob { total_ms: 1_000, ..job(&list) }).await;
    assert!(run.stopped);
    // On a busy machine not even the first worker may have begun.
    let late = |test: &CheckTest| test.message == "Stopped: the time for all checks is over.";
    assert!(run.tests.len() <= 1 && run.tests.iter().all(late), "{:?}", test_lines(&run));
}

#[wasm_bindgen_test]
async fn network_storage_and_page_are_unreachable() {
    let attempts = "const attempts = {\n\
        fetch: () => fetch(location.origin === 'null' ? 'http://localhost:1/leak' : '/leak'),\n\
        module: () => import('http://localhost:1/leak.js'),\n\
        script: () => importScripts('http://localhost:1/leak.js'),\n\
        request: () => { const r = new XMLHttpRequest(); r.open('GET', 'http://localhost:1/', false); r.send(); },\n\
        socket: () => new Promise((yes, no) => { const s = new WebSocket('ws://localhost:1'); s.onopen = yes; s.onerror = () => no(new Error('closed')); }),\n\
        database: () => new Promise((yes, no) => { const d = indexedDB.open('x'); d.onsuccess = yes; d.onerror = () => no(d.error); }),\n\
        storage: () => localStorage.setItem('leak', '1'),\n\
        page: () => parent.document.title,\n\
        rtc: () => new RTCPeerConnection(),\n\
        frame: () => document.body,\n\
        };\nfor (const [name, way] of Object.entries(attempts)) test(name, way);";
    let run = run_checks(&[("tests/reach.js", attempts)]).await;
    assert_eq!(run.tests.len(), 10);
    assert!(run.tests.iter().all(|test| test.status == TestStatus::Failed), "{:?}", test_lines(&run));
}

#[wasm_bindgen_test]
async fn dropping_a_run_removes_its_iframe() {
    let _documents = ServedDocuments::new();
    let job = job(&files(&[("tests/a.js", "for (;;);")]));
    let mut run = FrameCheckRunner.run(job);
    assert!((&mut run).now_or_never().is_none());
    BrowserClock.sleep(300).await;
    assert_eq!(frames(), 1);
    drop(run);
    assert_eq!(frames(), 0);
}

#[wasm_bindgen_test]
async fn missing_document_is_reported() {
    let _documents = ServedDocuments::of("/nowhere/");
    let job = job(&files(&[("tests/a.js", "")]));
    assert_eq!(FrameCheckRunner.run(job).await, Err(CheckRunnerError::Absent));
    assert_eq!(frames(), 0);
    let report = by(std::rc::Rc::new(FrameCheckRunner))(files(&[("tests/a.js", "")])).await;
    assert!(report.not_checked[0].what.contains("could not be loaded"));
}

#[wasm_bindgen_test]
async fn checks_of_the_operator_are_listed_sent_to_an_agent_and_pass_after_the_fix() {
    const TEST: &str =
        "import { add } from '../sum.js';\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";
    let write = |files: &[(&str, &str)]| {
        let write = |(name, text): &(&str, &str)| ("write_file", json!({ "name": name, "content": text }));
        calls(&files.iter().map(write).collect::<Vec<_>>())
    };
    let page = MountedPage::open(queued(vec![
        (
            "Engineer",
            write(&[
                ("sum.js", "export const add = (a, b) => a - b;\n"),
                ("tests/sum.js", TEST),
                ("data.json", "{ \"a\": 1, }"),
                ("page.html", "<div>\n<script>let a = ;</script>"),
                ("main.py", "print(1)"),
            ]),
        ),
        ("Engineer", says("Written.")),
        (
            "Engineer",
            write(&[
                ("sum.js", "export const add = (a, b) => a + b;\n"),
                ("data.json", "{}"),
                ("page.html", "<p>Hello</p>"),
            ]),
        ),
        ("Engineer", says("Mended.")),
    ]))
    .await;
    let _documents = ServedDocuments::new();
    page.ask("engineer", "Write.", "Written.").await;
    page.click(RUN_CHECKS).await;
    page.see(CHECKS_SUMMARY.with("data-verdict", "failed")).await;
    page.see_text(CHECKS_TESTS, "Expected -1 to be 3.").await;
    page.see_text(CHECKS_TESTS, "tests/sum.js:3").await;
    for words in
        ["data.json:1:11: not JSON", "page.html:1: <div> is not closed", "page.html:2: Does not parse"]
    {
        page.see_text(CHECKS_PROBLEMS, words).await;
    }
    page.see_text(CHECKS_UNCHECKED, "Python: main.py").await;
    assert_eq!(frames(), 0, "the frame is left");
    page.choose(CHECKS_TO, "engineer").await;
    page.click(CHECKS_SEND).await;
    page.hidden(CHECKS).await;
    page.see_text(COMPOSER, "@Engineer The checks fail").await;
    page.see_text(COMPOSER, "FAILED tests/sum.js: adds (tests/sum.js:3)").await;

    page.ask("engineer", "Write.", "Mended.").await;
    page.click(RUN_CHECKS).await;
    page.see(CHECKS_SUMMARY.with("data-verdict", "passed")).await;
    page.click(CHECKS_CLOSE).await;
    page.hidden(CHECKS).await;
}

#[wasm_bindgen_test]
async fn a_verdict_after_passing_checks_is_shown_without_a_note() {
    let judged = |accepted: bool, reasons: &str| {
        let verdict = json!({ "accepted": accepted, "reasons": reasons });
        [
            ("Critic", calls(&[("run_checks", json!({}))])),
            ("Critic", calls(&[("accept_work", verdict)])),
            ("Critic", says("Judged.")),
        ]
    };
    let write = ("write_file", json!({ "name": "tests/sum.js", "content": "test('adds', () => {});\n" }));
    let mut answers = Vec::new();
    for (accepted, reasons) in [(false, "The sum is wrong."), (true, "It adds.")] {
        answers.push(("Architect", says("Plan.")));
        answers.push(("Engineer", calls(std::slice::from_ref(&write))));
        answers.push(("Engineer", says("Built.")));
        answers.extend(judged(accepted, reasons));
    }
    let page = MountedPage::open(queued(answers)).await;
    let runs = Cell::new(0);
    *page.tab.checks.0.borrow_mut() = Some(Rc::new(move |job| {
        runs.set(runs.get() + 1);
        let status = if runs.get() == 1 { TestStatus::Failed } else { TestStatus::Passed };
        let file = job.checks[0].clone();
        let test = CheckTest { file, name: "adds".into(), status, message: String::new(), ms: 1, at: None };
        Ok(CheckRun { tests: vec![test], ..CheckRun::default() })
    }));
    page.click(KEEP_GOING).await;
    page.send_to("ALL", "Add numbers until the checks pass.").await;
    page.see_text(TIMELINE, "It adds.").await;
    page.idle().await;
    let requests = page.tab.requests.borrow().clone();
    let verdict = |agent_request: usize| {
        let (_, body) = requests.iter().filter(|(agent, _)| agent == "Critic").nth(agent_request).unwrap();
        let last = body["contents"].as_array().unwrap().last().unwrap();
        last["parts"][0]["functionResponse"]["response"]["verdict"].clone()
    };
    assert_eq!((verdict(1), verdict(4)), (json!("failed"), json!("passed")));
    assert!(!page.text(TIMELINE).await.contains("Accepted without passing checks"));
}
