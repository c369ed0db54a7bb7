//! Flows for local terminals: allowed, typed into, a turn that ends at its marker, panes side by side, revoked.
//!
//! `terminal` uses a server of our own that speaks ttyd's protocol, `terminal-ttyd` ttyd itself. Both serve a real
//! tmux.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::{runs, screenshots};
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// A terminal server with its own tmux and folder. Dropping it ends all three.
struct Machine {
    server: Child,
    address: String,
    socket: String,
    folder: PathBuf,
}

fn is_installed(program: &str) -> bool {
    let mut probe = Command::new(program);
    let arg = if program == "tmux" { "-V" } else { "--version" };
    probe.arg(arg).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

impl Machine {
    /// Serves a tmux by this command; the server prints its address on the first line unless it is given.
    fn start(name: &str, serve: Command, address: Option<String>) -> Result<Self> {
        let socket = format!("nexus-{name}-{}", std::process::id());
        let folder = env::temp_dir().join(&socket);
        fs::create_dir_all(&folder)?;
        let mut serve = serve;
        serve.args(["tmux", "-L", &socket, "-f", "/dev/null", "new-session", "-A", "-s", "nexus"]);
        serve.args(["-c", &folder.to_string_lossy(), "env", "-u", "ENV", "PS1=ready> ", "sh"]);
        serve.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = serve.spawn().context("the server of terminals did not start")?;
        let address = match address {
            Some(address) => address,
            None => {
                let lines = BufReader::new(server.stdout.take().context("no output")?).lines();
                let address = lines
                    .map_while(Result::ok)
                    .find_map(|line| line.strip_prefix("listening at ").map(str::to_owned));
                address.context("the server of terminals did not name its address")?
            }
        };
        Ok(Self { server, address, socket, folder })
    }

    /// Our own server.
    fn own() -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/real/ttyd.py");
        let mut serve = Command::new(env::var("NEXUS_PYTHON").unwrap_or_else(|_| "python3".to_owned()));
        serve.arg(script).args(["--base-path", "/s3cret"]);
        Self::start("own", serve, None)
    }

    /// ttyd, started as the page documents.
    fn ttyd() -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut serve = Command::new("ttyd");
        serve.args(["-W", "-i", "127.0.0.1", "-p", &port.to_string(), "-b", "/s3cret"]);
        let machine = Self::start("ttyd", serve, Some(format!("ws://127.0.0.1:{port}/ws")))?;
        let until = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(Instant::now() < until, "ttyd does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(machine)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if self.server.kill().is_ok() {
            drop(self.server.wait());
        }
        drop(Command::new("tmux").args(["-L", &self.socket, "kill-server"]).stderr(Stdio::null()).status());
        drop(fs::remove_dir_all(&self.folder));
    }
}

pub(crate) async fn own(fixture: &mut Fixture) -> Result<()> {
    if !is_installed("tmux") {
        return Err(crate::missing_software("tmux"));
    }
    play(fixture, &Machine::own()?).await
}

pub(crate) async fn ttyd(fixture: &mut Fixture) -> Result<()> {
    // Not every Debian release has a package of it, so it may not be installable.
    if !is_installed("ttyd") || !is_installed("tmux") {
        nexus_text::testing::not_checked("terminals by ttyd itself: no ttyd and tmux on the PATH");
        return Err(crate::NotInstalled.into());
    }
    play(fixture, &Machine::ttyd()?).await
}

fn node(id: &str) -> Selector {
    RUN_NODE.with("data-node", id)
}

