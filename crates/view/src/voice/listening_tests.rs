//! Tests of the voice state machine: each mode, each fault, and properties over random histories.

use proptest::prelude::*;

use super::*;

fn machine() -> VoiceMachine {
    let mut machine = VoiceMachine::default();
    machine.speak("en-US");
    machine
}

fn begun(mode: ListeningMode) -> VoiceMachine {
    let mut machine = machine();
    assert_eq!(machine.take(VoiceEvent::Begin(mode)), [VoiceEffect::Remember, VoiceEffect::Start]);
    machine
}

fn heard(finals: &[&str], interim: &str) -> VoiceEvent {
    let finals = finals.iter().map(|&one| one.to_owned()).collect();
    VoiceEvent::Heard(Transcript { finals, interim: interim.to_owned() })
}

fn write(good: &str, interim: &str) -> VoiceEffect {
    VoiceEffect::Write { good: good.to_owned(), interim: interim.to_owned() }
}

#[test]
fn press_to_talk_writes_and_ends_without_sending() {
    let mut voice = begun(ListeningMode::Once);
    assert_eq!(voice.standing(), VoiceStatus::Listening);
    assert_eq!(voice.take(heard(&[], "write")), [write("", "write")]);
    assert_eq!(voice.take(heard(&["write a page"], "and")), [write("write a page", "and")]);
    assert_eq!(voice.take(heard(&["write a page", "and stop there"], "")), [write("and stop there", "")]);
    assert_eq!(voice.take(VoiceEvent::Leave), [VoiceEffect::Stop]);
    assert_eq!(voice.standing(), VoiceStatus::Idle);
    // What was said last still comes.
    let last = heard(&["write a page", "and stop there", "please"], "");
    assert_eq!(voice.take(last), [write("please", "")]);
    assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Idle, None));
}

#[test]
fn neither_result_nor_error_is_nothing_heard() {
    let mut voice = begun(ListeningMode::Once);
    assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Error, Some(VoiceError::NothingHeard)));
    assert_eq!(
        voice.take(VoiceEvent::Begin(ListeningMode::Once)),
        [VoiceEffect::Remember, VoiceEffect::Start]
    );
    assert_eq!(voice.trouble(), None);
}

#[test]
fn commands_alone_do_what_they_say() {
    let mut voice = begun(ListeningMode::Once);
    voice.take(heard(&["write a page"], ""));
    let send = voice.take(heard(&["write a page", " Send. "], ""));
    assert_eq!(
        send,
        [write("", ""), VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember, VoiceEffect::Abort]
    );
    assert_eq!(voice.standing(), VoiceStatus::Idle);

    let mut voice = begun(ListeningMode::HandsFree);
    assert_eq!(voice.take(heard(&["nonsense"], "")), [write("nonsense", ""), VoiceEffect::AwaitPause]);
    assert_eq!(voice.take(heard(&["nonsense", "cancel"], "")), [write("", ""), VoiceEffect::PutBack]);
    assert_eq!(voice.standing(), VoiceStatus::HandsFree);
    assert_eq!(voice.take(VoiceEvent::Paused), []);
    let stop = voice.take(heard(&["nonsense", "cancel", "stop"], ""));
    assert_eq!(stop, [write("", ""), VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!(voice.standing(), VoiceStatus::Idle);
}

#[test]
fn hands_free_sends_at_a_pause_and_goes_on() {
    let mut voice = begun(ListeningMode::HandsFree);
    assert_eq!(
        voice.take(heard(&["write a page"], "")),
        [write("write a page", ""), VoiceEffect::AwaitPause]
    );
    assert_eq!(
        voice.take(VoiceEvent::Paused),
        [VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember]
    );
    assert_eq!(voice.take(VoiceEvent::Paused), [], "once");
    assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle, VoiceEffect::Start]);
    assert_eq!(voice.take(heard(&["another"], "")), [write("another", ""), VoiceEffect::AwaitPause]);
    assert_eq!(voice.take(VoiceEvent::Leave), [VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!(voice.take(VoiceEvent::Paused), [], "who has left sends nothing");
}

#[test]
fn a_recogniser_that_hears_nothing_is_started_three_times_again() {
    let mut voice = begun(ListeningMode::HandsFree);
    for _ in 0..RESTARTS {
        assert_eq!(voice.take(VoiceEvent::Failed(RecognitionError::NoSpeech)), []);
        assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle, VoiceEffect::Start]);
    }
    assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Error, Some(VoiceError::NothingHeard)));
}

#[test]
fn while_the_agents_work_it_rests_and_wakes_when_they_have_answered() {
    let mut voice = begun(ListeningMode::HandsFree);
    voice.take(VoiceEvent::Works(true));
    for _ in 0..=RESTARTS {
        voice.take(VoiceEvent::Ended);
    }
    assert_eq!(voice.standing(), VoiceStatus::Resting);
    voice.take(VoiceEvent::Reads("Here it is.".to_owned()));
    assert_eq!(voice.take(VoiceEvent::Works(false)), []);
    assert_eq!(voice.take(VoiceEvent::Silent), [VoiceEffect::Start]);
    assert_eq!(voice.standing(), VoiceStatus::HandsFree);
}

