//! Converts the common part of TeX math to MathML.
//!
//! Never runs macros; a formula that is not understood is shown as source.

mod symbols;

use crate::limits::MATHS_BYTES;
use crate::markdown::page::{Attribute, Element, Node, Tag};
use crate::math::symbols::{ends_row, styled, tokens};
use crate::vec_map::value_in;

const DEPTH: usize = 48;

/// A formula as a `math` element; as text in a `code` element if it is too long or too deep.
pub fn set(tex: &str, display: bool) -> Node {
    let rows = (tex.len() <= MATHS_BYTES).then(|| {
        let mut setter = MathParser { tokens: tokens(tex), at: 0, depth: 0, too_deep: false };
        let mut row = Vec::new();
        // An unmatched closing token is shown, so that every token is taken.
        loop {
            row.extend(setter.row(""));
            match setter.take() {
                Some(token) => row.push(sign(token)),
                None => break,
            }
        }
        (row, setter.too_deep)
    });
    match rows {
        Some((row, false)) => {
            let kind = if display { "block" } else { "inline" };
            Element::new(Tag::Math).with(Attribute::Display, kind).with_children([group(row)]).into()
        }
        Some((_, true)) | None => Element::of(Tag::Code, "prose-tex").with_text(tex).into(),
    }
}

struct MathParser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    depth: usize,
    too_deep: bool,
}

