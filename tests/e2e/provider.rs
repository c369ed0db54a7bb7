//! The fake provider: all five protocols over real HTTP with real CORS, as strict as the real ones.
//!
//! `rules` checks requests, `script` defines replies, `framing` encodes them, `requests` records all requests, and
//! `endpoints` has each protocol's paths, key and models. A request that breaks a rule or has no scripted reply gets an
//! error and is recorded in [`Provider::take_errors`]; unless a flow expects it, that is a bug of the app.

mod endpoints;
mod framing;
mod parsing;
mod requests;
mod rules;
mod script;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::mem;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nexus_model::provider::Protocol;
use serde_json::Value;

use super::http::{self, Head, Incoming, Server};
#[allow(unused_imports, reason = "for the native tests")]
pub(crate) use endpoints::{key_of, model_of, models_of};
#[allow(unused_imports, reason = "for the native tests")]
pub(crate) use framing::Framing;
#[allow(unused_imports, reason = "for the native tests")]
pub(crate) use parsing::{Author, SentMessage, conversation, system_text};
pub(crate) use requests::{Ending, Request};
pub(crate) use rules::{ApiError, Call, Host};
#[allow(unused_imports, reason = "for the native tests of the rules")]
pub(crate) use rules::{IssuedData, SIGNATURE_SENTINEL, Signed, check, detail_key};
use script::Frames;
pub(crate) use script::{Answer, Gate, Reply, Step};

/// API key of the service that speaks Gemini's protocol.
pub(crate) const KEY: &str = "AIza-key-of-the-fake-provider";

/// Poll interval of a waiting reply.
const TICK: Duration = Duration::from_millis(10);

type Chooser = Box<dyn Fn(&Request) -> Option<Reply> + Send>;

/// The fake provider. Dropping it stops it and ends all replies that are held back.
pub(crate) struct Provider {
    server: Server,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    closing: Gate,
}

#[derive(Default)]
struct State {
    for_agents: HashMap<String, VecDeque<Reply>>,
    for_anyone: VecDeque<Reply>,
    /// Replies for the Core; by default it changes nothing.
    for_core: VecDeque<Reply>,
    /// Replies for the Archivist; by default it notes nothing.
    for_archivist: VecDeque<Reply>,
    chooser: Option<Chooser>,
    requests: Vec<Request>,
    /// Number of requests before the last [`Provider::reset`].
    hidden: usize,
    errors: Vec<ApiError>,
    preflights: Vec<Incoming>,
    issued: rules::IssuedData,
    rejects_origins: bool,
}

impl Provider {
    pub(crate) fn start() -> io::Result<Self> {
        Self::start_at(0)
    }

