//! Strings of the dialog that runs checks.

use crate::language::{Text, text, told};
use crate::strings::format::count;
use nexus_engine::checks::{CheckReport, CheckTest, CheckVerdict, TestStatus};
use nexus_text::invisible::reveal;

pub const TITLE: Text = Text("Checks");
pub const RUN: Text = Text("Run checks");
pub const RUN_ABOUT: Text =
    Text("Runs the session’s JavaScript tests in a sandbox and looks for mistakes in its files");
pub const ALSO: Text = Text("test tests verify verifier lint validate json schema html css");
pub const RUNNING: Text = Text("Running…");
pub const AGAIN: Text = Text("Run again");
pub const CLOSE: Text = Text("Close");
pub const PROBLEMS: Text = Text("Mistakes in files");
pub const TESTS: Text = Text("Tests");
pub const OUTPUT: Text = Text("Console");
pub const NOT_CHECKED: Text = Text("Not checked");
pub const TO: Text = Text("Agent");
pub const NOT_LOADED: Text = Text("The checks could not be loaded. Check the connection and run them again.");
pub const HOW: Text = Text(
    "Tests are files named *.test.js, or scripts in tests/ or checks/, with test(name, fn), expect(…) or assert. They run without a page, network or storage.",
);

pub fn sign(status: TestStatus) -> &'static str {
    match status {
        TestStatus::Passed => "✓",
        TestStatus::Failed => "✗",
        TestStatus::Skipped => "–",
    }
}

pub fn status(status: TestStatus) -> Text {
    match status {
        TestStatus::Passed => Text("passed"),
        TestStatus::Failed => Text("failed"),
        TestStatus::Skipped => Text("skipped"),
    }
}

pub fn headline(report: &CheckReport) -> String {
    let files = count(report.files as usize, "file", "files");
    let also = match report.verdict() {
        CheckVerdict::Passed | CheckVerdict::Failed => text!("{files} read."),
        CheckVerdict::NoTests => text!("{files} read, nothing wrong found."),
    };
    format!("{} {also}", told(&report.headline()))
}

pub fn test(test: &CheckTest) -> String {
    let time = if test.ms > 0 { text!(" · {} ms", test.ms) } else { String::new() };
    format!("{} · {}{time}", reveal(&test.file), reveal(&test.name))
}

pub fn place(test: &CheckTest) -> Option<String> {
    test.at.as_ref().map(|(file, line)| reveal(&format!("{file}:{line}")))
}

texts! {
    pub fn send_to(agent: &str) = "Send failures to {}", reveal(agent);
    pub fn message(agent: &str, report: &CheckReport) =
        "@{agent} The checks fail. Please fix the cause, not the checks.\n\n{}", report.envelope_summary();
}
