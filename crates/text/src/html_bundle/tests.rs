use proptest::prelude::*;

use super::*;

fn made(files: &[(&str, &str)]) -> HtmlBundle {
    let file = |name: &str| files.iter().find(|(other, _)| *other == name).map(|(_, text)| *text);
    let first = files.first().map(|(name, _)| *name).unwrap();
    web_page(first, &file, &|name| (name == "photo.png").then(|| "data:image/png;base64,AAAA".to_owned()))
        .unwrap()
}

#[test]
fn three_files_become_one_page() {
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
fn deferred_script_runs_after_the_page_and_module_stays_a_module() {
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
fn inlined_text_cannot_end_its_element() {
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
fn files_of_style_sheets_are_inlined() {
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
fn circular_style_sheets_end() {
    let page = made(&[
        ("index.html", "<link rel=stylesheet href=a.css>"),
        ("a.css", "@import 'b.css';@import 'b.css';a{}"),
        ("b.css", "@import url(a.css);@import url(a.css);b{}"),
    ]);
    assert!(page.html.len() < 5_000_000);
}

#[test]
fn missing_file_is_reported_once() {
    let text = "<script src=gone.js></script><img src=gone.png><img src=gone.png>\
                <script src=https://cdn.example/x.js></script><img src=//host/x.png><a href=other.html>";
    let page = made(&[("index.html", text)]);
    assert_eq!(page.html, text);
    assert_eq!(page.missing, ["gone.js", "gone.png"]);
}

#[test]
fn connection_hints_and_redirects_are_removed() {
    let page = made(&[(
        "index.html",
        "<link rel='preconnect' href=https://evil.example><link rel=\"DNS-Prefetch\" href=//evil.example>\
         <meta http-equiv=Refresh content='0;url=https://evil.example'><meta charset=utf-8>",
    )]);
    assert_eq!(page.html, "<meta charset=utf-8>");
}

#[test]
fn look_alike_tags_are_ignored() {
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
fn addresses_resolve_as_on_a_host() {
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
    fn page_without_files_is_unchanged(text in odd_page()) {
        let page = made(&[("index.html", &text)]);
        prop_assert_eq!(page.html, text);
    }

    #[test]
    fn any_files_give_a_page(text in odd_page(), other in ".{0,80}") {
        let text = format!("<script src=a.js></script>{text}<link rel=stylesheet href=a.css>");
        let page = made(&[("index.html", &text), ("a.js", &other), ("a.css", &other), ("x", &other)]);
        let first = page.html.to_ascii_lowercase().find("//# sourceurl=a.js");
        prop_assert!(first.is_some());
        // Nothing in the script ends it earlier.
        prop_assert!(!page.html.to_ascii_lowercase().get(..first.unwrap()).unwrap().contains("</script"));
    }
}

#[test]
fn circular_modules_find_each_other() {
    let page = made(&[
        (
            "web/index.html",
            "<head><script>let a = 1</script></head><script type=module src=app.js></script>\
             <script type=module>import { b } from './lib/b.js'; import x from 'bare'; import './gone.js'</script>\
             <script type=application/json>\"import './app.js'\"</script>",
        ),
        (
            "web/app.js",
            "import { b } from \"./lib/b.js\";\nimport data from '../data.json' with { type: 'json' };",
        ),
        ("web/lib/b.js", "import '../app.js'; export const b = 1;"),
        ("data.json", "{\"a\": \"</script>\"}"),
    ]);
    let map = page.html.find("<script type=\"importmap\">{\"imports\":{").unwrap();
    assert!(map < page.html.find("let a").unwrap(), "it stands before all scripts: {page:?}");
    assert!(page.html.contains("import { b } from \"nexus:/web/lib/b.js\""), "{page:?}");
    assert!(
        page.html
            .contains("import { b } from 'nexus:/web/lib/b.js'; import x from 'bare'; import './gone.js'")
    );
    assert!(
        page.html
            .contains("\"nexus:/data.json\":\"data:application/json,%7B%22a%22: %22%3C/script%3E%22%7D\"")
    );
    // A cycle: b imports the module app, under its own name.
    assert!(
        page.html
            .contains("\"nexus:/web/lib/b.js\":\"data:text/javascript,import %27nexus:/web/app.js%27%3B")
    );
    assert!(page.html.contains("\"nexus:/web/app.js\":\"data:text/javascript,"));
    assert!(page.html.contains(">\"import './app.js'\"</script>"), "data is left as it is");
    assert_eq!(page.missing, ["web/gone.js"]);
}

#[test]
fn binary_images_are_inlined_everywhere() {
    let page = made(&[
        ("index.html", "<img src='photo.png'><link rel=stylesheet href=a.css><img src=other.png>"),
        ("a.css", "p { background: url(photo.png) } b { background: url('no.png') }"),
    ]);
    assert!(page.html.starts_with("<img src=\"data:image/png;base64,AAAA\">"), "{page:?}");
    assert!(page.html.contains("background: url(\"data:image/png;base64,AAAA\") }"), "{page:?}");
    assert_eq!(page.missing, ["no.png", "other.png"]);
}
