//! Limits of text processing, in bytes, lines or items, and the count of steps that tests hold work against.
//!
//! A text beyond a limit is shown plain and never refused. Steps let tests bound the work for each byte
//! without a clock; outside tests their count is compiled away.

#[cfg(any(test, feature = "testing"))]
use std::cell::Cell;

/// The most bytes of a line whose changed words are marked; a longer one is marked as a whole.
pub const CHANGED_WORDS_BYTES: usize = 2_000;
/// Where more lines than these differ, old and new ones together, they count as written anew.
pub const DELTA_LINES: usize = 4_000;
/// Changes are told where the text weighs at least this many times as much.
pub const DELTA_SHARE: usize = 2;
/// Shorter texts are told and stored whole, never as changes of another one; bytes.
pub const DELTA_TEXT_BYTES: usize = 1024;
/// The most bytes of a file that are coloured while somebody types in it.
pub const EDITOR_COLOURED_BYTES: usize = 1_000_000;
/// The most lines of such a file.
pub const EDITOR_COLOURED_LINES: usize = 20_000;
/// The most bytes of a block of code that are coloured; about twenty milliseconds' work.
pub const HIGHLIGHT_BYTES: usize = 64 * 1024;
/// The most bytes of an image within a text.
pub const IMAGE_IN_TEXT_BYTES: usize = 2 * 1024 * 1024;
/// A link that carries more characters than this in its query asks before it opens.
pub const LINK_QUERY: usize = 200;
/// The most bytes of a text that is read as Markdown; a longer one is shown as it is.
pub const MARKDOWN_BYTES: usize = 2 * 1024 * 1024;
/// How deep blocks and marks may stand in each other; what is deeper shows as words.
pub const MARKDOWN_DEPTH: usize = 100;
/// So many bytes of what finished blocks define are minded while a text grows; all of it is when the text is whole.
pub const MARKDOWN_KNOWN_BYTES: usize = 16 * 1024;
/// Links in one text; further ones show as words.
pub const MARKDOWN_LINKS: usize = 2_000;
/// Footnotes in one text; further ones show as they were written.
pub const MARKDOWN_NOTES: usize = 1_000;
/// The most bytes of a text that are read as Markdown at once; a longer text is read in slices.
pub const MARKDOWN_DIRECT_BYTES: usize = 8 * 1024;
/// The most bytes of a long text that a slice reads, but for a block that is longer.
pub const MARKDOWN_SLICE_BYTES: usize = 64 * 1024;
/// How long a slice of a long text is read before anything else gets its turn, in milliseconds.
pub const MARKDOWN_SLICE_MS: f64 = 8.0;
/// A piece that takes longer to read than this, in milliseconds, and longer than [`MARKDOWN_SLOW_MS_PER_KB`] allows, is
/// the last one: the rest shows as it was written.
pub const MARKDOWN_SLOW_MS: f64 = 120.0;
/// The milliseconds that each KiB of a piece may take. Ten times what a browser needs: a long table on a busy machine
/// stays a table.
pub const MARKDOWN_SLOW_MS_PER_KB: f64 = 5.0;
/// Pieces of one text that are laid out; what comes after them shows as it was written.
pub const MARKDOWN_PIECES: usize = 60_000;
/// The most bytes of a formula that is set; a longer one shows as it was written.
pub const MATHS_BYTES: usize = 8 * 1024;
/// The most bytes of code that are coloured in one text.
pub const PAGE_HIGHLIGHT_BYTES: usize = 256 * 1024;
/// Columns of a table; the rest shows as text.
pub const TABLE_COLUMNS: usize = 50;
/// Rows of a table; the rest shows as text.
pub const TABLE_ROWS: usize = 200;

#[cfg(any(test, feature = "testing"))]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Notes that so many steps are done: bytes looked at, or entries compared.
#[inline(always)]
pub fn step(count: usize) {
    #[cfg(any(test, feature = "testing"))]
    STEPS.set(STEPS.get().saturating_add(count));
    #[cfg(not(any(test, feature = "testing")))]
    let _ = count;
}

/// How many steps were done on this thread.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn total() -> usize {
    STEPS.get()
}

/// What `work` gives, and how many steps it took.
#[cfg(any(test, feature = "testing"))]
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = total();
    let done = work();
    (done, total() - before)
}
