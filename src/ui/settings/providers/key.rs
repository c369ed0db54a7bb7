//! A provider's API key: enter, store, unlock and remove.
//!
//! Never shows a key. It stays in this tab only, unless the operator chooses otherwise.

use crate::ui::prelude::*;
use crate::ui::settings::providers::passphrase::{ChangePassphrase, is_short, passphrase_form, unlock_form};
use crate::ui::view_state::ProviderRow;
use nexus_engine::keys::KeyStorage;
use nexus_model::provider::address::clean_key;
use nexus_model::settings::schema::KEY_KEEPING;
use nexus_view::strings::settings::provider_card as card_words;

/// The field of a key, with its state and storage.
#[component]
pub fn KeyField(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let &Page { dispatch, providers, settings, .. } = expect_context();
    let id = row.with_untracked(|row| row.provider.id.0.clone());
    let input = NodeRef::<Input>::new();
    let problem = RwSignal::new(None::<String>);
    let key = row.map(move |row| row.key);
    let is_there = select(move || matches!(key.get(), KeyState::Usable(_)));
    // Stores the key where the operator chose before. A passphrase that is needed is asked for below.
    let store_as_before = move |id: ProviderId| {
        let is_possible = |storage: &KeyStorage| match storage {
            KeyStorage::Tab => false,
            KeyStorage::Passphrase => untrack(move || is_vault_open(providers)),
            KeyStorage::Clear => true,
        };
        let Some(storage) = remembered_storage(settings, providers).filter(is_possible) else { return };
        spawn_local(async move {
            let outcome = dispatch.store_key(id, storage, None).await;
            problem.set(outcome.err().map(|error| card_words::vault_error(&error)));
        });
    };
    let change = move |ev| {
        let pasted = event_target_value(&ev);
        if pasted.trim().is_empty() {
            return;
        }
        match clean_key(&pasted) {
            Ok(entered) => {
                problem.set(None);
                let provider = row.with_untracked(|row| row.provider.clone());
                dispatch.put_key(&provider, &entered);
                store_as_before(provider.id.clone());
                // A stored key need not be on screen, even as dots.
                if let Some(input) = input.get_untracked() {
                    input.set_value("");
                }
            }
            Err(wrong) => problem.set(Some(strings::key_problem(wrong).to_owned())),
        }
    };
    let forget = move |_| dispatch.delete_key(row.with_untracked(|row| row.provider.id.clone()));
    let about = move || card_words::key_about(&row.with(|row| row.provider.origin().unwrap_or_default()));
    let name = |part: &str| format!("key-{id}-{part}");
    let described = format!("{} {}", name("state"), name("about"));
    let unlock_id = name("unlock");
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
                data-held=move || matches!(key.get(), KeyState::Usable(_)).to_string()
            >
                {move || card_words::key_state(key.get())}
            </p>
            <p class="hint" id=name("about")>{about}</p>
        </div>
        {move || (key.get() == KeyState::Locked).then(|| unlock_form(unlock_id.clone(), dispatch))}
        {move || is_there.get().then(|| view! { <KeyStorageSelect row key /> })}
    }
}

/// True if another key can be stored under the open passphrase.
fn is_vault_open(providers: Providers) -> bool {
    providers.any(|row| row.key == KeyState::Usable(KeyStorage::Passphrase))
}

/// True if the passphrase of a vault was chosen before.
fn is_vault_known(providers: Providers) -> bool {
    providers.any(|row| matches!(row.key, KeyState::Locked | KeyState::Usable(KeyStorage::Passphrase)))
}

