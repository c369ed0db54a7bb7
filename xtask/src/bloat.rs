//! Reports the size of the linked program by crate and function, and what keeps code in the first load.
//!
//! Reads the linker's output: the files of the page have no names any more.

mod graph;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;

use crate::error::{Context, Result};
use crate::page;
use crate::workspace::Workspace;

/// Smaller retained sizes are not listed.
const MIN_RETAINED: usize = 4_000;
/// Number of crates and functions listed.
const MAX_ROWS: usize = 40;

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
    // Instances of a generic function count as one.
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (name, size) in graph.functions() {
        *by_name.entry(without_types(name)).or_default() += size;
    }
    list("function, all its types", by_name.into_iter().collect());
    println!("\n{:>10}  retained size in the first program", "kB");
    for (depth, name, bytes) in graph.retained(MIN_RETAINED) {
        println!("{:>10}  {}{name}", kilobytes(bytes), "  ".repeat(depth));
    }
    Ok(())
}

fn list(what: &str, mut rows: Vec<(String, usize)>) {
    rows.sort_by_key(|(_, size)| Reverse(*size));
    println!("{:>10}  {what}", "kB");
    for (name, size) in rows.into_iter().take(MAX_ROWS) {
        println!("{:>10}  {name}", kilobytes(size));
    }
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

/// The crate of a function; a trait's method belongs to the crate of its type.
fn owner(name: &str) -> &str {
    let name = name.trim_start_matches(|sign: char| !sign.is_alphabetic() && sign != '_');
    let name = ["mut ", "dyn "].iter().fold(name, |name, word| name.strip_prefix(word).unwrap_or(name));
    let end = name.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(name.len());
    match name.split_at_checked(end) {
        Some((first, rest)) if rest.starts_with("::") => first,
        _ => "(no crate)",
    }
}

/// A name without its type parameters.
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
