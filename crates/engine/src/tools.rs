//! The tool interface and registry. Each tool has its own file under `tools/`.
//!
//! A tool never changes the mind itself: it returns what to write, and `decide` merges that.

mod accept_work;
mod delegate;
mod delete_file;
mod edit_file;
pub mod executor;
mod find_in_files;
mod get_active_file;
mod list_files;
mod read_file;
pub(super) mod read_preview_console;
mod rename_file;
mod update_nexus_state;
mod write_file;

use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{FutureExt as _, LocalBoxFuture};
use serde_json::{Map, Value};

use crate::previews::LatestPreview;
use nexus_model::agent::Agent;
use nexus_model::agent::permission::{PermissionDecision, ToolRule};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::message::content::{ToolArgs, ToolCall};
use nexus_model::mind::MindWrite;
use nexus_model::mind::sandbox::VisibleMind;
use nexus_model::run::Run;
use nexus_model::session::delegation::EffectivePermissions;
use nexus_model::tool::ToolClass;
use nexus_model::tool::schema::mismatches;

/// What an agent is told of an active file that it may not see.
const HIDDEN_ACTIVE: &str = "A file is active that you are not allowed to see.";

/// What a tool can see when it runs.
#[derive(Clone)]
pub struct ToolContext {
    /// What the agent may see of the mind as it is.
    pub mind: VisibleMind,
    pub agent: Arc<Agent>,
    /// What it may do here, with all that stand above it.
    pub standing: EffectivePermissions,
    pub run: Option<Arc<Run>>,
    /// The device's rules.
    pub rules: Arc<[ToolRule]>,
    /// Whether the operator let this very call run.
    pub approved: bool,
}

/// What the gate says of a call.
#[derive(Debug, PartialEq)]
pub enum ToolGate {
    /// It may run.
    Open,
    /// The operator has to allow it; what it would write, as far as that can be tried.
    Ask(Vec<MindWrite>),
    /// It does not run, and why.
    Shut(ToolOutcome),
}

/// Something that an agent may do.
pub trait Tool {
    /// What it reaches, which decides whether the operator is asked where no rule says anything.
    fn class(&self) -> ToolClass;

    /// How a model is told of it. The arguments are checked against this before the tool runs.
    fn spec(&self) -> ToolSpec;

    fn is_offered(&self, _run: Option<&Run>) -> bool {
        true
    }

    fn suits(&self, _agent: &Agent) -> bool {
        true
    }

    /// Does it. Dropping the future stops it.
    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome>;
}

#[derive(Clone)]
pub struct ToolRegistry {
    tools: Vec<Rc<dyn Tool>>,
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self {
            tools: vec![
                Rc::new(update_nexus_state::UpdateNexusState),
                Rc::new(get_active_file::GetActiveFile),
                Rc::new(list_files::ListFiles),
                Rc::new(read_file::ReadFile),
                Rc::new(write_file::WriteFile),
                Rc::new(edit_file::EditFile),
                Rc::new(rename_file::RenameFile),
                Rc::new(delete_file::DeleteFile),
                Rc::new(find_in_files::FindInFiles),
                Rc::new(accept_work::AcceptWork),
                Rc::new(delegate::Delegate),
                // With nothing to tell; the page puts the one in its place that reads its preview.
                Rc::new(read_preview_console::ReadPreviewConsole(LatestPreview::default())),
            ],
        }
    }
}

