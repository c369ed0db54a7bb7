use super::*;

#[test]
fn name_is_found_in_the_fence_or_the_first_line() {
    for (info, text, name) in [
        ("rust src/main.rs", "", Some("src/main.rs")),
        ("js title=\"app.js\"", "", Some("app.js")),
        ("rust:src/lib.rs", "", Some("src/lib.rs")),
        ("rust", "// src/main.rs\nfn main() {}", Some("src/main.rs")),
        ("html", "<!-- index.html -->\n<p>", Some("index.html")),
        ("python", "# this is a comment.\nx = 1", None),
        ("rust,no_run", "fn main() {}", None),
        ("sh", "# ../../etc/passwd.txt", None),
    ] {
        assert_eq!(name_of(info, text).as_deref(), name, "{info} {text}");
    }
}
