//! Plays the Critic of a prepared scenario: selects the findings that apply to the current files.
//!
//! Never reports a finding whose passage it has not read.

use crate::checks::CheckVerdict;
use crate::demo::request::DemoRequest;
use crate::demo::scenario::{ChangeState, FILES, FileChange, Scenario};
use crate::demo::text::{count, listed};
use crate::demo::{DemoReply, text};
use crate::prelude::*;

pub(super) fn reply(request: &DemoRequest, scenario: &Scenario) -> DemoReply {
    let unread = if request.offers("read_file") { request.unread(FILES) } else { Vec::new() };
    let has_files = FILES.into_iter().any(|name| request.has_file(name));
    let has_run = request.calls.iter().any(|call| call.tool == "run_checks");
    let runs_checks = has_files && !has_run && request.offers("run_checks");
    if !unread.is_empty() || runs_checks {
        let thought = "I review the files themselves, not what was said about them.";
        let text = match (unread.is_empty(), runs_checks) {
            (true, _) => "I run the checks first.".to_owned(),
            (false, true) => format!("I read {} and run the checks first.", listed(&unread)),
            (false, false) => format!("I read {} first.", listed(&unread)),
        };
        let reply = DemoReply::new(thought, text);
        let reply = unread.iter().fold(reply, |reply, name| reply.call("read_file", json!({ "name": name })));
        return if runs_checks { reply.call("run_checks", json!({})) } else { reply };
    }
    let review = Review::of(request, scenario);
    if request.scratchpad_write().is_some() || request.calls.iter().any(|call| call.tool == "accept_work") {
        review.closing()
    } else {
        review.deliver()
    }
}

struct Review<'a> {
    request: &'a DemoRequest,
    scenario: &'a Scenario,
    texts: VecMap<String, String>,
    /// Files of the scenario that are missing or could not be read.
    missing: Vec<&'static str>,
    open: Vec<&'a FileChange>,
    /// Number of findings that cannot be judged.
    unknown: usize,
}

impl<'a> Review<'a> {
    fn of(request: &'a DemoRequest, scenario: &'a Scenario) -> Self {
        let texts = request.texts();
        let owned = |name: &str| texts.get(name).is_some_and(|text| scenario.owns(text));
        let missing: Vec<&str> = FILES.into_iter().filter(|name| !owned(name)).collect();
        let is = |finding: &FileChange, state| finding.state(&texts) == state;
        let open = scenario.findings.iter().filter(|finding| is(finding, ChangeState::Open)).collect();
        let unknown = scenario.findings.iter().filter(|finding| is(finding, ChangeState::Unknown)).count();
        Self { request, scenario, missing, open, unknown, texts }
    }

    /// The result of the checks if they ran: whether they failed, and a summary.
    fn checks(&self) -> Option<(bool, String)> {
        let call = self.request.calls.iter().find(|call| call.tool == "run_checks")?;
        let result = call.result.as_ref()?;
        let text = |name: &str| result.get(name).and_then(Value::as_str);
        let verdict = text("verdict")?;
        let summary = match verdict == CheckVerdict::NoTests.name() {
            true => "no mistake found in the files; there are no tests.",
            false => text("summary")?,
        };
        Some((verdict == CheckVerdict::Failed.name(), summary.to_owned()))
    }

    fn accepts(&self) -> bool {
        !self.checks().is_some_and(|(failed, _)| failed)
            && self.missing.is_empty()
            && self.open.is_empty()
            && self.unknown == 0
            && self.open_items().is_empty()
    }

    /// Open items of the Engineer on the scratchpad, except findings.
    fn open_items(&self) -> Vec<&str> {
        let is_finding =
            |text: &str| self.scenario.findings.iter().any(|finding| text.starts_with(finding.title));
        let items = text::items(&self.request.mind.scratchpad);
        let open = items.into_iter().filter(|item| !item.done && item.owner == "Engineer");
        open.map(|item| item.text).filter(|text| !is_finding(text)).collect()
    }

