//! Builds the release page unless its stamp matches the current checkout.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sha2::{Digest, Sha384};

use crate::digest;
use crate::error::{Context, Error, Result};
use crate::parts;
use crate::run::{output, run, say, shown};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Lists the files of each lazy part; `cargo xtask size` reads it.
pub(crate) const PARTS: &str = "parts.txt";

/// Inputs of a build besides the tools.
const INPUTS: [&str; 12] = [
    "crates",
    "src",
    "style",
    "public",
    "index.html",
    "Trunk.toml",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    "xtask/Cargo.toml",
    "xtask/src",
];

/// Flags that give the folders of this machine fixed names, without which the program would tell them, and depend on
/// them. A path with a space stays: flags are separated by spaces.
fn remapped(workspace: &Workspace) -> Result<String> {
    let sysroot = output(Command::new("rustc").current_dir(&workspace.root).args(["--print", "sysroot"]))
        .context("`rustc --print sysroot` failed")?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let home = home.context("there is no home folder, and CARGO_HOME is not set")?;
    let registry = fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
    let registries = registry.map(|index| (index.path(), "/deps"));
    let fixed = [
        (home.clone(), "/cargo"),
        (PathBuf::from(sysroot.trim()), "/rust"),
        (workspace.root.clone(), "/nexus"),
        (workspace.target.clone(), "/target"),
    ];
    // The last matching prefix wins: nested folders come last.
    let flags = fixed.into_iter().chain(registries).map(|(from, to)| format!("{}={to}", from.display()));
    let flags = flags.filter(|flag| !flag.contains(' ')).map(|flag| format!("--remap-path-prefix={flag}"));
    Ok(flags.collect::<Vec<_>>().join(" "))
}

/// Locks the build: Trunk clears its staging folder at the start of each.
fn lock(folder: &Path) -> Result<File> {
    fs::create_dir_all(folder).context("creating the folder of stamps")?;
    let file = File::create(folder.join("build.lock")).context("creating the build lock")?;
    if file.try_lock().is_err() {
        say("waiting for another build of this checkout");
        file.lock().context("waiting for another build")?;
    }
    Ok(file)
}

/// Builds `dist/` unless it is up to date, and returns its path.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let flags = remapped(workspace)?;
    let tools = Tools::ensure(workspace)?;
    let _lock = lock(&workspace.own_folder())?;
    let dist = workspace.dist();
    let stamp_file = workspace.own_folder().join("dist.stamp");
    let versions = format!("{}; {flags}", tools.versions);
    let inputs = inputs_hash(&workspace.root, &versions)?;
    let stamp = |dist: &Path| Ok::<_, Error>(format!("{inputs} {}", folder_hash(dist)?));
    let built_before = fs::read_to_string(&stamp_file).unwrap_or_default();
    if dist.join("index.html").is_file() && stamp(&dist)? == built_before {
        say("dist/ is up to date");
        return Ok(dist);
    }
    say("building dist/; some minutes the first time, one or two later");
    let started = Instant::now();
    let mut trunk = tools.trunk();
    // Merged with the flags of `.cargo/config.toml`. Flags for all targets would also apply to the last step, which is
    // compiled for this machine.
    trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    // The variable of CI would override the profile, which sets this for the size.
    trunk.env_remove("CARGO_INCREMENTAL");
    run(trunk.args(["build", "--release", "--locked", "--dist"]).arg(&dist))?;
    fs::write(&stamp_file, stamp(&dist)?).context("writing the stamp of the build")?;
    say(format_args!("dist/ is built, in {}", shown(started.elapsed())));
    Ok(dist)
}

/// The files below a path, sorted; the path itself if it is a file.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let entries = fs::read_dir(path).context(format_args!("reading {}", path.display()))?;
    for entry in entries {
        let entry = entry.context(format_args!("reading {}", path.display()))?;
        found.extend(files(&entry.path())?);
    }
    found.sort();
    Ok(found)
}

fn inputs_hash(root: &Path, tools: &str) -> Result<String> {
    let mut hash = Sha384::new();
    hash.update(tools);
    for input in INPUTS.into_iter().chain(parts::SOURCES) {
        add_files(&mut hash, &root.join(input), root)?;
    }
    Ok(digest::hex(&hash.finalize()))
}

fn folder_hash(folder: &Path) -> Result<String> {
    let mut hash = Sha384::new();
    add_files(&mut hash, folder, folder)?;
    Ok(digest::hex(&hash.finalize()))
}

/// Hashes name and content of each file with their lengths, so that different trees give different hashes.
fn add_files(hash: &mut Sha384, path: &Path, root: &Path) -> Result<()> {
    for file in files(path)? {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file).context(format_args!("reading {}", file.display()))?;
        for part in [name.as_bytes(), &bytes] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_waits_for_the_previous_one() {
        let root = std::env::temp_dir().join(format!("nexus-lock-{}", std::process::id()));
        let first = lock(&root).unwrap();
        let (sender, ended) = std::sync::mpsc::channel();
        let second = std::thread::spawn({
            let root = root.clone();
            move || {
                let guard = lock(&root).unwrap();
                sender.send(()).unwrap();
                drop(guard);
            }
        });
        let other = File::open(root.join("build.lock")).unwrap();
        assert!(other.try_lock().is_err() && ended.try_recv().is_err(), "both build");
        drop(first);
        second.join().unwrap();
        ended.try_recv().unwrap();
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn the_stamp_follows_names_and_contents_but_not_times() {
        let root = std::env::temp_dir().join(format!("nexus-stamp-{}", std::process::id()));
        fs::create_dir_all(root.join("src/ui")).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
        fs::write(root.join("src/ui/app.rs"), "").unwrap();
        let first = inputs_hash(&root, "trunk 1").unwrap();

        fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
        assert_eq!(inputs_hash(&root, "trunk 1").unwrap(), first, "same content");
        assert_ne!(inputs_hash(&root, "trunk 2").unwrap(), first, "other tool");
        fs::rename(root.join("src/ui/app.rs"), root.join("src/ui/room.rs")).unwrap();
        assert_ne!(inputs_hash(&root, "trunk 1").unwrap(), first, "other name");
        fs::rename(root.join("src/ui/room.rs"), root.join("src/ui/app.rs")).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() { }").unwrap();
        assert_ne!(inputs_hash(&root, "trunk 1").unwrap(), first, "other content");
        fs::write(root.join("README.md"), "not an input").unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
        assert_eq!(inputs_hash(&root, "trunk 1").unwrap(), first, "no input changed");
        fs::remove_dir_all(&root).unwrap();
    }
}
