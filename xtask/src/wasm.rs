//! Never changes what a program does.
//!
//! Owns taking out of a WebAssembly module what no browser reads: the names of its functions (for
//! debuggers; a third of what would be sent), its producers, its target features.

use crate::error::{Context, Result};

const MAGIC_AND_VERSION: usize = 8;
const CUSTOM_SECTION: u8 = 0;

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

/// A length as modules write it: seven bits a byte, low ones first. With what follows it.
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
    fn what_is_no_module_is_an_error_at_every_length() {
        let module = [&HEAD[..], &TYPES].concat();
        for length in (0..8).chain(9..module.len()) {
            assert!(without_custom_sections(&module[..length]).is_err(), "{length}");
        }
        assert!(without_custom_sections(b"<!DOCTYPE html>").is_err());
        assert!(without_custom_sections(&[&HEAD[..], &[0, 0xff, 0xff, 0xff, 0xff, 0xff]].concat()).is_err());
    }
}