#[test]
fn each_fault_ends_it_with_words_of_its_own() {
    for mode in [ListeningMode::Once, ListeningMode::HandsFree] {
        for fault in RecognitionError::ALL {
            let mut voice = begun(mode);
            voice.take(heard(&[], "half a"));
            let acts = voice.take(VoiceEvent::Failed(fault));
            if mode == ListeningMode::HandsFree && fault == RecognitionError::NoSpeech {
                assert_eq!(voice.standing(), VoiceStatus::HandsFree);
                continue;
            }
            assert_eq!(acts, [VoiceEffect::Abort, VoiceEffect::Settle]);
            assert_eq!(voice.standing(), VoiceStatus::Error);
            assert_eq!(voice.trouble(), Some(VoiceError::Ear(fault)));
            assert_eq!(voice.take(VoiceEvent::Ended), [], "no restart after {fault:?}");
        }
    }
}

#[test]
fn an_end_that_was_wanted_is_no_fault() {
    let mut voice = begun(ListeningMode::Once);
    voice.take(heard(&["page"], ""));
    voice.take(VoiceEvent::Leave);
    assert_eq!(voice.take(VoiceEvent::Failed(RecognitionError::Aborted)), []);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Idle, None));
    let mut voice = begun(ListeningMode::Once);
    assert_eq!(voice.take(VoiceEvent::Leave), [VoiceEffect::Stop]);
    assert_eq!(voice.take(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Idle, None), "who says nothing knows");
}

#[test]
fn only_who_speaks_barges_in_and_the_echo_is_neither_written_nor_sent() {
    let mut voice = begun(ListeningMode::HandsFree);
    voice.take(VoiceEvent::Reads("I have written the page, and you may send it now.".to_owned()));
    assert_eq!(voice.take(heard(&[], "written the page")), [write("", "")]);
    assert_eq!(voice.take(heard(&["have written the page and"], "")), [write("", "")]);
    // A word that may have been read is no command.
    assert_eq!(voice.take(heard(&["have written the page and", "send it"], "")), [write("", "")]);
    // One strange word may be noise.
    let noise = heard(&["have written the page and", "send it"], "uh");
    assert_eq!(voice.take(noise), [write("", "uh")]);
    let barge = heard(&["have written the page and", "send it"], "wait make it blue");
    assert_eq!(voice.take(barge), [VoiceEffect::Hush, write("", "wait make it blue")]);
    voice.take(VoiceEvent::Silent);
    let all = heard(&["have written the page and", "send it", "wait make it blue"], "");
    assert_eq!(voice.take(all), [write("wait make it blue", ""), VoiceEffect::AwaitPause]);
}

#[test]
fn an_echo_that_comes_after_the_reading_is_one_still_and_what_is_said_then_is_not() {
    let mut voice = begun(ListeningMode::HandsFree);
    voice.take(VoiceEvent::Reads("The page is ready.".to_owned()));
    voice.take(heard(&[], "the page"));
    voice.take(VoiceEvent::Silent);
    assert_eq!(voice.take(heard(&["the page is ready"], "")), [write("", "")]);
    let repeated = heard(&["the page is ready", "the page is ready"], "");
    // A recogniser that repeats itself brings nothing new; a speaker who does begins a result of their own.
    assert_eq!(voice.take(repeated), [write("", "")]);
    let said = heard(&["the page is ready", "the page is ready", "is the page ready"], "");
    assert_eq!(voice.take(said), [write("is the page ready", ""), VoiceEffect::AwaitPause]);
}

#[test]
fn pressing_silences_what_is_read_and_stop_by_voice_too() {
    let mut voice = machine();
    voice.take(VoiceEvent::Reads("A long story.".to_owned()));
    assert_eq!(voice.standing(), VoiceStatus::Reading);
    assert_eq!(
        voice.take(VoiceEvent::Begin(ListeningMode::Once)),
        [VoiceEffect::Hush, VoiceEffect::Remember, VoiceEffect::Start]
    );
    let mut voice = begun(ListeningMode::HandsFree);
    voice.take(VoiceEvent::Reads("You may say stop at any time.".to_owned()));
    assert_eq!(
        voice.take(heard(&["stop"], "")),
        [VoiceEffect::Hush, write("", ""), VoiceEffect::Abort, VoiceEffect::Settle]
    );
}

#[test]
fn a_hidden_page_and_another_tab_end_it() {
    for (sign, trouble) in
        [(VoiceEvent::Hidden, VoiceError::Hidden), (VoiceEvent::Elsewhere, VoiceError::Elsewhere)]
    {
        let mut voice = begun(ListeningMode::HandsFree);
        voice.take(heard(&["keep this"], ""));
        assert_eq!(voice.take(sign.clone()), [VoiceEffect::Abort, VoiceEffect::Settle]);
        assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Error, Some(trouble)));
        assert_eq!(machine().take(sign), [], "who does not listen does not care");
    }
}

