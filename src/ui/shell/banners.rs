//! Persistent banners above the panes: in memory only, not saved, read-only, demo, new version.

use std::time::Duration;

use send_wrapper::SendWrapper;

use crate::ui::hooks::address::settings_path_at;
use crate::ui::hooks::files;
use crate::ui::hooks::page::{take_new_version, use_new_version};
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::{KeyFormPlace, WantedKey};
use crate::ui::view_state::Banner;
use nexus_engine::backup::BackupClient;
use nexus_engine::keys::KeyState;
use nexus_model::dump::readable_json;
pub use nexus_view::strings::settings::provider_card as card_words;
use nexus_view::strings::{Notice, new_version as words, panes};

#[component]
pub fn Banners() -> impl IntoMarkup {
    let notices = expect_context::<Notices>();
    view! {
        <div class="banners" role="region" aria-label=panes::BANNERS aria-live="polite">
            {keyed_list(move || notices.banners.get(), |banner| banner.name(),
                move |banner| view! { <BannerLine banner notices /> })}
            <MissingKeys />
        </div>
    }
}

#[component]
fn BannerLine(banner: Banner, notices: Notices) -> impl IntoMarkup {
    let notice = move || -> Notice {
        match banner {
            Banner::Memory(storage) => strings::banner_memory(storage),
            Banner::StoreFailed => strings::banner_store(&notices.store_failure.get().unwrap_or_default()),
            Banner::Deleted => strings::banner_deleted(),
            Banner::Waiting => strings::banner_waiting(),
            Banner::ReadOnly => strings::banner_read_only(),
            Banner::Demo => strings::banner_demo(),
        }
    };
    let settings_link = (banner == Banner::Demo).then(|| {
        view! { <a href=settings_path_at("settings-providers") class="quiet">{common::CONNECT_A_MODEL}</a> }
    });
    let take_over = (banner == Banner::ReadOnly).then(|| view! { <WorkHereButton notices /> });
    let save = (banner == Banner::Deleted).then(|| lazy_part(lazy_save_from_memory, |draw| draw()));
    view! {
        <p class="banner" data-testid="banner" data-kind=banner.name()>
            <span class="label">{move || notice().title}</span>
            <span>{move || notice().advice}</span>
            {settings_link}
            {take_over}
            {save}
        </p>
    }
}

/// Providers whose key is missing, each with the agents that need it.
fn missing_keys(agents: Agents, providers: Providers) -> Vec<(ProviderId, String, Vec<String>)> {
    // Before stored keys were read, none counts as missing.
    if !providers.restored.get() {
        return Vec::new();
    }
    let mut missing: Vec<(ProviderId, String, Vec<String>)> = Vec::new();
    for row in agents.order.get().iter().filter_map(|key| agents.rows.row(key)) {
        let needed = row.with(|row| {
            let identity = (row.agent.config.provider.clone(), row.agent.identity.name.clone());
            (!row.flags.muted && !row.demo).then_some(identity)
        });
        let Some((id, name)) = needed else { continue };
        if let Some((_, _, names)) = missing.iter_mut().find(|(other, ..)| *other == id) {
            names.push(name);
            continue;
        }
        let Some(provider) = providers.rows.row(&id) else { continue };
        let label = provider.with(|row| {
            (row.provider.needs_key && row.key == KeyState::Missing).then(|| row.provider.label.clone())
        });
        missing.extend(label.map(|label| (id, label, vec![name])));
    }
    missing
}

#[component]
fn MissingKeys() -> impl IntoMarkup {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let missing = select(move || missing_keys(agents, providers));
    let ids =
        move || -> Vec<ProviderId> { missing.with(|all| all.iter().map(|(id, ..)| id.clone()).collect()) };
    keyed_list(ids, Clone::clone, move |id| view! { <MissingKey id missing /> })
}

#[component]
fn MissingKey(id: ProviderId, missing: Selector<Vec<(ProviderId, String, Vec<String>)>>) -> impl IntoMarkup {
    let open = RwSignal::new(false);
    let notice = {
        let id = id.clone();
        select(move || {
            missing.with(|all| {
                let found = all.iter().find(|(other, ..)| *other == id);
                found.map(|(_, label, names)| panes::no_key(label, names))
            })
        })
    };
    let wanted = StoredValue::new(WantedKey {
        provider: id.clone(),
        verb: common::SAVE.get(),
        // The banner disappears with the missing key.
        then: Callback::new(|()| ()),
    });
    let form = move || open.get().then(|| view! { <KeyFormPlace wanted=wanted.get_value() /> });
    view! {
        <div class="banner" data-testid="banner" data-kind="no-key" data-provider=id.0>
            <span class="label">{move || notice.get().map(|notice| notice.title)}</span>
            <span>{move || notice.get().map(|notice| notice.advice)}</span>
            {quiet_button(move || if open.get() { common::CLOSE } else { panes::ENTER_KEY })
                .test("banner-key").with("aria-expanded", move || open.get().to_string())
                .on_click(move |_| open.update(|open| *open = !*open))}
            {form}
        </div>
    }
}

lazy_view!(board, lazy_save_from_memory, SaveFromMemory);

#[component]
fn SaveFromMemory() -> impl IntoMarkup {
    let data = expect_context::<StoredValue<SendWrapper<BackupClient>>>();
    let save = move |_| {
        let text =
            data.with_value(|data| readable_json(&data.world.borrow(), data.ports.clock.now(), data.version));
        files::download("nexus-rescued.json", &text);
    };
    button(common::SAVE_FROM_MEMORY)
        .test("save-from-memory")
        .title(strings::SAVE_FROM_MEMORY_ABOUT)
        .on_click(save)
}

/// Timeout for the other tab's reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(8);

/// The button that takes the session's lock over from another tab.
#[component]
fn WorkHereButton(notices: Notices) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let requested = RwSignal::new(false);
    let timeout = StoredValue::new(None::<TimeoutHandle>);
    // The banner disappears once the session can be edited here.
    on_cleanup(move || {
        if let Some(timeout) = timeout.try_get_value().flatten() {
            timeout.clear();
        }
    });
    let ask = move |_| {
        requested.set(true);
        dispatch.take_over();
        let on_timeout = move || {
            requested.set(false);
            notices.add_error(strings::no_reply_from_tab());
        };
        timeout.set_value(set_timeout_with_handle(on_timeout, REPLY_TIMEOUT).ok());
    };
    button(strings::WORK_HERE)
        .test("work-here")
        .title(strings::WORK_HERE_ABOUT)
        .disabled(requested)
        .on_click(ask)
}

lazy_view!(board, lazy_new_version, NewVersion);

/// The slot of the notice in the war room: visitors of other screens do not fetch the whole program.
#[component]
pub fn NewVersionSlot() -> impl IntoMarkup {
    let view = loaded(lazy_new_version);
    move || view.get().map(|draw| draw())
}

#[component]
pub fn NewVersion() -> impl IntoMarkup {
    let is_ready = use_new_version();
    view! {
        <Show when=move || is_ready.get()>
            <div class="notices new-version">
                <div class="notice" data-testid="new-version" data-kind="info" role="status">
                    <p><b>{words::READY}</b>" "{words::READY_ABOUT}</p>
                    {button(words::TAKE).test("new-version-take").on_click(move |_| take_new_version())}
                    {icon_button(icon(icon::CLOSE)).label(words::LATER).title(words::LATER).on_click(move |_| is_ready.set(false))}
                </div>
            </div>
        </Show>
    }
}
