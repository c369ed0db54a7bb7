use super::*;

#[test]
fn a_slash_at_the_start_offers_commands() {
    let names = |text: &str| matching(text, text.len()).iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names("/co"), ["compact"]);
    assert_eq!(names("/S"), ["sessions", "search", "sync", "settings"]);
    assert_eq!(names("/").len(), SLASH_COMMANDS.len());
    for no_command in ["", "a/co", " /co", "/usr/bin is a path", "/compact now", "/ä"] {
        assert!(names(no_command).is_empty(), "{no_command:?}");
    }
    // Text behind the caret is ignored, and a caret within a character matches nothing.
    assert_eq!(matching("/newer", 4).len(), 1);
    assert!(matching("/ä", 2).is_empty());
}
