//! Never guesses columns: the row of dashes says how many there are.
//!
//! Owns tables.

use super::inline::{Inline, inlines};
use super::{Block, Lines};

/// The table that begins with the next line, if one does.
pub(super) fn table(lines: &mut Lines<'_>) -> Option<Block> {
    let head = lines.peek().filter(|line| line.contains('|'))?;
    let columns = lines.after().and_then(columns)?;
    let head = cells(head, columns);
    lines.take();
    lines.take();
    let rows = lines.take_while(|line| line.contains('|')).iter().map(|row| cells(row, columns)).collect();
    Some(Block::Table { head, rows })
}

/// How many columns the row of dashes below a head makes.
fn columns(line: &str) -> Option<usize> {
    let is_dashes = |cell: &str| {
        let cell = cell.trim();
        let bare = cell.strip_prefix(':').unwrap_or(cell);
        let bare = bare.strip_suffix(':').unwrap_or(bare);
        !bare.is_empty() && bare.chars().all(|c| c == '-')
    };
    let cells: Vec<_> = split(line).collect();
    (line.contains('|') && cells.iter().all(|cell| is_dashes(cell))).then_some(cells.len())
}

fn split(line: &str) -> impl Iterator<Item = &str> {
    let bare = line.trim();
    let bare = bare.strip_prefix('|').unwrap_or(bare);
    bare.strip_suffix('|').unwrap_or(bare).split('|')
}

fn cells(line: &str, columns: usize) -> Vec<Vec<Inline>> {
    let mut cells: Vec<_> = split(line).take(columns).map(|cell| inlines(cell.trim())).collect();
    cells.resize(columns, Vec::new());
    cells
}
