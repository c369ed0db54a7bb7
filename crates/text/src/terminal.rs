//! A terminal's screen: interprets the output of programs and keeps the visible lines and the scrollback.
//!
//! Supports what `xterm-256color` promises and tmux uses: cursor movement, editing, scroll regions, the alternate
//! screen, colours, titles and line drawing. The alternate screen has scrollback, too, since tmux draws there.

mod screen;
#[cfg(test)]
mod terminal_tests;

pub use screen::Screen;
pub use style::{Color, Span, Style};

/// The number of columns of a character.
pub fn width(letter: char) -> usize {
    match u32::from(letter) {
        0x0300..=0x036f | 0x0483..=0x0489 | 0x0591..=0x05bd | 0x0610..=0x061a | 0x064b..=0x065f => 0,
        0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f | 0xfeff => 0,
        0x1f3fb..=0x1f3ff | 0xe0100..=0xe01ef => 0,
        0x1100..=0x115f | 0x231a..=0x231b | 0x23e9..=0x23ec | 0x2614..=0x2615 | 0x26a1 => 2,
        0x2705 | 0x270a..=0x270b | 0x2728 | 0x274c | 0x274e | 0x2753..=0x2755 | 0x2757 => 2,
        0x2795..=0x2797 | 0x2b1b..=0x2b1c | 0x2b50 | 0x2b55 => 2,
        0x2e80..=0x303e | 0x3041..=0xa4cf | 0xa960..=0xa97f | 0xac00..=0xd7a3 => 2,
        0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f7e0..=0x1f7eb | 0x1f900..=0x1faff | 0x20000..=0x3fffd => {
            2
        }
        _ => 1,
    }
}

/// The appearance of a terminal's characters: colours, attributes, and line drawing.
mod style {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Color {
        #[default]
        Default,
        /// One of the 16 colours of a theme.
        Named(u8),
        Rgb(u8, u8, u8),
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Style {
        pub fore: Color,
        pub back: Color,
        pub bold: bool,
        pub dim: bool,
        pub italic: bool,
        pub underline: bool,
        pub inverse: bool,
        pub strike: bool,
        pub hidden: bool,
    }

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Span {
        pub text: String,
        pub style: Style,
    }

