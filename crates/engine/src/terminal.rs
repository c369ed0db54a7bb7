//! Terminals on the operator's machine: a connection and a screen for each, and turns that are typed into them.
//!
//! Loaded lazily. Opens any terminal on request: the caller has the operator's consent. Uses ttyd's protocol over
//! WebSocket: binary messages whose first byte is their type. The client begins with a JSON object; only then ttyd
//! starts the program and sends its output.

use crate::port::Spawn;
use crate::port::lazy::{
    Socket, SocketEvent, Sockets, TerminalError, TerminalKey, TerminalLog, TerminalState, TerminalView,
    Terminals,
};
use crate::prelude::*;
use futures_channel::mpsc::{UnboundedSender, unbounded};
use nexus_model::limits::TERMINAL_LOG_BYTES;
use nexus_model::run::terminal::{TerminalTurn, behind};
use nexus_text::terminal::Screen;
use std::rc::Weak;

const POLL_MS: u64 = 100;
/// Number of unchanged polls after which a screen is quiet: after it was opened or a line was typed, and before a
/// prompt counts as returned.
const QUIET_POLLS: u32 = 4;
const PROMPT_POLLS: u32 = 15;
/// Max polls for a terminal to open, and for a line to be answered.
const OPEN_POLLS: u32 = 100;
const ANSWER_POLLS: u32 = 100;

pub struct TerminalHub {
    sockets: Rc<dyn Sockets>,
    clock: Rc<dyn Clock>,
    spawn: Rc<dyn Spawn>,
    links: RefCell<VecMap<TerminalKey, Rc<Link>>>,
    listeners: Rc<RefCell<VecMap<TerminalKey, Vec<UnboundedSender<()>>>>>,
    secrets: RefCell<VecMap<String, String>>,
}

struct Link {
    address: String,
    state: Cell<TerminalState>,
    screen: RefCell<Screen>,
    socket: RefCell<Option<Box<dyn Socket>>>,
    received: Cell<u64>,
}

impl Link {
    fn keys(&self, keys: &[u8]) {
        if let Some(socket) = self.socket.borrow().as_ref().filter(|_| !keys.is_empty()) {
            socket.send(&[b"0", keys].concat());
        }
    }

    fn paste(&self, text: &str) {
        // Control characters are keys: an end-of-paste code would end the paste early.
        let is_text = |letter: &char| !letter.is_control() || matches!(letter, '\n' | '\t');
        let text: String = text.chars().filter(is_text).collect();
        let keys = match self.screen.borrow().bracketed_paste {
            true => format!("\x1b[200~{}\x1b[201~", text.replace('\n', "\r")),
            false => text.replace('\n', "\r"),
        };
        self.keys(keys.as_bytes());
    }

    fn handle(&self, event: SocketEvent) {
        match event {
            SocketEvent::Opened => {
                self.state.set(TerminalState::Attached);
                let size = self.screen.borrow().size();
                if let Some(socket) = self.socket.borrow().as_ref() {
                    socket.send(&hello(size));
                }
            }
            SocketEvent::Message(message) => {
                self.received.set(self.received.get().wrapping_add(1));
                // Other messages are titles and preferences.
                if let Some(output) = message.strip_prefix(b"0") {
                    self.screen.borrow_mut().feed(output);
                    let replies = self.screen.borrow_mut().take_replies();
                    self.keys(&replies);
                }
            }
            SocketEvent::Closed(code) => {
                self.state.set(TerminalState::Closed(code));
                self.socket.replace(None);
            }
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.state.get(), TerminalState::Connecting | TerminalState::Attached)
    }

    fn text_since(&self, line: usize) -> String {
        self.screen.borrow().text_since(line)
    }

    /// True if the cursor's line starts with the prompt.
    fn is_at(&self, prompt: &str) -> bool {
        let line = self.screen.borrow().cursor_line();
        self.text_since(line).starts_with(prompt.trim_end())
    }

