//! Serves the built folder as a plain static host, at the root and at a sub-path, with the recommended headers.
//!
//! Never rewrites or falls back to `index.html`, and compresses nothing: `name.br` beside `name` is sent to clients
//! that accept it. Files are read for each request, so a rebuild needs no restart. Files with a hash in their name
//! are cached forever, as the recommended headers say, so that a browser that runs many flows compiles the program
//! once.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::http::{Head, Incoming, Server};

/// Sub-path of a second copy.
pub(crate) const SUB_PATH: &str = "/deep/er/";

/// Path of a copy as built without Node: its page has no JavaScript modules.
pub(crate) const NO_MODULES_PATH: &str = "/bare/";

/// A page that embeds the app in a sandboxed frame.
pub(crate) const SANDBOX_PAGE: &str = "/-/sandbox";

/// A page without scripts on the app's origin, from which its storage can be prepared.
pub(crate) const BLANK_PAGE: &str = "/-/blank";

/// A script on the app's origin that traps like a program out of memory. Scripts of the driver have no origin, and a
/// page gets no details of their errors.
pub(crate) const TRAP_SCRIPT: &str = "/-/trap.js";

pub(crate) const TRAP_WORDS: &str = "trapped on purpose";

/// Policy header of the app's document.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' \
    'sha384-74Csjs04eFxlc9DDzihEvQDPZEUDKPtpCkxkKPqYY5g5kKWRg1ecVtt6qvtDobnR'; \
    style-src 'self' 'sha384-DUpnXhWDgOjMb5UsZA7DerW1OweDpzCbcqdvHIHk4k9iLDZQSkJAdU9GmJ3R2Lp5'; \
    img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; \
    connect-src 'self' https: http://localhost:* http://127.0.0.1:* ws://localhost:* \
    ws://127.0.0.1:*; worker-src 'self'; frame-src 'self'; frame-ancestors 'self'; \
    form-action 'none'; base-uri 'none'; object-src 'none'; manifest-src 'self'; \
    require-trusted-types-for 'script'; trusted-types nexus";

/// Policy header of the document of previews.
const PREVIEW_POLICY: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' data:; \
    connect-src data:; worker-src 'none'; \
    style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'";

/// Policy header of the document of checks.
const CHECK_POLICY: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; \
    worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Blocks WebRTC and plain connections.
const ALLOWLIST: &str = "(response-origin); webrtc=block";

/// Path of a copy without headers, as on a host that cannot set them.
pub(crate) const NO_HEADERS_PATH: &str = "/plain/";

/// The static host. Dropping it stops it.
pub(crate) struct Site {
    server: Server,
    root: PathBuf,
    state: Arc<HostState>,
}

#[derive(Default)]
struct HostState {
    /// Registers the service worker. Usually off: its cache would respond instead of the host.
    has_worker: bool,
    is_down: AtomicBool,
    /// Serves the service worker of another build.
    is_newer: AtomicBool,
}

impl Site {
    /// Serves this folder on a free port.
    pub(crate) fn start(root: PathBuf) -> io::Result<Self> {
        Self::start_with(root, HostState::default())
    }

    fn start_with(root: PathBuf, state: HostState) -> io::Result<Self> {
        let state = Arc::new(state);
        let (folder, known) = (root.clone(), Arc::clone(&state));
        let server =
            Server::start(move |mut stream, incoming| serve(&mut stream, &incoming, &folder, &known))?;
        Ok(Self { server, root, state })
    }

    /// Serves the same folder on another origin, whose pages register their service worker.
    pub(crate) fn with_worker(&self) -> io::Result<Self> {
        Self::start_with(self.root.clone(), HostState { has_worker: true, ..HostState::default() })
    }

    /// Stops or resumes responding.
    pub(crate) fn set_down(&self, is_down: bool) {
        self.state.is_down.store(is_down, Ordering::SeqCst);
    }

    /// Serves the service worker of another build from now on.
    pub(crate) fn serve_newer_version(&self) {
        self.state.is_newer.store(true, Ordering::SeqCst);
    }

    /// URL of this path, which begins with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.origin())
    }
}

