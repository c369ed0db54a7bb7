//! The top bar, the banners below it, and the listener for shortcuts.
//!
//! The bar has session switcher, run status, stop button and settings; banners say: in memory only, not saved,
//! read-only, demo, new version. The listener and the slot of the palette are on every screen; the registry of actions
//! is loaded on first use.

use crate::ui::hooks::page::{take_new_version, use_new_version};
use crate::ui::kit::icon::{COMMANDS as SIGN, HELP, LOG, SETTINGS};
use crate::ui::palette::lazy_palette;
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::{WantedKey, key_form};
use crate::ui::view_state::{Banner, RunRow};
use nexus_engine::backup::BackupClient;
use nexus_model::dump::readable_json;
use nexus_model::provider::price::Cost;
use nexus_model::session::workers::work;
use nexus_view::shortcuts::{action_of, chord_of, with_shortcut};
use nexus_view::strings::{Notice, new_version as new_version_words, palette as words, panes};

#[component]
pub fn TopBar() -> impl IntoMarkup {
    let apple = events::is_apple();
    let link =
        |screen, class: &'static str, test: &'static str, name: &'static str, sign, short: &'static str| {
            let has_shortcut = matches!(screen, Screen::Audit | Screen::Settings);
            let shortcut = ShortcutAction::Screen(screen);
            let title = if has_shortcut { with_shortcut(name, shortcut, apple) } else { name.to_owned() };
            view! {
                <a href=screen_path(screen) class=class data-testid=test title=title aria-label=name>
                    {icon(sign)}<span class="bar-word">{short}</span>
                </a>
            }
        };
    view! {
        <header class="top-bar">
            <h1 class="unseen">{tr("War room")}</h1>
            <Brand />
            <SessionSwitcher />
            <RunState />
            <div class="top-bar-end">
                <StopButton />
                <PaletteButton />
                {link(Screen::Tree, "icon", "open-tree", tr("Tree"), BRANCH, tr("Tree"))}
                {link(Screen::Audit, "icon", "open-audit", tr("Event log"), LOG, tr("Log"))}
                {link(Screen::Help, "icon bar-help", "open-help", tr("Help and about"), HELP, tr("Help"))}
                {link(Screen::Settings, "icon", "open-settings", tr("Settings"), SETTINGS, tr("Settings"))}
            </div>
        </header>
    }
}