    /// Waits until something was received and the screen is unchanged for `looks` polls.
    async fn quiet(&self, clock: &dyn Clock, polls: u32, most: u32) -> Result<(), TerminalError> {
        let (mut last_received, mut quiet) = (self.received.get(), 0);
        for _ in 0..most {
            clock.sleep(POLL_MS).await;
            if !self.is_open() {
                return Err(TerminalError::Unreachable);
            }
            let received = self.received.get();
            quiet = if received == last_received { quiet + 1 } else { 0 };
            last_received = received;
            if quiet >= polls && received > 0 {
                return Ok(());
            }
        }
        if self.received.get() > 0 { Ok(()) } else { Err(TerminalError::Unreachable) }
    }

    async fn turn(
        &self,
        clock: &dyn Clock,
        turn: &TerminalTurn,
        prompt: &str,
        limit_ms: u64,
    ) -> Result<TerminalLog, TerminalError> {
        self.quiet(clock, QUIET_POLLS, OPEN_POLLS).await?;
        let mut interrupts = Interrupt { link: self, is_armed: true };
        let begin = self.screen.borrow().cursor_line();
        let (mut last_received, mut quiet) = (self.received.get(), 0);
        if turn.command.is_empty() {
            self.paste(&turn.pack);
            self.keys(b"\r");
        } else {
            self.keys(turn.keys().as_bytes());
        }
        for _ in 0..limit_ms / POLL_MS {
            clock.sleep(POLL_MS).await;
            if !self.is_open() {
                interrupts.is_armed = false;
                return Err(TerminalError::Lost);
            }
            let received = self.received.get();
            let is_new = received != last_received;
            quiet = if is_new { 0 } else { quiet + 1 };
            last_received = received;
            let ended = if turn.command.is_empty() {
                let is_back = quiet == PROMPT_POLLS && self.is_at(prompt);
                is_back.then(|| (self.text_since(begin), None))
            } else if is_new {
                turn.end(&self.text_since(begin)).map(|(log, exit)| (log, Some(exit)))
            } else {
                None
            };
            if let Some((log, exit)) = ended {
                interrupts.is_armed = false;
                return Ok(TerminalLog { log: tail(log), exit });
            }
        }
        Err(TerminalError::TimedOut)
    }
}

/// The end of a log, up to the size limit.
fn tail(log: String) -> String {
    let over = log.ceil_char_boundary(log.len().saturating_sub(TERMINAL_LOG_BYTES));
    log.get(over..).unwrap_or_default().to_owned()
}

/// Interrupts the program of a turn unless the turn has ended.
struct Interrupt<'l> {
    link: &'l Link,
    is_armed: bool,
}

impl Drop for Interrupt<'_> {
    fn drop(&mut self) {
        if self.is_armed {
            self.link.keys(b"\x03");
        }
    }
}

impl TerminalHub {
    pub fn new(sockets: Rc<dyn Sockets>, clock: Rc<dyn Clock>, spawn: Rc<dyn Spawn>) -> Self {
        Self {
            sockets,
            clock,
            spawn,
            links: RefCell::default(),
            listeners: Rc::default(),
            secrets: RefCell::default(),
        }
    }

    fn link(&self, key: &TerminalKey) -> Option<Rc<Link>> {
        self.links.borrow().get(key).cloned()
    }

    fn open(&self, key: &TerminalKey, terminal: &TerminalSpec) -> Rc<Link> {
        let before = self.link(key);
        if let Some(link) = before.as_ref().filter(|link| link.address == terminal.address && link.is_open())
        {
            return Rc::clone(link);
        }
        let (columns, rows) = before.map_or((80, 24), |link| link.screen.borrow().size());
        let link = Rc::new(Link {
            address: terminal.address.clone(),
            state: Cell::new(TerminalState::Connecting),
            screen: RefCell::new(Screen::new(columns, rows)),
            socket: RefCell::new(None),
            received: Cell::new(0),
        });
        self.links.borrow_mut().insert(key.clone(), Rc::clone(&link));
        let address = match self.secrets.borrow().get(&terminal.address) {
            Some(secret) => behind(&terminal.address, secret),
            None => terminal.address.clone(),
        };
        match self.sockets.open(&address) {
            Some((socket, mut events)) => {
                link.socket.replace(Some(socket));
                let (weak, listeners, key): (Weak<Link>, _, _) =
                    (Rc::downgrade(&link), Rc::clone(&self.listeners), key.clone());
                self.spawn.spawn(Box::pin(async move {
                    while let Some(event) = events.next().await {
                        let Some(link) = weak.upgrade() else { return };
                        link.handle(event);
                        notify(&listeners, &key);
                    }
                }));
            }
            None => link.state.set(TerminalState::Closed(0)),
        }
        notify(&self.listeners, key);
        link
    }
}

