//! The frame of the page: mounting, screens, panes, top bar, banners, notices, keyboard.

pub mod app;
pub mod banners;
pub mod mount;
pub mod projector;
pub mod top_bar;
pub mod war_room;
