//! The tools that agents call. Each file under `tools/` has a tool's input and implementation.
//!
//! A tool never changes the mind itself: it reads `ToolContext::mind`, which lacks what the agent may not see, and
//! returns what to write; `decide` merges that. An image is a file too, and has no lines.
//!
//! The executor checks the arguments against the schema, the permissions, and the arguments `name` and `activeFileName`
//! against the agent's sandbox, and ends a tool after its time limit. A tool checks other file names itself
//! (`ToolContext::check_file_access`).
//!
//! The class says what a tool accesses, and so whether it asks if no rule applies (`agent::permission`). If it must ask
//! and only proposes writes to the mind, it runs once to make the proposal that the operator sees.

pub mod executor;
mod files;
mod input;
mod read_preview_console;
mod run_checks;
mod work;

use crate::client::LatestPreview;
use crate::lazy::CodecLoader;
use crate::prelude::*;
use input::{InputField, ToolInput, schema};
use nexus_model::agent::permission::{PermissionDecision, ToolRule};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::sandbox::VisibleMind;
use nexus_model::run::graph::is_in_workspace;
use nexus_model::tool::{ToolClass, argument_errors};
use serde_json::Map;

pub use crate::tools::run_checks::LastChecks;

/// All tools, in the order in which models see them.
static TOOLS: &[ErasedTool] = &[
    ErasedTool::of::<files::UpdateNexusState>(),
    ErasedTool::of::<files::GetActiveFile>(),
    ErasedTool::of::<files::ListFiles>(),
    ErasedTool::of::<files::ReadFile>(),
    ErasedTool::of::<files::WriteFile>(),
    ErasedTool::of::<files::EditFile>(),
    ErasedTool::of::<files::RenameFile>(),
    ErasedTool::of::<files::DeleteFile>(),
    ErasedTool::of::<files::FindInFiles>(),
    ErasedTool::of::<work::AcceptWork>(),
    ErasedTool::of::<work::Delegate>(),
    ErasedTool::of::<read_preview_console::ReadPreviewConsole>(),
    ErasedTool::of::<work::HandOff>(),
    ErasedTool::of::<work::AddNode>(),
    ErasedTool::of::<work::AddEdge>(),
    ErasedTool::of::<work::AskOperator>(),
    ErasedTool::of::<work::FinishRun>(),
    run_checks::RUN_CHECKS,
    work::SEND_TO_TERMINAL,
    work::READ_TERMINAL,
];

const HIDDEN_ACTIVE: &str = "A file is active that you are not allowed to see.";

/// What a tool may see and use in one call.
#[derive(Clone)]
pub struct ToolContext {
    /// The part of the current mind that the agent may see.
    pub mind: VisibleMind,
    pub agent: Arc<Agent>,
    /// Its permissions here, including inherited ones.
    pub permissions: EffectivePermissions,
    pub run: Option<Arc<Run>>,
    pub rules: Arc<[ToolRule]>,
    pub approved: bool,
    pub previews: LatestPreview,
    pub parts: Rc<dyn CodecLoader>,
    /// The terminals of the run's nodes that agents may use.
    pub terminals: VecMap<String, TerminalSpec>,
    /// The files that the turn's node may write; all if empty.
    pub writes: Vec<String>,
    pub last_checks: Vec<LastChecks>,
}

impl ToolContext {
    /// Rejects a call on a file that the agent may not access.
    fn check_file_access(&self, file: &str) -> Result<(), Box<ToolOutcome>> {
        if self.permissions.allow_file(file) {
            return Ok(());
        }
        Err(denied(format!("You are not allowed to touch {file}.")).into())
    }

    /// The decision about a call. One that changes the plan may write a file with it, which a message may have denied.
    fn decision(&self, tool: &ErasedTool, args: &ToolArgs) -> PermissionDecision {
        let of = |class| self.permissions.decision(&self.rules, tool.name, class);
        let writes_file = matches!(args, ToolArgs::Parsed(args)
            if files::FILE_ARGUMENTS.iter().any(|name| args.get(name).is_some()));
        if writes_file { of(tool.class).max(of(ToolClass::Files)) } else { of(tool.class) }
    }

    /// Rejects an outcome that writes outside the node's workspace.
    fn check_workspace(&self, outcome: ToolOutcome) -> ToolOutcome {
        let ToolOutcome::Done { writes, .. } = &outcome else { return outcome };
        let outside =
            writes.iter().flat_map(MindWrite::files).find(|file| !is_in_workspace(&self.writes, file));
        match outside {
            None => outcome,
            Some(file) => {
                let own = self.writes.join(", ");
                denied(format!("In this run you may write only {own}, not {file}."))
            }
        }
    }
}

enum ToolGate<'c> {
    Open(CheckedCall<'c>),
    /// The operator must approve it; with the proposed writes, if they can be computed.
    Ask(Vec<MindWrite>),
    /// It does not run; the reason.
    Closed(ToolOutcome),
}

trait Tool: ToolInput {
    fn is_offered(_run: Option<&Run>) -> bool {
        true
    }

    fn suits(_agent: &Agent) -> bool {
        true
    }

    /// What the call does; the error says why it does nothing.
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>>;
}

