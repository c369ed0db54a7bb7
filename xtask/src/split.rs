//! Splits the compiler's output into the initial program and the lazy parts, with hashes in the file names.
//!
//! The program marks split points with `wasm_split`. The splitter writes a module for each set of parts that share
//! code; `packs` merges these into few. The hashes ensure that a page never loads a part of another build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brief::brief;
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::packs::packs;
use crate::run::run;
use crate::wasm;

/// Names by which loader and glue import each other before they are renamed.
const LOADER: &str = "./__wasm_split.js";
const GLUE: &str = "./nexus.js";

/// Part of the names of the stream exports of `server_fn`, which nothing uses. Exports would be kept.
const UNUSED: &str = "intounderlying";
/// Name prefix of their classes in the glue.
const UNUSED_CLASSES: &str = "IntoUnderlying";

/// Start of each part's load function in the splitter's output.
const LOAD: &str = "export const __wasm_split_load_";
/// Functions of the splitter's loader that this module relies on: they cache loads and pass the shared imports.
const EXPECTED: [&str; 3] =
    ["function getSharedImports()", "function wrapAsyncCb(", "function makeLoad(fetcher, deps)"];
/// Packs are compiled while streaming, which needs the right content type; otherwise the bytes are compiled after the
/// download.
const FETCH_CODE: &str = r#"
function fetched(name, integrity) {
    const source = fetch(new URL(name, import.meta.url), { integrity });
    source.catch(() => {});
    return async (imports) => instantiated(await source, imports);
}
async function instantiated(source, imports) {
    if (!source.ok) throw new Error(`${source.url} answered ${source.status}`);
    const type = source.headers.get("content-type") ?? "";
    return type.startsWith("application/wasm")
        ? WebAssembly.instantiateStreaming(source, imports)
        : WebAssembly.instantiate(await source.arrayBuffer(), imports);
}
"#;

/// A file of the program with its name on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The split program.
#[derive(Debug)]
pub(crate) struct Program {
    /// JavaScript that binds the program to the page and loads the parts.
    pub glue: Named,
    pub main: Named,
    pub files: Vec<Named>,
    /// File names of each part; a file may belong to several.
    pub parts: BTreeMap<String, Vec<String>>,
}

/// Splits the compiler's output. `folder` is a working folder; `shrink` minimises a module.
pub(crate) fn split(
    compiled: &Path,
    folder: &Path,
    bindgen: &mut Command,
    shrink: impl Fn(&Path) -> Result<Vec<u8>>,
) -> Result<Program> {
    let (apart, bound) = (folder.join("apart"), folder.join("bound"));
    if folder.exists() {
        fs::remove_dir_all(folder).context("removing the previous split")?;
    }
    let input = fs::read(compiled).context(format_args!("reading {}", compiled.display()))?;
    let input = wasm::without_exports(&input, UNUSED)?;
    let main = apart.join("nexus.wasm");
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = &apart;
    options.main_out_path = &main;
    options.link_name = LOADER;
    options.main_module = GLUE;
    let split = wasm_split_cli_support::transform(options).context("splitting the program")?;
    run(bindgen
        .args([
            "--target",
            "web",
            "--no-typescript",
            "--keep-lld-exports",
            "--out-name",
            "nexus",
            "--out-dir",
        ])
        .arg(&bound)
        .arg(&main))?;

    let mut modules = BTreeMap::new();
    for path in &split.split_modules {
        modules.insert(stem(path), fs::read(path).context("reading a part of the program")?);
    }
    let pack = folder.join("pack.wasm");
    let (files, parts) = packs(&modules, &split.prefetch_map.into_iter().collect(), |bytes| {
        fs::write(&pack, bytes).context("writing a pack")?;
        shrink(&pack)
    })?;
    let text = |path: PathBuf| fs::read_to_string(&path).context(format_args!("reading {}", path.display()));
    let (glue, loader) = (text(bound.join("nexus.js"))?, text(apart.join(LOADER))?);
    let loader = with_packs(&loader, &files, &parts)?;
    let main = shrink(&bound.join("nexus_bg.wasm"))?;
    let glue = without_classes(&glue, UNUSED_CLASSES);
    let short = wasm::short_names(&glue);
    let (glue, main) = (wasm::renamed_glue(&glue, &short), wasm::renamed_imports(&main, &short)?);
    let main = Named { name: format!("nexus-{}_bg.wasm", digest::short(&main)), bytes: main };
    let glue = join_scripts(&glue, &loader, &main.name)?;
    Ok(Program { glue, main, files, parts })
}

