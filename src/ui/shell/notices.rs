//! The list of notices, temporary or until dismissed.

use std::time::Duration;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{NoticeEntry, NoticeKind, Notices};
use nexus_view::language::tr;

/// How long a passing word stays.
const WORD: Duration = Duration::from_secs(8);
/// How long one stays that offers to take something back.
const UNDO: Duration = Duration::from_secs(20);

/// What happened.
#[component]
pub fn NoticeList() -> impl IntoMarkup {
    let notices = expect_context::<Notices>();
    view! {
        <div class="notices" role="region" aria-label=tr("Status messages")>
            {keyed_list(move || notices.list().get(), |notice| notice.id,
                move |notice| view! { <NoticeLine notice notices /> })}
        </div>
    }
}

#[component]
fn NoticeLine(notice: NoticeEntry, notices: Notices) -> impl IntoMarkup {
    let id = notice.id;
    let (kind, role) = match notice.kind {
        NoticeKind::Word => {
            // The notices outlive the timer; a notice that is gone by then stays gone.
            let stays = if notice.undo.is_some() { UNDO } else { WORD };
            set_timeout(move || notices.dismiss(id), stays);
            ("info", "status")
        }
        NoticeKind::Problem => ("error", "alert"),
    };
    let undo = notice.undo.map(|undo| {
        let dispatch = expect_context::<Dispatch>();
        let undo = move |_| {
            notices.dismiss(id);
            dispatch.send(undo.command());
        };
        button(tr("Undo")).test("notice-undo").on_click(undo)
    });
    view! {
        <div class="notice" data-testid="notice" data-kind=kind role=role>
            <p>
                <b>{notice.title}</b>
                {" "}
                {notice.advice}
            </p>
            {undo}
            {icon_button(icon(icon::CLOSE)).label(tr("Dismiss")).title(tr("Dismiss")).on_click(move |_| notices.dismiss(id))}
        </div>
    }
}