fn serve(stream: &mut TcpStream, incoming: &Incoming, root: &Path, state: &HostState) -> io::Result<()> {
    if state.is_down.load(Ordering::SeqCst) {
        return Ok(());
    }
    match incoming.path.as_str() {
        "/favicon.ico" if !root.join("favicon.ico").exists() => {
            return plain_head(204, "image/x-icon").send(stream, b"");
        }
        SANDBOX_PAGE => {
            let page = "<!doctype html><title>host</title><body style=\"margin:0\">\
                <iframe src=\"/\" sandbox=\"allow-scripts\" \
                style=\"border:0;width:100vw;height:100vh\"></iframe>";
            return plain_head(200, "text/html; charset=utf-8").send(stream, page.as_bytes());
        }
        TRAP_SCRIPT => {
            let script =
                format!("setTimeout(() => {{ throw new WebAssembly.RuntimeError('{TRAP_WORDS}'); }});");
            return plain_head(200, "text/javascript; charset=utf-8").send(stream, script.as_bytes());
        }
        BLANK_PAGE => {
            let page = "<!doctype html><title>blank</title>";
            return plain_head(200, "text/html; charset=utf-8").send(stream, page.as_bytes());
        }
        _ => {}
    }
    let is_bare = incoming.path.starts_with(NO_MODULES_PATH);
    let below = [SUB_PATH, NO_MODULES_PATH, NO_HEADERS_PATH, "/"]
        .iter()
        .find_map(|base| incoming.path.strip_prefix(base));
    match below.and_then(|below| find(root, below)) {
        Some(Found::File(file)) => {
            let accepts = incoming.header("accept-encoding").is_some_and(|value| value.contains("br"));
            let packed = accepts.then(|| fs::read(format!("{}.br", file.display())).ok()).flatten();
            let is_packed = packed.is_some();
            let body = packed.map_or_else(|| fs::read(&file), Ok)?;
            let is_page = file.ends_with("index.html");
            let body = if is_bare && is_page { without(body, "nexus-js") } else { body };
            // A precompressed page is sent unchanged.
            let has_worker = state.has_worker || is_packed;
            let body = if is_page && !has_worker { without(body, "nexus-worker") } else { body };
            let body = if state.is_newer.load(Ordering::SeqCst) && file.ends_with("sw.js") {
                String::from_utf8_lossy(&body).replacen("BUILD = \"", "BUILD = \"newer", 1).into_bytes()
            } else {
                body
            };
            let body = if incoming.method == "HEAD" { Vec::new() } else { body };
            let is_plain = incoming.path.starts_with(NO_HEADERS_PATH);
            let cache = if is_immutable(&file) { "public, max-age=31536000, immutable" } else { "no-cache" };
            let own = head(200, media_type(&file), cache);
            let head = match (is_plain, file.file_name().and_then(|name| name.to_str())) {
                (true, _) => own.with("access-control-allow-origin", "*"),
                (false, Some("preview.html")) => sandbox_head(PREVIEW_POLICY),
                (false, Some("check.html")) => sandbox_head(CHECK_POLICY),
                (false, _) => of_app(own),
            };
            let head = if is_packed { head.with("content-encoding", "br") } else { head };
            head.send(stream, &body)
        }
        Some(Found::Folder) => {
            let to = format!("{}/", incoming.path);
            app_head(301, "text/plain").with("location", &to).send(stream, b"")
        }
        None => app_head(404, "text/plain; charset=utf-8").send(stream, b"not found"),
    }
}

/// Removes the `meta` element of this name: JavaScript modules or service worker.
fn without(page: Vec<u8>, name: &str) -> Vec<u8> {
    let page = String::from_utf8_lossy(&page).into_owned();
    match page.split_once(&format!("<meta name=\"{name}\"")) {
        Some((before, rest)) => {
            let after = rest.split_once('>').map_or("", |(_, after)| after);
            format!("{before}{after}").into_bytes()
        }
        None => page.into_bytes(),
    }
}

enum Found {
    File(PathBuf),
    /// A folder requested without a trailing slash.
    Folder,
}

fn find(root: &Path, below: &str) -> Option<Found> {
    if below.split('/').any(|step| step == "..") {
        return None;
    }
    let path = root.join(below);
    if path.is_dir() {
        if below.is_empty() || below.ends_with('/') {
            let index = path.join("index.html");
            return index.is_file().then_some(Found::File(index));
        }
        return path.join("index.html").is_file().then_some(Found::Folder);
    }
    path.is_file().then_some(Found::File(path))
}

/// True if the file is immutable, because its name contains a hash.
fn is_immutable(file: &Path) -> bool {
    let is_kind =
        ["js", "css", "wasm", "svg"].map(Some).contains(&file.extension().and_then(|kind| kind.to_str()));
    is_kind && file.file_name().is_some_and(|name| name != "watchdog.js")
}

fn plain_head(status: u16, media_type: &str) -> Head {
    head(status, media_type, "no-cache")
}

fn head(status: u16, media_type: &str, cache: &str) -> Head {
    Head::new(status)
        .with("content-type", media_type)
        .with("cache-control", cache)
        .with("x-content-type-options", "nosniff")
}

/// Headers of the app's own files. Any origin may read them, as on usual static hosts: a sandboxed frame has no
/// origin, so its module scripts and wasm are cross-origin.
fn app_head(status: u16, media_type: &str) -> Head {
    of_app(plain_head(status, media_type))
}

fn of_app(head: Head) -> Head {
    head.with("content-security-policy", POLICY)
        .with("referrer-policy", "no-referrer")
        .with("cross-origin-opener-policy", "same-origin")
        .with("permissions-policy", "camera=(), geolocation=(), microphone=(self)")
        .with("access-control-allow-origin", "*")
}

/// Headers of the document of previews or checks.
fn sandbox_head(policy: &str) -> Head {
    plain_head(200, "text/html; charset=utf-8")
        .with("content-security-policy", policy)
        .with("connection-allowlist", ALLOWLIST)
        .with("referrer-policy", "no-referrer")
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
