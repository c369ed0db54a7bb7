//! Merges lazy modules of one program into one module.
//!
//! All modules of the splitter have the same types, import the memory, the table and the globals of the program, and
//! call each other only through the table: to call a function of another module they have a shim that calls its table
//! slot. In the merged module a call of a shim becomes a call of the function itself, or of the one shim for that
//! slot; a shim with few calls is inlined.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use wasm_encoder::reencode::{self, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements, Encode as _,
    FunctionSection, ImportSection, Module, RawSection, SectionId, TypeSection,
};
use wasmparser::{
    ConstExpr as ReadExpr, DataSectionReader, ElementItems, ElementKind, FunctionBody, Import, Operator,
    Parser, Payload, TypeRef,
};

use super::leb128;
use crate::error::{Context as _, Error, Result};

/// Maximum number of calls of a shim that are inlined.
const MAX_INLINED: usize = 16;

/// Fails if a module is invalid or not as the splitter writes it.
type Outcome<T> = std::result::Result<T, reencode::Error<&'static str>>;

fn reject<T>(reason: &'static str) -> Outcome<T> {
    Err(reencode::Error::UserError(reason))
}

/// Merges these modules.
pub(crate) fn merged(modules: &[&[u8]]) -> Result<Vec<u8>> {
    let context = |error| Error::new(format!("the parts of the program cannot be merged: {error}"));
    let (mut merge, mut parts) = (Merge::default(), Vec::new());
    for module in modules {
        parts.push(merge.read(module).map_err(context)?);
    }
    merge.number(&parts).map_err(context)?;
    for (part, read) in parts.into_iter().enumerate() {
        merge.write(part, read).map_err(context)?;
    }
    merge.finish()
}

/// Contents of one module.
#[derive(Default)]
struct Part<'m> {
    functions: Vec<Function<'m>>,
    /// Index in the merged module of each imported global.
    globals: Vec<u32>,
    /// First table slot, and the functions from there on.
    elements: Vec<(i32, Vec<u32>)>,
    data: Option<DataSectionReader<'m>>,
}

struct Function<'m> {
    ty: u32,
    body: FunctionBody<'m>,
    /// The table slot that it calls, if it is a shim.
    shim_of: Option<i32>,
}

/// All functions of the modules, each with its module and its index there.
fn each<'p, 'm>(parts: &'p [Part<'m>]) -> impl Iterator<Item = ((usize, usize), &'p Function<'m>)> {
    let of = |(part, read): (usize, &'p Part<'m>)| {
        read.functions.iter().enumerate().map(move |(at, function)| ((part, at), function))
    };
    parts.iter().enumerate().flat_map(of)
}

/// Replacement of a function in the merged module.
#[derive(Clone, Copy)]
enum Replacement {
    /// The function with this index.
    Function(u32),
    /// Inlined: a call of this table slot.
    Call { place: i32, ty: u32 },
}

/// Renumbers functions, globals and data of one module.
struct Numbered<'p, N> {
    function: N,
    globals: &'p [u32],
    /// Number of data segments of the previous modules.
    data: u32,
}

impl<N: Fn(u32) -> Option<Replacement>> Reencode for Numbered<'_, N> {
    type Error = &'static str;

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Outcome<()> {
        let mut written = self.new_function_with_parsed_locals(&body)?;
        let mut read = body.get_operators_reader()?;
        while !read.eof() {
            let operator = read.read()?;
            if let Operator::Call { function_index } = operator
                && let Some(Replacement::Call { place, ty }) = (self.function)(function_index)
            {
                written.instructions().i32_const(place).call_indirect(0, ty);
            } else {
                written.instruction(&self.instruction(operator)?);
            }
        }
        code.function(&written);
        Ok(())
    }

    fn function_index(&mut self, index: u32) -> Outcome<u32> {
        match (self.function)(index) {
            Some(Replacement::Function(number)) => Ok(number),
            Some(Replacement::Call { .. }) | None => reject("unknown function index"),
        }
    }

    fn global_index(&mut self, global: u32) -> Outcome<u32> {
        match self.globals.get(index(global)) {
            Some(number) => Ok(*number),
            None => reject("unknown global index"),
        }
    }

    fn data_index(&mut self, index: u32) -> Outcome<u32> {
        Ok(index + self.data)
    }
}

