//! Never changes a file.
//!
//! Owns the Critic's part: read the files, check what can be seen in their text, put findings on the plan with file
//! and line, and accept or not when asked to.

use serde_json::json;

use super::brief::{Intent, intent_with};
use super::plan::{self, Plan};
use super::review::{self, Finding, Review};
use super::scene::Scene;
use super::stream::Reply;
use super::words::{count, listed};
use super::worker::{answer_question, greeting, introduced};

pub(super) fn reply(scene: &Scene) -> Reply {
    let later_round = scene.round.is_some_and(|round| round.number > 1);
    match intent_with(&scene.message, &scene.mind.objective) {
        Intent::Question if !later_round => return answer_question(scene, "As the one who checks"),
        Intent::Courtesy if !later_round => {
            return greeting(scene, "I check as soon as there is something to read.");
        }
        Intent::Question | Intent::Courtesy | Intent::GoOn | Intent::Work => {}
    }
    let unread = scene.unread();
    if !unread.is_empty() && scene.offers("read_file") {
        let text = format!("{}I read {} first.", introduced(scene, "Critic"), listed(&unread));
        let thought = "A review rests on the text of the files, not on what was said about them.";
        let reply = Reply::new(thought, text);
        return unread
            .into_iter()
            .fold(reply, |reply, name| reply.call("read_file", json!({ "name": name })));
    }
    let judgement = Judgement::of(scene);
    if scene.noted().is_some() || scene.calls().any(|call| call.tool == "accept_work") {
        judgement.closing()
    } else {
        judgement.deliver()
    }
}

struct Judgement<'a> {
    scene: &'a Scene,
    plan: Option<Plan>,
    review: Review,
    /// What the Engineer still has open, findings of this review apart.
    open: Vec<String>,
    has_files: bool,
}

impl<'a> Judgement<'a> {
    fn of(scene: &'a Scene) -> Self {
        let agreed = plan::agreed(scene);
        let plan = Plan::read(&scene.mind.scratchpad);
        let files = scene.contents();
        let review = if files.is_empty() {
            Review::default()
        } else {
            review::review(agreed.kind, &agreed.title, plan.as_ref(), &files)
        };
        let is_found = |text: &String| review.findings.iter().any(|finding| finding.text == *text);
        let open = plan.iter().flat_map(|plan| plan.open_of("Engineer")).map(|item| item.text.clone());
        let open = open.filter(|text| !is_found(text)).collect();
        Self { scene, plan, review, open, has_files: !files.is_empty() }
    }

    fn accepts(&self) -> bool {
        self.has_files && self.review.findings.is_empty() && self.open.is_empty()
    }

    fn reasons(&self) -> String {
        if !self.has_files {
            return "There is no file that could be reviewed.".to_owned();
        }
        if self.accepts() {
            return format!("Every item is ticked, {}, and there is no finding.", self.features());
        }
        let texts: Vec<&str> = self.review.findings.iter().map(|finding| finding.text.as_str()).collect();
        let mut reasons = Vec::new();
        if !texts.is_empty() {
            reasons.push(format!("{}: {}", count(texts.len(), "finding"), texts.join("; ")));
        }
        if !self.open.is_empty() {
            reasons.push(format!("still open: {}", self.open.join("; ")));
        }
        format!("{}.", reasons.join(". "))
    }

    fn features(&self) -> String {
        let (shown, wanted) = (self.review.shown.len(), self.review.wanted);
        format!("{shown} of {} found", count(wanted, "named feature"))
    }

    fn number(&self) -> usize {
        self.scene.mind.scratchpad.lines().filter(|line| line.starts_with("Review ")).count() + 1
    }

    /// The scratchpad with this review.
    fn scratchpad(&self) -> String {
        let old = &self.scene.mind.scratchpad;
        let items = self.plan.as_ref().map_or(&[][..], |plan| &plan.items);
        let is_found = |text: &str| self.review.findings.iter().any(|finding| finding.text == text);
        let settled = items.iter().filter(|item| {
            !item.done
                && ((item.owner == "Critic" && self.accepts())
                    || (item.owner == "Operator" && !is_found(&item.text)))
        });
        let settled: Vec<usize> = settled.map(|item| item.line).collect();
        let pad = plan::with_ticks(old, &settled);
        let verdict = if self.accepts() { "accepted" } else { "not yet" };
        let mut lines = vec![format!(
            "Review {}: {verdict}, {}, {}",
            self.number(),
            count(self.review.findings.len(), "finding"),
            self.features()
        )];
        let known = |finding: &&Finding| !items.iter().any(|item| !item.done && item.text == finding.text);
        lines.extend(self.review.findings.iter().filter(known).map(|f| plan::open(f.owner, &f.text)));
        plan::with_review(&pad, &lines)
    }

    /// The review itself.
    fn deliver(&self) -> Reply {
        let scene = self.scene;
        let thought = format!(
            "I check title, tags and brackets, each named feature, and what first drafts tend to miss. {}",
            self.reasons()
        );
        let mut text = introduced(scene, "Critic");
        if !self.has_files {
            text.push_str("There is no file that I could review yet.");
        } else if self.review.findings.is_empty() {
            text.push_str("I find nothing to mend.");
        } else {
            text.push_str(&format!("{}:\n\n", count(self.review.findings.len(), "finding")));
            let lines = self.review.findings.iter().map(|finding| format!("- `{}`", finding.text));
            text.push_str(&lines.collect::<Vec<_>>().join("\n"));
        }
        if self.has_files {
            text.push_str(&format!("\n\nRead: {}. In them {}", self.review.read.join(", "), self.features()));
            let places = self.review.shown.join(", ");
            text.push_str(&if places.is_empty() { ".".to_owned() } else { format!(": {places}.") });
        }
        if !self.open.is_empty() {
            text.push_str(&format!("\n\nStill open for the Engineer: {}.", listed(&self.open)));
        }
        let mut reply = Reply::new(thought, text);
        if scene.offers("update_nexus_state") && (self.plan.is_some() || self.has_files) {
            reply = reply.call("update_nexus_state", json!({ "scratchpad": self.scratchpad() }));
        }
        if scene.offers("accept_work") {
            reply =
                reply.call("accept_work", json!({ "accepted": self.accepts(), "reasons": self.reasons() }));
        }
        reply
    }

    /// After the review was written, or was not.
    fn closing(&self) -> Reply {
        let problems: Vec<String> = self
            .scene
            .calls()
            .filter(|call| call.tool != "read_file")
            .filter_map(|call| call.problem())
            .collect();
        let mut text = match (problems.as_slice(), self.accepts()) {
            ([], true) => "Accepted: the definition of done is met.".to_owned(),
            ([], false) => format!("Review {} is on the scratchpad: not accepted yet.", self.number()),
            (problems, _) => format!("My review could not be kept: {}.", problems.join("; ")),
        };
        if !self.accepts() && self.scene.round.is_none() && !self.review.findings.is_empty() {
            text.push_str(" Say “fix the findings” and the Engineer will mend them.");
        }
        Reply::new("", text)
    }
}
