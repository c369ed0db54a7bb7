//! Orders functions so that they compress best: by type, then by bytes, so that similar ones are adjacent.

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, FunctionSection};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, Result, TypeRef};

/// The functions of a module in their new order, and the new number of each.
#[derive(Default)]
pub(super) struct Order {
    imported: u32,
    /// The old place of each function, without those that are imported.
    old: Vec<usize>,
    /// The new number of each, in the old order.
    new: Vec<u32>,
}

impl Order {
    pub(super) fn of(module: &[u8]) -> Result<Self> {
        let (mut order, mut types, mut bodies) = (Self::default(), Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            if let Payload::ImportSection(section) = payload {
                for import in section.into_imports() {
                    order.imported +=
                        u32::from(matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                }
            } else if let Payload::FunctionSection(section) = payload {
                types = section.into_iter().collect::<Result<Vec<u32>>>()?;
            } else if let Payload::CodeSectionEntry(body) = payload {
                bodies.push(body.as_bytes());
            }
        }
        let mut functions: Vec<_> = types.into_iter().zip(bodies).zip(0_usize..).collect();
        functions.sort_unstable();
        order.old = functions.into_iter().map(|(_, place)| place).collect();
        order.new = vec![0; order.old.len()];
        for (number, old) in (order.imported..).zip(&order.old) {
            if let Some(new) = order.new.get_mut(*old) {
                *new = number;
            }
        }
        Ok(order)
    }

    pub(super) fn number(&self, function: u32) -> u32 {
        let own = function.checked_sub(self.imported).and_then(|place| usize::try_from(place).ok());
        own.and_then(|place| self.new.get(place)).copied().unwrap_or(function)
    }

    pub(super) fn types<E>(
        &self,
        written: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> std::result::Result<(), reencode::Error<E>> {
        let types = section.into_iter().collect::<Result<Vec<u32>>>()?;
        self.old.iter().filter_map(|place| types.get(*place)).for_each(|ty| {
            written.function(*ty);
        });
        Ok(())
    }

    pub(super) fn bodies<R: Reencode>(
        &self,
        write: &mut R,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> std::result::Result<(), reencode::Error<R::Error>> {
        let bodies = section.into_iter().collect::<Result<Vec<_>>>()?;
        for body in self.old.iter().filter_map(|place| bodies.get(*place)) {
            write.parse_function_body(code, body.clone())?;
        }
        Ok(())
    }
}