impl<'t> MathParser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self) -> Option<&'t str> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    fn take_if(&mut self, wanted: &str) -> bool {
        let is_it = self.peek() == Some(wanted);
        self.at += usize::from(is_it);
        is_it
    }

    fn spaces(&mut self) {
        while self.take_if(" ") {}
    }

    /// True if groups are nested too deep. The rest of the formula is then skipped.
    fn is_too_deep(&mut self) -> bool {
        let deep = self.depth >= DEPTH;
        if deep {
            self.too_deep = true;
            self.at = self.tokens.len();
        }
        deep
    }

    /// The nodes up to `close` or the end of a group, cell or pair of delimiters; that token stays.
    fn row(&mut self, close: &str) -> Vec<Node> {
        let mut row = Vec::new();
        if self.is_too_deep() {
            return row;
        }
        self.depth += 1;
        while self.peek().is_some_and(|token| token != close && !ends_row(token)) {
            if !self.take_if(" ") {
                row.extend(self.scripted());
            }
        }
        self.depth -= 1;
        row
    }

    /// A node with its superscript and subscript.
    fn scripted(&mut self) -> Option<Node> {
        let before = self.at;
        // Scripts may have no base.
        let at_nothing = matches!(self.peek()?, "^" | "_" | "'");
        let base = if at_nothing { Some(group(Vec::new())) } else { self.piece() };
        let (mut below, mut above, mut primes) = (None, None, String::new());
        let mut limits = base.as_ref().is_some_and(takes_limits);
        loop {
            self.spaces();
            match self.peek() {
                Some("_") if below.is_none() => {
                    self.at += 1;
                    below = Some(self.argument());
                }
                Some("^") if above.is_none() => {
                    self.at += 1;
                    above = Some(self.argument());
                }
                Some("'") => {
                    self.at += 1;
                    primes.push('′');
                }
                Some("\\limits") => (self.at, limits) = (self.at + 1, true),
                Some("\\nolimits") => (self.at, limits) = (self.at + 1, false),
                _ => break,
            }
        }
        if !primes.is_empty() {
            let primes = sign(&primes);
            above = Some(match above {
                Some(above) => group(vec![primes, above]),
                None => primes,
            });
        }
        if self.at == before {
            self.at += 1;
        }
        let base = base?;
        let (tag, scripts) = match (below, above, limits) {
            (None, None, _) => return Some(base),
            (Some(below), None, false) => (Tag::MathSub, vec![below]),
            (None, Some(above), false) => (Tag::MathSup, vec![above]),
            (Some(below), Some(above), false) => (Tag::MathSubSup, vec![below, above]),
            (Some(below), None, true) => (Tag::MathUnder, vec![below]),
            (None, Some(above), true) => (Tag::MathOver, vec![above]),
            (Some(below), Some(above), true) => (Tag::MathUnderOver, vec![below, above]),
        };
        Some(Element::new(tag).with_children([base]).with_children(scripts).into())
    }

    /// One node: a symbol, a number, a group, or the result of a command.
    fn piece(&mut self) -> Option<Node> {
        let token = self.take()?;
        if let Some(name) = token.strip_prefix('\\').filter(|name| !matches!(*name, "" | "\\")) {
            return self.command(name);
        }
        Some(match token {
            "{" => {
                let row = self.row("}");
                self.take_if("}");
                group(row)
            }
            " " => return None,
            "-" => sign("−"),
            "*" => sign("∗"),
            "(" | ")" | "[" | "]" | "|" | "/" => still(token),
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => leaf(Tag::MathNumber, token),
            _ if token.starts_with(char::is_alphabetic) => leaf(Tag::MathName, token),
            _ => sign(token),
        })
    }

    /// The argument of a command or script: a group, or the next piece.
    fn argument(&mut self) -> Node {
        self.spaces();
        self.is_too_deep();
        self.depth += 1;
        let node = match self.peek() {
            None | Some("}" | "&" | "\\\\") => None,
            Some(_) => self.piece(),
        };
        self.depth -= 1;
        node.unwrap_or_else(|| group(Vec::new()))
    }

    /// The argument in square brackets, if there is one.
    fn option(&mut self) -> Option<Vec<Node>> {
        self.spaces();
        if !self.take_if("[") {
            return None;
        }
        let row = self.row("]");
        self.take_if("]");
        Some(row)
    }

    fn words(&mut self) -> String {
        self.spaces();
        if !self.take_if("{") {
            return self.take().unwrap_or_default().to_owned();
        }
        let (mut words, mut depth) = (String::new(), 0usize);
        while let Some(token) = self.take() {
            match token {
                "}" if depth == 0 => break,
                "}" => depth -= 1,
                "{" => depth += 1,
                "\\$" | "\\%" | "\\&" | "\\#" | "\\_" | "\\{" | "\\}" | "\\ " => {
                    words.push_str(token.trim_start_matches('\\'))
                }
                _ => words.push_str(token),
            }
        }
        words
    }

    fn command(&mut self, name: &'t str) -> Option<Node> {
        if let Some(symbol) = symbol(name) {
            return Some(symbol);
        }
        match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                let (above, below) = (self.argument(), self.argument());
                Some(Element::new(Tag::MathFraction).with_children([above, below]).into())
            }
            "binom" | "dbinom" | "tbinom" => {
                let (above, below) = (self.argument(), self.argument());
                let pair = Element::new(Tag::MathFraction).with(Attribute::LineThickness, "0");
                Some(group(vec![fence("("), pair.with_children([above, below]).into(), fence(")")]))
            }
            "sqrt" => {
                let of = self.option();
                let under = self.argument();
                Some(match of {
                    Some(of) => Element::new(Tag::MathRootOf).with_children([under, group(of)]).into(),
                    None => Element::new(Tag::MathRoot).with_children([under]).into(),
                })
            }
            "text" | "textrm" | "textnormal" | "mbox" | "textbf" | "textit" | "texttt" | "textsf" => {
                // A space at the end of a text would be invisible.
                let words = self.words().replace(' ', "\u{a0}");
                Some(leaf(Tag::MathText, words))
            }
            "operatorname" | "mathrm" | "mathop" | "operatorname*" => {
                let words = self.words();
                self.take_if("*");
                Some(upright(&words))
            }
            "mathbb" | "mathbf" | "mathcal" | "mathscr" | "mathfrak" | "mathsf" | "mathtt" | "boldsymbol"
            | "bm" => {
                let argument = self.argument();
                Some(restyled(argument, name))
            }
            "mathit" | "mathnormal" | "displaystyle" | "textstyle" | "scriptstyle" | "mathord"
            | "mathrel" | "mathbin" | "ensuremath" | "nonumber" | "notag" => None,
            "label" => {
                self.words();
                None
            }
            "tag" => {
                let words = self.words();
                Some(leaf(Tag::MathText, format!("\u{2003}({words})")))
            }
            "pmod" => {
                let of = self.argument();
                Some(group(vec![leaf(Tag::MathText, "\u{a0}(mod\u{a0}"), of, leaf(Tag::MathText, ")")]))
            }
            "bmod" | "mod" => Some(leaf(Tag::MathText, "\u{a0}mod\u{a0}")),
            "not" => {
                let of = self.argument();
                Some(sign(&format!("{}\u{338}", of.words())))
            }
            "overset" | "stackrel" | "underset" => {
                let (mark, base) = (self.argument(), self.argument());
                let tag = if name == "underset" { Tag::MathUnder } else { Tag::MathOver };
                Some(Element::new(tag).with_children([base, mark]).into())
            }
            "left" => Some(self.fenced()),
            "begin" => self.environment(),
            "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr" | "biggl" | "biggr"
            | "Biggl" | "Biggr" | "bigm" | "Bigm" | "middle" => Some(fence(&self.delimiter())),
            "{" | "}" | "|" => Some(still(if name == "|" { "‖" } else { name })),
            "$" | "%" | "&" | "#" | "_" => Some(sign(name)),
            _ => match symbols::accent(name) {
                Some((mark, above, stretchy)) => {
                    let base = self.argument();
                    let mark = Element::new(Tag::MathSign)
                        .with(Attribute::Stretchy, if stretchy { "true" } else { "false" })
                        .with_text(mark);
                    let tag = if above { Tag::MathOver } else { Tag::MathUnder };
                    let accented = Element::new(tag).with_children([base, mark.into()]);
                    Some(if above { accented.with(Attribute::Accent, "true") } else { accented }.into())
                }
                None => Some(leaf(Tag::MathText, format!("\\{name}"))),
            },
        }
    }

    /// The content between `\left` and `\right`.
    fn fenced(&mut self) -> Node {
        let open = self.delimiter();
        let inner = self.row("");
        let close = if self.take_if("\\right") { self.delimiter() } else { String::new() };
        between(&open, inner, &close)
    }

    /// The next delimiter; empty for the invisible one.
    fn delimiter(&mut self) -> String {
        self.spaces();
        match self.take() {
            Some(".") | None => String::new(),
            Some("<") => "⟨".to_owned(),
            Some(">") => "⟩".to_owned(),
            Some("\\|" | "\\Vert" | "\\lVert" | "\\rVert") => "‖".to_owned(),
            Some("\\{") => "{".to_owned(),
            Some("\\}") => "}".to_owned(),
            Some(token) => token.strip_prefix('\\').and_then(sign_of).unwrap_or(token).to_owned(),
        }
    }
}

