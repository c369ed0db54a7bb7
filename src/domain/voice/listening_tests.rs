//! The machine of voice: each way in and out, each fault, and laws over any history.

use proptest::prelude::*;

use super::*;

fn machine() -> Listening {
    let mut machine = Listening::default();
    machine.speak("en-US");
    machine
}

fn begun(mode: Mode) -> Listening {
    let mut machine = machine();
    assert_eq!(machine.take(Sign::Begin(mode)), [Act::Remember, Act::Start]);
    machine
}

fn heard(finals: &[&str], interim: &str) -> Sign {
    let finals = finals.iter().map(|&one| one.to_owned()).collect();
    Sign::Heard(Heard { finals, interim: interim.to_owned() })
}

fn write(good: &str, interim: &str) -> Act {
    Act::Write { good: good.to_owned(), interim: interim.to_owned() }
}

#[test]
fn press_to_talk_writes_and_ends_without_sending() {
    let mut voice = begun(Mode::Once);
    assert_eq!(voice.standing(), Standing::Listening);
    assert_eq!(voice.take(heard(&[], "write")), [write("", "write")]);
    assert_eq!(voice.take(heard(&["write a page"], "and")), [write("write a page", "and")]);
    assert_eq!(voice.take(heard(&["write a page", "and stop there"], "")), [write("and stop there", "")]);
    assert_eq!(voice.take(Sign::Leave), [Act::Stop]);
    assert_eq!(voice.standing(), Standing::Idle);
    // What was said last still comes.
    let last = heard(&["write a page", "and stop there", "please"], "");
    assert_eq!(voice.take(last), [write("please", "")]);
    assert_eq!(voice.take(Sign::Ended), [Act::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Idle, None));
}

#[test]
fn neither_result_nor_error_is_nothing_heard() {
    let mut voice = begun(Mode::Once);
    assert_eq!(voice.take(Sign::Ended), [Act::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Error, Some(Trouble::NothingHeard)));
    assert_eq!(voice.take(Sign::Begin(Mode::Once)), [Act::Remember, Act::Start]);
    assert_eq!(voice.trouble(), None);
}

#[test]
fn commands_alone_do_what_they_say() {
    let mut voice = begun(Mode::Once);
    voice.take(heard(&["write a page"], ""));
    let send = voice.take(heard(&["write a page", " Send. "], ""));
    assert_eq!(send, [write("", ""), Act::Settle, Act::Send, Act::Remember, Act::Abort]);
    assert_eq!(voice.standing(), Standing::Idle);

    let mut voice = begun(Mode::HandsFree);
    assert_eq!(voice.take(heard(&["nonsense"], "")), [write("nonsense", ""), Act::AwaitPause]);
    assert_eq!(voice.take(heard(&["nonsense", "cancel"], "")), [write("", ""), Act::PutBack]);
    assert_eq!(voice.standing(), Standing::HandsFree);
    assert_eq!(voice.take(Sign::Paused), []);
    let stop = voice.take(heard(&["nonsense", "cancel", "stop"], ""));
    assert_eq!(stop, [write("", ""), Act::Abort, Act::Settle]);
    assert_eq!(voice.standing(), Standing::Idle);
}

#[test]
fn hands_free_sends_at_a_pause_and_goes_on() {
    let mut voice = begun(Mode::HandsFree);
    assert_eq!(voice.take(heard(&["write a page"], "")), [write("write a page", ""), Act::AwaitPause]);
    assert_eq!(voice.take(Sign::Paused), [Act::Settle, Act::Send, Act::Remember]);
    assert_eq!(voice.take(Sign::Paused), [], "once");
    assert_eq!(voice.take(Sign::Ended), [Act::Settle, Act::Start]);
    assert_eq!(voice.take(heard(&["another"], "")), [write("another", ""), Act::AwaitPause]);
    assert_eq!(voice.take(Sign::Leave), [Act::Abort, Act::Settle]);
    assert_eq!(voice.take(Sign::Paused), [], "who has left sends nothing");
}

#[test]
fn a_recogniser_that_hears_nothing_is_started_three_times_again() {
    let mut voice = begun(Mode::HandsFree);
    for _ in 0..RESTARTS {
        assert_eq!(voice.take(Sign::Failed(EarFault::NoSpeech)), []);
        assert_eq!(voice.take(Sign::Ended), [Act::Settle, Act::Start]);
    }
    assert_eq!(voice.take(Sign::Ended), [Act::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Error, Some(Trouble::NothingHeard)));
}

