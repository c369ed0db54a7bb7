//! The help screen: first steps, terms, where things are, and the version.

use crate::ui::prelude::*;
use nexus_view::strings::palette as words;

lazy_view!(settings, lazy_help, HelpScreen);

#[component]
pub fn HelpScreen() -> impl IntoMarkup {
    let requested = expect_context::<&Page>().keyboard;
    let steps = words::HELP_STEPS.map(|step| view! { <li>{step}</li> });
    let terms = words::MEANINGS.map(|(term, meaning)| view! { <div><dt>{term}</dt><dd>{meaning}</dd></div> });
    let mut screens: Vec<_> =
        Screen::ALL.into_iter().filter_map(|screen| Some((screen.words().2?, screen))).collect();
    screens.small_sort();
    let screens = screens.into_iter().map(|(_, screen)| (screen_path(screen), screen.words().0));
    let places = std::iter::once((home_path(), common::WAR_ROOM)).chain(screens);
    let places = places.map(|(path, name)| view! { <li><a href=path>{name}</a></li> });
    view! {
        <main class="audit help" data-testid="help">
            <ScreenBar title=common::HELP>
                <p class="hint">{words::HELP_ABOUT}</p>
            </ScreenBar>
            <div class="help-text">
                <section aria-labelledby="help-first">
                    <h2 id="help-first">{words::HELP_FIRST}</h2>
                    <ol>{steps}</ol>
                    <div class="audit-actions">
                        {button(common::SHOW_SHORTCUTS).test("help-keys")
                            .on_click(move |_| requested.set(Some(ShortcutAction::Sheet)))}
                        {button(words::OPEN_PALETTE).test("help-palette")
                            .on_click(move |_| requested.set(Some(ShortcutAction::Palette)))}
                    </div>
                </section>
                <section aria-labelledby="help-terms">
                    <h2 id="help-terms">{words::HELP_TERMS}</h2>
                    <dl>{terms}</dl>
                </section>
                <section aria-labelledby="help-places">
                    <h2 id="help-places">{words::HELP_WHERE}</h2>
                    <ul>{places}</ul>
                </section>
                <section aria-labelledby="help-about">
                    <h2 id="help-about">{words::VERSION}</h2>
                    <p data-testid="help-version">{words::version(env!("CARGO_PKG_VERSION"))}</p>
                    <p>{words::PRIVACY}</p>
                </section>
            </div>
        </main>
    }
}
