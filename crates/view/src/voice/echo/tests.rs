use super::*;
use proptest::prelude::*;

fn spoken(text: &str) -> RecentSpeech {
    let mut spoken = RecentSpeech::default();
    spoken.note(text);
    spoken
}

#[test]
fn a_misheard_echo_is_detected_and_a_speaker_may_reuse_words() {
    let spoken = spoken("I have written the file, and it greets the reader by name.");
    assert!(spoken.echoes("written the file and"));
    assert!(spoken.echoes("have ridden the file and it meets the reader"));
    assert!(spoken.echoes("the file"));
    assert!(spoken.echoes("…"));
    assert!(!spoken.echoes("wait"));
    assert!(!spoken.echoes("wait please change the title of the file first"));
    assert!(!spoken.echoes("file the"));
    assert!(!RecentSpeech::default().echoes("the file"));
}

proptest! {
    /// Any run of spoken words is an echo; other words never are.
    #[test]
    fn spoken_words_are_an_echo_and_other_words_are_not(
        words in prop::collection::vec("[a-m]{1,6}", 1..60),
        from in 0usize..60,
        count in 1usize..20,
        strange in prop::collection::vec("[n-z]{1,6}", 1..8),
    ) {
        let memory = spoken(&words.join(" "));
        let run: Vec<_> = words.iter().skip(from % words.len()).take(count).cloned().collect();
        prop_assert!(memory.echoes(&run.join(", ")));
        prop_assert!(!memory.echoes(&strange.join(" ")));
    }

    #[test]
    fn memory_is_bounded(texts in prop::collection::vec("[a-z ]{0,200}", 0..20)) {
        let mut memory = RecentSpeech::default();
        texts.iter().for_each(|text| memory.note(text));
        prop_assert!(memory.words.len() <= WORDS);
    }
}
