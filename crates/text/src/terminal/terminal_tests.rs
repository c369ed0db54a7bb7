use proptest::prelude::*;

use super::*;

fn screen(columns: usize, rows: usize, bytes: &str) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.feed(bytes.as_bytes());
    screen
}

#[test]
fn text_wraps_and_scrollback_joins_its_lines() {
    let screen = screen(5, 2, "abcdefg\r\nnext\r\nlast");
    assert_eq!(screen.text(), "next\nlast");
    assert_eq!(screen.text_since(0), "abcdefg\nnext\nlast");
    assert_eq!((screen.first_line(), screen.cursor_line()), (2, 3));
    assert_eq!(screen.cursor(), Some((1, 4)));
}

#[test]
fn character_in_the_last_column_wraps_with_the_next_one() {
    let screen = screen(3, 3, "abc\r\ndef\x1b[Kg");
    // Erasing resets the pending wrap, as in terminals.
    assert_eq!(screen.text(), "abc\ndeg");
}

#[test]
fn cursor_moves_and_lines_are_edited() {
    for (bytes, text) in [
        ("one two\x1b[1;5H\x1b[3P", "one"),
        ("abc\x1b[1;2H\x1b[2@X", "aX bc"),
        ("abcdef\x1b[3G\x1b[K", "ab"),
        ("abcdef\x1b[3G\x1b[1K", "   def"),
        ("abcdef\x1b[3G\x1b[2X", "ab  ef"),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[L", "a\n\nb\nc"),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[M", "a\nc"),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[J", "a"),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[1J", "\n\nc"),
        ("a\x1b[3b", "aaaa"),
        ("\x1b[10;3Hlow\x1b[2A\x1b[6Dup", "\nup\n\n  low"),
        ("a\tb\x08c", "a       c"),
        ("\x1b(0lqk\x1b(Bq", "┌─┐q"),
        ("\x1b7far\x1b8n", "nar"),
        ("top\x1b[1;1H\x1bMnew", "new\ntop"),
    ] {
        let screen = screen(20, 4, bytes);
        assert_eq!(screen.text(), text, "{bytes:?}");
    }
}

#[test]
fn region_scrolls_alone_and_alternate_screen_has_scrollback() {
    // As tmux does with its status line below.
    let tmux = screen(10, 4, "\x1b[?1049h\x1b[4;1Hstatus\x1b[1;3r\x1b[1;1Ha\r\nb\r\nc\r\nd\r\ne");
    assert_eq!(tmux.text(), "c\nd\ne\nstatus");
    assert_eq!(tmux.text_since(0), "a\nb\nc\nd\ne\nstatus");
    let shell = screen(10, 4, "shell\x1b[?1049hvim\x1b[?1049l$");
    assert_eq!(shell.text(), "shell$");
    // Deleted lines have not scrolled off.
    assert_eq!(screen(10, 3, "a\r\nb\x1b[H\x1b[M").text_since(0), "b");
}

#[test]
fn colours_and_styles_are_applied() {
    let screen = screen(
        40,
        2,
        "\x1b[1;31mred\x1b[0m \x1b[38;5;196;4mX\x1b[m\x1b[38;2;1;2;3mY\x1b[48:2::4:5:6mZ\x1b[39;49;7mI\x1b[97mw",
    );
    let rows = screen.rows();
    let found = |wanted: &str| {
        let row = rows.first().expect("a row");
        row.iter().find(|span| span.text.contains(wanted)).expect(wanted).style
    };
    let plain = Style::default();
    assert_eq!(found("red"), Style { fore: Color::Named(1), bold: true, ..plain });
    assert_eq!(found("X"), Style { fore: Color::Rgb(255, 0, 0), underline: true, ..plain });
    assert_eq!(found("Y"), Style { fore: Color::Rgb(1, 2, 3), ..plain });
    assert_eq!(found("Z"), Style { fore: Color::Rgb(1, 2, 3), back: Color::Rgb(4, 5, 6), ..plain });
    assert_eq!(found("I"), Style { inverse: true, ..plain });
    assert_eq!(found("w"), Style { inverse: true, fore: Color::Named(15), ..plain });
}

#[test]
fn wide_and_combining_characters_take_their_columns() {
    let mut screen = screen(4, 2, "日e\u{301}x");
    assert_eq!(screen.text(), "日e\u{301}x");
    assert_eq!(screen.cursor(), Some((0, 3)));
    // Overwriting half of a wide character removes all of it.
    screen.feed("\x1b[1;2Ho".as_bytes());
    assert_eq!(screen.text(), " oe\u{301}x");
    let wrapped = self::screen(3, 2, "ab日");
    assert_eq!(wrapped.text_since(0), "ab 日");
}

#[test]
fn queries_are_answered_and_modes_are_known() {
    let mut screen = screen(20, 4, "\x1b[2;3H\x1b[6n\x1b[c\x1b]2;A title\x07\x1b[?1h\x1b[?2004h\x1b[?25l");
    assert_eq!(screen.take_replies(), b"\x1b[2;3R\x1b[?62;22c");
    assert_eq!(screen.take_replies(), b"");
    assert_eq!(screen.title(), "A title");
    assert!(screen.application_cursor && screen.bracketed_paste);
    assert_eq!(screen.cursor(), None);
    screen.feed(b"\x1bPignored\x1b\\\x1b]52;c;c2VjcmV0\x1b\\shown");
    assert!(screen.text().ends_with("shown"));
    assert_eq!(screen.take_replies(), b"", "no program reads the clipboard");
}

#[test]
fn resizing_keeps_the_line_of_the_cursor() {
    let mut screen = screen(10, 4, "a\r\nb\r\nc\r\nd");
    screen.resize(6, 2);
    assert_eq!((screen.size(), screen.text().as_str()), ((6, 2), "c\nd"));
    assert_eq!(screen.text_since(0), "a\nb\nc\nd");
    screen.resize(0, 100_000);
    assert_eq!(screen.size(), (2, 200));
}

proptest! {
    #[test]
    fn any_input_is_accepted_however_it_is_split(
        bytes in proptest::collection::vec(prop_oneof![
            3 => any::<u8>(),
            3 => proptest::sample::select(b"\x1b[;0123456789?HJKLMPXrhlmABCDST@\r\n\t".to_vec()),
        ], 0..600),
        cut in 0usize..600,
        size in (1usize..30, 1usize..12),
    ) {
        let mut whole = Screen::new(size.0, size.1);
        whole.feed(&bytes);
        let mut pieces = Screen::new(size.0, size.1);
        let cut = cut.min(bytes.len());
        pieces.feed(&bytes[..cut]);
        pieces.feed(&bytes[cut..]);
        prop_assert_eq!(whole.rows(), pieces.rows());
        prop_assert_eq!(whole.text_since(0), pieces.text_since(0));
        let (columns, rows) = whole.size();
        prop_assert_eq!(whole.rows().len(), rows);
        pieces.resize(columns / 2, rows / 2 + 3);
        pieces.feed(&bytes);
        prop_assert!(pieces.text().len() <= 200 * 500 * 40);
    }
}
