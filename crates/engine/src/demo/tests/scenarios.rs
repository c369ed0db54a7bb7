//! Tests of the prepared scenarios: consistent data, and agents that claim no more than is true. Never runs a page;
//! `tests/web/demo.rs` does.

use super::TIPS;
use crate::demo::scenario::{ChangeState, FILES, FileChange, Scenario};
use crate::demo::tests::stage::DemoStage;
use nexus_model::provider::presets::{DEMO_OBJECTIVES, NEEDS_MODEL, demo_key};
use nexus_text::vec_map::VecMap;

fn all() -> impl Iterator<Item = (&'static str, Scenario)> {
    DEMO_OBJECTIVES.iter().map(|one| (one.objective, Scenario::of(one.title).expect(one.title)))
}

fn first_files(scenario: &Scenario) -> VecMap<String, String> {
    scenario.files.iter().map(|file| (file.name.to_owned(), file.text.to_owned())).collect()
}

fn apply(change: &FileChange, texts: &mut VecMap<String, String>) {
    assert_eq!(change.state(texts), ChangeState::Open, "{}", change.title);
    for edit in &change.edits {
        let text = texts[edit.file].replacen(edit.search, edit.replace, 1);
        texts.insert(edit.file.to_owned(), text);
    }
    assert_eq!(change.state(texts), ChangeState::Made, "{}", change.title);
}

fn built(objective: &str) -> DemoStage {
    let mut stage = DemoStage::new(objective);
    stage.round(objective, None);
    assert_eq!(stage.errors, Vec::<String>::new(), "{objective}");
    stage
}

#[test]
fn every_offered_objective_has_a_complete_scenario() {
    for (objective, scenario) in all() {
        assert!(scenario.plan.contains("Done when "), "{objective}");
        assert!(!scenario.architect.is_empty() && !scenario.done.is_empty(), "{objective}");
        assert!((2..=4).contains(&scenario.findings.len()), "{objective}");
        assert!((1..=2).contains(&scenario.follow_ups.len()), "{objective}");
        for file in &scenario.files {
            assert!(scenario.owns(file.text) && !file.about.is_empty(), "{objective}: {}", file.name);
            assert!(scenario.plan.contains(&format!("- [ ] Engineer: write {}: ", file.name)), "{objective}");
            // They run in a frame without network, forms and dialogs.
            for word in ["http:", "https:", "//cdn", "<form", "alert(", "confirm(", "prompt(", "fetch("] {
                assert!(!file.text.contains(word), "{objective}: {} has {word}", file.name);
            }
        }
        // Each test that fails at first is named after the finding that fixes it.
        let checks = scenario.checks.text;
        let named = checks.lines().filter_map(|line| line.strip_prefix("test(\"fixed: ")?.split_once("\","));
        let named: Vec<&str> = named.map(|(title, _)| title).collect();
        assert!(scenario.owns(checks) && named.len() >= 2, "{objective}: {named:?}");
        let titles: Vec<&str> = scenario.findings.iter().map(|finding| finding.title).collect();
        assert!(named.iter().all(|title| titles.contains(title)) && named.len() < titles.len(), "{named:?}");
        for change in scenario.findings.iter().chain(&scenario.follow_ups) {
            assert!(!change.edits.is_empty() && !change.about.is_empty(), "{}", change.title);
            assert!(change.edits.iter().all(|edit| FILES.contains(&edit.file)), "{}", change.title);
        }
    }
}

#[test]
fn changes_are_independent_of_their_order() {
    fn walk(left: &[&FileChange], made: &[&FileChange], texts: &VecMap<String, String>) {
        assert!(made.iter().all(|change| change.state(texts) == ChangeState::Made));
        assert!(left.iter().all(|change| change.state(texts) == ChangeState::Open));
        for (at, change) in left.iter().enumerate() {
            let mut texts = texts.clone();
            apply(change, &mut texts);
            let rest: Vec<&FileChange> = [&left[..at], &left[at + 1..]].concat();
            walk(&rest, &[made, &[*change]].concat(), &texts);
        }
    }
    for (_, scenario) in all() {
        let changes: Vec<&FileChange> = scenario.findings.iter().chain(&scenario.follow_ups).collect();
        walk(&changes, &[], &first_files(&scenario));
    }
}

