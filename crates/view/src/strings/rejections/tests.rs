use super::*;

#[test]
fn every_rejection_has_a_title_and_advice() {
    let all = [
        Rejection::NoSuchSession,
        Rejection::NoSuchTurn,
        Rejection::NoSuchRun,
        Rejection::NoSuchAgent,
        Rejection::NoSuchToolRun,
        Rejection::NothingSaid,
        Rejection::BadAttachment { name: "a.png".into() },
        Rejection::BadArguments { found: vec!["`name` is missing".into()] },
        Rejection::NothingToContinue,
        Rejection::NotWaiting,
        Rejection::RunWorks,
        Rejection::SessionClosed,
        Rejection::Stale,
        Rejection::NotFailed,
        Rejection::BadName,
        Rejection::LastAgent,
        Rejection::LastSession,
        Rejection::NotAllowed,
        Rejection::TurnWorks,
        Rejection::HeadMissing,
        Rejection::HistoryBroken,
        Rejection::StillNeeded,
        Rejection::MovedOn,
        Rejection::Unrelated,
        Rejection::NothingToMerge,
        Rejection::ClashesOpen,
        Rejection::BuiltIn,
        Rejection::InUse(vec!["Engineer".into(), "Critic".into()]),
        Rejection::BadAddress(nexus_model::provider::address::AddressError::KeyInside),
        Rejection::Write(WriteError::NoSuchFile { name: "a.rs".into() }),
        Rejection::NoSuchTrigger,
        Rejection::BadTrigger(nexus_model::session::trigger::TriggerError::Over),
        Rejection::ReadOnly,
        Rejection::Store("disk full".into()),
        Rejection::Newer,
        Rejection::PartMissing,
    ];
    for one in all {
        let notice = rejection(&one);
        assert!(!notice.title.is_empty() && notice.advice.ends_with('.'), "{notice:?}");
        let logged = logged(&one.logged());
        assert!(logged.contains(' ') && !logged.contains(['(', '{', '"']), "{logged}");
    }
}

#[test]
fn a_conflict_names_the_field_as_in_the_interface() {
    let conflict = |field: &str| WriteError::Conflict {
        field: field.into(),
        current: String::new(),
        marked: String::new(),
    };
    assert!(write_error(&conflict("objective")).title.ends_with("the objective"));
    assert!(write_error(&conflict("src/a.rs")).title.ends_with("“src/a.rs”"));
}

#[test]
fn a_rejection_of_a_read_only_tab_names_the_button_that_helps() {
    let take_over = format!("“{}”", crate::strings::WORK_HERE.0);
    assert!(rejection(&Rejection::ReadOnly).advice.contains(&take_over));
}
