//! Splits the compiler's output into the initial program and the lazily loaded parts, with hashes in the file names.
//!
//! The program marks split points with `wasm_split`. The hashes ensure that a page never loads a part of another
//! build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brief::brief;
use crate::digest;
use crate::error::{Context, Error, Result};
use crate::run::run;
use crate::wasm;

/// How the parts' loader and the glue call each other before they have their names.
const LOADER: &str = "./__wasm_split.js";
const GLUE: &str = "./nexus.js";

/// How the splitting library has a part compiled while it comes, whatever type the host gives it.
const STREAMING: &str = "WebAssembly.instantiateStreaming(src, imports)";
/// What is done instead: a bad status is told as such, and a wrong type is no obstacle.
const CAREFUL: &str = "instantiated(src, imports)";
const INSTANTIATED: &str = r#"
async function instantiated(source, imports) {
    const response = await source;
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/wasm")) return WebAssembly.instantiateStreaming(response, imports);
    return WebAssembly.instantiate(await response.arrayBuffer(), imports);
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
    /// What binds the program to the page; imports the loader.
    pub glue: Named,
    /// What loads the parts.
    pub loader: Named,
    /// The program that starts.
    pub main: Named,
    /// The files of the parts.
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

    let mut names = BTreeMap::new();
    let mut files = Vec::new();
    for path in &split.split_modules {
        let stem = stem(path);
        let bytes = shrink(path)?;
        let name = format!("nexus-{}-{}.wasm", readable(&stem), digest::short(&bytes));
        names.insert(stem, name.clone());
        files.push(Named { name, bytes });
    }
    let named =
        |stem: &String| names.get(stem).cloned().context(format_args!("the part `{stem}` was not written"));
    let mut parts = BTreeMap::new();
    for (part, stems) in split.prefetch_map {
        parts.insert(part, stems.iter().map(named).collect::<Result<Vec<_>>>()?);
    }
    let text = |path: PathBuf| fs::read_to_string(&path).context(format_args!("reading {}", path.display()));
    let (glue, loader) = (text(bound.join("nexus.js"))?, text(apart.join(LOADER))?);
    let loader = with_files_named(&loader, &names, &files)?;
    let main = shrink(&bound.join("nexus_bg.wasm"))?;
    let short = wasm::short_names(&glue);
    let (glue, main) = (wasm::renamed_glue(&glue, &short), wasm::renamed_imports(&main, &short)?);
    let main = Named { name: format!("nexus-{}_bg.wasm", digest::short(&main)), bytes: main };
    let (glue, loader) = linked(&glue, &loader, &main.name)?;
    Ok(Program { glue, loader, main, files, parts })
}

/// The loader with the names and hashes of the files it fetches, and fetching with care.
fn with_files_named(loader: &str, names: &BTreeMap<String, String>, files: &[Named]) -> Result<String> {
    let mut text = loader.replace(STREAMING, CAREFUL);
    for (stem, name) in names {
        let file = files.iter().find(|file| file.name == *name).context("a part without its file")?;
        let fetched = format!(r#"fetch(new URL("./{stem}.wasm", import.meta.url))"#);
        let checked = format!(
            r#"fetch(new URL("./{name}", import.meta.url), {{ integrity: "{}" }})"#,
            digest::integrity(&file.bytes)
        );
        text = replaced(&text, &fetched, &checked)?;
    }
    if text.contains("instantiateStreaming") {
        return Err(Error::new("the splitting library compiles parts in a way we do not know"));
    }
    text.push_str(INSTANTIATED);
    Ok(text)
}

/// Glue and loader import each other, so one hash names both: it changes when either or the program does.
fn linked(glue: &str, loader: &str, main: &str) -> Result<(Named, Named)> {
    let (glue, loader) = (brief(glue), brief(loader));
    let hash = digest::short([&glue, &loader, main].concat().as_bytes());
    let (glue_name, loader_name) = (format!("nexus-{hash}.js"), format!("nexus-parts-{hash}.js"));
    let own_name = "new URL('nexus_bg.wasm', import.meta.url)";
    let glue = replaced(&glue, own_name, &format!("new URL('{main}', import.meta.url)"))?;
    // Only where it is imported: the program knows what it gets from there by this name.
    let from = |name: &str| format!(r#"from "{name}""#);
    let glue = replaced(&glue, &from(LOADER), &from(&format!("./{loader_name}")))?;
    let loader = replaced(&loader, &from(GLUE), &from(&format!("./{glue_name}")))?;
    Ok((
        Named { name: glue_name, bytes: glue.into_bytes() },
        Named { name: loader_name, bytes: loader.into_bytes() },
    ))
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

/// `split_first_start` is the part `first-start`; `chunk_3` is shared by several.
fn readable(stem: &str) -> String {
    let name = match stem.strip_prefix("chunk_") {
        Some(number) => format!("shared-{number}"),
        None => stem.strip_prefix("split_").unwrap_or(stem).to_owned(),
    };
    name.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"import { initSync } from "./nexus.js";
export const __wasm_split_load_settings = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_settings.wasm", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}, []));"#;

    fn settings() -> (BTreeMap<String, String>, Vec<Named>) {
        let name = "nexus-settings-5e.wasm".to_owned();
        ([("split_settings".to_owned(), name.clone())].into(), vec![Named { name, bytes: b"part".to_vec() }])
    }

    #[test]
    fn the_loader_fetches_each_part_by_its_name_and_has_it_checked() {
        let (names, files) = settings();
        let loader = with_files_named(WRITTEN, &names, &files).unwrap();
        let fetched = format!(
            r#"fetch(new URL("./nexus-settings-5e.wasm", import.meta.url), {{ integrity: "{}" }})"#,
            digest::integrity(b"part")
        );
        assert!(loader.contains(&fetched), "{loader}");
        assert!(loader.contains("(instantiated(src, imports))"));
        assert!(!loader.contains("split_settings"));
    }

    #[test]
    fn what_the_splitting_library_writes_in_another_way_is_an_error() {
        let (names, files) = settings();
        let other = WRITTEN.replace("./split_settings.wasm", "/split_settings.wasm");
        assert!(with_files_named(&other, &names, &files).is_err());
        let other = WRITTEN.replace("(src, imports)", "(await src, imports)");
        assert!(with_files_named(&other, &names, &files).is_err());
    }

    #[test]
    fn glue_and_loader_name_each_other_and_only_the_import_is_renamed() {
        let glue = r#"import * as import1 from "./__wasm_split.js"
const imports = { "./__wasm_split.js": import1 };
module_or_path = new URL('nexus_bg.wasm', import.meta.url);"#;
        let (glue, loader) = linked(glue, WRITTEN, "nexus-4d_bg.wasm").unwrap();
        let (glue_text, loader_text) =
            (String::from_utf8(glue.bytes).unwrap(), String::from_utf8(loader.bytes).unwrap());
        assert!(glue_text.contains(&format!(r#"from "./{}""#, loader.name)));
        assert!(
            glue_text.contains(r#""./__wasm_split.js": import1"#),
            "the program asks for it by this name"
        );
        assert!(glue_text.contains("new URL('nexus-4d_bg.wasm', import.meta.url)"));
        assert!(loader_text.contains(&format!(r#"from "./{}""#, glue.name)));
    }

    #[test]
    fn a_file_is_named_for_people() {
        assert_eq!(readable("split_first_start"), "first-start");
        assert_eq!(readable("chunk_12"), "shared-12");
    }
}