#[test]
fn while_the_agents_work_it_rests_and_wakes_when_they_have_answered() {
    let mut voice = begun(Mode::HandsFree);
    voice.take(Sign::Works(true));
    for _ in 0..=RESTARTS {
        voice.take(Sign::Ended);
    }
    assert_eq!(voice.standing(), Standing::Resting);
    voice.take(Sign::Reads("Here it is.".to_owned()));
    assert_eq!(voice.take(Sign::Works(false)), []);
    assert_eq!(voice.take(Sign::Silent), [Act::Start]);
    assert_eq!(voice.standing(), Standing::HandsFree);
}

#[test]
fn each_fault_ends_it_with_words_of_its_own() {
    for mode in [Mode::Once, Mode::HandsFree] {
        for fault in EarFault::ALL {
            let mut voice = begun(mode);
            voice.take(heard(&[], "half a"));
            let acts = voice.take(Sign::Failed(fault));
            if mode == Mode::HandsFree && fault == EarFault::NoSpeech {
                assert_eq!(voice.standing(), Standing::HandsFree);
                continue;
            }
            assert_eq!(acts, [Act::Abort, Act::Settle]);
            assert_eq!(voice.standing(), Standing::Error);
            assert_eq!(voice.trouble(), Some(Trouble::Ear(fault)));
            assert_eq!(voice.take(Sign::Ended), [], "no restart after {fault:?}");
        }
    }
}

#[test]
fn an_end_that_was_wanted_is_no_fault() {
    let mut voice = begun(Mode::Once);
    voice.take(heard(&["page"], ""));
    voice.take(Sign::Leave);
    assert_eq!(voice.take(Sign::Failed(EarFault::Aborted)), []);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Idle, None));
    let mut voice = begun(Mode::Once);
    assert_eq!(voice.take(Sign::Leave), [Act::Stop]);
    assert_eq!(voice.take(Sign::Ended), [Act::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Idle, None), "who says nothing knows");
}

#[test]
fn only_who_speaks_barges_in_and_the_echo_is_neither_written_nor_sent() {
    let mut voice = begun(Mode::HandsFree);
    voice.take(Sign::Reads("I have written the page, and you may send it now.".to_owned()));
    assert_eq!(voice.take(heard(&[], "written the page")), [write("", "")]);
    assert_eq!(voice.take(heard(&["have written the page and"], "")), [write("", "")]);
    // A word that may have been read is no command.
    assert_eq!(voice.take(heard(&["have written the page and", "send it"], "")), [write("", "")]);
    // One strange word may be noise.
    let noise = heard(&["have written the page and", "send it"], "uh");
    assert_eq!(voice.take(noise), [write("", "uh")]);
    let barge = heard(&["have written the page and", "send it"], "wait make it blue");
    assert_eq!(voice.take(barge), [Act::Hush, write("", "wait make it blue")]);
    voice.take(Sign::Silent);
    let all = heard(&["have written the page and", "send it", "wait make it blue"], "");
    assert_eq!(voice.take(all), [write("wait make it blue", ""), Act::AwaitPause]);
}

#[test]
fn an_echo_that_comes_after_the_reading_is_one_still_and_what_is_said_then_is_not() {
    let mut voice = begun(Mode::HandsFree);
    voice.take(Sign::Reads("The page is ready.".to_owned()));
    voice.take(heard(&[], "the page"));
    voice.take(Sign::Silent);
    assert_eq!(voice.take(heard(&["the page is ready"], "")), [write("", "")]);
    let repeated = heard(&["the page is ready", "the page is ready"], "");
    // A recogniser that repeats itself brings nothing new; a speaker who does begins a result of their own.
    assert_eq!(voice.take(repeated), [write("", "")]);
    let said = heard(&["the page is ready", "the page is ready", "is the page ready"], "");
    assert_eq!(voice.take(said), [write("is the page ready", ""), Act::AwaitPause]);
}

#[test]
fn pressing_silences_what_is_read_and_stop_by_voice_too() {
    let mut voice = machine();
    voice.take(Sign::Reads("A long story.".to_owned()));
    assert_eq!(voice.standing(), Standing::Reading);
    assert_eq!(voice.take(Sign::Begin(Mode::Once)), [Act::Hush, Act::Remember, Act::Start]);
    let mut voice = begun(Mode::HandsFree);
    voice.take(Sign::Reads("You may say stop at any time.".to_owned()));
    assert_eq!(voice.take(heard(&["stop"], "")), [Act::Hush, write("", ""), Act::Abort, Act::Settle]);
}

