//! Flows against a real llama.cpp server, with a tiny model that calls one tool and knows one sentence.
//!
//! Skipped with a message if its packages are not installed.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::selectors::*;

/// The model's answer after its tool result.
const SENTENCE: &str = "I wrote it, said the tiny model.";

/// A running server. Dropping it ends it.
pub(super) struct Llama {
    process: Child,
    address: String,
}

impl Llama {
    /// Starts the server with the Python of `NEXUS_PYTHON`, at this port or a free one; if its packages are not
    /// installed, the flow counts as not run.
    pub(super) fn start(port: Option<u16>) -> Result<Self> {
        let python = env::var("NEXUS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut probe = Command::new(&python);
        probe.args(["-c", "import gguf, xllamacpp"]).stdout(Stdio::null()).stderr(Stdio::null());
        if !probe.status().is_ok_and(|status| status.success()) {
            return Err(crate::missing_software(
                "Python's packages xllamacpp and gguf (NEXUS_PYTHON may name another Python)",
            ));
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/real/llama_server.py");
        let mut process = Command::new(&python)
            .arg(script)
            .args(port.map(|port| port.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("the server of llama.cpp did not start")?;
        let mut lines = BufReader::new(process.stdout.take().context("no output")?).lines();
        let found = lines.by_ref().map_while(Result::ok);
        let mut found = found.filter_map(|line| line.strip_prefix("listening at ").map(str::to_owned));
        let address = found.next().context("the server of llama.cpp ended without naming its address")?;
        // Drains the output, so that it never blocks.
        thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, address })
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        if self.process.kill().is_ok() {
            drop(self.process.wait());
        }
    }
}

/// A local server is added by base URL, tested, and its model selected; an agent writes a file and answers with it.
pub(crate) async fn llama_cpp(fixture: &mut Fixture) -> Result<()> {
    let server = Llama::start(None)?;
    app::set_up(fixture).await?;
    agent_setup::open_settings(&fixture.page).await?;
    let address = format!("{}/v1", server.address);
    let id = agent_setup::add_preset(&fixture.page, PRESET_LLAMA_CPP, &address).await?;
    let own = agent_setup::card(&id);
    // The page's policy does not allow the server yet: a reload is needed.
    fixture.page.click(Selector::css(&format!("{} button", own.clone().inner(PROVIDER_RELOAD)))).await?;
    fixture.page.hidden(PROVIDER_RELOAD).await?;
    agent_setup::open_card(&fixture.page, &id).await?;
    fixture.page.click(own.clone().inner(PROVIDER_TEST)).await?;
    let models = PROVIDER_TEST_STEP.with("data-check", "models").with("data-state", "passed");
    fixture.page.see(models).await?;
    let listed = "return document.querySelector(arguments[0]).list.options[0]?.value ?? ''";
    let form = AGENT_SETTINGS.with("data-agent", "engineer");
    fixture.page.choose(form.clone().inner(AGENT_PROVIDER), &id).await?;
    let field = form.inner(AGENT_MODEL);
    let offered = "document.querySelector(arguments[0]).list.options.length > 0";
    fixture.page.wait_for("a model to be on offer", offered, &[field.as_str().into()]).await?;
    let model = fixture.page.eval(listed, &[field.as_str().into()]).await?;
    let model = model.as_str().filter(|model| !model.is_empty()).context("no model is on offer")?.to_owned();
    app::enter(&fixture.page, field, &model).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;

    let calls = fixture.page.count(TOOL_CARD.with("data-status", "succeeded")).await?;
    app::send_to(&fixture.page, "engineer", "Who says this?").await?;
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), SENTENCE).await?;
    fixture.page.see_text(FILE_EDITOR, "made by a real server").await?;
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().is_empty(), "another agent was called");
    // Its answer is part of the history that it receives next.
    app::send(&fixture.page, "Once more.").await?;
    fixture.page.see_count(TOOL_CARD.with("data-status", "succeeded"), calls + 2).await?;
    app::idle(&fixture.page).await
}
