//! Never looks twice for an end that is not there: the time grows with the text, whatever the text is.
//!
//! Owns what stands within a block: words that are strong, emphasised, struck or code, and addresses.

/// How deep marks may stand in each other.
const DEPTH: usize = 6;

/// A piece of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Code.
    Code(String),
    /// Strong.
    Strong(Vec<Inline>),
    /// Emphasised.
    Emphasis(Vec<Inline>),
    /// Struck out.
    Struck(Vec<Inline>),
    /// Words with an address. It is shown beside them, so that neither can pass for the other.
    Link {
        /// The words.
        words: Vec<Inline>,
        /// The address.
        address: String,
    },
    /// A new line.
    Break,
}

/// The pieces of a text.
pub(super) fn inlines(text: &str) -> Vec<Inline> {
    Scan { rest: text, before: None, words: String::new(), out: Vec::new(), missing: [false; MARKS.len()] }
        .run(DEPTH)
}

/// The marks that come in pairs, longest first.
const MARKS: [&str; 5] = ["**", "__", "~~", "*", "_"];

struct Scan<'t> {
    rest: &'t str,
    before: Option<char>,
    words: String,
    out: Vec<Inline>,
    /// For each mark, whether no end of it stands in the rest.
    missing: [bool; MARKS.len()],
}

impl<'t> Scan<'t> {
    fn run(mut self, depth: usize) -> Vec<Inline> {
        while let Some(first) = self.rest.chars().next() {
            let took = match first {
                '\\' => self.escaped(),
                '`' => self.code(),
                '\n' => self.end_line(),
                '*' | '_' | '~' if depth > 0 => self.marked(depth - 1),
                '[' if depth > 0 => self.link(depth - 1),
                _ => None,
            };
            if took.is_none() {
                self.word(first);
            }
        }
        self.flush();
        self.out
    }

    /// Takes a character as it is.
    fn word(&mut self, c: char) {
        self.words.push(c);
        self.skip(c.len_utf8());
    }

    fn skip(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.before = taken.chars().next_back().or(self.before);
        self.rest = rest;
    }

    fn flush(&mut self) {
        if !self.words.is_empty() {
            self.out.push(Inline::Text(std::mem::take(&mut self.words)));
        }
    }

    fn push(&mut self, piece: Inline, bytes: usize) -> Option<()> {
        self.flush();
        self.out.push(piece);
        self.skip(bytes);
        Some(())
    }

    fn escaped(&mut self) -> Option<()> {
        let next = self.rest.chars().nth(1).filter(char::is_ascii_punctuation)?;
        self.words.push(next);
        self.skip(1 + next.len_utf8());
        Some(())
    }

    fn end_line(&mut self) -> Option<()> {
        let kept = self.words.trim_end().len();
        self.words.truncate(kept);
        self.push(Inline::Break, 1)
    }

    fn code(&mut self) -> Option<()> {
        let after = self.rest.trim_start_matches('`');
        let length = self.rest.len() - after.len();
        let mark = self.rest.get(..length)?;
        let Some(end) = end_of_code(after, length) else {
            self.words.push_str(mark);
            self.skip(length);
            return Some(());
        };
        let code = after.get(..end)?.replace('\n', " ");
        let bare = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
        let code = bare.filter(|code| !code.trim().is_empty()).map_or(code.clone(), str::to_owned);
        self.push(Inline::Code(code), end + 2 * length)
    }

    fn marked(&mut self, depth: usize) -> Option<()> {
        let (kind, mark) = MARKS.iter().enumerate().find(|(_, mark)| self.rest.starts_with(**mark))?;
        let inner = self.rest.get(mark.len()..)?;
        let in_word = mark.starts_with('_') && self.before.is_some_and(char::is_alphanumeric);
        if in_word || inner.starts_with(char::is_whitespace) || self.missing.get(kind).copied()? {
            return None;
        }
        let Some(end) = closing(inner, mark) else {
            if let Some(missing) = self.missing.get_mut(kind) {
                *missing = true;
            }
            return None;
        };
        let words = Self {
            rest: inner.get(..end)?,
            before: None,
            words: String::new(),
            out: Vec::new(),
            missing: [false; MARKS.len()],
        };
        let words = words.run(depth);
        let piece = match *mark {
            "**" | "__" => Inline::Strong(words),
            "~~" => Inline::Struck(words),
            _ => Inline::Emphasis(words),
        };
        self.push(piece, end + 2 * mark.len())
    }

    /// `[words](address)`; a picture, which has a `!` before it, is never loaded and reads as a link does.
    fn link(&mut self, depth: usize) -> Option<()> {
        let words = up_to(self.rest.get(1..)?, "](").filter(|words| !words.contains('['))?;
        let address = up_to(self.rest.get(words.len() + 3..)?, ")")?;
        let length = words.len() + address.len() + 4;
        // A title may follow the address.
        let address = address.split_whitespace().next()?.to_owned();
        let inner = Self {
            rest: words,
            before: None,
            words: String::new(),
            out: Vec::new(),
            missing: [false; MARKS.len()],
        };
        if self.words.ends_with('!') {
            self.words.pop();
        }
        let words = inner.run(depth);
        self.push(Inline::Link { words, address }, length)
    }
}

/// Where code ends that a run of `length` marks began: only a run of exactly as many ends it.
fn end_of_code(after: &str, length: usize) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + after.get(from..)?.find('`')?;
        let run = after.get(at..)?;
        let run = run.len() - run.trim_start_matches('`').len();
        if run == length {
            return Some(at);
        }
        from = at + run;
    }
}

/// The text up to `mark`, if that stands on the same line and not too far away.
fn up_to<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    const FAR: usize = 2_000;
    let near = text.get(..text.floor_char_boundary(FAR)).unwrap_or(text);
    near.split_once(mark).map(|(before, _)| before).filter(|before| !before.contains('\n'))
}

/// Where the words end that `mark` began: at the next such mark that stands right behind a word.
fn closing(inner: &str, mark: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + inner.get(from..)?.find(mark)?;
        let (before, behind) = (inner.get(..at)?, inner.get(at + mark.len()..)?);
        let sticks = before.chars().next_back().is_some_and(|c| !c.is_whitespace());
        // A single mark is not half of a double one, and an underscore within a word is a part of it.
        let first = mark.chars().next()?;
        let is_half = mark.len() == 1 && (behind.starts_with(first) || before.ends_with(first));
        let in_word = first == '_' && behind.starts_with(char::is_alphanumeric);
        if sticks && !is_half && !in_word {
            return Some(at);
        }
        let run = inner.get(at..)?;
        from = at + (run.len() - run.trim_start_matches(first).len()).max(mark.len());
    }
}
