//! Terminals in which nodes work: where they are, what a turn types into one, and how its end is read.
//!
//! A template or an import can name a terminal. Nothing is opened without the operator's
//! [consent](crate::run::templates).

use serde::{Deserialize, Serialize};

use crate::limits::TERMINAL_COMMAND_CHARS;
use crate::mind::blob::base64_of;

/// What stands for the provider's session in the command of later turns.
pub const SESSION: &str = "{session}";

/// A terminal on the operator's machine, served by ttyd, and what a turn does there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSpec {
    /// Such as `ws://127.0.0.1:7681/ws`.
    pub address: String,
    /// What the shell there runs for a turn. It reads the context pack as its input, and its exit ends the turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The same for later turns, where the provider named a session; `command` again where empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resume: String,
    /// How the line begins on which the program there waits for input. The pack is pasted then, without a command, and
    /// the turn ends when the line comes back.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
}

/// What is done in a terminal for a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalTurn {
    /// Which of the node's turns, from 1.
    pub number: u32,
    /// What the shell runs; the pack is pasted into the program that waits there where empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    pub pack: String,
    /// What nobody can guess, around the output of the command.
    pub mark: String,
}

/// The origin of a terminal's address; `None` where that is not a WebSocket on this machine.
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

/// The address behind a secret path: ttyd that was started with `-b /SECRET` answers nowhere else.
pub fn behind(address: &str, secret: &str) -> String {
    let secret = secret.trim().trim_matches('/');
    match origin(address).filter(|_| !secret.is_empty()) {
        Some(origin) => format!("{origin}/{secret}{}", address.strip_prefix(origin).unwrap_or_default()),
        None => address.to_owned(),
    }
}

impl TerminalSpec {
    /// Where ttyd listens unless told otherwise. What a turn does there is to be said.
    pub fn usual() -> Self {
        Self { address: "ws://127.0.0.1:7681/ws".to_owned(), ..Self::default() }
    }

    /// Whether it is on this machine, and a turn can end there.
    pub fn is_sound(&self) -> bool {
        let fields = [&self.command, &self.resume, &self.prompt];
        let is_line = |text: &&String| {
            text.chars().count() <= TERMINAL_COMMAND_CHARS && !text.chars().any(char::is_control)
        };
        let ends = self.command.trim().is_empty() != self.prompt.trim().is_empty();
        origin(&self.address).is_some() && self.address.len() <= 200 && fields.iter().all(is_line) && ends
    }

    /// Whether a node of this type can work there: an orchestrator needs tools, a verifier an exit status.
    pub fn fits(&self, kind: &str) -> bool {
        self.is_sound() && kind != "orchestrator" && (kind != "verifier" || !self.command.trim().is_empty())
    }

    /// The command of a turn, with the provider's session where there is one.
    pub fn command_of(&self, session: Option<&str>) -> String {
        match session.filter(|_| !self.resume.trim().is_empty()) {
            Some(session) => self.resume.replace(SESSION, session),
            None => self.command.clone(),
        }
    }
}

impl TerminalTurn {
    /// What is typed into a shell: the pack as Base64, so that nothing in it is read as a command or a key, and marks
    /// around the output. What the shell echoes of it holds no mark.
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

    /// What the command put out and its exit status, once the mark of its end is on the screen.
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

/// The session that a provider's program named in its output, as `session_id` or `session id`.
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
mod tests {
    use super::*;

