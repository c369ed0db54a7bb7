//! Speaking and listening: dictation, sentences to read aloud, and spoken commands.

pub mod dictation;
pub mod echo;
pub mod listening;
pub mod speech;
pub mod spoken_command;
