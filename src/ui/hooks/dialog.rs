//! Never decides what closing a dialog means.
//!
//! Owns showing a dialog above everything else, with the focus kept inside by the browser.

use leptos::html::Dialog;
use leptos::prelude::*;

/// Shows the dialog as soon as it is there. It goes when it is taken out of the page.
pub fn use_modal(dialog: NodeRef<Dialog>) {
    Effect::new(move || {
        if let Some(dialog) = dialog.get()
            && dialog.is_connected()
        {
            // Only a dialog that is shown already refuses.
            drop(dialog.show_modal());
        }
    });
}
