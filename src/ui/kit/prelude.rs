//! Imports of components: Leptos, with our `view!` and `#[component]`, and the kit.

pub use crate::ui::kit::base::*;
pub use crate::ui::kit::context::{expect_context, provide_context, use_context};
pub use crate::ui::kit::control::{
    button, captioned, check, choice_field, enum_field, free_field, icon_button, labelled, option, options,
    plain_button, quiet_button, select_box, text_field,
};
pub use crate::ui::kit::icon;
pub use crate::ui::kit::icon::icon;
pub(crate) use crate::ui::kit::lazy_view::lazy_view;
pub use crate::ui::kit::lazy_view::{
    LazyView, lazy_part, lazy_part_of, lazy_slot, load_state, loaded, loaded_first,
};
pub use crate::ui::kit::markup::keyed_list;
pub use crate::ui::kit::markup::{IntoMarkup, Markup, component, view};
pub use crate::ui::kit::overlay::{combobox, list_option, listbox_key, marked, menu, menu_item, modal};
pub use crate::ui::kit::splitter::splitter;
