//! A provider's API key: enter, keep, unlock and forget.
//!
//! Never shows a key. It stays in this tab only, unless the operator chooses otherwise.

use leptos::html::Input;

use crate::ui::prelude::*;
use crate::ui::settings::providers::passphrase::{ChangePassphrase, passphrase_form};
use crate::ui::view_state::ProviderRow;
use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_model::limits::PASSPHRASE_CHARS;
use nexus_model::provider::api_key_input::clean;
use nexus_model::settings::schema::KEY_KEEPING;
pub use nexus_view::strings::settings::provider_card as card_words;

/// The field of a key and what belongs to it.
#[component]
pub fn KeyField(row: Selector<ProviderRow>, providers: Providers) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let id = row.with_untracked(|row| row.provider.id.0.clone());
    let input = NodeRef::<Input>::new();
    let problem = RwSignal::new(None::<String>);
    let key = select(move || row.with(|row| row.key));
    let is_there = select(move || matches!(key.get(), KeyState::Here(_)));
    let settings = expect_context::<Settings>();
    // Where the operator chose before. What needs a passphrase first is asked for below.
    let keep_as_before = move |id: ProviderId| {
        let keeping = match remembered(settings, providers) {
            Some(KeyStorage::Clear) => KeyStorage::Clear,
            Some(KeyStorage::Passphrase) if untrack(move || is_vault_open(providers)) => {
                KeyStorage::Passphrase
            }
            Some(KeyStorage::Passphrase | KeyStorage::Tab) | None => return,
        };
        spawn_local(async move {
            let outcome = dispatch.keep_key(id, keeping, None).await;
            // The card may be gone by now.
            problem.try_set(outcome.err().map(|error| card_words::vault_error(&error)));
        });
    };
    let change = move |ev| {
        let pasted = event_target_value(&ev);
        if pasted.trim().is_empty() {
            return;
        }
        match clean(&pasted) {
            Ok(entered) => {
                problem.set(None);
                let provider = row.with_untracked(|row| row.provider.clone());
                dispatch.put_key(&provider, &entered);
                keep_as_before(provider.id.clone());
                // What is in the key ring need not be on screen, even as dots.
                if let Some(input) = input.get_untracked() {
                    input.set_value("");
                }
            }
            Err(wrong) => problem.set(Some(strings::key_problem(wrong).to_owned())),
        }
    };
    let forget = move |_| dispatch.forget_key(row.with_untracked(|row| row.provider.id.clone()));
    let about = move || card_words::key_about(&row.with(|row| row.provider.origin().unwrap_or_default()));
    let name = |part: &str| format!("key-{id}-{part}");
    let described = format!("{} {}", name("state"), name("about"));
    view! {
        <div class="field">
            <label class="field-name" for=name("field")>{common::API_KEY}</label>
            <div class="key-line">
                <input
                    node_ref=input id=name("field") type="password" class="input" data-testid="provider-key"
                    data-face="code" autocomplete="off" spellcheck="false" aria-describedby=described
                    aria-invalid=move || problem.with(Option::is_some).then_some("true")
                    placeholder=card_words::KEY_EXAMPLE on:change=change
                />
                {quiet_button(card_words::KEY_FORGET).test("key-forget")
                    .disabled(move || key.get() == KeyState::Missing).on_click(forget)}
            </div>
            <p class="field-problem" role="alert">{problem}</p>
            <p
                class="key-state" id=name("state") role="status" data-testid="key-state"
                data-held=move || matches!(key.get(), KeyState::Here(_)).to_string()
            >
                {move || card_words::key_state(key.get())}
            </p>
            <p class="hint" id=name("about")>{about}</p>
        </div>
        {move || (key.get() == KeyState::Locked).then(|| view! { <UnlockVault row /> })}
        {move || is_there.get().then(|| view! { <KeyStorageSelect row providers key /> })}
    }
}

/// Whether a key is under the passphrase and can be used, so that another one can be put beside it.
fn is_vault_open(providers: Providers) -> bool {
    providers.any(|row| row.key == KeyState::Here(KeyStorage::Passphrase))
}

/// Opens the vault here.
#[component]
fn UnlockVault(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let id = row.with_untracked(|row| format!("key-{}-unlock", row.provider.id));
    passphrase_form(id, card_words::UNLOCK.get(), "unlock", false, move |passphrase| {
        Box::pin(async move { dispatch.unlock(passphrase).await })
    })
}

