//! Never looks anything up.
//!
//! Owns the words of the preview.

use crate::domain::preview::{State, StopCause};
use crate::ui::words::{count, names};

pub(crate) const FACE: &str = "Preview";
pub(crate) const SEE: &str = "See it run";
pub(crate) const PANEL: &str = "Preview";
pub(crate) const FILE: &str = "File";
pub(crate) const AGAIN: &str = "Run again";
pub(crate) const CONSOLE: &str = "Console";
pub(crate) const QUIET: &str = "Nothing was said.";
pub(crate) const NONE: &str = "No file with a preview yet: HTML, SVG or Markdown.";
pub(crate) const RUN_SCRIPTS: &str = "Run its scripts";
pub(crate) const CHECKING: &str = "Looking whether scripts can be closed in here…";

pub(crate) const NO_HEADERS: &str = "Scripts are off: this host does not send the headers that close a page in. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host.";
pub(crate) const OTHER_BROWSER: &str = "Scripts are off: this browser is not known to close a page in completely. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host. In \
     some browsers an endless loop holds up Nexus, too.";

/// Where a preview stands.
pub(crate) fn state(state: State) -> &'static str {
    match state {
        State::Loading => "loading",
        State::Running => "running",
        State::ScriptsOff => "scripts are off",
        State::Still => "shown",
        State::Stopped(_) => "stopped",
    }
}

/// Why a page was stopped.
pub(crate) fn stopped(cause: StopCause) -> &'static str {
    match cause {
        StopCause::Silent => {
            "Stopped: it gave no sign of life for two seconds. It is probably in a loop without an end."
        }
        StopCause::Flood => "Stopped: it sent messages without an end.",
        StopCause::Left => "Stopped: it tried to become another page, or to load itself again.",
        StopCause::Absent => "The document that previews run in did not come. Is the connection gone?",
    }
}

/// The files that a page names and that are not there.
pub(crate) fn missing(files: &[String]) -> String {
    format!("Not in this session: {}.", names(files))
}

/// A link that leads out.
pub(crate) fn no_way(address: &str) -> String {
    format!("The link to {address} leads out of the files of this session.")
}

/// Lines that are no longer shown.
pub(crate) fn dropped(lines: u64) -> String {
    format!("{} before these", count(usize::try_from(lines).unwrap_or(usize::MAX), "line", "lines"))
}
