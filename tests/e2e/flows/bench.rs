//! Benchmark of the page against a minimal page that appends the same Markdown as DOM nodes.
//!
//! On demand: `cargo xtask bench`. Times depend on the machine, so only ratios of alternating measurements matter.
//! Enforces no limit.

mod profile;
mod report;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

pub(crate) use self::profile::profile;
use crate::app;
use crate::fixture::Fixture;
use crate::page::TIMEOUT;
use crate::provider::Answer;
use crate::provider::Gate;
use crate::seeded_history;
use crate::selectors::*;
use crate::site::{BLANK_PAGE, Site};

/// Runs in every measured document.
const MEASURE: &str = include_str!("../pages/measure.js");
/// Default number of measurements of each figure.
const TIMES: usize = 5;
/// CPU slowdown of the slow device.
const SLOWER: u32 = 4;
/// A page is quiet after this time without a request or a long task.
const QUIET: Duration = Duration::from_secs(1);
/// Messages of a returning visitor's conversation.
const MESSAGES: usize = 1_000;
/// End of the newest answer.
const LAST: &str = "The conversation ends here.";
/// End of a streamed answer.
const END: &str = "The stream ends here.";
/// Tokens of the answer at full speed, and of those at the speed of a fast model.
const FLOOD: usize = 20_000;
const STREAM: usize = 2_000;
/// Keys pressed during an answer.
const KEYS: usize = 40;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Floor,
    Nexus,
}

/// A use of the page, with several figures.
#[derive(Clone, Copy)]
enum Scenario {
    Return,
    Flood,
    Stream,
    Typing,
    Visit,
    SlowVisit,
}

/// The two that need a new device come last.
const SCENARIOS: [Scenario; 6] = [
    Scenario::Return,
    Scenario::Flood,
    Scenario::Stream,
    Scenario::Typing,
    Scenario::Visit,
    Scenario::SlowVisit,
];

/// Samples of each figure, by name and side.
pub(crate) type Samples = BTreeMap<&'static str, BTreeMap<Side, Vec<f64>>>;
type Figures = Vec<(&'static str, f64)>;
/// Counters of the browser.
type Metrics = BTreeMap<String, f64>;
const STYLE_AND_LAYOUT: [&str; 2] = ["LayoutDuration", "RecalcStyleDuration"];

/// Takes all measurements, prints them beside their targets, and writes them to `NEXUS_BENCH_OUT`. `NEXUS_BENCH_RUNS`
/// is their number; `NEXUS_BENCH_ONLY` selects figures.
pub(crate) async fn page(fixture: &mut Fixture) -> Result<()> {
    let times = std::env::var("NEXUS_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(TIMES);
    let mut bench = Bench::prepare(fixture).await?;
    let mut samples = Samples::new();
    let only = std::env::var("NEXUS_BENCH_ONLY").unwrap_or_default();
    for scenario in SCENARIOS.into_iter().filter(|one| only.is_empty() || only.contains(one.name())) {
        for _ in 0..times {
            for side in [Side::Floor, Side::Nexus] {
                if scenario.is_first_visit() {
                    bench.reset().await?;
                }
                let figures = bench.take(scenario, side).await;
                let figures = figures.with_context(|| format!("measuring {}", scenario.name()))?;
                println!("      {} {side:?}: {figures:.0?}", scenario.name());
                for (name, value) in figures {
                    samples.entry(name).or_default().entry(side).or_default().push(value);
                }
            }
        }
    }
    report::write(&samples)
}

impl Scenario {
    fn name(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Flood => "flood",
            Self::Stream => "stream",
            Self::Typing => "typing",
            Self::Visit => "visit",
            Self::SlowVisit => "slow",
        }
    }

    fn is_first_visit(self) -> bool {
        matches!(self, Self::Visit | Self::SlowVisit)
    }
}

struct Bench<'s> {
    fixture: &'s mut Fixture,
    floor: Site,
}

