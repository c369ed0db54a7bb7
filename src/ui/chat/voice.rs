//! Voice: dictation and reading aloud. Except for two buttons and a slot, it is loaded lazily.
//!
//! [`bar`] shows the status, [`talk`] listens, [`reader`] reads, [`settings`] has the form. The microphone is never
//! on unasked or without being shown.

pub mod bar;
pub mod buttons;
pub mod reader;
pub mod settings;
pub mod talk;
