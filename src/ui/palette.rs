//! The command palette: searches and runs all actions by keyboard, and runs shortcuts. Loaded lazily.
//!
//! Also the list of keyboard shortcuts, global and local.

use crate::ui::actions::{PaletteAction, all_actions, run_shortcut};
use crate::ui::hooks::focus_restore::keep_focus;
use crate::ui::prelude::*;
use nexus_model::limits::{PALETTE_RECENT, PALETTE_ROWS};
use nexus_text::fuzzy;
use nexus_text::fuzzy::FuzzyMatch;
use nexus_view::settings_search::both;
use nexus_view::shortcuts::{SHORTCUTS, chord_of};
use nexus_view::strings::palette as words;

lazy_view!(board, lazy_palette, PaletteOverlay);

/// The current actions. Local storage: their closures are not `Send`.
type ActionsSignal = leptos::prelude::RwSignal<Vec<PaletteAction>, LocalStorage>;

thread_local! {
    /// Ids of recent actions, newest first.
    static RECENT: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The palette or the shortcut list while they are open; otherwise runs a requested shortcut once.
#[component]
pub fn PaletteOverlay() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let requested = page.keyboard;
    // In case loading it ahead failed.
    keep_focus();
    match requested.get_untracked() {
        Some(ShortcutAction::Palette) => view! { <Palette page /> },
        Some(ShortcutAction::Sheet) => view! { <ShortcutSheet page /> },
        Some(act) => {
            // Deferred, because running it unmounts this component.
            request_animation_frame(move || {
                requested.set(None);
                run_shortcut(page, act);
            });
            Markup::Empty
        }
        None => Markup::Empty,
    }
}

#[derive(Clone)]
struct PaletteRow {
    action: PaletteAction,
    found: FuzzyMatch,
}

impl PaletteRow {
    fn option_id(&self) -> String {
        // Ids contain no spaces; file names do.
        format!("palette-{}", self.action.id.replace(char::is_whitespace, "_"))
    }
}

/// Actions that match the query, best first. Without a query, recent ones first.
fn matching(actions: &[PaletteAction], query: &str, recent: &[String]) -> Vec<PaletteRow> {
    let of = |action: &PaletteAction| {
        let by_title = fuzzy::find(query, &action.title);
        let found = match by_title {
            Some(found) => FuzzyMatch { score: found.score + TITLE, ..found },
            // Matches synonyms and section.
            None => {
                let all = format!("{} {} {}", action.title, both(action.keywords.0), action.section);
                FuzzyMatch { places: Vec::new(), ..fuzzy::find(query, &all)? }
            }
        };
        Some(PaletteRow { action: action.clone(), found })
    };
    let mut rows: Vec<_> = actions.iter().filter_map(of).collect();
    let place_of =
        |row: &PaletteRow| recent.iter().position(|id| *id == row.action.id).unwrap_or(recent.len());
    if query.trim().is_empty() {
        // Available actions come first, each group in its order.
        rows.small_sort_by_key(|row| (row.action.unavailable.is_some(), place_of(row)));
    } else {
        // Unavailable actions sink, but are found by name. Among equals shorter titles come first.
        let score =
            |row: &PaletteRow| row.found.score - if row.action.unavailable.is_some() { TITLE } else { 0 };
        rows.small_sort_by_key(|row| (-score(row), row.action.title.len()));
    }
    rows
}

/// Bonus for a match in the title.
const TITLE: i32 = 20;

#[component]
fn Palette(page: &'static Page) -> impl IntoMarkup {
    let requested = page.keyboard;
    let query = RwSignal::new(String::new());
    let actions: ActionsSignal = leptos::prelude::RwSignal::new_local(Vec::new());
    Effect::new(move |_| actions.set(all_actions(page)));
    let rows: leptos::prelude::RwSignal<Vec<PaletteRow>, LocalStorage> =
        leptos::prelude::RwSignal::new_local(Vec::new());
    let count = RwSignal::new(0usize);
    // The action that Enter runs, by id, since rows change.
    let chosen = RwSignal::new(String::new());
    let unavailable = RwSignal::new(None::<Text>);
    Effect::new(move |before: Option<String>| {
        let words = query.get();
        let recent = RECENT.with_borrow(Clone::clone);
        let mut all = actions.with(|actions| matching(actions, &words, &recent));
        count.set(all.len());
        all.truncate(PALETTE_ROWS);
        // Another query resets the choice; other changes of rows keep it.
        let stays = before.as_ref() == Some(&words)
            && all.iter().any(|row| chosen.with_untracked(|chosen| row.action.id == *chosen));
        if !stays {
            chosen.set(all.first().map(|row| row.action.id.clone()).unwrap_or_default());
        }
        unavailable.set(None);
        rows.set(all);
        words
    });
    let close = move || requested.set(None);
    let run = move |id: &str| {
        let action = actions.with_untracked(|actions| actions.iter().find(|action| action.id == id).cloned());
        let Some(action) = action else { return };
        if action.unavailable.is_some() {
            unavailable.set(action.unavailable);
            return;
        }
        RECENT.with_borrow_mut(|recent| {
            recent.retain(|other| *other != action.id);
            recent.insert(0, action.id.clone());
            recent.truncate(PALETTE_RECENT);
        });
        close();
        // Deferred until the dialog is closed: nothing behind it can be focused before.
        request_animation_frame(move || action.run());
    };
    let step = move |by: isize| {
        let next = rows.with_untracked(|rows| {
            let count = isize::try_from(rows.len()).unwrap_or(0);
            let at = rows.iter().position(|row| chosen.with_untracked(|chosen| row.action.id == *chosen))?;
            let at = isize::try_from(at).ok()?;
            // One step wraps around, a page stops at the ends.
            let to = if by.abs() == 1 {
                (at + by).rem_euclid(count.max(1))
            } else {
                (at + by).clamp(0, count.saturating_sub(1))
            };
            rows.get(usize::try_from(to).ok()?).map(|row| (row.action.id.clone(), row.option_id()))
        });
        if let Some((id, option)) = next {
            unavailable.set(None);
            chosen.set(id);
            focus::show(&option);
        }
    };
    let key = move |event| listbox_key(&event, step, || run(&chosen.get_untracked()));
    let active = move || {
        let option =
            |row: &PaletteRow| chosen.with(|chosen| row.action.id == *chosen).then(|| row.option_id());
        rows.with(|rows| rows.iter().find_map(option))
    };
    let status = move || match unavailable.get() {
        Some(why_not) => why_not.to_owned(),
        None => words::found(rows.with(Vec::len), count.get()),
    };
    let options = move || {
        let option = |row: PaletteRow| {
            let (id, run_id) = (row.action.id.clone(), row.action.id.clone());
            let is_chosen = move || chosen.with(|chosen| *chosen == id).to_string();
            view! { <PaletteLine row is_chosen=select(is_chosen) run=move || run(&run_id) /> }
        };
        rows.get().into_iter().map(option).into_markup()
    };
    modal("palette", "palette", close).label(words::EVERYTHING).beside().with_children(view! {
        <div class="palette-box">
            {combobox("palette-list", query, active, key).test("palette-input").label(words::LOOK)
                .with("placeholder", words::LOOK)}
            <ul class="palette-list" id="palette-list" role="listbox" aria-label=words::COMMANDS>{options}</ul>
            <div class="palette-foot">
                <span role="status" data-testid="palette-status" data-refused=move || unavailable.get().is_some().to_string()>
                    {status}
                </span>
                <span aria-hidden="true">{words::HINT}</span>
            </div>
        </div>
    })
}

