use super::*;

#[test]
fn sentences_end_at_a_mark_before_a_space_and_at_a_line() {
    let text = "Draw 3.5 circles; in red. Why?\n\n- and one more\n...";
    assert_eq!(sentences(text, 9), ["Draw 3.5 circles;", "in red.", "Why?", "- and one more"]);
    assert_eq!(sentences(text, 1), ["Draw 3.5 circles;"]);
    assert!(sentences(" \n ", 9).is_empty());
}

#[test]
fn items_are_read_ticked_and_added_to() {
    let pad = "my note\n- [ ] Engineer: write a.js: all of it\n- [x] buy milk\n* [?] no box";
    let found = items(pad);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].owner, found[0].file(), found[0].line), ("Engineer", Some("a.js"), 1));
    assert!(found[0].is("Engineer", "write a.js") && found[1].done && found[1].file().is_none());
    let pad = with_ticks(pad, &[1]);
    assert!(pad.starts_with("my note\n- [x] Engineer: write a.js"));
    assert_eq!(joined("- [ ] a: b\n", "- [ ] c: d"), "- [ ] a: b\n- [ ] c: d");
    assert_eq!(joined("text", "- [ ] c: d"), "text\n\n- [ ] c: d");
}