/// The value of a constant expression.
fn constant(expression: &ReadExpr<'_>) -> Outcome<i32> {
    let Operator::I32Const { value } = expression.get_operators_reader().read()? else {
        return reject("an offset is no constant");
    };
    Ok(value)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[derive(Default)]
struct Merge<'m> {
    /// The encoded type section, which all modules share.
    types: Option<Vec<u8>>,
    /// Number of parameters of each type.
    parameters: Vec<usize>,
    imports: Vec<Import<'m>>,
    functions: FunctionSection,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
    /// The replacement of each function.
    functions_of: BTreeMap<(usize, usize), Replacement>,
    /// Functions that are written: all but the replaced shims.
    written: BTreeSet<(usize, usize)>,
}

impl<'m> Merge<'m> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other sections are rejected")]
    fn read(&mut self, module: &'m [u8]) -> Outcome<Part<'m>> {
        let (mut part, mut types) = (Part::default(), Vec::new().into_iter());
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    self.parameters = section
                        .clone()
                        .into_iter_err_on_gc_types()
                        .map(|ty| Ok(ty?.params().len()))
                        .collect::<Outcome<_>>()?;
                    let mut types = TypeSection::new();
                    if RoundtripReencoder.parse_type_section(&mut types, section).is_err() {
                        return reject("unreadable types");
                    }
                    let mut written = Vec::new();
                    types.encode(&mut written);
                    if *self.types.get_or_insert_with(|| written.clone()) != written {
                        return reject("types differ");
                    }
                }
                Payload::ImportSection(section) => part.globals = self.import(section)?,
                Payload::FunctionSection(section) => {
                    types = section.into_iter().collect::<std::result::Result<Vec<_>, _>>()?.into_iter();
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        let element = element?;
                        let (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(items)) =
                            (element.kind, element.items)
                        else {
                            return reject("passive or declared elements");
                        };
                        let items = items.into_iter().collect::<std::result::Result<_, _>>()?;
                        part.elements.push((constant(&offset_expr)?, items));
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let Some(ty) = types.next() else { return reject("a function without a type") };
                    let shim_of = self.shim_of(ty, &body)?;
                    part.functions.push(Function { ty, body, shim_of });
                }
                Payload::DataSection(section) => part.data = Some(section),
                Payload::ExportSection(section) if section.count() == 0 => {}
                Payload::Version { .. }
                | Payload::DataCountSection { .. }
                | Payload::CodeSectionStart { .. }
                | Payload::CustomSection(_)
                | Payload::End(_) => {}
                _ => return reject("unknown section"),
            }
        }
        Ok(part)
    }

    /// Adds a module's imports to the common ones, and returns the indices of its globals; some modules have fewer.
    fn import(&mut self, section: wasmparser::ImportSectionReader<'m>) -> Outcome<Vec<u32>> {
        let mut globals = Vec::new();
        for import in section.into_imports() {
            let import = import?;
            // Each kind has its own index space.
            let mut same_kind =
                self.imports.iter().filter(|other| discriminant(&other.ty) == discriminant(&import.ty));
            let count = same_kind.clone().count();
            let known = same_kind.position(|other| other == &import);
            match import.ty {
                TypeRef::Global(_) => globals.push(u32::try_from(known.unwrap_or(count)).unwrap_or(u32::MAX)),
                TypeRef::Table(_) | TypeRef::Memory(_) if known.is_some() || count == 0 => {}
                TypeRef::Table(_) | TypeRef::Memory(_) => return reject("imports differ"),
                TypeRef::Func(_) | TypeRef::FuncExact(_) | TypeRef::Tag(_) => {
                    return reject("a function import");
                }
            }
            if known.is_none() {
                self.imports.push(import);
            }
        }
        Ok(globals)
    }

    /// The table slot that a function calls, if it only passes its parameters on.
    fn shim_of(&self, ty: u32, body: &FunctionBody<'_>) -> Outcome<Option<i32>> {
        let mut read = body.get_operators_reader()?;
        if body.get_locals_reader()?.get_count() > 0 {
            return Ok(None);
        }
        let parameters = self.parameters.get(index(ty)).copied().unwrap_or_default();
        for parameter in 0..parameters {
            if !matches!(read.read()?, Operator::LocalGet { local_index } if index(local_index) == parameter)
            {
                return Ok(None);
            }
        }
        let Operator::I32Const { value } = read.read()? else { return Ok(None) };
        let is_call = !read.eof()
            && matches!(read.read()?, Operator::CallIndirect { type_index, table_index: 0 } if type_index == ty)
            && matches!(read.read()?, Operator::End);
        Ok(is_call.then_some(value))
    }

    /// Assigns function indices. A shim becomes its target, or the first shim of the same slot.
    fn number(&mut self, parts: &[Part<'m>]) -> Outcome<()> {
        let mut called = BTreeMap::new();
        for (part, read) in parts.iter().enumerate() {
            let places = read.elements.iter().flat_map(|(first, functions)| (*first..).zip(functions));
            called.extend(places.map(|(place, function)| (place, (part, index(*function)))));
        }
        let own: BTreeSet<i32> = called.keys().copied().collect();
        let mut calls: BTreeMap<i32, usize> = BTreeMap::new();
        for (id, function) in each(parts) {
            if let Some(place) = function.shim_of {
                called.entry(place).or_insert(id);
            }
            let mut read = function.body.get_operators_reader()?;
            while !read.eof() {
                if let Operator::Call { function_index } = read.read()?
                    && let Some(shim) =
                        parts.get(id.0).and_then(|part| part.functions.get(index(function_index)))
                    && let Some(place) = shim.shim_of
                {
                    *calls.entry(place).or_default() += 1;
                }
            }
        }
        let is_inlined =
            |place: &i32| !own.contains(place) && calls.get(place).is_none_or(|calls| *calls <= MAX_INLINED);
        for (id, function) in each(parts) {
            let written = match &function.shim_of {
                Some(place) => called.get(place) == Some(&id) && !is_inlined(place),
                None => true,
            };
            if written {
                self.written.insert(id);
                self.functions_of.insert(id, Replacement::Function(self.functions.len()));
                self.functions.function(function.ty);
            }
        }
        for (id, function) in each(parts) {
            let Some(place) = function.shim_of else { continue };
            let replacement = match is_inlined(&place) {
                true => Some(Replacement::Call { place, ty: function.ty }),
                false => called.get(&place).and_then(|called| self.functions_of.get(called)).copied(),
            };
            let Some(replacement) = replacement else { return reject("a shim in the table") };
            self.functions_of.insert(id, replacement);
        }
        Ok(())
    }

    fn write(&mut self, part: usize, read: Part<'m>) -> Outcome<()> {
        let (functions, data) = (&self.functions_of, self.data.len());
        let function = |function: u32| functions.get(&(part, index(function))).copied();
        let mut numbered = Numbered { function, globals: &read.globals, data };
        for (at, read) in read.functions.into_iter().enumerate() {
            if self.written.contains(&(part, at)) {
                numbered.parse_function_body(&mut self.code, read.body)?;
            }
        }
        for (first, functions) in &read.elements {
            let functions: Outcome<Vec<u32>> =
                functions.iter().map(|function| numbered.function_index(*function)).collect();
            let first = ConstExpr::i32_const(*first);
            self.elements.active(None, &first, Elements::Functions(functions?.into()));
        }
        if let Some(data) = read.data {
            numbered.parse_data_section(&mut self.data, data)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>> {
        let mut imports = ImportSection::new();
        for Import { module, name, ty } in &self.imports {
            let ty = RoundtripReencoder.entity_type(*ty);
            imports.import(module, name, ty.context("reading what the parts import")?);
        }
        let mut module = Module::new();
        if let Some(types) = self.types {
            let (_, data) = leb128(&types).context("reading the types of the parts")?;
            module.section(&RawSection { id: SectionId::Type.into(), data });
        }
        module.section(&imports).section(&self.functions).section(&self.elements);
        module.section(&DataCountSection { count: self.data.len() }).section(&self.code).section(&self.data);
        Ok(module.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: [u8; 8] = [0, 97, 115, 109, 1, 0, 0, 0];
    const TYPES: [u8; 6] = [1, 4, 1, 0x60, 0, 0];
    const IMPORT_SECTION: u8 = 2;

    /// A module with a function of type 0 that calls itself and is in table slot `place`, and a byte of data there.
    fn part(place: u8, imports: &[u8]) -> Vec<u8> {
        let section = |kind: u8, body: &[u8]| [&[kind, u8::try_from(body.len()).unwrap()], body].concat();
        let sections = [
            section(IMPORT_SECTION, imports),
            section(3, &[1, 0]),
            section(7, &[0]),
            section(9, &[1, 2, 0, 0x41, place, 0x0b, 0, 1, 0]),
            section(12, &[1]),
            section(10, &[1, 4, 0, 0x10, 0, 0x0b]),
            section(11, &[1, 0, 0x41, place, 0x0b, 1, place]),
            section(0, &[1, b'x']),
        ];
        [&HEAD[..], &TYPES, &sections.concat()].concat()
    }

    /// A table, a memory, and a shared global.
    const TABLE: [u8; 7] = [1, b'm', 1, b't', 1, 0x70, 0];
    const MEMORY: [u8; 6] = [1, b'm', 1, b'y', 2, 0];
    const GLOBAL: [u8; 7] = [1, b'm', 1, b'g', 3, 0x7f, 1];

    #[test]
    fn modules_are_merged_and_call_their_own_functions() {
        let few = [&[2][..], &TABLE, &[1], &MEMORY, &[1]].concat();
        let more = [&[3][..], &GLOBAL, &TABLE, &[1], &MEMORY, &[1]].concat();
        let all = [&[3][..], &TABLE, &[1], &MEMORY, &[1], &GLOBAL].concat();
        let (first, second) = (part(1, &few), part(2, &more));
        let merged = merged(&[&first, &second]).unwrap();
        let has = |piece: &[u8]| merged.windows(piece.len()).any(|window| window == piece);
        assert!(has(&[&[IMPORT_SECTION, u8::try_from(all.len()).unwrap()], &all[..]].concat()), "{merged:?}");
        assert!(has(&[3, 3, 2, 0, 0]), "two functions");
        assert!(has(&[0x41, 1, 0x0b, 1, 0]) && has(&[0x41, 2, 0x0b, 1, 1]), "each in its table slot");
        assert!(has(&[10, 11, 2, 4, 0, 0x10, 0, 0x0b, 4, 0, 0x10, 1, 0x0b]), "each calls itself");
        assert!(has(&[12, 1, 2]), "two data segments");
        assert!(has(&[0x41, 1, 0x0b, 1, 1]) && has(&[0x41, 2, 0x0b, 1, 2]), "each at its offset");
        wasmparser::validate(&merged).unwrap();
    }

    #[test]
    fn unrelated_modules_are_not_merged() {
        let own = part(1, &[&[2][..], &TABLE, &[1], &MEMORY, &[1]].concat());
        let other = part(2, &[&[2][..], &TABLE, &[1], &MEMORY, &[2]].concat());
        assert!(merged(&[&own, &other]).is_err());
        let mut types = own.clone();
        types[11] = 0x5f;
        assert!(merged(&[&own, &types]).is_err());
        let exports = [&own[..], &[7, 5, 1, 1, b'f', 0, 0]].concat();
        assert!(merged(&[&exports]).is_err());
        assert!(merged(&[b"<!DOCTYPE html>"]).is_err());
    }

    /// A module with these functions of type 0; the first one is in table slot `place`.
    fn with_functions(place: u8, bodies: &[&[u8]]) -> Vec<u8> {
        let count = u8::try_from(bodies.len()).unwrap();
        let section = |kind: u8, body: &[u8]| [&[kind, u8::try_from(body.len()).unwrap()], body].concat();
        let sized = |body: &&[u8]| [&[u8::try_from(body.len()).unwrap() + 2, 0], *body, &[0x0b]].concat();
        let code: Vec<u8> = bodies.iter().flat_map(sized).collect();
        let sections = [
            section(IMPORT_SECTION, &[&[1][..], &TABLE, &[1]].concat()),
            section(3, &[vec![count], vec![0; bodies.len()]].concat()),
            section(9, &[1, 0, 0x41, place, 0x0b, 1, 0]),
            section(10, &[vec![count], code].concat()),
        ];
        [&HEAD[..], &TYPES, &sections.concat()].concat()
    }

    /// The functions of a module, without their ends.
    fn functions(module: &[u8]) -> Vec<Vec<u8>> {
        let mut bodies = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::CodeSectionEntry(body) = payload.unwrap() {
                bodies.push(body.as_bytes().to_vec());
            }
        }
        bodies.iter().map(|body| body[1..body.len() - 1].to_vec()).collect()
    }

    #[test]
    fn a_call_of_another_module_is_direct() {
        let shim = |place: u8| [0x41, place, 0x11, 0, 0];
        let call = |function: u8| [0x10, function];
        // Each calls the other one's first function, and one that is in neither.
        let first = with_functions(1, &[&[call(1), call(2)].concat(), &shim(2), &shim(9)]);
        let second = with_functions(2, &[&[call(1), call(2)].concat(), &shim(1), &shim(9)]);
        let module = merged(&[&first, &second]).unwrap();
        wasmparser::validate(&module).unwrap();
        let inlined = shim(9).to_vec();
        assert_eq!(
            functions(&module),
            [[call(1).to_vec(), inlined.clone()].concat(), [call(0).to_vec(), inlined].concat()]
        );
    }

    #[test]
    fn a_frequently_called_slot_has_one_shim() {
        let shim: &[u8] = &[0x41, 9, 0x11, 0, 0];
        let call = |function: u8, times: usize| [0x10, function].repeat(times);
        let first = with_functions(1, &[&call(1, MAX_INLINED), shim]);
        let second = with_functions(2, &[&call(1, 1), shim]);
        let module = merged(&[&first, &second]).unwrap();
        wasmparser::validate(&module).unwrap();
        assert_eq!(functions(&module), [call(1, MAX_INLINED), shim.to_vec(), call(1, 1)]);
    }

    #[test]
    fn a_global_with_different_indices_is_merged() {
        const OTHER: [u8; 7] = [1, b'm', 1, b'o', 3, 0x7f, 1];
        let section = |kind: u8, body: &[u8]| [&[kind, u8::try_from(body.len()).unwrap()], body].concat();
        // Each has a function that reads a global and drops it.
        let reads = |imports: &[u8], global: u8| {
            let sections = [
                section(IMPORT_SECTION, imports),
                section(3, &[1, 0]),
                section(10, &[1, 5, 0, 0x23, global, 0x1a, 0x0b]),
            ];
            [&HEAD[..], &TYPES, &sections.concat()].concat()
        };
        let both = reads(&[&[2][..], &OTHER, &GLOBAL].concat(), 1);
        let one = reads(&[&[1][..], &GLOBAL].concat(), 0);
        let module = merged(&[&both, &one]).unwrap();
        wasmparser::validate(&module).unwrap();
        assert_eq!(functions(&module), [[0x23, 1, 0x1a], [0x23, 1, 0x1a]]);
    }

    #[test]
    fn a_shim_in_the_table_is_an_error() {
        let shim: &[u8] = &[0x41, 9, 0x11, 0, 0];
        assert!(merged(&[&with_functions(1, &[shim])]).is_err());
    }
}
