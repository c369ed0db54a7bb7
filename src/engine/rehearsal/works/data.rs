//! Never invents facts: cells that only the operator can know are left to fill in.
//!
//! Owns tables of comma-separated values, whose features are their columns.

use super::Files;
use crate::engine::rehearsal::words::strip_front;

/// Words that ask for a table.
pub(in crate::engine::rehearsal) const DATA_WORDS: &[&str] =
    &["csv", "dataset", "data set", "spreadsheet", "table of", "data table", "tsv"];

const ROWS: usize = 5;
const TO_FILL_IN: &str = "to fill in";

/// A table with numbered rows.
pub(super) fn draft() -> String {
    let rows: String = (1..=ROWS).map(|row| format!("{row}\n")).collect();
    format!("number\n{rows}")
}

/// `text` as a cell.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn column(feature: &str) -> String {
    cell(strip_front(feature, &["column", "columns", "for", "field", "named", "called"]))
}

/// Whether the first line of `table` names a column for `feature`.
pub(super) fn has_column(feature: &str, table: &str) -> bool {
    let column = column(feature);
    let header = table.lines().next().unwrap_or_default();
    header == column || header.ends_with(&format!(",{column}")) || header.contains(&format!(",{column},"))
}

/// Adds a column at the right.
pub(super) fn add_column(feature: &str, files: &mut Files) -> Option<String> {
    let (name, table) = files.iter().find(|(name, _)| name.ends_with(".csv"))?;
    let column = column(feature);
    let widened: String = table
        .lines()
        .enumerate()
        .map(|(row, line)| format!("{line},{}\n", if row == 0 { column.as_str() } else { TO_FILL_IN }))
        .collect();
    let name = name.clone();
    files.insert(name.clone(), widened);
    Some(format!("a column of {name}"))
}

/// Adds a row whose second cell is `entry`.
pub(in crate::engine::rehearsal) fn add_row(entry: &str, files: &mut Files) -> Option<String> {
    let (name, table) = files.iter().find(|(name, _)| name.ends_with(".csv"))?;
    let columns = table.lines().next().unwrap_or_default().split(',').count();
    let number = table.lines().count().max(1);
    let mut row = vec![number.to_string(), cell(entry)];
    row.resize(columns.max(2), TO_FILL_IN.to_owned());
    let table = format!("{}\n{}\n", table.trim_end(), row.join(","));
    let name = name.clone();
    files.insert(name, table);
    Some(format!("row {number}"))
}
