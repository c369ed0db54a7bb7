use super::*;
use crate::mind::sandbox::Sandbox;

#[test]
fn priority_button_cycles() {
    assert_eq!(Priority::Low.cycled(), Priority::Normal);
    assert_eq!(Priority::Normal.cycled(), Priority::High);
    assert_eq!(Priority::High.cycled(), Priority::Low);
}

#[test]
fn denial_wins_and_sandbox_limits_files() {
    let permissions = Permissions {
        tools_allowed: Some(vec!["write_file".into(), "read_file".into()]),
        tools_denied: vec!["write_file".into()],
        sandbox: Some(vec!["docs/*".into(), "README.md".into()]),
        credentials: None,
        ..Permissions::default()
    };
    assert!(permissions.allow_tool("read_file"));
    assert!(!permissions.allow_tool("write_file"));
    assert!(!permissions.allow_tool("edit_file"));
    let sandbox = Sandbox::of([&permissions]);
    assert!(sandbox.allows("docs/a.md") && sandbox.allows("README.md"));
    assert!(!sandbox.allows("src/main.rs"));
}