    impl Style {
        /// Applies the parameters of an attribute sequence.
        pub(super) fn set(&mut self, params: &[Vec<u16>]) {
            let style = self;
            if params.is_empty() {
                *style = Style::default();
            }
            let mut params = params.iter();
            while let Some(values) = params.next() {
                let code = values.first().copied().unwrap_or_default();
                match code {
                    0 => *style = Style::default(),
                    1 => style.bold = true,
                    2 => style.dim = true,
                    3 => style.italic = true,
                    4 => style.underline = values.get(1) != Some(&0),
                    7 => style.inverse = true,
                    8 => style.hidden = true,
                    9 => style.strike = true,
                    21 => style.underline = true,
                    22 => (style.bold, style.dim) = (false, false),
                    23 => style.italic = false,
                    24 => style.underline = false,
                    27 => style.inverse = false,
                    28 => style.hidden = false,
                    29 => style.strike = false,
                    30..=37 => style.fore = Color::Named((code - 30) as u8),
                    39 => style.fore = Color::Default,
                    40..=47 => style.back = Color::Named((code - 40) as u8),
                    49 => style.back = Color::Default,
                    90..=97 => style.fore = Color::Named((code - 82) as u8),
                    100..=107 => style.back = Color::Named((code - 92) as u8),
                    38 | 48 => {
                        // Its values follow as sub-parameters, or as parameters of their own.
                        let rest: Vec<u16> = if values.len() > 1 {
                            values.iter().skip(1).copied().collect()
                        } else {
                            let kind = params.next().and_then(|values| values.first().copied());
                            let more = if kind == Some(2) { 3 } else { 1 };
                            let values =
                                params.by_ref().take(more).filter_map(|values| values.first().copied());
                            kind.into_iter().chain(values).collect()
                        };
                        let color = color_of(&rest);
                        if code == 38 { style.fore = color } else { style.back = color }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A colour from the values after 38 or 48.
    fn color_of(values: &[u16]) -> Color {
        let byte = |value: &u16| u8::try_from(*value).unwrap_or(u8::MAX);
        match values {
            // The number of a colour space may come before red.
            [2, .., red, green, blue] => Color::Rgb(byte(red), byte(green), byte(blue)),
            [5, index @ 0..16] => Color::Named(byte(index)),
            [5, index @ 16..232] => {
                let level = |step: u16| if step == 0 { 0 } else { byte(&(55 + 40 * step)) };
                let cube = index - 16;
                Color::Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
            }
            [5, index @ 232..256] => {
                let grey = byte(&(8 + 10 * (index - 232)));
                Color::Rgb(grey, grey, grey)
            }
            _ => Color::Default,
        }
    }

    /// The letters of the line-drawing set, and their characters.
    const DRAWN: (&str, &str) = ("`afgjklmnopqrstuvwx~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│·");

    /// The line-drawing character of a letter.
    pub(super) fn drawn(letter: char) -> char {
        let mut pairs = DRAWN.0.chars().zip(DRAWN.1.chars());
        pairs.find(|(own, _)| *own == letter).map_or(letter, |(_, drawn)| drawn)
    }
}

/// Splits the output of a program into characters, control codes and escape sequences.
///
/// Sequences may be split anywhere; too long ones are dropped.
mod parser {
    /// Maximum parameters of a sequence, and maximum bytes of a string in one.
    const PARAMS: usize = 32;
    const STRING_BYTES: usize = 4096;

    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum Token {
        Print(char),
        Control(u8),
        /// `ESC`, an optional intermediate byte, and the final byte.
        Escape {
            intermediate: Option<u8>,
            last: u8,
        },
        Csi(Csi),
        /// An operating system command, such as a title.
        Osc(String),
    }

    /// A control sequence: `CSI`, a private marker, parameters with their sub-parameters, and the final byte.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub(super) struct Csi {
        pub(super) marker: Option<u8>,
        pub(super) params: Vec<Vec<u16>>,
        pub(super) intermediate: Option<u8>,
        pub(super) last: u8,
    }

    impl Csi {
        /// A parameter by its index; `None` if it is absent or 0.
        pub(super) fn given(&self, at: usize) -> Option<usize> {
            let value = self.params.get(at)?.first().copied().unwrap_or_default();
            (value > 0).then_some(value.into())
        }

        pub(super) fn or_one(&self, at: usize) -> usize {
            self.given(at).unwrap_or(1)
        }
    }

    #[derive(Debug, Default)]
    enum State {
        #[default]
        Ground,
        Escape(Option<u8>),
        Csi(Csi),
        /// A string: its bytes if it is a command such as `OSC`, and whether `ESC` was received in it.
        String {
            text: Option<Vec<u8>>,
            escape: bool,
        },
    }

    #[derive(Debug, Default)]
    pub(super) struct Parser {
        state: State,
        /// A character of several bytes that is incomplete, and how many are missing.
        letter: (u32, u8),
    }

    impl Parser {
        /// Takes the next byte; most sequences end with one.
        pub(super) fn next(&mut self, byte: u8) -> Option<Token> {
            if let State::String { text, escape } = &mut self.state {
                let ends = byte == 0x07 || (*escape && byte == b'\\');
                if ends || matches!(byte, 0x18 | 0x1a) {
                    let text = text.take().filter(|_| ends);
                    self.state = State::Ground;
                    return text.map(|text| Token::Osc(String::from_utf8_lossy(&text).into_owned()));
                }
                if *escape {
                    // Another sequence interrupts it.
                    self.state = State::Escape(None);
                    return self.next(byte);
                }
                *escape = byte == 0x1b;
                if let Some(text) = text.as_mut().filter(|text| !*escape && text.len() < STRING_BYTES) {
                    text.push(byte);
                }
                return None;
            }
            match byte {
                0x1b => self.state = State::Escape(None),
                0x18 | 0x1a => self.state = State::Ground,
                0x00..0x20 => return Some(Token::Control(byte)),
                _ => return self.visible(byte),
            }
            None
        }

        fn visible(&mut self, byte: u8) -> Option<Token> {
            match &mut self.state {
                State::Ground => self.print(byte),
                State::Escape(intermediate) => {
                    let intermediate = *intermediate;
                    self.state = match byte {
                        b'[' => State::Csi(Csi::default()),
                        b']' | b'P' | b'X' | b'^' | b'_' => {
                            State::String { text: (byte == b']').then(Vec::new), escape: false }
                        }
                        0x20..0x30 => State::Escape(Some(byte)),
                        _ => State::Ground,
                    };
                    let ends = matches!(self.state, State::Ground);
                    ends.then_some(Token::Escape { intermediate, last: byte })
                }
                State::Csi(csi) => {
                    if matches!(byte, b'0'..=b'9' | b';') && csi.params.is_empty() {
                        csi.params.push(vec![0]);
                    }
                    match byte {
                        b'0'..=b'9' => {
                            if let Some(value) = csi.params.last_mut().and_then(|values| values.last_mut()) {
                                *value = value.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                            }
                        }
                        b';' if csi.params.len() < PARAMS => csi.params.push(vec![0]),
                        b';' => {}
                        b':' => {
                            if let Some(values) = csi.params.last_mut().filter(|values| values.len() < PARAMS)
                            {
                                values.push(0);
                            }
                        }
                        b'<'..=b'?' => csi.marker = Some(byte),
                        0x20..0x30 => csi.intermediate = Some(byte),
                        _ => {
                            let csi = std::mem::take(csi);
                            self.state = State::Ground;
                            return Some(Token::Csi(Csi { last: byte, ..csi }));
                        }
                    }
                    None
                }
                State::String { .. } => None,
            }
        }

        fn print(&mut self, byte: u8) -> Option<Token> {
            let (value, missing) = self.letter;
            self.letter = match (byte, missing) {
                (0x80..0xc0, 1..) => ((value << 6) | u32::from(byte & 0x3f), missing - 1),
                (0xc2..0xe0, _) => (u32::from(byte & 0x1f), 1),
                (0xe0..0xf0, _) => (u32::from(byte & 0x0f), 2),
                (0xf0..0xf5, _) => (u32::from(byte & 0x07), 3),
                (0x20..0x7f, _) => (byte.into(), 0),
                (0x7f, _) => return None,
                (..) => (0xfffd, 0),
            };
            let (value, missing) = self.letter;
            (missing == 0).then(|| Token::Print(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)))
        }
    }
}