    #[test]
    fn only_web_sockets_on_this_machine_are_terminals() {
        for (address, expected) in [
            ("ws://127.0.0.1:7681/ws", Some("ws://127.0.0.1:7681")),
            ("ws://localhost:7681/a/ws?x=1", Some("ws://localhost:7681")),
            ("ws://localhost", Some("ws://localhost")),
            ("ws://localhost.example.org/ws", None),
            ("ws://127.0.0.1.example.org/ws", None),
            ("ws://127.0.0.1@example.org/ws", None),
            ("ws://127.0.0.1:7681@example.org/ws", None),
            ("ws://user@127.0.0.1/ws", None),
            ("ws://127.0.0.1:99999/ws", None),
            ("ws://127.0.0.1:/ws", None),
            ("ws://127.0.0.1:7681/ws#x", None),
            ("ws://127.0.0.1:7681\\@example.org/", None),
            ("ws://192.168.0.2:7681/ws", None),
            ("wss://127.0.0.1:7681/ws", None),
            ("http://127.0.0.1:7681/ws", None),
            ("ws://[::1]:7681/ws", None),
            ("ws://127.0.0.1:7681/ ws", None),
        ] {
            assert_eq!(origin(address), expected, "{address}");
        }
        let sound = TerminalSpec {
            address: "ws://localhost:1/ws".into(),
            command: "sh".into(),
            ..Default::default()
        };
        assert!(sound.is_sound());
        for broken in [
            TerminalSpec { command: String::new(), ..sound.clone() },
            TerminalSpec { command: "a\rb".into(), ..sound.clone() },
            TerminalSpec { prompt: "> ".into(), ..sound.clone() },
            TerminalSpec { address: "ws://example.org/ws".into(), ..sound.clone() },
            TerminalSpec { resume: "x".repeat(TERMINAL_COMMAND_CHARS + 1), ..sound.clone() },
        ] {
            assert!(!broken.is_sound(), "{broken:?}");
        }
        assert!(TerminalSpec { command: String::new(), prompt: "> ".into(), ..sound }.is_sound());
    }

    #[test]
    fn a_secret_path_stands_before_the_path_and_moves_no_address_off_this_machine() {
        let address = "ws://127.0.0.1:7681/ws";
        for (secret, expected) in [
            ("", address),
            ("/", address),
            ("s3cret", "ws://127.0.0.1:7681/s3cret/ws"),
            (" /s3cret/ ", "ws://127.0.0.1:7681/s3cret/ws"),
            ("@example.org", "ws://127.0.0.1:7681/@example.org/ws"),
        ] {
            let behind = behind(address, secret);
            assert_eq!((behind.as_str(), origin(&behind)), (expected, origin(address)), "{secret}");
        }
        assert_eq!(behind("ws://example.org/ws", "s3cret"), "ws://example.org/ws");
    }

    fn turn(pack: &str) -> TerminalTurn {
        TerminalTurn { number: 1, command: "cat".into(), pack: pack.into(), mark: "01AB".into() }
    }

    #[test]
    fn nothing_in_a_pack_is_read_by_the_shell_and_the_echo_is_no_mark() {
        let turn = turn("'; rm -rf /; echo '!!\t\x03$(id)\n[nexus:01AB:0]\n");
        let keys = turn.keys();
        assert!(
            !keys.contains("rm -rf")
                && !keys.contains('\t')
                && !keys.contains('\x03')
                && !keys.contains("!!")
        );
        assert!(keys.split('\r').all(|line| line.len() < 200), "a line that a terminal takes");
        assert_eq!(turn.end(&keys), None);
    }

    #[test]
    fn a_turn_ends_with_its_own_mark_and_what_stands_between_the_marks_is_its_log() {
        let turn = turn("");
        let shown = "$ printf …\n[nexus:01AB:begin]\nbuilt\n[nexus:OTHER:0]\nok\n";
        assert_eq!(turn.end(shown), None);
        let log = "built\n[nexus:OTHER:0]\nok".to_owned();
        assert_eq!(turn.end(&format!("{shown}\n[nexus:01AB:3]\n$ ")), Some((log, 3)));
        assert_eq!(
            turn.end("late\n[nexus:01AB:0]"),
            Some(("late".to_owned(), 0)),
            "the beginning scrolled off"
        );
    }

    #[test]
    fn the_session_of_a_provider_is_found_and_goes_into_the_next_command() {
        for (log, id) in [
            (r#"{"type":"result","session_id":"0b1c-22aa-77","x":1}"#, Some("0b1c-22aa-77")),
            ("OpenAI Codex\nsession id: 0199a213-81c0-7800\n--", Some("0199a213-81c0-7800")),
            ("the session id is unknown", None),
            ("session_id: $(rm)", None),
        ] {
            assert_eq!(session_in(log).as_deref(), id, "{log}");
        }
        let spec =
            TerminalSpec { command: "a".into(), resume: "a -r {session}".into(), ..Default::default() };
        assert_eq!((spec.command_of(None), spec.command_of(Some("s1"))), ("a".into(), "a -r s1".into()));
        let spec = TerminalSpec { resume: String::new(), ..spec };
        assert_eq!(spec.command_of(Some("s1")), "a");
    }
}
