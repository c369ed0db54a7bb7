//! Command line of the tasks: `cargo xtask` lists them, `cargo xtask <task> --help` explains one.
//!
//! Reading order: `workspace`, `tools`, `page`, `finish` with `split` and `parts`; then `serve` with `site` and
//! `policy`; then `checks` with `size`, `bloat` and `bench`.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::checks::Extent;
use crate::error::{Context, Error, Result};
use crate::run::say;
use crate::tools::Tools;
use crate::tools::browser::Browser;
use crate::tools::peers;
use crate::workspace::Workspace;

mod bench;
mod bloat;
mod brief;
mod checks;
mod digest;
mod dist;
mod error;
mod finish;
mod languages;
mod packs;
mod page;
mod parts;
mod policy;
mod run;
mod serve;
mod site;
mod size;
mod split;
mod tools;
mod wasm;
mod worker;
mod workspace;

/// The list of tasks that `cargo xtask` prints.
const HELP: &str = "\
The tasks of Nexus. Each installs what it needs, and says so before it does.

  cargo xtask serve [--port N] [--release] [--base /path/]
                              build the page, serve it on this machine, rebuild after edits
  cargo xtask test [--quick] [--fail-fast]
                              all checks; the last line counts them; --quick skips the browser
  cargo xtask web [WORD]      the tests of the adapters and of the mounted page, in a browser; those whose names contain
                              the word
  cargo xtask flows [--jobs N] [WORD…]
                              the browser flows whose names contain one of the words
  cargo xtask build           build the page for a host, in dist/
  cargo xtask dist [--twice]  build the release in target/publish/: the page with compressed copies and headers, the
                              hashes of all files, a bill of materials; the bytes do not depend on the checkout's path,
                              which --twice checks with a copy at another path
  cargo xtask host [--port N] [--base /path/]
                              serve dist/ unchanged, with the headers a host should send; NEXUS_EMBEDDERS names the
                              origins of pages that may embed it
  cargo xtask size            size of the first load and of each lazy part, against the budgets
  cargo xtask bloat           size by crate and function, and what keeps code in the first load
  cargo xtask screenshots [DIR | --docs]
                              pictures of the screens, dark and light, wide and narrow; --docs those of docs/pictures/
  cargo xtask bench [--quick] the page beside a bare one, into docs/performance.md; --quick once each, not written
  cargo xtask bench native    codecs, fold, diff, context and search, without a browser
  cargo xtask bench editor    latency of typing and scrolling in long files; fails above 50 ms
  cargo xtask bench history   compare sessions of ten and of ten thousand turns: opening and appending may not slow down
  cargo xtask soak [--minutes N]
                              agents work in one session after another: memory of the page over time
  cargo xtask kills [--times N]
                              kill the browser during turns, 50 times or N: nothing that was shown is lost
  cargo xtask setup [--browser]
                              only install the tools of a build; with --browser also those of the tests
  cargo xtask finish          the last step of a build; Trunk calls it
";

/// A task with its options.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Setup {
        browser: bool,
    },
    Serve(serve::Options),
    Host(serve::Options),
    Build,
    Dist {
        twice: bool,
    },
    Test(Extent),
    Web {
        word: Option<String>,
    },
    Flows {
        jobs: Option<String>,
        words: Vec<String>,
    },
    Size,
    Bloat,
    Screenshots {
        folder: PathBuf,
        /// True for the pictures of the documentation.
        docs: bool,
    },
    Bench(Bench),
    Soak {
        minutes: u32,
    },
    Kills {
        times: u32,
    },
    Finish,
}

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
enum Bench {
    Page {
        quick: bool,
    },
    Native,
    /// Flows with this name, which enforce limits.
    Flows(&'static str),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments).and_then(perform) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(error);
            ExitCode::FAILURE
        }
    }
}

