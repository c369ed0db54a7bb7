//! Finds the tools of a build and installs missing ones; says what it does and how long it takes.
//!
//! Never replaces a tool that was installed otherwise.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::parts;
use crate::run::{cargo, find_on_path, output, run, say};
use crate::workspace::Workspace;

pub(crate) mod browser;
pub(crate) mod peers;

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Version that is installed if Trunk is missing. Any later one of these two lines works too.
const TRUNK_VERSION: &str = "0.21.14";
const TRUNK_LINES: [&str; 2] = ["0.21.", "0.22."];

/// Optimising a tool would take longer than its use ever saves.
const QUICK_COMPILE: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
];

/// Tools of a build, found or installed.
#[derive(Debug)]
pub(crate) struct Tools {
    root: PathBuf,
    /// `PATH` of commands, with the tools of the required version first.
    path: OsString,
    trunk: PathBuf,
    /// One line with the tools' versions, for the stamp of a build.
    pub versions: String,
}

impl Tools {
    /// `PATH` of commands.
    pub(crate) fn path(&self) -> &OsString {
        &self.path
    }

    /// Installs missing tools of a build.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        wasm_target(workspace)?;
        let mut path = with_cargo_bin(env::var_os("PATH").unwrap_or_default())?;
        let trunk = trunk(&path)?;
        let bindgen = wasm_bindgen(workspace, &path)?;
        if find_on_path(&path, &["wasm-bindgen"]).as_ref() != Some(&bindgen) {
            let folder = bindgen.parent().context("wasm-bindgen has no parent folder")?.to_path_buf();
            path = joined([folder].into_iter().chain(env::split_paths(&path)))?;
        }
        let wasm_opt = WasmOpt::find_on(&path).map(|found| found.version);
        let versions = format!(
            "trunk {}; wasm-bindgen {}; wasm-opt {}; node {}",
            version_of(&trunk).unwrap_or_default(),
            version_of(&bindgen).unwrap_or_default(),
            wasm_opt.map_or_else(|| "absent".to_owned(), |version| version.to_string()),
            parts::tool()
        );
        Ok(Self { root: workspace.root.clone(), path, trunk, versions })
    }

    /// Trunk, with our `PATH` for the other tools.
    pub(crate) fn trunk(&self) -> Command {
        let mut command = Command::new(&self.trunk);
        // Some environments set NO_COLOR=1, which this version of Trunk rejects.
        command.current_dir(&self.root).env("PATH", &self.path).env_remove("NO_COLOR");
        command
    }
}

/// Adds the WebAssembly target to the toolchain if it is missing.
pub(crate) fn wasm_target(workspace: &Workspace) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(&workspace.root).args(["--print", "sysroot"]);
    let sysroot = output(&mut rustc).context("cannot run `rustc`: is Rust installed?")?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(WASM_TARGET).join("lib");
    if library.is_dir() {
        return Ok(());
    }
    say(format_args!("adding the target {WASM_TARGET}; some 20 s"));
    let mut rustup = Command::new("rustup");
    run(rustup.current_dir(&workspace.root).args(["target", "add", WASM_TARGET])).context(
        "the toolchain lacks its WebAssembly target; where it is not rustup's, install the target \
         as your system does",
    )
}

fn trunk(path: &OsString) -> Result<PathBuf> {
    let found = find_on_path(path, &["trunk"]);
    if let Some(trunk) = &found {
        let version = version_of(trunk).unwrap_or_default();
        if TRUNK_LINES.iter().any(|line| version.starts_with(line)) {
            return Ok(trunk.clone());
        }
        say(format_args!("Trunk {version:?} on this machine is not supported; using another"));
    }
    let package = Package { name: "trunk", version: TRUNK_VERSION, locked: true, minutes: 8 };
    // Another Trunk may be intended: ours is installed in its own folder.
    let root = if found.is_some() { Some(package.own_folder()?) } else { None };
    package.install_unless_there("trunk", root.as_deref(), path)
}

/// Trunk runs the first `wasm-bindgen` on the path and our last step runs this one. Only the locked version can read
/// the compiler's output.
fn wasm_bindgen(workspace: &Workspace, path: &OsString) -> Result<PathBuf> {
    let version = workspace.locked_version("wasm-bindgen")?;
    let found = find_on_path(path, &["wasm-bindgen"]);
    if let Some(program) = &found
        && version_of(program).as_deref() == Some(version.as_str())
    {
        return Ok(program.clone());
    }
    let package =
        // Its lock file is outdated: with `--locked` 0.2.130 does not build.
        Package { name: "wasm-bindgen-cli", version: &version, locked: false, minutes: 4 };
    let root = if found.is_some() { Some(package.own_folder()?) } else { None };
    package.install_unless_there("wasm-bindgen", root.as_deref(), path)
}

/// The `wasm-bindgen` of the locked version, for the step that Trunk starts.
pub(crate) fn wasm_bindgen_here(workspace: &Workspace) -> Result<PathBuf> {
    wasm_bindgen(workspace, &with_cargo_bin(env::var_os("PATH").unwrap_or_default())?)
}

struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// Builds with the package's own lock file.
    locked: bool,
    /// Approximate build time on a small machine.
    minutes: u32,
}

