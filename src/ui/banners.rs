//! Never decides what holds; the projector does.
//!
//! Owns the lasting words above the panes: not kept, not stored, read-only, Rehearsal.

use leptos::prelude::*;

use crate::ui::app::settings_path;
use crate::ui::each::Each;
use crate::ui::view_state::{Banner, Notices};
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
    view! { class="n",
        <p class="banner" data-testid="banner" data-kind=banner.name()>
            <span class="label">{move || told().title}</span>
            <span>{move || told().advice}</span>
            {mend}
        </p>
    }
}
