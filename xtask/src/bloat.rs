//! Tells which crates and functions the bytes of the linked program belong to, and what keeps them in the first load.
//!
//! Reads the program as the linker left it: the page's own files have no names any more.

mod graph;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;

use crate::error::{Context, Result};
use crate::page;
use crate::workspace::Workspace;

/// What keeps fewer bytes is not listed.
const LEAST_KEPT: usize = 4_000;
/// How many crates and functions are listed.
const LISTED: usize = 40;

/// Builds the page and prints the tables.
pub(crate) fn bloat(workspace: &Workspace) -> Result<()> {
    page::build(workspace)?;
    let program = workspace.root.join("target/wasm32-unknown-unknown/release/nexus.wasm");
    let module = fs::read(&program).context(format_args!("reading {}", program.display()))?;
    let graph = graph::graph(&module).context("reading the program")?;
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, size) in graph.functions() {
        *crates.entry(owner(name)).or_default() += size;
    }
    let code: usize = graph.functions().map(|(_, size)| size).sum();
    println!("{} of code, {} of data\n", kilobytes(code), kilobytes(graph.data));
    list("crate", crates.into_iter().map(|(name, size)| (name.to_owned(), size)).collect());
    println!();
    // What is compiled anew for each type counts once.
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    for (name, size) in graph.functions() {
        *alike.entry(without_types(name)).or_default() += size;
    }
    list("function, all its types together", alike.into_iter().collect());
    println!("\n{:>10}  what only this keeps in the first program", "kB");
    for (depth, name, bytes) in graph.kept(LEAST_KEPT) {
        println!("{:>10}  {}{name}", kilobytes(bytes), "  ".repeat(depth));
    }
    Ok(())
}

fn list(what: &str, mut rows: Vec<(String, usize)>) {
    rows.sort_by_key(|(_, size)| Reverse(*size));
    println!("{:>10}  {what}", "kB");
    for (name, size) in rows.into_iter().take(LISTED) {
        println!("{:>10}  {name}", kilobytes(size));
    }
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

/// The crate whose code a function is. A method of a trait belongs to the type that has it.
fn owner(name: &str) -> &str {
    let name = name.trim_start_matches(|sign: char| !sign.is_alphabetic() && sign != '_');
    let name = ["mut ", "dyn "].iter().fold(name, |name, word| name.strip_prefix(word).unwrap_or(name));
    let end = name.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(name.len());
    match name.split_at_checked(end) {
        Some((first, rest)) if rest.starts_with("::") => first,
        _ => "(no crate)",
    }
}

/// A name without what stands in angle brackets behind a path.
fn without_types(name: &str) -> String {
    let (mut depth, mut short) = (0_usize, String::new());
    for (at, sign) in name.char_indices() {
        match sign {
            '<' if depth > 0 || at > 0 => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => short.push(sign),
            _ => {}
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_belongs_to_the_crate_of_its_type() {
        assert_eq!(owner("nexus_text::markdown::read"), "nexus_text");
        assert_eq!(owner("<alloc::vec::Vec<T> as core::fmt::Debug>::fmt"), "alloc");
        assert_eq!(owner("<&mut dyn leptos::Render as X>::y"), "leptos");
        assert_eq!(owner("memcpy"), "(no crate)");
        assert_eq!(without_types("a::b<c::D<e>>::f"), "a::b::f");
    }
}
