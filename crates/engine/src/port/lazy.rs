//! Ports of code that is loaded lazily: the sandbox for JavaScript checks ([`CheckRunner`]), and terminals on the
//! operator's machine: WebSockets to ttyd, and the terminals of a tab ([`Terminals`]).
//!
//! What a runner returns was written by untrusted code: a check can claim anything of itself.

use std::rc::Rc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use crate::checks::report::{CheckProblem, CheckTest};
use nexus_model::id::SessionId;
use nexus_model::run::terminal::{TerminalSpec, TerminalTurn};
use nexus_text::terminal::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketEvent {
    Opened,
    Message(Vec<u8>),
    /// Closed, with this code.
    Closed(u16),
}

/// An open WebSocket. Dropping it closes it.
pub trait Socket {
    fn send(&self, bytes: &[u8]);
}

pub type OpenSocket = (Box<dyn Socket>, UnboundedReceiver<SocketEvent>);

/// Opens WebSockets with the subprotocol `tty`.
pub trait Sockets {
    /// `None` if the browser rejects the address.
    fn open(&self, address: &str) -> Option<OpenSocket>;
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TerminalKey {
    pub session: SessionId,
    pub node: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalState {
    #[default]
    Detached,
    Connecting,
    Attached,
    /// The WebSocket closed with this code.
    Closed(u16),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalView {
    pub state: TerminalState,
    pub title: String,
    pub rows: Vec<Vec<Span>>,
    /// The row and column of the cursor, if shown.
    pub cursor: Option<(usize, usize)>,
    /// True if arrow keys send application codes.
    pub application_cursor: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalLog {
    pub log: String,
    /// The exit status of its command; `None` if a prompt ended the turn.
    pub exit: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalError {
    /// Nothing responds at the address, or the secret path is wrong.
    Unreachable,
    /// The connection closed during the turn.
    Lost,
    TimedOut,
}

/// The terminals of this tab. Only those that the operator allowed may be opened.
pub trait Terminals {
    /// Attaches to a terminal if needed. The secret path is stored until the tab closes.
    fn attach(&self, key: &TerminalKey, terminal: &TerminalSpec, secret: &str);
    fn detach(&self, key: &TerminalKey);
    fn view(&self, key: &TerminalKey) -> TerminalView;
    /// Signals each change until the receiver is dropped.
    fn changes(&self, key: &TerminalKey) -> UnboundedReceiver<()>;
    fn send(&self, key: &TerminalKey, keys: &str);
    fn paste(&self, key: &TerminalKey, text: &str);
    fn resize(&self, key: &TerminalKey, columns: usize, rows: usize);
    /// Types a line, if given, and returns the screen's text once it is quiet.
    fn read(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        line: Option<String>,
    ) -> LocalBoxFuture<'static, Result<String, TerminalError>>;
    /// Runs a turn. Dropping the future interrupts the program.
    fn turn(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        turn: TerminalTurn,
        limit_ms: u64,
    ) -> LocalBoxFuture<'static, Result<TerminalLog, TerminalError>>;
}

/// Runs check files in isolation: no network, no storage, no page. Dropping the future stops them.
pub trait CheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>>;
}

/// The files that checks may read, and the checks to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckJob {
    pub files: Vec<JobFile>,
    /// Inline scripts of pages, by page name, padded with empty lines to their line in the page. They are parsed but
    /// never run.
    pub pages: Vec<JobFile>,
    /// The check files in the order in which they run, each in a worker of its own.
    pub checks: Vec<String>,
    /// Max time between the starts and ends of tests in a check file, in milliseconds.
    pub silent_ms: u64,
    /// Max time of one test, in milliseconds.
    pub test_ms: u64,
    /// Max time of all check files together, in milliseconds.
    pub total_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobFile {
    pub name: String,
    pub kind: JobFileKind,
    /// The text in pieces. In a module every second piece is an import specifier.
    pub pieces: Vec<String>,
    /// Resolved specifiers in order: `file:NAME` or `builtin:NAME`.
    pub targets: Vec<String>,
}

/// How code can load a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobFileKind {
    /// JavaScript with `import` or `export`.
    Module,
    /// Any other JavaScript: `require` gets its `module.exports`.
    Script,
    /// Anything else; not run.
    Text,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CheckRun {
    pub tests: Vec<CheckTest>,
    pub output: Vec<String>,
    pub dropped: u32,
    /// True if the run took too long or wrote too much.
    pub stopped: bool,
    /// JavaScript files that do not parse.
    pub problems: Vec<CheckProblem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckRunnerError {
    /// There is no sandbox here.
    Unavailable,
    /// The sandbox document could not be loaded.
    Absent,
}

pub type CheckScript = Rc<dyn Fn(&CheckJob) -> Result<CheckRun, CheckRunnerError>>;

/// Answers by a script. Without one there is no sandbox.
#[derive(Clone, Default)]
pub struct InMemoryCheckRunner(pub Option<CheckScript>);

impl CheckRunner for InMemoryCheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>> {
        let answer = self.0.as_ref().map_or(Err(CheckRunnerError::Unavailable), |script| script(&job));
        Box::pin(std::future::ready(answer))
    }
}