/// The loader with packs in place of modules. A part is loaded when all its packs are.
fn with_packs(loader: &str, packs: &[Named], parts: &BTreeMap<String, Vec<String>>) -> Result<String> {
    let unknown = "the splitter's loader has an unknown form";
    let names: Vec<&str> =
        loader.split(LOAD).skip(1).filter_map(|rest| Some(rest.split_once(" = wrapAsyncCb(")?.0)).collect();
    let ends = ["/*", "const __chunk_", LOAD].into_iter().filter_map(|begin| loader.find(begin)).min();
    let mut text = loader.get(..ends.unwrap_or_default()).unwrap_or_default().to_owned();
    if names.is_empty() || EXPECTED.iter().any(|known| !text.contains(known)) {
        return Err(Error::new(unknown));
    }
    text.push_str(FETCH_CODE);
    for (number, Named { name, bytes }) in packs.iter().enumerate() {
        let integrity = digest::integrity(bytes);
        text.push_str(&format!(
            "const pack{number} = makeLoad(() => fetched(\"./{name}\", \"{integrity}\"), []);\n"
        ));
    }
    for part in names {
        // A part without code of its own is not in the list.
        let files = parts.get(part).map(Vec::as_slice).unwrap_or_default();
        let places = files.iter().map(|file| packs.iter().position(|pack| pack.name == *file));
        let loads: Option<Vec<String>> = places.map(|place| Some(format!("pack{}()", place?))).collect();
        let loads = loads.context(unknown)?.join(", ");
        text.push_str(&format!("{LOAD}{part} = wrapAsyncCb(() => Promise.all([{loads}]));\n"));
    }
    Ok(text)
}

