//! Texts of the conversation.

pub mod answer;
pub mod message_actions;
pub mod prompts;
pub mod race;

/// Strings of messages that wait during a run.
pub mod queue {
    use nexus_model::session::QueueMode;

    pub const WAITING: &str = "Messages that wait";
    pub const CHOICE: &str = "What happens to this message while the agents work";
    pub const CHANGE: &str = "What happens to this waiting message";
    pub const EDIT: &str = "Edit";
    pub const FIELD: &str = "The waiting message in other words";
    pub const KEEP: &str = "Change";
    pub const LEAVE: &str = "Leave as it was";
    pub const WITHDRAW: &str = "Withdraw";
    pub const SEND_HELD: &str = "Send now";
    pub const DISCARD_HELD: &str = "Discard";
    pub const HELD: &str = "held";
    pub const EDITED: &str = "being edited";
    pub const TAKEN: &str = "That message was on its way already";
    pub const TAKEN_ADVICE: &str = "It went as it was. Your other words stand in the message field.";
    pub const TO_ALL: &str = "to all";

    /// A mode in a word or two.
    pub fn mode(mode: QueueMode) -> &'static str {
        match mode {
            QueueMode::Steer => "Steer",
            QueueMode::FollowUp => "Follow up",
            QueueMode::Collect => "Collect",
            QueueMode::Interrupt => "Interrupt",
        }
    }

    /// What it does.
    pub fn about(mode: QueueMode) -> &'static str {
        match mode {
            QueueMode::Steer => "joins what the next agent of this run is asked",
            QueueMode::FollowUp => "waits for the end of this run and then starts its own",
            QueueMode::Collect => "waits, and is answered together with all others that collect",
            QueueMode::Interrupt => "stops this run now and starts its own; what came so far is kept",
        }
    }

    pub fn in_full(of: QueueMode) -> String {
        format!("{}: {}", mode(of), about(of))
    }

    /// What Stop left waiting.
    pub fn held(messages: usize) -> String {
        match messages {
            1 => "Stopped. 1 queued message is held and not sent.".to_owned(),
            many => format!("Stopped. {many} queued messages are held and not sent."),
        }
    }

    /// Whom a waiting message is for.
    pub fn to(names: &str) -> String {
        format!("to {names}")
    }
}

/// Strings of the overrides for one message.
pub mod message_overrides {
    use crate::strings::settings;
    use nexus_model::agent::Permissions;
    use nexus_model::agent::permission::PermissionDecision;
    use nexus_model::command::MessageOverrides;
    use nexus_model::llm::Thinking;
    use nexus_text::invisible::reveal;

    pub const OPEN: &str = "For this message …";
    pub const TITLE: &str = "For this message alone";
    pub const ABOUT: &str = "It holds for all turns that answer it, and for the workers that they send out. What is denied \
         elsewhere stays denied.";
    pub const MODEL: &str = "Model";
    pub const OWN_MODEL: &str = "Each agent’s own";
    pub const CHOOSE_MODEL: &str =
        "Thinking and temperature can be changed with a model, or in a message to one agent.";
    pub const USUAL: &str = "As usual";
    pub const TOOLS: &str = "Tools";
    pub const DONE: &str = "Done";
    pub const CLEAR: &str = "As usual again";
    pub const HELD: &str = "Held for its message alone";

    /// What a tool or a group of tools is called.
    pub fn name(name: &str) -> String {
        match name {
            "*" => "All tools".to_owned(),
            "@mind" => "Objective and scratchpad".to_owned(),
            "@files" => "Files".to_owned(),
            "@network" => "Network".to_owned(),
            "@code" => "Running code".to_owned(),
            "@lent" => "Tools of the host page".to_owned(),
            other => reveal(other),
        }
    }

    /// What holds, in one line.
    pub fn held(over: &MessageOverrides) -> String {
        let model = over.config.iter().map(|config| {
            let thinking = (config.thinking != Thinking::Auto)
                .then(|| format!("{}: {}", settings::THINKING, settings::thinking(config.thinking)));
            let temperature = config.temperature.map(|one| format!("{}: {one}", settings::TEMPERATURE));
            let all = [Some(reveal(&config.model)), thinking, temperature];
            all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        });
        let tools = over.tools.iter().map(tools).filter(|told| !told.is_empty());
        model.chain(tools).collect::<Vec<_>>().join(" · ")
    }

    /// What is said of tools, in one line.
    pub fn tools(said: &Permissions) -> String {
        let lists = [
            (PermissionDecision::Deny, &said.tools_denied),
            (PermissionDecision::Ask, &said.tools_ask),
            (PermissionDecision::Allow, &said.tools_always),
        ];
        let told = lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(ruling, names)| {
            let names: Vec<_> = names.iter().map(|it| name(it)).collect();
            format!("{}: {}", settings::ruling(ruling), names.join(", "))
        });
        told.collect::<Vec<_>>().join(" · ")
    }
}

/// Builds the message that sends changes back to an agent: the remark first, then the quoted changes.
pub mod send_back {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct QuotedChange {
        /// `the objective`, `the scratchpad`, or the file's name.
        pub field: String,
        /// The first and last line that it has now, from 1; where lines were only removed, the place they stood at.
        pub lines: (usize, usize),
        /// The lines, with `-` and `+` before them.
        pub hunk: String,
    }

