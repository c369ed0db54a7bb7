//! Scenarios of turns whose tool rounds fill the window: compaction between calls, or truncated older results.

use crate::{change_agent, edit};
use serde_json::{Value, json};

use nexus_engine::queries::inspect::{RequestMatch, inspect};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::Command;
use nexus_model::context::compaction::thread_context;
use nexus_model::event::EventKind;
use nexus_model::mind::MindWrite;
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::settings::schema::{CAP_CALLS, COMPACT_AUTO};
use nexus_model::turn::compaction::{Compaction, CompactionReason};
use nexus_model::turn::{RequestSpec, Turn, TurnEnd, TurnKind};

const WINDOW: u64 = 30_000;

/// An Architect with a small window who reads that many files, one after another, for a message that says "read"; other
/// messages get long answers.
fn reader(words: usize) -> Tab {
    let tab = tab(move |_, body| {
        let contents = body["contents"].as_array().unwrap();
        let query_index = contents.iter().rposition(|content| content.to_string().contains("<now>")).unwrap();
        let question = contents[query_index].to_string();
        let expected = (1..=8).find(|number| question.contains(&format!("read {number} files"))).unwrap_or(0);
        let done =
            contents[query_index..].iter().filter(|one| one.to_string().contains("functionResponse")).count();
        if done < expected {
            return calls(&[("read_file", json!({"name": format!("f{}.txt", done + 1)}))]);
        }
        says(&if expected > 0 { "All read.".into() } else { format!("answer {}", "word ".repeat(words)) })
    });
    change_agent(&tab, "architect", |agent| agent.config.context_tokens = Some(WINDOW));
    for name in ["summary_auto", "memory_auto"] {
        tab.send(Command::ChangeSetting { name: name.into(), value: false.into() }).unwrap();
    }
    tab
}

/// Files f1.txt, f2.txt, … of about so many tokens each.
fn files(tab: &Tab, count: usize, tokens: usize) {
    let text = |number: usize| {
        format!("beginning of {number}\n{}end of {number}\n", "0123456789 \n".repeat(tokens / 4))
    };
    let writes = (1..=count)
        .map(|number| MindWrite::File { name: format!("f{number}.txt"), text: text(number) })
        .chain([MindWrite::File { name: "small.txt".into(), text: "small\n".into() }])
        .chain([MindWrite::Activate("small.txt".into())])
        .collect();
    edit(tab, writes);
}

fn ask(tab: &Tab, text: &str) {
    tab.say(&format!("@Architect {text}")).unwrap();
    tab.settle();
}

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.archivist.borrow_mut().script = Some(Box::new(script));
}

fn compactions(tab: &Tab) -> Vec<Compaction> {
    tab.world().compactions.values().map(|row| row.as_ref().clone()).collect()
}

fn turn_at_head(tab: &Tab) -> Turn {
    let world = tab.world();
    world.turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone()
}

fn requests(tab: &Tab) -> Vec<String> {
    tab.requests.borrow().iter().map(|(_, body)| body["contents"].to_string()).collect()
}

/// Checks that every request of a turn is rebuilt as it was sent.
fn assert_rebuilt(tab: &Tab, turn: &Turn) {
    let records = tab.records();
    let id = turn.id;
    let seen = tab.wait_for(async move { inspect(&records, id).await }).unwrap().unwrap();
    assert_eq!(seen.calls.len(), turn.calls.len());
    for call in &seen.calls {
        assert!(
            call.attempts.iter().all(|one| one.request_match == RequestMatch::Yes),
            "{:?}",
            call.attempts
        );
        assert!(!call.blocks.is_empty());
    }
}

/// Eight long turns, then one that reads a file and exceeds the window.
fn filled(read: &str) -> Tab {
    let tab = reader(1_900);
    files(&tab, 3, 5_000);
    for number in 1..=8 {
        ask(&tab, &format!("question {number}"));
    }
    assert!(compactions(&tab).is_empty(), "the window is not full yet");
    answers(&tab, |_| says("THE SUMMARY"));
    ask(&tab, read);
    tab
}

