//! Limits of text processing, in bytes, lines or items, and a counter of steps for tests.
//!
//! A text beyond a limit is shown plain and never rejected. With the counter, tests bound the work per byte without a
//! clock; outside tests it is compiled away.

#[cfg(any(test, feature = "testing"))]
use std::cell::Cell;

/// Maximum bytes of a line whose changed words are marked; a longer one is marked as a whole.
pub const CHANGED_WORDS_BYTES: usize = 2_000;
/// Texts with at most so many lines together are always compared line by line.
pub const COMPARED_LINES: usize = 8_000;
/// If more lines than these differ, old and new ones together, the text counts as rewritten.
pub const DELTA_LINES: usize = 4_000;
/// A delta is used only if the text is at least this many times as large.
pub const DELTA_SHARE: usize = 2;
/// Shorter texts are stored whole, never as a delta; bytes.
pub const DELTA_TEXT_BYTES: usize = 1024;
/// Maximum bytes of a file that is coloured in the editor.
pub const EDITOR_COLOURED_BYTES: usize = 1_000_000;
/// Maximum lines of such a file.
pub const EDITOR_COLOURED_LINES: usize = 20_000;
/// Maximum bytes of a coloured code block; takes about twenty milliseconds.
pub const HIGHLIGHT_BYTES: usize = 64 * 1024;
/// Maximum bytes of an image within a text.
pub const IMAGE_IN_TEXT_BYTES: usize = 2 * 1024 * 1024;
/// A link with more characters than this in its query asks before it opens.
pub const LINK_QUERY: usize = 200;
/// Maximum bytes of a text that is read as Markdown; a longer one is shown as it is.
pub const MARKDOWN_BYTES: usize = 2 * 1024 * 1024;
/// Maximum nesting of blocks and marks; what is deeper is shown as words.
pub const MARKDOWN_DEPTH: usize = 100;
/// Maximum bytes of definitions in finished blocks that are used while a text grows; the complete text uses all.
pub const MARKDOWN_KNOWN_BYTES: usize = 16 * 1024;
/// Maximum links in one text; further ones are shown as words.
pub const MARKDOWN_LINKS: usize = 2_000;
/// Maximum footnotes in one text; further ones are shown as written.
pub const MARKDOWN_NOTES: usize = 1_000;
/// Maximum bytes that are read as Markdown at once; a longer text is read in slices.
pub const MARKDOWN_DIRECT_BYTES: usize = 8 * 1024;
/// Maximum bytes of a slice, unless a block is longer.
pub const MARKDOWN_SLICE_BYTES: usize = 64 * 1024;
/// The time slice for reading a long text, in milliseconds.
pub const MARKDOWN_SLICE_MS: f64 = 8.0;
/// A piece that takes longer to read than this, in milliseconds, and longer than [`MARKDOWN_SLOW_MS_PER_KB`] allows,
/// is the last one: the rest is shown as written.
pub const MARKDOWN_SLOW_MS: f64 = 120.0;
/// The milliseconds that each KiB of a piece may take. Ten times what a browser needs: a long table on a busy machine
/// stays a table.
pub const MARKDOWN_SLOW_MS_PER_KB: f64 = 5.0;
/// Maximum pieces of one text that are laid out; the rest is shown as written.
pub const MARKDOWN_PIECES: usize = 60_000;
/// Maximum bytes of a formula that is typeset; a longer one is shown as written.
pub const MATHS_BYTES: usize = 8 * 1024;
/// Maximum bytes of coloured code in one text.
pub const PAGE_HIGHLIGHT_BYTES: usize = 256 * 1024;
/// Maximum columns of a table; the rest is shown as text.
pub const TABLE_COLUMNS: usize = 50;
/// Maximum rows of a table; the rest is shown as text.
pub const TABLE_ROWS: usize = 200;

#[cfg(any(test, feature = "testing"))]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Counts steps: bytes read, or entries compared.
#[inline(always)]
pub fn step(count: usize) {
    #[cfg(any(test, feature = "testing"))]
    STEPS.set(STEPS.get().saturating_add(count));
    #[cfg(not(any(test, feature = "testing")))]
    let _ = count;
}

/// The number of steps on this thread.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn total() -> usize {
    STEPS.get()
}

/// The result of `work`, and the number of its steps.
#[cfg(any(test, feature = "testing"))]
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = total();
    let done = work();
    (done, total() - before)
}
