//! Tests of fetch, locks and the BroadcastChannel.

use futures_util::StreamExt;
use nexus::browser::fetch::FetchHttp;
use nexus::browser::lifecycle::BrowserIds;
use nexus::browser::tabs::{BrowserLocks, TabChannel, TabMessage};
use nexus_engine::bus::Bus;
use nexus_engine::port::{Http, HttpError, Locks};
use nexus_model::id::{SessionId, StreamId};
use nexus_model::signal::{KeyBroadcast, TransientEvent};
use nexus_providers::http::{HeaderValue, HttpRequest, Method, Secret};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{script, settle};

fn get(url: &str) -> HttpRequest {
    HttpRequest { method: Method::Get, url: url.to_owned(), headers: Vec::new(), body: None }
}

fn own_address() -> String {
    web_sys::window().unwrap().location().href().unwrap()
}

#[wasm_bindgen_test]
async fn response_body_is_read_to_its_end() {
    let response = FetchHttp.send(get(&own_address())).await.unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.content_type.as_deref(), Some("text/html"));
    let chunks: Vec<_> = response.body.collect().await;
    let bytes: Vec<u8> = chunks.into_iter().flat_map(Result::unwrap).collect();
    assert!(String::from_utf8(bytes).unwrap().contains("<html"));
}

#[wasm_bindgen_test]
async fn only_http_addresses_are_requested() {
    for address in ["data:text/plain,hello", "blob:x", "file:///etc/passwd", "rehearsal:", "/relative", ""] {
        let error = FetchHttp.send(get(address)).await.err();
        assert!(matches!(error, Some(HttpError::Unreachable(_))), "{address}: {error:?}");
    }
}

#[wasm_bindgen_test]
async fn unreachable_host_is_an_error_without_cause() {
    let outcome = FetchHttp.send(get("http://127.0.0.1:1/")).await.err();
    assert!(matches!(outcome, Some(HttpError::Unreachable(_))), "{outcome:?}");
}

#[wasm_bindgen_test]
async fn invalid_key_header_is_rejected_without_revealing_it() {
    for bad in ["canary\nx: y", "canary…", "canary\0"] {
        let mut request = get(&own_address());
        request.headers.push(("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new(bad))));
        let Some(HttpError::Unreachable(message)) = FetchHttp.send(request).await.err() else {
            panic!("sent")
        };
        assert!(message.contains("x-goog-api-key") && !message.contains("canary"), "{message}");
    }
}

/// Stubs `fetch`: records the request and responds with `body`, a script expression.
fn respond_with(body: &str) {
    script(&format!(
        "(() => {{
            const real = window.fetch;
            window.seen = {{ cancelled: false }};
            window.fetch = async (request) => {{
                window.fetch = real;
                window.seen.request = request;
                window.seen.text = await request.clone().text();
                return {body};
            }};
        }})()"
    ));
}

#[wasm_bindgen_test]
async fn requests_have_the_expected_options_and_headers() {
    respond_with(
        "new Response('ok', { status: 429, headers: { 'Retry-After': '7', 'Content-Type': 'Text/Event-Stream; charset=utf-8' } })",
    );
    let request = HttpRequest {
        method: Method::Post,
        url: "https://models.example/v1?alt=sse".to_owned(),
        headers: vec![
            ("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned())),
            ("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new("k"))),
        ],
        body: Some("{\"a\":\"ä\"}".to_owned()),
    };
    let response = FetchHttp.send(request).await.unwrap();
    assert_eq!(
        (response.status, response.content_type.as_deref(), response.retry_after.as_deref()),
        (429, Some("text/event-stream"), Some("7"))
    );
    let seen = script(
        "(({ request: r, text }) => [r.method, r.url, r.redirect, r.credentials, r.cache, r.referrerPolicy,
            r.headers.get('x-goog-api-key'), text].join(' '))(window.seen)",
    );
    assert_eq!(
        seen.as_string().unwrap(),
        "POST https://models.example/v1?alt=sse error omit no-store no-referrer k {\"a\":\"ä\"}"
    );
}

#[wasm_bindgen_test]
async fn n07_both_retry_after_headers_are_read() {
    respond_with(
        "new Response('', { status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '2' } })",
    );
    let response = FetchHttp.send(get("https://models.example/")).await.unwrap();
    assert_eq!(
        (response.retry_after_ms.as_deref(), response.retry_after.as_deref()),
        (Some("1500"), Some("2"))
    );
}

