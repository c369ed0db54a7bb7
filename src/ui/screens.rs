//! The small screens, a file each.

pub mod help;
pub mod inspect;
pub mod usage;
