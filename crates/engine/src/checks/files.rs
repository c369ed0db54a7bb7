//! Selects what to check: check files, the job for the runner, and files whose mistakes can be found by parsing.

use crate::checks::report::{CheckProblem, UncheckedFiles};
use crate::port::lazy::{CheckJob, JobFile, JobFileKind};
use crate::prelude::*;
use nexus_model::limits::{CHECK_SILENT_MS, CHECK_TEST_MS, CHECKS_BYTES, CHECKS_MS};
use nexus_model::mind::MindFile;
use nexus_text::html_bundle::{
    StructureProblem, css_problems, inline_scripts, markup_problems, module_syntax, named_file, web_page,
};
use nexus_text::json::schema::validate;
use nexus_text::json::tree;
use nexus_text::vec_map::value_in;

pub type CheckedFiles = VecMap<String, MindFile>;

const FOLDERS: [&str; 4] = ["tests", "test", "checks", "__tests__"];
const ENDINGS: [&str; 4] = [".test.js", ".test.mjs", ".spec.js", ".spec.mjs"];
/// Modules that the sandbox provides: the assertions and test functions of Node and test runners.
const BUILT_IN: [&str; 8] =
    ["assert", "assert/strict", "test", "fs", "path", "vitest", "@jest/globals", "bun:test"];
/// Extensions of source files that cannot be run or parsed in a browser, with their language.
const OTHER_LANGUAGES: &str = "rs Rust py Python ts TypeScript tsx TypeScript jsx JSX go Go c C h C cpp C++ java Java \
    kt Kotlin swift Swift rb Ruby php PHP cs C# sh Shell sql SQL lua Lua yaml YAML yml YAML toml TOML scss SCSS";

impl JobFile {
    pub fn is_code(&self) -> bool {
        self.kind != JobFileKind::Text
    }
}

pub fn is_script(name: &str) -> bool {
    matches!(ending(name).as_str(), "js" | "mjs" | "cjs")
}

fn is_page(name: &str) -> bool {
    matches!(ending(name).as_str(), "html" | "htm")
}

