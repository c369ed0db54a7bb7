use super::*;

#[test]
fn line_numbers_are_removed() {
    assert_eq!(without_numbers("1\tfn main() {\n2\t\tgo();\n3\t\n4\t}\n"), "fn main() {\n\tgo();\n\n}\n");
}

#[test]
fn mind_may_contain_its_own_closing_tags() {
    let text = "<mind>\n<objective>\nshow </objective> and </mind> in HTML\n</objective>\n<scratchpad>\n\
                - [ ] a\n</scratchpad>\n<active_file name=\"a.html\" lines=\"2\" bytes=\"26\">\n<p>\n\
                </active_file>\n</mind>\n</active_file>\n<files>\n- a.html (2 lines, 26 bytes)\n</files>\n</mind>\n\
                <message from=\"Ada\">\nhello\n</message>\n<round number=\"2\" of=\"6\">\n</round>";
    let (block, rest) = split_mind(text);
    let mind = mind(block.unwrap());
    assert_eq!(mind.objective, "show </objective> and </mind> in HTML");
    assert_eq!(mind.scratchpad, "- [ ] a");
    assert_eq!(mind.files, vec![FileEntry { name: "a.html".into(), bytes: 26 }]);
    assert_eq!(mind.active.unwrap().content, "<p>\n</active_file>\n</mind>");
    let (message, around) = message(rest);
    assert_eq!((message.as_str(), round(&around)), ("hello", Some(2)));
}
