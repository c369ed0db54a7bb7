//! Shrinks WebAssembly modules: removes custom sections, shortens numbers and import names, merges modules that are
//! needed together.
//!
//! The sections are function names (for debuggers; a third of the size), producers and target features. Import names
//! lose their hashes.

mod merged;
mod ordered;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;
use std::rc::Rc;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, ElementSection, FunctionSection, Module};
use wasmparser::{
    CodeSectionReader, ConstExpr, CustomSectionReader, Element, ElementItems, FunctionSectionReader,
    Operator, Parser,
};

pub(crate) use self::merged::merged;
use self::ordered::Order;
use crate::error::{Context, Error, Result};

const MAGIC_AND_VERSION: usize = 8;
const IMPORT_SECTION: u8 = 2;
const EXPORT_SECTION: u8 = 7;
const FUNCTION: u8 = 0;
/// Number of hexadecimal digits at the end of the names.
const HASH: usize = 16;

/// Removes custom sections, sorts functions so that they compress well ([`ordered`]), and encodes each number in as few
/// bytes as possible. The linker reserves five bytes for relocatable numbers, and the splitter keeps them.
pub(crate) fn compact(module: &[u8]) -> Result<Vec<u8>> {
    struct Compact(Rc<Order>);
    impl Reencode for Compact {
        type Error = Infallible;

        fn function_index(&mut self, function: u32) -> std::result::Result<u32, reencode::Error> {
            Ok(self.0.number(function))
        }

        fn parse_function_section(
            &mut self,
            functions: &mut FunctionSection,
            section: FunctionSectionReader<'_>,
        ) -> std::result::Result<(), reencode::Error> {
            self.0.types(functions, section)
        }

        fn parse_code_section(
            &mut self,
            code: &mut CodeSection,
            section: CodeSectionReader<'_>,
        ) -> std::result::Result<(), reencode::Error> {
            Rc::clone(&self.0).bodies(self, code, section)
        }

        fn parse_custom_section(
            &mut self,
            _: &mut Module,
            _: CustomSectionReader<'_>,
        ) -> std::result::Result<(), reencode::Error> {
            Ok(())
        }

        /// The splitter fills the table slots of lazy functions with null, which is their default.
        fn parse_element(
            &mut self,
            elements: &mut ElementSection,
            element: Element<'_>,
        ) -> std::result::Result<(), reencode::Error> {
            if let ElementItems::Expressions(_, items) = &element.items {
                let is_null = |item: wasmparser::Result<ConstExpr<'_>>| {
                    item.and_then(|item| item.get_operators_reader().read())
                        .is_ok_and(|operator| matches!(operator, Operator::RefNull { .. }))
                };
                if items.clone().into_iter().all(is_null) {
                    return Ok(());
                }
            }
            reencode::utils::parse_element(self, elements, element)
        }
    }
    let told =
        |error: &dyn fmt::Display| Error::new(format!("the program is cut off, or no WebAssembly: {error}"));
    let order = Order::of(module).map_err(|error| told(&error))?;
    let mut kept = Module::new();
    let written = Compact(Rc::new(order)).parse_core_module(&mut kept, Parser::new(0), module);
    written.map(|()| kept.finish()).map_err(|error| told(&error))
}

/// Short names for the glue's imports with hashes in their names: the five hundred hashes are a fortieth of a new
/// visitor's download, and they do not compress.
pub(crate) fn short_names(glue: &str) -> BTreeMap<String, String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let words: BTreeSet<&str> = glue.split(|letter| !is_part(letter)).collect();
    let is_hashed = |word: &&&str| {
        let hash = word.len().checked_sub(HASH + 1).and_then(|at| word.get(at..));
        let digits = hash.and_then(|hash| hash.strip_prefix('_'));
        let is_hex = |digit: char| digit.is_ascii_digit() || ('a'..='f').contains(&digit);
        word.starts_with("__wb") && digits.is_some_and(|digits| digits.chars().all(is_hex))
    };
    let free = (0_usize..).map(|number| format!("w{number}")).filter(|name| !words.contains(name.as_str()));
    words.iter().filter(is_hashed).map(|word| (*word).to_owned()).zip(free).collect()
}

/// Renames the imports in the glue.
pub(crate) fn renamed_glue(glue: &str, names: &BTreeMap<String, String>) -> String {
    // Backwards: a name may be a prefix of a later one, never of an earlier one.
    names.iter().rev().fold(glue.to_owned(), |glue, (long, short)| glue.replace(long.as_str(), short))
}

/// Renames the imports of a module, which must all be functions.
pub(crate) fn renamed_imports(module: &[u8], names: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let cut = "the program is cut off, or imports more than functions";
    with_section(module, IMPORT_SECTION, |section| imports(section, names)).context(cut)
}