pub fn is_check(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut folders = lower.split('/').rev().skip(1);
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || is_script(name) && folders.any(|folder| FOLDERS.contains(&folder))
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// Short fingerprint of the files' names and contents.
pub fn state_of(files: &CheckedFiles) -> String {
    let listed: String = files.iter().map(|(name, file)| format!("{name}\n{}\n", file.hash)).collect();
    ContentHash::of_text(&listed).to_string().chars().take(12).collect()
}

pub fn job(files: &CheckedFiles) -> CheckJob {
    let bytes: usize = files.values().map(|file| file.text.len()).sum();
    // If the files are too large together, those that checks do not need are omitted first.
    let fits = |name: &str| bytes <= CHECKS_BYTES || is_script(name) || ending(name) == "json";
    let included = files.iter().filter(|(name, file)| fits(name) && file.image().is_none());
    CheckJob {
        files: included.map(|(name, file)| job_file(name, &file.text, files)).collect(),
        pages: files
            .iter()
            .filter(|(name, _)| is_page(name))
            .flat_map(|(name, file)| page_scripts(name, &file.text))
            .collect(),
        checks: files.keys().filter(|name| is_check(name)).cloned().collect(),
        silent_ms: CHECK_SILENT_MS,
        test_ms: CHECK_TEST_MS,
        total_ms: CHECKS_MS,
    }
}

fn job_file(name: &str, text: &str, files: &CheckedFiles) -> JobFile {
    let whole =
        |kind| JobFile { name: name.to_owned(), kind, pieces: vec![text.to_owned()], targets: Vec::new() };
    if !is_script(name) {
        return whole(JobFileKind::Text);
    }
    let syntax = module_syntax(text);
    if ending(name) == "cjs" || !syntax.is_module && ending(name) != "mjs" {
        return whole(JobFileKind::Script);
    }
    let (mut pieces, mut targets) = (Vec::new(), Vec::new());
    let mut from = 0;
    for range in syntax.specifiers {
        let address = text.get(range.clone()).unwrap_or_default();
        let Some(target) = target(name, address, files) else { continue };
        pieces.push(text.get(from..range.start).unwrap_or_default().to_owned());
        pieces.push(address.to_owned());
        targets.push(target);
        from = range.end;
    }
    pieces.push(text.get(from..).unwrap_or_default().to_owned());
    JobFile { name: name.to_owned(), kind: JobFileKind::Module, pieces, targets }
}

fn page_scripts(name: &str, text: &str) -> Vec<JobFile> {
    let scripts = inline_scripts(text).into_iter();
    scripts
        .map(|script| JobFile {
            name: name.to_owned(),
            kind: if script.is_module { JobFileKind::Module } else { JobFileKind::Script },
            pieces: vec![format!("{}{}", "\n".repeat(script.line - 1), script.text)],
            targets: Vec::new(),
        })
        .collect()
}

/// Resolves an import; `None` if the sandbox does not have the module. The import itself then reports that.
fn target(from: &str, address: &str, files: &CheckedFiles) -> Option<String> {
    if ["./", "../", "/"].iter().any(|prefix| address.starts_with(prefix)) {
        let path = named_file(from, address)?;
        return files.contains_key(&path).then(|| format!("file:{path}"));
    }
    let plain = address.strip_prefix("node:").unwrap_or(address);
    BUILT_IN.contains(&plain).then(|| format!("builtin:{plain}"))
}

#[derive(Debug, Default)]
pub(super) struct ReadFiles {
    pub(super) problems: Vec<CheckProblem>,
    pub(super) files: u32,
    pub(super) not_checked: Vec<UncheckedFiles>,
}

/// Finds mistakes in the files that can be parsed.
pub(super) fn check_files(files: &CheckedFiles) -> ReadFiles {
    let mut read = ReadFiles::default();
    for (name, file) in files {
        let text = &*file.text;
        let found = match ending(name).as_str() {
            "json" => json_problems(name, text, files, &mut read.not_checked),
            "html" | "htm" => {
                let mut found = located(name, markup_problems(text, false));
                found.extend(missing_files(name, files));
                found
            }
            "svg" | "xml" => located(name, markup_problems(text, true)),
            "css" => located(name, css_problems(text)),
            "js" | "mjs" | "cjs" => Vec::new(),
            _ => continue,
        };
        read.files += 1;
        read.problems.extend(found);
    }
    read
}

fn located(name: &str, problems: Vec<StructureProblem>) -> Vec<CheckProblem> {
    problems.into_iter().map(|problem| CheckProblem::new(name, problem.line, problem.message)).collect()
}

/// Files that a page refers to but the session does not have. Images may be those of messages and are not checked.
fn missing_files(name: &str, files: &CheckedFiles) -> Vec<CheckProblem> {
    let text = |file: &str| files.get(file).map(|file| &*file.text);
    let found = |_: &str| Some(String::new());
    let page = web_page(name, &text, &found).unwrap_or_default();
    let problem = |missing: String| {
        CheckProblem::new(name, 0, format!("names {missing}, which is not a file of the session"))
    };
    page.missing.into_iter().map(problem).collect()
}

fn json_problems(
    name: &str,
    text: &str,
    files: &CheckedFiles,
    not_checked: &mut Vec<UncheckedFiles>,
) -> Vec<CheckProblem> {
    let value = match tree(text) {
        Ok(value) => value,
        Err(error) => return vec![json_error(name, &error)],
    };
    let schema_name = name.get(..name.len() - ".json".len()).map(|stem| format!("{stem}.schema.json"));
    // An invalid schema is reported as a problem of its own file.
    let schema = schema_name
        .and_then(|schema_name| files.get(&schema_name))
        .and_then(|schema| tree(&schema.text).ok());
    let report = schema.map(|schema| validate(&schema, &value)).unwrap_or_default();
    if !report.unchecked.is_empty() {
        let what = format!("{} in the JSON Schema", report.unchecked.join(", "));
        not_checked.push(UncheckedFiles { what, files: vec![name.to_owned()] });
    }
    let mismatch = |(at, words): (String, String)| {
        let at = if at.is_empty() { "the whole file" } else { &at };
        CheckProblem::new(name, 0, format!("does not fit its schema: {at} {words}"))
    };
    report.mismatches.into_iter().map(mismatch).collect()
}

fn json_error(name: &str, error: &serde_json::Error) -> CheckProblem {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let column = u32::try_from(error.column()).ok();
    CheckProblem { column, ..CheckProblem::new(name, error.line(), format!("not JSON: {message}")) }
}

/// The files in languages that cannot be checked, grouped by language.
pub(super) fn unchecked(files: &CheckedFiles) -> Vec<UncheckedFiles> {
    let mut groups: Vec<UncheckedFiles> = Vec::new();
    for name in files.keys() {
        let ending = ending(name);
        let Some(language) = value_in(OTHER_LANGUAGES, &ending) else { continue };
        match groups.iter_mut().find(|group| group.what == language) {
            Some(group) => group.files.push(name.clone()),
            None => groups.push(UncheckedFiles { what: language.to_owned(), files: vec![name.clone()] }),
        }
    }
    groups
}
