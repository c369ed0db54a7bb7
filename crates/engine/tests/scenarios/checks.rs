//! Scenarios of checks: the tool's result, who may run it, and work accepted without passing checks.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use nexus_engine::checks::{CheckTest, TestStatus};
use nexus_engine::port::lazy::{CheckJob, CheckRun};
use nexus_engine::tests::{Scripted, Tab, calls, says, tab};
use nexus_model::command::Command;
use nexus_model::mind::MindWrite;
use nexus_model::session::{KeepGoing, QueueMode};
use nexus_model::tool::{ToolRun, ToolStatus};

const TEST: &str = "import { add } from '../sum.js';\ntest('adds', () => expect(add(1, 2)).toBe(3));\n";

/// Scripts the sandbox of this tab: a sum.js with `wrong` fails. Returns the received jobs.
fn sandbox(tab: &Tab) -> Rc<RefCell<Vec<CheckJob>>> {
    let jobs: Rc<RefCell<Vec<CheckJob>>> = Rc::default();
    let seen = Rc::clone(&jobs);
    *tab.checks.0.borrow_mut() = Some(Rc::new(move |job| {
        seen.borrow_mut().push(job.clone());
        let is_wrong =
            job.files.iter().any(|file| file.name == "sum.js" && file.pieces.concat().contains("wrong"));
        let test = |file: &String| CheckTest {
            file: file.clone(),
            name: "adds".into(),
            status: if is_wrong { TestStatus::Failed } else { TestStatus::Passed },
            message: if is_wrong { "Expected -1 to be 3.".into() } else { String::new() },
            ms: 1,
            at: is_wrong.then(|| (file.clone(), 2)),
        };
        Ok(CheckRun { tests: job.checks.iter().map(test).collect(), ..CheckRun::default() })
    }));
    jobs
}

fn runs(tab: &Tab, name: &str) -> Vec<ToolRun> {
    tab.world().tool_runs.values().filter(|run| run.call.name == name).map(|run| (**run).clone()).collect()
}

/// The result of the last tool in this turn, with the tool's name; null at its start.
fn last_result(body: &Value) -> (String, Value) {
    let parts = body["contents"].as_array().unwrap().last().unwrap()["parts"].as_array().unwrap().clone();
    let last = parts.last().map(|part| part["functionResponse"].clone()).unwrap_or_default();
    (last["name"].as_str().unwrap_or_default().to_owned(), last["response"].clone())
}

fn writes(name: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"name": name, "content": content}))
}

/// The Engineer writes these texts in turn, one per round. The Critic may run the checks and accepts what passed.
fn team(sums: &'static [&'static str], runs_checks: bool) -> impl FnMut(&str, &Value) -> Scripted {
    let mut round = 0;
    move |agent, body| match (agent, &*last_result(body).0) {
        ("Engineer", "") => {
            let sum = sums[round.min(sums.len() - 1)];
            round += 1;
            calls(&[writes("sum.js", sum), writes("tests/sum.js", TEST)])
        }
        ("Critic", "") if runs_checks => calls(&[("run_checks", json!({}))]),
        ("Critic", "" | "run_checks") => {
            let accepted = last_result(body).1["verdict"] != "failed";
            calls(&[("accept_work", json!({"accepted": accepted, "reasons": "looked"}))])
        }
        _ => says("done"),
    }
}

fn keep() -> Option<KeepGoing> {
    Some(KeepGoing { rounds: 4, definition_of_done: "the checks pass".into() })
}

