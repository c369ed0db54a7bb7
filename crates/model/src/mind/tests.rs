use proptest::prelude::*;

use super::*;

fn mind() -> Mind {
    Mind { objective: "build".into(), scratchpad: "- one\n- two\n- three\n".into(), ..Mind::default() }
        .with(&[MindEdit::File { name: "a.txt".into(), text: "x\ny\nz\n".into() }])
}

#[test]
fn write_on_older_base_is_merged_by_lines() {
    let base = mind();
    let now = base.with(&[MindEdit::Scratchpad { text: "- ONE\n- two\n- three\n".into() }]);
    let writes = [MindWrite::Scratchpad("- one\n- two\n- three\n- four\n".into())];
    let after = now.with(&resolve(&now, &base, &writes).unwrap());
    assert_eq!(after.scratchpad, "- ONE\n- two\n- three\n- four\n");
}

#[test]
fn conflict_returns_current_text_and_writes_nothing() {
    let base = mind();
    let now = base.with(&[MindEdit::File { name: "a.txt".into(), text: "x\nOPERATOR\nz\n".into() }]);
    let writes = [
        MindWrite::Objective("other".into()),
        MindWrite::File { name: "a.txt".into(), text: "x\nAGENT\nz\n".into() },
    ];
    let Err(WriteError::Conflict { field, current, marked }) = resolve(&now, &base, &writes) else {
        panic!("expected a clash");
    };
    assert_eq!((field.as_str(), current.as_str()), ("a.txt", "x\nOPERATOR\nz\n"));
    assert!(marked.contains("OPERATOR") && marked.contains("AGENT"));
}

#[test]
fn replace_needs_exactly_one_match_or_all() {
    let mind = mind().with(&[MindEdit::File { name: "b".into(), text: "one one two".into() }]);
    let replace = |search: &str, all| MindWrite::Replace {
        name: "b".into(),
        search: search.into(),
        replace: "1".into(),
        all,
    };
    assert_eq!(
        resolve(&mind, &mind, &[replace("one", false)]),
        Err(WriteError::Ambiguous { name: "b".into(), times: 2 })
    );
    assert_eq!(
        resolve(&mind, &mind, &[replace("none", true)]),
        Err(WriteError::NotFound { name: "b".into() })
    );
    assert_eq!(resolve(&mind, &mind, &[replace("", true)]), Err(WriteError::NotFound { name: "b".into() }));
    let after = mind.with(&resolve(&mind, &mind, &[replace("one", true)]).unwrap());
    assert_eq!(after.file("b"), Some("1 1 two"));
}

#[test]
fn invalid_file_names_are_rejected() {
    let mind = mind();
    for name in ["", " ", "../x", "a//b", "/etc/x", "a\\b", "a\nb", "."] {
        let write = MindWrite::File { name: name.into(), text: String::new() };
        assert_eq!(
            resolve(&mind, &mind, &[write]),
            Err(WriteError::BadName { name: name.into() }),
            "{name:?}"
        );
    }
    let write = MindWrite::File { name: "src/日本 語.rs".into(), text: "x".into() };
    assert!(resolve(&mind, &mind, &[write]).is_ok());
}

#[test]
fn remove_and_rename_update_the_active_file() {
    let mind = mind().with(&[MindEdit::Active { name: Some("a.txt".into()) }]);
    let renamed = mind.with(&[MindEdit::FileRenamed { from: "a.txt".into(), to: "b.txt".into() }]);
    assert_eq!(renamed.active_file(), Some(("b.txt", "x\ny\nz\n")));
    assert_eq!(renamed.with(&[MindEdit::FileRemoved { name: "b.txt".into() }]).active, None);
}

#[test]
fn context_node_state_round_trips() {
    let json = r#"{"objective":"o","scratchpad":"s","activeFile":"text","activeFileName":"App.tsx"}"#;
    let state: ContextNodeState = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&Mind::from(state).context_node_state()).unwrap(), json);
}

#[test]
fn stored_row_restores_the_mind() {
    let mind = mind();
    let texts: VecMap<_, _> = mind.files.values().map(|file| (file.hash, file.text.clone())).collect();
    let restored = Mind::of_row(mind.row(), |hash| texts.get(hash).cloned());
    assert_eq!(restored, mind);
    assert_eq!(restored.hash(), mind.hash());
}

