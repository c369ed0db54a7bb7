//! Tests of the voice state machine: each mode, each error, and properties over random events.

use proptest::prelude::*;

use super::*;

fn machine() -> VoiceMachine {
    let mut machine = VoiceMachine::default();
    machine.set_language("en-US");
    machine
}

fn started(mode: ListeningMode) -> VoiceMachine {
    let mut machine = machine();
    assert_eq!(machine.handle(VoiceEvent::Begin(mode)), [VoiceEffect::Remember, VoiceEffect::Start]);
    machine
}

fn transcript(finals: &[&str], interim: &str) -> VoiceEvent {
    let finals = finals.iter().map(|&one| one.to_owned()).collect();
    VoiceEvent::Transcript(Transcript { finals, interim: interim.to_owned() })
}

fn write(good: &str, interim: &str) -> VoiceEffect {
    VoiceEffect::Write { good: good.to_owned(), interim: interim.to_owned() }
}

#[test]
fn press_to_talk_writes_and_ends_without_sending() {
    let mut voice = started(ListeningMode::Once);
    assert_eq!(voice.status(), VoiceStatus::Listening);
    assert_eq!(voice.handle(transcript(&[], "write")), [write("", "write")]);
    assert_eq!(voice.handle(transcript(&["write a page"], "and")), [write("write a page", "and")]);
    assert_eq!(
        voice.handle(transcript(&["write a page", "and stop there"], "")),
        [write("and stop there", "")]
    );
    assert_eq!(voice.handle(VoiceEvent::Stop), [VoiceEffect::Stop]);
    assert_eq!(voice.status(), VoiceStatus::Idle);
    // The last words still arrive.
    let last = transcript(&["write a page", "and stop there", "please"], "");
    assert_eq!(voice.handle(last), [write("please", "")]);
    assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Idle, None));
}

#[test]
fn an_end_without_result_or_error_is_nothing_heard() {
    let mut voice = started(ListeningMode::Once);
    assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Error, Some(VoiceError::NothingHeard)));
    assert_eq!(
        voice.handle(VoiceEvent::Begin(ListeningMode::Once)),
        [VoiceEffect::Remember, VoiceEffect::Start]
    );
    assert_eq!(voice.error(), None);
}

#[test]
fn spoken_commands_take_effect() {
    let mut voice = started(ListeningMode::Once);
    voice.handle(transcript(&["write a page"], ""));
    let send = voice.handle(transcript(&["write a page", " Send. "], ""));
    assert_eq!(
        send,
        [write("", ""), VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember, VoiceEffect::Abort]
    );
    assert_eq!(voice.status(), VoiceStatus::Idle);

    let mut voice = started(ListeningMode::HandsFree);
    assert_eq!(voice.handle(transcript(&["nonsense"], "")), [write("nonsense", ""), VoiceEffect::AwaitPause]);
    assert_eq!(voice.handle(transcript(&["nonsense", "cancel"], "")), [write("", ""), VoiceEffect::PutBack]);
    assert_eq!(voice.status(), VoiceStatus::HandsFree);
    assert_eq!(voice.handle(VoiceEvent::Paused), []);
    let stop = voice.handle(transcript(&["nonsense", "cancel", "stop"], ""));
    assert_eq!(stop, [write("", ""), VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!(voice.status(), VoiceStatus::Idle);
}

#[test]
fn hands_free_sends_at_a_pause_and_continues() {
    let mut voice = started(ListeningMode::HandsFree);
    assert_eq!(
        voice.handle(transcript(&["write a page"], "")),
        [write("write a page", ""), VoiceEffect::AwaitPause]
    );
    assert_eq!(
        voice.handle(VoiceEvent::Paused),
        [VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember]
    );
    assert_eq!(voice.handle(VoiceEvent::Paused), [], "once");
    assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle, VoiceEffect::Start]);
    assert_eq!(voice.handle(transcript(&["another"], "")), [write("another", ""), VoiceEffect::AwaitPause]);
    assert_eq!(voice.handle(VoiceEvent::Stop), [VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!(voice.handle(VoiceEvent::Paused), [], "sends nothing after the end");
}

#[test]
fn a_silent_recogniser_restarts_three_times() {
    let mut voice = started(ListeningMode::HandsFree);
    for _ in 0..RESTARTS {
        assert_eq!(voice.handle(VoiceEvent::Failed(RecognitionError::NoSpeech)), []);
        assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle, VoiceEffect::Start]);
    }
    assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Error, Some(VoiceError::NothingHeard)));
}

#[test]
fn it_rests_while_agents_work_and_resumes_after_their_answer() {
    let mut voice = started(ListeningMode::HandsFree);
    voice.handle(VoiceEvent::AgentsWorking(true));
    for _ in 0..=RESTARTS {
        voice.handle(VoiceEvent::Ended);
    }
    assert_eq!(voice.status(), VoiceStatus::Suspended);
    voice.handle(VoiceEvent::SpeechStarted("Here it is.".to_owned()));
    assert_eq!(voice.handle(VoiceEvent::AgentsWorking(false)), []);
    assert_eq!(voice.handle(VoiceEvent::SpeechEnded), [VoiceEffect::Start]);
    assert_eq!(voice.status(), VoiceStatus::HandsFree);
}