#[component]
fn PaletteLine(row: PaletteRow, is_chosen: Selector<String>, run: impl Fn() + 'static) -> impl IntoMarkup {
    let id = row.option_id();
    let PaletteRow { action, found } = row;
    let keys = action.shortcut.and_then(chord_of).map(|chord| {
        view! { <kbd>{chord.shown(events::is_apple())}</kbd> }
    });
    let line = view! {
        <span class="palette-section">{action.section}</span>
        <span class="palette-title">{marked(pieces(&action.title, &found.places))}</span>
        {action.unavailable.map(|why_not| view! { <span class="palette-why">{why_not}</span> })}
        {keys}
    };
    list_option("palette-row", line, is_chosen)
        .id(id)
        .test("palette-row")
        .with("data-action", action.id)
        .with("aria-disabled", action.unavailable.map(|_| "true"))
        .on_click(move |_| run())
}

fn pieces(text: &str, places: &[usize]) -> Vec<(bool, String)> {
    let mut pieces: Vec<(bool, String)> = Vec::new();
    for (place, letter) in text.chars().enumerate() {
        let is_found = places.binary_search(&place).is_ok();
        match pieces.last_mut() {
            Some((same, piece)) if *same == is_found => piece.push(letter),
            Some(_) | None => pieces.push((is_found, letter.to_string())),
        }
    }
    pieces
}

#[component]
pub fn ShortcutSheet(page: &'static Page) -> impl IntoMarkup {
    let requested = page.keyboard;
    let dialog = NodeRef::<Dialog>::new();
    let close = move || requested.set(None);
    let singles = page.settings.get(SINGLE_KEYS);
    let about = move || if singles.get() { words::KEYS_ABOUT } else { words::KEYS_OFF };
    let apple = events::is_apple();
    let all = untrack(|| all_actions(page));
    let anywhere = SHORTCUTS.iter().filter_map(|(act, chord)| {
        let action = all.iter().find(|action| action.shortcut == Some(*act))?;
        Some((chord.shown(apple), action.title.clone()))
    });
    let line = |(keys, title): (String, String)| {
        view! {
            <div class="sheet-line" data-testid="sheet-line">
                <dt><kbd>{keys}</kbd></dt>
                <dd>{title}</dd>
            </div>
        }
    };
    let part = |title: &'static str, lines: Vec<(String, String)>| {
        view! {
            <section class="sheet-part">
                <h3 class="label">{title}</h3>
                <dl>{lines.into_iter().map(line)}</dl>
            </section>
        }
    };
    // Ctrl Shift F is the same on Apple devices.
    let own = |key: Text| match key.0.strip_prefix("Ctrl").filter(|key| apple && key.len() == 2) {
        Some(key) => format!("⌘{key}"),
        None => key.to_owned(),
    };
    let local = words::LOCAL.iter().map(|(place, lines)| {
        let lines = lines.iter().map(|(key, effect)| (own(*key), (*effect).to_owned())).collect();
        part(place.get(), lines)
    });
    let anywhere = part(words::ANYWHERE.get(), anywhere.collect());
    modal("sheet", "key-sheet", close).titled("sheet-title").beside().node(dialog).with_children(view! {
        <div class="sheet-box">
            <header class="sheet-head">
                <h2 id="sheet-title">{words::KEYS}</h2>
                {quiet_button(common::CLOSE).test("key-sheet-close").on_click(move |_| close())}
            </header>
            <p class="hint">{about}</p>
            <div class="sheet-parts" tabindex="0" role="group" aria-labelledby="sheet-title">
                <div class="sheet-columns">
                    {anywhere}
                    {local}
                </div>
            </div>
        </div>
    })
}