#[test]
fn compaction_between_two_calls_keeps_the_turns_own_messages() {
    let tab = filled("read 1 files");
    let compaction = compactions(&tab).pop().expect("one was made");
    assert_eq!(
        (compaction.reason, compaction.summary.as_deref()),
        (CompactionReason::Threshold, Some("THE SUMMARY"))
    );
    assert!(compaction.tokens_before > WINDOW * 85 / 100, "{compaction:?}");
    // One turn; its second call has the summary and everything that it read.
    let mark = turn_at_head(&tab);
    let world = tab.world();
    let turn = world.turn(&mark.parent.unwrap()).unwrap().as_ref().clone();
    assert_eq!((mark.kind, mark.end, mark.run), (TurnKind::Compaction, Some(TurnEnd::Completed), turn.run));
    assert_eq!((turn.end, turn.calls.len(), mark.id), (Some(TurnEnd::Completed), 2, compaction.turn));
    let (first, second) = (&turn.calls[0].recipe, &turn.calls[1].recipe);
    assert!(first.summary.is_none() && second.summary.is_some() && second.turns.len() < first.turns.len());
    assert!(second.tokens < first.tokens && second.truncated.is_empty() && second.omitted_turns.is_empty());
    let newest = |recipe: &RequestSpec| recipe.turns.newest_first(&world)[0].id;
    assert_eq!(newest(second), newest(first), "the newest turns stay");
    drop(world);
    let all = requests(&tab);
    let request = all.last().unwrap();
    assert!(request.contains("THE SUMMARY") && request.contains("read 1 files"));
    assert!(request.contains("beginning of 1") && request.contains("end of 1"), "the result is complete");
    assert!(!request.contains("question 1<") && request.contains("question 8"));
    assert_rebuilt(&tab, &turn);
    let was_asked = tab.archivist.borrow().requests[0]["contents"].to_string();
    assert!(was_asked.contains("question 1") && !was_asked.contains("beginning of 1"), "only older turns");
    // Its usage counts towards the run, and nothing is open.
    let row = tab.session_row();
    assert!(row.archivist == Default::default() && row.jobs.is_idle());
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!((run.status, run.used.calls), (RunStatus::Completed, 3));

    // The next turn has the summary, the kept turns and that turn; no second compaction.
    ask(&tab, "and then");
    let all = requests(&tab);
    let request = all.last().unwrap();
    assert!(
        request.contains("THE SUMMARY")
            && request.contains("beginning of 1")
            && request.contains("question 8")
    );
    assert_eq!(compactions(&tab).len(), 1);
    // The stored events give the same world.
    tab.kill();
    let again = tab.again(|_, _| says("ok"));
    let context = {
        let world = again.world();
        thread_context(&world, again.session_row().head).compaction.map(|made| made.turn)
    };
    assert_eq!(context, Some(compaction.turn));
}

#[test]
fn older_results_are_truncated_when_a_turn_fills_the_window() {
    let tab = reader(10);
    files(&tab, 6, 5_000);
    ask(&tab, "hello");
    ask(&tab, "read 6 files");
    let turn = turn_at_head(&tab);
    assert_eq!((turn.end, turn.calls.len()), (Some(TurnEnd::Completed), 7));
    assert!(compactions(&tab).is_empty(), "there is next to nothing to summarise");
    let mut before: Vec<_> = Vec::new();
    for call in &turn.calls {
        assert!(call.recipe.tokens <= WINDOW * 85 / 100, "{}", call.recipe.tokens);
        assert!(call.recipe.truncated.starts_with(&before), "truncated results stay truncated");
        before = call.recipe.truncated.clone();
    }
    assert!(!before.is_empty() && before.len() < 6);
    let all = requests(&tab);
    let request = all.last().unwrap();
    assert!(request.contains("given_in_short") && request.contains("beginning of 1"));
    assert!(request.contains("end of 6"), "the newest result is complete");
    assert_rebuilt(&tab, &turn);
    // Complete in the store and in the inspector.
    let world = tab.world();
    let whole = world.message(&before[0]).unwrap();
    assert!(serde_json::to_string(&whole.parts).unwrap().len() > 15_000);
    drop(world);
    let records = tab.records();
    let seen = tab.wait_for(async move { inspect(&records, turn.id).await }).unwrap().unwrap();
    let truncated = &seen.calls.last().unwrap().truncated;
    assert_eq!(truncated.len(), before.len());
    assert!(truncated.iter().all(|block| block.tokens > 3_000 && block.text.len() > 15_000));
}

