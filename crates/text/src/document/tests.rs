//! Tests of reading documents of Word and LibreOffice, and damaged ones.

use proptest::prelude::*;

use super::*;

fn word(body: &str) -> String {
    text_of(&format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"http://x\"><w:body>{body}<w:sectPr/></w:body></w:document>"
    ))
}

fn paragraph(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

#[test]
fn word_headings_paragraphs_and_lists_are_read() {
    let item = |level: usize, text: &str| {
        paragraph(&format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"3\"/></w:numPr>"), text)
    };
    let body = [
        paragraph("<w:pStyle w:val=\"Title\"/>", "Report"),
        paragraph("", "One &amp; two &#228;&#x1F980;"),
        paragraph("<w:pStyle w:val=\"Heading2\"/>", "Part"),
        item(0, "first"),
        item(1, "below"),
        item(0, "second"),
        paragraph("<w:pStyle w:val=\"berschrift3\"/>", "Deutsch"),
        paragraph("", "The end."),
    ];
    let expected =
        "# Report\n\nOne & two ä🦀\n\n## Part\n\n- first\n  - below\n- second\n\n### Deutsch\n\nThe end.\n";
    assert_eq!(word(&body.concat()), expected);
}

#[test]
fn paragraph_joins_its_runs() {
    let runs = "<w:p><w:r><w:t>He</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>llo</w:t></w:r><w:r><w:tab/><w:t>there</w:t>\
                <w:br/><w:t>below</w:t></w:r></w:p>";
    assert_eq!(word(runs), "Hello\tthere  \nbelow\n");
}

#[test]
fn deleted_text_and_instructions_are_omitted() {
    let runs = "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>\
                <w:r><w:instrText>PAGE</w:instrText></w:r></w:p><w:p/>";
    assert_eq!(word(runs), "new\n");
}

#[test]
fn table_becomes_markdown() {
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("", text));
    let row = |cells: [&str; 2]| format!("<w:tr>{}{}</w:tr>", cell(cells[0]), cell(cells[1]));
    let within = format!("<w:tr><w:tc><w:tbl>{}</w:tbl></w:tc>{}</w:tr>", row(["a", "b"]), cell("c|d"));
    let body = [
        paragraph("", "Before"),
        format!("<w:tbl>{}{}{within}</w:tbl>", row(["Name", "Size"]), row(["x", "1"])),
    ];
    let expected = "Before\n\n| Name | Size |\n| --- | --- |\n| x | 1 |\n| a b | c\\|d |\n";
    assert_eq!(word(&body.concat()), expected);
}

#[test]
fn libre_office_document_is_read() {
    let body = "<office:text><text:h text:outline-level=\"1\">Report</text:h><text:p>One<text:s text:c=\"2\"/>two<text:line-break/>\
                <text:span>three</text:span></text:p><text:list><text:list-item><text:p>first</text:p><text:list><text:list-item>\
                <text:p>below</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>second</text:p>\
                </text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell>\
                </table:table-row></table:table><text:p>End<office:annotation><text:p>note</text:p></office:annotation></text:p>\
                </office:text>";
    let expected = "# Report\n\nOne  two  \nthree\n\n- first\n  - below\n- second\n\n| A |\n| --- |\n\nEnd\n";
    assert_eq!(text_of(body), expected);
}

#[test]
fn body_is_found_in_the_archive_of_its_kind() {
    let xml = word("").into_bytes();
    let document = b"<w:document><w:p><w:r><w:t>Hi</w:t></w:r></w:p></w:document>".as_slice();
    let archive = crate::zip::zip([
        ("[Content_Types].xml", xml.as_slice(), None),
        ("word/document.xml", document, None),
    ])
    .unwrap();
    let body = body_of("a/Report.DOCX", &archive).unwrap();
    assert_eq!((body.bytes, body.is_deflated), (document, false));
    assert_eq!(text_of(std::str::from_utf8(body.bytes).unwrap()), "Hi\n");
    assert!(body_of("report.odt", &archive).is_none() && body_of("report.zip", &archive).is_none());
    assert_eq!(text_name("a/Report.docx"), "a/Report.md");
}

#[test]
fn quoted_bracket_ends_no_tag() {
    assert_eq!(text_of("<w:p w:x=\"a>b\"><w:t>c</w:t></w:p>"), "c\n");
    assert_eq!(text_of("<w:p><w:t><![CDATA[a<b]]></w:t><!-- <w:t>no</w:t> --></w:p>"), "a<b\n");
}

proptest! {
    /// Any input is read to its end, and its words are kept.
    #[test]
    fn any_input_is_read(
        pieces in prop::collection::vec(
            prop_oneof![
                "[a-z<>&\"'/ ;!\\-\\[\\]]{0,8}",
                Just("<w:p>".to_owned()), Just("</w:p>".to_owned()), Just("<w:t>".to_owned()), Just("</w:t>".to_owned()),
                Just("<w:tbl>".to_owned()), Just("<w:tr>".to_owned()), Just("</w:tr>".to_owned()), Just("<w:tc>".to_owned()),
                Just("</w:tbl>".to_owned()), Just("<text:list-item>".to_owned()), Just("<!--".to_owned()),
            ],
            0..40,
        )
    ) {
        let xml = pieces.concat();
        prop_assert!(text_of(&xml).len() <= 8 * xml.len() + 64);
        let whole = format!("{}<w:p><w:r><w:t>seen</w:t></w:r></w:p>", word(""));
        prop_assert!(text_of(&whole).contains("seen"));
    }
}
