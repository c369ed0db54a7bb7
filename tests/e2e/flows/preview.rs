//! Flows for the preview of agents' pages: what they do, report, and cannot do.
//!
//! Sockets check that nothing leaves the page; the page's own report is not enough.

use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use nexus_model::mind::blob;
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::files::{drop_files, paste_picture};
use crate::flows::screenshots;
use crate::page::{Page, TIMEOUT};
use crate::provider::Answer;
use crate::selectors::*;
use crate::site::{BLANK_PAGE, NO_HEADERS_PATH};

/// An image of one red pixel.
const PIXEL: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

/// Selector of the frame.
const FRAME: &str = "[data-testid=preview-frame]";

/// The Engineer writes these files; waits for the end of the run.
pub(crate) async fn written(fixture: &mut Fixture, files: &[(&str, &str)]) -> Result<()> {
    let mut answer = Answer::new();
    for (name, content) in files {
        answer = answer.call("write_file", json!({ "name": name, "content": content }));
    }
    fixture.provider.queue_for("Engineer", answer);
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    let before = fixture.provider.requests().len();
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    fixture.until("a request of the Engineer", |fixture| fixture.provider.requests().len() > before).await?;
    app::idle(&fixture.page).await
}

/// Creates these files in the current session and opens their preview.
async fn previewed(fixture: &mut Fixture, files: &[(&str, &str)]) -> Result<()> {
    written(fixture, files).await?;
    fixture.page.click(SEE_IT_RUN).await?;
    fixture.page.see(PREVIEW).await
}

/// Waits until the page's scripts run. A browser that may not isolate the page is asked first.
pub(crate) async fn runs(page: &Page) -> Result<()> {
    let running = PREVIEW.with("data-state", "running");
    if !isolates_page(page).await? {
        let off = PREVIEW.with("data-state", "scripts are off");
        page.see(Selector::css(&format!("{running}, {off}"))).await?;
        if page.count(off).await? > 0 {
            page.click(PREVIEW_SCRIPTS).await?;
        }
    }
    page.see(running).await
}

/// True if the app knows that this browser isolates the page (`ENFORCED_SINCE` in `preview_frame.rs`).
pub(crate) async fn isolates_page(page: &Page) -> Result<bool> {
    let is_known = "return navigator.userAgentData?.brands \
        .some(({ brand, version }) => brand === 'Chromium' && Number(version) >= 152) ?? false";
    Ok(page.eval(is_known, &[]).await? == true)
}

