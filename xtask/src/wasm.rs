//! Shrinks WebAssembly modules: removes custom sections and shortens import names.
//!
//! The sections are function names (for debuggers; a third of the size), producers and target features. Import names
//! lose their hashes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::error::{Context, Result};

const MAGIC_AND_VERSION: usize = 8;
const CUSTOM_SECTION: u8 = 0;
const IMPORT_SECTION: u8 = 2;
const FUNCTION: u8 = 0;
/// How many digits of a hash the names end with.
const HASH: usize = 16;

#[derive(Debug)]
pub(crate) struct Section<'m> {
    pub(crate) kind: u8,
    pub(crate) body: &'m [u8],
}

/// The sections of a module, in order.
pub(crate) fn sections(module: &[u8]) -> Result<Vec<Section<'_>>> {
    let cut = "the program is cut off, or no WebAssembly";
    let (head, mut rest) = module.split_at_checked(MAGIC_AND_VERSION).context(cut)?;
    head.starts_with(b"\0asm").then_some(()).context(cut)?;
    let mut found = Vec::new();
    while let Some((kind, after_kind)) = rest.split_first() {
        let (length, body) = leb128(after_kind).context(cut)?;
        let (body, next) = body.split_at_checked(length).context(cut)?;
        found.push(Section { kind: *kind, body });
        rest = next;
    }
    Ok(found)
}

/// The module without its custom sections.
pub(crate) fn without_custom_sections(module: &[u8]) -> Result<Vec<u8>> {
    let cut = "the program is cut off, or no WebAssembly";
    let (head, mut rest) = module.split_at_checked(MAGIC_AND_VERSION).context(cut)?;
    head.starts_with(b"\0asm").then_some(()).context(cut)?;
    let mut kept = head.to_vec();
    while let Some((kind, after_kind)) = rest.split_first() {
        let (length, body) = leb128(after_kind).context(cut)?;
        let header = rest.len() - body.len();
        let (section, next) = rest.split_at_checked(header + length).context(cut)?;
        if *kind != CUSTOM_SECTION {
            kept.extend_from_slice(section);
        }
        rest = next;
    }
    Ok(kept)
}

/// Appends a custom section that holds `content`, and tells where the content stands.
pub(crate) fn custom_section(module: &mut Vec<u8>, content: &[u8]) -> Range<usize> {
    const NAME: &[u8] = b"\x01m";
    module.push(CUSTOM_SECTION);
    push_leb128(module, NAME.len() + content.len());
    module.extend_from_slice(NAME);
    let from = module.len();
    module.extend_from_slice(content);
    from..module.len()
}

/// Short names for the imports that a piece of glue provides under names with a hash: five hundred of these hashes are a
/// fortieth of all that a newcomer fetches, and nothing makes them smaller.
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

/// The glue with other names for what it provides.
pub(crate) fn renamed_glue(glue: &str, names: &BTreeMap<String, String>) -> String {
    // From the back: a name may be the beginning of another one, never of one that stands before it in the order.
    names.iter().rev().fold(glue.to_owned(), |glue, (long, short)| glue.replace(long.as_str(), short))
}

/// The module with other names for what it imports. It imports functions alone.
pub(crate) fn renamed_imports(module: &[u8], names: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let cut = "the program is cut off, or imports more than functions";
    let (head, mut rest) = module.split_at_checked(MAGIC_AND_VERSION).context(cut)?;
    let mut renamed = head.to_vec();
    while let Some((kind, after_kind)) = rest.split_first() {
        let (length, body) = leb128(after_kind).context(cut)?;
        let (section, next) = body.split_at_checked(length).context(cut)?;
        if *kind == IMPORT_SECTION {
            let section = imports(section, names).context(cut)?;
            renamed.push(IMPORT_SECTION);
            push_leb128(&mut renamed, section.len());
            renamed.extend_from_slice(&section);
        } else {
            let header = rest.len() - body.len();
            renamed.extend_from_slice(rest.get(..header + length).context(cut)?);
        }
        rest = next;
    }
    Ok(renamed)
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

/// A text with its length before it, and what follows.
pub(crate) fn text(bytes: &[u8]) -> Option<(&str, &[u8])> {
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

/// A length as modules write it: seven bits a byte, low ones first. With what follows it.
pub(crate) fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
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
    fn custom_sections_go_wherever_they_stand_and_the_others_stay_as_they_are() {
        let mut name = vec![0, 0x88, 0x01, 4];
        name.extend_from_slice(b"name");
        name.extend_from_slice(&[7; 131]);
        let module = [&HEAD[..], &[0, 2, 1, b'x'], &TYPES, &name].concat();
        let kept = without_custom_sections(&module).unwrap();
        assert_eq!(kept, [&HEAD[..], &TYPES].concat());
        assert_eq!(without_custom_sections(&kept).unwrap(), kept);
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
        let wanted = [&HEAD[..], &TYPES, &section(["w2", "__wbindgen_throw"]), &[3, 1, 0]].concat();
        assert_eq!(renamed_imports(&module, &names).unwrap(), wanted);
        for length in HEAD.len() + TYPES.len() + 1..module.len() - 3 {
            assert!(renamed_imports(&module[..length], &names).is_err(), "{length}");
        }
    }

    #[test]
    fn what_is_no_module_is_an_error_at_every_length() {
        let module = [&HEAD[..], &TYPES].concat();
        for length in (0..8).chain(9..module.len()) {
            assert!(without_custom_sections(&module[..length]).is_err(), "{length}");
        }
        assert!(without_custom_sections(b"<!DOCTYPE html>").is_err());
        assert!(without_custom_sections(&[&HEAD[..], &[0, 0xff, 0xff, 0xff, 0xff, 0xff]].concat()).is_err());
    }
}
