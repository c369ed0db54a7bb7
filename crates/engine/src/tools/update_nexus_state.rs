//! The tool `update_nexus_state`: writes any fields of the mind.
//!
//! Fields that the call omits stay unchanged.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

pub(super) struct UpdateNexusState;

impl Tool for UpdateNexusState {
    fn class(&self) -> ToolClass {
        ToolClass::Mind
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "update_nexus_state".to_owned(),
            description: "Changes the shared mind: the objective, the scratchpad (plan and notes), the active file. \
                          Only the fields you give are changed; each replaces the whole field, so keep what is still \
                          true. A new activeFileName makes or switches to that file."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "objective": { "type": "string", "description": "What the work is for." },
                    "scratchpad": { "type": "string", "description": "The whole scratchpad." },
                    "activeFile": { "type": "string", "description": "The whole content of the active file." },
                    "activeFileContent": { "type": "string", "description": "Another name for activeFile." },
                    "activeFileName": { "type": "string", "description": "The name of the active file." },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        at_once(update(&view, &args))
    }
}

fn update(view: &ToolContext, args: &Map<String, Value>) -> ToolOutcome {
    let mut writes = Vec::new();
    let mut updated = Vec::new();
    if let Some(objective) = text(args, "objective") {
        writes.push(MindWrite::Objective(objective.to_owned()));
        updated.push("objective".to_owned());
    }
    if let Some(scratchpad) = text(args, "scratchpad") {
        writes.push(MindWrite::Scratchpad(scratchpad.to_owned()));
        updated.push("scratchpad".to_owned());
    }
    let name = text(args, "activeFileName").map(str::to_owned).or_else(|| view.mind.active.clone());
    let content = text(args, "activeFile").or_else(|| text(args, "activeFileContent"));
    match (name, content) {
        (Some(name), _)
            if !view.standing.allow_file(&name)
                && (content.is_some() || args.contains_key("activeFileName")) =>
        {
            return ToolOutcome::Denied { message: format!("You are not allowed to touch {name}.") };
        }
        (None, Some(_)) if view.mind.hides_active() => {
            let message =
                "You are not allowed to touch the active file. Give activeFileName to write another one.";
            return ToolOutcome::Denied { message: message.to_owned() };
        }
        (None, Some(_)) => {
            return ToolOutcome::Failed {
                message: "There is no active file. Give activeFileName together with activeFile.".to_owned(),
            };
        }
        (Some(name), Some(content)) => {
            updated.push(name.clone());
            writes.push(MindWrite::File { name: name.clone(), text: content.to_owned() });
            writes.push(MindWrite::Activate(name));
        }
        (Some(name), None) if args.contains_key("activeFileName") => {
            if view.mind.file(&name).is_none() {
                writes.push(MindWrite::File { name: name.clone(), text: String::new() });
            }
            updated.push(name.clone());
            writes.push(MindWrite::Activate(name));
        }
        (_, None) => {}
    }
    if writes.is_empty() {
        return ToolOutcome::Failed { message: "Nothing to change: give at least one field.".to_owned() };
    }
    ToolOutcome::Done { result: json!({ "ok": true, "updated": updated }), writes, verdict: None }
}
