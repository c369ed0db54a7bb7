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
use nexus_model::mind::image_file;
use serde_json::json;

use crate::app;
use crate::flows::files::{drop_files, paste_picture};
use crate::flows::pictures;
use crate::page::{PATIENCE, Page};
use crate::parts::*;
use crate::provider::Answer;
use crate::site::{BLANK_PAGE, PLAIN_PATH};
use crate::stage::Stage;

/// An image of one red pixel.
const PIXEL: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

/// Selector of the frame.
const FRAME: &str = "[data-testid=preview-frame]";

/// The Engineer writes these files; waits for the end of the run.
pub(crate) async fn written(stage: &mut Stage, files: &[(&str, &str)]) -> Result<()> {
    let mut answer = Answer::new();
    for (name, content) in files {
        answer = answer.call("write_file", json!({ "name": name, "content": content }));
    }
    stage.provider.queue_for("Engineer", answer);
    stage.provider.queue_for("Engineer", Answer::say("Written."));
    let before = stage.provider.requests().len();
    app::say_to(&stage.page, "engineer", "Write.").await?;
    stage.until("a request of the Engineer", |stage| stage.provider.requests().len() > before).await?;
    app::idle(&stage.page).await
}

/// Creates these files in the current session and opens their preview.
async fn previewed(stage: &mut Stage, files: &[(&str, &str)]) -> Result<()> {
    written(stage, files).await?;
    stage.page.click(SEE_IT_RUN).await?;
    stage.page.see(PREVIEW).await
}

/// Waits until the page's scripts run. A browser that may not isolate the page asks first.
pub(crate) async fn runs(page: &Page) -> Result<()> {
    let running = PREVIEW.with("data-state", "running");
    if !closes_in(page).await? {
        let off = PREVIEW.with("data-state", "scripts are off");
        page.see(Selector::css(&format!("{running}, {off}"))).await?;
        if page.count(off).await? > 0 {
            page.click(PREVIEW_SCRIPTS).await?;
        }
    }
    page.see(running).await
}

/// True if the app knows that this browser isolates the page (`ENFORCED_SINCE` in `preview_frame.rs`).
pub(crate) async fn closes_in(page: &Page) -> Result<bool> {
    let is_known = "return navigator.userAgentData?.brands \
        .some(({ brand, version }) => brand === 'Chromium' && Number(version) >= 152) ?? false";
    Ok(page.eval(is_known, &[]).await? == true)
}

