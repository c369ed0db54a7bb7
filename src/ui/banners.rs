//! Never decides what holds; the projector does.
//!
//! Owns the lasting words above the panes: not kept, not stored, read-only, Rehearsal.

use std::time::Duration;

use leptos::prelude::*;

use crate::ui::app::settings_path;
use crate::ui::dispatch::Dispatch;
use crate::ui::each::Each;
use crate::ui::view_state::{Banner, NoticeKind, Notices};
use crate::ui::words::{self, Told, panes};

/// The banners that hold now.
#[component]
pub fn Banners() -> impl IntoView {
    let notices = expect_context::<Notices>();
    view! { class="n",
        <div class="banners" role="region" aria-label=panes::BANNERS aria-live="polite">
            <Each
                each=move || notices.banners().get()
                key=|banner| banner.name()
                children=move |banner| view! { class="n", <Line banner notices /> }
            />
        </div>
    }
}

#[component]
fn Line(banner: Banner, notices: Notices) -> impl IntoView {
    let told = move || -> Told {
        match banner {
            Banner::Memory(storage) => words::banner_memory(storage),
            Banner::StoreFailed => words::banner_store(&notices.store_failure().get().unwrap_or_default()),
            Banner::ReadOnly => words::banner_read_only(),
            Banner::Rehearsal => words::banner_rehearsal(),
        }
    };
    let mend = (banner == Banner::Rehearsal).then(|| {
        view! { class="n", <a href=settings_path() class="quiet">{panes::TO_SETTINGS}</a> }
    });
    let take_over = (banner == Banner::ReadOnly).then(|| view! { class="n", <WorkHere notices /> });
    view! { class="n",
        <p class="banner" data-testid="banner" data-kind=banner.name()>
            <span class="label">{move || told().title}</span>
            <span>{move || told().advice}</span>
            {mend}
            {take_over}
        </p>
    }
}

/// How long the other tab has to answer.
const ANSWER: Duration = Duration::from_secs(8);

/// Lets this tab work in the session in view, in the place of another one.
#[component]
fn WorkHere(notices: Notices) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let asked = RwSignal::new(false);
    let waits = StoredValue::new(None::<TimeoutHandle>);
    // The banner goes when the session can be written here.
    on_cleanup(move || {
        if let Some(waits) = waits.try_get_value().flatten() {
            waits.clear();
        }
    });
    let ask = move |_| {
        asked.set(true);
        dispatch.take_over();
        let in_vain = move || {
            asked.set(false);
            let told = words::nobody_hands_over();
            notices.tell(NoticeKind::Problem, told.title, told.advice);
        };
        waits.set_value(set_timeout_with_handle(in_vain, ANSWER).ok());
    };
    view! { class="n",
        <button
            class="button"
            type="button"
            data-testid="work-here"
            title=words::WORK_HERE_ABOUT
            disabled=move || asked.get()
            on:click=ask
        >
            {words::WORK_HERE}
        </button>
    }
}
