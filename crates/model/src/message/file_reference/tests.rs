use proptest::prelude::*;

use super::*;
use crate::mind::MindEdit;
use nexus_text::limits::counted;

const FILES: [&str; 5] = ["a.rs", "src/a.rs", "my notes.txt", "a.rs.bak", "c#"];

fn found(text: &str) -> Vec<String> {
    let files = FILES.map(str::to_owned);
    references_in(text, files.iter())
        .iter()
        .map(|one| match one.lines {
            Some((from, to)) => format!("{} {from}-{to}", one.file),
            None => one.file.clone(),
        })
        .collect()
}

#[test]
fn references_are_found_as_people_write_them() {
    assert_eq!(found("look at #a.rs, and (#src/a.rs:10-20)."), ["a.rs", "src/a.rs 10-20"]);
    assert_eq!(found("#my notes.txt:3!"), ["my notes.txt 3-3"]);
    assert_eq!(found("#a.rs:L5-L2"), ["a.rs 2-5"]);
    assert_eq!(found("#a.rs.bak"), ["a.rs.bak"], "the longest name wins");
    assert_eq!(found("#a.rs and #a.rs again"), ["a.rs"]);
    assert_eq!(found("#a.rs: it fails"), ["a.rs"]);
    assert_eq!(found("#c#"), ["c#"]);
}

#[test]
fn other_text_is_no_reference() {
    for text in
        ["a.rs", "x#a.rs", "##a.rs", "#a.rsx", "#b.rs", "https://x.example/#a.rs", "#a.rs/x", "#", "#a.rs:9x"]
    {
        assert_eq!(found(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(found("#a.rs:0"), Vec::<String>::new(), "line numbers start at one");
}

fn mind(text: &str) -> Mind {
    Mind::default().with(&[MindEdit::File { name: "a.rs".into(), text: text.into() }])
}

#[test]
fn passage_has_numbered_lines() {
    let parts = passages("#a.rs:2-3", &mind("one\ntwo\nthree\nfour\n"));
    let passage = passages_of(&parts).next().unwrap();
    assert_eq!(passage.text, "2\ttwo\n3\tthree\n");
    assert_eq!((passage.lines().as_str(), passage.of), ("2-3", 4));
    assert_eq!(FileExcerpt::read(&json!({ "other": 1 })), None);
}

#[test]
fn missing_lines_are_omitted() {
    let of = |text: &str, file: &str| passages_of(&passages(text, &mind(file))).next().unwrap();
    assert_eq!(of("#a.rs:3-99", "one\ntwo\nthree").text, "3\tthree\n");
    assert_eq!(of("#a.rs:50", "one\ntwo").lines(), "2");
    assert_eq!(of("#a.rs", "").lines(), "");
}

#[test]
fn large_file_is_truncated_at_a_line() {
    let parts = passages("#a.rs", &mind(&"0123456789\n".repeat(20_000)));
    let passage = passages_of(&parts).next().unwrap();
    assert!(passage.text.len() <= PASSAGE_BYTES && passage.to < passage.of && passage.to > 100);
    assert!(passage.text.ends_with('\n'));
}

/// A simple implementation of the same rule.
fn pointed_naive(text: &str, files: &[String]) -> Vec<FileReference> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('#') {
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '#' || c == '&' || c == '/') {
            continue;
        }
        let fitting =
            files.iter().filter_map(|name| parse_reference(name, text.get(at + 1..).unwrap_or_default()));
        if let Some(one) = fitting.max_by_key(|one| one.file.len())
            && !found.contains(&one)
        {
            found.push(one);
        }
    }
    found
}

#[test]
fn megabyte_texts_take_linear_time() {
    let files: Vec<String> =
        (0..190).map(|place| format!("src/{}{place}.rs", "s".repeat(place % 7))).collect();
    for piece in [
        "#",
        "# ",
        "#s",
        "#src/0.rs",
        "#src/0.rs:1-",
        "#src/0.rs ",
        "(#src/1.rs)",
        "#src/",
        "#src/0.rs!",
        "#s\n@s\n",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let (_, steps) = counted(|| references_in(&text, files.iter()));
        assert!(steps <= 4 * text.len(), "{piece}: {steps}");
    }
    let numbered: String = (1..80_000).map(|line| format!("#src/0.rs:{line} ")).collect();
    assert_eq!(references_in(&numbered, files.iter()).len(), REFERENCED_FILES);
}

proptest! {
    #[test]
    fn references_equal_the_naive_search(
        text in "[#:a-c.1 \\-ü/]{0,60}", files in proptest::collection::vec("[a-c.ü/#:]{1,5}", 0..12)
    ) {
        prop_assert_eq!(references_in(&text, files.iter()), pointed_naive(&text, &files));
    }

    #[test]
    fn passage_round_trips_through_its_part(
        text in "([a-z]{0,5}\n){0,30}", from in 1usize..40, to in 1usize..40
    ) {
        let message = format!("#a.rs:{from}-{to}");
        let parts = passages(&message, &mind(&text));
        let passage = passages_of(&parts).next().unwrap();
        let lines: Vec<_> = text.lines().collect();
        prop_assert_eq!(passage.of, lines.len());
        for row in passage.text.lines() {
            let (number, line) = row.split_once('\t').unwrap();
            prop_assert_eq!(lines[number.parse::<usize>().unwrap() - 1], line);
        }
        prop_assert_eq!(passage.part(), parts[0].clone());
    }

    #[test]
    fn any_message_is_parsed_without_panic(message in "[#:a-c.rsL0-9 \\-\nü]{0,60}", text in "\\PC{0,40}") {
        drop(passages(&message, &mind(&text)));
    }
}
