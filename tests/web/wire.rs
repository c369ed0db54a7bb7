//! Tests of fetch, locks and the BroadcastChannel.

use futures_util::StreamExt;
use nexus::browser::broadcast::{TabChannel, TabMessage};
use nexus::browser::clock::BrowserIds;
use nexus::browser::fetch::FetchHttp;
use nexus::browser::locks::BrowserLocks;
use nexus_engine::port::{Http, HttpError, Locks};
use nexus_model::id::{SessionId, StreamId};
use nexus_model::signal::KeyBroadcast;
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
async fn an_answer_is_read_to_its_end() {
    let answer = FetchHttp.send(get(&own_address())).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.content_type.as_deref(), Some("text/html"));
    let pieces: Vec<_> = answer.body.collect().await;
    let bytes: Vec<u8> = pieces.into_iter().flat_map(Result::unwrap).collect();
    assert!(String::from_utf8(bytes).unwrap().contains("<html"));
}

#[wasm_bindgen_test]
async fn only_the_web_is_called() {
    for address in ["data:text/plain,hello", "blob:x", "file:///etc/passwd", "rehearsal:", "/relative", ""] {
        let refused = FetchHttp.send(get(address)).await.err();
        assert!(matches!(refused, Some(HttpError::Unreachable(_))), "{address}: {refused:?}");
    }
}

#[wasm_bindgen_test]
async fn nobody_there_is_an_error_without_a_cause() {
    let outcome = FetchHttp.send(get("http://127.0.0.1:1/")).await.err();
    assert!(matches!(outcome, Some(HttpError::Unreachable(_))), "{outcome:?}");
}

#[wasm_bindgen_test]
async fn a_key_that_cannot_be_sent_is_refused_without_telling_it() {
    for bad in ["canary\nx: y", "canary…", "canary\0"] {
        let mut request = get(&own_address());
        request.headers.push(("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new(bad))));
        let Some(HttpError::Unreachable(words)) = FetchHttp.send(request).await.err() else { panic!("sent") };
        assert!(words.contains("x-goog-api-key") && !words.contains("canary"), "{words}");
    }
}

/// Puts a stand-in in place of `fetch` that notes the request and answers with `body`, a script expression.
fn answer_with(body: &str) {
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
async fn requests_carry_what_they_should_and_nothing_else() {
    answer_with(
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
    let answer = FetchHttp.send(request).await.unwrap();
    assert_eq!(
        (answer.status, answer.content_type.as_deref(), answer.retry_after.as_deref()),
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
async fn n07_both_headers_that_name_a_wait_are_read_where_the_page_may_see_them() {
    answer_with(
        "new Response('', { status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '2' } })",
    );
    let answer = FetchHttp.send(get("https://models.example/")).await.unwrap();
    assert_eq!((answer.retry_after_ms.as_deref(), answer.retry_after.as_deref()), (Some("1500"), Some("2")));
}

#[wasm_bindgen_test]
async fn n17_a_redirect_is_refused_and_nothing_is_sent_on() {
    // The stand-in does what a browser does with a redirect: an error where the request says so.
    answer_with(
        "await (request.redirect === 'error'
            ? Promise.reject(new TypeError('Failed to fetch'))
            : (window.seen.followed = true, new Response('elsewhere')))",
    );
    let mut request = get("https://models.example/");
    request.headers.push(("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new("canary"))));
    let Some(HttpError::Unreachable(words)) = FetchHttp.send(request).await.err() else { panic!("followed") };
    assert!(!words.contains("canary") && !words.contains("models.example"), "{words}");
    assert_eq!(script("window.seen.followed === undefined"), true);
}

#[wasm_bindgen_test]
async fn dropping_the_body_ends_the_fetch() {
    answer_with(
        "new Response(new ReadableStream({
            start(control) { control.enqueue(new Uint8Array([1, 2, 3])); },
            cancel() { window.seen.cancelled = true; },
        }))",
    );
    let mut answer = FetchHttp.send(get("https://models.example/")).await.unwrap();
    assert_eq!(answer.body.next().await, Some(Ok(vec![1, 2, 3])));
    assert_eq!(script("window.seen.cancelled || window.seen.request.signal.aborted"), false);
    drop(answer);
    settle().await;
    assert_eq!(script("window.seen.cancelled && window.seen.request.signal.aborted"), true);
}

#[wasm_bindgen_test]
async fn dropping_the_future_ends_the_fetch() {
    answer_with("await new Promise(() => {})");
    let sending = FetchHttp.send(get("https://models.example/"));
    let waited = futures_util::future::select(sending, Box::pin(settle())).await;
    assert_eq!(script("window.seen.request.signal.aborted"), false);
    drop(waited);
    assert_eq!(script("window.seen.request.signal.aborted"), true);
}

#[wasm_bindgen_test]
async fn a_body_that_breaks_off_says_so_and_ends() {
    answer_with(
        "new Response(new ReadableStream({
            start(control) { control.enqueue(new Uint8Array([1])); },
            pull(control) { control.error(new TypeError('network error')); },
        }, { highWaterMark: 2 }))",
    );
    let answer = FetchHttp.send(get("https://models.example/")).await.unwrap();
    let pieces: Vec<_> = answer.body.collect().await;
    assert_eq!(pieces.last(), Some(&Err(HttpError::Broken("network error".to_owned()))));
}

#[wasm_bindgen_test]
async fn a_lock_is_held_by_one() {
    let held = BrowserLocks.try_hold("web-test").await.unwrap();
    assert!(BrowserLocks.try_hold("web-test").await.is_none());
    assert!(BrowserLocks.try_hold("web-test-other").await.is_some());
    let waiting = BrowserLocks.hold("web-test");
    let given_up = BrowserLocks.hold("web-test");
    drop(given_up);
    drop(held);
    let held = waiting.await;
    assert!(BrowserLocks.try_hold("web-test").await.is_none());
    drop(held);
    settle().await;
    assert!(BrowserLocks.try_hold("web-test").await.is_some());
}

#[wasm_bindgen_test]
async fn other_tabs_hear_which_stream_grew_and_whose_key_changed() {
    let (here, there) = (TabChannel::open(), TabChannel::open());
    let (mut own, mut heard) = (here.follow(), there.follow());
    let stream = StreamId::Session(SessionId::new(&mut BrowserIds::default()));
    script(
        "(() => { const c = new BroadcastChannel('nexus'); c.postMessage('rubbish'); c.postMessage({}); c.close(); })()",
    );
    here.announce(stream, 42);
    here.tell_of_key(&KeyBroadcast::Kept("my provider".into()));
    assert_eq!(heard.next().await, TabMessage::Grew(stream));
    assert_eq!(heard.next().await, TabMessage::Key(KeyBroadcast::Kept("my provider".into())));
    settle().await;
    there.announce(StreamId::App, 1);
    // Nobody hears themselves: the first news here is the other's.
    assert_eq!(own.next().await, TabMessage::Grew(StreamId::App));
}