#[component]
fn KeyStorageSelect(row: Selector<ProviderRow>, key: Selector<KeyState>) -> impl IntoMarkup {
    let &Page { dispatch, providers, settings, .. } = expect_context();
    let id = row.with_untracked(|row| row.provider.id.clone());
    let is_possible = providers.unavailable.get_untracked().is_none();
    let best = if is_possible { KeyStorage::Passphrase } else { KeyStorage::Tab };
    let first = match key.get_untracked() {
        KeyState::Usable(KeyStorage::Tab) | KeyState::Missing => {
            remembered_storage(settings, providers).unwrap_or(best)
        }
        KeyState::Usable(storage) => storage,
        KeyState::Locked => KeyStorage::Passphrase,
    };
    let (chosen, consent) = (RwSignal::new(first), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let store = {
        let id = StoredValue::new(id.clone());
        move |storage, passphrase: Option<String>| async move {
            dispatch.store_key(id.get_value(), storage, passphrase).await?;
            dispatch.store_key_storage(storage);
            Ok(())
        }
    };
    // A choice that was cancelled or failed is none, or choosing it again would change nothing.
    let reset = move || {
        if let Some(KeyState::Usable(storage)) = key.try_get_untracked() {
            chosen.set(storage);
        }
    };
    let store_now = move |storage| {
        spawn_local(async move {
            let outcome = store(storage, None).await;
            if outcome.is_err() {
                reset();
            }
            problem.set(outcome.err().map(|error| card_words::vault_error(&error)));
        });
    };
    let choose = move |storage: KeyStorage| {
        chosen.set(storage);
        problem.set(None);
        let KeyState::Usable(current) = key.get_untracked() else { return };
        match storage {
            KeyStorage::Tab if current == storage => dispatch.store_key_storage(storage),
            KeyStorage::Tab => store_now(storage),
            KeyStorage::Clear if current != storage => consent.set(true),
            KeyStorage::Clear | KeyStorage::Passphrase => {}
        }
    };
    // True for a key that is not stored yet as chosen.
    let is_pending = move |storage: KeyStorage| {
        chosen.get() == storage && matches!(key.get(), KeyState::Usable(current) if current != storage)
    };
    let remember = move || {
        if !is_pending(KeyStorage::Passphrase) {
            return None;
        }
        if is_vault_open(providers) {
            let keep_it = move |_| store_now(KeyStorage::Passphrase);
            return Some(view! {
                <div>{button(common::SAVE).first().test("key-remember").on_click(keep_it)}</div>
            });
        }
        let id = format!("{}-passphrase", row.with_untracked(|row| row.provider.id.0.clone()));
        let is_new = !is_vault_known(providers);
        Some(passphrase_form(id, common::SAVE.get(), "key-remember", is_new, move |passphrase| {
            Box::pin(store(KeyStorage::Passphrase, Some(passphrase)))
        }))
    };
    let clear = move || {
        is_pending(KeyStorage::Clear).then(|| {
            view! {
                <div>{button(card_words::CLEAR_YES).danger().on_click(move |_| consent.set(true))}</div>
            }
        })
    };
    let changing = StoredValue::new(format!("key-{id}-change"));
    let lock = move || {
        (key.get() == KeyState::Usable(KeyStorage::Passphrase)).then(|| {
            view! {
                <div class="settings-actions">
                    {button(card_words::LOCK).test("key-lock").on_click(move |_| dispatch.lock())}
                    <ChangePassphrase id=changing.get_value() />
                </div>
            }
        })
    };
    let asking = move || {
        let yes = move || {
            consent.set(false);
            store_now(KeyStorage::Clear);
        };
        let no = move || {
            consent.set(false);
            reset();
        };
        consent.get().then(|| view! { <ClearConsent yes no /> })
    };
    let more =
        view! { {remember} {clear} {lock} <p class="field-problem" role="alert">{problem}</p> {asking} };
    let tests = ["key-keep-tab", "key-keep-passphrase", "key-keep-clear"];
    storage_options(format!("keep-{id}"), tests, chosen, choose, more)
}

/// Explains plain storage and requires a confirmation.
#[component]
fn ClearConsent(
    yes: impl Fn() + Copy + Send + 'static,
    no: impl Fn() + Copy + Send + 'static,
) -> impl IntoMarkup {
    let agreed = RwSignal::new(false);
    let points = card_words::CLEAR_POINTS.map(|point| view! { <li>{point}</li> });
    modal("dialog", "key-clear", no).titled("clear-title").with("data-weight", "danger").with_children(
        view! {
            <h2 id="clear-title">{card_words::CLEAR_TITLE}</h2>
            <ul class="checklist">{points}</ul>
            {check(card_words::CLEAR_CONSENT, agreed, move |on| agreed.set(on)).test("key-clear-consent")}
            <div class="settings-actions">
                {button(card_words::CLEAR_YES).danger().test("key-clear-yes").disabled(move || !agreed.get())
                    .on_click(move |_| yes())}
                {button(common::CANCEL).on_click(move |_| no())}
            </div>
        },
    )
}

lazy_view!(settings, lazy_key_form, KeyForm { wanted: WantedKey });

/// The storage that the operator chose before, if it is possible here. Not reactive.
pub fn remembered_storage(settings: Settings, providers: Providers) -> Option<KeyStorage> {
    let storage = KeyStorage::named(&settings.text(KEY_KEEPING).get_untracked())?;
    storage.is_possible(providers.unavailable.get_untracked()).then_some(storage)
}

/// The choice of a key's storage, in progress.
#[derive(Clone, Copy)]
pub struct KeyPlace {
    providers: Providers,
    storage: RwSignal<KeyStorage>,
    /// The operator's choice for an earlier key.
    before: Option<KeyStorage>,
    passphrase: RwSignal<String>,
    /// True if the operator confirmed that a plain key is readable by others.
    agreed: RwSignal<bool>,
}

impl KeyPlace {
    /// Starts with the operator's earlier choice, else this tab only.
    pub(crate) fn new() -> Self {
        let &Page { providers, settings, .. } = expect_context();
        let before = remembered_storage(settings, providers);
        Self {
            providers,
            storage: RwSignal::new(before.unwrap_or(KeyStorage::Tab)),
            before,
            passphrase: RwSignal::new(String::new()),
            agreed: RwSignal::new(before == Some(KeyStorage::Clear)),
        }
    }

    fn needs_passphrase(self) -> bool {
        self.storage.get() == KeyStorage::Passphrase && !is_vault_open(self.providers)
    }

    /// The choice, once the vault is open if it must be; otherwise the error text.
    pub async fn decided(self, dispatch: Dispatch) -> Result<KeyStorage, String> {
        let storage = self.storage.get_untracked();
        if storage == KeyStorage::Clear && !self.agreed.get_untracked() {
            return Err(card_words::NOT_AGREED.to_owned());
        }
        if untrack(move || self.needs_passphrase()) {
            let passphrase = self.passphrase.get_untracked();
            let is_short = !untrack(move || is_vault_known(self.providers)) && is_short(&passphrase);
            if passphrase.is_empty() || is_short {
                return Err(card_words::PASSPHRASE_SHORT.to_owned());
            }
            dispatch.unlock(passphrase).await.map_err(|error| card_words::vault_error(&error))?;
        }
        self.passphrase.set(String::new());
        Ok(storage)
    }
}

/// The storage options as the radio group `group` with these test ids, and `more` below them.
fn storage_options(
    group: String,
    tests: [&'static str; 3],
    chosen: RwSignal<KeyStorage>,
    choose: impl Fn(KeyStorage) + Copy + Send + 'static,
    more: impl IntoMarkup,
) -> Markup {
    let unavailable = expect_context::<&Page>().providers.unavailable;
    let storage_choices = [
        (KeyStorage::Tab, card_words::KEEP_TAB, card_words::KEEP_TAB_ABOUT),
        (KeyStorage::Passphrase, card_words::KEEP_PASSPHRASE, card_words::KEEP_PASSPHRASE_ABOUT),
        (KeyStorage::Clear, card_words::KEEP_CLEAR, card_words::KEEP_CLEAR_ABOUT),
    ];
    let storage_choice = |((storage, name, about), test): ((KeyStorage, Text, Text), &'static str)| {
        view! {
            <label class="keep-option">
                <input
                    type="radio" name=group.clone() data-testid=test
                    disabled=move || !storage.is_possible(unavailable.get())
                    prop:checked=move || chosen.get() == storage on:change=move |_| choose(storage)
                />
                <span><b>{name}</b><span class="hint">{about}</span></span>
            </label>
        }
    };
    view! {
        <fieldset class="field keep">
            <legend class="field-name">{card_words::KEEP}</legend>
            <div class="keep-options">{storage_choices.into_iter().zip(tests).map(storage_choice)}</div>
            <p class="hint">{move || unavailable.get().map(strings::kept_because)}</p>
            {more}
        </fieldset>
    }
}

lazy_view!(codecs, lazy_key_place_fields, KeyPlaceFields { place: KeyPlace, id: String, folds: bool });

/// The storage options; folded if the operator chose before, or `folds`.
#[component]
fn KeyPlaceFields(place: KeyPlace, id: String, folds: bool) -> impl IntoMarkup {
    let tests = ["place-tab", "place-passphrase", "place-clear"];
    let choose = move |storage| place.storage.set(storage);
    let storage_choices = storage_options(format!("{id}-place"), tests, place.storage, choose, ());
    let storage_choices = if folds || place.before.is_some() {
        view! {
            <details class="guide" data-testid="place-before">
                <summary>{move || card_words::stored_in(place.storage.get())}</summary>
                {storage_choices}
            </details>
        }
    } else {
        storage_choices
    };
    let field = format!("{id}-passphrase");
    let wants_passphrase = select(move || place.needs_passphrase());
    let passphrase = move || {
        wants_passphrase.get().then(|| {
            let is_known = untrack(move || is_vault_known(place.providers));
            let (field, about) = (field.clone(), format!("{field}-about"));
            view! {
                <div class="field">
                    <label class="field-name" for=field.clone()>{card_words::PASSPHRASE}</label>
                    <input
                        id=field type="password" class="input" data-testid="place-words"
                        autocomplete=if is_known { "current-password" } else { "new-password" }
                        spellcheck="false" aria-describedby=about.clone()
                        prop:value=place.passphrase
                        on:input=move |ev| place.passphrase.set(event_target_value(&ev))
                    />
                    <span class="hint" id=about>{card_words::PASSPHRASE_ABOUT}</span>
                </div>
            }
        })
    };
    let consent = move || {
        (place.storage.get() == KeyStorage::Clear && place.before != Some(KeyStorage::Clear)).then(|| {
            check(card_words::CLEAR_CONSENT, place.agreed, move |on| place.agreed.set(on))
                .test("place-agreed")
        })
    };
    view! { {storage_choices} {passphrase} {consent} }
}

#[derive(Clone)]
pub struct WantedKey {
    pub provider: ProviderId,
    /// Begins the ids of its fields: the page may show two forms of a provider.
    pub prefix: &'static str,
    /// True if the key is locked, so that its passphrase is what is asked for.
    pub is_locked: bool,
    pub verb: &'static str,
    /// Called once the key is there.
    pub then: Callback<()>,
}

pub fn key_form(wanted: WantedKey) -> Markup {
    lazy_slot(lazy_key_form, move |draw| draw(wanted.clone()))
}

#[component]
pub(crate) fn KeyForm(wanted: WantedKey) -> impl IntoMarkup {
    let WantedKey { provider, prefix, is_locked, verb, then } = wanted;
    let &Page { dispatch, providers, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let place = KeyPlace::new();
    let input = NodeRef::<Input>::new();
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let row = providers.rows.get_untracked(&provider)?;
    let id = format!("{prefix}-key-{provider}");
    if is_locked {
        let unlock = move |passphrase| async move {
            dispatch.unlock(passphrase).await?;
            then.try_run(());
            Ok(())
        };
        return Some(passphrase_form(id, verb, "unlock", false, move |passphrase| {
            Box::pin(unlock(passphrase))
        }));
    }
    let about = card_words::key_about(&row.provider.origin().unwrap_or_default());
    let label = card_words::key_of(&row.provider.label);
    let save = move || {
        let is_free = !busy.get_untracked() && !read_only.get_untracked();
        let Some(field) = input.get_untracked().filter(|_| is_free) else { return };
        let key = match clean_key(&field.value()) {
            Ok(key) => key,
            Err(wrong) => return problem.set(Some(strings::key_problem(wrong).to_owned())),
        };
        // The current provider: its address may have changed since the form opened.
        let Some(row) = providers.rows.get_untracked(&provider) else { return };
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            match place.decided(dispatch).await {
                Ok(storage) => {
                    // A stored key need not be on screen, even as dots.
                    field.set_value("");
                    dispatch.enter_key(&row.provider, &key, storage).await;
                    then.try_run(());
                }
                Err(words) => problem.set(Some(words)),
            }
            busy.set(false);
        });
    };
    let save = StoredValue::new(save);
    let field = format!("{id}-field");
    let described = format!("{id}-about");
    Some(view! {
        <form class="key-form field" data-testid="key-form" on:submit=move |ev| ev.prevent_default()>
            <label class="field-name" for=field.clone()>{label}</label>
            <div class="key-line">
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
                {button(move || if busy.get() { common::ONE_MOMENT.get() } else { verb }).first()
                    .test("missing-key-save").disabled(move || busy.get() || read_only.get())
                    .on_click(move |_| save.with_value(|save| save()))}
            </div>
            <p class="field-problem" role="alert">{problem}</p>
            <p class="hint" id=described>{about}</p>
            <KeyPlaceFields place id folds=true />
        </form>
    })
}
