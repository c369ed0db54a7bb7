//! Reference graph of the linked program, to find what keeps code in the first load.
//!
//! The linker's relocations are the edges. An item's retained size is that of the items it dominates on all paths
//! from the start. Calls of lazy parts are no edges: code that only parts need is not in the first program.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use wasmparser::{
    Data, Export, ExternalKind, KnownCustom, Linking, Parser, Payload, RelocationEntry, RelocationType,
    SymbolInfo, TypeRef,
};

/// Name of all data items.
const DATA: &str = "(data)";
/// Exports of lazy parts, and those that wasm-bindgen removes after it has read them.
const NOT_ROOTS: [&str; 2] = ["__wasm_split", "__wbindgen_describe"];
const DESCRIBE_SUFFIX: &str = "::describe";

/// A function, or a piece of data such as a vtable.
#[derive(Debug, Default)]
struct Item {
    name: String,
    bytes: usize,
}

/// References between the items of a module.
pub(super) struct Graph {
    items: DiGraph<Item, ()>,
    start: NodeIndex,
    /// Size of all data in bytes.
    pub(super) data: usize,
}

impl Graph {
    /// The functions of the whole program with their sizes in bytes.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&str, usize)> {
        let items = self.items.node_weights().filter(|item| item.name != DATA && item.bytes > 0);
        items.map(|item| (item.name.as_str(), item.bytes))
    }

    /// Items that retain at least `least` bytes, each below its dominator: depth, name, and retained bytes.
    pub(super) fn retained(&self, least: usize) -> Vec<(usize, String, usize)> {
        let dominators = simple_fast(&self.items, self.start);
        let mut below: BTreeMap<NodeIndex, Vec<NodeIndex>> = BTreeMap::new();
        for item in self.items.node_indices() {
            if let Some(dominator) = dominators.immediate_dominator(item) {
                below.entry(dominator).or_default().push(item);
            }
        }
        let mut found = Vec::new();
        list(&self.items, &below, self.start, 0, least, &mut found);
        found
    }
}

/// Lists the items that `item` dominates, largest first, and returns its retained bytes.
fn list(
    items: &DiGraph<Item, ()>,
    below: &BTreeMap<NodeIndex, Vec<NodeIndex>>,
    item: NodeIndex,
    depth: usize,
    least: usize,
    found: &mut Vec<(usize, String, usize)>,
) -> usize {
    let own = items.node_weight(item).map_or(0, |item| item.bytes);
    let mut parts = Vec::new();
    for part in below.get(&item).into_iter().flatten() {
        let mut listed = Vec::new();
        let bytes = list(items, below, *part, depth + 1, least, &mut listed);
        parts.push((bytes, listed));
    }
    parts.sort_by_key(|(bytes, _)| Reverse(*bytes));
    let bytes = own + parts.iter().map(|(bytes, _)| bytes).sum::<usize>();
    if bytes >= least {
        let name = items.node_weight(item).map(|item| item.name.clone()).unwrap_or_default();
        found.push((depth, name, bytes));
        found.extend(parts.into_iter().flat_map(|(_, listed)| listed));
    }
    bytes
}

/// The functions, data and symbols of a module. Offsets are from the start of the module.
#[derive(Default)]
struct Sections<'m> {
    imported: usize,
    /// Range of each function's body.
    bodies: Vec<Range<u64>>,
    /// Offset of each data segment's content.
    segments: Vec<u64>,
    data: usize,
    exports: Vec<Export<'m>>,
    symbols: Vec<SymbolInfo<'m>>,
    /// Relocations with their offsets.
    relocations: Vec<(u64, RelocationEntry)>,
}

