use proptest::prelude::*;

use super::*;

fn search(files: &[(&str, &str)], wanted: &GrepQuery<'_>) -> GrepResult {
    let files: Vec<(String, &str)> = files.iter().map(|(name, text)| ((*name).to_owned(), *text)).collect();
    find(files.iter().map(|(name, text)| (name, *text)), wanted)
}

fn plain(text: &str) -> GrepQuery<'_> {
    GrepQuery { text, any_case: false, whole_words: false, around: 0 }
}

#[test]
fn lines_are_found_with_context() {
    let found =
        search(&[("a", "one\ntwo\nthree\nfour"), ("b", "two")], &GrepQuery { around: 1, ..plain("two") });
    assert_eq!(found.total, 2);
    assert_eq!(
        found.hits[0],
        GrepHit { file: "a".into(), line: 2, text: "1\tone\n2\ttwo\n3\tthree\n".into() }
    );
    assert_eq!(found.hits[1].text, "1\ttwo\n");
}

#[test]
fn case_and_whole_words_follow_the_query() {
    let text = [("a", "Cat\ncatalogue\nthe cat_ sat\nGRÜSSE")];
    assert_eq!(search(&text, &plain("cat")).total, 2);
    assert_eq!(search(&text, &GrepQuery { any_case: true, ..plain("CAT") }).total, 3);
    assert_eq!(search(&text, &GrepQuery { any_case: true, whole_words: true, ..plain("cat") }).total, 1);
    assert_eq!(search(&text, &GrepQuery { any_case: true, ..plain("grüsse") }).total, 1);
    assert_eq!(search(&text, &plain("a.*e")).total, 0, "not a regular expression");
}

#[test]
fn excess_hits_are_counted_and_not_returned() {
    let many = "x\n".repeat(FIND_HITS + 5);
    let found = search(&[("a", &many)], &plain("x"));
    assert_eq!((found.hits.len(), found.total), (FIND_HITS, FIND_HITS + 5));
    let long = format!("{}needle{}", "a".repeat(100_000), "b".repeat(100_000));
    let found = search(&[("a", &long)], &plain("needle"));
    assert!(found.hits[0].text.contains("needle") && found.hits[0].text.len() < FIND_LINE_CHARS + 20);
}

proptest! {
    #[test]
    fn every_matching_line_is_counted(text in "([ab ]{0,6}\n){0,20}", needle in "[ab]{1,2}") {
        let found = search(&[("f", &text)], &plain(&needle));
        let slow: Vec<_> = text.lines().enumerate().filter(|(_, line)| line.contains(&needle)).map(|(at, _)| at + 1).collect();
        prop_assert_eq!(found.hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), slow);
    }

    #[test]
    fn output_is_bounded(text in "[a-cü\n]{0,400}", around in 0usize..6, any_case: bool) {
        let found = search(&[("f", &text)], &GrepQuery { around, any_case, ..plain("a") });
        prop_assert!(found.hits.iter().map(|hit| hit.text.len()).sum::<usize>() <= FIND_BYTES);
    }
}
