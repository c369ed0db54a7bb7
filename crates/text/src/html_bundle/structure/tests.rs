use proptest::prelude::*;

use super::*;

fn lines(problems: Vec<StructureProblem>) -> Vec<String> {
    problems.into_iter().map(|problem| format!("{}: {}", problem.line, problem.message)).collect()
}

#[test]
fn valid_page_has_no_problems() {
    let page = "<!doctype html>\n<html><head><meta charset=utf-8><link rel=x href=y/></head>\n<body><ul><li>a<li>b</ul>\n\
        <svg><path d=\"M0 0\"/><circle/></svg><p>one<p>two<br/><img src=a>\n<script>if (a < b) { '</div>' }</script>\n\
        <style>a { content: \"}\" }</style><textarea></textarea><!-- <div> --></body></html>";
    assert_eq!(lines(markup_problems(page, false)), Vec::<String>::new());
    assert!(markup_problems("<svg><g><rect/></g></svg>", true).is_empty());
}

#[test]
fn unclosed_parts_are_reported_with_their_line() {
    let page = "<div>\n<span id=a>x\n</div>\n</section>\n<b id=a>\n<style>\na {\n</style>\n<script>x";
    assert_eq!(
        lines(markup_problems(page, false)),
        [
            "2: <span> is not closed before </div> on line 3",
            "4: </section> closes nothing",
            "5: the id a is already used on line 2",
            "5: <b> is not closed",
            "7: a block { is not closed",
            "9: <script> is not closed",
        ]
    );
    assert_eq!(
        lines(markup_problems("<svg><g></svg>", true)),
        ["1: <g> is not closed before </svg> on line 1"]
    );
}

#[test]
fn unended_parts_of_a_sheet_are_reported() {
    assert!(css_problems("@media x { a { b: url('}'); } } /* } */ .a\\{b { c: \"\\\"\" }").is_empty());
    assert_eq!(
        lines(css_problems("a {\n b: 'c\n}\n}\n/* d")),
        [
            "2: a text in quotes is not closed on its line",
            "4: } closes nothing",
            "5: a comment is not closed"
        ]
    );
}

#[test]
fn inline_scripts_have_their_lines() {
    let page = "<p>\n<script>\nlet a;\n</script><script src=b.js></script>\n<script type=module>import 'a'</script>\
        <script type=\"application/json\">{}</script>";
    let found: Vec<_> =
        inline_scripts(page).into_iter().map(|it| (it.line, it.is_module, it.text.trim())).collect();
    assert_eq!(found, [(2, false, "let a;"), (5, true, "import 'a'")]);
}

proptest! {
    #[test]
    fn any_text_is_read_to_its_end(text in "[a-c<>/!\"'={}*\\\\ \n-]{0,60}") {
        prop_assert!(markup_problems(&text, false).len() <= MOST);
        prop_assert!(css_problems(&text).len() <= MOST);
    }
}
