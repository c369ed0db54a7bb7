use proptest::prelude::*;

use super::*;

fn coloured(code: &str, language: &str) -> Vec<(TokenKind, String)> {
    let tokens = highlight(code, language);
    tokens
        .into_iter()
        .filter(|token| token.kind != TokenKind::Plain)
        .map(|token| (token.kind, token.text))
        .collect()
}

fn has(code: &str, language: &str, expected: &[(TokenKind, &str)]) {
    let found = coloured(code, language);
    for (kind, text) in expected {
        assert!(
            found.iter().any(|(k, t)| k == kind && t == text),
            "{language}: no {kind:?} {text:?} in {found:?}"
        );
    }
}

#[test]
fn common_languages_are_coloured() {
    use TokenKind::*;
    has(
        "#[derive(Debug)]\npub fn run<'a>(x: &'a str) -> Vec<u8> { r#\"a \"b\" \"#; 'x' } // end",
        "rust",
        &[
            (Meta, "#[derive(Debug)]"),
            (Keyword, "pub"),
            (Function, "run"),
            (Constant, "'a"),
            (Type, "Vec"),
            (Text, "r#\"a \"b\" \"#"),
            (Text, "'x'"),
            (Comment, "// end"),
        ],
    );
    has(
        "const a = `x\n${y}`; await f(1.5e-3)",
        "ts",
        &[(Keyword, "const"), (Text, "`x\n${y}`"), (Function, "f"), (Number, "1.5e-3")],
    );
    has("{\"a\": [1, true, null]}", "json", &[(Text, "\"a\""), (Number, "1"), (Constant, "true")]);
    has(
        "@dec\ndef f(x):\n  \"\"\"doc\n  \"\"\"\n  return None # no",
        "python",
        &[
            (Meta, "@dec"),
            (Keyword, "def"),
            (Function, "f"),
            (Text, "\"\"\"doc\n  \"\"\""),
            (Constant, "None"),
            (Comment, "# no"),
        ],
    );
    has(
        "func main() { var x string = `a` }",
        "go",
        &[(Keyword, "func"), (Constant, "string"), (Text, "`a`")],
    );
    has(
        "@Override public String x = \"a\";",
        "java",
        &[(Meta, "@Override"), (Keyword, "public"), (Type, "String")],
    );
    has(
        "#include <stdio.h>\nint main(void) {}",
        "c",
        &[(Meta, "#include <stdio.h>"), (Constant, "int"), (Function, "main")],
    );
    has(
        "for f in $FILES; do echo \"$f\"; done # x",
        "sh",
        &[(Keyword, "for"), (Meta, "$FILES"), (Text, "\"$f\""), (Comment, "# x")],
    );
    has("[a]\nname = \"x\" # y", "toml", &[(Name, "name"), (Text, "\"x\""), (Comment, "# y")]);
    has("key: true\nlist:\n  - 1", "yaml", &[(Name, "key"), (Constant, "true"), (Number, "1")]);
    has(
        "SELECT a FROM b -- c\nwhere x = 'it''s'",
        "sql",
        &[(Keyword, "SELECT"), (Keyword, "where"), (Comment, "-- c")],
    );
    has("a { color: red; } /* c */", "css", &[(Name, "color"), (Comment, "/* c */")]);
    has(
        "<p class=\"x\">a &amp; b</p><!-- c -->",
        "html",
        &[(Keyword, "<p"), (Name, "class"), (Text, "\"x\""), (Constant, "&amp;"), (Comment, "<!-- c -->")],
    );
    has(
        "# Title\n- `code` **strong**\n",
        "md",
        &[(Keyword, "# Title\n"), (Constant, "-"), (Text, "`code`"), (Name, "**strong**")],
    );
    has("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "diff", &[(Removed, "-x\n"), (Added, "+y\n")]);
}

#[test]
fn unknown_language_is_plain() {
    assert_eq!(
        highlight("fn x()", "klingon"),
        [CodeToken { kind: TokenKind::Plain, text: "fn x()".to_owned() }]
    );
    assert!(highlight("", "rust").is_empty());
}

const NAMES: [&str; 17] = [
    "rust", "js", "json", "css", "python", "go", "java", "c", "sh", "toml", "yaml", "sql", "ruby", "php",
    "html", "md", "diff",
];

#[test]
fn hostile_code_is_read_once() {
    let marks = [
        "\"", "'", "`", "/*", "#", "r#\"", "r####", "<", "<a ", "&", "&a", "*", "`", "\\", "<!--", "\"\"\"",
        "@", "0x", "${", "a(",
    ];
    for mark in marks {
        let code = mark.repeat(HIGHLIGHT_BYTES / 8 / mark.len());
        for name in NAMES {
            let started = std::time::Instant::now();
            assert_eq!(
                highlight(&code, name).iter().map(|token| token.text.len()).sum::<usize>(),
                code.len()
            );
            // Unoptimised, on a busy machine; quadratic code takes minutes.
            assert!(started.elapsed().as_secs() < 5, "{name}: {mark}");
        }
    }
}

proptest! {
    #[test]
    fn no_byte_is_lost(code in "[a-z\"'`/*#<>&@$ \\n\\\\(){}\u{e4}0-9.=:-]{0,200}", language in 0..NAMES.len()) {
        let tokens = highlight(&code, NAMES[language]);
        prop_assert_eq!(tokens.iter().map(|token| token.text.as_str()).collect::<String>(), code);
    }
}
