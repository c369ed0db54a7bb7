use super::*;

#[test]
fn file_name_gives_the_language() {
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
fn every_language_is_bundled_by_the_build() {
    let bundled = include_str!("../../../../../xtask/parts/languages.mjs");
    for name in [
        "a.rs", "a.js", "a.ts", "a.py", "a.json", "a.html", "a.css", "a.md", "a.xml", "a.yml", "a.sql", "a.c",
    ]
    .into_iter()
    .chain(["a.go", "a.java", "a.sh", "a.toml", "a.rb", "a.diff"])
    {
        let language = of_name(name).unwrap();
        assert!(bundled.contains(&format!("\n  {language}: ")), "{language}");
    }
}

#[test]
fn long_text_is_not_coloured() {
    assert_eq!(to_colour("a.rs", "fn main() {}\n"), Some("rust"));
    assert_eq!(to_colour("a.rs", &"\n".repeat(EDITOR_COLOURED_LINES + 1)), None);
    assert_eq!(to_colour("a.rs", &"x".repeat(EDITOR_COLOURED_BYTES + 1)), None);
    assert!(!is_longer(&"\n".repeat(5), 5) && is_longer(&"\n".repeat(6), 5));
}
