//! Texts of the conversation.

use crate::strings::prelude::*;

pub mod message_actions;

/// Ideas for a new session: name and message.
pub const STARTERS: [(Text, Text); 4] = texts! {
    "Build a small app" =>
        "Build a tip calculator for a small restaurant, as one web page that works on a phone. Add tests.",
    "Review my files" =>
        "Review the files of this session. List what is wrong, the worst first, then fix the worst.",
    "Plan first" =>
        "Before you write anything: ask me what is unclear, and put the steps into the scratchpad.",
    "Write a text" =>
        "Write a one-page announcement of what we build here, for people who have not heard of it.",
};

pub mod queue {
    use crate::strings::prelude::*;

    pub const WAITING: Text = Text("Queued messages");
    pub const CHOICE: Text = Text("Delivery of this message during a run");
    pub const CHANGE: Text = Text("Delivery of this queued message");
    pub const FIELD: Text = Text("Queued message");
    pub const SEND_HELD: Text = Text("Send now");
    pub const HELD: Text = Text("held");
    pub const WAITS_FOR_RUN: Text =
        Text("The run is paused. Queued messages wait until you resume or end it.");
    pub const RESUME_AND_SEND: Text = Text("Resume with it");
    pub const END_AND_SEND: Text = Text("End run and send");
    pub const TAKEN: Text = Text("That message was already sent");
    pub const TAKEN_ADVICE: Text = Text("Sent unchanged. Your edit is in the message box.");
    pub const TO_ALL: Text = Text("to all");

    texts! {
        pub fn to(names: &str) = "to {names}";
        pub fn mode(mode: QueueMode) -> &'static str {
            QueueMode::Steer => "Steer";
            QueueMode::FollowUp => "Follow up";
            QueueMode::Collect => "Collect";
            QueueMode::Interrupt => "Interrupt";
        }

        pub fn about(mode: QueueMode) -> &'static str {
            QueueMode::Steer => "is added to the current run before the next agent answers";
            QueueMode::FollowUp => "waits for this run to end, then starts its own";
            QueueMode::Collect => "waits, and is answered together with the other collected messages";
            QueueMode::Interrupt => "stops this run now and starts its own; work so far is kept";
        }

        pub fn held(messages: usize) -> String {
            1 => "1 queued message is held.";
            many => "{many} queued messages are held.";
        }

        pub fn withdrawn(messages: usize) -> String {
            1 => "Queued message removed";
            many => "{many} queued messages removed";
        }
    }

    pub fn in_full(of: QueueMode) -> String {
        format!("{}: {}", mode(of), about(of))
    }
}

pub fn message_hint(agent: Option<&str>) -> String {
    text!("Message {}… @agent #file /command", agent.unwrap_or(tr("all agents")))
}

texts! {
    pub fn no_such_command(name: &str) -> Notice = "There is no command /{name}.",
        "Type / to see all commands. Put a space before it to send it as a message.";
    pub fn no_such_agent(name: &str) = "No agent is called “{name}”. Type @ to choose one.";
}

pub mod message_overrides {
    use crate::strings::prelude::*;
    use crate::strings::settings;
    use nexus_model::agent::permission::PermissionDecision;
    use nexus_model::llm::Thinking;

    pub const OPEN: Text = Text("Message options");
    pub const TITLE: Text = Text("Options for this message");
    pub const ABOUT: Text = Text(
        "Applies to all turns that answer this message and to their subagents. What is denied elsewhere stays denied.",
    );
    pub const OWN_MODEL: Text = Text("Each agent’s own model");
    pub const CHOOSE_MODEL: Text =
        Text("Reasoning effort and temperature can be changed with a model, or in a message to one agent.");
    pub const USUAL: Text = Text("Default");
    pub const DONE: Text = Text("Done");
    pub const CLEAR: Text = Text("Reset to defaults");
    pub const HELD: Text = Text("Applied to this message only");

    texts! {
        pub fn name(name: &str) -> String {
            "*" => "All tools";
            "@mind" => "Objective and scratchpad";
            "@files" => "Files";
            "@network" => "Network";
            "@checks" => "Checks";
            "@code" => "Code execution";
            "@lent" => "Tools of the host page";
            other => { reveal(other) };
        }
    }

    pub fn model_in_force(model: &str, thinking: Thinking) -> String {
        let short = model_name(model.rsplit('/').next().unwrap_or(model));
        if thinking == Thinking::Auto {
            return short;
        }
        format!("{short} · {}", settings::thinking(thinking))
    }