#[wasm_bindgen_test]
async fn n17_redirect_is_rejected_and_not_followed() {
    // The stub does what a browser does with a redirect: it fails if the request says so.
    respond_with(
        "await (request.redirect === 'error'
            ? Promise.reject(new TypeError('Failed to fetch'))
            : (window.seen.followed = true, new Response('elsewhere')))",
    );
    let mut request = get("https://models.example/");
    request.headers.push(("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new("canary"))));
    let Some(HttpError::Unreachable(message)) = FetchHttp.send(request).await.err() else {
        panic!("followed")
    };
    assert!(!message.contains("canary") && !message.contains("models.example"), "{message}");
    assert_eq!(script("window.seen.followed === undefined"), true);
}

#[wasm_bindgen_test]
async fn dropping_the_body_aborts_the_fetch() {
    respond_with(
        "new Response(new ReadableStream({
            start(control) { control.enqueue(new Uint8Array([1, 2, 3])); },
            cancel() { window.seen.cancelled = true; },
        }))",
    );
    let mut response = FetchHttp.send(get("https://models.example/")).await.unwrap();
    assert_eq!(response.body.next().await, Some(Ok(vec![1, 2, 3])));
    assert_eq!(script("window.seen.cancelled || window.seen.request.signal.aborted"), false);
    drop(response);
    settle().await;
    assert_eq!(script("window.seen.cancelled && window.seen.request.signal.aborted"), true);
}

#[wasm_bindgen_test]
async fn dropping_the_future_aborts_the_fetch() {
    respond_with("await new Promise(() => {})");
    let sending = FetchHttp.send(get("https://models.example/"));
    let waited = futures_util::future::select(sending, Box::pin(settle())).await;
    assert_eq!(script("window.seen.request.signal.aborted"), false);
    drop(waited);
    assert_eq!(script("window.seen.request.signal.aborted"), true);
}

#[wasm_bindgen_test]
async fn processing_what_has_come_leaves_time_for_other_tasks() {
    respond_with(
        "new Response(new ReadableStream({
            start(control) {
                for (let chunk = 0; chunk < 50; chunk += 1) control.enqueue(new Uint8Array([chunk]));
                control.enqueue(new Uint8Array(50 * 16384));
                control.close();
            },
        }))",
    );
    script("window.seen.tasks = 0; window.seen.timer = setInterval(() => window.seen.tasks += 1)");
    let mut response = FetchHttp.send(get("https://models.example/")).await.unwrap();
    script("window.seen.tasks = 0");
    let mut read = Vec::new();
    while let Some(chunk) = response.body.next().await {
        read.extend(chunk.unwrap());
        script("for (const begin = performance.now(); performance.now() - begin < 2;);");
    }
    script("clearInterval(window.seen.timer)");
    assert_eq!((&read[..50], read.len()), (&*Vec::from_iter(0..50), 50 + 50 * 16_384));
    let tasks = script("window.seen.tasks").as_f64().unwrap();
    assert!(tasks >= 10.0, "{tasks} of other tasks within 200 ms");
}

#[wasm_bindgen_test]
async fn body_error_is_reported_and_ends_the_stream() {
    respond_with(
        "new Response(new ReadableStream({
            start(control) { control.enqueue(new Uint8Array([1])); },
            pull(control) { control.error(new TypeError('network error')); },
        }, { highWaterMark: 2 }))",
    );
    let response = FetchHttp.send(get("https://models.example/")).await.unwrap();
    let chunks: Vec<_> = response.body.collect().await;
    assert_eq!(chunks.last(), Some(&Err(HttpError::Broken("network error".to_owned()))));
}

#[wasm_bindgen_test]
async fn lock_is_exclusive() {
    let guard = BrowserLocks.try_hold("web-test").await.unwrap();
    assert!(BrowserLocks.try_hold("web-test").await.is_none());
    assert!(BrowserLocks.try_hold("web-test-other").await.is_some());
    let waiting = BrowserLocks.hold("web-test");
    let given_up = BrowserLocks.hold("web-test");
    drop(given_up);
    drop(guard);
    let guard = waiting.await;
    assert!(BrowserLocks.try_hold("web-test").await.is_none());
    drop(guard);
    settle().await;
    assert!(BrowserLocks.try_hold("web-test").await.is_some());
}

#[wasm_bindgen_test]
async fn other_tabs_receive_stream_and_key_messages() {
    let (here, there) = (TabChannel::open(), TabChannel::open());
    let (mut received_here, mut received_there) = (here.follow(), there.follow());
    let stream = StreamId::Session(SessionId::new(&mut BrowserIds::default()));
    script(
        "(() => { const c = new BroadcastChannel('nexus'); c.postMessage('rubbish'); c.postMessage({}); c.close(); })()",
    );
    here.announce(stream, 42);
    here.announce_key(&KeyBroadcast::Stored("my provider".into()));
    assert_eq!(received_there.next().await, TabMessage::Grew(stream));
    assert_eq!(received_there.next().await, TabMessage::Key(KeyBroadcast::Stored("my provider".into())));
    let (bus, session) = (Bus::default(), SessionId::new(&mut BrowserIds::default()));
    here.announce_all(&bus);
    bus.publish_transient(&TransientEvent::PartialStored { session });
    assert_eq!(received_there.next().await, TabMessage::PartialStored(session));
    settle().await;
    there.announce(StreamId::App, 1);
    // A channel does not receive its own messages: the first one here is the other's.
    assert_eq!(received_here.next().await, TabMessage::Grew(StreamId::App));
}
