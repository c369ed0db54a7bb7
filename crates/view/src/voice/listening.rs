//! State machine of voice input: handles events of recogniser, speech output and page, and returns effects.
//!
//! Restarts a silent recogniser at most three times in a row.

use crate::voice::echo::{RecentSpeech, words_of};
use crate::voice::{SpokenCommand, command_in, dictation::new_words};
use nexus_model::settings::{RecognitionError, SpeechError, Transcript};
use serde::Serialize;

/// Maximum number of consecutive restarts without a result.
pub const RESTARTS: u8 = 3;
/// Number of interim words, other than an echo, that interrupt the speech output.
const INTERRUPTING_WORDS: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListeningMode {
    #[default]
    Off,
    /// Until the operator or the recogniser ends it; sends nothing automatically.
    Once,
    /// Continuous: sends the text when the operator pauses.
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
    #[serde(rename = "resting")]
    Suspended,
    Reading,
    Error,
}

impl VoiceStatus {
    /// True while it listens, or will again once the agents have answered.
    pub fn is_listening(self) -> bool {
        matches!(self, Self::Listening | Self::HandsFree | Self::Suspended)
    }
}

/// Why voice input failed or ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoiceError {
    Recognition(RecognitionError),
    NothingHeard,
    Hidden,
    OtherTab,
    Speech(SpeechError),
}

