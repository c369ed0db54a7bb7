//! Never changes the mind by itself: a tool says what it wants to write, and `decide` merges that.
//!
//! Owns what a tool is, and the registry of those that there are. Each tool stands in a file of its own under
//! `tools/`.

mod accept_work;
mod edit_file;
mod get_active_file;
mod list_files;
mod read_file;
mod update_nexus_state;
mod write_file;

use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value};

use crate::domain::agent::Agent;
use crate::domain::command::ToolOutcome;
use crate::domain::mind::Mind;
use crate::domain::model::ToolSpec;
use crate::domain::part::{ToolArgs, ToolCall};
use crate::domain::run::Run;
use crate::domain::schema::mismatches;

/// What a tool can see when it runs.
#[derive(Clone)]
pub struct ToolView {
    /// The mind as it is.
    pub mind: Arc<Mind>,
    /// Who asks.
    pub agent: Arc<Agent>,
    /// The run it is asked in.
    pub run: Option<Arc<Run>>,
}

/// Something that an agent may do.
pub trait Tool {
    /// How a model is told of it. The arguments are checked against this before the tool runs.
    fn spec(&self) -> ToolSpec;

    /// Whether it is on offer in this run.
    fn is_offered(&self, _run: Option<&Run>) -> bool {
        true
    }

    /// Does it. Dropping the future stops it.
    fn run(&self, view: ToolView, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome>;
}

/// The tools that there are.
#[derive(Clone)]
pub struct Registry {
    tools: Vec<Rc<dyn Tool>>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            tools: vec![
                Rc::new(update_nexus_state::UpdateNexusState),
                Rc::new(get_active_file::GetActiveFile),
                Rc::new(list_files::ListFiles),
                Rc::new(read_file::ReadFile),
                Rc::new(write_file::WriteFile),
                Rc::new(edit_file::EditFile),
                Rc::new(accept_work::AcceptWork),
            ],
        }
    }
}

impl Registry {
    /// A registry with one tool more; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, tool: Rc<dyn Tool>) -> Self {
        let name = tool.spec().name;
        self.tools.retain(|other| other.spec().name != name);
        self.tools.push(tool);
        self
    }

    /// The names of all tools.
    pub fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.spec().name).collect()
    }

    /// The tools on offer to an agent in a run.
    pub fn offered(&self, agent: &Agent, run: Option<&Run>) -> Vec<ToolSpec> {
        self.tools
            .iter()
            .filter(|tool| tool.is_offered(run))
            .map(|tool| tool.spec())
            .filter(|spec| agent.permissions.allow_tool(&spec.name))
            .collect()
    }

    /// Runs a call, if the agent may and the arguments fit; otherwise says why not.
    pub async fn run(&self, call: &ToolCall, view: ToolView) -> ToolOutcome {
        let offered =
            |tool: &&Rc<dyn Tool>| tool.spec().name == call.name && tool.is_offered(view.run.as_deref());
        let Some(tool) = self.tools.iter().find(offered) else {
            return ToolOutcome::Failed { message: format!("There is no tool named {}.", call.name) };
        };
        if !view.agent.permissions.allow_tool(&call.name) {
            return ToolOutcome::Denied { message: format!("You are not allowed to use {}.", call.name) };
        }
        let args = match &call.args {
            ToolArgs::Broken(_) => {
                return ToolOutcome::Failed {
                    message: "The arguments are not valid JSON. Nothing was run. Send the call again."
                        .to_owned(),
                };
            }
            ToolArgs::Parsed(args) => args,
        };
        let found = mismatches(&tool.spec().parameters, args);
        let Value::Object(args) = args else {
            return ToolOutcome::Failed {
                message: "The arguments must be an object. Nothing was run.".to_owned(),
            };
        };
        if !found.is_empty() {
            let message = format!("The arguments do not fit: {}. Nothing was run.", found.join("; "));
            return ToolOutcome::Failed { message };
        }
        if let Some(file) = touched_file(args)
            && !view.agent.permissions.allow_file(file)
        {
            return ToolOutcome::Denied { message: format!("You are not allowed to touch {file}.") };
        }
        tool.run(view, args.clone()).await
    }
}

/// The file that a call names.
fn touched_file(args: &Map<String, Value>) -> Option<&str> {
    args.get("name").or_else(|| args.get("activeFileName")).and_then(Value::as_str)
}

/// A text argument.
fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str)
}

/// A line number argument, as an index from 1.
fn line(args: &Map<String, Value>, name: &str) -> Option<usize> {
    let number = args.get(name).and_then(Value::as_f64)?;
    // The schema asks for whole numbers from 1 on.
    (number >= 1.0).then(|| number.min(f64::from(u32::MAX)) as usize)
}

/// An outcome that is ready at once.
fn at_once(outcome: ToolOutcome) -> LocalBoxFuture<'static, ToolOutcome> {
    Box::pin(std::future::ready(outcome))
}

/// A successful outcome that only tells something.
fn told(result: Value) -> ToolOutcome {
    ToolOutcome::Done { result, writes: Vec::new(), verdict: None }
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
