//! Never listens unasked, and never says that the microphone is off while it is on.
//!
//! Owns voice on screen. What the war room itself has of it is in [`desk`]: two buttons and a place. The rest is a part
//! of its own: [`bar`] shows where it stands, [`talk`] listens, [`reader`] reads, [`settings`] asks how.

pub mod bar;
pub mod desk;
pub mod reader;
pub mod settings;
pub mod talk;