impl<'m> Sections<'m> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other sections name nothing")]
    fn read(module: &'m [u8]) -> wasmparser::Result<Self> {
        let (mut read, mut begins) = (Self::default(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            if let Some((_, section)) = payload.as_section() {
                begins.push(section.start);
            }
            match payload {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        read.imported += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::ExportSection(exports) => {
                    read.exports = exports.into_iter().collect::<wasmparser::Result<_>>()?;
                }
                Payload::CodeSectionEntry(body) => read.bodies.push(body.range()),
                Payload::DataSection(segments) => {
                    for segment in segments {
                        let Data { range, data, .. } = segment?;
                        read.data += data.len();
                        read.segments
                            .push(range.end.saturating_sub(u64::try_from(data.len()).unwrap_or_default()));
                    }
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            if let Linking::SymbolTable(table) = part? {
                                read.symbols = table.into_iter().collect::<wasmparser::Result<_>>()?;
                            }
                        }
                    }
                    KnownCustom::Reloc(list) => {
                        let begin = begins.get(place(list.section_index())).copied().unwrap_or_default();
                        for entry in list.entries() {
                            let entry = entry?;
                            read.relocations.push((begin + u64::from(entry.offset), entry));
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(read)
    }
}

/// Builds the graph of a module that the linker left its relocations in.
pub(super) fn graph(module: &[u8]) -> wasmparser::Result<Graph> {
    let Sections { imported, bodies, segments, data, exports, symbols, relocations } =
        Sections::read(module)?;
    let mut items = DiGraph::new();
    let start = items.add_node(Item { name: "the first program".to_owned(), bytes: 0 });
    let sizes = std::iter::repeat_n(0, imported).chain(bodies.iter().map(length));
    let functions: Vec<NodeIndex> =
        sizes.map(|bytes| items.add_node(Item { name: String::new(), bytes })).collect();
    // By offset. Symbols for the same data count as one.
    let mut pieces: BTreeMap<u64, (Range<u64>, NodeIndex)> = BTreeMap::new();
    let mut targets = Vec::new();
    for symbol in &symbols {
        targets.push(match symbol {
            SymbolInfo::Func { index, name: Some(name), .. } => {
                let function = functions.get(place(*index)).copied();
                if let Some(item) = function.and_then(|function| items.node_weight_mut(function)) {
                    item.name = format!("{:#}", rustc_demangle::demangle(name));
                }
                function
            }
            SymbolInfo::Data { symbol: Some(piece), .. } => {
                let from =
                    segments.get(place(piece.index)).copied().unwrap_or_default() + u64::from(piece.offset);
                let new = || (from..from, items.add_node(Item { name: DATA.to_owned(), bytes: 0 }));
                let (range, node) = pieces.entry(from).or_insert_with(new);
                range.end = range.end.max(from + u64::from(piece.size));
                if let Some(item) = items.node_weight_mut(*node) {
                    item.bytes = length(range);
                }
                Some(*node)
            }
            SymbolInfo::Func { .. }
            | SymbolInfo::Data { .. }
            | SymbolInfo::Global { .. }
            | SymbolInfo::Section { .. }
            | SymbolInfo::Event { .. }
            | SymbolInfo::Table { .. } => None,
        });
    }
    let user_at = |offset: u64| {
        let function = bodies.partition_point(|body| body.end <= offset);
        let piece = pieces.range(..=offset).next_back().filter(|(_, (range, _))| range.contains(&offset));
        match bodies.get(function).filter(|body| body.contains(&offset)) {
            Some(_) => functions.get(imported + function).copied(),
            None => piece.map(|(_, (_, node))| *node),
        }
    };
    for (offset, entry) in relocations {
        // Types have no symbols.
        let used = targets.get(place(entry.index)).copied().flatten();
        let used = used.filter(|_| entry.ty != RelocationType::TypeIndexLeb);
        let is_kept =
            |node| items.node_weight(node).is_some_and(|item: &Item| !item.name.ends_with(DESCRIBE_SUFFIX));
        if let (Some(user), Some(used)) = (user_at(offset), used)
            && is_kept(used)
        {
            items.update_edge(user, used, ());
        }
    }
    for export in exports.iter().filter(|export| export.kind == ExternalKind::Func) {
        let is_root = !NOT_ROOTS.iter().any(|no| export.name.starts_with(no));
        if let Some(function) = functions.get(place(export.index)).filter(|_| is_root) {
            items.update_edge(start, *function, ());
        }
    }
    Ok(Graph { items, start, data })
}

fn place(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn length(range: &Range<u64>) -> usize {
    usize::try_from(range.end.saturating_sub(range.start)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, CustomSection, ExportKind, ExportSection, Function, FunctionSection, LinkingSection,
        Module, SymbolTable, TypeSection,
    };

    use super::*;

    /// `a` calls `b`, `b` calls `c`, `c` is longer and calls nothing, `d` calls `c`.
    fn module() -> Vec<u8> {
        let (mut types, mut functions, mut exports) =
            (TypeSection::new(), FunctionSection::new(), ExportSection::new());
        types.ty().function([], []);
        exports.export("main", ExportKind::Func, 0).export("__wasm_split_load", ExportKind::Func, 3);
        let (mut code, mut symbols) = (CodeSection::new(), SymbolTable::new());
        for (at, called) in [Some(1), Some(2), None, Some(2)].into_iter().enumerate() {
            functions.function(0);
            let mut function = Function::new([]);
            match called {
                Some(called) => function.instructions().call(called).end(),
                None => function.instructions().nop().nop().nop().end(),
            };
            code.function(&function);
            symbols.function(0, u32::try_from(at).unwrap(), ["a", "b", "c", "d"].get(at).copied());
        }
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&exports).section(&code);
        module.section(LinkingSection::new().symbol_table(&symbols));
        // Three calls in the fourth section: each with its offset and the called symbol.
        let calls = [3, 3, 0, 4, 1, 0, 9, 2, 0, 20, 2];
        module.section(&CustomSection { name: "reloc.CODE".into(), data: calls.as_slice().into() });
        module.finish()
    }

    #[test]
    fn a_function_retains_what_it_dominates() {
        let graph = graph(&module()).unwrap();
        let retained = graph.retained(1);
        let rows: Vec<_> =
            retained.iter().map(|(depth, name, bytes)| (*depth, name.as_str(), *bytes)).collect();
        assert_eq!(rows, [(0, "the first program", 13), (1, "a", 13), (2, "b", 9), (3, "c", 5)]);
        let functions: Vec<_> = graph.functions().collect();
        assert_eq!((functions, graph.data), (vec![("a", 4), ("b", 4), ("c", 5), ("d", 4)], 0));
    }
}