#[test]
fn oversized_result_is_truncated_immediately() {
    let tab = reader(10);
    files(&tab, 1, 60_000);
    ask(&tab, "read 1 files");
    let turn = turn_at_head(&tab);
    assert_eq!((turn.end, turn.calls[1].recipe.truncated.len()), (Some(TurnEnd::Completed), 1));
    assert!(requests(&tab).last().unwrap().contains("given_in_short"));
}

#[test]
fn newest_turn_that_does_not_fit_has_truncated_results() {
    let tab = reader(10);
    files(&tab, 1, 24_000);
    ask(&tab, "read 1 files");
    assert!(
        requests(&tab).last().unwrap().contains("end of 1"),
        "as long as the window holds it, it is whole"
    );
    let read = turn_at_head(&tab);
    for question in ["hello", "and again"] {
        ask(&tab, question);
        let turn = turn_at_head(&tab);
        let recipe = &turn.calls[0].recipe;
        assert!(recipe.omitted_turns.is_empty(), "no summary covers it, so it stays");
        assert!(recipe.truncated.len() == 1 && read.messages.contains(&recipe.truncated[0]));
        assert!(recipe.tokens <= WINDOW * 85 / 100, "{}", recipe.tokens);
        let all = requests(&tab);
        let request = all.last().unwrap();
        assert!(request.contains("read 1 files") && request.contains("All read."));
        assert!(request.contains("given_in_short") && request.contains("beginning of 1"));
        assert_rebuilt(&tab, &turn);
        let records = tab.records();
        let seen = tab.wait_for(async move { inspect(&records, turn.id).await }).unwrap().unwrap();
        let call = &seen.calls[0];
        assert!(call.truncated.len() == 1 && call.truncated[0].text.len() > 90_000);
        assert_eq!(call.blocks.iter().map(|block| block.tokens).sum::<u64>(), call.estimated);
    }
    assert!(compactions(&tab).is_empty());
    // The next turn's calls keep it truncated; its own results are complete while they fit.
    ask(&tab, "read 1 files");
    let turn = turn_at_head(&tab);
    assert!(turn.calls.iter().all(|call| call.recipe.truncated.starts_with(&turn.calls[0].recipe.truncated)));
    assert_eq!(turn.end, Some(TurnEnd::Completed));
    assert_rebuilt(&tab, &turn);
}

#[test]
fn tool_results_of_another_agent_take_no_tokens() {
    let tab = tab(|agent, body| {
        let done =
            body["contents"].as_array().unwrap().last().unwrap().to_string().contains("functionResponse");
        if agent == "Engineer" && !done {
            calls(&[("read_file", json!({"name": "f1.txt"}))])
        } else {
            says("ok")
        }
    });
    change_agent(&tab, "architect", |agent| agent.config.context_tokens = Some(WINDOW));
    files(&tab, 1, 60_000);
    tab.say("@Engineer read it").unwrap();
    ask(&tab, "hello");
    let turn = turn_at_head(&tab);
    let recipe = &turn.calls[0].recipe;
    assert_eq!((recipe.turns.len(), recipe.omitted_turns.len(), recipe.truncated.len()), (1, 0, 0));
    assert!(recipe.tokens < 10_000, "{}", recipe.tokens);
    let all = requests(&tab);
    assert!(all.last().unwrap().contains("read it") && !all.last().unwrap().contains("beginning of 1"));
    assert!(compactions(&tab).is_empty());
}

#[test]
fn failed_compaction_within_a_turn_truncates_results_instead() {
    let tab = reader(1_900);
    files(&tab, 3, 5_000);
    for number in 1..=8 {
        ask(&tab, &format!("question {number}"));
    }
    answers(&tab, |_| refuses(400, "INVALID_ARGUMENT"));
    ask(&tab, "read 3 files");
    let made = compactions(&tab);
    assert_eq!(made.len(), 1, "it is tried once in a turn");
    assert!(made[0].failure.is_some());
    let mark = turn_at_head(&tab);
    assert_eq!((mark.id, mark.end), (made[0].turn, Some(TurnEnd::Error)));
    let turn = tab.world().turn(&mark.parent.unwrap()).unwrap().as_ref().clone();
    assert_eq!((turn.end, turn.calls.len()), (Some(TurnEnd::Completed), 4));
    assert!(!turn.calls[3].recipe.truncated.is_empty());
    assert_rebuilt(&tab, &turn);
    assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Completed);
}