#[derive(Clone, Debug, PartialEq)]
pub enum VoiceEvent {
    Begin(ListeningMode),
    Stop,
    /// The recogniser's transcript since it started.
    Transcript(Transcript),
    /// The operator paused after final words.
    Paused,
    Failed(RecognitionError),
    Ended,
    /// The recogniser did not end in time after it was stopped.
    StopTimeout,
    Hidden,
    OtherTab,
    SpeechStarted(String),
    SpeechEnded,
    AgentsWorking(bool),
    SpeechFailed(SpeechError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceEffect {
    Start,
    /// Stops the recogniser; pending results still arrive.
    Stop,
    /// Aborts the recogniser and discards pending results.
    Abort,
    /// Writes final and interim words into the composer.
    Write {
        good: String,
        interim: String,
    },
    /// Keeps the interim words as they are.
    Settle,
    /// Restores the composer's text.
    PutBack,
    /// Saves the composer's text for a restore.
    Remember,
    AwaitPause,
    Send,
    StopSpeech,
}

/// Sends what was said, and goes on after it.
const SEND: [VoiceEffect; 3] = [VoiceEffect::Settle, VoiceEffect::Send, VoiceEffect::Remember];

#[derive(Clone, Debug, Default)]
pub struct VoiceMachine {
    mode: ListeningMode,
    is_listening: bool,
    is_ending: bool,
    restarts: u8,
    has_result: bool,
    taken: usize,
    last: Option<String>,
    /// Results up to this index began during speech output and may be its echo.
    judged: usize,
    /// Final words were received and not sent yet.
    unsent: bool,
    is_reading: bool,
    is_working: bool,
    spoken: RecentSpeech,
    error: Option<VoiceError>,
    language: String,
}

impl VoiceMachine {
    /// Sets the spoken language, as a tag.
    pub fn set_language(&mut self, language: &str) {
        language.clone_into(&mut self.language);
    }

    pub fn mode(&self) -> ListeningMode {
        self.mode
    }

    /// The last error, until the next start.
    pub fn error(&self) -> Option<VoiceError> {
        self.error
    }

    pub fn status(&self) -> VoiceStatus {
        match (self.mode, self.is_listening) {
            (ListeningMode::Once, _) => VoiceStatus::Listening,
            (ListeningMode::HandsFree, true) => VoiceStatus::HandsFree,
            (ListeningMode::HandsFree, false) => VoiceStatus::Suspended,
            (ListeningMode::Off, _) if self.is_reading => VoiceStatus::Reading,
            (ListeningMode::Off, _) if self.error.is_some() => VoiceStatus::Error,
            (ListeningMode::Off, _) => VoiceStatus::Idle,
        }
    }

    /// Handles an event and returns the effects, in order.
    pub fn handle(&mut self, event: VoiceEvent) -> Vec<VoiceEffect> {
        match event {
            VoiceEvent::Begin(mode) => self.begin(mode),
            VoiceEvent::Stop => self.stop(),
            VoiceEvent::Transcript(heard) => self.on_transcript(&heard),
            VoiceEvent::Paused => self.paused(),
            VoiceEvent::Failed(error) => self.failed(error),
            VoiceEvent::Ended => self.ended(),
            VoiceEvent::StopTimeout => self.stop_timeout(),
            VoiceEvent::Hidden => self.fail(VoiceError::Hidden),
            VoiceEvent::OtherTab => self.fail(VoiceError::OtherTab),
            VoiceEvent::SpeechStarted(words) => {
                self.is_reading = true;
                self.restarts = 0;
                if matches!(self.error, Some(VoiceError::Speech(_))) {
                    self.error = None;
                }
                self.spoken.note(&words);
                Vec::new()
            }
            VoiceEvent::SpeechEnded => {
                self.is_reading = false;
                self.resume()
            }
            VoiceEvent::AgentsWorking(works) => {
                self.is_working = works;
                if works { Vec::new() } else { self.resume() }
            }
            VoiceEvent::SpeechFailed(error) => {
                if error != SpeechError::Stopped {
                    self.error = Some(VoiceError::Speech(error));
                }
                Vec::new()
            }
        }
    }

    fn begin(&mut self, mode: ListeningMode) -> Vec<VoiceEffect> {
        if mode == ListeningMode::Off {
            return self.stop();
        }
        let mut effects = Vec::new();
        // Speech output stops when the operator wants to speak.
        if self.is_reading {
            effects.push(VoiceEffect::StopSpeech);
        }
        self.error = None;
        self.restarts = 0;
        if self.mode == ListeningMode::Off {
            effects.push(VoiceEffect::Remember);
            self.unsent = false;
        }
        self.mode = mode;
        if self.is_listening && self.is_ending {
            // A stopped recogniser hears nothing more, and may never report its end.
            effects.extend([VoiceEffect::Abort, VoiceEffect::Settle]);
            self.is_listening = false;
        }
        if !self.is_listening {
            effects.extend(self.start());
        }
        if mode == ListeningMode::HandsFree && self.unsent {
            effects.push(VoiceEffect::AwaitPause);
        }
        effects
    }

    fn start(&mut self) -> Vec<VoiceEffect> {
        (self.is_listening, self.has_result, self.is_ending) = (true, false, false);
        (self.taken, self.last, self.judged) = (0, None, 0);
        vec![VoiceEffect::Start]
    }

    /// Turns the microphone off and keeps the text.
    fn stop(&mut self) -> Vec<VoiceEffect> {
        let previous_mode = std::mem::take(&mut self.mode);
        let mut effects = Vec::new();
        if self.is_listening {
            // `Once` still waits for the last words; hands-free ends immediately.
            let waits = previous_mode == ListeningMode::Once;
            effects.push(if waits { VoiceEffect::Stop } else { VoiceEffect::Abort });
            (self.is_ending, self.is_listening) = (true, waits);
        }
        if !self.is_listening {
            effects.push(VoiceEffect::Settle);
        }
        effects
    }

    /// Aborts a recogniser that does not end.
    fn stop_timeout(&mut self) -> Vec<VoiceEffect> {
        if !(self.is_listening && self.is_ending) {
            return Vec::new();
        }
        self.is_listening = false;
        vec![VoiceEffect::Abort, VoiceEffect::Settle]
    }

    fn fail(&mut self, error: VoiceError) -> Vec<VoiceEffect> {
        if self.mode == ListeningMode::Off && !self.is_listening {
            return Vec::new();
        }
        self.mode = ListeningMode::Off;
        self.error = Some(error);
        let abort = std::mem::take(&mut self.is_listening).then_some(VoiceEffect::Abort);
        abort.into_iter().chain([VoiceEffect::Settle]).collect()
    }

    fn on_transcript(&mut self, heard: &Transcript) -> Vec<VoiceEffect> {
        if !self.is_listening {
            return Vec::new();
        }
        let result_count = heard.finals.len() + usize::from(!heard.interim.trim().is_empty());
        if self.is_reading {
            self.judged = self.judged.max(result_count);
        }
        let mut effects = Vec::new();
        let mut good: Vec<String> = Vec::new();
        let mut command = None;
        for (place, result) in heard.finals.iter().enumerate().skip(self.taken) {
            let words = new_words(self.last.as_deref(), result).to_owned();
            self.last = Some(result.clone());
            self.taken = place + 1;
            if words.is_empty() {
                continue;
            }
            (self.has_result, self.restarts) = (true, 0);
            let may_echo = place < self.judged && self.spoken.echoes(&words);
            match command_in(&words, &self.language) {
                // A stop is harmless; other commands may be an echo.
                Some(SpokenCommand::Stop) => command = Some(SpokenCommand::Stop),
                Some(other) if !may_echo => command = Some(other),
                Some(_) => {}
                None if may_echo => {}
                None => good.push(words),
            }
        }
        let place = heard.finals.len();
        let may_echo = place < self.judged && self.spoken.echoes(&heard.interim);
        let interim = if may_echo { String::new() } else { heard.interim.trim().to_owned() };
        if !interim.is_empty() {
            (self.has_result, self.restarts) = (true, 0);
        }
        let barges = !good.is_empty() || words_of(&interim).len() >= INTERRUPTING_WORDS;
        if self.is_reading && (barges || command.is_some()) {
            effects.push(VoiceEffect::StopSpeech);
        }
        self.unsent |= !good.is_empty();
        effects.push(VoiceEffect::Write { good: good.join(" "), interim: interim.clone() });
        match command {
            Some(SpokenCommand::Stop) => effects.extend(self.stop()),
            Some(command @ (SpokenCommand::Send | SpokenCommand::Cancel)) => {
                self.unsent = false;
                match command == SpokenCommand::Send {
                    true => effects.extend(SEND),
                    false => effects.push(VoiceEffect::PutBack),
                }
                // Ends without waiting for more results.
                if self.mode == ListeningMode::Once {
                    (self.mode, self.is_listening) = (ListeningMode::Off, false);
                    effects.push(VoiceEffect::Abort);
                }
            }
            None if self.mode == ListeningMode::HandsFree && self.unsent => {
                effects.push(VoiceEffect::AwaitPause)
            }
            None => {}
        }
        effects
    }

    fn paused(&mut self) -> Vec<VoiceEffect> {
        if self.mode != ListeningMode::HandsFree || !self.unsent {
            return Vec::new();
        }
        self.unsent = false;
        SEND.to_vec()
    }

    fn failed(&mut self, error: RecognitionError) -> Vec<VoiceEffect> {
        let is_silent = error == RecognitionError::NoSpeech;
        // The recogniser's end follows and is handled there.
        let goes_on = is_silent && self.mode == ListeningMode::HandsFree;
        // The operator ended it and needs no error.
        let is_wanted = self.is_ending && (is_silent || error == RecognitionError::Aborted);
        if !self.is_listening || goes_on || is_wanted {
            return Vec::new();
        }
        self.fail(VoiceError::Recognition(error))
    }

    fn ended(&mut self) -> Vec<VoiceEffect> {
        if !self.is_listening {
            return Vec::new();
        }
        self.is_listening = false;
        match self.mode {
            ListeningMode::HandsFree if self.has_result || self.restarts < RESTARTS => {
                self.restarts = if self.has_result { 0 } else { self.restarts + 1 };
                let mut effects = vec![VoiceEffect::Settle];
                effects.extend(self.start());
                effects
            }
            // Rests; the agents' answer resumes it.
            ListeningMode::HandsFree if self.is_working || self.is_reading => vec![VoiceEffect::Settle],
            ListeningMode::Once | ListeningMode::HandsFree | ListeningMode::Off => {
                self.mode = ListeningMode::Off;
                // The operator who ended it before speaking needs no error.
                if !self.has_result && !self.is_ending {
                    self.error = Some(VoiceError::NothingHeard);
                }
                vec![VoiceEffect::Settle]
            }
        }
    }

    /// Resumes hands-free listening once no agent works and nothing is read aloud.
    fn resume(&mut self) -> Vec<VoiceEffect> {
        if self.mode != ListeningMode::HandsFree || self.is_listening || self.is_working || self.is_reading {
            return Vec::new();
        }
        self.restarts = 0;
        self.start()
    }
}

#[cfg(test)]
mod tests;
