use super::*;

#[test]
fn the_remark_comes_first_and_each_change_is_quoted_with_its_lines() {
    let quote = |lines, hunk: &str| QuotedChange { field: "a.js".into(), lines, hunk: hunk.into() };
    let text = sent_back(" Keep it short. ", &[quote((3, 5), "-a\n+b\n"), quote((9, 9), "-c\n")]);
    assert_eq!(
        text,
        "Keep it short.\n\nYour change to a.js, lines 3–5:\n\n```diff\n-a\n+b\n```\n\nYour change to a.js, line 9:\n\n\
         ```diff\n-c\n```"
    );
}

#[test]
fn a_quoted_fence_does_not_end_the_quote() {
    let hunk = "+````\n+code\n";
    let text = sent_back("", &[QuotedChange { field: "b.md".into(), lines: (1, 1), hunk: hunk.into() }]);
    assert!(text.starts_with("Your change to b.md, line 1:\n\n`````diff\n"), "{text}");
    assert!(text.ends_with("+code\n`````"), "{text}");
}
