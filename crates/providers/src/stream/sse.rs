//! Reads server-sent events from bytes in any chunking.

use crate::stream::{HEAD_CAP, Halves, LINE_CAP, LineReader, StreamLine, is_heartbeat};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SseFrame {
    Event {
        name: Option<String>,
        /// The `data:` lines, joined by line feeds.
        data: String,
    },
    /// The beginning of an event that was longer than [`LINE_CAP`] and dropped.
    Overlong(String),
    /// A line that belongs to no event. Holds where the stray text so far ends, in bytes.
    Stray(usize),
}

/// Reads server-sent events. Any chunking of the bytes gives the same frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseReader {
    lines: LineReader,
    name: Option<String>,
    data: Option<String>,
    /// The lines that belong to no event.
    pub(super) stray: String,
    halves: Halves,
    /// True if each line is an event of its own.
    pub(super) reads_lines: bool,
}

impl SseReader {
    /// Adds bytes and returns the frames they completed.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<SseFrame> {
        let lines = self.lines.feed(bytes);
        let frames: Vec<_> = lines.into_iter().filter_map(|line| self.end_line(line)).collect();
        frames.into_iter().flat_map(|frame| self.join(frame)).collect()
    }

    pub fn end(&mut self) -> Vec<SseFrame> {
        let last = self.lines.end().and_then(|line| self.end_line(line));
        let frames: Vec<_> = last.into_iter().chain(self.dispatch()).collect();
        let joined: Vec<_> = frames.into_iter().flat_map(|frame| self.join(frame)).collect();
        joined.into_iter().chain(self.halves.end().map(event)).collect()
    }

    /// Joins characters that were split between two events. Other frames keep their order.
    fn join(&mut self, frame: SseFrame) -> Vec<SseFrame> {
        if let SseFrame::Event { name, data } = frame {
            self.halves.take(name, data).into_iter().map(event).collect()
        } else {
            self.halves.end().map(event).into_iter().chain([frame]).collect()
        }
    }

    fn end_line(&mut self, line: StreamLine) -> Option<SseFrame> {
        match line {
            StreamLine::Overlong(head) => Some(self.drop_event(head)),
            StreamLine::Text(line) if line.is_empty() => self.dispatch(),
            StreamLine::Text(line) => self.take_line(&line),
        }
    }

    fn take_line(&mut self, line: &str) -> Option<SseFrame> {
        // Some servers send NULs to keep a connection open.
        let text = line.trim_start_matches([' ', '\t', '\0']);
        if text.is_empty() || text.starts_with(':') {
            return None;
        }
        if self.reads_lines {
            // A gateway may send the lines as events.
            let data = text.strip_prefix("data:");
            let line = data.unwrap_or(text).trim_matches(|c: char| c.is_whitespace() || c == '\0');
            let is_heartbeat = data.is_some_and(is_heartbeat);
            return (!is_heartbeat).then(|| SseFrame::Event { name: None, data: line.to_owned() });
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => return self.take_data(value),
            "event" => self.name = Some(value.to_owned()),
            // These matter only for reconnecting, which the engine does by a new request.
            "id" | "retry" => {}
            _ => {
                self.take_stray(line);
                return Some(SseFrame::Stray(self.stray.len()));
            }
        }
        None
    }

    fn take_data(&mut self, value: &str) -> Option<SseFrame> {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) if data.len().saturating_add(value.len()) < LINE_CAP => {
                data.push('\n');
                data.push_str(value);
            }
            Some(data) => {
                let mut head = std::mem::take(data);
                head.truncate(head.floor_char_boundary(HEAD_CAP));
                return Some(self.drop_event(head));
            }
        }
        None
    }

    /// Keeps a line that is no event. Together such lines may be an error or a foreign page.
    pub fn take_stray(&mut self, line: &str) {
        if self.stray.len().saturating_add(line.len()) < LINE_CAP {
            self.stray.push_str(line);
            self.stray.push('\n');
        }
    }

    fn dispatch(&mut self) -> Option<SseFrame> {
        let name = self.name.take();
        self.data.take().map(|data| SseFrame::Event { name, data })
    }

    fn drop_event(&mut self, head: String) -> SseFrame {
        self.name = None;
        self.data = None;
        SseFrame::Overlong(head)
    }
}

fn event((name, data): (Option<String>, String)) -> SseFrame {
    SseFrame::Event { name, data }
}

#[cfg(test)]
mod tests;