    fn verdict(&self) -> String {
        let mut reasons = Vec::new();
        if !self.missing.is_empty() {
            reasons.push(format!("{} not there as the plan wants", listed(&self.missing)));
        }
        if !self.open.is_empty() {
            let titles: Vec<&str> = self.open.iter().map(|finding| finding.title).collect();
            reasons.push(format!("{}: {}", count(titles.len(), "finding"), titles.join("; ")));
        }
        if self.unknown > 0 {
            let unknown = count(self.unknown, "prepared finding");
            reasons.push(format!("{unknown} cannot be checked, because the files were changed"));
        }
        if let Some((true, summary)) = self.checks() {
            reasons.push(format!("the checks fail: {}", summary.trim_end_matches('.')));
        }
        let open_items = self.open_items();
        if !open_items.is_empty() {
            reasons.push(format!("still open: {}", open_items.join("; ")));
        }
        if reasons.is_empty() {
            return "The three files are there, and none of the prepared findings applies to them. The demo checks \
                    nothing else."
                .to_owned();
        }
        format!("{}.", reasons.join(". "))
    }

    fn scratchpad(&self) -> String {
        let pad = &self.request.mind.scratchpad;
        let items = text::items(pad);
        let reviewed = self.missing.is_empty();
        let made = self.scenario.findings.iter().filter(|it| it.state(&self.texts) == ChangeState::Made);
        let made: Vec<&str> = made.map(|finding| finding.title).collect();
        let is_fixed = |item: &text::ListedItem| made.iter().any(|title| item.is("Engineer", title));
        let is_done =
            |item: &&text::ListedItem| !item.done && ((item.owner == "Critic" && reviewed) || is_fixed(item));
        let done: Vec<usize> = items.iter().filter(is_done).map(|item| item.line).collect();
        let ticked = text::with_ticks(pad, &done);
        let is_new = |finding: &&&FileChange| {
            !items.iter().any(|item| !item.done && item.is("Engineer", finding.title))
        };
        let line = |finding: &&FileChange| {
            let place = finding.place(&self.texts).unwrap_or_default();
            format!("- [ ] Engineer: {} ({place})", finding.title)
        };
        let new: Vec<String> = self.open.iter().filter(is_new).map(line).collect();
        if new.is_empty() { ticked } else { text::joined(&ticked, &new.join("\n")) }
    }

    fn deliver(&self) -> DemoReply {
        let request = self.request;
        let read: Vec<&str> = FILES.into_iter().filter(|name| self.texts.contains_key(*name)).collect();
        let mut text = if self.open.is_empty() {
            self.verdict()
        } else {
            let line = |(number, finding): (usize, &&FileChange)| {
                let place = finding.place(&self.texts).unwrap_or_default();
                format!("{}. **{}** (`{place}`). {}", number + 1, finding.title, finding.about)
            };
            let findings: Vec<String> = self.open.iter().enumerate().map(line).collect();
            format!("{} in {}:\n\n{}", count(self.open.len(), "finding"), listed(&read), findings.join("\n"))
        };
        if let Some((_, summary)) = self.checks() {
            text.push_str(&format!("\n\nChecks: {summary}"));
        }
        let offers = self.offers();
        if self.open.is_empty() && request.round.is_none() && !offers.is_empty() {
            text.push_str(&format!("\n\nTo continue, write: {}.", listed(&offers)));
        }
        let mut reply = DemoReply::new("", text);
        let pad = self.scratchpad();
        if request.offers("update_nexus_state") && pad != request.mind.scratchpad {
            reply = reply.call("update_nexus_state", json!({ "scratchpad": pad }));
        }
        if request.offers("accept_work") {
            let args = json!({ "accepted": self.accepts(), "reasons": self.verdict() });
            reply = reply.call("accept_work", args);
        }
        reply
    }

    fn offers(&self) -> Vec<String> {
        let open =
            self.scenario.follow_ups.iter().filter(|change| change.state(&self.texts) == ChangeState::Open);
        open.map(|change| format!("*{}*", change.title)).collect()
    }

    /// The answer after the review was recorded, or failed to be.
    fn closing(&self) -> DemoReply {
        let failed =
            self.request.calls.iter().filter(|call| !["read_file", "run_checks"].contains(&&*call.tool));
        let problems: Vec<String> = failed.filter_map(|call| call.error()).collect();
        if !problems.is_empty() {
            return DemoReply::with_text(format!("My review was not kept: {}.", problems.join("; ")));
        }
        DemoReply::with_text(match (self.accepts(), self.open.is_empty(), self.request.round) {
            (true, ..) => "Noted.",
            (false, false, None) => {
                "They are on the scratchpad. Write *fix the findings*, and the Engineer fixes them."
            }
            (false, ..) => "Not accepted yet: see the scratchpad.",
        })
    }
}
