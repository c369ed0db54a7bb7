//! Small pieces that every screen is built of. They know no noun of Nexus but agents and models.

pub mod agent_badge;
pub mod brand;
pub mod keyed_list;
pub mod lazy_view;
pub mod model_choice;