proptest! {
    #[test]
    fn write_on_newest_base_is_applied_unchanged(text in "[a-c\n]{0,40}", old in "[a-c\n]{0,40}") {
        let now = mind().with(&[MindEdit::File { name: "f".into(), text: old }]);
        let edits = resolve(&now, &now, &[MindWrite::File { name: "f".into(), text: text.clone() }]).unwrap();
        let after = now.with(&edits);
        prop_assert_eq!(after.file("f"), Some(text.as_str()));
    }
}

#[test]
fn new_never_overwrites_a_file() {
    let now = mind();
    let make = |name: &str, text: &str| {
        resolve(&now, &Mind::default(), &[MindWrite::New { name: name.into(), text: text.into() }])
    };
    assert_eq!(make("a.txt", "other"), Err(WriteError::NameTaken { name: "a.txt".into() }));
    assert_eq!(make("a.txt", "x\ny\nz\n"), Ok(Vec::new()));
    assert_eq!(now.with(&make("b.txt", "").unwrap()).file("b.txt"), Some(""));
    assert!(matches!(make("../b", ""), Err(WriteError::BadName { .. })));
}

fn png(more: &[u8]) -> String {
    crate::mind::blob::image_text(&[b"\x89PNG\r\n\x1a\n", more].concat()).unwrap()
}

#[test]
fn image_is_replaced_whole_and_never_by_text() {
    let file = |name: &str, text: &str| MindWrite::File { name: name.into(), text: text.into() };
    let (one, other) = (png(b"1"), png(b"2"));
    let empty = mind();
    let now = empty.with(&resolve(&empty, &empty, &[file("logo.png", &one)]).unwrap());
    assert_eq!(
        now.files["logo.png"].image().map(|image| (image.mime, image.bytes())),
        Some(("image/png", 9))
    );
    let name = || "logo.png".to_owned();
    let replace = MindWrite::Replace { name: name(), search: "data".into(), replace: "".into(), all: true };
    for write in [file("logo.png", "a text\n"), replace] {
        assert_eq!(resolve(&now, &now, &[write]), Err(WriteError::IsImage { name: name() }));
    }
    // An image replaces only the version that the writer saw.
    let write = file("logo.png", &other);
    let after = now.with(&resolve(&now, &now, std::slice::from_ref(&write)).unwrap());
    assert_eq!(after.file("logo.png"), Some(other.as_str()));
    assert_eq!(
        resolve(&after, &now, &[file("logo.png", &png(b"3"))]),
        Err(WriteError::NameTaken { name: name() })
    );
    assert_eq!(resolve(&after, &now, &[write]), Ok(Vec::new()));
    let moved =
        [MindWrite::Rename { from: name(), to: "img/a.png".into() }, MindWrite::Remove("img/a.png".into())];
    assert_eq!(now.with(&resolve(&now, &now, &moved).unwrap()).files, empty.files);
    assert_eq!(Mind { active: Some(name()), ..now }.context_node_state().active_file, "");
}

#[test]
fn invalid_and_large_images_are_rejected_and_their_total_is_limited() {
    let file = |name: &str, text: &str| MindWrite::File { name: name.into(), text: text.into() };
    let empty = mind();
    let error_of = |text: &str| resolve(&empty, &empty, &[file("a.png", text)]).unwrap_err();
    let bad = WriteError::BadImage { name: "a.png".into() };
    assert_eq!(error_of("data:image/png;base64,Y?=="), bad);
    let most = usize::try_from(crate::limits::IMAGE_BYTES).unwrap();
    assert_eq!(error_of(&png(&vec![0; most])), bad);
    let image = png(&vec![0; most - 8]);
    let mut now = empty.clone();
    let fit = usize::try_from(SESSION_IMAGES_BYTES).unwrap() / most;
    for number in 0..fit {
        now = now.with(&resolve(&now, &now, &[file(&format!("{number}.png"), &image)]).unwrap());
    }
    assert_eq!(resolve(&now, &now, &[file("more.png", &image)]), Err(WriteError::ImagesFull));
    assert!(resolve(&now, &now, &[file("0.png", &png(b"small"))]).is_ok());
}
