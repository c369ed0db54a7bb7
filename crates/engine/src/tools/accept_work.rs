//! The tool `accept_work`, offered while a run repeats until the work is accepted.
//!
//! Never ends a run: the verdict is recorded and applied at the end of the round.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::run::Run;
use nexus_model::tool::ToolClass;

pub(super) struct AcceptWork;

impl Tool for AcceptWork {
    fn class(&self) -> ToolClass {
        ToolClass::Mind
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "accept_work".to_owned(),
            description:
                "Gives your verdict on the work against the definition of done. accepted: true ends the \
                          work; false sends it into another round. Only for the agent that reviews."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "accepted": { "type": "boolean" },
                    "reasons": { "type": "string", "minLength": 1, "description": "Point by point." },
                },
                "required": ["accepted", "reasons"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_offered(&self, run: Option<&Run>) -> bool {
        run.is_some_and(Run::keeps_going)
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        // Whoever speaks last in a round judges it; a builder that accepts its own work proves nothing.
        let reviewer = view.run.as_deref().and_then(last_speaker);
        if reviewer.is_some_and(|key| *key != view.agent.key) {
            let message =
                "Only the agent that speaks last in a round, the reviewer, can accept the work.".to_owned();
            return at_once(ToolOutcome::Failed { message });
        }
        let accepted = args.get("accepted") == Some(&Value::Bool(true));
        let reasons = text(&args, "reasons").unwrap_or_default().to_owned();
        let result = json!({ "ok": true, "noted": if accepted { "accepted" } else { "not accepted" } });
        at_once(ToolOutcome::Done { result, writes: Vec::new(), verdict: Some((accepted, reasons)) })
    }
}

fn last_speaker(run: &Run) -> Option<&nexus_model::id::AgentKey> {
    run.nodes
        .iter()
        .max_by_key(|node| (std::cmp::Reverse(node.priority), node.place))
        .and_then(|node| node.agent.as_ref())
}