/// Joins glue and loader into one script: each needs the other, and the browser would find the second only after the
/// first.
fn join_scripts(glue: &str, loader: &str, main: &str) -> Result<Named> {
    let import = format!("import {{ initSync }} from \"{GLUE}\";");
    let loader = replaced(loader, &import, "")?;
    let loads: Vec<&str> = loader
        .split("export const ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" =").map(|(name, _)| name))
        .collect();
    let names = loads.join(", ");
    let loader = loader.replace("export const ", "const ");
    // The glue imports the loader once for each function.
    let end = format!(" from \"{LOADER}\"");
    let (mut rest, mut imports) = (glue, String::new());
    while let Some((name, after)) = rest.strip_prefix("import * as ").and_then(|line| line.split_once(&end)) {
        for word in ["const ", name, " = loads;\n"] {
            imports.push_str(word);
        }
        rest = after.trim_start_matches([';', '\r', '\n']);
    }
    if imports.is_empty() || rest.contains(&end) {
        return Err(Error::new("the glue imports the loader in an unknown form"));
    }
    let default_name = "new URL('nexus_bg.wasm', import.meta.url)";
    let text = format!("{rest}\n{loader}\nconst loads = {{ {names} }};\n{imports}");
    let text = replaced(&text, default_name, &format!("new URL('{main}', import.meta.url)"))?;
    let bytes = brief(&text).into_bytes();
    Ok(Named { name: format!("nexus-{}.js", digest::short(&bytes)), bytes })
}

/// Removes the glue's classes with this name prefix, and what finalises them. Each reaches to the next statement
/// without the prefix.
fn without_classes(glue: &str, prefix: &str) -> String {
    let class = format!("export class {prefix}");
    let finaliser = format!("const {prefix}");
    let mut kept = String::with_capacity(glue.len());
    let mut is_unused = false;
    for line in glue.split_inclusive('\n') {
        let begins = !line.starts_with([' ', '}', '\r', '\n']);
        if begins && !line.contains(prefix) {
            is_unused = false;
        } else if line.starts_with(&class) || line.starts_with(&finaliser) {
            is_unused = true;
        }
        if !is_unused {
            kept.push_str(line);
        }
    }
    kept
}

fn replaced(text: &str, what: &str, with: &str) -> Result<String> {
    if !text.contains(what) {
        return Err(Error::new(format!("the generated script does not contain `{what}`")));
    }
    Ok(text.replace(what, with))
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"import { initSync } from "./nexus.js";
function getSharedImports() {}
function wrapAsyncCb(callee) {}
function makeLoad(fetcher, deps) {}
/* board, settings */
const __chunk_1 = makeLoad(() => {
    const src = fetch(new URL("./chunk_1.wasm", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}, []);
export const __wasm_split_load_settings = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_settings.wasm", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}, [__chunk_1]));"#;

    fn packs() -> Vec<Named> {
        ["nexus-shared-5e.wasm", "nexus-settings-6f.wasm"]
            .map(|name| Named { name: name.to_owned(), bytes: name.as_bytes().to_vec() })
            .into()
    }

    fn parts() -> BTreeMap<String, Vec<String>> {
        let files = packs().into_iter().map(|pack| pack.name).collect();
        [("settings".to_owned(), files)].into()
    }

    #[test]
    fn a_part_loads_its_packs_with_integrity_checks() {
        let loader = with_packs(WRITTEN, &packs(), &parts()).unwrap();
        let integrity = digest::integrity(b"nexus-settings-6f.wasm");
        let pack = format!(
            r#"const pack1 = makeLoad(() => fetched("./nexus-settings-6f.wasm", "{integrity}"), []);"#
        );
        assert!(loader.contains(&pack), "{loader}");
        let load = "__wasm_split_load_settings = wrapAsyncCb(() => Promise.all([pack0(), pack1()]));";
        assert!(loader.contains(load), "{loader}");
        assert!(!loader.contains("chunk_1") && !loader.contains("split_settings.wasm"), "{loader}");
    }

    #[test]
    fn unused_classes_are_removed_from_the_glue() {
        let (before, after) = ("export class Used {\n    free() {}\n}\n", "function last() {\n}\n");
        let unused = "export class SinkA {\n    free() {\n    }\n}\nif (Symbol.dispose) SinkA.free;\n\n";
        let finaliser = "const SinkAFinalization = (a)\n    ? {}\n    : b;\n";
        let glue = [before, unused, before, finaliser, after].concat();
        assert_eq!(without_classes(&glue, "Sink"), [before, before, after].concat());
    }

    #[test]
    fn an_unknown_loader_is_an_error() {
        for other in ["function makeLoad(fetcher, deps)", "__wasm_split_load_", " = wrapAsyncCb("] {
            assert!(with_packs(&WRITTEN.replace(other, "other"), &packs(), &parts()).is_err(), "{other}");
        }
        assert!(with_packs(WRITTEN, &packs()[1..], &parts()).is_err(), "a part names a missing pack");
    }

    #[test]
    fn glue_and_loader_become_one_script() {
        let glue = r#"import * as import1 from "./__wasm_split.js"
import * as import2 from "./__wasm_split.js"
const imports = { "./__wasm_split.js": import1, "./__wasm_split.js": import2 };
module_or_path = new URL('nexus_bg.wasm', import.meta.url);
export { initSync };"#;
        let loader = with_packs(WRITTEN, &packs(), &parts()).unwrap();
        let script = join_scripts(glue, &loader, "nexus-4d_bg.wasm").unwrap();
        assert_eq!(script.name, format!("nexus-{}.js", digest::short(&script.bytes)));
        let text = String::from_utf8(script.bytes).unwrap();
        assert!(!text.contains("import ") && !text.contains("export const"), "{text}");
        assert!(text.contains("const __wasm_split_load_settings = wrapAsyncCb"));
        assert!(text.contains(
            "const loads = { __wasm_split_load_settings };\nconst import1 = loads;\nconst import2 = loads;"
        ));
        assert!(text.contains(r#""./__wasm_split.js": import1"#), "the program imports it by this name");
        assert!(text.contains("new URL('nexus-4d_bg.wasm', import.meta.url)"));
        assert!(join_scripts("no import", WRITTEN, "nexus-4d_bg.wasm").is_err());
    }
}
