//! Tokeniser of TeX math.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MathToken<'t> {
    /// A backslash with a name, or with a character.
    Command(&'t str),
    Number(&'t str),
    Char(char),
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// `^`.
    Sup,
    /// `_`.
    Sub,
    /// `'`.
    Prime,
    /// `&`.
    Cell,
    /// `\\`.
    Line,
    Space,
}

impl MathToken<'_> {
    /// True if it ends a group, a cell, a row, or a pair of delimiters.
    pub(super) fn ends_row(&self) -> bool {
        matches!(self, Self::Close | Self::Cell | Self::Line | Self::Command("end" | "right"))
    }

    pub(super) fn written(&self) -> String {
        match self {
            Self::Command(name) => format!("\\{name}"),
            Self::Number(number) => (*number).to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Open => "{".to_owned(),
            Self::Close => "}".to_owned(),
            Self::Sup => "^".to_owned(),
            Self::Sub => "_".to_owned(),
            Self::Prime => "'".to_owned(),
            Self::Cell => "&".to_owned(),
            Self::Line => "\\\\".to_owned(),
            Self::Space => " ".to_owned(),
        }
    }
}

pub(super) fn tokens(tex: &str) -> Vec<MathToken<'_>> {
    let mut tokens = Vec::new();
    let mut rest = tex;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let (token, length) = match c {
            '\\' => command(after),
            '{' => (MathToken::Open, 1),
            '}' => (MathToken::Close, 1),
            '^' => (MathToken::Sup, 1),
            '_' => (MathToken::Sub, 1),
            '\'' => (MathToken::Prime, 1),
            '&' => (MathToken::Cell, 1),
            '~' => (MathToken::Command("nbsp"), 1),
            // A comment extends to the end of its line.
            '%' => (MathToken::Space, rest.find('\n').unwrap_or(rest.len())),
            c if c.is_whitespace() => (MathToken::Space, rest.len() - rest.trim_start().len()),
            c if c.is_ascii_digit() => {
                let length = number(rest);
                (rest.get(..length).map_or(MathToken::Space, MathToken::Number), length)
            }
            c => (MathToken::Char(c), c.len_utf8()),
        };
        tokens.push(token);
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    tokens
}

/// The command whose backslash comes before `after`, and its length with the backslash.
fn command(after: &str) -> (MathToken<'_>, usize) {
    let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
    let length = match letters {
        0 => after.chars().next().map_or(0, char::len_utf8),
        letters => letters,
    };
    match after.get(..length) {
        Some("\\") => (MathToken::Line, 2),
        Some(name) => (MathToken::Command(name), 1 + length),
        None => (MathToken::Char('\\'), 1),
    }
}

/// The length of the number at the start: digits, with points and commas between them.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while digit(end) || (bytes.get(end) == Some(&b'.') && digit(end + 1)) {
        end += 1;
    }
    end
}
