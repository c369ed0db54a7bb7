//! The list of notices, temporary or until dismissed.

use std::time::Duration;

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{NoticeEntry, NoticeKind, Notices};

/// How long a passing word stays.
const WORD: Duration = Duration::from_secs(8);
/// How long one stays that offers to take something back.
const UNDO: Duration = Duration::from_secs(20);

/// What happened.
#[component]
pub fn NoticeList() -> impl IntoView {
    let notices = expect_context::<Notices>();
    view! { class="n",
        <div class="notices" role="region" aria-label="Notices">
            <KeyedList
                each=move || notices.list().get()
                key=|notice| notice.id
                children=move |notice| view! { class="n", <NoticeLine notice notices /> }
            />
        </div>
    }
}

#[component]
fn NoticeLine(notice: NoticeEntry, notices: Notices) -> impl IntoView {
    let id = notice.id;
    let (kind, role) = match notice.kind {
        NoticeKind::Word => {
            // The slice outlives the timer; a notice that is gone by then stays gone.
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
        view! { class="n",
            <button class="button" type="button" data-testid="notice-undo" on:click=undo>
                {"Undo"}
            </button>
        }
    });
    view! { class="n",
        <div class="notice" data-testid="notice" data-kind=kind role=role>
            <p>
                <b>{notice.title}</b>
                {" "}
                {notice.advice}
            </p>
            {undo}
            <button
                class="icon"
                type="button"
                aria-label="Put away"
                title="Put away"
                on:click=move |_| notices.dismiss(id)
            >
                {"×"}
            </button>
        </div>
    }
}