/// Waits for a condition in the frame, which may be replaced meanwhile.
async fn in_frame(fixture: &Fixture, what: &str, expression: &str) -> Result<()> {
    let until = Instant::now() + TIMEOUT;
    while Instant::now() < until {
        if fixture.page.enter_frame(FRAME).await.is_ok() {
            let seen = fixture.page.eval(&format!("return Boolean({expression})"), &[]).await;
            fixture.page.leave_frame().await?;
            if seen.is_ok_and(|seen| seen == true) {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("waited in vain in the frame for: {what}")
}

/// Modules, a page that follows its files, Markdown and images, each in a session.
pub(crate) async fn previews(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    modules(fixture).await?;
    fixture.page.click(FACE_EDIT).await?;
    app::start_over(fixture).await?;
    follows(fixture).await?;
    fixture.page.click(FACE_EDIT).await?;
    app::start_over(fixture).await?;
    kinds(fixture).await?;
    fixture.page.click(FACE_EDIT).await?;
    app::start_over(fixture).await?;
    rasters(fixture).await
}

/// A page of three files runs and follows agents' writes; its console is shown, and read by an agent.
async fn follows(fixture: &mut Fixture) -> Result<()> {
    const PAGE: &str = "<!doctype html><link rel=stylesheet href=style.css><h1>One</h1><p style='height:4000px'>long</p>\
        <script defer src=app.js></script><script src=gone.js></script><a href=about.html id=about>About</a>";
    previewed(
        fixture,
        &[
            ("index.html", PAGE),
            ("style.css", "h1 { color: rgb(1, 2, 3) }"),
            ("app.js", "document.title = 'ran';\nconsole.warn('<b>careful</b>', { a: 1 });\nlocalStorage.setItem('a', 1);\nnobody();"),
            ("about.html", "<h1>About us</h1>"),
        ],
    )
    .await?;
    runs(&fixture.page).await?;
    in_frame(fixture, "the sheet", "getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'")
        .await?;
    fixture.page.see_text(PREVIEW_LINE.with("data-tone", "warn"), "<b>careful</b> {\"a\":1}").await?;
    let error = PREVIEW_LINE.with("data-tone", "error");
    fixture.page.see_text(error.clone(), "nobody is not defined").await?;
    fixture.page.see_text(error, "(app.js:4:").await?;
    fixture.page.see_text(PREVIEW_MISSING, "gone.js").await?;

    // An agent reads it.
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::new().call("read_preview_console", json!({})));
    fixture.provider.queue_for("Engineer", Answer::say("I see the error."));
    app::send_to(&fixture.page, "engineer", "Does it work?").await?;
    let answered = fixture.request_of("Engineer", 2).await?.body.to_string();
    for words in ["nobody is not defined", "gone.js", "index.html", "running"] {
        ensure!(answered.contains(words), "the agent did not receive {words:?}: {answered}");
    }
    app::idle(&fixture.page).await?;

    // And fixes it: the page follows, and keeps its scroll position.
    fixture.page.enter_frame(FRAME).await?;
    let scroll = "return new Promise((done) => {
        addEventListener('scrollend', () => done(true), { once: true });
        scrollTo(0, 900);
    })";
    fixture.page.eval(scroll, &[]).await?;
    fixture.page.leave_frame().await?;
    written(fixture, &[("app.js", "document.title = 'mended';")]).await?;
    in_frame(fixture, "the mended script", "document.title === 'mended' && scrollY === 900").await?;
    runs(&fixture.page).await?;
    ensure!(fixture.page.count(PREVIEW_LINE.with("data-tone", "error")).await? == 0, "the old error stayed");

    // A link to another file shows that file.
    fixture.page.enter_frame(FRAME).await?;
    fixture.page.eval("document.querySelector('#about').click()", &[]).await?;
    fixture.page.leave_frame().await?;
    fixture.page.see_text(PREVIEW_FILE, "about.html").await?;
    in_frame(fixture, "the other page", "document.body.textContent.includes('About us')").await
}

/// Images and Markdown.
async fn kinds(fixture: &mut Fixture) -> Result<()> {
    const PICTURE: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='40' height='30'/>\
        <script>parent.postMessage('out', '*')</script></svg>";
    written(fixture, &[("a.svg", PICTURE), ("b.md", "# Notes\n\n<script>bad()</script>")]).await?;
    ensure!(fixture.page.count(SEE_IT_RUN).await? == 0, "nothing runs here");
    fixture.page.click(FACE_PREVIEW).await?;
    fixture.page.see(PREVIEW).await?;
    fixture.page.choose(PREVIEW_FILE, "a.svg").await?;
    fixture.page.see(PREVIEW.with("data-state", "shown")).await?;
    in_frame(fixture, "the picture", "document.querySelector('img')?.naturalWidth === 40").await?;
    fixture.page.choose(PREVIEW_FILE, "b.md").await?;
    let read = "document.querySelector('[data-testid=preview] [role=heading]')?.textContent === 'Notes'
        && document.querySelector('[data-testid=preview] script') === null";
    fixture.page.wait_for("the Markdown", read, &[]).await
}

