//! The mind of a snapshot, read-only: objective, scratchpad and files, marked where they differ from now.

use std::sync::Arc;

use crate::ui::board::long_text::LongText;
use crate::ui::kit::prelude::*;
use nexus_model::mind::Mind;
use nexus_model::mind::image_file::shown as shown_text;
use nexus_model::mind::review::{MindField, changes};
use nexus_text::invisible::reveal;
pub use nexus_view::strings::board::compare::field as field_name;
use nexus_view::strings::snapshot as words;

#[component]
pub fn SnapshotMind(
    then: Arc<Mind>,
    now: Arc<Mind>,
    /// The file that was chosen; it stays so from turn to turn.
    chosen: RwSignal<Option<String>>,
) -> impl IntoMarkup {
    let differing: Vec<MindField> = changes(&then, &now).into_iter().map(|change| change.field).collect();
    let told = match differing.is_empty() {
        true => words::SAME.to_owned(),
        false => {
            let names: Vec<String> = differing.iter().map(|field| reveal(&field_name(field))).collect();
            words::differs(&names)
        }
    };
    view! {
        <p class="then-differs" data-testid="then-differs" data-same=differing.is_empty().to_string()>{told}</p>
        {field(words::OBJECTIVE.get(), "then-objective", "prose", &then.objective)}
        {field(words::SCRATCHPAD.get(), "then-scratchpad", "code", &then.scratchpad)}
        {files(then, &differing, chosen)}
    }
}

fn field(title: &'static str, test: &'static str, face: &'static str, text: &str) -> Markup {
    let is_empty = text.trim().is_empty();
    let shown = if is_empty { words::EMPTY.to_owned() } else { text.to_owned() };
    view! {
        <h2 class="label">{title}</h2>
        <p class="then-text" data-testid=test data-face=face data-empty=is_empty.to_string() dir="auto">{shown}</p>
    }
}

fn files(then: Arc<Mind>, differing: &[MindField], chosen: RwSignal<Option<String>>) -> Markup {
    let names: Vec<String> = then.files.keys().cloned().collect();
    if names.is_empty() {
        return view! {
            <h2 class="label">{words::FILES}</h2>
            <p class="then-text" data-empty="true">{words::NO_FILES}</p>
        };
    }
    let active = then.active.clone().filter(|name| names.contains(name)).or_else(|| names.first().cloned());
    let all = StoredValue::new(names.clone());
    let shown = select(move || {
        chosen.get().filter(|name| all.with_value(|all| all.contains(name))).or_else(|| active.clone())
    });
    let tab = |name: String| {
        let differs = differing.contains(&MindField::File(name.clone()));
        let (label, key) = (reveal(&name), StoredValue::new(name));
        let is_shown = select(move || shown.with(|shown| key.with_value(|key| shown.as_ref() == Some(key))));
        let title = differs.then(|| format!("{label} {}", words::DIFFERS));
        view! {
            <button
                type="button" class="file-tab" data-testid="then-file" data-file=key.get_value()
                data-active=move || is_shown.get().to_string() data-differs=differs.to_string()
                aria-pressed=move || is_shown.get().to_string() title=title
                on:click=move |_| chosen.set(Some(key.get_value()))
            >
                <span>{label}</span>
            </button>
        }
    };
    let tabs: Vec<_> = names.into_iter().map(tab).collect();
    let text = move || {
        let name = shown.get()?;
        let text = shown_text(&then.files.get(&name)?.text);
        Some(view! { <LongText label=reveal(&name) text=Selector::fixed(text) /> })
    };
    view! {
        <h2 class="label">{words::FILES}</h2>
        <div class="file-tabs" role="group" aria-label=words::FILES>{tabs}</div>
        <div class="then-file">{text}</div>
    }
}
