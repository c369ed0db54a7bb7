//! Detects a file's language by its name, and which texts are too long to highlight while typing.

use crate::limits::{EDITOR_COLOURED_BYTES, EDITOR_COLOURED_LINES};

/// The language of a file with this name; `None` where it is none that can be coloured. The names are those of
/// `xtask/parts/languages.mjs`.
pub fn of_name(name: &str) -> Option<&'static str> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    match base.as_str() {
        "dockerfile" | "makefile" | ".bashrc" | ".profile" | ".env" => return Some("shell"),
        "cargo.lock" => return Some("toml"),
        "gemfile" | "rakefile" => return Some("ruby"),
        _ => {}
    }
    let (_, ending) = base.rsplit_once('.')?;
    Some(match ending {
        "rs" => "rust",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "mts" | "cts" | "tsx" => "typescript",
        "py" | "pyi" => "python",
        "json" | "jsonc" | "webmanifest" | "map" => "json",
        "html" | "htm" | "xhtml" | "vue" | "svelte" => "html",
        "css" | "scss" | "less" => "css",
        "md" | "markdown" | "mdx" => "markdown",
        "xml" | "svg" | "xsl" | "plist" => "xml",
        "yaml" | "yml" => "yaml",
        "sql" => "sql",
        "c" | "h" | "cpp" | "cc" | "cxx" | "hpp" | "hh" => "cpp",
        "go" => "go",
        "java" => "java",
        "sh" | "bash" | "zsh" => "shell",
        "toml" | "ini" | "conf" => "toml",
        "rb" => "ruby",
        "diff" | "patch" => "diff",
        _ => return None,
    })
}

/// The language to colour this text of a file by; `None` also where it is too long for that.
pub fn to_colour(name: &str, text: &str) -> Option<&'static str> {
    let language = of_name(name)?;
    (text.len() <= EDITOR_COLOURED_BYTES && !is_longer(text, EDITOR_COLOURED_LINES)).then_some(language)
}

/// Whether a text has more lines than this.
pub fn is_longer(text: &str, lines: usize) -> bool {
    // A text of few bytes cannot; most are.
    text.len() > lines && text.bytes().filter(|byte| *byte == b'\n').nth(lines).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language() {
        for (name, language) in [
            ("src/main.rs", Some("rust")),
            ("INDEX.HTML", Some("html")),
            ("Dockerfile", Some("shell")),
            ("notes", None),
            (".gitignore", None),
            ("a.tar.gz", None),
        ] {
            assert_eq!(of_name(name), language, "{name}");
        }
    }

    #[test]
    fn every_language_is_one_that_the_build_bundles() {
        let bundled = include_str!("../../../xtask/parts/languages.mjs");
        for name in [
            "a.rs", "a.js", "a.ts", "a.py", "a.json", "a.html", "a.css", "a.md", "a.xml", "a.yml", "a.sql",
            "a.c",
        ]
        .into_iter()
        .chain(["a.go", "a.java", "a.sh", "a.toml", "a.rb", "a.diff"])
        {
            let language = of_name(name).unwrap();
            assert!(bundled.contains(&format!("\n  {language}: ")), "{language}");
        }
    }

    #[test]
    fn a_long_text_is_not_coloured() {
        assert_eq!(to_colour("a.rs", "fn main() {}\n"), Some("rust"));
        assert_eq!(to_colour("a.rs", &"\n".repeat(EDITOR_COLOURED_LINES + 1)), None);
        assert_eq!(to_colour("a.rs", &"x".repeat(EDITOR_COLOURED_BYTES + 1)), None);
        assert!(!is_longer(&"\n".repeat(5), 5) && is_longer(&"\n".repeat(6), 5));
    }
}
