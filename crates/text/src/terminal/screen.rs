//! [`Screen`]: the grid, its cursor and modes, and the effect of each sequence.

use std::collections::VecDeque;

use super::parser::{Csi, Parser, Token};
use super::style::{Span, Style, drawn};
use super::width;

/// Maximum lines of scrollback.
const HISTORY: usize = 5_000;
/// Maximum columns and rows.
const COLUMNS: usize = 500;
const ROWS: usize = 200;

fn space(style: Style) -> Span {
    Span { text: " ".to_owned(), style }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    /// A cell holds a letter with its combining characters; the one after a wide letter is empty.
    cells: Vec<Span>,
    /// True if the line wraps into the next one.
    wraps: bool,
}

impl Line {
    fn blank(columns: usize, style: Style) -> Self {
        let style = Style { back: style.back, ..Style::default() };
        Self { cells: vec![space(style); columns], wraps: false }
    }

    fn text(&self) -> String {
        let text: String = self.cells.iter().map(|cell| cell.text.as_str()).collect();
        if self.wraps { text } else { text.trim_end().to_owned() }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    row: usize,
    column: usize,
    style: Style,
    /// True if the last column was written: the next character wraps.
    is_past: bool,
    draws_lines: bool,
}

#[derive(Debug, Default)]
pub struct Screen {
    columns: usize,
    grid: Vec<Line>,
    /// The main screen with its cursor, while the alternate one is shown.
    main: Option<(Vec<Line>, Cursor)>,
    cursor: Cursor,
    saved: Cursor,
    /// The first and the last row of the scroll region.
    region: (usize, usize),
    history: VecDeque<Line>,
    dropped: usize,
    parser: Parser,
    replies: Vec<u8>,
    title: String,
    is_cursor_hidden: bool,
    keeps_column: bool,
    /// True if arrow keys send application codes.
    pub application_cursor: bool,
    /// True if pasted text is marked as such.
    pub bracketed_paste: bool,
}

impl Screen {
    pub fn new(columns: usize, rows: usize) -> Self {
        let (columns, rows) = (columns.clamp(2, COLUMNS), rows.clamp(2, ROWS));
        Self {
            columns,
            grid: vec![Line::blank(columns, Style::default()); rows],
            region: (0, rows - 1),
            ..Self::default()
        }
    }

    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.grid.len())
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// The row and column of the cursor; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(usize, usize)> {
        (!self.is_cursor_hidden).then_some((self.cursor.row, self.cursor.column))
    }

    /// The terminal's replies to queries.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    /// The rows as they are drawn.
    pub fn rows(&self) -> Vec<Vec<Span>> {
        let spans = |line: &Line| {
            let mut spans: Vec<Span> = Vec::new();
            for cell in &line.cells {
                match spans.last_mut().filter(|span| span.style == cell.style) {
                    Some(span) => span.text.push_str(&cell.text),
                    None => spans.push(cell.clone()),
                }
            }
            spans
        };
        self.grid.iter().map(spans).collect()
    }

    /// The text of the screen, without the empty lines at its end.
    pub fn text(&self) -> String {
        self.text_since(self.first_line())
    }

    /// The number of the top line, counted over all lines so far.
    pub fn first_line(&self) -> usize {
        self.dropped.saturating_add(self.history.len())
    }

    pub fn cursor_line(&self) -> usize {
        self.first_line().saturating_add(self.cursor.row)
    }

    /// The text from a line on, as far as it is kept. Wrapped lines are joined.
    pub fn text_since(&self, line: usize) -> String {
        let skip = line.saturating_sub(self.dropped);
        let mut text = String::new();
        for line in self.history.iter().chain(&self.grid).skip(skip) {
            text.push_str(&line.text());
            if !line.wraps {
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Resizes the screen. Lines that no longer fit scroll off the top.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        let (columns, rows) = (columns.clamp(2, COLUMNS), rows.clamp(2, ROWS));
        if (columns, rows) == self.size() {
            return;
        }
        let fit = |grid: &mut Vec<Line>, cursor: &mut Cursor, history: Option<&mut VecDeque<Line>>| {
            let over = (cursor.row + 1).saturating_sub(rows);
            let removed: Vec<Line> = grid.drain(..over.min(grid.len())).collect();
            if let Some(history) = history {
                history.extend(removed);
            }
            grid.resize(rows, Line::blank(columns, Style::default()));
            for line in grid.iter_mut() {
                line.cells.resize(columns, space(Style::default()));
            }
            cursor.row = cursor.row.saturating_sub(over).min(rows - 1);
            cursor.column = cursor.column.min(columns - 1);
            cursor.is_past = false;
        };
        fit(&mut self.grid, &mut self.cursor, Some(&mut self.history));
        if let Some((grid, cursor)) = &mut self.main {
            fit(grid, cursor, None);
        }
        self.columns = columns;
        self.region = (0, rows - 1);
        self.trim();
    }

    fn trim(&mut self) {
        while self.history.len() > HISTORY {
            self.history.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match self.parser.next(*byte) {
                Some(Token::Print(letter)) => self.print(letter),
                Some(Token::Control(code)) => self.control(code),
                Some(Token::Escape { intermediate, last }) => self.escape(intermediate, last),
                Some(Token::Csi(csi)) => self.csi(&csi),
                Some(Token::Osc(text)) => {
                    if let Some(title) = text.strip_prefix("0;").or_else(|| text.strip_prefix("2;")) {
                        self.title = title.to_owned();
                    }
                }
                None => {}
            }
        }
    }

    fn print(&mut self, letter: char) {
        let letter = if self.cursor.draws_lines { drawn(letter) } else { letter };
        let wide = width(letter);
        if wide == 0 {
            let at =
                if self.cursor.is_past { self.cursor.column } else { self.cursor.column.saturating_sub(1) };
            if let Some(cell) = self.line().and_then(|line| line.cells.get_mut(at)) {
                // More than a few combining marks are no letter.
                if cell.text.len() < 32 {
                    cell.text.push(letter);
                }
            }
            return;
        }
        let no_room = self.cursor.column + wide > self.columns;
        if self.cursor.is_past || no_room {
            if self.keeps_column {
                self.cursor.column = self.columns.saturating_sub(wide);
            } else {
                if let Some(line) = self.line() {
                    line.wraps = true;
                }
                self.cursor.column = 0;
                self.line_feed();
            }
            self.cursor.is_past = false;
        }
        let Cursor { column, style, .. } = self.cursor;
        if let Some(line) = self.line() {
            // Overwriting half of a wide character blanks the other half.
            if line.cells.get(column).is_some_and(|cell| cell.text.is_empty())
                && let Some(cell) = line.cells.get_mut(column.saturating_sub(1))
            {
                cell.text = " ".to_owned();
            }
            for (at, cell) in line.cells.iter_mut().enumerate().skip(column).take(wide) {
                let text = if at == column { letter.to_string() } else { String::new() };
                *cell = Span { text, style };
            }
            if let Some(cell) = line.cells.get_mut(column + wide).filter(|cell| cell.text.is_empty()) {
                cell.text = " ".to_owned();
            }
        }
        let next = column + wide;
        self.cursor.is_past = next >= self.columns;
        self.cursor.column = next.min(self.columns - 1);
    }

    fn line(&mut self) -> Option<&mut Line> {
        self.grid.get_mut(self.cursor.row)
    }

    fn control(&mut self, code: u8) {
        match code {
            0x08 => {
                self.cursor.column = self.cursor.column.saturating_sub(1);
                self.cursor.is_past = false;
            }
            b'\t' => self.cursor.column = ((self.cursor.column / 8 + 1) * 8).min(self.columns - 1),
            b'\n' | 0x0b | 0x0c => self.line_feed(),
            b'\r' => {
                self.cursor.column = 0;
                self.cursor.is_past = false;
            }
            0x0e => self.cursor.draws_lines = true,
            0x0f => self.cursor.draws_lines = false,
            _ => {}
        }
    }

    fn line_feed(&mut self) {
        self.cursor.is_past = false;
        if self.cursor.row == self.region.1 {
            self.scroll_up(self.region.0, 1);
        } else {
            self.cursor.row = (self.cursor.row + 1).min(self.grid.len() - 1);
        }
    }

    /// Scrolls the rows from `top` to the end of the region up; lines that leave the screen are kept.
    fn scroll_up(&mut self, top: usize, times: usize) {
        let removed = self.move_lines(top, self.region.1, times);
        if top == 0 {
            self.history.extend(removed);
        }
        self.trim();
    }

    fn scroll_down(&mut self, top: usize, times: usize) {
        self.move_lines(self.region.1, top, times);
    }

    /// Removes lines at one end of the region, and inserts blank ones at the other. Returns the removed ones.
    fn move_lines(&mut self, from: usize, to: usize, times: usize) -> Vec<Line> {
        let bottom = self.region.1;
        if from.max(to) > bottom || bottom >= self.grid.len() {
            return Vec::new();
        }
        let blank = Line::blank(self.columns, self.cursor.style);
        let mut removed = Vec::new();
        for _ in 0..times.min(self.grid.len()) {
            removed.push(self.grid.remove(from));
            self.grid.insert(to, blank.clone());
        }
        removed
    }

    fn escape(&mut self, intermediate: Option<u8>, last: u8) {
        match (intermediate, last) {
            (None, b'7') => self.saved = self.cursor,
            (None, b'8') => self.restore(self.saved),
            (None, b'D') => self.line_feed(),
            (None, b'E') => {
                self.cursor.column = 0;
                self.line_feed();
            }
            (None, b'M') if self.cursor.row == self.region.0 => self.scroll_down(self.region.0, 1),
            (None, b'M') => self.cursor.row = self.cursor.row.saturating_sub(1),
            (None, b'c') => {
                let (columns, rows) = self.size();
                let (history, dropped) = (std::mem::take(&mut self.history), self.dropped);
                *self = Self { history, dropped, ..Self::new(columns, rows) };
            }
            (Some(b'('), set) => self.cursor.draws_lines = set == b'0',
            (_, _) => {}
        }
    }

    fn restore(&mut self, to: Cursor) {
        let (columns, rows) = self.size();
        self.cursor = Cursor { row: to.row.min(rows - 1), column: to.column.min(columns - 1), ..to };
    }

    fn go_to(&mut self, row: usize, column: usize) {
        self.cursor.row = row.min(self.grid.len() - 1);
        self.cursor.column = column.min(self.columns - 1);
        self.cursor.is_past = false;
    }

    fn csi(&mut self, csi: &Csi) {
        let Cursor { row, column, .. } = self.cursor;
        let many = csi.or_one(0);
        match (csi.marker, csi.intermediate, csi.last) {
            (None, None, b'A') => {
                let top = if row >= self.region.0 { self.region.0 } else { 0 };
                self.go_to(row.saturating_sub(many).max(top), column);
            }
            (None, None, b'B' | b'e') => {
                let bottom = if row <= self.region.1 { self.region.1 } else { usize::MAX };
                self.go_to(row.saturating_add(many).min(bottom), column);
            }
            (None, None, b'C' | b'a') => self.go_to(row, column.saturating_add(many)),
            (None, None, b'D') => self.go_to(row, column.saturating_sub(many)),
            (None, None, b'E') => self.go_to(row.saturating_add(many), 0),
            (None, None, b'F') => self.go_to(row.saturating_sub(many), 0),
            (None, None, b'G' | b'`') => self.go_to(row, many - 1),
            (None, None, b'd') => self.go_to(many - 1, column),
            (None, None, b'H' | b'f') => self.go_to(many - 1, csi.or_one(1) - 1),
            (None, None, b'J') => self.erase_lines(csi.given(0).unwrap_or_default()),
            (None, None, b'K') => self.erase_in_line(csi.given(0).unwrap_or_default()),
            (None, None, b'L') if self.is_in_region() => self.scroll_down(row, many),
            (None, None, b'M') if self.is_in_region() => {
                // Lines deleted at the top have not scrolled off.
                let length = self.history.len();
                self.scroll_up(row, many);
                self.history.truncate(length);
            }
            (None, None, b'S') => self.scroll_up(self.region.0, many),
            (None, None, b'T') => self.scroll_down(self.region.0, many),
            (None, None, b'@') => self.shift(many, true),
            (None, None, b'P') => self.shift(many, false),
            (None, None, b'X') => self.blank(column, column.saturating_add(many)),
            (None, None, b'b') => {
                let before =
                    self.line().and_then(|line| line.cells.get(column.checked_sub(1)?)?.text.chars().next());
                if let Some(letter) = before {
                    (0..many.min(self.columns)).for_each(|_| self.print(letter));
                }
            }
            (None, None, b'm') => self.cursor.style.set(&csi.params),
            (None, None, b'r') => {
                let last = self.grid.len() - 1;
                let (top, bottom) = (many - 1, csi.given(1).map_or(last, |row| (row - 1).min(last)));
                self.region = if top < bottom { (top, bottom) } else { (0, last) };
                self.go_to(0, 0);
            }
            (None, None, b's') => self.saved = self.cursor,
            (None, None, b'u') => self.restore(self.saved),
            (None, None, b'n') if many == 6 => {
                let place = format!("\x1b[{};{}R", row + 1, column + 1);
                self.replies.extend(place.bytes());
            }
            (None, None, b'n') => self.replies.extend(b"\x1b[0n"),
            (None, None, b'c') => self.replies.extend(b"\x1b[?62;22c"),
            (Some(b'>'), None, b'c') => self.replies.extend(b"\x1b[>0;10;1c"),
            (Some(b'?'), None, b'h' | b'l') => {
                for mode in csi.params.iter().filter_map(|values| values.first()) {
                    self.set_mode(*mode, csi.last == b'h');
                }
            }
            (_, _, _) => {}
        }
    }

    fn is_in_region(&self) -> bool {
        (self.region.0..=self.region.1).contains(&self.cursor.row)
    }

    fn set_mode(&mut self, mode: u16, on: bool) {
        match mode {
            1 => self.application_cursor = on,
            7 => self.keeps_column = !on,
            25 => self.is_cursor_hidden = !on,
            2004 => self.bracketed_paste = on,
            47 | 1047 | 1049 if on && self.main.is_none() => {
                let blank = vec![Line::blank(self.columns, Style::default()); self.grid.len()];
                self.main = Some((std::mem::replace(&mut self.grid, blank), self.cursor));
            }
            47 | 1047 | 1049 if !on => {
                if let Some((grid, cursor)) = self.main.take() {
                    self.grid = grid;
                    self.restore(cursor);
                }
            }
            _ => {}
        }
    }

    fn erase_lines(&mut self, what: usize) {
        let (row, style) = (self.cursor.row, self.cursor.style);
        let blank = Line::blank(self.columns, style);
        let range = match what {
            0 => row + 1..self.grid.len(),
            1 => 0..row,
            2 => 0..self.grid.len(),
            _ => return,
        };
        if let Some(lines) = self.grid.get_mut(range) {
            lines.fill(blank);
        }
        if what < 2 {
            self.erase_in_line(what);
        }
    }

    fn erase_in_line(&mut self, what: usize) {
        let column = self.cursor.column;
        match what {
            0 => self.blank(column, usize::MAX),
            1 => self.blank(0, column + 1),
            2 => self.blank(0, usize::MAX),
            _ => {}
        }
    }

    fn blank(&mut self, from: usize, to: usize) {
        let style = Style { back: self.cursor.style.back, ..Style::default() };
        self.cursor.is_past = false;
        if let Some(line) = self.line() {
            line.wraps &= to < line.cells.len();
            for cell in line.cells.iter_mut().take(to).skip(from) {
                *cell = space(style);
            }
        }
    }

    /// Shifts the rest of the line to the right or to the left.
    fn shift(&mut self, many: usize, right: bool) {
        let (column, columns) = (self.cursor.column, self.columns);
        let style = Style { back: self.cursor.style.back, ..Style::default() };
        self.cursor.is_past = false;
        if let Some(line) = self.line() {
            for _ in 0..many.min(columns - column) {
                let (removed, new) = if right { (columns - 1, column) } else { (column, columns - 1) };
                line.cells.remove(removed);
                line.cells.insert(new, space(style));
            }
        }
    }
}
