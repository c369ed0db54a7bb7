//! Terminals of nodes: address, input of a turn, and detection of its end.
//!
//! Templates and imports can name a terminal, but it is opened only with the operator's
//! [consent](crate::run::templates).

use serde::{Deserialize, Serialize};

use crate::limits::TERMINAL_COMMAND_CHARS;
use crate::mind::blob::base64_of;

/// Placeholder for the provider's session id in the command of later turns.
pub const SESSION: &str = "{session}";

/// A terminal on the operator's machine, served by ttyd, and the command of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSpec {
    /// For example `ws://127.0.0.1:7681/ws`.
    pub address: String,
    /// The shell command of a turn. It reads the context pack from stdin; its exit ends the turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The command of later turns, if the provider named a session; by default `command`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resume: String,
    /// The prompt of the program in the terminal, as a prefix of its line. Then the pack is pasted without a command,
    /// and the turn ends when the prompt returns.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalTurn {
    /// Number of the node's turn, from 1.
    pub number: u32,
    /// The shell command; if empty, the pack is pasted into the running program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    pub pack: String,
    /// An unguessable marker around the output of the command.
    pub mark: String,
}

/// The origin of a terminal's address; `None` unless it is a WebSocket on this machine.
pub fn origin(address: &str) -> Option<&str> {
    let rest = address.strip_prefix("ws://")?;
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let port = ["localhost", "127.0.0.1"].iter().find_map(|host| authority.strip_prefix(host))?;
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let fits = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    let end = address.len().saturating_sub(rest.len()).saturating_add(authority.len());
    address.get(..end).filter(|_| fits && is_plain)
}

/// Inserts a secret path into the address, for ttyd started with `-b /SECRET`.
pub fn behind(address: &str, secret: &str) -> String {
    let secret = secret.trim().trim_matches('/');
    match origin(address).filter(|_| !secret.is_empty()) {
        Some(origin) => format!("{origin}/{secret}{}", address.strip_prefix(origin).unwrap_or_default()),
        None => address.to_owned(),
    }
}

impl TerminalSpec {
    /// The default address of ttyd, without a command.
    pub fn usual() -> Self {
        Self { address: "ws://127.0.0.1:7681/ws".to_owned(), ..Self::default() }
    }

    /// True if it is on this machine and its turns can end.
    pub fn is_sound(&self) -> bool {
        let fields = [&self.command, &self.resume, &self.prompt];
        let is_line = |text: &&String| {
            text.chars().count() <= TERMINAL_COMMAND_CHARS && !text.chars().any(char::is_control)
        };
        let ends = self.command.trim().is_empty() != self.prompt.trim().is_empty();
        origin(&self.address).is_some() && self.address.len() <= 200 && fields.iter().all(is_line) && ends
    }

    /// True if a node of this type can work there: an orchestrator needs tools, a verifier an exit status.
    pub fn fits(&self, kind: &str) -> bool {
        self.is_sound() && kind != "orchestrator" && (kind != "verifier" || !self.command.trim().is_empty())
    }

    /// The command of a turn, with the provider's session id if there is one.
    pub fn command_of(&self, session: Option<&str>) -> String {
        match session.filter(|_| !self.resume.trim().is_empty()) {
            Some(session) => self.resume.replace(SESSION, session),
            None => self.command.clone(),
        }
    }
}

impl TerminalTurn {
    /// The keys to type into a shell: the pack as Base64, so that nothing in it is interpreted, and markers around the
    /// output. The shell's echo of the keys contains no complete marker.
    pub fn keys(&self) -> String {
        let Self { command, pack, mark, .. } = self;
        let base64 = base64_of(pack.as_bytes());
        let mut lines = String::new();
        for (at, letter) in base64.chars().enumerate() {
            if at % 76 == 0 {
                lines.push('\r');
            }
            lines.push(letter);
        }
        format!(
            " printf '\\n[nexus:%s:begin]\\n' {mark}; printf %s '{lines}\r' | base64 -d | ( {command} ); \
             printf '\\n[nexus:%s:%s]\\n' {mark} \"$?\"\r"
        )
    }

    /// The output and exit status of the command, once the end marker is on the screen.
    pub fn end(&self, text: &str) -> Option<(String, i32)> {
        let mark = format!("[nexus:{}:", self.mark);
        let begin = format!("{mark}begin]");
        let after = text.split_once(&begin).map_or(text, |(_, after)| after);
        let (at, status) = after.match_indices(&mark).find_map(|(at, mark)| {
            let (status, _) = after.get(at..)?.strip_prefix(mark)?.split_once(']')?;
            Some((at, status.trim().parse().ok()?))
        })?;
        Some((after.get(..at)?.trim_matches(['\n', '\r']).to_owned(), status))
    }
}

/// The session id that a provider's program printed, as `session_id` or `session id`.
pub fn session_in(log: &str) -> Option<String> {
    let is_id = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let lower = log.to_ascii_lowercase();
    ["session_id", "session id", "sessionid"].iter().find_map(|name| {
        lower.match_indices(name).find_map(|(at, name)| {
            let rest = log.get(at.saturating_add(name.len())..)?;
            let rest = rest.trim_start_matches(['"', '\'', ':', '=', ' ']);
            let id: String = rest.chars().take_while(is_id).collect();
            (8..=64).contains(&id.len()).then_some(id)
        })
    })
}

#[cfg(test)]
mod tests;
