//! A model provider that speaks Gemini's protocol over real HTTP with real CORS. Never more lenient
//! than the real one, never answers what no test has scripted.
//!
//! Owns the exchange: the preflight, the key, the model list, the judgement by `rules`, the sending
//! of what `script` says, and the record (`seen`) of everything that came in. A refusal that no
//! flow expects is a bug of the app, and so is a request that nothing was scripted for; both are
//! answered with an error and kept in [`Provider::take_refusals`].

mod rules;
mod script;
mod seen;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::mem;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{self, Head, Incoming, Server};
pub(crate) use rules::Refusal;
#[allow(unused_imports, reason = "for the native tests of the rules")]
pub(crate) use rules::{Minted, SIGNATURE_SENTINEL, Signed, check};
pub(crate) use script::{Answer, Gate, Reply, Step};
pub(crate) use seen::{Ending, Request};

/// The only key that the provider takes.
pub(crate) const KEY: &str = "AIza-key-of-the-fake-provider";

/// The models that it knows, with their input limits in tokens.
const MODELS: [(&str, u32); 8] = [
    ("gemini-4-argon", 1_048_576),
    ("gemini-3.8-flash", 1_048_576),
    ("gemini-3.7-flash", 1_048_576),
    ("gemini-3.5-flash-lite", 1_048_576),
    ("gemini-3.1-pro-preview", 1_048_576),
    ("gemini-2.5-flash", 1_048_576),
    ("gemini-flash-latest", 1_048_576),
    ("gemini-flash-lite-latest", 1_048_576),
];

/// How often a waiting answer looks whether it may go on, or the client has gone.
const TICK: Duration = Duration::from_millis(10);

type Chooser = Box<dyn Fn(&Request) -> Option<Reply> + Send>;

/// The fake provider. Dropping it stops it, and ends every answer that is still held back.
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
    chooser: Option<Chooser>,
    requests: Vec<Request>,
    /// How many of the requests are no news.
    told: usize,
    refusals: Vec<Refusal>,
    preflights: Vec<Incoming>,
    minted: rules::Minted,
}

