//! The browser flows.
fn main() {}