/// Performs a task; false if it ran and found a failure.
fn perform(task: Task) -> Result<bool> {
    let workspace = Workspace::find()?;
    match task {
        Task::Help => print!("{HELP}"),
        Task::Setup { browser } => {
            let tools = Tools::ensure(&workspace)?;
            say(&tools.versions);
            if browser {
                let Browser { chrome, driver } = Browser::ensure()?;
                say(format_args!("{}, {}", chrome.display(), driver.display()));
                for peer in [peers::axe(&workspace), peers::python(&workspace)].into_iter().flatten() {
                    say(peer.display());
                }
            }
        }
        Task::Serve(options) => serve::serve(&workspace, &options)?,
        Task::Host(options) => serve::host(&workspace.dist(), &options)?,
        Task::Build => {
            page::build(&workspace)?;
        }
        Task::Dist { twice: true } => dist::dist_twice(&workspace)?,
        Task::Dist { twice: false } => {
            dist::dist(&workspace)?;
        }
        Task::Test(extent) => return Ok(checks::test(&workspace, &extent)),
        Task::Web { word } => checks::run_web(&workspace, word.as_deref())?,
        Task::Flows { jobs, words } => checks::run_flows(&workspace, &words, jobs.as_deref())?,
        Task::Size => size::size(&workspace, &page::build(&workspace)?)?,
        Task::Bloat => bloat::bloat(&workspace)?,
        Task::Screenshots { folder, docs } => checks::screenshots(&workspace, &folder, docs)?,
        Task::Bench(Bench::Page { quick }) => bench::page(&workspace, quick)?,
        Task::Bench(Bench::Native) => bench::native(&workspace)?,
        Task::Bench(Bench::Flows(name)) => checks::on_demand(&workspace, name, &[("NEXUS_BENCH", "1")])?,
        Task::Soak { minutes } => {
            checks::on_demand(&workspace, "long-soak", &[("NEXUS_SOAK", &minutes.to_string())])?;
        }
        Task::Kills { times } => {
            checks::on_demand(&workspace, "long-kills", &[("NEXUS_KILLS", &times.to_string())])?;
        }
        Task::Finish => finish::finish(&workspace)?,
    }
    Ok(true)
}

/// Parses the command line. Unknown arguments are errors.
fn parse(arguments: &[String]) -> Result<Task> {
    let mut words = arguments.iter().map(String::as_str);
    let name = words.next().unwrap_or("help");
    let mut rest: Vec<&str> = words.collect();
    if rest.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return Ok(Task::Help);
    }
    let task = match name {
        "help" | "--help" | "-h" => Task::Help,
        "setup" => Task::Setup { browser: flag(&mut rest, "--browser") },
        "serve" => Task::Serve(serve::Options {
            port: port(&mut rest)?,
            release: flag(&mut rest, "--release"),
            base: value(&mut rest, "--base")?,
        }),
        "host" => Task::Host(serve::Options {
            port: port(&mut rest)?,
            release: true,
            base: value(&mut rest, "--base")?,
        }),
        "build" => Task::Build,
        "dist" => Task::Dist { twice: flag(&mut rest, "--twice") },
        "test" => Task::Test(Extent {
            fail_fast: flag(&mut rest, "--fail-fast"),
            quick: flag(&mut rest, "--quick"),
        }),
        "web" => {
            let is_named = rest.first().is_some_and(|word| !word.starts_with('-'));
            Task::Web { word: is_named.then(|| rest.remove(0).to_owned()) }
        }
        "flows" => {
            let jobs = value(&mut rest, "--jobs")?;
            let (words, options): (Vec<&str>, Vec<&str>) =
                rest.into_iter().partition(|word| !word.starts_with('-'));
            rest = options;
            Task::Flows { jobs, words: words.into_iter().map(str::to_owned).collect() }
        }
        "size" => Task::Size,
        "bloat" => Task::Bloat,
        "screenshots" => {
            let docs = flag(&mut rest, "--docs");
            let named = !docs && rest.first().is_some_and(|word| !word.starts_with('-'));
            let default = if docs { "docs/pictures" } else { "target/screenshots" };
            let folder = if named { rest.remove(0) } else { default };
            Task::Screenshots { folder: PathBuf::from(folder), docs }
        }
        "bench" => {
            let quick = flag(&mut rest, "--quick");
            let what = if rest.is_empty() { "page" } else { rest.remove(0) };
            Task::Bench(match what {
                "page" => Bench::Page { quick },
                "native" => Bench::Native,
                "editor" => Bench::Flows("bench-editor"),
                "history" => Bench::Flows("long-bench-history"),
                _ => return Err(Error::new(format!("`bench` does not measure `{what}`\n\n{HELP}"))),
            })
        }
        "soak" => Task::Soak { minutes: number(&mut rest, "--minutes", 10)? },
        "kills" => Task::Kills { times: number(&mut rest, "--times", 50)? },
        "finish" => Task::Finish,
        unknown => {
            return Err(Error::new(format!("unknown task `{unknown}`\n\n{HELP}")));
        }
    };
    match rest.first() {
        None => Ok(task),
        Some(word) => Err(Error::new(format!("`{name}` has no argument `{word}`\n\n{HELP}"))),
    }
}