/// On a host without headers, scripts wait for a click; also in a browser that is not known to enforce them.
pub(crate) async fn plain_host(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    written(
        fixture,
        &[(
            "index.html",
            "<h1 id=a>still</h1><script>document.querySelector('#a').textContent = 'ran'</script>",
        )],
    )
    .await?;
    let plain = fixture.site.url(NO_HEADERS_PATH);
    fixture.page.goto(&plain).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.click(FACE_PREVIEW).await?;
    fixture.page.see_text(PREVIEW_SCRIPTS_OFF, "WebRTC").await?;
    fixture.page.see(PREVIEW.with("data-state", "scripts are off")).await?;
    in_frame(fixture, "the page without its script", "document.querySelector('#a')?.textContent === 'still'")
        .await?;
    fixture.page.click(PREVIEW_SCRIPTS).await?;
    runs(&fixture.page).await?;
    in_frame(fixture, "the script", "document.querySelector('#a')?.textContent === 'ran'").await?;
    fixture.page.hidden(PREVIEW_SCRIPTS_OFF).await?;

    // A host with headers, and browsers that are not known to enforce them: another engine, and an older Chromium.
    // The known one runs scripts at once.
    fixture.page.in_every_document(OF_VERSION).await?;
    let home = fixture.site.url("/");
    for (version, follows) in [("", false), ("151", false), ("152", true)] {
        fixture.page.eval("sessionStorage.setItem('version', arguments[0])", &[json!(version)]).await?;
        fixture.page.goto(&home).await?;
        fixture.page.see(WAR_ROOM).await?;
        fixture.page.click(FACE_PREVIEW).await?;
        if !follows {
            fixture.page.see_text(PREVIEW_SCRIPTS_OFF, "this browser is not known").await?;
            fixture.page.see_text(PREVIEW_SCRIPTS_OFF, "infinite loop").await?;
            fixture.page.see(PREVIEW.with("data-state", "scripts are off")).await?;
            in_frame(
                fixture,
                "the page without its script",
                "document.querySelector('#a')?.textContent === 'still'",
            )
            .await?;
            fixture.page.click(PREVIEW_SCRIPTS).await?;
        }
        runs(&fixture.page).await?;
        in_frame(fixture, "the script", "document.querySelector('#a')?.textContent === 'ran'").await?;
        fixture.page.hidden(PREVIEW_SCRIPTS_OFF).await?;
    }
    Ok(())
}

/// A browser that reports the Chromium version named by the tab, or another engine.
const OF_VERSION: &str = "(() => {
    // A frame without an origin has no storage, and is not asked.
    const version = (() => { try { return sessionStorage.getItem('version'); } catch { return null; } })();
    const data = version ? { brands: [{ brand: 'Chromium', version }] } : undefined;
    Object.defineProperty(Navigator.prototype, 'userAgentData', { get: () => data, configurable: true });
})();";

/// Counts connections to a TCP and a UDP socket. If the browser does not isolate pages, plain connections and
/// datagrams are not counted.
pub(crate) struct Listeners {
    tcp: u16,
    udp: u16,
    received: Arc<AtomicUsize>,
}

impl Listeners {
    pub(crate) fn open(is_isolated: bool) -> Result<Self> {
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
        let received = Arc::new(AtomicUsize::new(0));
        let listeners =
            Self { tcp: tcp.local_addr()?.port(), udp: udp.local_addr()?.port(), received: received.clone() };
        let count = received.clone();
        // Both threads end with the process.
        thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                let is_request = stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0);
                count.fetch_add(usize::from(is_isolated || is_request), Ordering::SeqCst);
            }
        });
        thread::spawn(move || {
            while udp.recv(&mut [0; 1500]).is_ok() {
                received.fetch_add(usize::from(is_isolated), Ordering::SeqCst);
            }
        });
        Ok(listeners)
    }

    /// The page with the addresses in place of `EAR` and `DRUM`.
    pub(crate) fn page(&self, page: &str) -> String {
        page.replace("EAR", &format!("127.0.0.1:{}", self.tcp))
            .replace("DRUM", &format!("127.0.0.1:{}", self.udp))
    }

    pub(crate) async fn expect_silence(&self, what: &str) -> Result<()> {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        let received = self.received.load(Ordering::SeqCst);
        ensure!(received == 0, "{what}: {received} connections");
        Ok(())
    }
}

