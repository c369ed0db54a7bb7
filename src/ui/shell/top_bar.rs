//! The top bar: session switcher, run status, stop button and settings. And the listener for shortcuts with the slot of
//! the palette, on every screen; the registry of actions is loaded on first use.

use std::time::Duration;

use crate::ui::actions::KeyboardState;
use crate::ui::hooks::{keys, page};
use crate::ui::kit::icon::{BRANCH, Brand, COMMANDS as SIGN, HELP, LOG, SETTINGS};
use crate::ui::palette::lazy_palette;
use crate::ui::prelude::*;
use crate::ui::view_state::RunRow;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::run::RunStatus;
use nexus_model::settings::schema::SINGLE_KEYS;
use nexus_text::json;
use nexus_view::language::text;
use nexus_view::shortcuts::{ShortcutAction, action_of, chord_of, with_shortcut};
use nexus_view::strings::palette as words;

#[component]
pub fn TopBar() -> impl IntoMarkup {
    let apple = keys::is_apple();
    view! {
        <header class="top-bar">
            <h1 class="unseen">{tr("War room")}</h1>
            <Brand />
            <SessionSwitcher />
            <RunState />
            <div class="top-bar-end">
                <StopButton />
                <PaletteButton />
                <a href=screen_path(Screen::Tree) class="icon" data-testid="open-tree" title=tr("Tree") aria-label=tr("Tree")>
                    {icon(BRANCH)}<span class="bar-word">{tr("Tree")}</span>
                </a>
                <a
                    href=screen_path(Screen::Audit) class="icon" data-testid="open-audit"
                    title=with_shortcut(tr("Event log"), ShortcutAction::Screen(Screen::Audit), apple) aria-label=tr("Event log")
                >
                    {icon(LOG)}<span class="bar-word">{tr("Log")}</span>
                </a>
                <a
                    href=screen_path(Screen::Help) class="icon bar-help" data-testid="open-help" title=tr("Help and about")
                    aria-label=tr("Help and about")
                >
                    {icon(HELP)}<span class="bar-word">{tr("Help")}</span>
                </a>
                <a
                    href=screen_path(Screen::Settings) class="icon" data-testid="open-settings"
                    title=with_shortcut(tr("Settings"), ShortcutAction::Screen(Screen::Settings), apple) aria-label=tr("Settings")
                >
                    {icon(SETTINGS)}<span class="bar-word">{tr("Settings")}</span>
                </a>
            </div>
        </header>
    }
}

#[component]
fn SessionSwitcher() -> impl IntoMarkup {
    let (dialogs, sessions) = (expect_context::<DialogState>(), expect_context::<Sessions>());
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
    let dispatch = expect_context::<Dispatch>();
    let view = expect_context::<RunView>();
    let (run, works) = (view.run, view.is_working);
    let tick = page::ticks(Duration::from_secs(1), works);
    let state =
        move || run.with(|run| run.as_ref().map_or_else(|| "idle".to_owned(), |run| json::name(&run.status)));
    let asks = move || run.with(|run| run.as_ref().is_some_and(|run| run.needs_approval)).to_string();
    let words = move || {
        tick.track();
        run.with(|run| run.as_ref().map_or_else(|| tr("Idle").to_owned(), |run| status_text(run, dispatch)))
    };
    let figures = move || {
        tick.track();
        run.with(|run| run.as_ref().map(|run| figures(run, dispatch)))
    };
    view! {
        <span class="run-state" data-testid="run-state" data-state=state data-asks=asks>
            <span>{words}</span>
            <span class="run-state-figures">{figures}</span>
        </span>
    }
}

fn status_text(run: &RunRow, dispatch: Dispatch) -> String {
    if let Some(until) = run.retry_at {
        let left = until.0.saturating_sub(dispatch.now().0).div_ceil(1_000);
        return text!("Retries in {left} s");
    }
    if run.needs_approval {
        return tr("Needs you").to_owned();
    }
    match (run.status, run.rounds) {
        (RunStatus::Running, Some((round, limit))) => text!("Round {round} of {limit}"),
        (status, _) => strings::run_status(status).to_owned(),
    }
}

fn figures(run: &RunRow, dispatch: Dispatch) -> String {
    let end = run.ended_at.unwrap_or_else(|| dispatch.now());
    let elapsed = end.0.saturating_sub(run.opened_at.0);
    // Whole seconds while it runs, so that the figure does not jitter.
    let elapsed = if run.ended_at.is_some() { elapsed } else { (elapsed / 1_000 * 1_000).max(1_000) };
    let calls = strings::count(run.calls, "call", "calls");
    let cost = match (run.cost.0, run.unpriced) {
        (0, _) => String::new(),
        (_, false) => format!(" · {}", strings::money(run.cost)),
        (_, true) => format!(" · {} +", strings::money(run.cost)),
    };
    format!("{} · {calls} · {}{cost}", strings::elapsed(elapsed), strings::tokens_with_unit(run.tokens))
}

#[component]
fn StopButton() -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let works = expect_context::<RunView>().is_working;
    let stop = move || dispatch.send(Command::Stop { session: dispatch.session() });
    let title = StoredValue::new(with_shortcut(tr("Stop"), ShortcutAction::Stop, keys::is_apple()));
    view! {
        <Show when=move || works.get()>
            {button(tr("Stop")).danger().test("stop").title(title.get_value()).on_click(move |_| stop())}
        </Show>
    }
}

#[component]
pub fn KeyboardSlot() -> impl IntoMarkup {
    let KeyboardState(requested) = expect_context();
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().is_working);
    let settings = expect_context::<Settings>();
    page::on_key(move |event| {
        let singles = settings.get_untracked(SINGLE_KEYS);
        let Some(act) = keys::read(&event, |press| action_of(press, singles)) else { return };
        let open = requested.get_untracked();
        if act == ShortcutAction::Stop {
            // At once, however much of the program is loaded, and even behind a dialog.
            if !works.get_untracked() {
                return;
            }
            dispatch.send(Command::Stop { session: dispatch.session() });
        } else if act == ShortcutAction::Palette && open.is_some() {
            requested.set(None);
        } else if !keys::is_dialog_open() {
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
    let KeyboardState(requested) = expect_context();
    let keys = chord_of(ShortcutAction::Palette).map(|chord| chord.shown(keys::is_apple()));
    icon_button(view! { {icon(SIGN)}<span class="bar-word">{words::COMMANDS}</span> })
        .test("open-palette")
        .title(with_shortcut(words::EVERYTHING.get(), ShortcutAction::Palette, keys::is_apple()))
        .label(words::COMMANDS)
        .with("data-keys", keys)
        .with("aria-haspopup", "dialog")
        .on_click(move |_| requested.set(Some(ShortcutAction::Palette)))
}
