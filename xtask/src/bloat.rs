//! Tells which crates and functions the bytes of the linked program belong to.
//!
//! Reads the program as the linker left it: the page's own files have no names any more.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;

use crate::error::{Context, Result};
use crate::page;
use crate::wasm::{Section, leb128, sections, text};
use crate::workspace::Workspace;

const IMPORTS: u8 = 2;
const CODE: u8 = 10;
const DATA: u8 = 11;
/// The part of the section of names that names functions.
const FUNCTION_NAMES: u8 = 1;
/// How many crates and functions are listed.
const LISTED: usize = 40;

/// Builds the page and prints the tables.
pub(crate) fn bloat(workspace: &Workspace) -> Result<()> {
    page::build(workspace)?;
    let program = workspace.root.join("target/wasm32-unknown-unknown/release/nexus.wasm");
    let module = fs::read(&program).context(format_args!("reading {}", program.display()))?;
    let found = functions(&module).context("the program cannot be read, or has no names")?;
    let data: usize =
        sections(&module)?.iter().filter(|part| part.kind == DATA).map(|part| part.body.len()).sum();
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, size) in &found {
        *crates.entry(owner(name)).or_default() += size;
    }
    let code: usize = found.iter().map(|(_, size)| size).sum();
    println!("{} of code, {} of data\n", kilobytes(code), kilobytes(data));
    list("crate", crates.into_iter().map(|(name, size)| (name.to_owned(), size)).collect());
    println!();
    // What is compiled anew for each type counts once.
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    for (name, size) in &found {
        *alike.entry(without_types(name)).or_default() += size;
    }
    list("function, all its types together", alike.into_iter().collect());
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

/// The functions of a module, with how many bytes each has.
fn functions(module: &[u8]) -> Option<Vec<(String, usize)>> {
    let all = sections(module).ok()?;
    let body = |kind| all.iter().find(|part| part.kind == kind).map(|part| part.body);
    let imported = body(IMPORTS).map_or(Some(0), |imports| Some(leb128(imports)?.0))?;
    let names = names(&all)?;
    let (count, mut rest) = leb128(body(CODE)?)?;
    let mut found = Vec::with_capacity(count);
    for at in imported..imported + count {
        let (size, after) = leb128(rest)?;
        rest = after.get(size..)?;
        found.push((names.get(&at).cloned().unwrap_or_default(), size));
    }
    Some(found)
}

fn names(all: &[Section<'_>]) -> Option<BTreeMap<usize, String>> {
    let mut rest = all.iter().filter(|part| part.kind == 0).find_map(|part| {
        let (name, rest) = text(part.body)?;
        (name == "name").then_some(rest)
    })?;
    while let Some((kind, after)) = rest.split_first() {
        let (length, body) = leb128(after)?;
        let (body, next) = body.split_at_checked(length)?;
        rest = next;
        if *kind != FUNCTION_NAMES {
            continue;
        }
        let (count, mut rest) = leb128(body)?;
        let mut found = BTreeMap::new();
        for _ in 0..count {
            let (at, after) = leb128(rest)?;
            let (name, after) = text(after)?;
            // Without its hash.
            found.insert(at, format!("{:#}", rustc_demangle::demangle(name)));
            rest = after;
        }
        return Some(found);
    }
    None
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
    fn functions_have_their_names_and_sizes() {
        let names =
            [b"\x04name\x01".as_slice(), &[36, 2, 1, 4], b"a::b", &[2, 27], b"_ZN1c1d17h0123456789abcdefE"]
                .concat();
        let module = [
            b"\0asm\x01\0\0\0".as_slice(),
            &[IMPORTS, 7, 1, 1, b'm', 1, b'f', 0, 0],
            &[CODE, 7, 2, 2, 0, 0x0b, 2, 0, 0x0b],
            &[0, u8::try_from(names.len()).unwrap()],
            &names,
        ];
        let found = functions(&module.concat()).unwrap();
        assert_eq!(found, [("a::b".to_owned(), 2), ("c::d".to_owned(), 2)]);
    }

    #[test]
    fn a_function_belongs_to_the_crate_of_its_type() {
        assert_eq!(owner("nexus_text::markdown::read"), "nexus_text");
        assert_eq!(owner("<alloc::vec::Vec<T> as core::fmt::Debug>::fmt"), "alloc");
        assert_eq!(owner("<&mut dyn leptos::Render as X>::y"), "leptos");
        assert_eq!(owner("memcpy"), "(no crate)");
        assert_eq!(without_types("a::b<c::D<e>>::f"), "a::b::f");
    }
}
