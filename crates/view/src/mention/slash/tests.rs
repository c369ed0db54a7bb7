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

#[test]
fn a_sent_text_is_a_command_an_unknown_one_or_a_message() {
    let known = |text| if let SentCommand::Known(command) = sent(text) { Some(command.name) } else { None };
    assert_eq!(known("/race"), Some("race"));
    assert_eq!(known("/Race build a timer"), Some("race"));
    assert_eq!(known("/tree\n"), Some("tree"));
    assert_eq!(sent("/rase"), SentCommand::Unknown("rase"));
    assert_eq!(sent("/rase build a timer"), SentCommand::Unknown("rase"));
    for message in ["", "/", "/ race", " /race", "race", "/usr/bin is full", "/2 is a half"] {
        assert_eq!(sent(message), SentCommand::None, "{message:?}");
    }
}
