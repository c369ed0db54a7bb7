//! Shipped prices and context windows, taken from the providers' pages in November 2026.

use crate::id::Millis;
use crate::provider::price::Price;

/// A model that the shipped table knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownModel {
    /// The id, without a vendor's prefix and a date's suffix.
    pub id: &'static str,
    pub window: u64,
    /// Its prices, each until a day; none where they are not known.
    pub periods: &'static [PricePeriod],
}

/// Prices that hold until a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PricePeriod {
    /// The first moment at which they hold no more.
    pub until: Option<Millis>,
    /// By the size of the request, smallest first.
    pub tiers: &'static [PriceTier],
}

/// A price for requests up to a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceTier {
    /// The most tokens of such a request.
    pub up_to: u64,
    /// The price; `None` where it is known to be another one and not which.
    pub price: Option<Price>,
}

/// When the table was last held against the providers' pages.
pub const DATED: &str = "2026-11";

const DECEMBER_2026: Millis = Millis(1_796_083_200_000);
const YEAR_2027: Millis = Millis(1_798_761_600_000);
/// A window of a million tokens as most providers count it.
const MILLION: u64 = 1_000_000;
/// The same as a power of two.
const MEBI: u64 = 1_048_576;

const fn price(input: f64, cached: Option<f64>, output: f64) -> Option<Price> {
    Some(Price { input, cached, output })
}

const fn up_to(up_to: u64, price: Option<Price>) -> PriceTier {
    PriceTier { up_to, price }
}

const fn always(tiers: &'static [PriceTier]) -> PricePeriod {
    PricePeriod { until: None, tiers }
}

pub const KNOWN: &[KnownModel] = &[
    KnownModel {
        id: "gemini-4-argon",
        window: MEBI,
        periods: &[
            PricePeriod {
                until: Some(DECEMBER_2026),
                tiers: &[up_to(u64::MAX, price(2.0, Some(0.1), 10.0))],
            },
            always(&[up_to(u64::MAX, price(4.0, Some(0.2), 20.0))]),
        ],
    },
    KnownModel {
        id: "gemini-3.8-flash",
        window: MEBI,
        periods: &[
            PricePeriod { until: Some(YEAR_2027), tiers: &[up_to(u64::MAX, price(0.75, Some(0.075), 3.75))] },
            always(&[up_to(u64::MAX, price(1.5, None, 7.5))]),
        ],
    },
    KnownModel {
        id: "gemini-3.5-flash-lite",
        window: MEBI,
        periods: &[always(&[up_to(u64::MAX, price(0.3, Some(0.03), 2.5))])],
    },
    KnownModel {
        id: "gemini-3.1-pro-preview",
        window: MEBI,
        periods: &[always(&[
            up_to(200_000, price(2.0, Some(0.2), 12.0)),
            up_to(u64::MAX, price(4.0, None, 18.0)),
        ])],
    },
    KnownModel {
        id: "claude-fable-5-1",
        window: MILLION,
        periods: &[always(&[up_to(u64::MAX, price(10.0, None, 50.0))])],
    },
    KnownModel {
        id: "claude-opus-5-5",
        window: MILLION,
        periods: &[always(&[up_to(u64::MAX, price(4.0, Some(0.2), 20.0))])],
    },
    KnownModel {
        id: "claude-sonnet-5-5",
        window: MILLION,
        periods: &[always(&[up_to(u64::MAX, price(2.0, Some(0.2), 10.0))])],
    },
    KnownModel {
        id: "claude-haiku-5-5",
        window: MILLION,
        periods: &[always(&[up_to(100_000, price(0.1, None, 0.5)), up_to(u64::MAX, price(0.5, None, 2.5))])],
    },
    KnownModel {
        id: "gpt-6-astra",
        window: 922_000,
        // Larger requests are known to be dearer, but not by how much.
        periods: &[always(&[up_to(272_000, price(10.0, Some(1.0), 50.0)), up_to(u64::MAX, None)])],
    },
    KnownModel {
        id: "gpt-6.1-sol",
        window: 922_000,
        periods: &[always(&[up_to(u64::MAX, price(2.0, None, 10.0))])],
    },
    KnownModel {
        id: "gpt-6.1-terra",
        window: 922_000,
        periods: &[always(&[up_to(u64::MAX, price(1.0, None, 5.0))])],
    },
    KnownModel {
        id: "gpt-6-luna",
        window: 922_000,
        periods: &[always(&[
            up_to(272_000, price(0.1, Some(0.01), 0.5)),
            up_to(u64::MAX, price(0.2, Some(0.02), 0.75)),
        ])],
    },
    // Sold in yuan, by the hour of the day: the window is known, a price in dollars is not.
    KnownModel { id: "deepseek-flash", window: MILLION, periods: &[] },
    KnownModel { id: "deepseek-v4-pro", window: MILLION, periods: &[] },
];

/// The model of the table that an id names: `google/gemini-3.8-flash` and `claude-haiku-5-5-20261007` are known by
/// their middle. A variant with another name after the id, such as `…:free`, is another model.
pub fn known(model: &str) -> Option<&'static KnownModel> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let is_dated = |rest: &str| {
        rest.strip_prefix('-')
            .is_some_and(|date| date.len() >= 4 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
    };
    KNOWN.iter().find(|known| {
        name.strip_prefix(known.id).is_some_and(|rest| rest.is_empty() || rest == "-latest" || is_dated(rest))
    })
}

/// The tokens of a model's window, where the table knows the model.
pub fn window_of(model: &str) -> Option<u64> {
    known(model).map(|known| known.window)
}

/// The shipped price of a model for a request of `prompt` tokens at a time.
pub fn shipped(model: &str, prompt: u64, at: Millis) -> Option<Price> {
    let period = known(model)?.periods.iter().find(|period| period.until.is_none_or(|until| at < until))?;
    period.tiers.iter().find(|tier| prompt <= tier.up_to)?.price
}