#[test]
fn without_compaction_results_are_truncated() {
    let tab = reader(1_900);
    files(&tab, 3, 5_000);
    for number in 1..=8 {
        ask(&tab, &format!("question {number}"));
    }
    tab.send(Command::ChangeSetting { name: COMPACT_AUTO.name().into(), value: false.into() }).unwrap();
    ask(&tab, "read 3 files");
    let turn = turn_at_head(&tab);
    assert_eq!(turn.end, Some(TurnEnd::Completed));
    assert!(compactions(&tab).is_empty() && tab.archivist.borrow().requests.is_empty());
    assert!(!turn.calls[3].recipe.truncated.is_empty());
}

#[test]
fn stop_and_reload_end_turn_and_compaction_together() {
    for killed in [false, true] {
        let tab = reader(1_900);
        files(&tab, 1, 5_000);
        for number in 1..=8 {
            ask(&tab, &format!("question {number}"));
        }
        answers(&tab, |_| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(60_000)] });
        ask(&tab, "read 1 files");
        assert!(tab.session_row().archivist.compacting.is_some());
        assert!(tab.world().open_turn(&tab.session_row()).is_some_and(|turn| turn.kind == TurnKind::Normal));
        let (tab, end) = if killed {
            tab.kill();
            (tab.again(|_, _| says("ok")), TurnEnd::Interrupted)
        } else {
            tab.send(Command::Stop { session: tab.session }).unwrap();
            tab.settle();
            (tab, TurnEnd::Cancelled)
        };
        let mark = turn_at_head(&tab);
        let turn = tab.world().turn(&mark.parent.unwrap()).unwrap().as_ref().clone();
        assert_eq!((mark.kind, mark.end, turn.end), (TurnKind::Compaction, Some(end), Some(end)));
        let row = tab.session_row();
        assert!(row.archivist == Default::default() && row.jobs.open.is_empty());
        assert!(tab.world().open_turn(&tab.session_row()).is_none());
        // Results stay, and the conversation continues.
        answers(&tab, |_| says("Later."));
        if killed {
            let run = tab.run_id();
            tab.send(Command::EndRun { run }).unwrap();
        }
        ask(&tab, "go on");
        assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Completed);
    }
}

#[test]
fn run_at_its_limit_pauses_before_the_compaction_and_resumes() {
    let tab = reader(1_900);
    files(&tab, 1, 5_000);
    for number in 1..=8 {
        ask(&tab, &format!("question {number}"));
    }
    answers(&tab, |_| says("THE SUMMARY"));
    // The turn's first call, then the summary; the third call would exceed the limit.
    tab.send(Command::ChangeSetting { name: CAP_CALLS.name().into(), value: 2.into() }).unwrap();
    ask(&tab, "read 1 files");
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!(run.status, RunStatus::Paused);
    assert!(matches!(run.pause, Some(PauseCause::CallCap(_))), "{:?}", run.pause);
    assert_eq!(compactions(&tab)[0].summary.as_deref(), Some("THE SUMMARY"));
    let call_count = requests(&tab).len();
    tab.send(Command::ContinueRun { run: run.id }).unwrap();
    tab.settle();
    assert_eq!(requests(&tab).len(), call_count + 1, "one call, and no message besides");
    assert!(requests(&tab).last().unwrap().contains("THE SUMMARY"));
    let mark = turn_at_head(&tab);
    let turn = tab.world().turn(&mark.parent.unwrap()).unwrap().as_ref().clone();
    assert_eq!((mark.kind, turn.end), (TurnKind::Compaction, Some(TurnEnd::Completed)));
    let open = tab
        .events()
        .iter()
        .filter(|event| matches!(event.known_kind(), Some(EventKind::TurnOpened { .. })))
        .count();
    assert_eq!(open, 10, "ten turns, the compaction one of them");
}