/// Waits for a condition in the frame, which may be replaced meanwhile.
async fn in_frame(stage: &Stage, what: &str, expression: &str) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if stage.page.enter_frame(FRAME).await.is_ok() {
            let seen = stage.page.eval(&format!("return Boolean({expression})"), &[]).await;
            stage.page.leave_frame().await?;
            if seen.is_ok_and(|seen| seen == true) {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("waited in vain in the frame for: {what}")
}

/// In the preview of the demo's to-do list: its buttons work.
pub(super) async fn works(stage: &Stage) -> Result<()> {
    stage.page.enter_frame(FRAME).await?;
    stage.page.type_into(Selector::css("#text"), "Bread").await?;
    let before = "document.querySelectorAll('#list li').length";
    let before = stage.page.eval(&format!("return {before}"), &[]).await?;
    stage.page.click(Selector::css("#add")).await?;
    let grew = "document.querySelectorAll('#list li').length === arguments[0] + 1
        && document.querySelector('#list').textContent.includes('Bread')";
    stage.page.wait_for("the entry in the list of the page", grew, &[before]).await?;
    stage.page.leave_frame().await?;
    if let Some(folder) = pictures::folder() {
        for (width, height, name) in [(1920, 1080, "wide"), (1280, 800, "usual"), (360, 740, "narrow")] {
            stage.page.resize(width, height).await?;
            for theme in ["dark", "light"] {
                let dress = "document.documentElement.dataset.theme = arguments[0]";
                stage.page.eval(dress, &[json!(theme)]).await?;
                stage.page.screenshot(&folder.join(format!("preview-{name}-{theme}.png"))).await?;
            }
        }
        stage.page.resize(1440, 900).await?;
    }
    Ok(())
}

/// Modules, a page that follows its files, Markdown and images, each in a session.
pub(crate) async fn previews(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    modules(stage).await?;
    stage.page.click(FACE_EDIT).await?;
    app::afresh(stage).await?;
    follows(stage).await?;
    stage.page.click(FACE_EDIT).await?;
    app::afresh(stage).await?;
    kinds(stage).await?;
    stage.page.click(FACE_EDIT).await?;
    app::afresh(stage).await?;
    rasters(stage).await
}

/// A page of three files runs and follows agents' writes; its console is shown, and read by an agent.
async fn follows(stage: &mut Stage) -> Result<()> {
    const PAGE: &str = "<!doctype html><link rel=stylesheet href=style.css><h1>One</h1><p style='height:4000px'>long</p>\
        <script defer src=app.js></script><script src=gone.js></script><a href=about.html id=about>About</a>";
    previewed(
        stage,
        &[
            ("index.html", PAGE),
            ("style.css", "h1 { color: rgb(1, 2, 3) }"),
            ("app.js", "document.title = 'ran';\nconsole.warn('<b>careful</b>', { a: 1 });\nlocalStorage.setItem('a', 1);\nnobody();"),
            ("about.html", "<h1>About us</h1>"),
        ],
    )
    .await?;
    runs(&stage.page).await?;
    in_frame(stage, "the sheet", "getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'")
        .await?;
    stage.page.see_words(PREVIEW_LINE.with("data-tone", "warn"), "<b>careful</b> {\"a\":1}").await?;
    let error = PREVIEW_LINE.with("data-tone", "error");
    stage.page.see_words(error.clone(), "nobody is not defined").await?;
    stage.page.see_words(error, "(app.js:4:").await?;
    stage.page.see_words(PREVIEW_MISSING, "gone.js").await?;

    // An agent reads it.
    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", Answer::new().call("read_preview_console", json!({})));
    stage.provider.queue_for("Engineer", Answer::say("I see the error."));
    app::say_to(&stage.page, "engineer", "Does it work?").await?;
    let answered = stage.request_of("Engineer", 2).await?.body.to_string();
    for words in ["nobody is not defined", "gone.js", "index.html", "running"] {
        ensure!(answered.contains(words), "the agent did not receive {words:?}: {answered}");
    }
    app::idle(&stage.page).await?;

    // And fixes it: the page follows, and keeps its scroll position.
    stage.page.enter_frame(FRAME).await?;
    let scroll = "return new Promise((done) => {
        addEventListener('scrollend', () => done(true), { once: true });
        scrollTo(0, 900);
    })";
    stage.page.eval(scroll, &[]).await?;
    stage.page.leave_frame().await?;
    written(stage, &[("app.js", "document.title = 'mended';")]).await?;
    in_frame(stage, "the mended script", "document.title === 'mended' && scrollY === 900").await?;
    runs(&stage.page).await?;
    ensure!(stage.page.count(PREVIEW_LINE.with("data-tone", "error")).await? == 0, "the old error stayed");

    // A link to another file shows that file.
    stage.page.enter_frame(FRAME).await?;
    stage.page.eval("document.querySelector('#about').click()", &[]).await?;
    stage.page.leave_frame().await?;
    stage.page.see_words(PREVIEW_FILE, "about.html").await?;
    in_frame(stage, "the other page", "document.body.textContent.includes('About us')").await
}

/// Images and Markdown.
async fn kinds(stage: &mut Stage) -> Result<()> {
    const PICTURE: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='40' height='30'/>\
        <script>parent.postMessage('out', '*')</script></svg>";
    written(stage, &[("a.svg", PICTURE), ("b.md", "# Notes\n\n<script>bad()</script>")]).await?;
    ensure!(stage.page.count(SEE_IT_RUN).await? == 0, "nothing runs here");
    stage.page.click(FACE_PREVIEW).await?;
    stage.page.see(PREVIEW).await?;
    stage.page.choose(PREVIEW_FILE, "a.svg").await?;
    stage.page.see(PREVIEW.with("data-state", "shown")).await?;
    in_frame(stage, "the picture", "document.querySelector('img')?.naturalWidth === 40").await?;
    stage.page.choose(PREVIEW_FILE, "b.md").await?;
    let read = "document.querySelector('[data-testid=preview] [role=heading]')?.textContent === 'Notes'
        && document.querySelector('[data-testid=preview] script') === null";
    stage.page.wait_for("the Markdown", read, &[]).await
}

