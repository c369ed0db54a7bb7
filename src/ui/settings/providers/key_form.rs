//! Entering a key where it is missing: the field, the choice where to keep it, and the passphrase for that.
//!
//! Never shows a key, and never keeps one or a passphrase longer than it takes to hand it on.

use leptos::html::Input;
use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Providers, Settings};
use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_model::id::ProviderId;
use nexus_model::limits::PASSPHRASE_CHARS;
use nexus_model::provider::api_key_input::clean;
use nexus_model::settings::schema::KEY_KEEPING;
use nexus_view::language::Text;
use nexus_view::strings;
pub use nexus_view::strings::settings::provider_card as card_words;

lazy_view!(settings, lazy_key_form, KeyForm { wanted: WantedKey });

/// Where the operator chose to keep keys, where that is possible here. For handlers.
pub fn remembered(settings: Settings, providers: Providers) -> Option<KeyStorage> {
    let keeping = KeyStorage::named(&settings.text(KEY_KEEPING).get_untracked())?;
    keeping.is_possible(providers.hindrance().get_untracked()).then_some(keeping)
}

/// A choice where to keep a key, as it is being made.
#[derive(Clone, Copy)]
pub struct KeyPlace {
    providers: Providers,
    keeping: RwSignal<KeyStorage>,
    /// What the operator chose for an earlier key.
    before: Option<KeyStorage>,
    passphrase: RwSignal<String>,
    /// Whether the operator confirmed that a key without a passphrase can be read by others.
    agreed: RwSignal<bool>,
}

impl KeyPlace {
    /// Begins with what the operator chose before, else with this tab only.
    pub(crate) fn new() -> Self {
        let providers = expect_context::<Providers>();
        let before = remembered(expect_context::<Settings>(), providers);
        Self {
            providers,
            keeping: RwSignal::new(before.unwrap_or(KeyStorage::Tab)),
            before,
            passphrase: RwSignal::new(String::new()),
            agreed: RwSignal::new(before == Some(KeyStorage::Clear)),
        }
    }

    /// Whether a key is under the passphrase and can be used, so that another one can be put beside it.
    fn is_open(self) -> bool {
        self.providers.any(|row| row.key == KeyState::Here(KeyStorage::Passphrase))
    }

    /// Whether a passphrase is set already.
    fn is_known(self) -> bool {
        self.is_open() || self.providers.any(|row| row.key == KeyState::Locked)
    }

    fn wants_passphrase(self) -> bool {
        self.keeping.get() == KeyStorage::Passphrase && !self.is_open()
    }

    /// What was chosen, once the vault is open where it has to be; words where something is missing or wrong.
    pub async fn decided(self, dispatch: Dispatch) -> Result<KeyStorage, String> {
        let keeping = self.keeping.get_untracked();
        if keeping == KeyStorage::Clear && !self.agreed.get_untracked() {
            return Err(card_words::NOT_AGREED.to_owned());
        }
        if untrack(move || self.wants_passphrase()) {
            let passphrase = self.passphrase.get_untracked();
            let is_short = !untrack(move || self.is_known()) && passphrase.chars().count() < PASSPHRASE_CHARS;
            if passphrase.is_empty() || is_short {
                return Err(card_words::PASSPHRASE_SHORT.to_owned());
            }
            dispatch.unlock(passphrase).await.map_err(|error| card_words::vault_error(&error))?;
        }
        // The form may be gone by now.
        self.passphrase.try_set(String::new());
        Ok(keeping)
    }
}