    /// The message with a remark on changes.
    pub fn sent_back(remark: &str, quotes: &[QuotedChange]) -> String {
        let mut out = remark.trim().to_owned();
        for QuotedChange { field, lines: (first, last), hunk } in quotes {
            let lines =
                if last > first { format!("lines {first}–{last}") } else { format!("line {first}") };
            let fence = fence_for(hunk);
            let space = if out.is_empty() { "" } else { "\n\n" };
            out.push_str(&format!("{space}Your change to {field}, {lines}:\n\n{fence}diff\n{hunk}{fence}"));
        }
        out
    }

    /// A fence that is longer than any in the text.
    fn fence_for(text: &str) -> String {
        let mut longest = 0usize;
        let mut run = 0usize;
        for letter in text.chars() {
            run = if letter == '`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        "`".repeat((longest + 1).max(3))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_remark_stands_first_and_each_change_is_quoted_with_its_place() {
            let quote = |lines, hunk: &str| QuotedChange { field: "a.js".into(), lines, hunk: hunk.into() };
            let text = sent_back(" Keep it short. ", &[quote((3, 5), "-a\n+b\n"), quote((9, 9), "-c\n")]);
            assert_eq!(
                text,
                "Keep it short.\n\nYour change to a.js, lines 3–5:\n\n```diff\n-a\n+b\n```\n\nYour change to a.js, line 9:\n\n\
                 ```diff\n-c\n```"
            );
        }

        #[test]
        fn a_quoted_fence_does_not_end_the_quote() {
            let hunk = "+````\n+code\n";
            let text =
                sent_back("", &[QuotedChange { field: "b.md".into(), lines: (1, 1), hunk: hunk.into() }]);
            assert!(text.starts_with("Your change to b.md, line 1:\n\n`````diff\n"), "{text}");
            assert!(text.ends_with("+code\n`````"), "{text}");
        }
    }
}

/// Strings of workers: cards, notices, sessions, limits.
pub mod workers {
    use crate::strings::format::{count, money, tokens};
    use nexus_model::run::RunUsage;
    use nexus_model::session::delegation::{WorkerEnd, WorkerState};

    pub const OPEN: &str = "Open";
    pub const STOP: &str = "Stop";
    pub const GO_ON: &str = "Go on";
    pub const END: &str = "End";
    pub const NEEDED: &str = "Workers that need you";
    pub const TASK: &str = "TASK";
    pub const REPORT: &str = "REPORT";
    pub const GONE: &str = "Its session is not on this device any more.";

    pub const ROLE_ABOUT: &str = "A manager gives tasks to workers and takes none of other agents; a worker does what it is given and gives nothing \
         away. A worker may never do more than who sent it.";

    pub fn works_on(name: &str, title: &str) -> String {
        format!("{name}: {title}")
    }

    /// How a worker stands.
    pub fn state(state: &WorkerState) -> &'static str {
        match state {
            WorkerState::Working => "works",
            WorkerState::Asks(_) => "asks you",
            WorkerState::Waits(_) => "waits for you",
            WorkerState::Ended(WorkerEnd::Done) => "done",
            WorkerState::Ended(WorkerEnd::Failed) => "failed",
            WorkerState::Ended(WorkerEnd::Stopped) => "stopped",
            WorkerState::Ended(WorkerEnd::Lost) => "gone",
        }
    }

    /// What a worker used, its own workers included.
    pub fn used(used: &RunUsage) -> String {
        let calls = count(usize::try_from(used.calls).unwrap_or(usize::MAX), "call", "calls");
        let mut told = format!("{calls}, {} tokens", tokens(used.tokens));
        if used.cost.0 > 0 {
            told.push_str(&format!(", {}", money(used.cost)));
        }
        told
    }

    /// Files that could not be merged.
    pub fn clashes(files: &[String]) -> String {
        format!(
            "Not merged: {}. The same lines were changed here meanwhile. Its version is in its session; the tree merges it \
             piece by piece.",
            files.join(", ")
        )
    }

    /// A worker that needs the operator, from elsewhere.
    pub fn needs(name: &str, title: &str, asks: bool) -> String {
        if asks {
            format!("{name} asks to use a tool: {title}")
        } else {
            format!("{name} waits for you: {title}")
        }
    }

    /// The session in view is a worker's.
    pub fn is_worker(name: &str, from: &str) -> String {
        format!(
            "The session of a worker, {name}, for a task from “{from}”. What you say here to all goes to it alone."
        )
    }

    /// The way back from a worker's session.
    pub fn back_to(label: &str) -> String {
        format!("Back to “{label}”")
    }

    /// How many workers a session has.
    pub fn number(workers: usize) -> String {
        count(workers, "worker", "workers")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_a_worker_used_is_told_with_its_cost_where_that_is_known() {
            let mut spent = RunUsage { calls: 1, tokens: 1_200, ..RunUsage::default() };
            assert_eq!(used(&spent), "1 call, 1,200 tokens");
            spent.cost = nexus_model::provider::price::Cost::dollars(2);
            assert!(used(&spent).starts_with("1 call, 1,200 tokens, "));
        }
    }
}