async fn play(fixture: &mut Fixture, machine: &Machine) -> Result<()> {
    app::set_up(fixture).await?;
    let command = "cat > pack.txt; echo session_id: 0199-test-0001; echo Built it.";
    let graph = json!({
        "version": 1, "name": "By terminal", "nodes": [
            { "key": "build", "kind": "agent.codex", "instruction": "Build it.", "entry": true,
              "terminal": { "address": machine.address, "command": command } },
            { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "build", "to": "read" }],
    });
    let import = fixture.site.url("/run/?import=1");
    fixture.page.goto(&import).await?;
    let page = &fixture.page;
    runs::choose(page, "graph.json", graph.to_string().as_bytes()).await?;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await?;
    page.click(GRAPH_RUN).await?;
    page.fill(GRAPH_START_MESSAGE, "A clock, please").await?;
    page.click(GRAPH_START_RUN).await?;
    // Nothing is opened before it is allowed: the node has failed, and the run waits.
    page.see(node("build").with("data-status", "ERROR")).await?;
    page.click(node("build")).await?;
    page.see(TERMINAL_ASKS).await?;
    screenshots::moment(page, "terminal-asks").await?;
    ensure!(page.count(TERMINAL_ROWS).await? == 0, "it is open before it was allowed");

    allow(page, "wrong").await?;
    // The current policy allows only the providers.
    page.click(TERMINAL_RELOAD).await?;
    fixture.page.see(RUN_SCREEN.with("data-done", "true")).await?;
    let page = &fixture.page;
    // The secret path is not stored, so it must be entered again; without it nothing responds.
    page.see_text(TERMINAL_STATE, "is its secret path right?").await?;
    allow(page, "s3cret").await?;
    page.click(TERMINAL_AGAIN).await?;
    page.see_text(TERMINAL_STATE, "Connected").await?;
    page.see_text(TERMINAL_ROWS, "ready>").await?;

    // Keys reach it, and its output is shown; Shift+Tab leaves it.
    page.click(TERMINAL_INPUT).await?;
    page.press("echo typed-$((40+2)) '\u{e9}'").await?;
    page.press(Key::Enter).await?;
    page.see_text(TERMINAL_ROWS, "typed-42 é").await?;
    screenshots::moment(page, "terminal").await?;
    page.click(TERMINAL_INPUT).await?;
    page.press(Key::Shift + Key::Tab).await?;
    ensure!(page.focused().await? != "terminal-input", "the keyboard cannot leave the terminal");

    // A turn is typed, ends at its marker, and its envelope with the log is forwarded.
    fixture.provider.queue_for("Critic", Answer::say("Read."));
    page.fill(RUN_STEER, "With a bell.").await?;
    page.click(RUN_STEER_SEND).await?;
    page.see(node("build").with("data-status", "DONE")).await?;
    page.see(node("read").with("data-status", "DONE")).await?;
    let pack = fs::read_to_string(machine.folder.join("pack.txt")).context("the command had no input")?;
    for words in ["# Goal", "A clock, please", "# Your part\nBuild it.", "With a bell."] {
        ensure!(pack.contains(words), "{words} is not in the pack: {pack}");
    }
    page.click(RUN_ARTIFACT).await?;
    page.see_text(RUN_ARTIFACT_TEXT, "Built it.").await?;
    let log = page.text(RUN_ARTIFACT_TEXT).await?;
    ensure!(!log.contains("nexus:") && !log.contains("base64"), "the log contains typed text: {log}");
    let body = fixture.provider.requests().last().map(|request| request.body.to_string()).unwrap_or_default();
    ensure!(body.contains("Built it."), "the envelope is missing in the next node: {body}");

    tiles(page).await?;
    page.click(RUN_TILE_GRAPH).await?;
    page.click(node("build")).await?;
    page.click(TERMINAL_REVOKE).await?;
    page.see(TERMINAL_ASKS).await?;
    page.hidden(TERMINAL_ROWS).await
}

/// Allows the terminal as proposed.
async fn allow(page: &Page, secret: &str) -> Result<()> {
    page.click(TERMINAL_OPEN).await?;
    page.fill(TERMINAL_SECRET, secret).await?;
    page.click(TERMINAL_ACCEPT).await?;
    page.hidden(TERMINAL_ACCEPT).await
}

/// Panes of two nodes side by side, navigated, split and closed by keys; a narrow screen shows one.
async fn tiles(page: &Page) -> Result<()> {
    page.click(RUN_SPLIT).await?;
    page.see_count(RUN_TILE, 1).await?;
    page.press(Key::Alt + Key::Shift + "s").await?;
    page.see_count(RUN_TILE, 2).await?;
    page.see_text(TERMINAL_ROWS, "typed-42").await?;
    screenshots::moment(page, "terminal-tiles").await?;
    let active =
        "[...document.querySelectorAll(arguments[0])].findIndex(tile => tile.dataset.active === 'true')";
    let at = async |number: usize| {
        let is_it = format!("{active} === {number}");
        page.wait_for("the other pane", &is_it, &[json!(Selector::from(RUN_TILE).as_str())]).await
    };
    at(1).await?;
    page.press(Key::Alt + Key::Shift + Key::Left).await?;
    at(0).await?;
    page.resize(360, 740).await?;
    let shown =
        "[...document.querySelectorAll(arguments[0])].filter(tile => tile.checkVisibility()).length === 1";
    page.wait_for("one pane", shown, &[json!(Selector::from(RUN_TILE).as_str())]).await?;
    page.click_last(RUN_TILE_SWITCH).await?;
    at(1).await?;
    page.resize(1440, 900).await?;
    page.press(Key::Alt + Key::Shift + "x").await?;
    page.see_count(RUN_TILE, 1).await
}