/// Runs a tool with valid arguments. Dropping the future aborts it.
type RunTool = fn(&ToolContext, &Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome>;

struct ErasedTool {
    name: &'static str,
    class: ToolClass,
    about: &'static str,
    fields: &'static [InputField],
    is_offered: fn(Option<&Run>) -> bool,
    suits: fn(&Agent) -> bool,
    run: RunTool,
}

impl ErasedTool {
    const fn of<T: Tool>() -> Self {
        let run: RunTool = |view, args| {
            let input = T::read(args).ok_or_else(|| invalid_arguments("not read").into());
            let outcome = input.and_then(|input| input.run(view)).unwrap_or_else(|failure| *failure);
            Box::pin(std::future::ready(outcome))
        };
        Self { is_offered: T::is_offered, suits: T::suits, ..Self::of_input::<T>(run) }
    }

    /// A tool that is always offered, to every agent.
    const fn of_input<I: ToolInput>(run: RunTool) -> Self {
        Self {
            name: I::NAME,
            class: I::CLASS,
            about: I::ABOUT,
            fields: I::FIELDS,
            is_offered: |_| true,
            suits: |_| true,
            run,
        }
    }

    /// Its description for models. Arguments are checked against it before the tool runs.
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.about.trim_start().to_owned(),
            parameters: schema(self.fields),
        }
    }
}

/// The tools offered to an agent in a run: all that are not denied.
pub fn offered(
    agent: &Agent,
    permissions: &EffectivePermissions,
    run: Option<&Run>,
    rules: &[ToolRule],
) -> Vec<ToolSpec> {
    let tools = TOOLS.iter().filter(|tool| (tool.is_offered)(run) && (tool.suits)(agent));
    tools
        .filter(|tool| permissions.decision(rules, tool.name, tool.class) != PermissionDecision::Deny)
        .map(ErasedTool::spec)
        .collect()
}

/// All tools by name, with their class, for the settings.
pub fn all() -> impl Iterator<Item = (String, ToolClass)> {
    TOOLS.iter().map(|tool| (tool.name.to_owned(), tool.class))
}

/// Decides whether a call may run. The operator is not asked about calls that would fail anyway.
fn gate<'c>(call: &'c ToolCall, view: &ToolContext) -> ToolGate<'c> {
    let CheckedCall { tool, args } = match checked(call, view) {
        Ok(checked) => checked,
        Err(outcome) => return ToolGate::Closed(*outcome),
    };
    if view.approved || view.decision(tool, &call.args) == PermissionDecision::Allow {
        return ToolGate::Open(CheckedCall { tool, args });
    }
    let dry_run = if tool.class.only_proposes() { (tool.run)(view, args).now_or_never() } else { None };
    let dry_run = dry_run.map(|outcome| view.check_workspace(outcome));
    match dry_run {
        Some(ToolOutcome::Done { writes, .. }) => ToolGate::Ask(writes),
        Some(error @ (ToolOutcome::Failed { .. } | ToolOutcome::Denied { .. })) => ToolGate::Closed(error),
        Some(ToolOutcome::TimedOut | ToolOutcome::Delegate(_) | ToolOutcome::Graph(_)) | None => {
            ToolGate::Ask(Vec::new())
        }
    }
}

/// Runs a call if its gate is open; otherwise returns why not.
async fn run(call: &ToolCall, view: ToolContext) -> ToolOutcome {
    match gate(call, &view) {
        ToolGate::Open(CheckedCall { tool, args }) => view.check_workspace((tool.run)(&view, args).await),
        ToolGate::Ask(_) => denied(format!("{} runs only when the operator allows it.", call.name)),
        ToolGate::Closed(outcome) => outcome,
    }
}

/// The tool of a call and its arguments, if the call is not denied and the arguments are valid.
fn checked<'c>(call: &'c ToolCall, view: &ToolContext) -> Result<CheckedCall<'c>, Box<ToolOutcome>> {
    let is_called = |tool: &&ErasedTool| tool.name == call.name && (tool.is_offered)(view.run.as_deref());
    let Some(tool) = TOOLS.iter().find(is_called) else {
        return Err(failed(format!("There is no tool named {}.", call.name)).into());
    };
    if view.decision(tool, &call.args) == PermissionDecision::Deny {
        return Err(denied(format!("You are not allowed to use {}.", call.name)).into());
    }
    let args = match &call.args {
        ToolArgs::Broken(_) => {
            let message = "The arguments are not valid JSON. Nothing was run. Send the call again.";
            return Err(failed(message).into());
        }
        ToolArgs::Parsed(args) => args,
    };
    let errors = argument_errors(&schema(tool.fields), args);
    let (Value::Object(args), []) = (args, &*errors) else {
        return Err(invalid_arguments(&errors.join("; ")).into());
    };
    let touched = args.get("name").or_else(|| args.get("activeFileName"));
    if let Some(file) = touched.and_then(Value::as_str) {
        view.check_file_access(file)?;
    }
    Ok(CheckedCall { tool, args })
}

fn invalid_arguments(why: &str) -> ToolOutcome {
    failed(format!("The arguments do not fit: {why}. Nothing was run."))
}

struct CheckedCall<'c> {
    tool: &'static ErasedTool,
    args: &'c Map<String, Value>,
}

fn failed(message: impl Into<String>) -> ToolOutcome {
    ToolOutcome::Failed { message: message.into() }
}

fn denied(message: impl Into<String>) -> ToolOutcome {
    ToolOutcome::Denied { message: message.into() }
}

/// A result with a note for the model, if there is one.
fn noted(mut result: Value, note: Option<impl Into<Value>>) -> Value {
    if let (Some(note), Some(result)) = (note, result.as_object_mut()) {
        result.insert("note".to_owned(), note.into());
    }
    result
}

/// A successful outcome without writes.
fn done(result: Value) -> ToolOutcome {
    ToolOutcome::Done { result, writes: Vec::new(), verdict: None }
}

fn report(result: Value) -> Result<ToolOutcome, Box<ToolOutcome>> {
    Ok(done(result))
}

fn wrote(result: Value, writes: Vec<MindWrite>) -> Result<ToolOutcome, Box<ToolOutcome>> {
    Ok(ToolOutcome::Done { result, writes, verdict: None })
}

#[cfg(test)]
mod tests;