#[test]
fn a_recogniser_that_never_ends_is_ended_and_holds_up_nobody() {
    let mut voice = begun(ListeningMode::Once);
    voice.take(heard(&[], "half a"));
    assert_eq!(voice.take(VoiceEvent::Leave), [VoiceEffect::Stop]);
    assert_eq!(voice.take(VoiceEvent::Overdue), [VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (VoiceStatus::Idle, None));
    assert_eq!(voice.take(VoiceEvent::Overdue), [], "once");
    // Who speaks again before it has ended is heard by another one.
    let mut voice = begun(ListeningMode::Once);
    voice.take(VoiceEvent::Leave);
    let acts = voice.take(VoiceEvent::Begin(ListeningMode::Once));
    assert_eq!(acts, [VoiceEffect::Remember, VoiceEffect::Abort, VoiceEffect::Settle, VoiceEffect::Start]);
    assert_eq!(voice.take(VoiceEvent::Overdue), [], "that was the one before");
    assert_eq!(voice.standing(), VoiceStatus::Listening);
}

fn any_sign() -> impl Strategy<Value = VoiceEvent> {
    let word = prop::sample::select(vec!["", "stop", "send", "cancel", "write a page", "the page", "blue"]);
    prop_oneof![
        Just(VoiceEvent::Begin(ListeningMode::Once)),
        Just(VoiceEvent::Begin(ListeningMode::HandsFree)),
        Just(VoiceEvent::Begin(ListeningMode::Off)),
        Just(VoiceEvent::Leave),
        (prop::collection::vec(word.clone(), 0..4), word.clone())
            .prop_map(|(finals, interim)| heard(&finals, interim)),
        Just(VoiceEvent::Paused),
        prop::sample::select(RecognitionError::ALL.to_vec()).prop_map(VoiceEvent::Failed),
        Just(VoiceEvent::Ended),
        Just(VoiceEvent::Overdue),
        Just(VoiceEvent::Hidden),
        Just(VoiceEvent::Elsewhere),
        word.prop_map(|word| VoiceEvent::Reads(word.to_owned())),
        Just(VoiceEvent::Silent),
        any::<bool>().prop_map(VoiceEvent::Works),
    ]
}

proptest! {
    /// The microphone that the acts switch is on whenever it is shown to be, and off whenever it is shown to be off but
    /// for the last words of press to talk.
    #[test]
    fn what_is_shown_is_true(signs in prop::collection::vec(any_sign(), 0..60)) {
        let mut voice = machine();
        let (mut on, mut ending) = (false, false);
        for sign in signs {
            if sign == VoiceEvent::Ended {
                (on, ending) = (false, false);
            }
            for act in voice.take(sign) {
                match act {
                    VoiceEffect::Start => {
                        prop_assert!(!on, "started twice");
                        (on, ending) = (true, false);
                    }
                    VoiceEffect::Abort => {
                        prop_assert!(on, "aborted nothing");
                        (on, ending) = (false, false);
                    }
                    VoiceEffect::Stop => ending = true,
                    VoiceEffect::Write { .. } | VoiceEffect::Settle | VoiceEffect::PutBack | VoiceEffect::Remember | VoiceEffect::AwaitPause | VoiceEffect::Send | VoiceEffect::Hush => {}
                }
            }
            match voice.standing() {
                VoiceStatus::Listening | VoiceStatus::HandsFree => prop_assert!(on && !ending),
                VoiceStatus::Resting => prop_assert!(!on),
                VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => prop_assert!(!on || ending),
            }
        }
    }

    /// However often it ends or hears nothing, it is started at most three times more before something else happens.
    #[test]
    fn it_never_loops(ends in prop::collection::vec(any::<bool>(), 1..40), works in any::<bool>()) {
        let mut voice = begun(ListeningMode::HandsFree);
        voice.take(VoiceEvent::Works(works));
        let mut starts = 0;
        for fails in ends {
            if fails {
                voice.take(VoiceEvent::Failed(RecognitionError::NoSpeech));
            }
            starts += voice.take(VoiceEvent::Ended).iter().filter(|act| **act == VoiceEffect::Start).count();
        }
        prop_assert!(starts <= usize::from(RESTARTS));
    }

    /// Whatever happens, nothing is sent by itself outside hands-free but by the command.
    #[test]
    fn press_to_talk_sends_nothing_by_itself(signs in prop::collection::vec(any_sign(), 0..40)) {
        let mut voice = machine();
        for sign in signs {
            let once = voice.mode() != ListeningMode::HandsFree;
            let is_command = matches!(&sign, VoiceEvent::Heard(heard) if heard.finals.iter().any(|words| words == "send"));
            let sends = voice.take(sign).contains(&VoiceEffect::Send);
            prop_assert!(!(once && sends) || is_command);
        }
    }
}
