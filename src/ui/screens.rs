//! Never draws: each screen does that in its own module.
//!
//! Owns which screens are parts of the program that are loaded when they are first shown. A function marked with
//! `wasm_split` and all that only it reaches become a file of their own (`xtask/src/split.rs`); calling it is what
//! loads that file.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::engine::parts::NotLoaded;
use crate::ui::first_start::FirstStart;
use crate::ui::later::{Draw, Later};
use crate::ui::settings::SettingsScreen;

/// The settings, when they have come.
#[component]
pub fn Settings() -> impl IntoView {
    view! { class="n", <Later load=|| Box::pin(settings()) /> }
}

/// The first start, when it has come.
#[component]
pub fn First() -> impl IntoView {
    view! { class="n", <Later load=|| Box::pin(first_start()) /> }
}

#[wasm_split(settings, fallible)]
fn settings() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <SettingsScreen /> }.into_any())
}

#[wasm_split(first_start, fallible)]
fn first_start() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <FirstStart /> }.into_any())
}
