//! Forms to unlock with the passphrase and to change it. Never stores it: the field is emptied after use.

use futures_util::future::LocalBoxFuture;

use crate::ui::prelude::*;
use nexus_engine::port::VaultError;
use nexus_model::limits::PASSPHRASE_CHARS;
use nexus_view::strings::settings::provider_card as words;

pub(super) fn is_short(passphrase: &str) -> bool {
    passphrase.chars().count() < PASSPHRASE_CHARS
}

#[component]
fn PassphraseField(
    id: String,
    title: &'static str,
    test: &'static str,
    input: NodeRef<Input>,
    is_new: bool,
    /// True if the passphrase is readable.
    shown: RwSignal<bool>,
    about: String,
    problem: RwSignal<Option<String>>,
    submit: impl Fn() + Copy + Send + 'static,
    children: Markup,
) -> impl IntoMarkup {
    let enter = move |ev: KeyboardEvent| {
        if ev.key() == "Enter" {
            ev.prevent_default();
            submit();
        }
    };
    view! {
        <label class="field-name" for=id.clone()>{title}</label>
        <div class="key-line">
            <input
                node_ref=input id=id type=move || if shown.get() { "text" } else { "password" } class="input"
                data-testid=test autocomplete=if is_new { "new-password" } else { "current-password" }
                spellcheck="false" aria-describedby=about
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                on:keydown=enter
            />
            {children}
        </div>
    }
}

/// A passphrase field with the button that uses it, whose test id is `test`. A new passphrase (`chosen_here`) must not
/// be short. `id` is unique on the page.
pub fn passphrase_form(
    id: String,
    verb: &'static str,
    test: &'static str,
    is_new: bool,
    use_passphrase: impl Fn(String) -> LocalBoxFuture<'static, Result<(), VaultError>> + Copy + Send + 'static,
) -> Markup {
    let input = NodeRef::<Input>::new();
    let (shown, busy) = (RwSignal::new(false), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let submit = move || {
        let Some(field) = input.get_untracked() else { return };
        let passphrase = field.value();
        if busy.get_untracked() {
            return;
        }
        if passphrase.is_empty() || is_new && is_short(&passphrase) {
            problem.set(Some(words::PASSPHRASE_SHORT.to_owned()));
            return;
        }
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let outcome = use_passphrase(passphrase).await;
            busy.set(false);
            match outcome {
                Ok(()) => field.set_value(""),
                Err(error) => problem.set(Some(words::vault_error(&error))),
            }
        });
    };
    let about = format!("{id}-about");
    view! {
        <form class="field" on:submit=move |ev: SubmitEvent| ev.prevent_default()>
            <PassphraseField
                id title=words::PASSPHRASE.get() test="passphrase" input is_new shown about=about.clone()
                problem submit
            >
                {button(move || if busy.get() { common::ONE_MOMENT.get() } else { verb }).first()
                    .test(test).disabled(busy).on_click(move |_| submit())}
            </PassphraseField>
            {check(common::SHOW, shown, move |on| shown.set(on))}
            <p class="hint" id=about>{words::PASSPHRASE_ABOUT}</p>
            <p class="field-problem" role="alert">{problem}</p>
        </form>
    }
}

pub(super) fn unlock_form(id: String, dispatch: Dispatch) -> Markup {
    passphrase_form(id, words::UNLOCK.get(), "unlock", false, move |passphrase| {
        Box::pin(async move { dispatch.unlock(passphrase).await })
    })
}

#[component]
pub fn ChangePassphrase(id: String) -> impl IntoMarkup {
    let open = RwSignal::new(false);
    let id = StoredValue::new(id);
    let close = move || {
        open.set(false);
        focus::soon(id.get_value());
    };
    view! {
        {move || if open.get() {
            view! { <ChangePassphraseForm id=id.get_value() close /> }
        } else {
            let opened = move |_| {
                open.set(true);
                focus::soon(format!("{}-now", id.get_value()));
            };
            view! {
                <div>
                    {button(words::CHANGE).id(id.get_value()).test("passphrase-change").on_click(opened)}
                </div>
            }
        }}
    }
}

#[component]
fn ChangePassphraseForm(id: String, close: impl Fn() + Copy + Send + 'static) -> impl IntoMarkup {
    let &Page { dispatch, notices, .. } = expect_context();
    let (now, next) = (NodeRef::<Input>::new(), NodeRef::<Input>::new());
    let (shown, busy) = (RwSignal::new(false), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let submit = move || {
        let (Some(now), Some(next)) = (now.get_untracked(), next.get_untracked()) else { return };
        if busy.get_untracked() {
            return;
        }
        if is_short(&next.value()) {
            problem.set(Some(words::PASSPHRASE_SHORT.to_owned()));
            return;
        }
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let outcome = dispatch.change_passphrase(now.value(), next.value()).await;
            now.set_value("");
            busy.set(false);
            match outcome {
                Ok(()) => {
                    next.set_value("");
                    notices.add(NoticeKind::Info, words::CHANGED, "");
                    close();
                }
                Err(error) => problem.set(Some(words::change_error(&error))),
            }
        });
    };
    let about = format!("{id}-about");
    view! {
        <form class="field" on:submit=move |ev: SubmitEvent| ev.prevent_default()>
            <PassphraseField
                id=format!("{id}-now") title=words::CHANGE_NOW.get() test="passphrase-now" input=now
                is_new=false shown about=about.clone() problem submit children=Markup::Empty
            />
            <PassphraseField
                id=format!("{id}-next") title=words::CHANGE_NEXT.get() test="passphrase-next" input=next
                is_new=true shown about=about.clone() problem submit children=Markup::Empty
            />
            {check(common::SHOW, shown, move |on| shown.set(on))}
            <p class="hint" id=about>{words::CHANGE_ABOUT}</p>
            <p class="field-problem" role="alert">{problem}</p>
            <div class="settings-actions">
                {button(move || if busy.get() { common::ONE_MOMENT } else { common::CHANGE }).first()
                    .test("passphrase-change-yes").disabled(busy).on_click(move |_| submit())}
                {button(common::CANCEL).on_click(move |_| close())}
            </div>
        </form>
    }
}

lazy_view!(settings, lazy_unlock_prompt, UnlockPrompt);

/// The unlock dialog, while a call waits for the passphrase.
#[component]
pub fn UnlockDialog() -> impl IntoMarkup {
    let &Page { providers, .. } = expect_context();
    move || providers.wanted.get().map(|_| view! { <LazyView load=lazy_unlock_prompt /> })
}

#[component]
pub(crate) fn UnlockPrompt() -> impl IntoMarkup {
    let &Page { dispatch, providers, .. } = expect_context();
    let id = providers.wanted.get_untracked();
    let row = id.and_then(|id| providers.rows.get_untracked(&id));
    let label = row.map(|row| row.provider.label.clone()).unwrap_or_default();
    modal("dialog", "unlock-dialog", move || dispatch.fail_locked_calls())
        .titled("unlock-title")
        .with_children(view! {
            <h2 id="unlock-title">{words::UNLOCK_TITLE}</h2>
            <p class="hint">{words::unlock_about(&label)}</p>
            {unlock_form("unlock-passphrase".to_owned(), dispatch)}
            {quiet_button(words::NOT_NOW).on_click(move |_| dispatch.fail_locked_calls())}
        })
}
