//! Several writers of one mind: no writer drops the lines of another.

use super::*;
use crate::session::delegation::DelegatedTask;

impl DecideFixture {
    fn put(&mut self, text: &str) {
        let (session, base) = (self.session, self.row().mind);
        let writes = vec![file(text)];
        self.run(&Command::EditMind { session, base, writes }).unwrap();
    }

    /// Lets the open run of the session make two tool calls; returns them.
    fn two_calls(&mut self) -> [ToolRunId; 2] {
        while self.world.tool_runs.values().all(|run| !run.status.is_open() || run.session != self.session) {
            self.run(&self.command(self.next_action(8))).unwrap();
        }
        let open = self.world.tool_runs.values().filter(|run| run.status.is_open());
        let ids: Vec<_> = open.filter(|run| run.session == self.session).map(|run| run.id).collect();
        ids.try_into().unwrap()
    }

    fn record(&mut self, tool_run: ToolRunId, outcome: ToolOutcome) {
        self.run(&Command::RecordTool { tool_run, outcome }).unwrap();
    }

    fn text(&self) -> &str {
        self.world.working_mind(self.row()).unwrap().file("a.txt").unwrap()
    }
}

fn file(text: &str) -> MindWrite {
    MindWrite::File { name: "a.txt".into(), text: text.into() }
}

fn writes(text: &str) -> ToolOutcome {
    ToolOutcome::Done { result: json!({ "ok": true }), writes: vec![file(text)], verdict: None }
}

/// A session whose two workers have each added a line to a file, and ended without a report.
fn two_workers_have_ended() -> DecideFixture {
    let mut device = DecideFixture::new();
    let parent = device.session;
    device.put("one\ntwo\nthree\n");
    device.run(&device.command(1)).unwrap();
    for call in device.two_calls() {
        let task = DelegatedTask { text: "add a line".into(), title: String::new(), agent: None };
        device.record(call, ToolOutcome::Delegate(task));
    }
    let workers: Vec<_> = device.row().workers.iter().map(|open| open.session).collect();
    let texts = ["FIRST\none\ntwo\nthree\n", "one\ntwo\nthree\nSECOND\n"];
    for (worker, text) in workers.into_iter().zip(texts) {
        device.session = worker;
        let [call, other] = device.two_calls();
        device.record(call, writes(text));
        device.record(other, writes(text));
        while device.world.open_run(device.row()).is_some() {
            device.run(&device.command(device.next_action(20))).unwrap();
        }
    }
    device.session = parent;
    device
}

#[test]
fn workers_that_ended_together_keep_the_lines_of_each_other() {
    for end in [15, 11] {
        let mut device = two_workers_have_ended();
        device.run(&device.command(end)).unwrap();
        assert!(device.row().workers.is_empty());
        assert_eq!(device.text(), "FIRST\none\ntwo\nthree\nSECOND\n");
    }
}

#[test]
fn later_write_of_an_answer_keeps_what_others_wrote_meanwhile() {
    let lines: String = (0..400).map(|number| format!("line {number}\n")).collect();
    // Changes of a short text are stored whole, those of a long one as lines.
    for text in ["one\ntwo\nthree\n", &lines] {
        let mut device = DecideFixture::new();
        device.put(text);
        device.run(&device.command(1)).unwrap();
        let [call, other] = device.two_calls();
        device.put(&format!("OPERATOR\n{text}"));
        device.record(call, writes(&format!("{text}FIRST\n")));
        device.record(other, writes(&format!("{text}FIRST\nSECOND\n")));
        assert_eq!(device.text(), format!("OPERATOR\n{text}FIRST\nSECOND\n"));
        let run = device.world.tool_run(&other).unwrap();
        assert!(run.result.as_ref().unwrap()["changed_by_others"].to_string().contains("OPERATOR"));
    }
}
