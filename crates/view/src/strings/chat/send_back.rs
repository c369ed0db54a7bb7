//! Builds the message that sends changes back to an agent: the remark first, then the quoted changes.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedChange {
    /// `the objective`, `the scratchpad`, or the file's name.
    pub field: String,
    /// The first and last line that it has now, from 1; where lines were only removed, the place they stood at.
    pub lines: (usize, usize),
    /// The lines, with `-` and `+` before them.
    pub hunk: String,
}

/// The message with a remark on changes.
pub fn sent_back(remark: &str, quotes: &[QuotedChange]) -> String {
    let mut out = remark.trim().to_owned();
    for QuotedChange { field, lines: (first, last), hunk } in quotes {
        let lines = if last > first { format!("lines {first}–{last}") } else { format!("line {first}") };
        let fence = fence_for(hunk);
        let space = if out.is_empty() { "" } else { "\n\n" };
        out.push_str(&format!("{space}Your change to {field}, {lines}:\n\n{fence}diff\n{hunk}{fence}"));
    }
    out
}

/// A fence that is longer than any in the text.
fn fence_for(text: &str) -> String {
    let mut longest = 0usize;
    let mut run = 0usize;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_stands_first_and_each_change_is_quoted_with_its_place() {
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
}