type SymbolNode = fn(&'static str) -> Node;

/// The node of a symbol.
fn symbol(name: &str) -> Option<Node> {
    let limit =
        |text| Element::new(Tag::MathSign).with(Attribute::MovableLimits, "true").with_text(text).into();
    let space = |width| Element::new(Tag::MathSpace).with(Attribute::Width, width).into();
    let tables: [(&str, SymbolNode); 6] = [
        (symbols::LETTERS, |letter| leaf(Tag::MathName, letter)),
        (symbols::UPRIGHT, upright),
        (symbols::SIGNS, sign),
        (symbols::STILL, still),
        (symbols::LARGE, large),
        (symbols::SPACES, space),
    ];
    let found = tables.iter().find_map(|(table, node)| Some(node(value_in(table, name)?)));
    let word_in = |names: &'static str| names.split(' ').find(|known| *known == name);
    found
        .or_else(|| (name == " ").then(|| space("0.25em")))
        .or_else(|| word_in(symbols::FUNCTIONS).map(|name| leaf(Tag::MathName, name)))
        .or_else(|| word_in(symbols::LIMITS).map(limit))
}

/// The character of a sign, which may be a delimiter.
fn sign_of(name: &str) -> Option<&'static str> {
    value_in(symbols::SIGNS, name).or_else(|| value_in(symbols::STILL, name))
}

