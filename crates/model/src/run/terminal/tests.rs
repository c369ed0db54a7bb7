use super::*;

#[test]
fn only_local_web_sockets_are_accepted() {
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
    let sound =
        TerminalSpec { address: "ws://localhost:1/ws".into(), command: "sh".into(), ..Default::default() };
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
fn secret_path_is_prepended_and_keeps_the_origin() {
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
fn shell_interprets_no_part_of_pack_and_echo_has_no_marker() {
    let turn = turn("'; rm -rf /; echo '!!\t\x03$(id)\n[nexus:01AB:0]\n");
    let keys = turn.keys();
    assert!(
        !keys.contains("rm -rf") && !keys.contains('\t') && !keys.contains('\x03') && !keys.contains("!!")
    );
    assert!(keys.split('\r').all(|line| line.len() < 200), "short enough for a terminal");
    assert_eq!(turn.end(&keys), None);
}

#[test]
fn turn_ends_at_its_own_marker_and_log_is_the_text_between() {
    let turn = turn("");
    let shown = "$ printf …\n[nexus:01AB:begin]\nbuilt\n[nexus:OTHER:0]\nok\n";
    assert_eq!(turn.end(shown), None);
    let log = "built\n[nexus:OTHER:0]\nok".to_owned();
    assert_eq!(turn.end(&format!("{shown}\n[nexus:01AB:3]\n$ ")), Some((log, 3)));
    assert_eq!(
        turn.end("late\n[nexus:01AB:0]"),
        Some(("late".to_owned(), 0)),
        "the begin marker scrolled away"
    );
}

#[test]
fn provider_session_is_found_and_used_in_next_command() {
    for (log, id) in [
        (r#"{"type":"result","session_id":"0b1c-22aa-77","x":1}"#, Some("0b1c-22aa-77")),
        ("OpenAI Codex\nsession id: 0199a213-81c0-7800\n--", Some("0199a213-81c0-7800")),
        ("the session id is unknown", None),
        ("session_id: $(rm)", None),
    ] {
        assert_eq!(session_in(log).as_deref(), id, "{log}");
    }
    let spec = TerminalSpec { command: "a".into(), resume: "a -r {session}".into(), ..Default::default() };
    assert_eq!((spec.command_of(None), spec.command_of(Some("s1"))), ("a".into(), "a -r s1".into()));
    let spec = TerminalSpec { resume: String::new(), ..spec };
    assert_eq!(spec.command_of(Some("s1")), "a");
}