/// On a host without headers, scripts wait for a click; also in a browser that is not known to enforce them.
pub(crate) async fn plain_host(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    written(
        stage,
        &[(
            "index.html",
            "<h1 id=a>still</h1><script>document.querySelector('#a').textContent = 'ran'</script>",
        )],
    )
    .await?;
    let plain = stage.site.url(PLAIN_PATH);
    stage.page.goto(&plain).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.click(FACE_PREVIEW).await?;
    stage.page.see_words(PREVIEW_SCRIPTS_OFF, "WebRTC").await?;
    stage.page.see(PREVIEW.with("data-state", "scripts are off")).await?;
    in_frame(stage, "the page without its script", "document.querySelector('#a')?.textContent === 'still'")
        .await?;
    stage.page.click(PREVIEW_SCRIPTS).await?;
    runs(&stage.page).await?;
    in_frame(stage, "the script", "document.querySelector('#a')?.textContent === 'ran'").await?;
    stage.page.hidden(PREVIEW_SCRIPTS_OFF).await?;

    // A host with headers, and browsers that are not known to enforce them: another engine, and an older Chromium.
    // The known one runs scripts at once.
    stage.page.before_scripts(OF_VERSION).await?;
    let home = stage.site.url("/");
    for (version, follows) in [("", false), ("151", false), ("152", true)] {
        stage.page.eval("sessionStorage.setItem('version', arguments[0])", &[json!(version)]).await?;
        stage.page.goto(&home).await?;
        stage.page.see(WAR_ROOM).await?;
        stage.page.click(FACE_PREVIEW).await?;
        if !follows {
            stage.page.see_words(PREVIEW_SCRIPTS_OFF, "this browser is not known").await?;
            stage.page.see_words(PREVIEW_SCRIPTS_OFF, "infinite loop").await?;
            stage.page.see(PREVIEW.with("data-state", "scripts are off")).await?;
            in_frame(
                stage,
                "the page without its script",
                "document.querySelector('#a')?.textContent === 'still'",
            )
            .await?;
            stage.page.click(PREVIEW_SCRIPTS).await?;
        }
        runs(&stage.page).await?;
        in_frame(stage, "the script", "document.querySelector('#a')?.textContent === 'ran'").await?;
        stage.page.hidden(PREVIEW_SCRIPTS_OFF).await?;
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
pub(crate) struct Ears {
    tcp: u16,
    udp: u16,
    received: Arc<AtomicUsize>,
}

impl Ears {
    pub(crate) fn open(is_closed: bool) -> Result<Self> {
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
        let received = Arc::new(AtomicUsize::new(0));
        let ears = Self {
            tcp: tcp.local_addr()?.port(),
            udp: udp.local_addr()?.port(),
            received: Arc::clone(&received),
        };
        let count = Arc::clone(&received);
        // Both threads end with the process.
        thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                let asks = stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0);
                count.fetch_add(usize::from(is_closed || asks), Ordering::SeqCst);
            }
        });
        thread::spawn(move || {
            while udp.recv(&mut [0; 1500]).is_ok() {
                received.fetch_add(usize::from(is_closed), Ordering::SeqCst);
            }
        });
        Ok(ears)
    }

    /// The page with the addresses in place of `EAR` and `DRUM`.
    pub(crate) fn page(&self, page: &str) -> String {
        page.replace("EAR", &format!("127.0.0.1:{}", self.tcp))
            .replace("DRUM", &format!("127.0.0.1:{}", self.udp))
    }

    pub(crate) async fn hear_nothing(&self, what: &str) -> Result<()> {
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
pub(crate) async fn hostile(stage: &mut Stage) -> Result<()> {
    let blank = stage.site.url(BLANK_PAGE);
    stage.page.goto(&blank).await?;
    let is_closed = closes_in(&stage.page).await?;
    if !is_closed {
        nexus_text::testing::not_checked(
            "that WebRTC is closed to previews: this Chromium is older than 152",
        );
    }
    let ears = Ears::open(is_closed)?;
    // The app's policy prevents navigation of the frame, and reports it.
    stage.expect_fault("frame-src");
    let tries = ears.page(TRIES);
    app::set_up(stage).await?;
    previewed(stage, &[("index.html", &tries)]).await?;
    runs(&stage.page).await?;
    stage.page.see_words(PREVIEW_CONSOLE, "all was tried").await?;
    ears.hear_nothing("the page that tries everything").await?;
    let texts = stage.page.texts(PREVIEW_LINE).await?;
    ensure!(!texts.iter().any(|line| line.contains("WORKED")), "something worked: {texts:#?}");
    for what in ["fetch", "parent", "parent storage", "database", "frame element"] {
        ensure!(
            texts.iter().any(|line| *line == format!("{what}: refused")),
            "{what} was not rejected: {texts:#?}"
        );
    }
    ensure!(stage.page.local("nexus_user_name").await?.as_deref() == Some(app::NAME), "it wrote our storage");

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
        written(stage, &[("index.html", &ears.page(way))]).await?;
        ears.hear_nothing(what).await?;
    }

    // Such a browser may run the page in the app's process.
    if !is_closed {
        return Ok(());
    }
    // Blocking.
    written(stage, &[("index.html", "<p>loop</p><script>setTimeout(() => { for (;;) {} }, 50)</script>")])
        .await?;
    stage.page.see_words(PREVIEW_STOPPED, "did not respond").await?;
    stage.page.fill(COMPOSER, "still here").await?;
    stage.page.click(PREVIEW_RERUN).await?;
    stage.page.hidden(PREVIEW_STOPPED).await?;
    stage.page.see_words(PREVIEW_STOPPED, "did not respond").await?;

    // Too much output: console output is truncated, other output ends the page.
    let console = "<script>for (let i = 0; i < 20000; i++) console.log('line ' + i)</script>";
    written(stage, &[("index.html", console)]).await?;
    stage.page.see_words(PREVIEW_CONSOLE, "the rest is left out").await?;
    runs(&stage.page).await?;
    ensure!(stage.page.count(PREVIEW_LINE).await? <= 200, "the console grows");
    let messages = "<script>setInterval(() => { for (let i = 0; i < 3000; i++) parent.postMessage(i, '*') }, 20)</script>";
    written(stage, &[("index.html", messages)]).await?;
    stage.page.see(PREVIEW_STOPPED).await?;
    stage.page.fill(COMPOSER, "and here").await?;
    ears.hear_nothing("all of it").await?;
    stage.page.see(WAR_ROOM).await?;
    ensure!(stage.page.eval("return location.pathname", &[]).await? == "/", "the app navigated");
    ears_hear(stage, &ears).await
}