/// Everything that a page can try without navigating away.
const TRIES: &str = r##"<!doctype html><html><head>
<link rel=preconnect href=http://EAR><link rel=dns-prefetch href=//EAR><link rel=stylesheet href=http://EAR/a.css>
<link rel=modulepreload href=http://EAR/a.mjs><link rel=icon href=http://EAR/a.ico>
<style>@import "http://EAR/b.css"; body { background: url(http://EAR/a.png) }
@font-face { font-family: a; src: url(http://EAR/a.woff) } p { font-family: a }</style></head>
<body><p>text</p><img src=http://EAR/b.png><script src=http://EAR/c.js></script><iframe src=http://EAR/frame></iframe>
<object data=http://EAR/object></object><embed src=http://EAR/embed><video src=http://EAR/video></video>
<form id=f method=post action=http://EAR/post><input name=a value=b></form><a id=l href=http://EAR/link target=_blank>x</a>
<script>
const tried = (what, work) => {
  try {
    const result = work();
    if (result instanceof Promise) result.then(() => console.log(`${what}: WORKED`), () => console.log(`${what}: refused`));
    else console.log(`${what}: tried`);
  } catch { console.log(`${what}: refused`); }
};
const must = (what, work) => { try { work(); console.log(`${what}: WORKED`); } catch { console.log(`${what}: refused`); } };
tried("fetch", () => fetch("http://EAR/fetch", { mode: "no-cors" }));
tried("beacon", () => { navigator.sendBeacon("http://EAR/beacon", "x"); });
tried("socket", () => { new WebSocket("ws://EAR/socket"); });
tried("events", () => { new EventSource("http://EAR/events"); });
tried("worker", () => { new Worker("data:text/javascript,fetch('http://EAR/worker')"); });
tried("service worker", () => navigator.serviceWorker.register("http://EAR/sw.js"));
tried("popup", () => { if (open("http://EAR/popup")) throw console.log("popup: WORKED"); });
tried("module", () => import("http://EAR/d.mjs"));
tried("form", () => HTMLFormElement.prototype.submit.call(document.querySelector("#f")));
tried("requested form", () => document.querySelector("#f").requestSubmit());
tried("link", () => document.querySelector("#l").click());
tried("inner frame", () => {
  const inner = document.createElement("iframe");
  inner.srcdoc = "<script>fetch('http://EAR/inner')</" + "script>";
  document.body.append(inner);
});
tried("rtc", () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:DRUM" }] });
  peer.createDataChannel("a");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
});
tried("transport", () => { new WebTransport("https://DRUM"); });
must("parent", () => parent.document.title);
must("parent storage", () => parent.localStorage.length);
must("top", () => { top.location.href = "http://EAR/top"; throw new Error("it stands still"); });
must("cookie", () => { document.cookie = "a=b"; if (document.cookie === "") throw new Error("none"); });
must("database", () => indexedDB.open("nexus"));
must("frame element", () => { if (!frameElement) throw new Error("none"); frameElement.removeAttribute("sandbox"); });
for (const data of ["out", { kind: "link", address: "x" }, { nexus: 1, hello: true }]) parent.postMessage(data, "*");
localStorage.setItem("nexus_user_name", "Mallory");
setTimeout(() => console.log("all was tried"), 700);
</script></body></html>"##;

/// A hostile page reaches nothing, and the app continues.
pub(crate) async fn hostile(fixture: &mut Fixture) -> Result<()> {
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.goto(&blank).await?;
    let is_isolated = isolates_page(&fixture.page).await?;
    if !is_isolated {
        nexus_text::testing::not_checked(
            "that WebRTC is closed to previews: this Chromium is older than 152",
        );
    }
    let listeners = Listeners::open(is_isolated)?;
    // The app's policy prevents navigation of the frame, and reports it.
    fixture.expect_fault("frame-src");
    let tries = listeners.page(TRIES);
    app::set_up(fixture).await?;
    previewed(fixture, &[("index.html", &tries)]).await?;
    runs(&fixture.page).await?;
    fixture.page.see_text(PREVIEW_CONSOLE, "all was tried").await?;
    listeners.expect_silence("the page that tries everything").await?;
    let texts = fixture.page.texts(PREVIEW_LINE).await?;
    ensure!(!texts.iter().any(|line| line.contains("WORKED")), "something worked: {texts:#?}");
    for what in ["fetch", "parent", "parent storage", "database", "frame element"] {
        ensure!(
            texts.iter().any(|line| *line == format!("{what}: refused")),
            "{what} was not rejected: {texts:#?}"
        );
    }
    ensure!(
        fixture.page.local("nexus_user_name").await?.as_deref() == Some(app::NAME),
        "it wrote our storage"
    );

    // Navigation by the page itself.
    for (what, way) in [
        ("its own address", "<script>location.href = 'http://EAR/self'</script>"),
        (
            "its own address, later",
            "<script>setTimeout(() => location.replace('http://EAR/later'), 100)</script>",
        ),
        ("a refresh", "<meta http-equiv=refresh content='0;url=http://EAR/refresh'>"),
        (
            "a refresh that it makes",
            "<script>document.head.innerHTML = '<meta http-equiv=refresh content=\"0;url=http://EAR/made\">'</script>",
        ),
        (
            "a link that it follows",
            "<a href=http://EAR/follow>x</a><script>addEventListener('click', e => e.stopImmediatePropagation(), true); document.querySelector('a').click()</script>",
        ),
        // Chromium ends the page's process for this one.
        (
            "WebRTC of an inner frame",
            "<iframe srcdoc=\"<script>const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:DRUM' }] });
                p.createDataChannel('a'); p.createOffer().then(o => p.setLocalDescription(o))</script>\"></iframe>",
        ),
        ("the app itself", "<script>location.href = './index.html'</script>"),
    ] {
        written(fixture, &[("index.html", &listeners.page(way))]).await?;
        listeners.expect_silence(what).await?;
    }

    // Such a browser may run the page in the app's process.
    if !is_isolated {
        return Ok(());
    }
    // Blocking.
    written(fixture, &[("index.html", "<p>loop</p><script>setTimeout(() => { for (;;) {} }, 50)</script>")])
        .await?;
    fixture.page.see_text(PREVIEW_STOPPED, "did not respond").await?;
    fixture.page.fill(COMPOSER, "still here").await?;
    fixture.page.click(PREVIEW_RERUN).await?;
    fixture.page.hidden(PREVIEW_STOPPED).await?;
    fixture.page.see_text(PREVIEW_STOPPED, "did not respond").await?;

    // Too much output: console output is truncated, other output ends the page.
    let console = "<script>for (let i = 0; i < 20000; i++) console.log('line ' + i)</script>";
    written(fixture, &[("index.html", console)]).await?;
    fixture.page.see_text(PREVIEW_CONSOLE, "the rest is left out").await?;
    runs(&fixture.page).await?;
    ensure!(fixture.page.count(PREVIEW_LINE).await? <= 200, "the console grows");
    let messages = "<script>setInterval(() => { for (let i = 0; i < 3000; i++) parent.postMessage(i, '*') }, 20)</script>";
    written(fixture, &[("index.html", messages)]).await?;
    fixture.page.see(PREVIEW_STOPPED).await?;
    fixture.page.fill(COMPOSER, "and here").await?;
    listeners.expect_silence("all of it").await?;
    fixture.page.see(WAR_ROOM).await?;
    ensure!(fixture.page.eval("return location.pathname", &[]).await? == "/", "the app navigated");
    ears_hear(fixture, &listeners).await
}

/// The sockets do receive the same from an unrestricted page: otherwise the silence above would prove nothing.
async fn ears_hear(fixture: &mut Fixture, listeners: &Listeners) -> Result<()> {
    const CALLS: &str = "const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:DRUM' }] });
        let ways = 0;
        peer.onicecandidate = (event) => { ways += event.candidate ? 1 : 0; };
        peer.createDataChannel('a');
        await peer.setLocalDescription(await peer.createOffer());
        for (let looks = 0; ways === 0 && looks < 60; looks++) await new Promise(wake => setTimeout(wake, 50));
        return ways;";
    let open = fixture.site.url(BLANK_PAGE);
    fixture.page.goto(&open).await?;
    let ways = fixture.page.eval_async(&listeners.page(CALLS), &[]).await?;
    if ways == 0 {
        nexus_text::testing::not_checked(
            "against WebRTC: this machine has no network that a page could call by",
        );
    } else {
        fixture.until("a call by WebRTC", |_| listeners.received.load(Ordering::SeqCst) > 0).await?;
    }
    let before = listeners.received.load(Ordering::SeqCst);
    let fetches = "await fetch('http://EAR/fetch', { mode: 'no-cors' }).catch(() => null)";
    fixture.page.eval_async(&listeners.page(fetches), &[]).await?;
    fixture.until("a request", |_| listeners.received.load(Ordering::SeqCst) > before).await
}

/// Modules that import each other, fetched files, and images of messages; missing ones are named.
async fn modules(fixture: &mut Fixture) -> Result<()> {
    const PAGE: &str = "<!doctype html><h1 id=said>still</h1><img id=shown src=photo.png alt=photo><img id=dot src=dot.png alt=dot>
        <script type=module src=app.js></script>
        <script type=module>import { twice } from './lib/twice.js'; document.body.dataset.inline = twice(4);</script>";
    const APP: &str = "import { twice } from './lib/twice.js';\nimport data from './data.json' with { type: 'json' };\n\
        document.querySelector('#said').textContent = `${twice(data.number)} ${(await import('./late.js')).late}`;\n\
        const list = await (await fetch('./data.json')).json();\n\
        const gone = await fetch('gone.json');\n\
        document.body.dataset.fetched = `${list.number} ${gone.status}`;\n\
        const asked = new XMLHttpRequest();\n\
        asked.open('GET', './data.json');\n\
        asked.responseType = 'json';\n\
        asked.onload = () => { document.body.dataset.asked = asked.response.number; };\n\
        asked.send();\n\
        const lost = new XMLHttpRequest();\n\
        lost.open('GET', 'lost.json');\n\
        lost.onerror = () => { document.body.dataset.lost = 'lost'; };\n\
        lost.send();\n\
        const dot = await (await fetch('dot.png')).blob();\n\
        document.body.dataset.dot = `${dot.type} ${dot.size}`;\n\
        await fetch('https://elsewhere.example/x').catch(() => console.log('not let out'));\n\
        await fetch('data.json', { method: 'POST' }).catch(() => console.log('not sent'));\n\
        try { new Worker('data:text/javascript,1').onerror = () => console.log('no worker'); } catch { console.log('no worker'); }";
    const TWICE: &str = "import { base } from '../base.js';\nexport const twice = (n) => 2 * n + base();";
    const BASE: &str = "import { twice } from './lib/twice.js';\nexport const base = () => (twice ? 1 : 0);";
    drop_files(&fixture.page, &[("photo.png", "image/png", PIXEL)]).await?;
    fixture.page.see_count(IMAGE_CHIP, 1).await?;
    written(
        fixture,
        &[
            ("index.html", PAGE),
            ("app.js", APP),
            ("lib/twice.js", TWICE),
            ("base.js", BASE),
            ("late.js", "export const late = 'late';"),
            ("data.json", "{\"number\": 10}"),
            ("dot.png", &blob::image_text(PIXEL).context("it is an image")?),
        ],
    )
    .await?;
    // The image is read before the message is sent, so the run may start a moment later.
    fixture.page.see_text(answers_of("engineer"), "Written.").await?;
    app::idle(&fixture.page).await?;
    // Before the first preview, an agent learns just that.
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::new().call("read_preview_console", json!({})));
    fixture.provider.queue_for("Engineer", Answer::say("Then open it, please."));
    app::send_to(&fixture.page, "engineer", "Does it work?").await?;
    let answered = fixture.request_of("Engineer", 2).await?.body.to_string();
    ensure!(answered.contains("No preview is open"), "the agent did not receive it: {answered}");
    app::idle(&fixture.page).await?;

    fixture.page.click(SEE_IT_RUN).await?;
    runs(&fixture.page).await?;
    in_frame(fixture, "modules", "document.querySelector('#said').textContent === '21 late'").await?;
    in_frame(fixture, "a module in the page", "document.body.dataset.inline === '9'").await?;
    in_frame(fixture, "fetched files", "document.body.dataset.fetched === '10 404'").await?;
    in_frame(fixture, "a file that was asked for", "document.body.dataset.asked === '10'").await?;
    in_frame(fixture, "a file that is not there", "document.body.dataset.lost === 'lost'").await?;
    let dot = format!("document.body.dataset.dot === 'image/png {}'", PIXEL.len());
    in_frame(fixture, "the bytes of an image", &dot).await?;
    in_frame(fixture, "the picture", "document.querySelector('#shown').naturalWidth > 0").await?;
    in_frame(fixture, "the image file", "document.querySelector('#dot').naturalWidth > 0").await?;
    for words in [
        "The file gone.json is not in this session",
        "The file lost.json is not in this session",
        "Blocked: connect-src",
        "not let out",
        "POST data.json",
        "not sent",
        "no worker",
    ] {
        fixture.page.see_text(PREVIEW_CONSOLE, words).await?;
    }
    Ok(())
}

/// Waits until an image with this width is shown in the preview.
async fn drawn(fixture: &Fixture, what: &str, condition: &str) -> Result<()> {
    let raster = Selector::from(PREVIEW_RASTER);
    let is_so = format!(
        "(place => {{ const image = place?.querySelector('img');
            if (!image?.complete || !image.naturalWidth) return false;
            const box = image.getBoundingClientRect();
            return {condition}; }})(document.querySelector(arguments[0]))"
    );
    fixture.page.wait_for(what, &is_so, &[json!(raster.as_str())]).await
}