#[test]
fn round_of_three_agents_creates_plan_files_and_review() {
    for (objective, scenario) in all() {
        let stage = built(objective);
        assert!(stage.scratchpad.contains(&scenario.heading()), "{}", stage.scratchpad);
        assert_eq!(stage.files, first_files(&scenario));
        for finding in &scenario.findings {
            let line = format!("- [ ] Engineer: {} (", finding.title);
            let place = stage.scratchpad.lines().find_map(|text| text.strip_prefix(&line)).expect(&line);
            let (file, number) = place.trim_end_matches(')').split_once(':').unwrap();
            let first = finding.edits[0].search.lines().next().unwrap();
            let number: usize = number.parse().unwrap();
            assert!(stage.files[file].lines().nth(number - 1).unwrap().contains(first.trim()), "{place}");
            assert!(stage.replies[2].contains(finding.about), "{}", stage.replies[2]);
        }
        let ticked = stage.scratchpad.lines().filter(|line| line.starts_with("- [x] ")).count();
        assert_eq!(ticked, 4, "three files and the review: {}", stage.scratchpad);
        assert!((9_000..40_000).contains(&stage.millis), "{} ms for {objective}", stage.millis);
        let replies = stage.replies.join("\n");
        assert_eq!(
            (replies.matches("This is a demo: ").count(), replies.matches(NEEDS_MODEL).count()),
            (1, 0),
            "{objective}"
        );
    }
}

#[test]
fn findings_are_fixed_on_request() {
    for (objective, scenario) in all() {
        let mut stage = built(objective);
        stage.round("Fix the findings!", None);
        for finding in &scenario.findings {
            assert_eq!(finding.state(&stage.files), ChangeState::Made, "{}", finding.title);
        }
        assert!(!stage.scratchpad.contains("- [ ]"), "{}", stage.scratchpad);
        assert!(stage.replies[5].contains("none of the prepared findings applies"), "{}", stage.replies[5]);
        assert!(stage.used.iter().any(|tool| tool == "edit_file"));
        for change in &scenario.follow_ups {
            assert!(stage.replies[5].contains(change.title), "{}", stage.replies[5]);
            stage.round(&format!("@Engineer {}", change.title), None);
            assert_eq!(change.state(&stage.files), ChangeState::Made, "{}", change.title);
            assert!(stage.scratchpad.contains(&format!("- [x] Engineer: {}", change.title)));
        }
        assert_eq!(stage.errors, Vec::<String>::new(), "{objective}");
    }
}

#[test]
fn repeated_rounds_end_with_acceptance() {
    for (objective, _) in all() {
        let mut stage = DemoStage::new(objective);
        let verdicts: Vec<Option<bool>> = [1, 2]
            .into_iter()
            .map(|number| {
                stage.round(objective, Some((number, 6)));
                stage.accepted.take()
            })
            .collect();
        assert_eq!(verdicts, [Some(false), Some(true)], "{objective}: {}", stage.scratchpad);
        assert!(!stage.scratchpad.contains("- [ ]"), "{objective}: {}", stage.scratchpad);
        assert_eq!(stage.errors, Vec::<String>::new(), "{objective}");
    }
}

#[test]
fn unprepared_message_changes_nothing_and_lists_prepared_ones() {
    let mut stage = built(TIPS);
    let before = (stage.scratchpad.clone(), stage.files.clone());
    for message in ["Make the buttons red and add a sound", "What is the plan?", "thanks!"] {
        stage.replies.clear();
        stage.used.clear();
        stage.round(message, None);
        assert_eq!(stage.replies.join("\n").matches(NEEDS_MODEL).count(), 1, "{:?}", stage.replies);
        assert!(stage.replies[0].contains("*fix the findings*"), "{:?}", stage.replies);
        assert!(stage.used.is_empty(), "{:?}", stage.used);
    }
    assert_eq!(before, (stage.scratchpad, stage.files));
}

