//! Static file server on loopback, like a plain host, with the policy's headers and any base path.
//!
//! Serves `index.html` for a folder, and nothing outside the given folder. Optionally reloads pages when the folder
//! changes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::error::{Context, Result};
use crate::policy;

/// Reserved names that no build writes; served only with `reloads`.
const RELOAD_SCRIPT: &str = "__reload.js";
const RELOAD_STREAM: &str = "__reload";
const RELOAD_CODE: &str = "const changes = new EventSource(new URL('__reload', \
     document.currentScript.src));\nchanges.onmessage = () => location.reload();\n";

const READ_LIMIT: u64 = 16 * 1024;
const READ_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(300);
const POLLS_PER_KEEPALIVE: u32 = 20;

/// A site and its options.
#[derive(Debug)]
pub(crate) struct Site {
    /// Folder of the built page.
    pub folder: PathBuf,
    /// Base path; begins and ends with a slash.
    pub base: String,
    /// Reloads open pages after a rebuild.
    pub reloads: bool,
}

/// Response to a request, without the common headers.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    File(PathBuf),
    /// Redirects to the address with a trailing slash, so that relative links work.
    Moved(String),
    ReloadScript,
    ReloadStream,
    NotFound,
}

impl Site {
    /// Serves until the process ends.
    pub(crate) fn serve(self, listener: &TcpListener) -> Result<()> {
        let site = Arc::new(self);
        for stream in listener.incoming() {
            let stream = stream.context("accepting a connection")?;
            let site = Arc::clone(&site);
            // Ignores clients that disconnect during a response.
            thread::spawn(move || site.handle_connection(stream).unwrap_or_default());
        }
        Ok(())
    }

    fn handle_connection(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        let mut head = BufReader::new(stream.try_clone()?.take(READ_LIMIT));
        let mut first = String::new();
        head.read_line(&mut first)?;
        // Drains the headers, so that closing does not reset the connection; they are not used.
        let mut line = String::new();
        while head.read_line(&mut line)? > 2 {
            line.clear();
        }
        let mut words = first.split_whitespace();
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if method != "GET" && method != "HEAD" {
            let body = b"Only GET and HEAD are served here.\n";
            return write_response(stream, "405 Method Not Allowed", TEXT, &[], Some(body));
        }
        let with_body = method == "GET";
        match self.answer(target) {
            Answer::File(path) => self.write_file(stream, &path, with_body),
            Answer::Moved(to) => {
                let place = [("Location", to)];
                write_response(stream, "301 Moved Permanently", TEXT, &place, Some(b""))
            }
            Answer::ReloadScript => {
                let code = RELOAD_CODE.as_bytes();
                write_response(stream, "200 OK", JAVASCRIPT, &[], Some(code))
            }
            Answer::ReloadStream => self.send_reload_events(stream),
            Answer::NotFound => {
                let body = format!("There is no {target} here. The page is at {}\n", self.base);
                write_response(stream, "404 Not Found", TEXT, &[], Some(body.as_bytes()))
            }
        }
    }

    /// Resolves an address.
    fn answer(&self, target: &str) -> Answer {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, format!("?{query}")),
            None => (target, String::new()),
        };
        if format!("{path}/") == self.base {
            return Answer::Moved(format!("{}{query}", self.base));
        }
        let Some(inner) = path.strip_prefix(&self.base) else {
            return Answer::NotFound;
        };
        if self.reloads && inner == RELOAD_SCRIPT {
            return Answer::ReloadScript;
        }
        if self.reloads && inner == RELOAD_STREAM {
            return Answer::ReloadStream;
        }
        let Some(relative) = safe_path(inner) else {
            return Answer::NotFound;
        };
        let found = self.folder.join(relative);
        if found.is_dir() {
            if !path.ends_with('/') {
                return Answer::Moved(format!("{path}/{query}"));
            }
            return self.existing(found.join("index.html"));
        }
        if path.ends_with('/') { Answer::NotFound } else { self.existing(found) }
    }

    /// The file, unless it does not exist or is a link out of the folder.
    fn existing(&self, path: PathBuf) -> Answer {
        let inside = path
            .canonicalize()
            .and_then(|real| Ok(real.starts_with(self.folder.canonicalize()?)))
            .unwrap_or(false);
        if inside && path.is_file() { Answer::File(path) } else { Answer::NotFound }
    }

    fn write_file(&self, stream: TcpStream, path: &Path, with_body: bool) -> std::io::Result<()> {
        let mut bytes = fs::read(path)?;
        let kind = content_type(path);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let sandbox = policy::sandbox_headers(name);
        if self.reloads && kind == HTML && sandbox.is_none() {
            let tag = format!("<script src=\"{}{RELOAD_SCRIPT}\" defer></script>\n", self.base);
            bytes.extend_from_slice(tag.as_bytes());
        }
        let cache_control =
            if policy::never_changes(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let mut headers = vec![
            ("Cache-Control", cache_control.to_owned()),
            ("Content-Length", bytes.len().to_string()),
            // In a sandboxed frame the page has an opaque origin, so its own files are cross-origin.
            ("Access-Control-Allow-Origin", "*".to_owned()),
        ];
        headers.extend(sandbox.into_iter().flatten());
        write_response(stream, "200 OK", kind, &headers, with_body.then_some(&bytes))
    }

    /// Sends a server-sent event after each rebuild.
    fn send_reload_events(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let no_store = [("Cache-Control", "no-store".to_owned())];
        write_response(stream.try_clone()?, "200 OK", "text/event-stream", &no_store, None)?;
        let mut seen = self.built_at();
        for poll in 1_u32.. {
            thread::sleep(POLL_INTERVAL);
            let now = self.built_at();
            if now.is_some() && now != seen {
                seen = now;
                stream.write_all(b"data: built\n\n")?;
            } else if poll.is_multiple_of(POLLS_PER_KEEPALIVE) {
                // A write is the only way to notice a disconnect.
                stream.write_all(b": still here\n\n")?;
            }
        }
        Ok(())
    }

    fn built_at(&self) -> Option<SystemTime> {
        fs::metadata(self.folder.join("index.html")).ok()?.modified().ok()
    }
}

fn write_response(
    mut stream: TcpStream,
    status: &str,
    kind: &str,
    headers: &[(&str, String)],
    body: Option<&[u8]>,
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
    // A response's own headers replace the common ones.
    let own = |name: &str| headers.iter().any(|(other, _)| *other == name);
    let common = policy::headers().into_iter().filter(|(name, _)| !own(name));
    for (name, value) in common.chain(headers.iter().cloned()) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.unwrap_or_default())?;
    stream.flush()
}

/// The relative path of an address; `None` if it could leave the folder.
fn safe_path(path: &str) -> Option<PathBuf> {
    let decoded = percent_decoded(path)?;
    let mut safe = PathBuf::new();
    for part in decoded.split('/').filter(|part| !part.is_empty()) {
        let is_unsafe = part == "." || part == ".." || part.contains(['\\', ':', '\0']);
        if is_unsafe {
            return None;
        }
        safe.push(part);
    }
    Some(safe)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let high = char::from(bytes.next()?).to_digit(16)?;
        let low = char::from(bytes.next()?).to_digit(16)?;
        decoded.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(decoded).ok()
}

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// MIME type by file extension; `nosniff` makes a wrong one fail visibly.
fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => HTML,
        Some("js" | "mjs") => JAVASCRIPT,
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("txt") => TEXT,
        Some(_) | None => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