impl<'s> Bench<'s> {
    /// Prepares a returning visitor's conversation on both sides.
    async fn prepare(fixture: &'s mut Fixture) -> Result<Self> {
        let floor = Site::start(Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/pages"))?;
        app::set_up(fixture).await?;
        fixture.page.in_every_document(MEASURE).await?;
        let texts: Vec<String> = (0..MESSAGES).map(message_text).collect();
        let mut answers: Vec<String> = texts.iter().skip(1).step_by(2).cloned().collect();
        // Seeded turns precede the round of the set-up, so the newest message is sent.
        let newest = answers.pop().context("no answers")?;
        seeded_history::seed_before(fixture, &answers).await?;
        fixture.page.see(WAR_ROOM).await?;
        fixture.provider.queue_for("Engineer", Answer::new().text(&newest));
        app::send_to(&fixture.page, "engineer", "the last question").await?;
        fixture.page.see_text(MESSAGE_TEXT, LAST).await?;
        app::idle(&fixture.page).await?;
        // The war room is kept as it was left only while it addresses all agents.
        fixture.page.choose(TARGET_SELECT, "ALL").await?;
        fixture.page.goto(&floor.url("/floor.html")).await?;
        fixture.page.eval_async("await seed(arguments[0])", &[json!(texts)]).await?;
        Ok(Self { fixture, floor })
    }

    async fn take(&mut self, scenario: Scenario, side: Side) -> Result<Figures> {
        let taken = match scenario {
            Scenario::Return => self.come_back(side).await,
            Scenario::Flood => self.flood(side).await,
            Scenario::Stream => self.stream(side).await,
            Scenario::Typing => self.typing(side).await,
            Scenario::Visit => self.visit(side, false).await,
            Scenario::SlowVisit => self.visit(side, true).await,
        };
        self.slow_down(1).await?;
        self.slow_line(false).await?;
        taken
    }

    /// A new browser, because the previous one may have the compiled program in its cache.
    async fn reset(&mut self) -> Result<()> {
        self.fixture.switch_device().await?;
        self.fixture.page.in_every_document(MEASURE).await
    }

    /// A new visitor.
    async fn visit(&mut self, side: Side, is_slow: bool) -> Result<Figures> {
        let (blank, home) = match side {
            Side::Floor => (self.floor.url(BLANK_PAGE), self.floor.url("/floor.html")),
            Side::Nexus => (self.fixture.site.url(BLANK_PAGE), self.fixture.site.url("/")),
        };
        self.fixture.page.goto(&blank).await?;
        self.slow_down(SLOWER).await?;
        self.slow_line(is_slow).await?;
        self.open(&home, "usable").await?;
        let found = "const [paint] = performance.getEntriesByName('first-contentful-paint');
            const { typed, usable } = __measure.marks;
            return [typed, usable, __measure.came(usable), paint?.startTime ?? 0, __measure.blocked(0),
                ...__measure.fetched()]";
        let [typed, usable, first_text, paint, blocked, requests, kilobytes] = self.numbers(found).await?;
        Ok(if is_slow {
            vec![
                ("slow_typed", typed),
                ("slow_came", first_text),
                ("slow_usable", usable),
                ("slow_paint", paint),
            ]
        } else {
            vec![
                ("visit_typed", typed),
                ("visit_came", first_text),
                ("visit_usable", usable),
                ("visit_paint", paint),
                ("visit_blocked", blocked),
                ("visit_requests", requests),
                ("visit_kilobytes", kilobytes),
            ]
        })
    }

    /// A returning visitor with a long conversation.
    async fn come_back(&mut self, side: Side) -> Result<Figures> {
        let page = &mut self.fixture.page;
        let (blank, home) = match side {
            Side::Floor => (self.floor.url(BLANK_PAGE), self.floor.url("/floor.html?restore")),
            Side::Nexus => (self.fixture.site.url(BLANK_PAGE), self.fixture.site.url("/")),
        };
        page.goto(&blank).await?;
        page.eval("sessionStorage.setItem('measure-last', 'yes')", &[]).await?;
        page.protocol("Performance.enable", json!({})).await?;
        let before = self.metrics().await?;
        self.slow_down(SLOWER).await?;
        self.open(&home, "last").await?;
        let after = self.metrics().await?;
        let found = "const { typed, left, usable, last } = __measure.marks;
            return [typed, left, __measure.came(usable), usable, last, __measure.blocked(0)]";
        let [typed, left, first_text, usable, last, blocked] = self.numbers(found).await?;
        self.fixture.page.eval("sessionStorage.clear()", &[]).await?;
        self.fixture.page.protocol("HeapProfiler.collectGarbage", json!({})).await?;
        let memory = self.fixture.page.profile().renderer_bytes()? as f64 / 1e6;
        Ok(vec![
            ("return_typed", typed),
            ("return_left", left),
            ("return_came", first_text),
            ("return_usable", usable),
            ("return_last", last),
            ("return_blocked", blocked),
            ("return_script", spent(&before, &after, &["ScriptDuration"])),
            ("return_layout", spent(&before, &after, &STYLE_AND_LAYOUT)),
            ("return_memory", memory),
        ])
    }

    /// A long answer at full speed.
    async fn flood(&mut self, side: Side) -> Result<Figures> {
        let gate = Gate::new();
        let begin = Answer::new().text("Here it comes.\n\n").hold(&gate);
        let answer = tokens(FLOOD).into_iter().fold(begin, |answer, token| answer.text(&token));
        self.ask(side, answer).await?;
        let before = self.numbers::<1>("return [__measure.nodes()]").await?[0];
        let watch = "window.__begun = performance.now();
            const look = () => {
                if (__measure.ends(arguments[0])) window.__took = performance.now() - window.__begun;
                else requestAnimationFrame(look);
            };
            look();";
        self.fixture.page.eval(watch, &[json!(END)]).await?;
        gate.open();
        self.fixture.page.wait_for("the whole answer", "window.__took", &[]).await?;
        self.end(side).await?;
        self.quiet().await?;
        let found = "return [window.__took, __measure.longest(window.__begun),
            __measure.blocked(window.__begun), __measure.nodes()]";
        let [elapsed, longest, blocked, nodes] = self.numbers(found).await?;
        Ok(vec![
            ("flood_all", elapsed),
            ("flood_longest", longest),
            ("flood_blocked", blocked),
            ("flood_nodes", nodes - before),
        ])
    }