#[test]
fn another_prepared_objective_replaces_the_first() {
    let mut stage = built(TIPS);
    stage.scratchpad.insert_str(0, "my own note\n");
    stage.round("A Snake game", None);
    assert_eq!(demo_key(&stage.objective), "snakegame");
    assert!(stage.scratchpad.starts_with("my own note\n") && stage.scratchpad.contains("## Plan: Snake"));
    assert_eq!(stage.files, first_files(&Scenario::of("Snake").unwrap()));
    stage.round("fix the findings", None);
    assert!(stage.files["app.js"].contains("turns.shift()"));
    assert_eq!(stage.errors, Vec::<String>::new());
}

#[test]
fn files_of_the_operator_are_not_overwritten() {
    let mut stage = DemoStage::new(TIPS);
    stage.files.insert("index.html".into(), "<h1>Mine</h1>\n".into());
    stage.round(TIPS, None);
    assert_eq!(stage.files["index.html"], "<h1>Mine</h1>\n");
    assert_eq!(stage.files.len(), 1);
    assert!(stage.replies[1].contains("I overwrite none of your files"), "{}", stage.replies[1]);
    assert!(stage.replies[2].contains("not there as the plan wants"), "{}", stage.replies[2]);
    assert!(!stage.scratchpad.contains("- [x]"), "{}", stage.scratchpad);
}

#[test]
fn files_changed_by_the_operator_are_neither_edited_nor_judged() {
    let mut stage = built(TIPS);
    let changed = stage.files["app.js"].replace("Math.round(total / guests)", "total / guests");
    stage.files.insert("app.js".into(), changed);
    stage.round("fix the findings", Some((1, 6)));
    assert!(stage.replies[4].contains("add up to the total**: not done"), "{}", stage.replies[4]);
    assert!(stage.files["app.js"].contains("const share = total / guests;"));
    assert!(stage.files["index.html"].contains("aria-live"), "the others are fixed");
    assert!(stage.replies[5].contains("1 prepared finding cannot be checked"), "{}", stage.replies[5]);
    assert_eq!(stage.accepted, Some(false));
    assert!(stage.scratchpad.contains("- [ ] Engineer: The shares do not add up"), "{}", stage.scratchpad);
}

#[test]
fn failed_calls_are_not_reported_as_done() {
    let mut stage = DemoStage::new(TIPS);
    stage.turn("Architect", TIPS, None);
    stage.read_only = true;
    stage.turn("Engineer", TIPS, None);
    assert!(stage.files.is_empty() && !stage.scratchpad.contains("- [x]"));
    let replies = stage.replies.last().unwrap();
    assert!(replies.contains("index.html was not written: denied by the operator"), "{replies}");
    assert!(!replies.contains("Written: "), "{replies}");

    let mut stage = built(TIPS);
    // The operator types while the Engineer works: the search text of an edit no longer exists.
    stage.edit_before_next = Some(("index.html".into(), "aria-label=\"Receipt\"".into(), "".into()));
    stage.turn("Engineer", "fix the findings", None);
    let replies = stage.replies.last().unwrap();
    assert!(replies.contains("announce the result**: not done, the search text"), "{replies}");
    assert!(stage.scratchpad.contains("- [ ] Engineer: A screen reader"), "{}", stage.scratchpad);
    assert!(stage.scratchpad.contains("- [x] Engineer: The shares"), "{}", stage.scratchpad);
}

#[test]
fn without_tools_nothing_is_reported_as_done() {
    let mut stage = DemoStage::new(TIPS);
    stage.tools = Vec::new();
    stage.round(TIPS, None);
    assert!(stage.files.is_empty());
    assert!(stage.replies[0].contains("## Plan: Tip calculator"), "{}", stage.replies[0]);
    assert!(stage.replies[1].contains("may not write files here"), "{}", stage.replies[1]);
}
