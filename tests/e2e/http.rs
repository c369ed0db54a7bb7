//! Minimal HTTP/1.1 for servers on loopback: reads one request from a socket and writes one response.
//!
//! The static site and the fake provider use it, since both control each byte, and the provider must notice when the
//! browser disconnects. No TLS, no keep-alive, no buffering.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Maximum size of a request body in bytes.
const BODY_LIMIT: usize = 64 << 20;

/// A request as received.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// The path without its query, percent-encoded.
    pub(crate) path: String,
    /// The query without `?`; may be empty.
    pub(crate) query: String,
    /// Names in lower case, in order.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// The value of the header with this lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Reads a request; `None` if the peer closed without sending one, as browsers do with preconnected sockets.
    pub(crate) fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no request line"));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut incoming = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            incoming.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = incoming.header("content-length").and_then(|text| text.parse().ok());
        let length: usize = length.unwrap_or(0);
        if length > BODY_LIMIT {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "body too large"));
        }
        incoming.body = vec![0; length];
        reader.read_exact(&mut incoming.body)?;
        Ok(Some(incoming))
    }
}

/// Status and headers of a response.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn new(status: u16) -> Self {
        Self { status, headers: Vec::new() }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn bytes(&self, framing: &str) -> Vec<u8> {
        let mut text = format!("HTTP/1.1 {} -\r\n", self.status);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(framing);
        text.push_str("\r\nconnection: close\r\n\r\n");
        text.into_bytes()
    }

    /// Sends a complete response and closes the connection.
    pub(crate) fn send(&self, stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
        stream.write_all(&self.bytes(&format!("content-length: {}", body.len())))?;
        stream.write_all(body)?;
        finish(stream)
    }

    /// Sends the head of a response whose body follows in chunks. Chunked framing lets the browser tell a complete
    /// response from a truncated one.
    pub(crate) fn open(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(&self.bytes("transfer-encoding: chunked"))
    }
}

/// Sends one chunk of a body that was opened with [`Head::open`].
pub(crate) fn send_chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed)
}

/// Ends a body that was opened with [`Head::open`].
pub(crate) fn end_chunks(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")?;
    finish(stream)
}

/// Closes our half and waits for the peer to close its own: a socket dropped with unread bytes is reset, and a reset
/// can overtake the response.
fn finish(stream: &mut TcpStream) -> io::Result<()> {
    stream.flush()?;
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut rest = [0; 512];
    while matches!(stream.read(&mut rest), Ok(count) if count > 0) {}
    Ok(())
}

/// True if the peer has disconnected. Does not wait.
pub(crate) fn is_closed(stream: &TcpStream) -> bool {
    let mut byte = [0; 1];
    if stream.set_nonblocking(true).is_err() {
        return true;
    }
    let closed = match stream.peek(&mut byte) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    };
    stream.set_nonblocking(false).is_err() || closed
}

/// A listener on a free loopback port with a thread per connection. Dropping it stops it.
pub(crate) struct Server {
    port: u16,
    stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens, and passes each connection with its request to `serve`.
    pub(crate) fn start(
        serve: impl Fn(TcpStream, Incoming) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start_at(0, serve)
    }

    /// As [`Self::start`], on this port, or on a free one if 0.
    pub(crate) fn start_at(
        port: u16,
        serve: impl Fn(TcpStream, Incoming) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        let stopping = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopping);
        let serve = Arc::new(serve);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let serve = Arc::clone(&serve);
                thread::spawn(move || {
                    // A disconnect during the response is normal here; the provider records it before the error
                    // arrives.
                    let served = stream.set_nodelay(true).and_then(|()| Incoming::read(&stream)).and_then(
                        |incoming| match incoming {
                            Some(incoming) => serve(stream, incoming),
                            None => Ok(()),
                        },
                    );
                    drop(served);
                });
            }
        });
        Ok(Self { port, stopping, accepting: Some(accepting) })
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        // `accept` has no timeout: another connection wakes it.
        if TcpStream::connect(("127.0.0.1", self.port)).is_ok()
            && let Some(accepting) = self.accepting.take()
        {
            drop(accepting.join());
        }
    }
}