/// The sockets do receive the same from an unrestricted page: otherwise the silence above would prove nothing.
async fn ears_hear(stage: &mut Stage, ears: &Ears) -> Result<()> {
    const CALLS: &str = "const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:DRUM' }] });
        let ways = 0;
        peer.onicecandidate = (event) => { ways += event.candidate ? 1 : 0; };
        peer.createDataChannel('a');
        await peer.setLocalDescription(await peer.createOffer());
        for (let looks = 0; ways === 0 && looks < 60; looks++) await new Promise(wake => setTimeout(wake, 50));
        return ways;";
    let open = stage.site.url(BLANK_PAGE);
    stage.page.goto(&open).await?;
    let ways = stage.page.eval_async(&ears.page(CALLS), &[]).await?;
    if ways == 0 {
        nexus_text::testing::not_checked(
            "against WebRTC: this machine has no network that a page could call by",
        );
    } else {
        stage.until("a call by WebRTC", |_| ears.received.load(Ordering::SeqCst) > 0).await?;
    }
    let before = ears.received.load(Ordering::SeqCst);
    let fetches = "await fetch('http://EAR/fetch', { mode: 'no-cors' }).catch(() => null)";
    stage.page.eval_async(&ears.page(fetches), &[]).await?;
    stage.until("a request", |_| ears.received.load(Ordering::SeqCst) > before).await
}

