//! The tool `delegate`: gives a task to a worker.
//!
//! `decide` starts the worker; it knows who may delegate and how deep.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::agent::Agent;
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::session::delegation::{DELEGATE, DelegatedTask, delegates};
use nexus_model::tool::ToolClass;

pub(super) struct Delegate;

impl Tool for Delegate {
    fn class(&self) -> ToolClass {
        ToolClass::Mind
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: DELEGATE.to_owned(),
            description: "Gives a task to a worker and answers at once with the worker's id. The worker works on its own \
                          copy of the files while you go on, sees nothing of this conversation but the task, and may do \
                          no more than you may. When it is done its files are merged into yours, and its report comes \
                          to you as a <report>. Use it for work that stands by itself, above all for several such \
                          pieces at once; do small things yourself."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "task": {
                        "type": "string",
                        "minLength": 1,
                        "description": "All that the worker needs to know: the goal, when it is done, the files it is \
                                        about, what it must leave alone.",
                    },
                    "title": { "type": "string", "description": "The task in a few words, for the operator." },
                    "agent": {
                        "type": "string",
                        "description": "The name of the colleague who is to do it. Without it, the worker is one like you.",
                    },
                },
                "required": ["task"],
                "additionalProperties": false,
            }),
        }
    }

    fn suits(&self, agent: &Agent) -> bool {
        delegates(agent.role)
    }

    fn run(&self, _view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        at_once(ToolOutcome::Delegate(DelegatedTask {
            text: text(&args, "task").unwrap_or_default().to_owned(),
            title: text(&args, "title").unwrap_or_default().to_owned(),
            agent: text(&args, "agent").filter(|name| !name.trim().is_empty()).map(str::to_owned),
        }))
    }
}