    pub fn models_in_force(number: usize) -> String {
        count(number, "model", "models")
    }

    pub fn held(over: &MessageOverrides) -> String {
        let model = over.config.iter().map(|config| {
            let thinking = (config.thinking != Thinking::Auto)
                .then(|| format!("{}: {}", settings::THINKING, settings::thinking(config.thinking)));
            let temperature = config.temperature.map(|one| format!("{}: {one}", settings::TEMPERATURE));
            let all = [Some(model_name(&config.model)), thinking, temperature];
            all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        });
        let tools = over.tools.iter().map(tools).filter(|text| !text.is_empty());
        model.chain(tools).collect::<Vec<_>>().join(" · ")
    }

    pub fn tools(permissions: &Permissions) -> String {
        let lists = [
            (PermissionDecision::Deny, &permissions.tools_denied),
            (PermissionDecision::Ask, &permissions.tools_ask),
            (PermissionDecision::Allow, &permissions.tools_always),
        ];
        let rules = lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(ruling, names)| {
            let names: Vec<_> = names.iter().map(|it| name(it)).collect();
            format!("{}: {}", settings::decision(ruling), names.join(", "))
        });
        rules.collect::<Vec<_>>().join(" · ")
    }
}

/// Builds the message that sends changes back to an agent: the remark, then the quoted changes.
pub mod send_back {
    use crate::strings::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct QuotedChange {
        /// `the objective`, `the scratchpad`, or the file's name.
        pub field: String,
        /// First and last line in the current text, from 1; for removed lines, their former position.
        pub lines: (usize, usize),
        /// The lines with `-` and `+` prefixes.
        pub hunk: String,
    }

    pub fn sent_back(remark: &str, quotes: &[QuotedChange]) -> String {
        let mut out = remark.trim().to_owned();
        for QuotedChange { field, lines: (first, last), hunk } in quotes {
            let lines = if last > first { text!("lines {first}–{last}") } else { text!("line {first}") };
            let fence = fence_of(hunk);
            let space = if out.is_empty() { "" } else { "\n\n" };
            out.push_str(&text!("{space}Your change to {field}, {lines}:\n\n{fence}diff\n{hunk}{fence}"));
        }
        out
    }

    /// A fence longer than each run of backticks in a text.
    pub(crate) fn fence_of(text: &str) -> String {
        let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
        "`".repeat(longest.saturating_add(1).max(3))
    }

    #[cfg(test)]
    mod tests;
}

/// Strings of workers: cards, notices, sessions, limits.
pub mod workers {
    use crate::strings::prelude::*;
    use nexus_model::session::workers::WorkerState;

    pub const OPEN: Text = Text("Open");
    pub const MERGE: Text = Text("Merge…");
    pub const MERGE_ABOUT: Text =
        Text("Some files of this subagent are not in this session. Compare them and choose what to take.");
    pub const END: Text = Text("End");
    pub const NEEDED: Text = Text("Subagents that need you");
    pub const REPORT: Text = Text("Report");
    pub const GONE: Text = Text("Its session is no longer on this device.");

    pub const ROLE_ABOUT: Text = Text(
        "A manager delegates tasks and takes none from other agents; a worker takes tasks and delegates none. A subagent never has more permissions than the agent that started it.",
    );

    pub fn works_on(name: &str, title: &str) -> String {
        format!("{name}: {title}")
    }

    pub fn used(used: &RunUsage) -> String {
        let calls = count(used.calls, "call", "calls");
        let mut text = text!("{calls}, {} tokens", tokens(used.tokens));
        if used.cost.0 > 0 {
            text.push_str(&format!(", {}", money(used.cost)));
        }
        text
    }

    texts! {
        pub fn conflicts(files: &[String]) =
            "Not merged: {}. The same lines were changed here meanwhile. The subagent’s version is in its session.", files.join(", ");
        pub fn is_worker(name: &str, from: &str) =
            "Subagent session: {name} works on a task from “{from}”. Messages to all agents reach only {name}.";
        pub fn back_to(label: &str) = "Back to “{label}”";

        pub fn state(state: &WorkerState) -> &'static str {
            WorkerState::Working => "working";
            WorkerState::AwaitsApproval(_) => "needs approval";
            WorkerState::Paused(_) => "waiting for you";
            WorkerState::Ended(WorkerEnd::Done) => "done";
            WorkerState::Ended(WorkerEnd::Failed) => "failed";
            WorkerState::Ended(WorkerEnd::Stopped) => "stopped";
            WorkerState::Ended(WorkerEnd::Lost) => "gone";
        }
    }

    pub fn needs(name: &str, title: &str, asks: bool) -> String {
        if asks {
            text!("{name} asks to use a tool: {title}")
        } else {
            text!("{name} is waiting for you: {title}")
        }
    }

    pub fn number(workers: usize) -> String {
        count(workers, "subagent", "subagents")
    }

    #[cfg(test)]
    mod tests;
}

