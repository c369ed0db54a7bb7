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
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Command-line options.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The port; without one, the first free port from 8080.
    pub port: Option<u16>,
    /// Builds the release page: slower to build, faster to run.
    pub release: bool,
    /// Base path of the page.
    pub base: Option<String>,
}

/// Serves until the process is interrupted.
pub(crate) fn serve(workspace: &Workspace, options: &Options) -> Result<()> {
    let base = clean_base(options.base.as_deref().unwrap_or("/"));
    let listener = listen(options.port)?;
    let address = listener.local_addr().context("getting the listener's address")?;
    let tools = Tools::ensure(workspace)?;

    let folder = workspace.serve_dist();
    if folder.exists() {
        fs::remove_dir_all(&folder).context("removing the previous page")?;
    }
    fs::create_dir_all(&folder).context("creating the folder of the page")?;
    say("building; two to five minutes the first time, seconds later");
    let mut command = tools.trunk();
    command.args(["watch", "--dist"]).arg(&folder);
    if options.release {
        command.arg("--release");
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

/// Serves the built page without building or watching.
pub(crate) fn host(folder: &Path, options: &Options) -> Result<()> {
    if !folder.join("index.html").is_file() {
        let message = format!("{} contains no built page: `cargo xtask build`", folder.display());
        return Err(Error::new(message));
    }
    let base = clean_base(options.base.as_deref().unwrap_or("/"));
    let listener = listen(options.port)?;
    let address = listener.local_addr().context("getting the listener's address")?;
    say(format_args!("{} is at http://{address}{base}", folder.display()));
    Site { folder: folder.to_path_buf(), base, reloads: false }.serve(&listener)
}

/// Binds the requested port, else the next free one.
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

/// Waits for the first successful build; Trunk prints its errors until then.
fn wait_for_page(folder: &Path, watching: &mut Child) -> Result<()> {
    while !folder.join("index.html").is_file() {
        if let Some(status) = watching.try_wait().context("asking for `trunk watch`")? {
            return Err(Error::new(format!("`trunk watch` has ended ({status})")));
        }
        thread::sleep(POLL_INTERVAL);
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
    fn without_a_port_a_used_one_is_skipped() {
        let first = listen(None).unwrap();
        let second = listen(None).unwrap();
        assert_ne!(first.local_addr().unwrap(), second.local_addr().unwrap());
    }

    #[test]
    fn a_requested_port_in_use_is_an_error() {
        let taken = listen(Some(0)).unwrap().local_addr().unwrap().port();
        // The listener above is closed: bind the port again, then request it.
        let blocker = TcpListener::bind(("127.0.0.1", taken)).unwrap();
        let message = listen(Some(taken)).unwrap_err().to_string();
        drop(blocker);
        assert!(message.contains("--port"), "{message}");
    }
}
