//! Splits the bytes of a streamed answer into lines, server-sent events and JSON.

pub(crate) mod event_stream;
pub mod lenient;
pub mod sse;

use std::mem;

/// The longest accepted line in bytes, far more than any real answer needs.
pub const LINE_CAP: usize = 8 * 1024 * 1024;

/// How much of the beginning of a dropped line is kept, in bytes.
pub const HEAD_CAP: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamLine {
    Text(String),
    /// Longer than [`LINE_CAP`] and dropped. Its beginning may still tell what it was.
    Overlong(String),
}

/// Splits bytes into lines that end in LF, CRLF or CR.
///
/// Lines are split before they are decoded: no byte of a UTF-8 sequence equals CR or LF, so a code point that is split
/// between two pieces is complete again once its line is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineReader {
    line: Vec<u8>,
    overlong: bool,
    after_cr: bool,
    past_first: bool,
}

impl LineReader {
    /// Adds bytes and returns the lines they completed.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<StreamLine> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        loop {
            if self.after_cr && !rest.is_empty() {
                self.after_cr = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.extend(rest);
                return lines;
            };
            let (head, tail) = rest.split_at(at);
            self.extend(head);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            lines.push(self.finish());
        }
    }

    /// Ends the stream and returns the last line if it has no line end.
    pub fn end(&mut self) -> Option<StreamLine> {
        (!self.line.is_empty() || self.overlong).then(|| self.finish())
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.overlong {
            return;
        }
        if self.line.len().saturating_add(bytes.len()) > LINE_CAP {
            self.overlong = true;
            self.line.truncate(HEAD_CAP);
            let room = HEAD_CAP.saturating_sub(self.line.len());
            self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            self.line.shrink_to_fit();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn finish(&mut self) -> StreamLine {
        let is_first = !mem::replace(&mut self.past_first, true);
        let bytes = mem::take(&mut self.line);
        if mem::take(&mut self.overlong) {
            return StreamLine::Overlong(String::from_utf8_lossy(&bytes).into_owned());
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned());
        match text.strip_prefix('\u{feff}') {
            Some(rest) if is_first => StreamLine::Text(rest.to_owned()),
            _ => StreamLine::Text(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> StreamLine {
        StreamLine::Text(text.into())
    }

    #[test]
    fn all_line_ends_work_even_when_split() {
        let mut reader = LineReader::default();
        assert_eq!(reader.feed(b"\xef\xbb\xbfa\nb\r"), [text("a"), text("b")]);
        assert_eq!(reader.feed(b"\nc\rd\r\n\n"), [text("c"), text("d"), text("")]);
        assert_eq!(reader.feed("\u{feff}half".as_bytes()), []);
        assert_eq!(reader.end(), Some(text("\u{feff}half")));
        assert_eq!(reader.end(), None);
    }

    #[test]
    fn lines_over_the_cap_are_dropped_and_the_next_line_is_read() {
        let mut reader = LineReader::default();
        let mebibyte = vec![b'x'; 1024 * 1024];
        for _ in 0..16 {
            assert_eq!(reader.feed(&mebibyte), []);
        }
        assert!(reader.line.capacity() <= HEAD_CAP * 2);
        assert_eq!(reader.feed(b"\nok\n"), [StreamLine::Overlong("x".repeat(HEAD_CAP)), text("ok")]);
    }
}