#[test]
fn each_error_ends_it() {
    for mode in [ListeningMode::Once, ListeningMode::HandsFree] {
        for error in RecognitionError::ALL {
            let mut voice = started(mode);
            voice.handle(transcript(&[], "half a"));
            let effects = voice.handle(VoiceEvent::Failed(error));
            if mode == ListeningMode::HandsFree && error == RecognitionError::NoSpeech {
                assert_eq!(voice.status(), VoiceStatus::HandsFree);
                continue;
            }
            assert_eq!(effects, [VoiceEffect::Abort, VoiceEffect::Settle]);
            assert_eq!(voice.status(), VoiceStatus::Error);
            assert_eq!(voice.error(), Some(VoiceError::Recognition(error)));
            assert_eq!(voice.handle(VoiceEvent::Ended), [], "no restart after {error:?}");
        }
    }
}

#[test]
fn a_requested_end_is_no_error() {
    let mut voice = started(ListeningMode::Once);
    voice.handle(transcript(&["page"], ""));
    voice.handle(VoiceEvent::Stop);
    assert_eq!(voice.handle(VoiceEvent::Failed(RecognitionError::Aborted)), []);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Idle, None));
    let mut voice = started(ListeningMode::Once);
    assert_eq!(voice.handle(VoiceEvent::Stop), [VoiceEffect::Stop]);
    assert_eq!(voice.handle(VoiceEvent::Ended), [VoiceEffect::Settle]);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Idle, None), "no error after a requested end");
}

#[test]
fn only_a_speaker_interrupts_and_an_echo_is_ignored() {
    let mut voice = started(ListeningMode::HandsFree);
    voice.handle(VoiceEvent::SpeechStarted("I have written the page, and you may send it now.".to_owned()));
    assert_eq!(voice.handle(transcript(&[], "written the page")), [write("", "")]);
    assert_eq!(voice.handle(transcript(&["have written the page and"], "")), [write("", "")]);
    // A possible echo is no command.
    assert_eq!(voice.handle(transcript(&["have written the page and", "send it"], "")), [write("", "")]);
    // One unknown word may be noise.
    let unknown_word = transcript(&["have written the page and", "send it"], "uh");
    assert_eq!(voice.handle(unknown_word), [write("", "uh")]);
    let barge = transcript(&["have written the page and", "send it"], "wait make it blue");
    assert_eq!(voice.handle(barge), [VoiceEffect::StopSpeech, write("", "wait make it blue")]);
    voice.handle(VoiceEvent::SpeechEnded);
    let all = transcript(&["have written the page and", "send it", "wait make it blue"], "");
    assert_eq!(voice.handle(all), [write("wait make it blue", ""), VoiceEffect::AwaitPause]);
}

#[test]
fn a_late_echo_is_ignored_and_new_speech_is_not() {
    let mut voice = started(ListeningMode::HandsFree);
    voice.handle(VoiceEvent::SpeechStarted("The page is ready.".to_owned()));
    voice.handle(transcript(&[], "the page"));
    voice.handle(VoiceEvent::SpeechEnded);
    assert_eq!(voice.handle(transcript(&["the page is ready"], "")), [write("", "")]);
    let repeated = transcript(&["the page is ready", "the page is ready"], "");
    // A repeated result brings nothing new; a speaker who repeats starts a new result.
    assert_eq!(voice.handle(repeated), [write("", "")]);
    let reply = transcript(&["the page is ready", "the page is ready", "is the page ready"], "");
    assert_eq!(voice.handle(reply), [write("is the page ready", ""), VoiceEffect::AwaitPause]);
}

#[test]
fn starting_and_a_spoken_stop_silence_speech_output() {
    let mut voice = machine();
    voice.handle(VoiceEvent::SpeechStarted("A long story.".to_owned()));
    assert_eq!(voice.status(), VoiceStatus::Reading);
    assert_eq!(
        voice.handle(VoiceEvent::Begin(ListeningMode::Once)),
        [VoiceEffect::StopSpeech, VoiceEffect::Remember, VoiceEffect::Start]
    );
    let mut voice = started(ListeningMode::HandsFree);
    voice.handle(VoiceEvent::SpeechStarted("You may say stop at any time.".to_owned()));
    assert_eq!(
        voice.handle(transcript(&["stop"], "")),
        [VoiceEffect::StopSpeech, write("", ""), VoiceEffect::Abort, VoiceEffect::Settle]
    );
}

#[test]
fn a_hidden_page_and_another_tab_end_it() {
    for (event, error) in
        [(VoiceEvent::Hidden, VoiceError::Hidden), (VoiceEvent::OtherTab, VoiceError::OtherTab)]
    {
        let mut voice = started(ListeningMode::HandsFree);
        voice.handle(transcript(&["keep this"], ""));
        assert_eq!(voice.handle(event.clone()), [VoiceEffect::Abort, VoiceEffect::Settle]);
        assert_eq!((voice.status(), voice.error()), (VoiceStatus::Error, Some(error)));
        assert_eq!(machine().handle(event), [], "ignored while off");
    }
}