#[test]
fn a_hidden_page_and_another_tab_end_it() {
    for (sign, trouble) in [(Sign::Hidden, Trouble::Hidden), (Sign::Elsewhere, Trouble::Elsewhere)] {
        let mut voice = begun(Mode::HandsFree);
        voice.take(heard(&["keep this"], ""));
        assert_eq!(voice.take(sign.clone()), [Act::Abort, Act::Settle]);
        assert_eq!((voice.standing(), voice.trouble()), (Standing::Error, Some(trouble)));
        assert_eq!(machine().take(sign), [], "who does not listen does not care");
    }
}

#[test]
fn a_recogniser_that_never_ends_is_ended_and_holds_up_nobody() {
    let mut voice = begun(Mode::Once);
    voice.take(heard(&[], "half a"));
    assert_eq!(voice.take(Sign::Leave), [Act::Stop]);
    assert_eq!(voice.take(Sign::Overdue), [Act::Abort, Act::Settle]);
    assert_eq!((voice.standing(), voice.trouble()), (Standing::Idle, None));
    assert_eq!(voice.take(Sign::Overdue), [], "once");
    // Who speaks again before it has ended is heard by another one.
    let mut voice = begun(Mode::Once);
    voice.take(Sign::Leave);
    let acts = voice.take(Sign::Begin(Mode::Once));
    assert_eq!(acts, [Act::Remember, Act::Abort, Act::Settle, Act::Start]);
    assert_eq!(voice.take(Sign::Overdue), [], "that was the one before");
    assert_eq!(voice.standing(), Standing::Listening);
}

fn any_sign() -> impl Strategy<Value = Sign> {
    let word = prop::sample::select(vec!["", "stop", "send", "cancel", "write a page", "the page", "blue"]);
    prop_oneof![
        Just(Sign::Begin(Mode::Once)),
        Just(Sign::Begin(Mode::HandsFree)),
        Just(Sign::Begin(Mode::Off)),
        Just(Sign::Leave),
        (prop::collection::vec(word.clone(), 0..4), word.clone())
            .prop_map(|(finals, interim)| heard(&finals, interim)),
        Just(Sign::Paused),
        prop::sample::select(EarFault::ALL.to_vec()).prop_map(Sign::Failed),
        Just(Sign::Ended),
        Just(Sign::Overdue),
        Just(Sign::Hidden),
        Just(Sign::Elsewhere),
        word.prop_map(|word| Sign::Reads(word.to_owned())),
        Just(Sign::Silent),
        any::<bool>().prop_map(Sign::Works),
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
            if sign == Sign::Ended {
                (on, ending) = (false, false);
            }
            for act in voice.take(sign) {
                match act {
                    Act::Start => {
                        prop_assert!(!on, "started twice");
                        (on, ending) = (true, false);
                    }
                    Act::Abort => {
                        prop_assert!(on, "aborted nothing");
                        (on, ending) = (false, false);
                    }
                    Act::Stop => ending = true,
                    Act::Write { .. } | Act::Settle | Act::PutBack | Act::Remember | Act::AwaitPause | Act::Send | Act::Hush => {}
                }
            }
            match voice.standing() {
                Standing::Listening | Standing::HandsFree => prop_assert!(on && !ending),
                Standing::Resting => prop_assert!(!on),
                Standing::Idle | Standing::Reading | Standing::Error => prop_assert!(!on || ending),
            }
        }
    }

    /// However often it ends or hears nothing, it is started at most three times more before something else happens.
    #[test]
    fn it_never_loops(ends in prop::collection::vec(any::<bool>(), 1..40), works in any::<bool>()) {
        let mut voice = begun(Mode::HandsFree);
        voice.take(Sign::Works(works));
        let mut starts = 0;
        for fails in ends {
            if fails {
                voice.take(Sign::Failed(EarFault::NoSpeech));
            }
            starts += voice.take(Sign::Ended).iter().filter(|act| **act == Act::Start).count();
        }
        prop_assert!(starts <= usize::from(RESTARTS));
    }

    /// Whatever happens, nothing is sent by itself outside hands-free but by the command.
    #[test]
    fn press_to_talk_sends_nothing_by_itself(signs in prop::collection::vec(any_sign(), 0..40)) {
        let mut voice = machine();
        for sign in signs {
            let once = voice.mode() != Mode::HandsFree;
            let is_command = matches!(&sign, Sign::Heard(heard) if heard.finals.iter().any(|words| words == "send"));
            let sends = voice.take(sign).contains(&Act::Send);
            prop_assert!(!(once && sends) || is_command);
        }
    }
}
