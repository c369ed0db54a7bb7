//! Ports for terminals on the operator's machine: WebSockets to ttyd, and what holds them ([`Terminals`]). Loaded lazily.

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
    /// It is closed, with this code.
    Closed(u16),
}

/// An open WebSocket. Dropping it closes it.
pub trait Socket {
    fn send(&self, bytes: &[u8]);
}

/// A WebSocket that was opened, and what happens to it.
pub type OpenSocket = (Box<dyn Socket>, UnboundedReceiver<SocketEvent>);

/// Opens WebSockets with the subprotocol `tty`.
pub trait Sockets {
    /// `None` where the browser refuses the address.
    fn open(&self, address: &str) -> Option<OpenSocket>;
}

/// Which terminal: that of a node of a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TerminalKey {
    pub session: SessionId,
    pub node: String,
}

/// Where a terminal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalState {
    #[default]
    Detached,
    Connecting,
    Attached,
    /// The WebSocket closed with this code.
    Closed(u16),
}

/// A terminal as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalView {
    pub state: TerminalState,
    pub title: String,
    pub rows: Vec<Vec<Span>>,
    /// The row and column of the cursor, where it is shown.
    pub cursor: Option<(usize, usize)>,
    /// Whether arrow keys send application codes.
    pub application_cursor: bool,
}

/// What a turn in a terminal came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalLog {
    pub log: String,
    /// The exit status of its command; `None` where a prompt ended the turn.
    pub exit: Option<i32>,
}

/// Why a turn in a terminal came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalError {
    /// Nothing answers at the address, or its secret path is wrong.
    Unreachable,
    /// The connection closed during the turn.
    Lost,
    /// It took longer than it may.
    TimedOut,
}

/// The terminals that this tab is attached to. Only what the operator allowed may be opened here.
pub trait Terminals {
    /// Attaches to a terminal, or stays attached. The secret path is kept as long as the tab is open.
    fn attach(&self, key: &TerminalKey, terminal: &TerminalSpec, secret: &str);
    fn detach(&self, key: &TerminalKey);
    fn view(&self, key: &TerminalKey) -> TerminalView;
    /// Tells of each change until the receiver is dropped.
    fn changes(&self, key: &TerminalKey) -> UnboundedReceiver<()>;
    fn send(&self, key: &TerminalKey, keys: &str);
    /// Sends text as if it were pasted.
    fn paste(&self, key: &TerminalKey, text: &str);
    fn resize(&self, key: &TerminalKey, columns: usize, rows: usize);
    /// Types a line and gives the screen once it is quiet; only the screen where there is no line.
    fn read(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        line: Option<String>,
    ) -> LocalBoxFuture<'static, Result<String, TerminalError>>;
    /// Has a turn. Dropping the future interrupts what runs.
    fn turn(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        turn: TerminalTurn,
        limit_ms: u64,
    ) -> LocalBoxFuture<'static, Result<TerminalLog, TerminalError>>;
}