impl ToolRegistry {
    /// A registry with one tool more; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, tool: Rc<dyn Tool>) -> Self {
        let name = tool.spec().name;
        self.tools.retain(|other| other.spec().name != name);
        self.tools.push(tool);
        self
    }

    /// The tools on offer to an agent in a run: all that are not denied.
    pub fn offered(
        &self,
        agent: &Agent,
        standing: &EffectivePermissions,
        run: Option<&Run>,
        rules: &[ToolRule],
    ) -> Vec<ToolSpec> {
        let tools = self.tools.iter().filter(|tool| tool.is_offered(run) && tool.suits(agent));
        tools
            .map(|tool| (tool.spec(), tool.class()))
            .filter(|(spec, class)| standing.ruling(rules, &spec.name, *class) != PermissionDecision::Deny)
            .map(|(spec, _)| spec)
            .collect()
    }

    /// Every tool by name, with its class, for the settings.
    pub fn all(&self) -> impl Iterator<Item = (String, ToolClass)> {
        self.tools.iter().map(|tool| (tool.spec().name, tool.class()))
    }

    /// Whether a call may run. Nothing is asked of the operator that could not run anyway.
    pub fn gate(&self, call: &ToolCall, view: &ToolContext) -> ToolGate {
        let CheckedCall { tool, args } = match self.checked(call, view) {
            Ok(checked) => checked,
            Err(refused) => return ToolGate::Shut(refused.into()),
        };
        if view.approved
            || view.standing.ruling(&view.rules, &call.name, tool.class()) == PermissionDecision::Allow
        {
            return ToolGate::Open;
        }
        let tried = if tool.class().only_proposes() {
            tool.run(view.clone(), args.clone()).now_or_never()
        } else {
            None
        };
        match tried {
            Some(ToolOutcome::Done { writes, .. }) => ToolGate::Ask(writes),
            Some(refused @ (ToolOutcome::Failed { .. } | ToolOutcome::Denied { .. })) => {
                ToolGate::Shut(refused)
            }
            Some(ToolOutcome::TimedOut | ToolOutcome::Delegate(_)) | None => ToolGate::Ask(Vec::new()),
        }
    }

    /// Runs a call, if the gate is open; otherwise says why not.
    pub async fn run(&self, call: &ToolCall, view: ToolContext) -> ToolOutcome {
        match self.gate(call, &view) {
            ToolGate::Open => {}
            ToolGate::Ask(_) => {
                let message = format!("{} runs only when the operator allows it.", call.name);
                return ToolOutcome::Denied { message };
            }
            ToolGate::Shut(outcome) => return outcome,
        }
        match self.checked(call, &view) {
            Ok(CheckedCall { tool, args }) => tool.run(view.clone(), args.clone()).await,
            Err(refused) => refused.into(),
        }
    }

    /// The tool of a call and its arguments, if the call is not denied and the arguments fit.
    fn checked<'c>(
        &'c self,
        call: &'c ToolCall,
        view: &ToolContext,
    ) -> Result<CheckedCall<'c>, ToolCallError> {
        let offered =
            |tool: &&Rc<dyn Tool>| tool.spec().name == call.name && tool.is_offered(view.run.as_deref());
        let Some(tool) = self.tools.iter().find(offered) else {
            return Err(ToolCallError::Failed(format!("There is no tool named {}.", call.name)));
        };
        if view.standing.ruling(&view.rules, &call.name, tool.class()) == PermissionDecision::Deny {
            return Err(ToolCallError::Denied(format!("You are not allowed to use {}.", call.name)));
        }
        let args = match &call.args {
            ToolArgs::Broken(_) => {
                let words = "The arguments are not valid JSON. Nothing was run. Send the call again.";
                return Err(ToolCallError::Failed(words.to_owned()));
            }
            ToolArgs::Parsed(args) => args,
        };
        let found = mismatches(&tool.spec().parameters, args);
        let Value::Object(args) = args else {
            return Err(ToolCallError::Failed(
                "The arguments must be an object. Nothing was run.".to_owned(),
            ));
        };
        if !found.is_empty() {
            let message = format!("The arguments do not fit: {}. Nothing was run.", found.join("; "));
            return Err(ToolCallError::Failed(message));
        }
        if let Some(file) = touched_file(args)
            && !view.standing.allow_file(file)
        {
            return Err(ToolCallError::Denied(format!("You are not allowed to touch {file}.")));
        }
        Ok(CheckedCall { tool: tool.as_ref(), args })
    }
}

/// A call that is not denied and whose arguments fit.
struct CheckedCall<'c> {
    tool: &'c dyn Tool,
    args: &'c Map<String, Value>,
}

/// Why a call does not run, in words for the model.
enum ToolCallError {
    Failed(String),
    Denied(String),
}

impl From<ToolCallError> for ToolOutcome {
    fn from(refused: ToolCallError) -> Self {
        match refused {
            ToolCallError::Failed(message) => Self::Failed { message },
            ToolCallError::Denied(message) => Self::Denied { message },
        }
    }
}

/// The file that a call names.
fn touched_file(args: &Map<String, Value>) -> Option<&str> {
    args.get("name").or_else(|| args.get("activeFileName")).and_then(Value::as_str)
}

fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str)
}

/// A line number argument, as an index from 1.
fn line(args: &Map<String, Value>, name: &str) -> Option<usize> {
    let number = args.get(name).and_then(Value::as_f64)?;
    // The schema asks for whole numbers from 1 on.
    (number >= 1.0).then(|| number.min(f64::from(u32::MAX)) as usize)
}

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
