use super::*;

#[test]
fn a_command_must_be_alone_and_in_its_language() {
    assert_eq!(command_in(" Stop. ", "en-GB"), Some(SpokenCommand::Stop));
    assert_eq!(command_in("send", "en"), Some(SpokenCommand::Send));
    assert_eq!(command_in("Cancel!", "xx"), Some(SpokenCommand::Cancel));
    assert_eq!(command_in("please send it to them", "en"), None);
    assert_eq!(command_in("stop and think", "en"), None);
    assert_eq!(command_in("Abschicken", "de-AT"), Some(SpokenCommand::Send));
    assert_eq!(command_in("send", "de-DE"), None);
    assert_eq!(command_in("Envía", "es-419"), Some(SpokenCommand::Send));
    assert_eq!(command_in("送信。", "ja-JP"), Some(SpokenCommand::Send));
    assert_eq!(command_in("", "en"), None);
}

#[test]
fn every_phrase_of_every_language_is_its_command() {
    for (tag, stop, send, cancel) in LANGUAGES {
        for (words, command) in
            [(stop, SpokenCommand::Stop), (send, SpokenCommand::Send), (cancel, SpokenCommand::Cancel)]
        {
            for word in words {
                assert_eq!(command_in(word, tag), Some(command), "{word} in {tag}");
            }
        }
        assert!(spoken_words(tag).iter().all(|word| !word.is_empty()));
    }
}
