use proptest::prelude::*;

use super::*;

fn made(files: &[(&str, &str)]) -> WebPage {
    let file = |name: &str| files.iter().find(|(other, _)| *other == name).map(|(_, text)| *text);
    let first = files.first().map(|(name, _)| *name).unwrap();
    web_page(first, &file).unwrap()
}

#[test]
fn a_page_of_three_files_becomes_one() {
    let page = made(&[
        (
            "index.html",
            "<!doctype html><head><link rel=stylesheet href='./style.css'></head><p>Hi</p><script src=\"app.js\"></script>",
        ),
        ("style.css", "p { color: red }"),
        ("app.js", "document.title = 'run';"),
    ]);
    assert_eq!(
        page.html,
        "<!doctype html><head><style>p { color: red }</style></head><p>Hi</p>\
         <script>document.title = 'run';\n//# sourceURL=app.js\n</script>"
    );
    assert!(page.missing.is_empty());
}

#[test]
fn a_script_that_waits_runs_behind_the_page_and_a_module_stays_one() {
    let page = made(&[
        (
            "index.html",
            "<script defer src=b.js></script><script type=module src=c.js></script><SCRIPT SRC=a.js async></SCRIPT><p>",
        ),
        ("a.js", "a()"),
        ("b.js", "b()"),
        ("c.js", "c()"),
    ]);
    let place = |what: &str| page.html.find(what).unwrap();
    assert!(
        place("c()") < place("<p>") && place("<p>") < place("b()") && place("b()") < place("a()"),
        "{page:?}"
    );
    assert!(page.html.contains("<script type=module>c()"), "{page:?}");
    assert!(!page.html.contains("defer") && !page.html.contains("async"), "{page:?}");
}

#[test]
fn a_text_cannot_leave_the_element_it_is_put_into() {
    let page = made(&[
        ("index.html", "<script src=a.js></script><link rel=stylesheet href=a.css>"),
        ("a.js", "const end = '</SCRIPT><b>'; const open = '<!--<script>';"),
        ("a.css", "p::after { content: '</style><b>' }"),
    ]);
    assert!(page.html.contains(r"'<\/SCRIPT><b>'; const open = '<\!--<script>'"), "{page:?}");
    assert!(page.html.contains(r"'<\/style><b>'"), "{page:?}");
    assert_eq!(page.html.to_ascii_lowercase().matches("</script").count(), 1);
}

#[test]
fn pictures_and_sheets_that_sheets_name_are_written_in() {
    let page = made(&[
        ("web/index.html", "<img alt=x src='../art/a.svg'/><link rel=stylesheet href=css/a.css media=print>"),
        ("art/a.svg", "<svg id=\"a\"/>"),
        ("web/css/a.css", "@import 'b.css'; p { background: url( \"../../art/a.svg\" ) }"),
        ("web/css/b.css", "b { background: url(data:x) }"),
    ]);
    assert!(
        page.html.starts_with("<img alt=x src=\"data:image/svg+xml,%3Csvg id=%22a%22/%3E\"/>"),
        "{page:?}"
    );
    let sheet =
        "<style media=\"print\">b { background: url(data:x) } p { background: url(\"data:image/svg+xml,";
    assert!(page.html.contains(sheet), "{page:?}");
    assert!(page.missing.is_empty(), "{page:?}");
}

#[test]
fn sheets_that_name_each_other_end() {
    let page = made(&[
        ("index.html", "<link rel=stylesheet href=a.css>"),
        ("a.css", "@import 'b.css';@import 'b.css';a{}"),
        ("b.css", "@import url(a.css);@import url(a.css);b{}"),
    ]);
    assert!(page.html.len() < 5_000_000);
}

#[test]
fn what_names_no_file_is_told_once_and_left() {
    let text = "<script src=gone.js></script><img src=gone.png><img src=gone.png>\
                <script src=https://cdn.example/x.js></script><img src=//host/x.png><a href=other.html>";
    let page = made(&[("index.html", text)]);
    assert_eq!(page.html, text);
    assert_eq!(page.missing, ["gone.js", "gone.png"]);
}

#[test]
fn hints_to_connect_and_turning_pages_are_taken_out() {
    let page = made(&[(
        "index.html",
        "<link rel='preconnect' href=https://evil.example><link rel=\"DNS-Prefetch\" href=//evil.example>\
         <meta http-equiv=Refresh content='0;url=https://evil.example'><meta charset=utf-8>",
    )]);
    assert_eq!(page.html, "<meta charset=utf-8>");
}

#[test]
fn what_only_looks_like_a_tag_is_left() {
    for text in [
        "<!-- <script src=app.js></script> -->",
        "<!--><script src=no.js>",
        "<textarea><script src=app.js></script></textarea>",
        "<p title=\"<script src='app.js'></script>\">",
        "<script>let x = '<script src=\"app.js\">'</script>",
        "a < b <3 <",
        "<script src=app.js",
        "<p title=\"open",
        "<title></TITLE ><p/>",
        "<p =a b = c 'd>",
    ] {
        assert_eq!(made(&[("index.html", text), ("app.js", "run()")]).html, text, "{text}");
    }
}

#[test]
fn addresses_mean_files_as_on_a_host() {
    for (from, address, file) in [
        ("index.html", "app.js", Some("app.js")),
        ("index.html", "./app.js?v=2#x", Some("app.js")),
        ("a/b/index.html", "../app.js", Some("a/app.js")),
        ("a/index.html", "/app.js", Some("app.js")),
        ("index.html", "../../app.js", Some("app.js")),
        ("index.html", "my%20app.js", Some("my app.js")),
        ("index.html", "100%.js", Some("100%.js")),
        ("index.html", "https://host/app.js", None),
        ("index.html", "//host/app.js", None),
        ("index.html", "data:text/css,p", None),
        ("index.html", "#part", None),
        ("index.html", "", None),
    ] {
        assert_eq!(named_file(from, address).as_deref(), file, "{address} in {from}");
    }
}

/// A page made of what pages are made of, in any order.
fn odd_page() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "<!",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "<script",
        "</script>",
        "<style>",
        "</style>",
        "<p class=x>",
        "<img src=",
        "é",
        "text",
        "<textarea>",
        "&amp;",
        "href",
        "url(",
        "@import",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_page_that_names_no_file_stays_byte_for_byte(text in odd_page()) {
        let page = made(&[("index.html", &text)]);
        prop_assert_eq!(page.html, text);
    }

    #[test]
    fn whatever_the_files_are_a_page_comes_of_them(text in odd_page(), other in ".{0,80}") {
        let text = format!("<script src=a.js></script>{text}<link rel=stylesheet href=a.css>");
        let page = made(&[("index.html", &text), ("a.js", &other), ("a.css", &other), ("x", &other)]);
        let first = page.html.to_ascii_lowercase().find("//# sourceurl=a.js");
        prop_assert!(first.is_some());
        // Nothing in the script ends it before that.
        prop_assert!(!page.html.to_ascii_lowercase().get(..first.unwrap()).unwrap().contains("</script"));
    }
}