#[test]
fn failed_checks_cause_a_second_round_that_passes() {
    let tab = tab(team(
        &["export const add = (a, b) => a - b; // wrong", "export const add = (a, b) => a + b;"],
        true,
    ));
    let jobs = sandbox(&tab);
    tab.say_with("Build a sum", QueueMode::FollowUp, keep()).unwrap();

    let found = runs(&tab, "run_checks");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(|run| run.status == ToolStatus::Succeeded && run.approval.is_none()));
    let results: Vec<_> = found.iter().map(|run| run.result.clone().unwrap()).collect();
    assert_eq!(results[0]["verdict"], "failed");
    assert_eq!(results[0]["failures"][0]["at"], "tests/sum.js:2");
    assert_eq!(results[0]["failures"][0]["message"], "Expected -1 to be 3.");
    assert_eq!(
        (&results[1]["verdict"], &results[1]["summary"]),
        (&json!("passed"), &json!("1 of 1 tests passed."))
    );
    assert_ne!(results[0]["state"], results[1]["state"]);
    let jobs = jobs.borrow();
    assert_eq!(jobs[0].checks, ["tests/sum.js"]);
    let test = jobs[0].files.iter().find(|file| file.name == "tests/sum.js").unwrap();
    assert_eq!(test.targets, ["file:sum.js"]);

    let accepted = runs(&tab, "accept_work").pop().unwrap();
    assert_eq!(accepted.result.unwrap(), json!({"ok": true, "noted": "accepted"}), "nothing to say of it");
}

#[test]
fn accepting_without_checks_is_noted() {
    let tab = tab(team(&["export const add = (a, b) => a + b;"], false));
    sandbox(&tab);
    tab.say_with("Build a sum", QueueMode::FollowUp, keep()).unwrap();
    let accepted = runs(&tab, "accept_work").pop().unwrap().result.unwrap();
    assert_eq!(accepted["note"], "Accepted without passing checks: the checks were never run.");
    let world = tab.world();
    let verdict = world.runs.values().find_map(|run| run.verdict.clone()).unwrap();
    assert!(verdict.accepted && verdict.reasons.ends_with("the checks were never run."), "{verdict:?}");
}

#[test]
fn outdated_checks_do_not_count() {
    let mut step = 0;
    let tab = tab(move |agent, body| match agent {
        "Engineer" if last_result(body).0.is_empty() => {
            calls(&[writes("sum.js", "export const add = (a, b) => a + b;"), writes("tests/sum.js", TEST)])
        }
        "Critic" => {
            step += 1;
            match step {
                1 => calls(&[("run_checks", json!({}))]),
                2 => calls(&[writes("sum.js", "export const add = 1;")]),
                3 => calls(&[("accept_work", json!({"accepted": true, "reasons": "fine"}))]),
                _ => says("done"),
            }
        }
        _ => says("done"),
    });
    sandbox(&tab);
    tab.say_with("Build a sum", QueueMode::FollowUp, keep()).unwrap();
    let accepted = runs(&tab, "accept_work").pop().unwrap().result.unwrap();
    assert_eq!(
        accepted["note"],
        "Accepted without passing checks: the files changed after the last run of the checks."
    );
}

#[test]
fn missing_sandbox_is_reported_and_files_are_still_parsed() {
    let mut called = false;
    let tab = tab(move |agent, _| match agent {
        "Engineer" if !std::mem::replace(&mut called, true) => calls(&[("run_checks", json!({}))]),
        _ => says("done"),
    });
    let base = tab.session_row().mind;
    let file = |name: &str, text: &str| MindWrite::File { name: name.into(), text: text.into() };
    let writes = vec![file("a.js", "1"), file("b.json", "{\n  \"a\": 1,\n}"), file("c.py", "x")];
    tab.send(Command::EditMind { session: tab.session, base, writes }).unwrap();
    tab.say("Check").unwrap();
    let result = runs(&tab, "run_checks").pop().unwrap().result.unwrap();
    assert_eq!(result["verdict"], "failed");
    assert_eq!(result["problems"][0]["at"], "b.json:3:1");
    let not_checked = result["not_checked"].to_string();
    assert!(
        not_checked.contains("Python: c.py") && not_checked.contains("no sandbox here: a.js"),
        "{not_checked}"
    );
}
