//! Ports for terminals on the operator's machine: WebSockets to ttyd, and the terminals of a tab ([`Terminals`]).
//! Loaded lazily.

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::LocalBoxFuture;

use nexus_model::id::SessionId;
use nexus_model::run::terminal::{TerminalSpec, TerminalTurn};
use nexus_text::terminal::Span;

/// What happened to a WebSocket.
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

/// An open WebSocket and its events.
pub type OpenSocket = (Box<dyn Socket>, UnboundedReceiver<SocketEvent>);

/// Opens WebSockets with the subprotocol `tty`.
pub trait Sockets {
    /// `None` if the browser rejects the address.
    fn open(&self, address: &str) -> Option<OpenSocket>;
}

/// The terminal of a node of a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TerminalKey {
    pub session: SessionId,
    pub node: String,
}

/// Connection state of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalState {
    #[default]
    Detached,
    Connecting,
    Attached,
    /// The WebSocket closed with this code.
    Closed(u16),
}

/// A snapshot of a terminal for display.
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

/// Result of a turn in a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalLog {
    pub log: String,
    /// The exit status of its command; `None` if a prompt ended the turn.
    pub exit: Option<i32>,
}

/// Why a turn in a terminal failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalError {
    /// Nothing responds at the address, or the secret path is wrong.
    Unreachable,
    /// The connection closed during the turn.
    Lost,
    /// It exceeded its time limit.
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
    /// Sends text as if it were pasted.
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