/// How long the key is kept.
#[component]
fn KeyStorageSelect(
    row: Selector<ProviderRow>,
    providers: Providers,
    key: Selector<KeyState>,
) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let id = row.with_untracked(|row| row.provider.id.clone());
    let hindrance = providers.hindrance;
    let best = if hindrance.get_untracked().is_none() { KeyStorage::Passphrase } else { KeyStorage::Tab };
    let first = match key.get_untracked() {
        KeyState::Here(KeyStorage::Tab) | KeyState::Missing => {
            remembered(expect_context::<Settings>(), providers).unwrap_or(best)
        }
        KeyState::Here(keeping) => keeping,
        KeyState::Locked => KeyStorage::Passphrase,
    };
    let (chosen, consent) = (RwSignal::new(first), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let keep = {
        let id = StoredValue::new(id.clone());
        move |keeping, passphrase: Option<String>| async move {
            dispatch.keep_key(id.get_value(), keeping, passphrase).await?;
            dispatch.remember_keeping(keeping);
            Ok(())
        }
    };
    let keep_now = move |keeping| {
        spawn_local(async move {
            let outcome = keep(keeping, None).await;
            // The card may be gone by now.
            problem.try_set(outcome.err().map(|error| card_words::vault_error(&error)));
        });
    };
    let choose = move |keeping: KeyStorage| {
        chosen.set(keeping);
        problem.set(None);
        match (keeping, key.get_untracked()) {
            (KeyStorage::Tab, KeyState::Here(KeyStorage::Passphrase | KeyStorage::Clear)) => {
                keep_now(KeyStorage::Tab)
            }
            (KeyStorage::Tab, KeyState::Here(KeyStorage::Tab)) => dispatch.remember_keeping(KeyStorage::Tab),
            (KeyStorage::Clear, KeyState::Here(KeyStorage::Tab | KeyStorage::Passphrase)) => {
                consent.set(true)
            }
            _ => {}
        }
    };
    let group = format!("keep-{id}");
    // A key that was entered and is not yet kept as chosen.
    let wants = move |keeping: KeyStorage| {
        chosen.get() == keeping && matches!(key.get(), KeyState::Here(kept) if kept != keeping)
    };
    let vault_open = move || is_vault_open(providers);
    let known = move || providers.any(|row| row.key == KeyState::Locked);
    let remember = move || {
        if !wants(KeyStorage::Passphrase) {
            return None;
        }
        if vault_open() {
            let keep_it = move |_| keep_now(KeyStorage::Passphrase);
            return Some(view! {
                <div>{button(common::SAVE).first().test("key-remember").on_click(keep_it)}</div>
            });
        }
        let id = format!("{}-passphrase", row.with_untracked(|row| row.provider.id.0.clone()));
        Some(passphrase_form(id, common::SAVE.get(), "key-remember", !known(), move |passphrase| {
            Box::pin(keep(KeyStorage::Passphrase, Some(passphrase)))
        }))
    };
    let clear = move || {
        wants(KeyStorage::Clear).then(|| {
            view! {
                <div>{button(card_words::CLEAR_YES).danger().on_click(move |_| consent.set(true))}</div>
            }
        })
    };
    let changing = StoredValue::new(format!("key-{id}-change"));
    let lock = move || {
        (key.get() == KeyState::Here(KeyStorage::Passphrase)).then(|| {
            view! {
                <div class="settings-acts">
                    {button(card_words::LOCK).test("key-lock").on_click(move |_| dispatch.lock())}
                    <ChangePassphrase id=changing.get_value() />
                </div>
            }
        })
    };
    let asking = move || {
        let yes = move || {
            consent.set(false);
            keep_now(KeyStorage::Clear);
        };
        consent.get().then(|| view! { <ClearConsent yes no=move || consent.set(false) /> })
    };
    let more =
        view! { {remember} {clear} {lock} <p class="field-problem" role="alert">{problem}</p> {asking} };
    let tests = ["key-keep-tab", "key-keep-passphrase", "key-keep-clear"];
    key_ways(group, tests, providers, chosen, choose, more)
}

/// Says what it means to keep a key in the clear, and wants that confirmed.
#[component]
fn ClearConsent(
    yes: impl Fn() + Copy + Send + 'static,
    no: impl Fn() + Copy + Send + 'static,
) -> impl IntoMarkup {
    let agreed = RwSignal::new(false);
    let points = card_words::CLEAR_POINTS.map(|point| view! { <li>{point}</li> });
    modal("dialog", "key-clear", no).titled("clear-title").with("data-weight", "danger").holding(view! {
        <h2 id="clear-title">{card_words::CLEAR_TITLE}</h2>
        <ul class="checklist">{points}</ul>
        {check(card_words::CLEAR_CONSENT, agreed, move |on| agreed.set(on)).test("key-clear-consent")}
        <div class="settings-acts">
            {button(card_words::CLEAR_YES).danger().test("key-clear-yes").disabled(move || !agreed.get())
                .on_click(move |_| yes())}
            {button(common::CANCEL).on_click(move |_| no())}
        </div>
    })
}

lazy_view!(settings, lazy_key_form, KeyForm { wanted: WantedKey });

/// Where the operator chose to keep keys, where that is possible here. For handlers.
pub fn remembered(settings: Settings, providers: Providers) -> Option<KeyStorage> {
    let keeping = KeyStorage::named(&settings.text(KEY_KEEPING).get_untracked())?;
    keeping.is_possible(providers.hindrance.get_untracked()).then_some(keeping)
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

    fn is_known(self) -> bool {
        is_vault_open(self.providers) || self.providers.any(|row| row.key == KeyState::Locked)
    }

    fn wants_passphrase(self) -> bool {
        self.keeping.get() == KeyStorage::Passphrase && !is_vault_open(self.providers)
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
    let hindrance = providers.hindrance;
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
pub fn KeyPlaceFields(place: KeyPlace, id: String) -> impl IntoMarkup {
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

#[derive(Clone)]
pub struct WantedKey {
    pub provider: ProviderId,
    pub verb: &'static str,
    /// What follows when the key is there.
    pub then: Callback<()>,
}

#[component]
pub fn KeyFormPlace(wanted: WantedKey) -> impl IntoMarkup {
    let form = loaded(lazy_key_form);
    move || form.get().map(|draw| draw(wanted.clone()))
}

#[component]
pub(crate) fn KeyForm(wanted: WantedKey) -> impl IntoMarkup {
    let WantedKey { provider, verb, then } = wanted;
    let (dispatch, providers) = (expect_context::<Dispatch>(), expect_context::<Providers>());
    let place = KeyPlace::new();
    let input = NodeRef::<Input>::new();
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let row = providers.rows.get_untracked(&provider)?;
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
        let Some(row) = providers.rows.get_untracked(&provider) else { return };
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
                {button(move || if busy.get() { common::ONE_MOMENT.get() } else { verb }).first()
                    .test("missing-key-save").disabled(busy)
                    .on_click(move |_| save.with_value(|save| save()))}
            </div>
        </form>
    })
}
