//! Never performs input or output, reads a clock, or knows JavaScript and Leptos.
