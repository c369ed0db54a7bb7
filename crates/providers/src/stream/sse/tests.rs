use super::*;
use proptest::prelude::*;

/// Frames of `pieces`, and the stray text.
fn read(pieces: &[&[u8]]) -> (Vec<SseFrame>, String) {
    let mut reader = SseReader::default();
    let mut frames: Vec<_> = pieces.iter().flat_map(|piece| reader.feed(piece)).collect();
    frames.extend(reader.end());
    (frames, reader.stray.to_owned())
}

fn data_of(text: &str) -> Vec<String> {
    read(&[text.as_bytes()])
        .0
        .into_iter()
        .map(|frame| match frame {
            SseFrame::Event { data, .. } => data,
            SseFrame::Overlong(_) | SseFrame::Stray(_) => panic!("{frame:?}"),
        })
        .collect()
}

#[test]
fn all_line_ends_work() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = ["data: a", "data: b", "", "data: c", "", ""].join(end);
        assert_eq!(data_of(&stream), ["a\nb", "c"], "{end:?}");
    }
}

#[test]
fn quirks_of_real_servers_are_accepted() {
    assert_eq!(data_of("\u{feff}data: first\n\n"), ["first"]);
    assert_eq!(data_of(": ping\n\ndata: a\n: ping\ndata: b\n\n"), ["a\nb"]);
    assert_eq!(data_of("  data: indented\n\n"), ["indented"]);
    assert_eq!(data_of("data:  one space is taken\n\n"), [" one space is taken"]);
    assert_eq!(data_of("data\n\n"), [""]);
    assert_eq!(data_of("data: padded   \n   \ndata: same event\n\n"), ["padded   \nsame event"]);
    assert_eq!(data_of("id: 7\nretry: 10\n\n"), Vec::<String>::new());
    assert_eq!(data_of("data: nul\0 and \u{2028} stay\n\n"), ["nul\0 and \u{2028} stay"]);
}

#[test]
fn the_end_of_the_stream_completes_a_pending_event() {
    assert_eq!(data_of("data: no blank line\r\n"), ["no blank line"]);
    assert_eq!(data_of("data: no line end"), ["no line end"]);
}

#[test]
fn names_belong_to_their_event_only() {
    let (frames, _) = read(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
    let event = |name: Option<&str>, data: &str| SseFrame::Event {
        name: name.map(str::to_owned),
        data: data.to_owned(),
    };
    assert_eq!(frames, [event(Some("error"), "a"), event(None, "b")]);
}

#[test]
fn invalid_utf8_is_replaced_and_split_utf8_is_joined() {
    let (frames, _) = read(&[b"data: a\xff\xe2b\n\n"]);
    assert_eq!(frames, [SseFrame::Event { name: None, data: "a\u{fffd}\u{fffd}b".into() }]);
    let (frames, _) = read(&[b"data: \xe2", b"\x82", b"\xac\n\n"]);
    assert_eq!(frames, [SseFrame::Event { name: None, data: "€".into() }]);
}

#[test]
fn lines_without_a_field_are_kept_as_stray_text() {
    let (frames, stray) = read(&[b"data: good\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}"]);
    assert_eq!(frames.len(), 1 + 5, "an event and five stray lines");
    assert_eq!(frames.last(), Some(&SseFrame::Stray(stray.len())));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&stray).unwrap(),
        serde_json::json!({"error": {"code": 503}})
    );
}

#[test]
fn endless_lines_are_dropped_and_the_next_event_is_read() {
    let mut reader = SseReader::default();
    let mebibyte = vec![b'x'; 1024 * 1024];
    assert!(reader.feed(b"data: ").is_empty());
    for _ in 0..9 {
        assert!(reader.feed(&mebibyte).is_empty());
    }
    let frames = reader.feed(b"\n\n");
    assert!(matches!(frames.as_slice(), [SseFrame::Overlong(head)] if head.starts_with("data: xxx")));
    assert_eq!(reader.feed(b"data: ok\n\n"), [SseFrame::Event { name: None, data: "ok".into() }]);
}

/// Formats texts as events with the given line ends, comments and indents, as a careless server would.
fn framed(events: &[String], choices: &[u8]) -> String {
    let mut choices = choices.iter().copied().cycle();
    let mut stream = String::new();
    let mut put = |line: &str| {
        let choice = choices.next().unwrap_or_default();
        let end = match choice % 3 {
            0 => "\n",
            1 => "\r\n",
            _ => "\r",
        };
        if choice & 8 != 0 && !line.is_empty() {
            stream.push_str(": note");
            stream.push_str(end);
        }
        if choice & 16 != 0 && !line.is_empty() {
            stream.push(' ');
        }
        stream.push_str(line);
        // An empty line that ends in LF right after a CR would rightly be read as a single line end.
        stream.push_str(if line.is_empty() && stream.ends_with('\r') { "\r" } else { end });
    };
    for event in events {
        for line in event.split('\n') {
            put(&format!("data: {line}"));
        }
        put("");
    }
    stream
}

proptest! {
    #[test]
    fn line_ends_and_chunking_do_not_change_the_events(
        events in prop::collection::vec("([^\r\n]{0,12}\n?){1,3}", 1..6),
        choices in prop::collection::vec(any::<u8>(), 1..24),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let stream = framed(&events, &choices);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut reader = SseReader::default();
        let mut frames = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([stream.len()]) {
            frames.extend(reader.feed(&stream.as_bytes()[from..cut]));
            from = cut;
        }
        frames.extend(reader.end());
        let expected: Vec<_> =
            events.into_iter().map(|data| SseFrame::Event { name: None, data }).collect();
        prop_assert_eq!(frames, expected);
        prop_assert_eq!(reader.stray, "");
    }
}