/// Removes the exports whose names contain this part, and their wasm-bindgen descriptions.
pub(crate) fn without_exports(module: &[u8], part: &str) -> Result<Vec<u8>> {
    let is_kept = |name: &str| !name.contains(part);
    with_section(module, EXPORT_SECTION, |section| exports(section, is_kept))
        .context("the program is cut off")
}

/// Rewrites the sections of one kind and copies the others.
fn with_section(module: &[u8], wanted: u8, write: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let (head, mut rest) = module.split_at_checked(MAGIC_AND_VERSION)?;
    let mut written = head.to_vec();
    while let Some((kind, after_kind)) = rest.split_first() {
        let (length, body) = leb128(after_kind)?;
        let (section, next) = body.split_at_checked(length)?;
        if *kind == wanted {
            let section = write(section)?;
            written.push(wanted);
            push_leb128(&mut written, section.len());
            written.extend_from_slice(&section);
        } else {
            let header = rest.len() - body.len();
            written.extend_from_slice(rest.get(..header + length)?);
        }
        rest = next;
    }
    Some(written)
}

fn exports(section: &[u8], is_kept: impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let (count, mut rest) = leb128(section)?;
    let (mut kept, mut written) = (0, Vec::with_capacity(section.len()));
    for _ in 0..count {
        let (name, after) = text(rest)?;
        let (_, after) = after.split_first()?;
        let (_, after) = leb128(after)?;
        if is_kept(name) {
            kept += 1;
            written.extend_from_slice(rest.get(..rest.len() - after.len())?);
        }
        rest = after;
    }
    let mut section = Vec::new();
    push_leb128(&mut section, kept);
    section.extend_from_slice(&written);
    rest.is_empty().then_some(section)
}

fn imports(section: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let (count, mut rest) = leb128(section)?;
    let mut written = Vec::with_capacity(section.len());
    push_leb128(&mut written, count);
    for _ in 0..count {
        let (module, after) = text(rest)?;
        let (name, after) = text(after)?;
        for part in [module, names.get(name).map_or(name, String::as_str)] {
            push_leb128(&mut written, part.len());
            written.extend_from_slice(part.as_bytes());
        }
        let (kind, after) = after.split_first().filter(|(kind, _)| **kind == FUNCTION)?;
        let (form, after) = leb128(after)?;
        written.push(*kind);
        push_leb128(&mut written, form);
        rest = after;
    }
    rest.is_empty().then_some(written)
}

/// A length-prefixed string, and the rest.
fn text(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, body) = leb128(bytes)?;
    let (text, rest) = body.split_at_checked(length)?;
    Some((std::str::from_utf8(text).ok()?, rest))
}

fn push_leb128(bytes: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or_default();
        value >>= 7;
        bytes.push(if value == 0 { low } else { low | 0x80 });
        if value == 0 {
            return;
        }
    }
}

