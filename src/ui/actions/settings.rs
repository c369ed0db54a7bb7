//! Actions that open each setting by its name, change the appearance, and concern data and the page.

use crate::ui::actions::{ActionContext, ActionList, go};
use crate::ui::hooks::address;
use crate::ui::hooks::address::screen_path;
use crate::ui::settings::open_section::{SECTIONS, SectionInfo};
use crate::ui::view_state::ViewState;
use nexus_model::settings::schema::{
    DENSITY, MOTION, SCHEMA, SINGLE_KEYS, SettingGroup, TEXT_SIZE, THEME, info,
};
use nexus_view::language::Text;
use nexus_view::language::tr;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::shortcuts::screens::Screen;
use nexus_view::strings::common;
use nexus_view::strings::palette as words;

pub(super) fn put(context: &ActionContext, list: &mut ActionList) {
    let sections =
        SECTIONS.into_iter().map(|SectionInfo { id, name, keywords: also, .. }| (id, name.0, also));
    let shown = SCHEMA.iter().map(|(_, info)| info).filter(|info| info.group != SettingGroup::Hidden);
    for (id, name, also) in sections.chain(shown.map(|info| (info.id, info.label, Text(info.keywords)))) {
        let (name, selector) = (tr(name), format!("#{id}"));
        list.on_any_screen(format!("setting-{id}"), name, also, move || {
            go(&screen_path(Screen::Settings), &selector)
        });
    }
    for id in context.view.providers.rows.order.get() {
        let Some(row) = context.view.providers.rows.row(&id) else { continue };
        let title = row.with(|row| row.provider.label.clone());
        let selector = format!("[data-provider=\"{id}\"] input, [data-provider=\"{id}\"] summary");
        list.on_any_screen(
            format!("provider-{id}"),
            title,
            Text("provider api key base url connection"),
            move || go(&screen_path(Screen::Settings), &selector),
        );
    }
}

pub(super) fn put_appearance(context: &ActionContext, list: &mut ActionList) {
    let (dispatch, ViewState { settings, .. }) = (context.dispatch, context.view);
    for choice in [THEME, DENSITY, MOTION] {
        let info = info(choice);
        // An invalid stored value can be corrected here.
        let current = settings.text(choice).get();
        for (value, name) in choice.kind.options {
            let is_current = current == *value || current.is_empty() && choice.kind.default == *value;
            let title = format!("{}: {}", tr(info.label), tr(name).to_lowercase());
            let act = move || dispatch.set_setting(choice, *value);
            list.on_any_screen(format!("{}-{value}", choice.name()), title, Text(info.keywords), act)
                .unless(is_current.then_some(words::IS_SO));
        }
    }
    let current = settings.get(TEXT_SIZE).get();
    let usual = TEXT_SIZE.kind.default;
    for (id, title, to, why_not) in [
        ("text-larger", words::LARGER, TEXT_SIZE.kind.step(current, 1), words::SIZE_ENDS),
        ("text-smaller", words::SMALLER, TEXT_SIZE.kind.step(current, -1), words::SIZE_ENDS),
        ("text-usual", words::USUAL_SIZE, Some(usual).filter(|usual| current != *usual), words::IS_SO),
    ] {
        let act = move || to.into_iter().for_each(|size| dispatch.set_setting(TEXT_SIZE, size));
        list.on_any_screen(id, title, Text("font size zoom bigger smaller letters"), act)
            .unless(to.is_none().then_some(why_not));
    }
    let on = settings.get(SINGLE_KEYS).get();
    let single = move || dispatch.set_setting(SINGLE_KEYS, !on);
    list.on_any_screen("single-keys", words::single_keys(on), Text(info(SINGLE_KEYS).keywords), single);
}

pub(super) fn put_data(context: &ActionContext, list: &mut ActionList) {
    let (dispatch, ViewState { notices, .. }) = (context.dispatch, context.view);
    // The newest notice that offers undo.
    let last = notices.list.with(|list| list.iter().rev().find(|notice| notice.undo.is_some()).cloned());
    let title = last.as_ref().map_or_else(|| common::UNDO.to_owned(), |last| words::undo(&last.title));
    let why_not = last.is_none().then_some(words::NOTHING_TO_UNDO);
    let undo = move || {
        if let Some(undo) = notices.take_undo() {
            dispatch.send(undo.command());
        }
    };
    list.on_any_screen("undo", title, Text("revert restore deleted"), undo).unless(why_not);
    for (id, title, also, card) in [
        (
            "data-export",
            words::EXPORT,
            Text("download backup save all session file"),
            "[data-testid=data-export]",
        ),
        ("data-import", words::IMPORT, Text("restore backup load dump file"), "#data-import"),
        (
            "data-points",
            common::RESTORE_POINTS,
            Text("backup snapshot go back"),
            "[data-testid=data-point-make]",
        ),
        (
            "data-reset",
            common::FACTORY_RESET,
            Text("delete everything erase clear wipe remove all"),
            "[data-testid=data-reset]",
        ),
    ] {
        list.on_any_screen(id, title, also, move || go(&screen_path(Screen::Settings), card));
    }
}

pub(super) fn put_page(context: &ActionContext, list: &mut ActionList) {
    let requested = context.keyboard.0;
    list.on_any_screen("palette", words::EVERYTHING, Text("palette commands actions"), move || {
        requested.set(Some(ShortcutAction::Palette))
    })
    .by(ShortcutAction::Palette);
    list.on_any_screen("keys", common::SHOW_SHORTCUTS, Text("keys hotkeys keyboard help"), move || {
        requested.set(Some(ShortcutAction::Sheet))
    })
    .by(ShortcutAction::Sheet);
    list.on_any_screen("reload", common::RELOAD_PAGE, Text("refresh restart renew"), address::reload);
}
