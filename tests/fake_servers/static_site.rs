//! Tests of the flows' static host: files and headers.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use crate::e2e::site::{POLICY, SANDBOX_PAGE, SUB_PATH, Site};

/// A folder with a page and another below it. Removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nexus-site-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("settings")).unwrap();
        fs::write(path.join("index.html"), "the app").unwrap();
        fs::write(path.join("settings/index.html"), "the settings").unwrap();
        fs::write(path.join("nexus.wasm"), b"\0asm").unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn get(site: &Site, path: &str) -> String {
    let url = site.url(path);
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn serves_the_folder_twice() {
    let folder = Folder::new("twice");
    let site = Site::start(folder.0.clone()).unwrap();
    for base in ["/", SUB_PATH] {
        assert!(get(&site, base).ends_with("\r\n\r\nthe app"));
        assert!(get(&site, &format!("{base}?session=1")).ends_with("\r\n\r\nthe app"));
        assert!(get(&site, &format!("{base}settings/")).ends_with("\r\n\r\nthe settings"));
        let moved = get(&site, &format!("{base}settings"));
        assert!(moved.starts_with("HTTP/1.1 301"));
        assert!(moved.contains(&format!("location: {base}settings/\r\n")));
        let wasm = get(&site, &format!("{base}nexus.wasm"));
        assert!(wasm.contains("content-type: application/wasm\r\n"));
    }
}

#[test]
fn missing_files_are_404() {
    let folder = Folder::new("refuses");
    let site = Site::start(folder.0.clone()).unwrap();
    for path in ["/gone.js", "/deep/", "/../Cargo.toml", "/gone/"] {
        assert!(get(&site, path).starts_with("HTTP/1.1 404"), "{path}");
    }
}

#[test]
fn sends_the_real_policy() {
    let folder = Folder::new("policy");
    let site = Site::start(folder.0.clone()).unwrap();
    let page = get(&site, "/");
    assert!(page.contains(&format!("content-security-policy: {POLICY}\r\n")));
    assert!(!POLICY.contains("unsafe-inline") && !POLICY.contains("'unsafe-eval'"));
    assert!(page.contains("x-content-type-options: nosniff\r\n"));
    assert!(page.contains("cross-origin-opener-policy: same-origin\r\n"));
    // The host page of the sandboxed frame is not the app's.
    let host = get(&site, SANDBOX_PAGE);
    assert!(host.contains("sandbox=\"allow-scripts\"") && !host.contains("content-security-policy"));
}