/// Modules that import each other, fetched files, and images of messages; missing ones are named.
async fn modules(stage: &mut Stage) -> Result<()> {
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
    drop_files(&stage.page, &[("photo.png", "image/png", PIXEL)]).await?;
    stage.page.see_count(IMAGE_CHIP, 1).await?;
    written(
        stage,
        &[
            ("index.html", PAGE),
            ("app.js", APP),
            ("lib/twice.js", TWICE),
            ("base.js", BASE),
            ("late.js", "export const late = 'late';"),
            ("data.json", "{\"number\": 10}"),
            ("dot.png", &image_file::text_of(PIXEL).context("it is an image")?),
        ],
    )
    .await?;
    // The image is read before the message is sent, so the run may start a moment later.
    stage.page.see_words(answers_of("engineer"), "Written.").await?;
    app::idle(&stage.page).await?;
    // Before the first preview, an agent learns just that.
    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", Answer::new().call("read_preview_console", json!({})));
    stage.provider.queue_for("Engineer", Answer::say("Then open it, please."));
    app::say_to(&stage.page, "engineer", "Does it work?").await?;
    let answered = stage.request_of("Engineer", 2).await?.body.to_string();
    ensure!(answered.contains("No preview is open"), "the agent did not receive it: {answered}");
    app::idle(&stage.page).await?;

    stage.page.click(SEE_IT_RUN).await?;
    runs(&stage.page).await?;
    in_frame(stage, "modules", "document.querySelector('#said').textContent === '21 late'").await?;
    in_frame(stage, "a module in the page", "document.body.dataset.inline === '9'").await?;
    in_frame(stage, "fetched files", "document.body.dataset.fetched === '10 404'").await?;
    in_frame(stage, "a file that was asked for", "document.body.dataset.asked === '10'").await?;
    in_frame(stage, "a file that is not there", "document.body.dataset.lost === 'lost'").await?;
    let dot = format!("document.body.dataset.dot === 'image/png {}'", PIXEL.len());
    in_frame(stage, "the bytes of an image", &dot).await?;
    in_frame(stage, "the picture", "document.querySelector('#shown').naturalWidth > 0").await?;
    in_frame(stage, "the image file", "document.querySelector('#dot').naturalWidth > 0").await?;
    for words in [
        "The file gone.json is not in this session",
        "The file lost.json is not in this session",
        "Blocked: connect-src",
        "not let out",
        "POST data.json",
        "not sent",
        "no worker",
    ] {
        stage.page.see_words(PREVIEW_CONSOLE, words).await?;
    }
    Ok(())
}

/// Waits until an image with this width is shown in the preview.
async fn drawn(stage: &Stage, what: &str, condition: &str) -> Result<()> {
    let raster = Selector::from(PREVIEW_RASTER);
    let is_so = format!(
        "(place => {{ const image = place?.querySelector('img');
            if (!image?.complete || !image.naturalWidth) return false;
            const box = image.getBoundingClientRect();
            return {condition}; }})(document.querySelector(arguments[0]))"
    );
    stage.page.wait_for(what, &is_so, &[json!(raster.as_str())]).await
}

/// An image is viewed before and after its message is sent, fitted and at actual size, is usable in a page by name,
/// and survives a reload; a damaged one says so.
async fn rasters(stage: &mut Stage) -> Result<()> {
    paste_picture(&stage.page, "chart.png", (1600, 200)).await?;
    drop_files(&stage.page, &[("broken.webp", "image/webp", b"RIFF no picture")]).await?;
    stage.page.see_count(IMAGE_CHIP, 2).await?;
    stage.page.click(FACE_PREVIEW).await?;
    stage.page.see_words(PREVIEW_FILE, "").await?;
    stage.page.choose(PREVIEW_FILE, "chart.png").await?;
    stage.page.see_words(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    stage.page.see_words(Selector::css("[data-testid=preview-file] optgroup"), "not sent yet").await?;
    let source = "return document.querySelector('[data-testid=preview-raster] img').src.split(':')[0]";
    ensure!(stage.page.eval(source, &[]).await? == "blob", "the page contains the bytes");
    drawn(stage, "all of it in view", "box.width <= place.clientWidth + 1 && box.width > 100").await?;
    stage.page.click(PICTURE_FULL).await?;
    drawn(stage, "each point", "box.width === 1600 && place.scrollWidth > place.clientWidth").await?;
    if let Some(folder) = pictures::folder() {
        stage.page.screenshot(&folder.join("preview-picture.png")).await?;
    }
    stage.page.click(PICTURE_FIT).await?;
    drawn(stage, "all of it in view again", "box.width <= place.clientWidth + 1").await?;
    stage.page.choose(PREVIEW_FILE, "broken.webp").await?;
    stage.page.see_words(PREVIEW_RASTER, "cannot show the image").await?;

    // It is sent with the message, and a page shows it by its last name.
    let page = "<!doctype html><h1>Chart</h1><img id=shown src=assets/chart.png alt=chart>";
    written(stage, &[("index.html", page)]).await?;
    stage.page.see_words(answers_of("engineer"), "Written.").await?;
    app::idle(&stage.page).await?;
    stage.page.click(SEE_IT_RUN).await?;
    runs(&stage.page).await?;
    in_frame(stage, "the picture", "document.querySelector('#shown').naturalWidth === 1600").await?;
    stage.page.click(PICTURE_OPEN).await?;
    stage.page.see_words(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.click(PICTURE_OPEN).await?;
    stage.page.see_words(PICTURE_ABOUT, "1600 × 200 · PNG").await?;
    drawn(stage, "the picture after a reload", "box.width > 100").await
}