/// The ways to keep a key, as the choice `group` whose entries tests know by these names, and `more` below them.
pub fn key_ways(
    group: String,
    tests: [&'static str; 3],
    providers: Providers,
    chosen: RwSignal<KeyStorage>,
    choose: impl Fn(KeyStorage) + Copy + Send + 'static,
    more: impl IntoMarkup,
) -> Markup {
    let hindrance = providers.hindrance();
    let ways = [
        (KeyStorage::Tab, card_words::KEEP_TAB, card_words::KEEP_TAB_ABOUT),
        (KeyStorage::Passphrase, card_words::KEEP_PASSPHRASE, card_words::KEEP_PASSPHRASE_ABOUT),
        (KeyStorage::Clear, card_words::KEEP_CLEAR, card_words::KEEP_CLEAR_ABOUT),
    ];
    let way = |((keeping, name, about), test): ((KeyStorage, Text, Text), &'static str)| {
        view! {
            <label class="keep-way">
                <input
                    type="radio" name=group.clone() data-testid=test
                    disabled=move || !keeping.is_possible(hindrance.get())
                    prop:checked=move || chosen.get() == keeping on:change=move |_| choose(keeping)
                />
                <span><b>{name}</b><span class="hint">{about}</span></span>
            </label>
        }
    };
    view! {
        <fieldset class="field keep">
            <legend class="field-name">{card_words::KEEP}</legend>
            <div class="keep-ways">{ways.into_iter().zip(tests).map(way)}</div>
            <p class="hint">{move || hindrance.get().map(strings::kept_because)}</p>
            {more}
        </fieldset>
    }
}

/// The ways to keep a key. Where the operator chose one before, the others are folded away.
#[component]
pub fn KeyPlaceFields(
    place: KeyPlace,
    /// What tells it from others on the page.
    id: String,
) -> impl IntoMarkup {
    let tests = ["place-tab", "place-passphrase", "place-clear"];
    let choose = move |keeping| place.keeping.set(keeping);
    let ways = key_ways(format!("{id}-place"), tests, place.providers, place.keeping, choose, ());
    let ways = match place.before {
        Some(before) => view! {
            <details class="guide" data-testid="place-before">
                <summary>{card_words::keep_as_before(before)}</summary>
                {ways}
            </details>
        },
        None => ways,
    };
    let field = format!("{id}-passphrase");
    let wants_passphrase = select(move || place.wants_passphrase());
    let passphrase = move || {
        wants_passphrase.get().then(|| {
            let is_known = untrack(move || place.is_known());
            let (field, about) = (field.clone(), format!("{field}-about"));
            view! {
                <div class="field">
                    <label class="field-name" for=field.clone()>{card_words::PASSPHRASE}</label>
                    <input
                        id=field type="password" class="input" data-testid="place-words"
                        autocomplete=if is_known { "current-password" } else { "new-password" }
                        spellcheck="false" aria-describedby=about.clone()
                        prop:value=move || place.passphrase.get()
                        on:input=move |ev| place.passphrase.set(event_target_value(&ev))
                    />
                    <span class="hint" id=about>{card_words::PASSPHRASE_ABOUT}</span>
                </div>
            }
        })
    };
    let consent = move || {
        (place.keeping.get() == KeyStorage::Clear && place.before != Some(KeyStorage::Clear)).then(|| {
            check(card_words::CLEAR_CONSENT, move || place.agreed.get(), move |on| place.agreed.set(on))
                .test("place-agreed")
        })
    };
    view! { {ways} {passphrase} {consent} }
}

/// What a key is entered for.
#[derive(Clone)]
pub struct WantedKey {
    pub provider: ProviderId,
    pub verb: &'static str,
    /// What follows when the key is there.
    pub then: Callback<()>,
}

/// The form for a missing key, which is loaded when it is first shown.
#[component]
pub fn KeyFormPlace(wanted: WantedKey) -> impl IntoMarkup {
    let form = loaded(lazy_key_form);
    move || form.get().map(|draw| draw(wanted.clone()))
}

/// The form for a missing key.
#[component]
pub(crate) fn KeyForm(wanted: WantedKey) -> impl IntoMarkup {
    let WantedKey { provider, verb, then } = wanted;
    let (dispatch, providers) = (expect_context::<Dispatch>(), expect_context::<Providers>());
    let place = KeyPlace::new();
    let input = NodeRef::<Input>::new();
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let row = providers.get_untracked(&provider)?;
    let id = format!("enter-key-{provider}");
    let about = card_words::key_about(&row.provider.origin().unwrap_or_default());
    let label = card_words::key_of(&row.provider.label);
    let save = move || {
        let Some(field) = input.get_untracked().filter(|_| !busy.get_untracked()) else { return };
        let key = match clean(&field.value()) {
            Ok(key) => key,
            Err(wrong) => return problem.set(Some(strings::key_problem(wrong).to_owned())),
        };
        // The provider as it is now: its address may have changed since the form was opened.
        let Some(row) = providers.get_untracked(&provider) else { return };
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            match place.decided(dispatch).await {
                Ok(keeping) => {
                    // What is in the key ring need not be on screen, even as dots.
                    field.set_value("");
                    dispatch.enter_key(&row.provider, &key, keeping).await;
                    then.try_run(());
                }
                Err(words) => drop(problem.try_set(Some(words))),
            }
            busy.try_set(false);
        });
    };
    let save = StoredValue::new(save);
    let field = format!("{id}-field");
    let described = format!("{id}-about");
    Some(view! {
        <form class="key-form field" data-testid="key-form" on:submit=move |ev| ev.prevent_default()>
            <label class="field-name" for=field.clone()>{label}</label>
            <input
                node_ref=input id=field type="password" class="input" data-testid="missing-key"
                data-face="code" autocomplete="off" spellcheck="false" aria-describedby=described.clone()
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                placeholder=card_words::KEY_EXAMPLE
                on:keydown=move |ev| {
                    if ev.key() == "Enter" {
                        ev.prevent_default();
                        save.with_value(|save| save());
                    }
                }
            />
            <p class="hint" id=described>{about}</p>
            <KeyPlaceFields place id />
            <p class="field-problem" role="alert">{problem}</p>
            <div class="card-actions">
                {button(move || if busy.get() { card_words::WORKING.get() } else { verb }).first()
                    .test("missing-key-save").disabled(busy)
                    .on_click(move |_| save.with_value(|save| save()))}
            </div>
        </form>
    })
}
