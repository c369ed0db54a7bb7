//! Development server: `trunk watch` rebuilds after each edit, and our own server serves the page on this machine
//! only.
//!
//! Not `trunk serve`: its reload script is inline, which the page's policy forbids, and it sends none of the headers.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::error::{Context, Error, Result};
use crate::run::say;
use crate::site::Site;
use crate::tools::Tools;
use crate::workspace::Workspace;

const DEFAULT_PORT: u16 = 8080;
const PORTS_TRIED: u16 = 20;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The port to serve on; without one the first free from 8080 on.
    pub port: Option<u16>,
    /// Builds what a host would get: slower to build, faster to run.
    pub release: bool,
    /// The path to serve under.
    pub base: Option<String>,
}

/// Serves until the person at the terminal has had enough.
pub(crate) fn serve(workspace: &Workspace, options: &Options) -> Result<()> {
    let base = clean_base(options.base.as_deref().unwrap_or("/"));
    let listener = listen(options.port)?;
    let address = listener.local_addr().context("asking for the own address")?;
    let tools = Tools::ensure(workspace)?;

    let folder = workspace.serve_dist();
    if folder.exists() {
        fs::remove_dir_all(&folder).context("removing the page of the last time")?;
    }
    fs::create_dir_all(&folder).context("making the folder of the page")?;
    say("building; two to five minutes the first time, seconds later");
    let mut command = tools.trunk();
    command.args(["watch", "--dist"]).arg(&folder);
    if options.release {
        command.arg("--release");
    } else {
        // Types of views erased: the compiler is three times as fast, the page a little slower.
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "--cfg erase_components");
    }
    let mut watching = command.spawn().context("starting `trunk watch`")?;
    wait_for_page(&folder, &mut watching)?;

    say(format_args!("Nexus is at http://{address}{base}"));
    say("edits are built and shown as they are saved; end with Ctrl-C");
    let site = Site { folder, base, reloads: true };
    thread::spawn(move || {
        if let Err(error) = site.serve(&listener) {
            say(format_args!("the server has stopped: {error}"));
        }
    });
    let status = watching.wait().context("waiting for `trunk watch`")?;
    Err(Error::new(format!("`trunk watch` has ended ({status})")))
}

/// Serves the built page as it is, without building or watching.
pub(crate) fn host(folder: &Path, options: &Options) -> Result<()> {
    if !folder.join("index.html").is_file() {
        let words = format!("{} holds no built page: `cargo xtask build`", folder.display());
        return Err(Error::new(words));
    }
    let base = clean_base(options.base.as_deref().unwrap_or("/"));
    let listener = listen(options.port)?;
    let address = listener.local_addr().context("asking for the own address")?;
    say(format_args!("{} is at http://{address}{base}", folder.display()));
    Site { folder: folder.to_path_buf(), base, reloads: false }.serve(&listener)
}

/// A port that was asked for is meant; otherwise the next free one does.
fn listen(port: Option<u16>) -> Result<TcpListener> {
    let tried = match port {
        Some(port) => port..=port,
        None => DEFAULT_PORT..=DEFAULT_PORT + PORTS_TRIED,
    };
    for port in tried {
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(error) => return Err(Error::new(format!("listening on port {port}: {error}"))),
        }
    }
    Err(Error::new("the port is in use: name another with --port"))
}

/// The page appears when the first build has succeeded; until then Trunk says what is wrong with it.
fn wait_for_page(folder: &Path, watching: &mut Child) -> Result<()> {
    while !folder.join("index.html").is_file() {
        if let Some(status) = watching.try_wait().context("asking for `trunk watch`")? {
            return Err(Error::new(format!("`trunk watch` has ended ({status})")));
        }
        thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// A base path with a slash at both ends.
fn clean_base(base: &str) -> String {
    match base.trim_matches('/') {
        "" => "/".to_owned(),
        inner => format!("/{inner}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_has_a_slash_at_both_ends() {
        for (given, clean) in [("", "/"), ("/", "/"), ("a/b", "/a/b/"), ("/a/b/", "/a/b/")] {
            assert_eq!(clean_base(given), clean);
        }
    }

    #[test]
    fn without_a_port_a_taken_one_is_no_obstacle() {
        let first = listen(None).unwrap();
        let second = listen(None).unwrap();
        assert_ne!(first.local_addr().unwrap(), second.local_addr().unwrap());
    }

    #[test]
    fn a_port_that_was_asked_for_and_is_taken_is_an_error() {
        let taken = listen(Some(0)).unwrap().local_addr().unwrap().port();
        // The listener above is gone: hold the port again, then ask for it.
        let held = TcpListener::bind(("127.0.0.1", taken)).unwrap();
        let words = listen(Some(taken)).unwrap_err().to_string();
        drop(held);
        assert!(words.contains("--port"), "{words}");
    }
}
