//! TeX environments between `\begin` and `\end`: matrices, cases and aligned lines.

use crate::markdown::page::{Attribute, Element, Node, Tag};
use crate::math::token::MathToken;
use crate::math::{MathParser, fence, group, leaf};

impl MathParser<'_> {
    /// The environment whose `\begin` was taken.
    pub(super) fn environment(&mut self) -> Option<Node> {
        let name = self.words();
        let bare = name.trim_end_matches('*').to_owned();
        let (open, close, align) = match bare.as_str() {
            "matrix" | "smallmatrix" => ("", "", "center"),
            "pmatrix" => ("(", ")", "center"),
            "bmatrix" => ("[", "]", "center"),
            "Bmatrix" => ("{", "}", "center"),
            "vmatrix" => ("|", "|", "center"),
            "Vmatrix" => ("‖", "‖", "center"),
            "cases" | "dcases" => ("{", "", "left"),
            "rcases" => ("", "}", "left"),
            "aligned" | "align" | "split" | "alignat" | "eqnarray" => ("", "", "right left"),
            "array" => ("", "", "center"),
            "gathered" | "gather" | "equation" | "multline" | "displaymath" => ("", "", "center"),
            _ => return Some(leaf(Tag::MathText, format!("\\begin{{{name}}}"))),
        };
        let align = match bare.as_str() {
            "array" | "alignat" => columns(&self.words()).unwrap_or_else(|| align.to_owned()),
            _ => align.to_owned(),
        };
        let aligns: Vec<&str> = align.split(' ').collect();
        let mut table = Element::new(Tag::MathTable);
        if open.is_empty() && close.is_empty() {
            table = table.with(Attribute::DisplayStyle, "true");
        }
        let mut cells: Vec<Node> = Vec::new();
        loop {
            let row = self.row();
            // Columns beyond those that are named go on as the named ones do.
            let align = cells.len() % aligns.len().max(1);
            let align = aligns.get(align).copied().unwrap_or("center").to_owned();
            cells.push(Element::new(Tag::MathTableCell).with(Attribute::Align, align).holding(row).into());
            match self.peek() {
                Some(MathToken::Cell) => self.at += 1,
                Some(MathToken::Line) => {
                    self.at += 1;
                    self.skip_gap();
                    table.children.push(row_of(&mut cells));
                }
                Some(_) | None => break,
            }
        }
        let is_empty = cells.iter().all(|cell| cell.words().is_empty());
        if !is_empty {
            table.children.push(row_of(&mut cells));
        }
        if self.take_if(MathToken::Command("end")) {
            self.words();
        }
        let mut row = Vec::with_capacity(3);
        row.extend((!open.is_empty()).then(|| fence(open)));
        row.push(table.into());
        row.extend((!close.is_empty()).then(|| fence(close)));
        Some(group(row))
    }

    /// The gap that a line may ask for, such as `[4pt]`.
    fn skip_gap(&mut self) {
        let from = self.at;
        let is_length = self.take_if(MathToken::Char('['))
            && matches!(self.take(), Some(MathToken::Number(_)))
            && (0..3).any(|_| matches!(self.take(), Some(MathToken::Char(']'))));
        if !is_length {
            self.at = from;
        }
    }
}

fn row_of(cells: &mut Vec<Node>) -> Node {
    Element::new(Tag::MathTableRow).holding(std::mem::take(cells)).into()
}

/// The columns of an array, such as `c|rl`.
fn columns(written: &str) -> Option<String> {
    let columns: Vec<_> = written
        .chars()
        .filter_map(|c| match c {
            'l' => Some("left"),
            'c' => Some("center"),
            'r' => Some("right"),
            _ => None,
        })
        .collect();
    (!columns.is_empty()).then(|| columns.join(" "))
}
