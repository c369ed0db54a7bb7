use std::rc::Rc;

use futures_util::FutureExt as _;
use serde_json::json;

use super::*;
use crate::checks::files::{is_check, is_script};
use crate::port::lazy::{CheckJob, CheckRun, InMemoryCheckRunner, JobFileKind};
use nexus_model::mind::MindFile;

fn files(files: &[(&str, &str)]) -> CheckedFiles {
    files.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect()
}

/// The report of a run over these files, and the runner's job.
fn run_with(list: &[(&str, &str)], run: CheckRun) -> (CheckReport, Option<CheckJob>) {
    let jobs: Rc<std::cell::RefCell<Option<CheckJob>>> = Rc::default();
    let seen = Rc::clone(&jobs);
    let runner = InMemoryCheckRunner(Some(Rc::new(move |job| {
        *seen.borrow_mut() = Some(job.clone());
        Ok(run.clone())
    })));
    let report = super::run(&files(list), &runner).now_or_never().unwrap();
    let job = jobs.borrow_mut().take();
    (report, job)
}

fn problems(list: &[(&str, &str)]) -> Vec<String> {
    let (report, _) = run_with(list, CheckRun::default());
    report.problems.iter().map(|problem| format!("{}: {}", problem.place(), problem.message)).collect()
}

fn test(name: &str, status: TestStatus) -> CheckTest {
    let message = if status == TestStatus::Failed { "Expected 1 to be 2." } else { "" };
    let at = (status == TestStatus::Failed).then(|| ("a.test.js".to_owned(), 4));
    CheckTest { file: "a.test.js".into(), name: name.into(), status, message: message.into(), ms: 2, at }
}

#[test]
fn check_files_are_found_by_name_or_folder() {
    for name in
        ["a.test.js", "src/a.spec.mjs", "tests/a.js", "x/checks/deep/a.cjs", "__tests__/b.mjs", "A.TEST.JS"]
    {
        assert!(is_check(name), "{name}");
    }
    for name in ["test.js", "src/tests.js", "tests/data.json", "a.test.ts", "attests/a.js", "a.test.js.md"] {
        assert!(!is_check(name), "{name}");
    }
    assert!(is_script("a.cjs") && !is_script("js") && !is_script("a.jsx"));
}

#[test]
fn job_resolves_the_sessions_modules() {
    let list = [
        ("lib/a.js", "export const a = 1;"),
        ("lib/old.js", "module.exports = 2;"),
        (
            "tests/t.test.js",
            "import { a } from '../lib/a.js';\nimport old from \"../lib/old.js\";\nimport t from 'node:assert';\nimport 'nothing';\nimport '../gone.js';",
        ),
        ("index.html", "<p>\n<script>\nlet x = 1;</script>"),
        ("notes.md", "text"),
    ];
    let (_, job) = run_with(&list, CheckRun::default());
    let job = job.unwrap();
    assert_eq!(job.checks, ["tests/t.test.js"]);
    let of = |name: &str| job.files.iter().find(|file| file.name == name).unwrap();
    assert_eq!(of("lib/a.js").kind, JobFileKind::Module);
    assert_eq!(of("lib/old.js").kind, JobFileKind::Script);
    assert_eq!(of("notes.md").kind, JobFileKind::Text);
    let check = of("tests/t.test.js");
    assert_eq!(check.targets, ["file:lib/a.js", "file:lib/old.js", "builtin:assert"]);
    assert_eq!(check.pieces.concat(), list[2].1, "nothing is lost");
    assert_eq!(check.pieces.len(), 2 * check.targets.len() + 1);
    assert_eq!(job.pages[0].pieces.concat().lines().nth(2), Some("let x = 1;"), "on its own line");
    assert!(job.silent_ms < job.total_ms && job.total_ms < nexus_model::limits::TOOL_TIMEOUT_MS);
}

