//! State machine of voice input: takes events of recogniser, speech and page, returns actions.
//!
//! Restarts a silent recogniser at most three times in a row.

use crate::voice::dictation::new_words;
use crate::voice::echo::{RecentSpeech, words_of};
use crate::voice::{SpokenCommand, command_in};
use nexus_model::settings::voice::{RecognitionError, SpeechError, Transcript};
use serde::Serialize;

/// How often in a row the recogniser is started again without anything heard.
pub const RESTARTS: u8 = 3;
/// Words that may still change and are not the echo of what is read: from so many on they stop the reading.
const BARGE_WORDS: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListeningMode {
    #[default]
    Off,
    /// Until the operator or the recogniser ends it; nothing is sent by itself.
    Once,
    /// On and on: what was said is sent when the operator pauses.
    HandsFree,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VoiceStatus {
    #[default]
    Idle,
    Listening,
    HandsFree,
    /// Hands-free, with the microphone off until the agents have answered.
    Resting,
    Reading,
    Error,
}

/// What is told when something went wrong, or nothing came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoiceError {
    Ear(RecognitionError),
    NothingHeard,
    Hidden,
    Elsewhere,
    Mouth(SpeechError),
}

#[derive(Clone, Debug, PartialEq)]
pub enum VoiceEvent {
    Begin(ListeningMode),
    Leave,
    /// The recogniser heard something; all since it began.
    Heard(Transcript),
    /// The operator has paused after words that stand.
    Paused,
    Failed(RecognitionError),
    Ended,
    /// It was told to end, and has not for too long.
    Overdue,
    Hidden,
    Elsewhere,
    Reads(String),
    Silent,
    Works(bool),
    MouthFailed(SpeechError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceEffect {
    Start,
    /// Let the recogniser end; what it has heard it still gives.
    Stop,
    /// End the recogniser; what it would still give is not wanted.
    Abort,
    /// Put these words for good into the composer, and these that may still change.
    Write {
        good: String,
        interim: String,
    },
    /// Leave what may still change as it stands.
    Settle,
    /// Put the composer back to what stood there before.
    PutBack,
    /// Remember what stands in the composer, to be put back.
    Remember,
    AwaitPause,
    Send,
    Hush,
}

#[derive(Clone, Debug, Default)]
pub struct VoiceMachine {
    mode: ListeningMode,
    hears: bool,
    ending: bool,
    restarts: u8,
    got: bool,
    taken: usize,
    last: Option<String>,
    /// Results up to here began while something was read, so they may be its echo.
    judged: usize,
    /// Words that stand were heard and not sent.
    unsent: bool,
    reads: bool,
    works: bool,
    spoken: RecentSpeech,
    trouble: Option<VoiceError>,
    language: String,
}

impl VoiceMachine {
    /// The language that is spoken, as a tag.
    pub fn speak(&mut self, language: &str) {
        language.clone_into(&mut self.language);
    }

    pub fn mode(&self) -> ListeningMode {
        self.mode
    }

    /// What went wrong last, until something else is begun.
    pub fn trouble(&self) -> Option<VoiceError> {
        self.trouble
    }

    pub fn standing(&self) -> VoiceStatus {
        match (self.mode, self.hears) {
            (ListeningMode::Once, _) => VoiceStatus::Listening,
            (ListeningMode::HandsFree, true) => VoiceStatus::HandsFree,
            (ListeningMode::HandsFree, false) => VoiceStatus::Resting,
            (ListeningMode::Off, _) if self.reads => VoiceStatus::Reading,
            (ListeningMode::Off, _) if self.trouble.is_some() => VoiceStatus::Error,
            (ListeningMode::Off, _) => VoiceStatus::Idle,
        }
    }

    /// Takes in what happened, and gives what is to be done, in order.
    pub fn take(&mut self, sign: VoiceEvent) -> Vec<VoiceEffect> {
        match sign {
            VoiceEvent::Begin(mode) => self.begin(mode),
            VoiceEvent::Leave => self.leave(),
            VoiceEvent::Heard(heard) => self.heard(&heard),
            VoiceEvent::Paused => self.paused(),
            VoiceEvent::Failed(fault) => self.failed(fault),
            VoiceEvent::Ended => self.ended(),
            VoiceEvent::Overdue => self.overdue(),
            VoiceEvent::Hidden => self.broken(VoiceError::Hidden),
            VoiceEvent::Elsewhere => self.broken(VoiceError::Elsewhere),
            VoiceEvent::Reads(words) => {
                self.reads = true;
                self.restarts = 0;
                if matches!(self.trouble, Some(VoiceError::Mouth(_))) {
                    self.trouble = None;
                }
                self.spoken.note(&words);
                Vec::new()
            }
            VoiceEvent::Silent => {
                self.reads = false;
                self.wake()
            }
            VoiceEvent::Works(works) => {
                self.works = works;
                if works { Vec::new() } else { self.wake() }
            }
            VoiceEvent::MouthFailed(fault) => {
                if fault != SpeechError::Stopped {
                    self.trouble = Some(VoiceError::Mouth(fault));
                }
                Vec::new()
            }
        }
    }

    fn begin(&mut self, mode: ListeningMode) -> Vec<VoiceEffect> {
        if mode == ListeningMode::Off {
            return self.leave();
        }
        let mut acts = Vec::new();
        // Who wants to speak wants silence.
        if self.reads {
            acts.push(VoiceEffect::Hush);
        }
        self.trouble = None;
        self.restarts = 0;
        if self.mode == ListeningMode::Off {
            acts.push(VoiceEffect::Remember);
            self.unsent = false;
        }
        self.mode = mode;
        if self.hears && self.ending {
            // One that was told to end hears no more, and may never say that it has ended.
            acts.extend([VoiceEffect::Abort, VoiceEffect::Settle]);
            self.hears = false;
        }
        if !self.hears {
            acts.extend(self.start());
        }
        if mode == ListeningMode::HandsFree && self.unsent {
            acts.push(VoiceEffect::AwaitPause);
        }
        acts
    }

    fn start(&mut self) -> Vec<VoiceEffect> {
        (self.hears, self.got, self.ending) = (true, false, false);
        (self.taken, self.last, self.judged) = (0, None, 0);
        vec![VoiceEffect::Start]
    }

    /// The way out: the microphone goes off, and what was heard stays.
    fn leave(&mut self) -> Vec<VoiceEffect> {
        let was = std::mem::take(&mut self.mode);
        let mut acts = Vec::new();
        if self.hears {
            // In Once what was just said is still wanted; hands-free is left at once.
            acts.push(if was == ListeningMode::Once { VoiceEffect::Stop } else { VoiceEffect::Abort });
            self.ending = true;
            self.hears = was == ListeningMode::Once;
        }
        if !self.hears {
            acts.push(VoiceEffect::Settle);
        }
        acts
    }

    /// What does not end by itself is ended.
    fn overdue(&mut self) -> Vec<VoiceEffect> {
        if !(self.hears && self.ending) {
            return Vec::new();
        }
        self.hears = false;
        vec![VoiceEffect::Abort, VoiceEffect::Settle]
    }

    /// Ends all at once for a reason that is told.
    fn broken(&mut self, trouble: VoiceError) -> Vec<VoiceEffect> {
        if self.mode == ListeningMode::Off && !self.hears {
            return Vec::new();
        }
        self.mode = ListeningMode::Off;
        self.trouble = Some(trouble);
        let acts = if self.hears {
            vec![VoiceEffect::Abort, VoiceEffect::Settle]
        } else {
            vec![VoiceEffect::Settle]
        };
        self.hears = false;
        acts
    }

    fn heard(&mut self, heard: &Transcript) -> Vec<VoiceEffect> {
        if !self.hears {
            return Vec::new();
        }
        let begun = heard.finals.len() + usize::from(!heard.interim.trim().is_empty());
        if self.reads {
            self.judged = self.judged.max(begun);
        }
        let mut acts = Vec::new();
        let mut good: Vec<String> = Vec::new();
        let mut command = None;
        for (place, result) in heard.finals.iter().enumerate().skip(self.taken) {
            let words = new_words(self.last.as_deref(), result).to_owned();
            self.last = Some(result.clone());
            self.taken = place + 1;
            if words.is_empty() {
                continue;
            }
            (self.got, self.restarts) = (true, 0);
            let may_echo = place < self.judged && self.spoken.echoes(&words);
            match command_in(&words, &self.language) {
                // A stop does no harm; the rest may have been read out.
                Some(SpokenCommand::Stop) => command = Some(SpokenCommand::Stop),
                Some(told) if !may_echo => command = Some(told),
                Some(_) => {}
                None if may_echo => {}
                None => good.push(words),
            }
        }
        let place = heard.finals.len();
        let may_echo = place < self.judged && self.spoken.echoes(&heard.interim);
        let interim = if may_echo { String::new() } else { heard.interim.trim().to_owned() };
        if !interim.is_empty() {
            (self.got, self.restarts) = (true, 0);
        }
        let barges = !good.is_empty() || words_of(&interim).len() >= BARGE_WORDS;
        if self.reads && (barges || command.is_some()) {
            acts.push(VoiceEffect::Hush);
        }
        self.unsent |= !good.is_empty();
        acts.push(VoiceEffect::Write { good: good.join(" "), interim: interim.clone() });
        match command {
            Some(SpokenCommand::Stop) => acts.extend(self.leave()),
            Some(SpokenCommand::Send) => {
                self.unsent = false;
                acts.extend([VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember]);
                if self.mode == ListeningMode::Once {
                    acts.extend(self.leave_now());
                }
            }
            Some(SpokenCommand::Cancel) => {
                self.unsent = false;
                acts.push(VoiceEffect::PutBack);
                if self.mode == ListeningMode::Once {
                    acts.extend(self.leave_now());
                }
            }
            None if self.mode == ListeningMode::HandsFree && self.unsent => {
                acts.push(VoiceEffect::AwaitPause)
            }
            None => {}
        }
        acts
    }

    /// Leaves without waiting for more.
    fn leave_now(&mut self) -> Vec<VoiceEffect> {
        (self.mode, self.hears) = (ListeningMode::Off, false);
        vec![VoiceEffect::Abort]
    }

    fn paused(&mut self) -> Vec<VoiceEffect> {
        if self.mode != ListeningMode::HandsFree || !self.unsent {
            return Vec::new();
        }
        self.unsent = false;
        vec![VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember]
    }

    fn failed(&mut self, fault: RecognitionError) -> Vec<VoiceEffect> {
        if !self.hears {
            return Vec::new();
        }
        // Its end follows, and counts.
        if fault == RecognitionError::NoSpeech && self.mode == ListeningMode::HandsFree {
            return Vec::new();
        }
        // Whoever ended it knows.
        if self.ending && matches!(fault, RecognitionError::Aborted | RecognitionError::NoSpeech) {
            return Vec::new();
        }
        self.broken(VoiceError::Ear(fault))
    }

    fn ended(&mut self) -> Vec<VoiceEffect> {
        if !self.hears {
            return Vec::new();
        }
        self.hears = false;
        match self.mode {
            ListeningMode::HandsFree if self.got || self.restarts < RESTARTS => {
                self.restarts = if self.got { 0 } else { self.restarts + 1 };
                let mut acts = vec![VoiceEffect::Settle];
                acts.extend(self.start());
                acts
            }
            // Resting: what the agents answer wakes it.
            ListeningMode::HandsFree if self.works || self.reads => vec![VoiceEffect::Settle],
            ListeningMode::Once | ListeningMode::HandsFree | ListeningMode::Off => {
                self.mode = ListeningMode::Off;
                // Who ended it before saying anything knows.
                if !self.got && !self.ending {
                    self.trouble = Some(VoiceError::NothingHeard);
                }
                vec![VoiceEffect::Settle]
            }
        }
    }

    /// Hands-free that rests listens again, once nothing works and nothing is read.
    fn wake(&mut self) -> Vec<VoiceEffect> {
        if self.mode != ListeningMode::HandsFree || self.hears || self.works || self.reads {
            return Vec::new();
        }
        self.restarts = 0;
        self.start()
    }
}

#[cfg(test)]
#[path = "listening_tests.rs"]
mod tests;