/// Decodes an unsigned LEB128 number of up to five bytes, and returns the rest.
fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: [u8; 8] = [0, 97, 115, 109, 1, 0, 0, 0];
    const TYPES: [u8; 6] = [1, 4, 1, 0x60, 0, 0];

    #[test]
    fn custom_sections_are_removed_and_others_stay() {
        let mut name = vec![0, 0x88, 0x01, 4];
        name.extend_from_slice(b"name");
        name.extend_from_slice(&[7; 131]);
        let module = [&HEAD[..], &[0, 2, 1, b'x'], &TYPES, &name].concat();
        let compacted = compact(&module).unwrap();
        assert_eq!(compacted, [&HEAD[..], &TYPES].concat());
        assert_eq!(compact(&compacted).unwrap(), compacted);
    }

    #[test]
    fn numbers_are_encoded_in_minimal_length() {
        // A function of type 0 that calls itself.
        let function = |call: &[u8]| {
            let length = u8::try_from(call.len()).unwrap();
            let code = [&[1, length + 3, 0, 0x10], call, &[0x0b]].concat();
            let code = [&[10, length + 5][..], &code].concat();
            [&HEAD[..], &TYPES, &[3, 2, 1, 0], &code].concat()
        };
        assert_eq!(compact(&function(&[0x80, 0x80, 0x80, 0x80, 0])).unwrap(), function(&[0]));
    }

    #[test]
    fn functions_that_begin_alike_stand_together_and_are_called_as_before() {
        let module = |code: &[&[u8]]| {
            let bodies: Vec<u8> =
                code.iter().flat_map(|body| [&[u8::try_from(body.len()).unwrap()], *body].concat()).collect();
            let length = u8::try_from(bodies.len() + 1).unwrap();
            [&HEAD[..], &TYPES, &[3, 4, 3, 0, 0, 0], &[10, length, 3], &bodies].concat()
        };
        let (calls, nothing, loops) = (|to: u8| [0, 0x10, to, 0x0b], [0, 0x0b], [0, 3, 0x40, 0x0b, 0x0b]);
        let given = module(&[&calls(2), &nothing, &loops]);
        wasmparser::validate(&given).unwrap();
        assert_eq!(compact(&given).unwrap(), module(&[&loops, &nothing, &calls(0)]));
    }

    #[test]
    fn unused_exports_are_removed_with_their_descriptions() {
        let section = |names: &[&str]| {
            let mut body = vec![u8::try_from(names.len()).unwrap()];
            for (at, name) in (0..).zip(names) {
                body.push(u8::try_from(name.len()).unwrap());
                body.extend_from_slice(name.as_bytes());
                body.extend_from_slice(&[FUNCTION, at]);
            }
            [&[EXPORT_SECTION, u8::try_from(body.len()).unwrap()], &body[..]].concat()
        };
        let module = |names: &[&str]| [&HEAD[..], &TYPES, &section(names), &[3, 1, 0]].concat();
        let all = ["main", "sink_a", "__wbindgen_describe_sink_a", "__wbindgen_describe_main"];
        let stripped = without_exports(&module(&all), "sink_").unwrap();
        // The index of the last one is its position among all.
        let mut expected = module(&["main", "__wbindgen_describe_main"]);
        let last = expected.len() - 4;
        expected[last] = 3;
        assert_eq!(stripped, expected);
        assert!(without_exports(&module(&all)[..30], "sink_").is_err());
    }

    #[test]
    fn null_table_slots_are_not_initialised() {
        let elements = |bytes: &[u8]| {
            let section = [&[9, u8::try_from(bytes.len()).unwrap()], bytes].concat();
            [&HEAD[..], &TYPES, &[3, 2, 1, 0, 4, 4, 1, 0x70, 0, 3], &section, &[10, 4, 1, 2, 0, 0x0b]]
                .concat()
        };
        let own = [0, 0x41, 0, 0x0b, 1, 0];
        let nothing = [4, 0x41, 1, 0x0b, 2, 0xd0, 0x70, 0x0b, 0xd0, 0x70, 0x0b];
        let module = elements(&[&[2][..], &own, &nothing].concat());
        wasmparser::validate(&module).unwrap();
        assert_eq!(compact(&module).unwrap(), elements(&[&[1][..], &own].concat()));
    }

    #[test]
    fn imports_get_short_names_in_the_glue_and_in_the_module() {
        let glue = "wasm.w0(); const imports = { __wbg_get_0123456789abcdef: function(a) { return w1; },
            __wbg_get_too_fedcba9876543210: 1, __wbindgen_throw: 2, __wbg_no_0123456789abcdeg: 3 };";
        let names = short_names(glue);
        let shorts: Vec<_> = names.iter().map(|(long, short)| (long.as_str(), short.as_str())).collect();
        assert_eq!(shorts, [("__wbg_get_0123456789abcdef", "w2"), ("__wbg_get_too_fedcba9876543210", "w3")]);
        let renamed = renamed_glue(glue, &names);
        assert!(renamed.contains("{ w2: function(a)") && renamed.contains("w3: 1, __wbindgen_throw: 2"));

        let entry = |name: &str| {
            let module = b"./nexus_bg.js";
            let mut entry = vec![u8::try_from(module.len()).unwrap()];
            entry.extend_from_slice(module);
            entry.push(u8::try_from(name.len()).unwrap());
            entry.extend_from_slice(name.as_bytes());
            entry.extend_from_slice(&[FUNCTION, 0x81, 0x01]);
            entry
        };
        let section = |names: [&str; 2]| {
            let body = [vec![2], entry(names[0]), entry(names[1])].concat();
            let mut section = vec![IMPORT_SECTION];
            push_leb128(&mut section, body.len());
            [section, body].concat()
        };
        let module =
            [&HEAD[..], &TYPES, &section(["__wbg_get_0123456789abcdef", "__wbindgen_throw"]), &[3, 1, 0]]
                .concat();
        let expected = [&HEAD[..], &TYPES, &section(["w2", "__wbindgen_throw"]), &[3, 1, 0]].concat();
        assert_eq!(renamed_imports(&module, &names).unwrap(), expected);
        for length in HEAD.len() + TYPES.len() + 1..module.len() - 3 {
            assert!(renamed_imports(&module[..length], &names).is_err(), "{length}");
        }
    }

    #[test]
    fn invalid_modules_are_errors_at_every_length() {
        let module = [&HEAD[..], &TYPES].concat();
        for length in (0..8).chain(9..module.len()) {
            assert!(compact(&module[..length]).is_err(), "{length}");
        }
        assert!(compact(b"<!DOCTYPE html>").is_err());
        assert!(compact(&[&HEAD[..], &[0, 0xff, 0xff, 0xff, 0xff, 0xff]].concat()).is_err());
    }
}
