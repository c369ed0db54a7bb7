//! The sections of the settings, which the screen and the palette share. A browser test compares them with the screen.

pub(crate) use nexus_view::settings_search::{SECTIONS, SectionInfo};