fn notify(listeners: &RefCell<VecMap<TerminalKey, Vec<UnboundedSender<()>>>>, key: &TerminalKey) {
    if let Some(listeners) = listeners.borrow_mut().get_mut(key) {
        listeners.retain(|listener| listener.unbounded_send(()).is_ok());
    }
}

impl Terminals for TerminalHub {
    fn attach(&self, key: &TerminalKey, terminal: &TerminalSpec, secret: &str) {
        if !secret.is_empty() {
            self.secrets.borrow_mut().insert(terminal.address.clone(), secret.to_owned());
        }
        self.open(key, terminal);
    }

    fn detach(&self, key: &TerminalKey) {
        if let Some(link) = self.links.borrow_mut().remove(key) {
            self.secrets.borrow_mut().remove(&link.address);
            link.handle(SocketEvent::Closed(1000));
        }
        notify(&self.listeners, key);
    }

    fn view(&self, key: &TerminalKey) -> TerminalView {
        let Some(link) = self.link(key) else { return TerminalView::default() };
        let screen = link.screen.borrow();
        TerminalView {
            state: link.state.get(),
            title: screen.title().to_owned(),
            rows: screen.rows(),
            cursor: screen.cursor(),
            application_cursor: screen.application_cursor,
        }
    }

    fn changes(&self, key: &TerminalKey) -> UnboundedReceiver<()> {
        let (listener, changes) = unbounded();
        let mut listeners = self.listeners.borrow_mut();
        match listeners.get_mut(key) {
            Some(all) => all.push(listener),
            None => drop(listeners.insert(key.clone(), vec![listener])),
        }
        changes
    }

    fn send(&self, key: &TerminalKey, keys: &str) {
        if let Some(link) = self.link(key) {
            link.keys(keys.as_bytes());
        }
    }

    fn paste(&self, key: &TerminalKey, text: &str) {
        if let Some(link) = self.link(key) {
            link.paste(text);
        }
    }

    fn resize(&self, key: &TerminalKey, columns: usize, rows: usize) {
        let Some(link) = self.link(key) else { return };
        let before = link.screen.borrow().size();
        link.screen.borrow_mut().resize(columns, rows);
        let size = link.screen.borrow().size();
        if size != before
            && link.state.get() == TerminalState::Attached
            && let Some(socket) = link.socket.borrow().as_ref()
        {
            socket.send(&resize(size));
        }
    }

    fn read(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        line: Option<String>,
    ) -> LocalBoxFuture<'static, Result<String, TerminalError>> {
        let (link, clock) = (self.open(key, terminal), Rc::clone(&self.clock));
        async move {
            link.quiet(&*clock, QUIET_POLLS, OPEN_POLLS).await?;
            if let Some(line) = line {
                let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
                link.keys(format!("{line}\r").as_bytes());
                link.quiet(&*clock, QUIET_POLLS, ANSWER_POLLS).await?;
            }
            let text = link.screen.borrow().text();
            Ok(text)
        }
        .boxed_local()
    }

    fn turn(
        &self,
        key: &TerminalKey,
        terminal: &TerminalSpec,
        turn: TerminalTurn,
        limit_ms: u64,
    ) -> LocalBoxFuture<'static, Result<TerminalLog, TerminalError>> {
        let (link, clock) = (self.open(key, terminal), Rc::clone(&self.clock));
        let prompt = terminal.prompt.clone();
        async move { link.turn(&*clock, &turn, &prompt, limit_ms).await }.boxed_local()
    }
}

/// The first message. Its token is for credentials, which ttyd also expects in a header that pages cannot send.
fn hello((columns, rows): (usize, usize)) -> Vec<u8> {
    json!({ "AuthToken": "", "columns": columns, "rows": rows }).to_string().into_bytes()
}

fn resize((columns, rows): (usize, usize)) -> Vec<u8> {
    format!("1{}", json!({ "columns": columns, "rows": rows })).into_bytes()
}
