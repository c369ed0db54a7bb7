//! Splits the compiler's output into the initial program and the lazily loaded parts, with hashes in the file names.
//!
//! The program marks split points with `wasm_split`. The splitter writes a module for each set of parts that share
//! code; `packs` puts these into few files. The hashes ensure that a page never loads a part of another build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brief::brief;
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::packs::{Pack, packs};
use crate::run::run;
use crate::wasm;

/// How the parts' loader and the glue call each other before they have their names.
const LOADER: &str = "./__wasm_split.js";
const GLUE: &str = "./nexus.js";

/// How the splitting library has a part compiled while it comes, in a file of its own.
const STREAMING: &str = "WebAssembly.instantiateStreaming(src, imports)";
/// What is done instead: the module is cut out of its pack.
const FROM_PACK: &str = "instantiated(src, imports)";
/// A pack is kept until each of its modules was taken; one that did not come is fetched anew when asked for again.
const INSTANTIATED: &str = r#"
const packs = new Map();
function packed(name, integrity, modules, from, to) {
    let pack = packs.get(name);
    if (pack === undefined) {
        pack = { left: modules, bytes: fetched(name, integrity) };
        pack.bytes.catch(() => packs.delete(name));
        packs.set(name, pack);
    }
    return pack.bytes.then((bytes) => {
        pack.left -= 1;
        if (pack.left === 0) packs.delete(name);
        return new Uint8Array(bytes, from, to - from);
    });
}
async function fetched(name, integrity) {
    const response = await fetch(new URL(name, import.meta.url), { integrity });
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
    return response.arrayBuffer();
}
async function instantiated(source, imports) {
    return WebAssembly.instantiate(await source, imports);
}
"#;

/// A file of the program, with the name it has on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The program, taken apart.
#[derive(Debug)]
pub(crate) struct Program {
    /// What binds the program to the page and loads the parts.
    pub glue: Named,
    pub main: Named,
    pub files: Vec<Named>,
    /// For each part the names of its files; a file may belong to several.
    pub parts: BTreeMap<String, Vec<String>>,
}

/// Takes the compiler's output apart. `folder` is free to be written to; `shrink` makes a module smaller.
pub(crate) fn split(
    compiled: &Path,
    folder: &Path,
    bindgen: &mut Command,
    shrink: impl Fn(&Path) -> Result<Vec<u8>>,
) -> Result<Program> {
    let (apart, bound) = (folder.join("apart"), folder.join("bound"));
    if folder.exists() {
        fs::remove_dir_all(folder).context("removing what an earlier build was taken apart into")?;
    }
    let input = fs::read(compiled).context(format_args!("reading {}", compiled.display()))?;
    let main = apart.join("nexus.wasm");
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = &apart;
    options.main_out_path = &main;
    options.link_name = LOADER;
    options.main_module = GLUE;
    let split = wasm_split_cli_support::transform(options).context("taking the program apart")?;
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
        modules.insert(stem(path), shrink(path)?);
    }
    let (files, parts) = packs(&modules, &split.prefetch_map.into_iter().collect())?;
    let text = |path: PathBuf| fs::read_to_string(&path).context(format_args!("reading {}", path.display()));
    let (glue, loader) = (text(bound.join("nexus.js"))?, text(apart.join(LOADER))?);
    let loader = with_packs_named(&loader, &files)?;
    let main = shrink(&bound.join("nexus_bg.wasm"))?;
    let short = wasm::short_names(&glue);
    let (glue, main) = (wasm::renamed_glue(&glue, &short), wasm::renamed_imports(&main, &short)?);
    let main = Named { name: format!("nexus-{}_bg.wasm", digest::short(&main)), bytes: main };
    let glue = linked(&glue, &loader, &main.name)?;
    Ok(Program { glue, main, files: files.into_iter().map(|pack| pack.file).collect(), parts })
}