pub mod race {
    use crate::strings::prelude::*;
    use crate::strings::status::ending_short;
    use nexus_model::session::workers::Candidate;

    pub const TITLE: Text = Text("Compare models");
    pub const OPEN_AGAIN: Text = Text("Compare models…");
    pub const OPEN_NEW: Text = Text("Compare models on a new prompt…");
    pub const ABOUT: Text = Text(
        "Sends the same prompt to two or three models, side by side. You use one answer; the others stay in the tree.",
    );
    pub const ASKED_AGAIN: Text = Text("The same prompt is sent again, with the files as they were then.");
    pub const ASKED_NEW: Text = Text("Prompt");
    pub const NO_THIRD: Text = Text("No third model");
    pub const START: Text = Text("Start comparison");
    pub const FEW: Text =
        Text("Only one model is available. Add a provider, or test its connection to load its models.");
    pub const TWICE: Text = Text("Choose different models.");
    pub const USE: Text = Text("Use this answer");
    pub const TO_COMPARE: Text = Text("Compare the answers");
    pub const END: Text = Text("End comparison");
    pub const END_ABOUT: Text =
        Text("No answer is used, and the prompt is not sent again. All answers stay in the tree.");
    pub const RUNS: Text = Text("Use an answer as soon as it is complete; the others are stopped then.");
    pub const WAITS: Text = Text("Use one of the answers, use one and merge another, or end the comparison.");
    pub const MERGE: Text = Text("Use, then merge another…");
    pub const USED: Text = Text("The answer is used");
    pub const USED_ADVICE: Text =
        Text("Cancelling the merge does not undo that. The other answers stay in the tree.");
    pub const MERGE_ABOUT: Text =
        Text("Uses this answer, and shows the changes of another one file by file before merging.");
    pub const WAITING: &str = "…";
    pub const NO_CHANGES: Text = Text("No files changed");

    // Why an action is not available.
    pub const NO_RACE: Text = Text("No models are being compared in this session.");
    pub const NOT_THERE: Text = Text("That answer is not complete yet.");

    texts! {
        pub fn with_images(names: &[String]) = "Attached: {}", listed(names);
        pub fn with(number: usize, model: &str) = "Answer {number}, by {model}";
        pub fn use_of(number: usize, model: &str) = "Use answer {number}: {model}";
        pub fn stop_of(number: usize) = "Stop answer {number}";
        pub fn model(number: usize) = "Model {number}";
        pub fn race_summary(name: &str, models: &[String]) = "{name} answers with {}", listed(models);
    }

    pub fn state(lane: &Candidate) -> &'static str {
        match (lane.status, lane.end) {
            (NodeStatus::Blocked, _) if lane.pause.is_some() => tr("waiting for you"),
            (NodeStatus::Blocked, _) => tr("needs approval"),
            (NodeStatus::Done, _) => tr("done"),
            (NodeStatus::Error, Some(end)) => ending_short(end),
            (NodeStatus::Error, None) => tr("stopped"),
            (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => tr("working"),
        }
    }

    pub fn state_name(lane: &Candidate) -> &'static str {
        match (lane.status, lane.end) {
            (NodeStatus::Blocked, _) => "asking",
            (NodeStatus::Done, _) => "done",
            (NodeStatus::Error, Some(TurnEnd::Cancelled) | None) => "stopped",
            (NodeStatus::Error, Some(_)) => "failed",
            (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "working",
        }
    }

    pub fn used(used: &RunUsage) -> String {
        let calls = count(used.calls, "call", "calls");
        let mut text = text!("{calls} · {} tokens", tokens(used.tokens));
        if used.cost.0 > 0 {
            text.push_str(&format!(" · {}", money(used.cost)));
        }
        text
    }

    pub fn touched(touched: &FileChange) -> String {
        changed_lines(&touched.field, touched.lines)
    }

    pub fn tool(name: &str, times: usize) -> String {
        if times > 1 { format!("{name} ×{times}") } else { name.to_owned() }
    }
}