    /// An answer at the speed of a fast model: 200 tokens a second.
    async fn stream(&mut self, side: Side) -> Result<Figures> {
        let gate = Gate::new();
        self.ask(side, at_a_pace(&gate)).await?;
        self.fixture.page.protocol("Performance.enable", json!({})).await?;
        let before = self.metrics().await?;
        gate.open();
        self.fixture.page.wait_for("the whole answer", "__measure.ends(arguments[0])", &[json!(END)]).await?;
        self.end(side).await?;
        let after = self.metrics().await?;
        Ok(vec![
            ("stream_main", spent(&before, &after, &["TaskDuration"])),
            ("stream_script", spent(&before, &after, &["ScriptDuration"])),
            ("stream_layout", spent(&before, &after, &STYLE_AND_LAYOUT)),
        ])
    }

    /// Keys pressed during such an answer.
    async fn typing(&mut self, side: Side) -> Result<Figures> {
        let gate = Gate::new();
        self.ask(side, at_a_pace(&gate)).await?;
        self.slow_down(SLOWER).await?;
        let page = &self.fixture.page;
        let begin = "document.querySelector(arguments[0]).focus(); __measure.type();";
        page.eval(begin, &[json!(Selector::from(COMPOSER).as_str())]).await?;
        gate.open();
        for _ in 0..KEYS {
            let key = json!({ "type": "keyDown", "key": "a", "code": "KeyA", "text": "a", "windowsVirtualKeyCode": 65 });
            page.protocol("Input.dispatchKeyEvent", key).await?;
            let key = json!({ "type": "keyUp", "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65 });
            page.protocol("Input.dispatchKeyEvent", key).await?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let all_keys = format!("__measure.keys.length === {KEYS}");
        page.wait_for("the frames of all keys", &all_keys, &[]).await?;
        let found = "const { keys, frames } = __measure;
            const due = frames.map(time => Math.max(1, Math.round(time / (1000 / 60))));
            const sum = due.reduce((all, one) => all + one, 0);
            keys.sort((a, b) => a - b);
            return [keys[Math.floor(keys.length * 0.95)], keys[keys.length >> 1], 100 * (sum - due.length) / sum]";
        let [slow, middle, dropped] = self.numbers(found).await?;
        self.slow_down(1).await?;
        self.fixture.page.wait_for("the whole answer", "__measure.ends(arguments[0])", &[json!(END)]).await?;
        self.fixture.page.set_text(COMPOSER, "").await?;
        self.end(side).await?;
        Ok(vec![("typing_p95", slow), ("typing_median", middle), ("typing_dropped", dropped)])
    }

    /// Opens an empty conversation, asks, and waits for the beginning of the answer.
    async fn ask(&mut self, side: Side, answer: Answer) -> Result<()> {
        let fixture = &mut *self.fixture;
        match side {
            Side::Floor => {
                let provider = fixture.provider.base_url();
                fixture.provider.queue(answer);
                fixture.page.goto(&self.floor.url(&format!("/floor.html?provider={provider}"))).await?;
            }
            Side::Nexus => {
                fixture.page.goto(&fixture.site.url("/")).await?;
                fixture.page.see(WAR_ROOM).await?;
                app::new_session(&fixture.page).await?;
                fixture.provider.queue_for("Engineer", answer);
                fixture.page.choose(TARGET_SELECT, "engineer").await?;
            }
        }
        self.quiet().await?;
        let page = &self.fixture.page;
        page.set_text(COMPOSER, "Tell me all of it.").await?;
        page.click(SEND).await?;
        page.see_text(MESSAGE_TEXT, "Here it comes.").await
    }

    /// Waits until the answer is stored; the minimal page stores nothing.
    async fn end(&mut self, side: Side) -> Result<()> {
        match side {
            Side::Floor => Ok(()),
            Side::Nexus => app::idle(&self.fixture.page).await,
        }
    }

    /// Opens a page, and waits for a mark and until it is quiet.
    async fn open(&mut self, address: &str, mark: &str) -> Result<()> {
        self.fixture.page.goto(address).await?;
        self.fixture.page.wait_for(mark, &format!("__measure.marks.{mark}"), &[]).await?;
        self.quiet().await
    }

    async fn quiet(&self) -> Result<()> {
        let (mut before, until) = (None, Instant::now() + TIMEOUT);
        loop {
            let now = self.numbers::<2>("return [__measure.fetched()[0], __measure.longest(0)]").await?;
            if before.replace(now) == Some(now) {
                return Ok(());
            }
            ensure!(Instant::now() < until, "the page does not become idle");
            tokio::time::sleep(QUIET).await;
        }
    }

    async fn slow_down(&self, times: u32) -> Result<()> {
        self.fixture.page.protocol("Emulation.setCPUThrottlingRate", json!({ "rate": times })).await.map(drop)
    }

    /// A slow mobile connection, as in browsers' developer tools.
    async fn slow_line(&self, is_slow: bool) -> Result<()> {
        let (latency, down, up) =
            if is_slow { (562.5, 1.44e6 / 8.0, 675e3 / 8.0) } else { (0.0, -1.0, -1.0) };
        let line = json!({ "offline": false, "latency": latency, "downloadThroughput": down, "uploadThroughput": up });
        self.fixture.page.protocol("Network.enable", json!({})).await?;
        self.fixture.page.protocol("Network.emulateNetworkConditions", line).await.map(drop)
    }

    async fn numbers<const N: usize>(&self, script: &str) -> Result<[f64; N]> {
        let found = self.fixture.page.eval(script, &[]).await?;
        let found: Vec<f64> =
            serde_json::from_value(found.clone()).with_context(|| format!("no numbers: {found}"))?;
        found.try_into().ok().context("another count of numbers")
    }

    /// Counters of the browser; times in seconds.
    async fn metrics(&self) -> Result<Metrics> {
        let found = self.fixture.page.protocol("Performance.getMetrics", json!({})).await?;
        let all = found.get("metrics").and_then(Value::as_array).context("no metrics")?;
        let pair =
            |each: &Value| Some((each.get("name")?.as_str()?.to_owned(), each.get("value")?.as_f64()?));
        Ok(all.iter().filter_map(pair).collect())
    }
}

/// Sum of the increases of these counters, in milliseconds.
fn spent(before: &Metrics, after: &Metrics, names: &[&str]) -> f64 {
    let of = |metrics: &Metrics| names.iter().filter_map(|name| metrics.get(*name)).sum::<f64>();
    (of(after) - of(before)) * 1000.0
}

/// An answer of [`STREAM`] tokens, two each hundredth of a second after the gate opens.
fn at_a_pace(gate: &Gate) -> Answer {
    let begin = Answer::new().text("Here it comes.\n\n").hold(gate);
    tokens(STREAM).chunks(2).fold(begin, |answer, pair| {
        pair.iter().fold(answer, |answer, token| answer.text(token)).wait(Duration::from_millis(10))
    })
}

/// A message of the conversation: operators write a line, agents a section.
fn message_text(number: usize) -> String {
    match number {
        _ if number + 1 == MESSAGES => format!("{}{LAST}", section(number)),
        _ if number.is_multiple_of(2) => format!("question {}", number / 2),
        _ => section(number),
    }
}

/// Sections of Markdown with about this many tokens of four characters; ends with [`END`].
fn tokens(count: usize) -> Vec<String> {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= count * 4 {
            break;
        }
        text.push_str(&section(number));
    }
    text.push_str(END);
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(4).map(|piece| piece.iter().collect()).collect()
}

/// About 900 characters: heading, prose, list, code and table.
fn section(number: usize) -> String {
    format!(
        "## Part {number}: what was found\n\n\
         The parser reads **each line once** and keeps `state` between them, so that a long answer costs no more than \
         a short one. Where a block is still open, its text is shown as it stands.\n\n\
         - the first pass finds the blocks and `fences`\n\
         - the second pass reads **emphasis**, links and code\n\
         - what is finished is never looked at again\n\n\
         ```rust\nfn part_{number}(lines: &[&str]) -> usize {{\n    let mut count = {number};\n    \
         for line in lines {{\n        if line.starts_with(\"part\") {{\n            count += line.len();\n        }}\n    \
         }}\n    count // of all lines\n}}\n```\n\n\
         | measure | before | after |\n|---|---|---|\n| open | {number} ms | 12 ms |\n| append | 40 ms | 9 ms |\n\n\
         Both hold on every machine that was tried, and the difference grows with the length of the text.\n\n"
    )
}
