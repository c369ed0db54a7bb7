//! Never looks anything up.
//!
//! Owns the words of the preview.

use crate::domain::preview::{State, StopCause};
use crate::ui::words::{count, names, size};

pub(crate) const FACE: &str = "Preview";
pub(crate) const SEE: &str = "See it run";
pub(crate) const PANEL: &str = "Preview";
pub(crate) const FILE: &str = "File";
pub(crate) const AGAIN: &str = "Run again";
pub(crate) const CONSOLE: &str = "Console";
pub(crate) const QUIET: &str = "Nothing was said.";
pub(crate) const NONE: &str =
    "Nothing with a preview yet: HTML, SVG or Markdown files, and pictures that messages bring along.";
pub(crate) const RUN_SCRIPTS: &str = "Run its scripts";
pub(crate) const CHECKING: &str = "Looking whether scripts can be closed in here…";

pub(crate) const NO_HEADERS: &str = "Scripts are off: this host does not send the headers that close a page in. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host.";
pub(crate) const OTHER_BROWSER: &str = "Scripts are off: this browser is not known to close a page in completely. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host. In \
     some browsers an endless loop holds up Nexus, too.";

pub(crate) const PICTURES: &str = "Pictures of messages";
pub(crate) const FIT: &str = "Fit";
pub(crate) const FULL: &str = "100 %";
pub(crate) const ZOOM: &str = "Size of the picture";
pub(crate) const BROKEN: &str =
    "This browser cannot show it: it is damaged, or of a kind that it does not know.";

/// A picture in the list.
pub(crate) fn picture(name: &str, bytes: u64, waits: bool) -> String {
    let waits = if waits { " · not sent yet" } else { "" };
    format!("{name} · {}{waits}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

/// What a picture is: its points, where the browser has told them, its kind and its size.
pub(crate) fn about_picture(points: Option<(u32, u32)>, mime: &str, bytes: u64) -> String {
    let points = points.map(|(width, height)| format!("{width} × {height} · ")).unwrap_or_default();
    let kind = mime.strip_prefix("image/").unwrap_or(mime).to_uppercase();
    format!("{points}{kind} · {}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

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