/// The loader with the packs it fetches, their hashes, and the place of each module.
fn with_packs_named(loader: &str, packs: &[Pack]) -> Result<String> {
    let mut text = loader.replace(STREAMING, FROM_PACK);
    for Pack { file: Named { name, bytes }, modules } in packs {
        let integrity = digest::integrity(bytes);
        for (stem, place) in modules {
            let fetched = format!(r#"fetch(new URL("./{stem}.wasm", import.meta.url))"#);
            let (count, from, to) = (modules.len(), place.start, place.end);
            let cut = format!(r#"packed("./{name}", "{integrity}", {count}, {from}, {to})"#);
            text = replaced(&text, &fetched, &cut)?;
        }
    }
    if text.contains("instantiateStreaming") || text.contains(".wasm\", import") {
        return Err(Error::new("the splitting library loads parts in a way we do not know"));
    }
    text.push_str(INSTANTIATED);
    Ok(text)
}

/// Glue and loader as one script: each needs the other, and the browser would find the second only after the first.
fn linked(glue: &str, loader: &str, main: &str) -> Result<Named> {
    let import = format!("import {{ initSync }} from \"{GLUE}\";");
    let loader = replaced(loader, &import, "")?;
    let loads: Vec<&str> = loader
        .split("export const ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" =").map(|(name, _)| name))
        .collect();
    let names = loads.join(", ");
    let loader = loader.replace("export const ", "const ");
    // The glue imports the loader once for each function that it takes from there.
    let end = format!(" from \"{LOADER}\"");
    let (mut rest, mut imports) = (glue, String::new());
    while let Some((name, after)) = rest.strip_prefix("import * as ").and_then(|line| line.split_once(&end)) {
        for word in ["const ", name, " = loads;\n"] {
            imports.push_str(word);
        }
        rest = after.trim_start_matches([';', '\r', '\n']);
    }
    if imports.is_empty() || rest.contains(&end) {
        return Err(Error::new("the glue imports the loader in a way we do not know"));
    }
    let own_name = "new URL('nexus_bg.wasm', import.meta.url)";
    let text = format!("{rest}\n{loader}\nconst loads = {{ {names} }};\n{imports}");
    let text = replaced(&text, own_name, &format!("new URL('{main}', import.meta.url)"))?;
    let bytes = brief(&text).into_bytes();
    Ok(Named { name: format!("nexus-{}.js", digest::short(&bytes)), bytes })
}

fn replaced(text: &str, what: &str, with: &str) -> Result<String> {
    if !text.contains(what) {
        return Err(Error::new(format!("what was written for the page does not hold `{what}`")));
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
export const __wasm_split_load_settings = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_settings.wasm", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}, []));"#;

    fn settings() -> Pack {
        let file = Named { name: "nexus-settings-5e.wasm".to_owned(), bytes: b"part".to_vec() };
        Pack { file, modules: [("split_settings".to_owned(), 12..34)].into() }
    }

    #[test]
    fn the_loader_cuts_each_module_out_of_its_pack_and_has_the_pack_checked() {
        let loader = with_packs_named(WRITTEN, &[settings()]).unwrap();
        let integrity = digest::integrity(b"part");
        let cut = format!(r#"packed("./nexus-settings-5e.wasm", "{integrity}", 1, 12, 34)"#);
        assert!(loader.contains(&cut), "{loader}");
        assert!(loader.contains("(instantiated(src, imports))"));
        assert!(!loader.contains("split_settings"));
    }

    #[test]
    fn what_the_splitting_library_writes_in_another_way_is_an_error() {
        let other = WRITTEN.replace("./split_settings.wasm", "/split_settings.wasm");
        assert!(with_packs_named(&other, &[settings()]).is_err());
        let other = WRITTEN.replace("(src, imports)", "(await src, imports)");
        assert!(with_packs_named(&other, &[settings()]).is_err());
        assert!(with_packs_named(WRITTEN, &[]).is_err(), "a module is in no pack");
    }

    #[test]
    fn glue_and_loader_become_one_script() {
        let glue = r#"import * as import1 from "./__wasm_split.js"
import * as import2 from "./__wasm_split.js"
const imports = { "./__wasm_split.js": import1, "./__wasm_split.js": import2 };
module_or_path = new URL('nexus_bg.wasm', import.meta.url);
export { initSync };"#;
        let script = linked(glue, WRITTEN, "nexus-4d_bg.wasm").unwrap();
        assert_eq!(script.name, format!("nexus-{}.js", digest::short(&script.bytes)));
        let text = String::from_utf8(script.bytes).unwrap();
        assert!(!text.contains("import ") && !text.contains("export const"), "{text}");
        assert!(text.contains("const __wasm_split_load_settings = wrapAsyncCb"));
        assert!(text.contains(
            "const loads = { __wasm_split_load_settings };\nconst import1 = loads;\nconst import2 = loads;"
        ));
        assert!(text.contains(r#""./__wasm_split.js": import1"#), "the program asks for it by this name");
        assert!(text.contains("new URL('nexus-4d_bg.wasm', import.meta.url)"));
        assert!(linked("no import", WRITTEN, "nexus-4d_bg.wasm").is_err());
    }
}
