//! Takes the bytes that a program writes to a terminal apart: characters, control codes and escape sequences.
//!
//! Sequences can be cut anywhere; what is longer than it may be is dropped.

/// The most parameters of a sequence, and the most bytes of a string in one.
const PARAMS: usize = 32;
const STRING_BYTES: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Print(char),
    Control(u8),
    /// `ESC`, perhaps an intermediate byte, and the last one.
    Escape {
        intermediate: Option<u8>,
        last: u8,
    },
    Csi(Csi),
    /// An operating system command, such as a title.
    Osc(String),
}

/// A control sequence: `CSI`, a private marker, parameters with their sub-parameters, and the last byte.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Csi {
    pub(super) marker: Option<u8>,
    pub(super) params: Vec<Vec<u16>>,
    pub(super) intermediate: Option<u8>,
    pub(super) last: u8,
}

impl Csi {
    /// A parameter by its place; `None` where it is absent or 0.
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
    /// A string that is a command, as an `OSC` is, and whether `ESC` came in it.
    String {
        text: Option<Vec<u8>>,
        escape: bool,
    },
}

#[derive(Debug, Default)]
pub(super) struct Parser {
    state: State,
    /// A character of several bytes that is being read, and how many are missing.
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
                // Another sequence cuts it off.
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
            0x1b => {
                self.state = State::Escape(None);
                None
            }
            0x18 | 0x1a => {
                self.state = State::Ground;
                None
            }
            0x00..0x20 => Some(Token::Control(byte)),
            _ => self.visible(byte),
        }
    }

    fn visible(&mut self, byte: u8) -> Option<Token> {
        match &mut self.state {
            State::Ground => self.print(byte),
            State::Escape(intermediate) => match byte {
                b'[' => {
                    self.state = State::Csi(Csi::default());
                    None
                }
                b']' | b'P' | b'X' | b'^' | b'_' => {
                    let text = (byte == b']').then(Vec::new);
                    self.state = State::String { text, escape: false };
                    None
                }
                0x20..0x30 => {
                    *intermediate = Some(byte);
                    None
                }
                _ => {
                    let intermediate = *intermediate;
                    self.state = State::Ground;
                    Some(Token::Escape { intermediate, last: byte })
                }
            },
            State::Csi(csi) => {
                match byte {
                    b'0'..=b'9' => {
                        if csi.params.is_empty() {
                            csi.params.push(vec![0]);
                        }
                        if let Some(value) = csi.params.last_mut().and_then(|values| values.last_mut()) {
                            *value = value.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                        }
                    }
                    b';' => {
                        if csi.params.is_empty() {
                            csi.params.push(vec![0]);
                        }
                        if csi.params.len() < PARAMS {
                            csi.params.push(vec![0]);
                        }
                    }
                    b':' => {
                        if let Some(values) = csi.params.last_mut().filter(|values| values.len() < PARAMS) {
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