    /// As [`Self::start`], on this port, or on a free one if 0.
    pub(crate) fn start_at(port: u16) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let server = Server::start_at(port, move |stream, incoming| serving.serve(stream, incoming))?;
        Ok(Self { server, shared })
    }

    /// Base URL of Gemini, Anthropic and Ollama.
    pub(crate) fn base_url(&self) -> String {
        self.server.origin()
    }

    /// Base URL of a protocol, with the version at its end if its hosts have one.
    pub(crate) fn base_url_of(&self, protocol: Protocol) -> String {
        match protocol {
            Protocol::Gemini | Protocol::Anthropic | Protocol::Ollama => self.base_url(),
            Protocol::Openai | Protocol::Responses => format!("{}/v1", self.base_url()),
        }
    }

    /// Makes Ollama reject all origins, as if its operator had not allowed the page's.
    pub(crate) fn reject_origins(&self, refuses: bool) {
        self.shared.state().rejects_origins = refuses;
    }

    /// Queues a reply for any request without a queued reply of its own.
    pub(crate) fn queue(&self, reply: impl Into<Reply>) {
        self.shared.state().for_anyone.push_back(reply.into());
    }

    /// Queues a reply for this agent.
    pub(crate) fn queue_for(&self, agent: &str, reply: impl Into<Reply>) {
        let mut state = self.shared.state();
        state.for_agents.entry(agent.to_owned()).or_default().push_back(reply.into());
    }

    /// Queues a reply for the Core. Without one it changes nothing.
    pub(crate) fn queue_for_core(&self, reply: impl Into<Reply>) {
        self.shared.state().for_core.push_back(reply.into());
    }

    /// Queues a reply for the Archivist. Without one it writes a short summary and notes nothing.
    pub(crate) fn queue_for_archivist(&self, reply: impl Into<Reply>) {
        self.shared.state().for_archivist.push_back(reply.into());
    }

    /// Requests of the Core, in order; other lists exclude them.
    pub(crate) fn requests_of_core(&self) -> Vec<Request> {
        let state = self.shared.state();
        state.requests.iter().skip(state.hidden).filter(|request| request.is_of_core()).cloned().collect()
    }

    /// Chooses replies that no queue has; `None` leaves the request without one, which is an error.
    pub(crate) fn otherwise(&self, chooser: impl Fn(&Request) -> Option<Reply> + Send + 'static) {
        self.shared.state().chooser = Some(Box::new(chooser));
    }

    /// Hides all requests so far and drops scripted replies that were not used.
    pub(crate) fn reset(&self) {
        let mut state = self.shared.state();
        state.hidden = state.requests.len();
        state.for_agents.clear();
        state.for_anyone.clear();
        state.for_core.clear();
        state.for_archivist.clear();
    }

    /// All requests in order, except preflights and those of the Core and the Archivist.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.state().visible_requests().cloned().collect()
    }

    /// Those requests without model lists.
    pub(crate) fn calls(&self) -> Vec<Request> {
        self.shared.state().visible_requests().filter(|request| request.method != "GET").cloned().collect()
    }

    /// Requests of one agent, in order.
    pub(crate) fn requests_of(&self, agent: &str) -> Vec<Request> {
        let state = self.shared.state();
        let own = state.visible_requests().filter(|request| request.agent() == Some(agent));
        own.cloned().collect()
    }

    /// Names of the agents in the order of their requests, without consecutive duplicates.
    pub(crate) fn order(&self) -> Vec<&'static str> {
        let mut order: Vec<_> = self.shared.state().visible_requests().filter_map(Request::agent).collect();
        order.dedup();
        order
    }

    /// The preflight requests of browsers.
    pub(crate) fn preflights(&self) -> Vec<Incoming> {
        self.shared.state().preflights.clone()
    }

    /// Rejections since the last call. A flow that provokes rejections takes them; any left at its end fail it.
    pub(crate) fn take_errors(&self) -> Vec<ApiError> {
        mem::take(&mut self.shared.state().errors)
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.closing.open();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream, incoming: Incoming) -> io::Result<()> {
        let Some(protocol) = endpoints::protocol_of(&incoming) else {
            return Head::new(404).send(&mut stream, b"404 page not found");
        };
        let rejects_origins = self.state().rejects_origins;
        if incoming.method == "OPTIONS" {
            let head = endpoints::preflight(protocol, &incoming, rejects_origins);
            self.state().preflights.push(incoming);
            return head.send(&mut stream, b"");
        }
        if rejects_origins && protocol == Protocol::Ollama {
            return Head::new(403).send(&mut stream, b"");
        }
        let (number, reply) = self.take_in(protocol, incoming);
        let ending = self.send(&mut stream, number, reply);
        if let Some(request) = self.state().requests.get_mut(number) {
            request.ending = ending.as_ref().copied().unwrap_or(Ending::Aborted);
        }
        if matches!(ending, Ok(Ending::Cut)) {
            return stream.shutdown(Shutdown::Both);
        }
        ending.map(drop)
    }

    /// Records the request and decides the reply.
    fn take_in(&self, protocol: Protocol, incoming: Incoming) -> (usize, Reply) {
        let mut state = self.state();
        let mut request = Request {
            number: state.requests.len(),
            protocol,
            body: serde_json::from_slice(&incoming.body).unwrap_or(Value::Null),
            method: incoming.method.clone(),
            path: incoming.path.clone(),
            headers: incoming.headers.clone(),
            api_error: None,
            ending: Ending::Open,
        };
        let reply = state.answer(&request, &incoming).unwrap_or_else(|api_error| {
            let reply = Reply::error(&api_error);
            state.errors.push(api_error.clone());
            request.api_error = Some(api_error);
            reply
        });
        let number = request.number;
        state.requests.push(request);
        (number, reply)
    }

    fn send(&self, stream: &mut TcpStream, number: usize, reply: Reply) -> io::Result<Ending> {
        let target = {
            let state = self.state();
            state.requests.get(number).map(|request| (request.protocol, request.model().to_owned()))
        };
        let (protocol, model) = target.unwrap_or((Protocol::Gemini, String::new()));
        let mut framing = framing::Framing::new(protocol, Host::Other, &model, number);
        let kind = reply.media_type.unwrap_or(framing::media_type(protocol, reply.status));
        let mut head = endpoints::cors(protocol, Head::new(reply.status), false).with("content-type", kind);
        for (name, value) in &reply.headers {
            head = head.with(name, value).with("access-control-expose-headers", name);
        }
        head.open(stream)?;
        for step in reply.steps {
            let connected = match step {
                Step::Say(piece) => {
                    let bytes = framing.say(&piece);
                    // Recorded before sending: the next request may arrive before this reply ends.
                    self.state().issued.extend(framing.take_issued());
                    self.send_bytes(stream, &bytes, reply.frames)?
                }
                Step::Refuse(api_error) => {
                    let bytes = framing::error_body(protocol, &api_error);
                    self.send_bytes(stream, &bytes, reply.frames)?
                }
                Step::Bytes(bytes) => self.send_bytes(stream, &bytes, reply.frames)?,
                Step::Wait(time) => {
                    let until = Instant::now() + time;
                    self.wait(stream, || Instant::now() >= until)
                }
                Step::Hold(gate) => self.wait(stream, || gate.is_open()),
                Step::Cut => return Ok(Ending::Cut),
            };
            if !connected {
                return Ok(Ending::Aborted);
            }
        }
        if http::is_closed(stream) {
            return Ok(Ending::Aborted);
        }
        http::end_chunks(stream)?;
        Ok(Ending::Whole)
    }

    /// Sends these bytes; false if the client disconnected.
    fn send_bytes(&self, stream: &mut TcpStream, bytes: &[u8], frames: Option<Frames>) -> io::Result<bool> {
        let Some(frames) = frames else {
            http::send_chunk(stream, bytes)?;
            return Ok(!http::is_closed(stream));
        };
        let (mut rest, mut number) = (bytes, 0);
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(frames.size(number).min(rest.len()));
            (rest, number) = (later, number + 1);
            http::send_chunk(stream, piece)?;
            // Long enough that the chunks are sent as separate packets.
            thread::sleep(Duration::from_micros(200));
            if http::is_closed(stream) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits for a condition; false if the client disconnected or the provider is dropped.
    fn wait(&self, stream: &TcpStream, is_over: impl Fn() -> bool) -> bool {
        while !is_over() {
            if http::is_closed(stream) || self.closing.is_open() {
                return false;
            }
            thread::sleep(TICK);
        }
        true
    }
}

