//! Minifies scripts and styles: removes comment lines, empty lines, indentation, and spaces of styles.

/// Removes comment lines, empty lines and indentation. A script with a template literal over several lines is
/// returned unchanged: in it, spaces and slashes are content.
pub(crate) fn brief(script: &str) -> String {
    if script.lines().any(|line| !line.matches('`').count().is_multiple_of(2)) {
        return script.to_owned();
    }
    let mut brief = String::with_capacity(script.len());
    let mut is_comment = false;
    for mut line in script.lines().map(str::trim) {
        if is_comment || line.starts_with("/*") {
            // Code may follow the end of a comment.
            let Some((_, rest)) = line.split_once("*/") else {
                is_comment = true;
                continue;
            };
            is_comment = false;
            line = rest.trim_start();
        }
        if !line.is_empty() && !line.starts_with("//") {
            brief.push_str(line);
            brief.push('\n');
        }
    }
    brief
}

/// As [`brief`], also without the spaces and ends of lines beside punctuation, but for those in quotes.
pub(crate) fn brief_style(style: &str) -> String {
    const SHORTER: [(&str, &str); 11] = [
        ("{\n", "{"),
        ("}\n", "}"),
        (";\n", ";"),
        (",\n", ","),
        (" {", "{"),
        ("{ ", "{"),
        (" }", "}"),
        (";}", "}"),
        (": ", ":"),
        ("; ", ";"),
        (", ", ","),
    ];
    let style = brief(style);
    let pieces = style.split('"').enumerate().map(|(number, piece)| {
        let is_quoted = number % 2 == 1;
        if is_quoted {
            return piece.to_owned();
        }
        SHORTER.iter().fold(piece.to_owned(), |piece, (from, to)| piece.replace(from, to))
    });
    pieces.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_are_removed_and_code_stays() {
        let script = "// About this.\n\n(() => {\n  /**\n   * About `that`.\n   */\n  const a = 1; // one\n\n  /* short */\n  \
                      /* before\n  and after */ const b = a /* in */ * 2;\n  const url = \"https://example.org/*\";\n})();\n";
        let brief = brief(script);
        assert_eq!(
            brief,
            "(() => {\nconst a = 1; // one\nconst b = a /* in */ * 2;\nconst url = \
             \"https://example.org/*\";\n})();\n"
        );
        assert_eq!(super::brief(&brief), brief, "a second time changes nothing");
    }

    #[test]
    fn spaces_of_a_style_stay_in_quotes_and_between_words() {
        let style = "/* a */\n.a :hover, .b > c { margin: 0 auto; content: \"a: { b }, c; \"; }\n\
                     @media (width < 9rem) and print {\n  .a { inset: calc(1px + 2px); }\n}\n";
        assert_eq!(
            brief_style(style),
            ".a :hover,.b > c{margin:0 auto;content:\"a: { b }, c; \"}\
             @media (width < 9rem) and print{.a{inset:calc(1px + 2px)}}"
        );
    }

    #[test]
    fn a_multi_line_template_literal_is_unchanged() {
        let script = "const text = `one\n  // two\n`;\n";
        assert_eq!(brief(script), script);
    }

    #[test]
    fn initial_scripts_become_smaller() {
        for script in [
            include_str!("../../public/boot.js"),
            include_str!("../../public/dump.js"),
            include_str!("../../public/recovery.js"),
            include_str!("../../public/watchdog.js"),
        ] {
            let brief = brief(script);
            assert!(brief.len() < script.len() * 9 / 10);
            assert!(!brief.lines().any(|line| line.starts_with("//") || line.starts_with('*')));
        }
    }
}
