use super::*;

#[test]
fn logged_rejections_are_parsed() {
    let conflict = WriteError::Conflict { field: "a.txt".into(), current: "x".into(), marked: "y".into() };
    let with_values = [
        Rejection::BadAttachment { name: "a b.png".into() },
        Rejection::BadArguments { found: vec!["one".into(), "two".into()] },
        Rejection::InUse(vec!["Engineer".into()]),
        Rejection::UndoClash { field: "objective".into() },
        Rejection::Store("no room".into()),
    ];
    for one in PLAIN.map(|(_, one)| one).into_iter().chain(with_values) {
        assert_eq!(Rejection::of_log(&one.logged()), Some(one.clone()));
        // As programs until 2026-11-27 wrote it.
        assert_eq!(Rejection::of_log(&format!("{one:?}")), Some(one));
    }
    let logged = Rejection::Write(conflict).logged();
    assert_eq!(logged, "Clash in a.txt");
    assert!(
        matches!(Rejection::of_log(&logged), Some(Rejection::Write(WriteError::Conflict { field, .. })) if field == "a.txt")
    );
    assert_eq!(Rejection::of_log("UnknownRejection { of: 1 }"), None);
}