impl Package<'_> {
    /// A folder for exactly this version.
    fn own_folder(&self) -> Result<PathBuf> {
        Ok(cache_folder()?.join(format!("{}-{}", self.name, self.version)))
    }

    fn install_unless_there(&self, program: &str, root: Option<&Path>, path: &OsString) -> Result<PathBuf> {
        let find = |path: &OsString| match root {
            Some(root) => find_on_path(root.join("bin").as_os_str(), &[program]),
            None => find_on_path(path, &[program]),
        };
        if root.is_some()
            && let Some(installed) = find(path)
        {
            return Ok(installed);
        }
        self.install(root)?;
        find(path).context(format_args!("{} was installed, but `{program}` is not found", self.name))
    }

    fn install(&self, root: Option<&Path>) -> Result<()> {
        let Self { name, version, locked, minutes } = self;
        let into = root.map_or_else(String::new, |root| format!(" into {}", root.display()));
        if output(Command::new(cargo()).args(["binstall", "-V"])).is_some() {
            say(format_args!("installing a prebuilt {name} {version}{into}; less than a minute"));
            let mut binstall = Command::new(cargo());
            binstall.args(["binstall", "--no-confirm", "--disable-strategies", "compile"]);
            binstall.args(["--version", version, name]);
            if let Some(root) = root {
                binstall.arg("--root").arg(root);
            }
            match run(&mut binstall) {
                Ok(()) => return Ok(()),
                Err(error) => say(format_args!("{error}; compiling it instead")),
            }
        }
        say(format_args!("compiling {name} {version}{into}; about {minutes} minutes, only once"));
        let mut install = Command::new(cargo());
        install
            .args(["install", name, "--version", version])
            .envs(QUICK_COMPILE)
            // The tool's build output does not belong to the project's.
            .env_remove("CARGO_TARGET_DIR");
        if *locked {
            install.arg("--locked");
        }
        if let Some(root) = root {
            install.arg("--root").arg(root);
        }
        run(&mut install)
    }
}

/// Binaryen's optimiser. Optional: without it the program is a few percent larger.
#[derive(Debug)]
pub(crate) struct WasmOpt {
    pub program: PathBuf,
    version: u32,
}

impl WasmOpt {
    /// Older versions do not know the options below, or export the first table under the name of the second (Debian
    /// 12, version 108), which breaks the program at start.
    const OLDEST: u32 = 121;

    /// The WebAssembly features that rustc uses. Not `--all-features`: browsers do not support everything that the
    /// optimiser would emit.
    pub(crate) const FEATURES: [&str; 8] = [
        "--enable-bulk-memory",
        "--enable-bulk-memory-opt",
        "--enable-call-indirect-overlong",
        "--enable-sign-ext",
        "--enable-nontrapping-float-to-int",
        "--enable-mutable-globals",
        "--enable-reference-types",
        "--enable-multivalue",
    ];

    /// The optimiser on this process's path, if it is usable; prints a message if not.
    pub(crate) fn find() -> Option<Self> {
        let found = env::var_os("PATH").and_then(|path| Self::find_on(&path));
        match &found {
            None => say("no wasm-opt found: the program is a few percent larger"),
            Some(old) if old.version < Self::OLDEST => say(format_args!(
                "wasm-opt {} is older than {} and not used: the program is a few percent \
                 larger",
                old.version,
                Self::OLDEST
            )),
            Some(_) => {}
        }
        found.filter(|found| found.version >= Self::OLDEST)
    }

    fn find_on(path: &OsStr) -> Option<Self> {
        let program = find_on_path(path, &["wasm-opt"])?;
        let version = first_number(&output(Command::new(&program).arg("--version"))?)?;
        Some(Self { program, version })
    }
}

/// The version that a tool prints as the second word: `trunk 0.21.14`.
fn version_of(program: &Path) -> Option<String> {
    let printed = output(Command::new(program).arg("--version").env_remove("NO_COLOR"))?;
    printed.split_whitespace().nth(1).map(str::to_owned)
}

/// The first whole number of a text: 108 in `wasm-opt version 108 (version_108-…)`.
fn first_number(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}

/// Appends Cargo's bin folder to the path, so that installed tools are found in any shell.
fn with_cargo_bin(path: OsString) -> Result<OsString> {
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("neither CARGO_HOME nor a home folder is set")?;
    joined(env::split_paths(&path).chain([cargo_home.join("bin")]))
}

fn joined(folders: impl Iterator<Item = PathBuf>) -> Result<OsString> {
    env::join_paths(folders).context("a folder of the PATH has a name that cannot be in a PATH")
}

/// The user's cache folder.
fn cache_folder() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || env::home_dir().context("no home folder is set");
    let cache = if let Some(cache) = set("XDG_CACHE_HOME") {
        cache
    } else if cfg!(windows) {
        set("LOCALAPPDATA").map_or_else(|| Ok(home()?.join("AppData/Local")), Ok::<_, Error>)?
    } else if cfg!(target_os = "macos") {
        home()?.join("Library/Caches")
    } else {
        home()?.join(".cache")
    };
    Ok(cache.join("nexus-xtask"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_optimiser_is_the_first_number_it_prints() {
        assert_eq!(first_number("wasm-opt version 108"), Some(108));
        assert_eq!(first_number("wasm-opt version 132 (version_132-5-gabc)"), Some(132));
        assert_eq!(first_number("none"), None);
    }
}