impl State {
    fn visible_requests(&self) -> impl Iterator<Item = &Request> {
        self.requests
            .iter()
            .skip(self.hidden)
            .filter(|request| !request.is_of_core() && !request.is_of_archivist())
    }

    fn answer(&mut self, request: &Request, incoming: &Incoming) -> Result<Reply, ApiError> {
        let protocol = request.protocol;
        endpoints::check_headers(protocol, incoming)?;
        if let Some(listing) = endpoints::listing(protocol, incoming, &request.body) {
            let kind = "application/json; charset=UTF-8";
            return Ok(Reply::body(200, kind, listing.to_string()));
        }
        if !endpoints::is_generation(protocol, incoming)? {
            return Err(ApiError {
                code: 404,
                status: "NOT_FOUND",
                message: format!("{} {} is not served here", request.method, request.path),
                details: Vec::new(),
            });
        }
        let model = request.model();
        if !endpoints::models_of(protocol).iter().any(|(name, _)| *name == model) {
            // The real service's answer to a real mistake: no bug of the app, so not recorded as a rejection.
            return Ok(Reply::error(&endpoints::unknown_model(protocol, model)));
        }
        let call = Call { protocol, host: Host::Other, model, body: &request.body };
        rules::check(call, &self.issued)?;
        if request.is_of_core() {
            let default = || Answer::say(r#"{"reasoning": "Nothing had to change."}"#).into();
            return Ok(self.for_core.pop_front().unwrap_or_else(default));
        }
        if request.is_of_archivist() {
            let default = || Answer::say(r#"{"summary": "What was said.", "memories": []}"#).into();
            return Ok(self.for_archivist.pop_front().unwrap_or_else(default));
        }
        let own = request.agent().and_then(|agent| self.for_agents.get_mut(agent));
        let reply = own.and_then(VecDeque::pop_front).or_else(|| self.for_anyone.pop_front());
        let reply = reply.or_else(|| self.chooser.as_ref().and_then(|choose| choose(request)));
        reply.ok_or_else(|| {
            ApiError::argument(format!(
                "no reply is scripted for request {} (agent {:?}, round {})",
                request.number,
                request.agent(),
                request.round()
            ))
        })
    }
}