#[test]
fn json_is_validated_against_its_schema_file() {
    let schema = r#"{"required": ["name"], "properties": {"age": {"type": "integer", "format": "x"}}}"#;
    let list = [("a.json", r#"{"age": "old"}"#), ("a.schema.json", schema), ("b.json", "[1,\n 2,,]")];
    assert_eq!(
        problems(&list),
        [
            "a.json: does not fit its schema: the whole file must have `name`",
            "a.json: does not fit its schema: /age must be integer, not string",
            "b.json:2:4: not JSON: expected value",
        ]
    );
    let (report, job) = run_with(&list, CheckRun::default());
    assert_eq!(report.not_checked[0].what, "format in the JSON Schema");
    assert_eq!(report.files, 3);
    assert!(job.is_none(), "without a script nothing has to run");
}

#[test]
fn pages_and_style_sheets_are_parsed_and_other_languages_listed() {
    let list = [
        ("index.html", "<link rel=stylesheet href=gone.css><link rel=icon href=a.png>\n<div>"),
        ("a.css", "a { b: c"),
        ("main.rs", "fn main() {"),
        ("b.rs", ""),
        ("x.py", ""),
    ];
    assert_eq!(
        problems(&list),
        [
            "a.css:1: a block { is not closed",
            "index.html:2: <div> is not closed",
            "index.html: names gone.css, which is not a file of the session",
        ]
    );
    let (report, _) = run_with(&list, CheckRun::default());
    let groups: Vec<_> = report.not_checked.iter().map(|group| (&*group.what, group.files.len())).collect();
    assert_eq!(groups, [("Rust", 2), ("Python", 1)]);
}

#[test]
fn report_has_a_headline_and_full_result() {
    let tests = vec![
        test("ok", TestStatus::Passed),
        test("bad", TestStatus::Failed),
        test("no", TestStatus::Skipped),
    ];
    let (report, _) =
        run_with(&[("a.test.js", "x"), ("m.go", "")], CheckRun { tests, ..CheckRun::default() });
    assert_eq!((report.passed, report.failed, report.skipped), (1, 1, 1));
    assert_eq!(report.verdict(), CheckVerdict::Failed);
    assert_eq!(
        report.envelope_summary(),
        "1 of 2 tests passed. Tests skipped: 1.\n- FAILED a.test.js: bad (a.test.js:4)\n  Expected 1 to be 2.\nNot checked: Go (m.go)."
    );
    let for_model = report.for_model();
    assert_eq!(
        for_model["failures"][0],
        json!({"file": "a.test.js", "test": "bad", "message": "Expected 1 to be 2.", "at": "a.test.js:4"})
    );
    assert!(for_model.get("problems").is_none() && for_model.get("output").is_none());
    let text = nexus_text::json::write(&report).unwrap();
    assert_eq!(nexus_text::json::read::<CheckReport>(&text).unwrap(), report);
}

#[test]
fn run_passes_only_if_tests_ran() {
    let (none, _) = run_with(&[("a.js", "1")], CheckRun::default());
    assert_eq!((none.verdict(), &*none.headline()), (CheckVerdict::NoTests, "No tests ran."));
    let passed = CheckRun { tests: vec![test("ok", TestStatus::Passed)], ..CheckRun::default() };
    assert_eq!(run_with(&[("a.js", "1")], passed.clone()).0.verdict(), CheckVerdict::Passed);
    let stopped = CheckRun { stopped: true, ..passed };
    assert_eq!(run_with(&[("a.js", "1")], stopped).0.verdict(), CheckVerdict::Failed);
}

#[test]
fn fingerprint_depends_on_names_and_texts() {
    let state = |list: &[(&str, &str)]| files::state_of(&files(list));
    assert_eq!(state(&[("a", "1"), ("b", "2")]), state(&[("b", "2"), ("a", "1")]));
    assert_ne!(state(&[("a", "1")]), state(&[("a", "2")]));
    assert_ne!(state(&[("a", "1")]), state(&[("b", "1")]));
}

#[test]
fn summary_is_bounded() {
    let mut many = vec![test("bad", TestStatus::Failed); 300];
    many.iter_mut().for_each(|test| test.message = "x".repeat(4_000));
    let (report, _) = run_with(&[("a.test.js", "x")], CheckRun { tests: many, ..CheckRun::default() });
    assert!(report.envelope_summary().ends_with("- and 280 more"));
    assert!(report.envelope_summary().len() < 20_000 && report.for_model().to_string().len() < 20_000);
}