/// Removes a flag from the arguments; true if it was there.
fn flag(arguments: &mut Vec<&str>, name: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| *argument != name);
    arguments.len() < before
}

/// Takes `name value` out of the arguments and returns the value, if it is there.
fn value(arguments: &mut Vec<&str>, name: &str) -> Result<Option<String>> {
    let Some(place) = arguments.iter().position(|argument| *argument == name) else {
        return Ok(None);
    };
    arguments.remove(place);
    if place >= arguments.len() {
        return Err(Error::new(format!("`{name}` needs a value")));
    }
    Ok(Some(arguments.remove(place).to_owned()))
}

/// Takes a number out of the arguments, like `value`; the default if it is not there.
fn number(arguments: &mut Vec<&str>, name: &str, default: u32) -> Result<u32> {
    let Some(text) = value(arguments, name)? else { return Ok(default) };
    text.parse().context(format_args!("`{text}` is not a number"))
}

fn port(arguments: &mut Vec<&str>) -> Result<Option<u16>> {
    value(arguments, "--port")?
        .map(|text| text.parse().context(format_args!("`{text}` is not a port")))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_task_takes_its_options_in_any_order() {
        let options = serve::Options { port: Some(9000), release: true, base: None };
        assert_eq!(parsed("serve --port 9000 --release"), Ok(Task::Serve(options)));
        let options = serve::Options { port: None, release: false, base: Some("/deep/er/".to_owned()) };
        assert_eq!(parsed("serve --base /deep/er/"), Ok(Task::Serve(options)));
        let pictures = |folder, docs| Ok(Task::Screenshots { folder: PathBuf::from(folder), docs });
        assert_eq!(parsed("screenshots out"), pictures("out", false));
        assert_eq!(parsed("screenshots --docs"), pictures("docs/pictures", true));
        let extent = Extent { fail_fast: true, quick: true };
        assert_eq!(parsed("test --quick --fail-fast"), Ok(Task::Test(extent)));
        let words = vec!["stop".to_owned(), "race".to_owned()];
        assert_eq!(parsed("web palette"), Ok(Task::Web { word: Some("palette".to_owned()) }));
        assert_eq!(parsed("flows stop --jobs 2 race"), Ok(Task::Flows { jobs: Some("2".to_owned()), words }));
    }

    #[test]
    fn mistakes_print_the_help() {
        assert_eq!(parsed(""), Ok(Task::Help));
        assert_eq!(parsed("serve --help"), Ok(Task::Help));
        assert_eq!(parsed("bench --quick"), Ok(Task::Bench(Bench::Page { quick: true })));
        assert_eq!(parsed("bench native"), Ok(Task::Bench(Bench::Native)));
        assert_eq!(parsed("bench editor"), Ok(Task::Bench(Bench::Flows("bench-editor"))));
        assert_eq!(parsed("bench history"), Ok(Task::Bench(Bench::Flows("long-bench-history"))));
        assert_eq!(parsed("kills --times 3"), Ok(Task::Kills { times: 3 }));
        for mistake in ["srve", "test --fast", "flows --fast", "size 3", "bench tea"] {
            let message = parsed(mistake).unwrap_err().to_string();
            assert!(message.contains("cargo xtask serve"), "{message}");
        }
        assert!(parsed("serve --port").is_err());
        assert!(parsed("serve --port eighty").is_err());
    }

    #[test]
    fn the_help_names_every_task() {
        for name in [
            "setup",
            "serve",
            "host",
            "build",
            "test",
            "web",
            "flows",
            "size",
            "bloat",
            "screenshots",
            "bench [--quick]",
            "bench native",
            "bench editor",
            "soak",
            "kills",
            "finish",
        ] {
            assert!(HELP.contains(&format!("cargo xtask {name}")), "{name}");
        }
    }
}