#[component]
fn SessionSwitcher() -> impl IntoMarkup {
    let &Page { sessions, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let row = move || sessions.rows.row(&sessions.focus.get()).map(|row| row.get());
    let label = move || row().map(|row| reveal(&row.label)).unwrap_or_default();
    // A mark if another session needs the operator.
    let elsewhere = move || {
        let focus = sessions.focus.get();
        let others = sessions.rows.order.get().into_iter().filter(|id| *id != focus);
        let mut rows = others.filter_map(|id| sessions.rows.row(&id));
        rows.any(|row| row.with(|row| row.is_waiting)).then_some("◆")
    };
    view! {
        <div class="sessions">
            <button
                class="session-switcher" type="button" data-testid="session-switcher"
                data-session=move || sessions.focus.get().to_string() title=strings::tree::SWITCH
                aria-haspopup="dialog" on:click=move |_| dialogs.open(OpenDialog::Sessions(None))
            >
                <span dir="auto">{label}</span>
                <span class="session-elsewhere">{elsewhere}</span>
                <span class="chevron" aria-hidden="true"></span>
            </button>
        </div>
    }
}

#[component]
fn RunState() -> impl IntoMarkup {
    let &Page { now, run: RunView { run, .. }, .. } = expect_context();
    let state = move || run.with_some(|run| Some(json::name(&run.status))).unwrap_or("idle".to_owned());
    let asks = move || run.with_some(|run| run.needs_approval).to_string();
    let words =
        move || run.with_some(|run| Some(status_text(run, now.get()))).unwrap_or(tr("Idle").to_owned());
    let figures = move || run.with_some(|run| Some(figures(run, now.get())));
    view! {
        <span class="run-state" data-testid="run-state" data-state=state data-asks=asks>
            <span>{words}</span>
            <span class="run-state-figures">{figures}</span>
        </span>
    }
}

fn status_text(run: &RunRow, now: Millis) -> String {
    if let Some(until) = run.retry_at {
        let left = until.0.saturating_sub(now.0).div_ceil(1_000);
        return text!("Retries in {left} s");
    }
    if run.needs_approval {
        return tr("Needs you").to_owned();
    }
    if run.status == RunStatus::Running && run.keeps_going() {
        let (round, limit) = (run.rounds.current, run.rounds.limit);
        return text!("Round {round} of {limit}");
    }
    strings::run_status(run.status).to_owned()
}

fn figures(run: &RunRow, now: Millis) -> String {
    let (before, since) = work(run);
    let elapsed = before.saturating_add(since.map_or(0, |since| now.0.saturating_sub(since.0)));
    // Whole seconds while it runs, so that the figure does not jitter.
    let elapsed = if run.ended_at.is_some() { elapsed } else { (elapsed / 1_000 * 1_000).max(1_000) };
    let calls = strings::count(run.used.calls, "call", "calls");
    let cost = match (run.used.cost, run.used.unpriced) {
        (Cost(0), _) => String::new(),
        (cost, 0) => format!(" · {}", strings::money(cost)),
        (cost, _) => format!(" · {} +", strings::money(cost)),
    };
    format!("{} · {calls} · {}{cost}", strings::elapsed(elapsed), strings::tokens_with_unit(run.used.tokens))
}

/// Stops the work in the session in view, while its run works.
#[component]
pub fn StopButton() -> impl IntoMarkup {
    let &Page {
        dispatch, run: RunView { is_working: works, .. }, sessions: Sessions { read_only, .. }, ..
    } = expect_context();
    let stop = move || dispatch.send_to_end(Command::Stop { session: dispatch.session() });
    let title = StoredValue::new(with_shortcut(tr("Stop"), ShortcutAction::Stop, events::is_apple()));
    view! {
        <Show when=move || works.get()>
            {button(tr("Stop")).danger().test("stop").title(title.get_value()).disabled(read_only)
                .on_click(move |_| stop())}
        </Show>
    }
}

#[component]
pub fn KeyboardSlot() -> impl IntoMarkup {
    let &Page { dispatch, keyboard: requested, run: RunView { is_open, .. }, sessions, settings, .. } =
        expect_context();
    page::on_key(move |event| {
        let singles = settings.get_untracked(SINGLE_KEYS);
        let Some(act) = events::read_key(&event, |press| action_of(press, singles)) else { return };
        let open = requested.get_untracked();
        if act == ShortcutAction::Stop {
            // At once, however much of the program is loaded, and even behind a dialog. Ends a paused run, too.
            if !is_open.get_untracked() || sessions.read_only.get_untracked() {
                return;
            }
            dispatch.send(Command::Stop { session: dispatch.session() });
        } else if act == ShortcutAction::Palette && open.is_some() {
            requested.set(None);
        } else if !focus::exists("dialog[open]") {
            requested.set(Some(act));
        } else {
            return;
        }
        event.prevent_default();
    });
    view! {
        <div class="above">{move || requested.get().map(|_| view! { <LazyView load=lazy_palette /> })}</div>
    }
}

#[component]
pub fn PaletteButton() -> impl IntoMarkup {
    let requested = expect_context::<&Page>().keyboard;
    let keys = chord_of(ShortcutAction::Palette).map(|chord| chord.shown(events::is_apple()));
    icon_button(view! { {icon(SIGN)}<span class="bar-word">{words::COMMANDS}</span> })
        .test("open-palette")
        .title(with_shortcut(words::EVERYTHING.get(), ShortcutAction::Palette, events::is_apple()))
        .label(words::COMMANDS)
        .with("data-keys", keys)
        .with("aria-haspopup", "dialog")
        .on_click(move |_| requested.set(Some(ShortcutAction::Palette)))
}

#[component]
pub fn Banners() -> impl IntoMarkup {
    let &Page { agents, notices, providers, .. } = expect_context();
    let missing = select(move || missing_keys(agents, providers));
    let ids =
        move || -> Vec<ProviderId> { missing.with(|all| all.iter().map(|(id, ..)| id.clone()).collect()) };
    view! {
        <div class="banners" role="region" aria-label=panes::BANNERS aria-live="polite">
            {keyed_list(move || notices.banners.get(), |banner| banner.name(),
                move |banner| view! { <BannerLine banner notices /> })}
            {keyed_list(ids, Clone::clone, move |id| view! { <MissingKey id missing /> })}
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
            Banner::SafeMode => strings::banner_safe_mode(),
            Banner::Demo => strings::banner_demo(),
        }
    };
    let link = match banner {
        Banner::Demo => Some((settings_path_at("settings-providers"), "", common::CONNECT_A_MODEL)),
        // `external`: the page loads anew.
        Banner::SafeMode => Some((home_path(), "external", strings::LEAVE_SAFE_MODE)),
        Banner::Memory(_) | Banner::StoreFailed | Banner::Deleted | Banner::Waiting | Banner::ReadOnly => {
            None
        }
    };
    let link = link.map(|(href, rel, label)| view! { <a href=href rel=rel class="quiet">{label}</a> });
    let take_over = (banner == Banner::ReadOnly).then(|| view! { <WorkHereButton notices /> });
    let save = (banner == Banner::Deleted).then(|| lazy_part(lazy_save_from_memory, |draw| draw()));
    view! {
        <p class="banner" data-testid="banner" data-kind=banner.name()>
            <span class="label">{move || notice().title}</span>
            <span>{move || notice().advice}</span>
            {link}
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
    for row in agents.roster().into_iter().filter(|row| !row.flags.muted && !row.demo) {
        let (id, name) = (row.agent.config.provider.clone(), row.agent.identity.name.clone());
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
fn MissingKey(id: ProviderId, missing: Selector<Vec<(ProviderId, String, Vec<String>)>>) -> impl IntoMarkup {
    let open = RwSignal::new(false);
    let own = id.clone();
    let notice = missing.map(move |all| {
        let found = all.iter().find(|(other, ..)| *other == own);
        found.map(|(_, label, names)| panes::no_key(label, names))
    });
    let wanted = StoredValue::new(WantedKey {
        provider: id.clone(),
        prefix: "banner",
        is_locked: false,
        verb: common::SAVE.get(),
        // The banner disappears with the missing key.
        then: Callback::new(|()| ()),
    });
    let form = move || open.get().then(|| key_form(wanted.get_value()));
    let field = format!("[data-provider=\"{id}\"] .key-form input");
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        if open.get_untracked() {
            focus::focus_when_ready(field.clone());
        }
    };
    view! {
        <div class="banner" data-testid="banner" data-kind="no-key" data-provider=id.0>
            <span class="label">{move || notice.get().map(|notice| notice.title)}</span>
            <span>{move || notice.get().map(|notice| notice.advice)}</span>
            {quiet_button(move || if open.get() { common::CLOSE } else { panes::ENTER_KEY })
                .test("banner-key").with("aria-expanded", move || open.get().to_string())
                .on_click(toggle)}
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

/// Timeout for the other tab's reply, in milliseconds.
const REPLY_TIMEOUT_MS: u64 = 8_000;

/// The button that takes the session's lock over from another tab.
#[component]
fn WorkHereButton(notices: Notices) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let (requested, shown) = (RwSignal::new(false), StoredValue::new(None));
    let ask = move |_| {
        requested.set(true);
        dispatch.take_over();
        // The banner disappears once the session can be edited here.
        spawn_here(async move {
            dispatch.clock().sleep(REPLY_TIMEOUT_MS).await;
            requested.set(false);
            let notice = strings::no_reply_from_tab();
            shown.set_value(Some(notices.add(NoticeKind::Error, notice.title, notice.advice)));
        });
    };
    // The other tab answered after all.
    on_cleanup(move || shown.try_get_value().flatten().into_iter().for_each(|id| notices.dismiss(id)));
    button(strings::WORK_HERE)
        .test("work-here")
        .title(strings::WORK_HERE_ABOUT)
        .disabled(requested)
        .on_click(ask)
}

lazy_view!(board, lazy_new_version, NewVersion);

#[component]
pub fn NewVersion() -> impl IntoMarkup {
    let is_ready = use_new_version();
    view! {
        <Show when=move || is_ready.get()>
            <div class="notices new-version">
                <div class="notice" data-testid="new-version" data-kind="info" role="status">
                    <p><b>{new_version_words::READY}</b>" "{new_version_words::READY_ABOUT}</p>
                    {button(new_version_words::TAKE).test("new-version-take").on_click(move |_| take_new_version())}
                    {icon_button(icon(icon::CLOSE)).named(new_version_words::LATER).on_click(move |_| is_ready.set(false))}
                </div>
            </div>
        </Show>
    }
}