fn leaf(tag: Tag, text: impl ToString) -> Node {
    Element::new(tag).with_text(text.to_string()).into()
}

fn sign(text: &str) -> Node {
    leaf(Tag::MathSign, text)
}

fn upright(text: &str) -> Node {
    Element::new(Tag::MathName).with(Attribute::MathVariant, "normal").with_text(text).into()
}

/// An operator that does not stretch.
fn still(text: &str) -> Node {
    Element::new(Tag::MathSign).with(Attribute::Stretchy, "false").with_text(text).into()
}

fn fence(text: &str) -> Node {
    Element::new(Tag::MathSign)
        .with(Attribute::Fence, "true")
        .with(Attribute::Stretchy, "true")
        .with_text(text)
        .into()
}

/// Nodes between two delimiters, each of which may be invisible.
fn between(open: &str, inner: Vec<Node>, close: &str) -> Node {
    let shown = |sign: &str| (!sign.is_empty()).then(|| fence(sign));
    group(shown(open).into_iter().chain(inner).chain(shown(close)).collect())
}

/// A large operator with its limits below and above.
fn large(text: &str) -> Node {
    let limits = if matches!(text, "∫" | "∬" | "∭" | "∮") { "false" } else { "true" };
    Element::new(Tag::MathSign)
        .with(Attribute::LargeOperator, "true")
        .with(Attribute::MovableLimits, limits)
        .with_text(text)
        .into()
}

fn takes_limits(node: &Node) -> bool {
    let Node::Element(element) = node else { return false };
    element.value(Attribute::MovableLimits) == Some("true")
        || element.children.get(1).is_some_and(|mark| matches!(mark.words().as_str(), "⏞" | "⏟"))
}

/// Nodes as one: in a row, unless there is only one.
fn group(mut row: Vec<Node>) -> Node {
    match (row.len(), row.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            row.push(last);
            Element::new(Tag::MathRow).with_children(row).into()
        }
        (_, None) => Element::new(Tag::MathRow).into(),
    }
}

fn restyled(node: Node, alphabet: &str) -> Node {
    match node {
        Node::Text(text) => Node::Text(text.chars().map(|c| styled(c, alphabet)).collect()),
        Node::Element(mut element) => {
            let children = std::mem::take(&mut element.children);
            element.children = children.into_iter().map(|child| restyled(child, alphabet)).collect();
            if matches!(element.tag, Tag::MathName) && alphabet != "boldsymbol" && alphabet != "bm" {
                element.attributes = vec![(Attribute::MathVariant, "normal".into())];
            }
            Node::Element(element)
        }
    }
}

impl MathParser<'_> {
    /// The environment whose `\begin` was taken.
    fn environment(&mut self) -> Option<Node> {
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
            let row = self.row("");
            // Further columns continue as the last named ones.
            let align = cells.len() % aligns.len().max(1);
            let align = aligns.get(align).copied().unwrap_or("center").to_owned();
            cells.push(
                Element::new(Tag::MathTableCell).with(Attribute::Align, align).with_children(row).into(),
            );
            if self.take_if("\\\\") {
                self.skip_gap();
                table.children.push(row_of(&mut cells));
            } else if !self.take_if("&") {
                break;
            }
        }
        let is_empty = cells.iter().all(|cell| cell.words().is_empty());
        if !is_empty {
            table.children.push(row_of(&mut cells));
        }
        if self.take_if("\\end") {
            self.words();
        }
        Some(between(open, vec![table.into()], close))
    }

    /// Skips the optional gap of a line, such as `[4pt]`.
    fn skip_gap(&mut self) {
        let from = self.at;
        let is_length = self.take_if("[")
            && self.take().is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit()))
            && (0..3).any(|_| self.take() == Some("]"));
        if !is_length {
            self.at = from;
        }
    }
}

fn row_of(cells: &mut Vec<Node>) -> Node {
    Element::new(Tag::MathTableRow).with_children(std::mem::take(cells)).into()
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

#[cfg(test)]
mod tests;