/// An image is viewed before and after its message is sent, fitted and at actual size, is usable in a page by name,
/// and survives a reload; a damaged one says so.
async fn rasters(fixture: &mut Fixture) -> Result<()> {
    paste_picture(&fixture.page, "chart.png", (1600, 200)).await?;
    drop_files(&fixture.page, &[("broken.webp", "image/webp", b"RIFF\0\0\0\0WEBP no picture")]).await?;
    fixture.page.see_count(IMAGE_CHIP, 2).await?;
    fixture.page.click(FACE_PREVIEW).await?;
    fixture.page.see_text(PREVIEW_FILE, "").await?;
    fixture.page.choose(PREVIEW_FILE, "chart.png").await?;
    fixture.page.see_text(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    fixture.page.see_text(Selector::css("[data-testid=preview-file] optgroup"), "not sent yet").await?;
    let source = "return document.querySelector('[data-testid=preview-raster] img').src.split(':')[0]";
    ensure!(fixture.page.eval(source, &[]).await? == "blob", "the page contains the bytes");
    drawn(fixture, "all of it in view", "box.width <= place.clientWidth + 1 && box.width > 100").await?;
    fixture.page.click(PICTURE_FULL).await?;
    drawn(fixture, "each point", "box.width === 1600 && place.scrollWidth > place.clientWidth").await?;
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("preview-picture.png")).await?;
    }
    fixture.page.click(PICTURE_FIT).await?;
    drawn(fixture, "all of it in view again", "box.width <= place.clientWidth + 1").await?;
    fixture.page.choose(PREVIEW_FILE, "broken.webp").await?;
    fixture.page.see_text(PREVIEW_RASTER, "cannot show the image").await?;

    // It is sent with the message, and a page shows it by its last name.
    let page = "<!doctype html><h1>Chart</h1><img id=shown src=assets/chart.png alt=chart>";
    written(fixture, &[("index.html", page)]).await?;
    fixture.page.see_text(answers_of("engineer"), "Written.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(SEE_IT_RUN).await?;
    runs(&fixture.page).await?;
    in_frame(fixture, "the picture", "document.querySelector('#shown').naturalWidth === 1600").await?;
    fixture.page.click(PICTURE_OPEN).await?;
    fixture.page.see_text(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.click(PICTURE_OPEN).await?;
    fixture.page.see_text(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    drawn(fixture, "the picture after a reload", "box.width > 100").await
}
