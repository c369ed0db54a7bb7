//! Settings that more than one screen reads: appearance, voice, and which pages may embed Nexus.

pub mod appearance;
pub mod iframe_policy;
pub mod voice;
