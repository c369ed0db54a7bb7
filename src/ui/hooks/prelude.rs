//! Prelude of the hooks: what the parts of the kit use, and values of JavaScript.

pub use leptos::wasm_bindgen::closure::Closure;
pub use leptos::wasm_bindgen::{JsCast, JsValue};

pub use crate::ui::kit::base::*;
