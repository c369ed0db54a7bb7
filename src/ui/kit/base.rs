//! Imports of what is below the components (hooks, view state, kit; no `view!`): Leptos with the kit's signals,
//! selectors, stored values and nodes in place of its own.

pub use std::cell::RefCell;
pub use std::rc::Rc;
pub use std::sync::Arc;
pub use std::time::Duration;

pub use leptos::ev::{KeyboardEvent, MouseEvent};
pub use leptos::html::{Dialog, Div};
pub use leptos::prelude::*;
pub use leptos::task::spawn_local;
pub use send_wrapper::SendWrapper;

pub use crate::ui::kit::markup::NodeRef;
pub use crate::ui::kit::selector::{Effect, Selector, on_change, select, select_from};
pub use crate::ui::kit::signal::RwSignal;
pub use crate::ui::kit::stored::{StoredValue, Task, spawn_here};
