//! Prints what a recorded body decodes to.
fn main() {}
