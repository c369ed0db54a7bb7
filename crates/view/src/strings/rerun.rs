//! Strings of re-runs, run forecasts and completion.

use crate::language::{Text, text};
use nexus_model::context::forecast::RunForecast;

use crate::run_graph::rerun::{RerunInput, RerunPart, RerunSource, RerunTurn};
use crate::strings::format::{count, model_name, money, tokens};

pub const TITLE: Text = Text("Re-run from here");
pub const ABOUT: Text = Text(
    "Plays the run again from a turn, in a new session, with one thing changed. Earlier turns are taken over as recorded; models are asked only from this turn on.",
);
pub const TURN: Text = Text("Turn");
pub const TEXT: Text = Text("New text");
pub const START: Text = Text("Re-run");
pub const ENDS_WHEN: Text = Text("Ends when");

pub fn part(turn: &RerunTurn, part: RerunPart) -> String {
    match part {
        RerunPart::Nothing => text!("Nothing"),
        RerunPart::Model => text!("Model"),
        RerunPart::Persona => text!("Agent"),
        RerunPart::Input(at) => turn.inputs.get(at).map(input).unwrap_or_default(),
    }
}

fn input(input: &RerunInput) -> String {
    match &input.source {
        RerunSource::Message(_) => text!("Your message"),
        RerunSource::Envelope(_, from) => text!("Envelope from {from}"),
    }
}

pub fn turn(number: usize, model: &str) -> String {
    text!("Turn {number} · {}", model_name(model))
}

fn range(low: &str, high: &str) -> String {
    if low == high { low.to_owned() } else { format!("{low}–{high}") }
}

pub fn forecast(forecast: &RunForecast) -> String {
    let (least, most) = forecast.calls;
    let calls = match least == most {
        true => count(least, "model call", "model calls"),
        false => text!("{least}–{most} model calls"),
    };
    let (least, most) = forecast.tokens;
    let used = range(&tokens(least), &tokens(most));
    let cost = match forecast.cost {
        Some((least, most)) if forecast.unpriced => {
            text!(", {} for models with a known price", range(&money(least), &money(most)))
        }
        Some((least, most)) => format!(", {}", range(&money(least), &money(most))),
        None => String::new(),
    };
    let from = match forecast.samples {
        0 => text!("from the graph and the size of the conversation"),
        turns => text!("from the graph and {}", count(turns, "earlier turn", "earlier turns")),
    };
    text!("Estimate: {calls}, {used} tokens{cost} ({from}). At its limits the run pauses.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::provider::price::Cost;

    #[test]
    fn a_forecast_is_an_estimate_with_ranges() {
        let mut of = RunForecast {
            turns: (3, 9),
            calls: (3, 30),
            tokens: (12_000, 90_000),
            cost: Some((Cost::dollars(1), Cost::dollars(3))),
            unpriced: false,
            samples: 0,
        };
        let text = forecast(&of);
        assert!(text.starts_with("Estimate: 3–30 model calls, "), "{text}");
        assert!(text.contains("from the graph and the size"), "{text}");
        (of.samples, of.unpriced) = (1, true);
        assert!(forecast(&of).contains("1 earlier turn)") && forecast(&of).contains("with a known price"));
        of.cost = None;
        assert!(!forecast(&of).contains('$'));
    }
}
