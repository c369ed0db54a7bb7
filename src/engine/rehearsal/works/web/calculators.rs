//! Never computes: the page does.
//!
//! Owns the forms that a calculator page may have, one row of data each.

use crate::engine::rehearsal::words::{html, mentions};

/// A form: words that ask for it, fields (id, label, first value), results (name, JavaScript expression).
pub(super) struct Form {
    words: &'static [&'static str],
    fields: &'static [(&'static str, &'static str, &'static str)],
    results: &'static [(&'static str, &'static str)],
}

const FORMS: &[Form] = &[
    Form {
        words: &["tip", "bill", "restaurant"],
        fields: &[("bill", "Bill", "80"), ("percent", "Tip in percent", "15"), ("people", "People", "2")],
        results: &[
            ("Tip", "(bill * percent) / 100"),
            ("Total", "bill * (1 + percent / 100)"),
            ("Each pays", "(bill * (1 + percent / 100)) / people"),
        ],
    },
    Form {
        words: &["bmi", "body mass", "weight"],
        fields: &[("kilograms", "Weight in kg", "70"), ("centimetres", "Height in cm", "175")],
        results: &[
            ("Body mass index", "kilograms / (centimetres / 100) ** 2"),
            ("Index 18.5 at kg", "18.5 * (centimetres / 100) ** 2"),
            ("Index 25 at kg", "25 * (centimetres / 100) ** 2"),
        ],
    },
    Form {
        words: &["loan", "mortgage", "interest", "credit", "repayment"],
        fields: &[("amount", "Amount", "200000"), ("rate", "Percent a year", "4"), ("years", "Years", "20")],
        results: &[
            (
                "A month",
                "rate === 0 ? amount / (years * 12) : (amount * rate) / 1200 / (1 - (1 + rate / 1200) ** (-12 * years))",
            ),
            (
                "In all",
                "rate === 0 ? amount : (((amount * rate) / 1200) * 12 * years) / (1 - (1 + rate / 1200) ** (-12 * years))",
            ),
        ],
    },
    Form {
        words: &["temperature", "celsius", "fahrenheit", "kelvin"],
        fields: &[("celsius", "Degrees Celsius", "20")],
        results: &[("Fahrenheit", "(celsius * 9) / 5 + 32"), ("Kelvin", "celsius + 273.15")],
    },
    Form {
        words: &["currency", "exchange", "euro", "dollar"],
        fields: &[("amount", "Amount", "100"), ("rate", "Rate (enter today's)", "1.1")],
        results: &[("Is worth", "amount * rate"), ("The other way", "amount / rate")],
    },
    Form {
        words: &["distance", "kilometre", "kilometer", "mile", "unit", "length", "convert", "converter"],
        fields: &[("kilometres", "Kilometres", "10")],
        results: &[
            ("Miles", "kilometres / 1.609344"),
            ("Metres", "kilometres * 1000"),
            ("Feet", "kilometres * 3280.8399"),
        ],
    },
    Form {
        words: &["recipe", "cooking", "baking", "serving", "portion"],
        fields: &[
            ("quantity", "Quantity in the recipe", "250"),
            ("serves", "It serves", "4"),
            ("guests", "You are", "6"),
        ],
        results: &[("You need", "(quantity * guests) / serves"), ("Factor", "guests / serves")],
    },
    Form {
        words: &["saving", "budget", "expense", "invest"],
        fields: &[
            ("monthly", "Put aside a month", "150"),
            ("rate", "Percent a year", "3"),
            ("years", "Years", "10"),
        ],
        results: &[
            ("Put aside", "monthly * 12 * years"),
            (
                "Worth then",
                "rate === 0 ? monthly * 12 * years : (monthly * ((1 + rate / 1200) ** (12 * years) - 1)) / (rate / 1200)",
            ),
        ],
    },
];

/// What an objective without a word of the table gets.
const GENERAL: Form = Form {
    words: &[],
    fields: &[("first", "First number", "12"), ("second", "Second number", "4")],
    results: &[
        ("Sum", "first + second"),
        ("Difference", "first - second"),
        ("Product", "first * second"),
        ("Quotient", "first / second"),
        ("Second as percent of first", "(second / first) * 100"),
    ],
};

impl Form {
    /// The form that `objective` asks for.
    pub(super) fn of(objective: &str) -> &'static Self {
        FORMS.iter().find(|form| mentions(objective, form.words)).unwrap_or(&GENERAL)
    }

    /// The fields as labelled inputs.
    pub(super) fn inputs(&self) -> String {
        let input = |(id, label, value): &(&str, &str, &str)| {
            let label = html(label);
            format!(
                "        <label>{label} <input id=\"{id}\" type=\"number\" step=\"any\" value=\"{value}\"></label>"
            )
        };
        self.fields.iter().map(input).collect::<Vec<_>>().join("\n")
    }

    /// The ids of the fields.
    pub(super) fn ids(&self) -> Vec<&'static str> {
        self.fields.iter().map(|(id, _, _)| *id).collect()
    }

    /// The results as lines of a JavaScript array.
    pub(super) fn rows(&self) -> String {
        let row = |(name, value): &(&str, &str)| format!("  [\"{name}\", {value}],");
        self.results.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    /// What the form knows by itself, as words.
    pub(super) fn covers(&self, feature: &str) -> bool {
        mentions(feature, self.words)
            || self.results.iter().any(|(name, _)| mentions(feature, &[name]))
            || self.fields.iter().any(|(id, _, _)| mentions(feature, &[id]))
    }
}
