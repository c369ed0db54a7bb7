//! The frame of the page: start, addresses, panes, top bar, banners, notices, keyboard.

pub mod app;
pub mod banners;
pub mod keyboard;
pub mod mount;
pub mod panes;
pub mod projector;
pub mod top_bar;
pub mod war_room;