impl Provider {
    pub(crate) fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let server = Server::start(move |stream, incoming| serving.serve(stream, incoming))?;
        Ok(Self { server, shared })
    }

    /// What the operator enters as the base URL.
    pub(crate) fn base_url(&self) -> String {
        self.server.origin()
    }

    /// The next answer to whoever asks and has no answer of their own waiting.
    pub(crate) fn queue(&self, reply: impl Into<Reply>) {
        self.shared.state().for_anyone.push_back(reply.into());
    }

    /// The next answer to this agent.
    pub(crate) fn queue_for(&self, agent: &str, reply: impl Into<Reply>) {
        let mut state = self.shared.state();
        state.for_agents.entry(agent.to_owned()).or_default().push_back(reply.into());
    }

    /// Chooses the answers for which no queue has one; `None` leaves the request unanswered, which
    /// is an error.
    pub(crate) fn otherwise(&self, chooser: impl Fn(&Request) -> Option<Reply> + Send + 'static) {
        self.shared.state().chooser = Some(Box::new(chooser));
    }

    /// Leaves all requests so far out of what is told from here on, and forgets scripted answers that nobody
    /// asked for.
    pub(crate) fn begin_anew(&self) {
        let mut state = self.shared.state();
        state.told = state.requests.len();
        state.for_agents.clear();
        state.for_anyone.clear();
    }

    /// Every request but preflights, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.state().news().cloned().collect()
    }

    /// The calls of one agent, in order.
    pub(crate) fn requests_of(&self, agent: &str) -> Vec<Request> {
        let state = self.shared.state();
        let own = state.news().filter(|request| request.agent() == Some(agent));
        own.cloned().collect()
    }

    /// The names of the agents in the order in which they asked, repetitions in a row left out.
    pub(crate) fn order(&self) -> Vec<&'static str> {
        let mut order: Vec<_> = self.shared.state().news().filter_map(Request::agent).collect();
        order.dedup();
        order
    }

    /// The preflight requests that browsers sent.
    pub(crate) fn preflights(&self) -> Vec<Incoming> {
        self.shared.state().preflights.clone()
    }

    /// What the provider refused by itself since this was last asked. A flow that provokes refusals
    /// takes them; any that are left at its end fail it.
    pub(crate) fn take_refusals(&self) -> Vec<Refusal> {
        mem::take(&mut self.shared.state().refusals)
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
        if incoming.method == "OPTIONS" {
            self.state().preflights.push(incoming);
            return cors(Head::new(204))
                .with("access-control-allow-methods", "GET, POST, OPTIONS")
                .with("access-control-allow-headers", "x-goog-api-key, content-type")
                .with("access-control-max-age", "600")
                .send(&mut stream, b"");
        }
        let (number, reply) = self.take_in(incoming);
        let ending = self.send(&mut stream, number, reply);
        if let Some(request) = self.state().requests.get_mut(number) {
            request.ending = ending.as_ref().copied().unwrap_or(Ending::Aborted);
        }
        if matches!(ending, Ok(Ending::Cut)) {
            return stream.shutdown(Shutdown::Both);
        }
        ending.map(drop)
    }

    /// Writes the request down and decides the answer.
    fn take_in(&self, incoming: Incoming) -> (usize, Reply) {
        let mut state = self.state();
        let mut request = Request {
            number: state.requests.len(),
            body: serde_json::from_slice(&incoming.body).unwrap_or(Value::Null),
            method: incoming.method,
            path: incoming.path,
            query: incoming.query,
            headers: incoming.headers,
            refusal: None,
            ending: Ending::Open,
        };
        let reply = state.answer(&request).unwrap_or_else(|refusal| {
            let reply = Reply::error(&refusal);
            state.refusals.push(refusal.clone());
            request.refusal = Some(refusal);
            reply
        });
        let number = request.number;
        state.requests.push(request);
        (number, reply)
    }

    fn send(&self, stream: &mut TcpStream, number: usize, reply: Reply) -> io::Result<Ending> {
        cors(Head::new(reply.status)).with("content-type", reply.media_type).open(stream)?;
        for step in reply.steps {
            let going = match step {
                Step::Event(event) => {
                    let bytes = self.frame(number, event);
                    self.send_bytes(stream, &bytes, reply.piece)?
                }
                Step::Bytes(bytes) => self.send_bytes(stream, &bytes, reply.piece)?,
                Step::Wait(time) => {
                    let until = Instant::now() + time;
                    self.wait(stream, || Instant::now() >= until)
                }
                Step::Hold(gate) => self.wait(stream, || gate.is_open()),
                Step::Cut => return Ok(Ending::Cut),
            };
            if !going {
                return Ok(Ending::Aborted);
            }
        }
        if http::is_gone(stream) {
            return Ok(Ending::Aborted);
        }
        http::end_chunks(stream)?;
        Ok(Ending::Whole)
    }

    /// An event as it goes over the wire. Its signatures are noted first: they must come back.
    fn frame(&self, number: usize, mut event: Value) -> Vec<u8> {
        let mut state = self.state();
        let model = state.requests.get(number).map(|request| request.model().to_owned()).unwrap_or_default();
        if let Some(fields) = event.as_object_mut() {
            fields.entry("modelVersion").or_insert_with(|| model.clone().into());
            fields.entry("responseId").or_insert_with(|| format!("response-{number}").into());
        }
        let parts = event.pointer("/candidates/0/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            if let Some(signature) = part.get("thoughtSignature").and_then(Value::as_str) {
                let signed = rules::Signed { model: model.clone(), part: rules::bare_part(part) };
                state.minted.insert(signature.to_owned(), signed);
            }
        }
        format!("data: {event}\r\n\r\n").into_bytes()
    }

    /// Sends these bytes; false when the client has gone.
    fn send_bytes(&self, stream: &mut TcpStream, bytes: &[u8], piece: Option<usize>) -> io::Result<bool> {
        let Some(size) = piece else {
            http::send_chunk(stream, bytes)?;
            return Ok(!http::is_gone(stream));
        };
        for piece in bytes.chunks(size) {
            http::send_chunk(stream, piece)?;
            // Long enough that the pieces leave as packets of their own.
            thread::sleep(Duration::from_micros(200));
            if http::is_gone(stream) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits for this; false when the client has gone, or the provider is being dropped.
    fn wait(&self, stream: &TcpStream, is_over: impl Fn() -> bool) -> bool {
        while !is_over() {
            if http::is_gone(stream) || self.closing.is_open() {
                return false;
            }
            thread::sleep(TICK);
        }
        true
    }
}

impl State {
    fn news(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().skip(self.told)
    }

    fn answer(&mut self, request: &Request) -> Result<Reply, Refusal> {
        check_key(request)?;
        if request.method == "GET" && request.path == "/v1beta/models" {
            return Ok(Reply::body(200, "application/json; charset=UTF-8", model_list().to_string()));
        }
        let is_generation = request.method == "POST"
            && request.path.starts_with("/v1beta/models/")
            && request.path.ends_with(":streamGenerateContent");
        if !is_generation {
            return Err(Refusal {
                code: 404,
                status: "NOT_FOUND",
                message: format!("{} {} is not served here", request.method, request.path),
                details: Vec::new(),
            });
        }
        if request.query != "alt=sse" {
            return Err(Refusal::argument(format!(
                "the query is {:?}, and only alt=sse was expected",
                request.query
            )));
        }
        let model = request.model();
        if !MODELS.iter().any(|(name, _)| *name == model) {
            // The real service's answer to a real mistake: no bug of the app, so not a refusal.
            return Ok(Reply::error(&Refusal {
                code: 404,
                status: "NOT_FOUND",
                message: format!(
                    "models/{model} is not found for API version v1beta, or is not supported for \
                     generateContent. Call ModelService.ListModels to see the list of available \
                     models and their supported methods."
                ),
                details: Vec::new(),
            }));
        }
        rules::check(model, &request.body, &self.minted)?;
        let own = request.agent().and_then(|agent| self.for_agents.get_mut(agent));
        let reply = own.and_then(VecDeque::pop_front).or_else(|| self.for_anyone.pop_front());
        let reply = reply.or_else(|| self.chooser.as_ref().and_then(|choose| choose(request)));
        reply.ok_or_else(|| {
            Refusal::argument(format!(
                "nothing was scripted for request {} (agent {:?}, round {})",
                request.number,
                request.agent(),
                request.round()
            ))
        })
    }
}

fn check_key(request: &Request) -> Result<(), Refusal> {
    if request.query.split('&').any(|pair| pair.starts_with("key=")) {
        return Err(Refusal::argument("a key in the URL ends up in logs"));
    }
    match request.header("x-goog-api-key") {
        Some(KEY) => Ok(()),
        Some(_) => Err(Refusal {
            details: vec![json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": { "service": "generativelanguage.googleapis.com" },
            })],
            ..Refusal::argument("API key not valid. Please pass a valid API key.")
        }),
        None => Err(Refusal {
            code: 403,
            status: "PERMISSION_DENIED",
            message: "Method doesn't allow unregistered callers (callers without established \
                identity). Please use API Key or other form of API consumer identity to call this \
                API."
                .to_owned(),
            details: Vec::new(),
        }),
    }
}

fn model_list() -> Value {
    let models = MODELS.map(|(name, limit)| {
        json!({
            "name": format!("models/{name}"),
            "version": "001",
            "displayName": name,
            "inputTokenLimit": limit,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
            "thinking": true,
        })
    });
    json!({ "models": models })
}

/// As the real service: any page may ask, and none may read more than the simple headers.
fn cors(head: Head) -> Head {
    head.with("access-control-allow-origin", "*")
        .with("vary", "Origin, X-Origin, Referer")
        .with("cache-control", "no-store")
}
