//! Strings of the preview.

use crate::strings::{count, names, size};
use nexus_model::mind::preview::{PreviewState, PreviewStopReason};

pub const FACE: &str = "Preview";
pub const SEE: &str = "See it run";
pub const PANEL: &str = "Preview";
pub const FILE: &str = "File";
pub const AGAIN: &str = "Run again";
pub const CONSOLE: &str = "Console";
pub const QUIET: &str = "Nothing was said.";
pub const NONE: &str =
    "Nothing with a preview yet: HTML, SVG or Markdown files, and pictures that messages bring along.";
pub const RUN_SCRIPTS: &str = "Run its scripts";
pub const CHECKING: &str = "Looking whether scripts can be closed in here…";

pub const NO_HEADERS: &str = "Scripts are off: this host does not send the headers that close a page in. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host.";
pub const OTHER_BROWSER: &str = "Scripts are off: this browser is not known to close a page in completely. They \
     cannot load or send anything by the usual ways. What stays open: WebRTC, and a bare connection to another host. In \
     some browsers an endless loop holds up Nexus, too.";

pub const PICTURES: &str = "Pictures of messages";
pub const FIT: &str = "Fit";
pub const FULL: &str = "100 %";
pub const ZOOM: &str = "Size of the picture";
pub const BROKEN: &str = "This browser cannot show it: it is damaged, or of a kind that it does not know.";

/// A picture in the list.
pub fn picture(name: &str, bytes: u64, waits: bool) -> String {
    let waits = if waits { " · not sent yet" } else { "" };
    format!("{name} · {}{waits}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

/// What a picture is: its points, where the browser has told them, its kind and its size.
pub fn about_picture(points: Option<(u32, u32)>, mime: &str, bytes: u64) -> String {
    let points = points.map(|(width, height)| format!("{width} × {height} · ")).unwrap_or_default();
    let kind = mime.strip_prefix("image/").unwrap_or(mime).to_uppercase();
    format!("{points}{kind} · {}", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

/// Where a preview stands.
pub fn state(state: PreviewState) -> &'static str {
    match state {
        PreviewState::Loading => "loading",
        PreviewState::Running => "running",
        PreviewState::ScriptsOff => "scripts are off",
        PreviewState::Still => "shown",
        PreviewState::Stopped(_) => "stopped",
    }
}

/// Why a page was stopped.
pub fn stopped(cause: PreviewStopReason) -> &'static str {
    match cause {
        PreviewStopReason::Silent => {
            "Stopped: it gave no sign of life for two seconds. It is probably in a loop without an end."
        }
        PreviewStopReason::Flood => "Stopped: it sent messages without an end.",
        PreviewStopReason::Left => "Stopped: it tried to become another page, or to load itself again.",
        PreviewStopReason::Absent => {
            "The document that previews run in did not come. Is the connection gone?"
        }
    }
}

/// The files that a page names and that are not there.
pub fn missing(files: &[String]) -> String {
    format!("Not in this session: {}.", names(files))
}

/// A link that leads out.
pub fn no_way(address: &str) -> String {
    format!("The link to {address} leads out of the files of this session.")
}

/// Lines that are no longer shown.
pub fn dropped(lines: u64) -> String {
    format!("{} before these", count(usize::try_from(lines).unwrap_or(usize::MAX), "line", "lines"))
}
