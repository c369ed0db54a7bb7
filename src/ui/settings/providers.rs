//! Settings of providers: addresses, API keys, prices, connection tests.

pub mod add;
pub mod connection_test;
pub mod key;
pub mod key_form;
pub mod passphrase;
pub mod price_row;
pub mod prices;
pub mod provider;
