//! Never takes the focus from a field that somebody types in.
//!
//! Owns handing the focus to a field that was asked for.

use leptos::html::Input;
use leptos::prelude::*;

/// Gives the focus to `input` as soon as it is there, with its text selected: whoever asked for it wants to type.
pub fn use_select_all(input: NodeRef<Input>) {
    Effect::new(move || {
        if let Some(input) = input.get()
            && input.focus().is_ok()
        {
            input.select();
        }
    });
}
