//! Finds import specifiers in a script: `import`, `export … from`, and `import()` with a string literal.
//!
//! Skips comments, strings, templates and regular expressions. Never parses or runs the script otherwise.

use std::ops::Range;

/// Words before a slash that begins a regular expression and not a division.
const BEFORE_REGEX: &str = "return typeof case in of delete void throw new do else yield await instanceof";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleSyntax {
    /// True if it can only be read as a module: it has `import` or `export` statements, or `import.meta`.
    pub is_module: bool,
    /// The ranges of its specifiers, without quotes, in order.
    pub specifiers: Vec<Range<usize>>,
}

/// Finds `import` and `export`.
pub fn module_syntax(script: &str) -> ModuleSyntax {
    // Most scripts import nothing, and are not scanned.
    if !script.contains("import") && !script.contains("export") {
        return ModuleSyntax::default();
    }
    let mut scan =
        ModuleScanner { text: script, at: 0, last: PreviousToken::Start, templates: Vec::new(), depth: 0 };
    let mut found = ModuleSyntax::default();
    while let Some(word) = scan.next_word() {
        if !matches!(word, "import" | "export") {
            continue;
        }
        scan.skip_blank();
        // Both words are reserved: elsewhere they only name a property, and `import(` is a call.
        let is_property = scan.byte(0) == Some(b':');
        found.is_module |= !is_property && (word == "export" || scan.byte(0) != Some(b'('));
        let named = if word == "import" { scan.import() } else { scan.export() };
        found.specifiers.extend(named);
    }
    found
}

/// The previous token, as far as it decides what a slash means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    Start,
    /// A word or a value: a slash after it divides.
    Value,
    /// A word before a value.
    Keyword,
    /// A dot: the next word is a member's name.
    Dot,
    /// Any other character: a value follows.
    Sign,
}

struct ModuleScanner<'t> {
    text: &'t str,
    at: usize,
    last: PreviousToken,
    /// The brace depth of each template that was left for an expression in it.
    templates: Vec<usize>,
    depth: usize,
}

impl<'t> ModuleScanner<'t> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The position after the next `what`, or the end.
    fn past(&self, from: usize, what: &str) -> usize {
        let found = self.text.get(from..).and_then(|rest| rest.find(what));
        found.map_or(self.text.len(), |at| from + at + what.len())
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'/', Some(b'/')) => self.at = self.past(self.at, "\n"),
                (b'/', Some(b'*')) => self.at = self.past(self.at + 2, "*/"),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips a quoted string. Returns its content, if it ends on its line.
    fn quoted(&mut self) -> Option<Range<usize>> {
        let quote = self.byte(0).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let begin = self.at + 1;
        self.at = begin;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' => return None,
                _ if byte == quote => {
                    let inner = begin..self.at;
                    self.at += 1;
                    return Some(inner);
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// Skips a template, up to its end or to an expression in it.
    fn template(&mut self) {
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'\\', _) => self.at += 2,
                (b'`', _) => {
                    self.at += 1;
                    self.last = PreviousToken::Value;
                    return;
                }
                (b'$', Some(b'{')) => {
                    self.at += 2;
                    self.templates.push(self.depth);
                    self.last = PreviousToken::Sign;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Skips a regular expression; an unended one ends with its line.
    fn regex(&mut self) {
        self.at += 1;
        let mut in_class = false;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                b'\n' => return,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        self.last = PreviousToken::Value;
    }

    fn word(&mut self) -> Option<&'t str> {
        let begin = self.at;
        while self.byte(0).is_some_and(is_of_word) {
            self.at += 1;
        }
        self.text.get(begin..self.at).filter(|word| !word.is_empty())
    }

    /// The next word of the script itself that is no member's name.
    fn next_word(&mut self) -> Option<&'t str> {
        loop {
            self.skip_blank();
            let byte = self.byte(0)?;
            if is_of_word(byte) {
                let word = self.word()?;
                let is_member = self.last == PreviousToken::Dot;
                let is_keyword = !is_member && BEFORE_REGEX.split(' ').any(|known| known == word);
                self.last = if is_keyword { PreviousToken::Keyword } else { PreviousToken::Value };
                if !is_member {
                    return Some(word);
                }
                continue;
            }
            match byte {
                b'"' | b'\'' => {
                    self.quoted();
                    self.last = PreviousToken::Value;
                    continue;
                }
                b'`' => {
                    self.at += 1;
                    self.template();
                    continue;
                }
                b'/' if matches!(
                    self.last,
                    PreviousToken::Start | PreviousToken::Keyword | PreviousToken::Sign
                ) =>
                {
                    self.regex();
                    continue;
                }
                b'{' => self.depth += 1,
                b'}' if self.templates.last() == Some(&self.depth) => {
                    self.templates.pop();
                    self.at += 1;
                    self.template();
                    continue;
                }
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.last = match byte {
                // Three dots spread what follows: no member access.
                b'.' if self.byte(1) == Some(b'.') => PreviousToken::Sign,
                b'.' if self.last == PreviousToken::Sign => PreviousToken::Sign,
                b'.' => PreviousToken::Dot,
                b')' | b']' => PreviousToken::Value,
                _ => PreviousToken::Sign,
            };
            self.at += 1;
        }
    }

    /// The specifier of an `import`, from after the word on.
    fn import(&mut self) -> Option<Range<usize>> {
        self.skip_blank();
        match self.byte(0)? {
            b'"' | b'\'' => self.named(),
            b'(' => {
                self.at += 1;
                self.last = PreviousToken::Sign;
                self.skip_blank();
                let named = self.named()?;
                self.skip_blank();
                // A sum of strings has no known value.
                matches!(self.byte(0), Some(b')' | b',')).then_some(named)
            }
            b'{' | b'*' => self.from(),
            byte if is_of_word(byte) => self.from(),
            _ => None,
        }
    }

    fn export(&mut self) -> Option<Range<usize>> {
        self.skip_blank();
        matches!(self.byte(0)?, b'{' | b'*').then(|| self.from())?
    }

    fn named(&mut self) -> Option<Range<usize>> {
        self.last = PreviousToken::Value;
        self.quoted()
    }

    /// The specifier after the `from` of a list of names. Without one, the scan continues where the list ended.
    fn from(&mut self) -> Option<Range<usize>> {
        self.last = PreviousToken::Sign;
        let mut is_closed = false;
        loop {
            self.skip_blank();
            let (byte, begin) = (self.byte(0)?, self.at);
            if is_of_word(byte) {
                let word = self.word()?;
                if is_closed && word != "from" {
                    // The list was the whole statement.
                    self.at = begin;
                    return None;
                }
                self.last = PreviousToken::Value;
                self.skip_blank();
                if word == "from" && matches!(self.byte(0), Some(b'"' | b'\'')) {
                    return self.named();
                }
                continue;
            }
            match byte {
                // A name may be quoted.
                b'"' | b'\'' => {
                    self.quoted()?;
                }
                b'{' | b'}' | b',' | b'*' => {
                    is_closed = byte == b'}';
                    self.at += 1;
                }
                _ => return None,
            }
        }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

#[cfg(test)]
mod tests;
