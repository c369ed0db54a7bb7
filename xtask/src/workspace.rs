//! Paths of the checkout, build products and built page, and versions from `Cargo.lock`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};

/// Folders of the checkout.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    pub root: PathBuf,
    /// Cargo's target folder in this run.
    pub target: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the task runner has no parent folder")?
            .to_path_buf();
        // This program is in <target>/<profile>/, whatever set the target folder.
        let program = std::env::current_exe().context("finding the task runner itself")?;
        let target = program
            .parent()
            .and_then(Path::parent)
            .context("the task runner is not in a target folder")?
            .to_path_buf();
        Ok(Self { root, target })
    }

    /// The release page, which is measured, tested and published.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The page that `serve` rebuilds, separate from `dist`.
    pub(crate) fn serve_dist(&self) -> PathBuf {
        self.own_folder().join("serve")
    }

    /// Files that the tasks keep between runs.
    pub(crate) fn own_folder(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// The compiler's output, before the splitter changes it.
    pub(crate) fn compiled_program(&self, profile: &str) -> PathBuf {
        self.target.join("wasm32-unknown-unknown").join(profile).join("nexus.wasm")
    }

    /// The version of a package in `Cargo.lock`.
    pub(crate) fn locked_version(&self, package: &str) -> Result<String> {
        let path = self.root.join("Cargo.lock");
        let lock = fs::read_to_string(&path).context(format_args!("reading {}", path.display()))?;
        locked_version(&lock, package)
            .ok_or_else(|| Error::new(format!("Cargo.lock does not name `{package}`")))
    }
}

/// The version of a package in a lock file; the first if there are several.
fn locked_version(lock: &str, package: &str) -> Option<String> {
    let mut name = None;
    for line in lock.lines() {
        if line == "[[package]]" {
            name = None;
        } else if let Some(value) = quoted(line, "name") {
            name = Some(value);
        } else if let Some(version) = quoted(line, "version")
            && name == Some(package)
        {
            return Some(version.to_owned());
        }
    }
    None
}

/// The value of a line `key = "text"`.
fn quoted<'line>(line: &'line str, key: &str) -> Option<&'line str> {
    let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
    value.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "nexus"
version = "0.1.0"
dependencies = [
 "wasm-bindgen",
]

[[package]]
name = "wasm-bindgen"
version = "0.2.130"

[[package]]
name = "wasm-bindgen-macro"
version = "0.2.131"
"#;

    #[test]
    fn a_locked_version_needs_the_exact_package_name() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "nexus").as_deref(), Some("0.1.0"));
        assert_eq!(locked_version(LOCK, "bindgen"), None);
    }

    #[test]
    fn the_format_version_of_the_lock_file_belongs_to_no_package() {
        assert_eq!(locked_version("version = \"4\"\n", ""), None);
    }
}