#[test]
fn a_recogniser_that_never_ends_is_aborted() {
    let mut voice = started(ListeningMode::Once);
    voice.handle(transcript(&[], "half a"));
    assert_eq!(voice.handle(VoiceEvent::Stop), [VoiceEffect::Stop]);
    assert_eq!(voice.handle(VoiceEvent::StopTimeout), [VoiceEffect::Abort, VoiceEffect::Settle]);
    assert_eq!((voice.status(), voice.error()), (VoiceStatus::Idle, None));
    assert_eq!(voice.handle(VoiceEvent::StopTimeout), [], "once");
    // A new start before the old recogniser's end uses a new one.
    let mut voice = started(ListeningMode::Once);
    voice.handle(VoiceEvent::Stop);
    let effects = voice.handle(VoiceEvent::Begin(ListeningMode::Once));
    assert_eq!(effects, [VoiceEffect::Remember, VoiceEffect::Abort, VoiceEffect::Settle, VoiceEffect::Start]);
    assert_eq!(voice.handle(VoiceEvent::StopTimeout), [], "the previous recogniser's timeout");
    assert_eq!(voice.status(), VoiceStatus::Listening);
}

fn any_event() -> impl Strategy<Value = VoiceEvent> {
    let word = prop::sample::select(vec!["", "stop", "send", "cancel", "write a page", "the page", "blue"]);
    prop_oneof![
        Just(VoiceEvent::Begin(ListeningMode::Once)),
        Just(VoiceEvent::Begin(ListeningMode::HandsFree)),
        Just(VoiceEvent::Begin(ListeningMode::Off)),
        Just(VoiceEvent::Stop),
        (prop::collection::vec(word.clone(), 0..4), word.clone())
            .prop_map(|(finals, interim)| transcript(&finals, interim)),
        Just(VoiceEvent::Paused),
        prop::sample::select(RecognitionError::ALL.to_vec()).prop_map(VoiceEvent::Failed),
        Just(VoiceEvent::Ended),
        Just(VoiceEvent::StopTimeout),
        Just(VoiceEvent::Hidden),
        Just(VoiceEvent::OtherTab),
        word.prop_map(|word| VoiceEvent::SpeechStarted(word.to_owned())),
        Just(VoiceEvent::SpeechEnded),
        any::<bool>().prop_map(VoiceEvent::AgentsWorking),
    ]
}

proptest! {
    /// The shown status matches the microphone, except for the last words of press to talk.
    #[test]
    fn the_shown_status_matches_the_microphone(events in prop::collection::vec(any_event(), 0..60)) {
        let mut voice = machine();
        let (mut on, mut ending) = (false, false);
        for event in events {
            if event == VoiceEvent::Ended {
                (on, ending) = (false, false);
            }
            for effect in voice.handle(event) {
                match effect {
                    VoiceEffect::Start => {
                        prop_assert!(!on, "started twice");
                        (on, ending) = (true, false);
                    }
                    VoiceEffect::Abort => {
                        prop_assert!(on, "aborted nothing");
                        (on, ending) = (false, false);
                    }
                    VoiceEffect::Stop => ending = true,
                    VoiceEffect::Write { .. } | VoiceEffect::Settle | VoiceEffect::PutBack | VoiceEffect::Remember | VoiceEffect::AwaitPause | VoiceEffect::Send | VoiceEffect::StopSpeech => {}
                }
            }
            match voice.status() {
                VoiceStatus::Listening | VoiceStatus::HandsFree => prop_assert!(on && !ending),
                VoiceStatus::Suspended => prop_assert!(!on),
                VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => prop_assert!(!on || ending),
            }
        }
    }

    /// Without results it restarts at most three times.
    #[test]
    fn it_never_loops(ends in prop::collection::vec(any::<bool>(), 1..40), works in any::<bool>()) {
        let mut voice = started(ListeningMode::HandsFree);
        voice.handle(VoiceEvent::AgentsWorking(works));
        let mut starts = 0;
        for fails in ends {
            if fails {
                voice.handle(VoiceEvent::Failed(RecognitionError::NoSpeech));
            }
            starts += voice.handle(VoiceEvent::Ended).iter().filter(|effect| **effect == VoiceEffect::Start).count();
        }
        prop_assert!(starts <= usize::from(RESTARTS));
    }

    /// Outside hands-free only the spoken command sends.
    #[test]
    fn press_to_talk_sends_nothing_by_itself(events in prop::collection::vec(any_event(), 0..40)) {
        let mut voice = machine();
        for event in events {
            let once = voice.mode() != ListeningMode::HandsFree;
            let is_command = matches!(&event, VoiceEvent::Transcript(transcript) if transcript.finals.iter().any(|words| words == "send"));
            let sends = voice.handle(event).contains(&VoiceEffect::Send);
            prop_assert!(!(once && sends) || is_command);
        }
    }
}
