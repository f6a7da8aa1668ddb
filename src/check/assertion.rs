//! One assertion: a field, a comparison, and a value or a share of the baseline's.

use std::str::FromStr;

use serde_json::Value;

use super::field::{self, Field, Kind, Unit};
use super::{Verdict, pacing, shown};

/// `goodput >= 900Mbit/s`, `limit != receive_window`, `goodput >= 0.95 * baseline`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    field: Field,
    comparison: Comparison,
    wanted: Wanted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Wanted {
    /// In the field's own unit.
    Number(f64),
    Word(String),
    /// This part of the baseline's value.
    Baseline(f64),
}

/// The flow that a baseline has in a flow's place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    /// No baseline was given.
    NotGiven,
    /// It has none between these ends.
    NoFlow,
    Flow(&'a Value),
}

/// Why a text is no assertion; each message says what is right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAssertion {
    /// No comparison in it.
    #[error("{0:?} compares nothing: write FIELD OPERATOR VALUE, as in goodput >= 900Mbit/s")]
    NoComparison(String),
    /// The report has no such field.
    #[error("no field {name:?}{}", hint(.nearest.as_deref()))]
    NoField {
        /// As written.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
    },
    /// The value is none of the field's.
    #[error("{value:?} is no value of {field}: {expected}")]
    BadValue {
        /// As written.
        value: String,
        /// The field's path.
        field: String,
        /// What is.
        expected: String,
    },
    /// Words have no order.
    #[error("{field} can only be compared with == or !=")]
    NoOrder {
        /// The field's path.
        field: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || ": tcplimit schema lists them".to_owned(),
        |nearest| format!(": did you mean {nearest}?"),
    )
}

/// Longer ones first, as `<` begins `<=`.
const COMPARISONS: [(&str, Comparison); 6] = [
    (">=", Comparison::GreaterOrEqual),
    ("<=", Comparison::LessOrEqual),
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
];

impl FromStr for Assertion {
    type Err = BadAssertion;

    fn from_str(text: &str) -> Result<Self, BadAssertion> {
        let found = COMPARISONS
            .iter()
            .filter_map(|(sign, comparison)| Some((text.find(sign)?, *sign, *comparison)))
            .min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())));
        let Some((at, sign, comparison)) = found else {
            return Err(BadAssertion::NoComparison(text.to_owned()));
        };
        let (name, rest) = text.split_at(at);
        let (name, value) = (name.trim(), rest.strip_prefix(sign).unwrap_or(rest).trim());
        let field = field::find(name)
            .map_err(|nearest| BadAssertion::NoField { name: name.to_owned(), nearest })?;
        let wanted = wanted(&field, value)?;
        let has_order = matches!(field.kind, Kind::Number(_)) || field.path == CONFIDENCE;
        if !has_order && !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            return Err(BadAssertion::NoOrder { field: field.path });
        }
        Ok(Self { field, comparison, wanted })
    }
}

/// The one enum with an order: low, medium, high.
const CONFIDENCE: &str = "verdict.confidence";

fn wanted(field: &Field, value: &str) -> Result<Wanted, BadAssertion> {
    let bad = |expected: String| BadAssertion::BadValue {
        value: value.to_owned(),
        field: field.path.clone(),
        expected,
    };
    match &field.kind {
        Kind::Number(unit) => match number(*unit, value) {
            // `rlimit < 20`, meant in percent, would hold whatever the capture.
            Some(Wanted::Number(share))
                if *unit == Unit::Share && !(0.0..=1.0).contains(&share) =>
            {
                Err(bad("a share is from 0 to 1, or from 0% to 100%".to_owned()))
            }
            Some(wanted) => Ok(wanted),
            None => Err(bad(number_expected(*unit, value))),
        },
        Kind::Words(words) if words.iter().any(|word| word == value) => {
            Ok(Wanted::Word(value.to_owned()))
        }
        Kind::Words(words) => {
            let nearest = field::nearest(value, words.iter().map(String::as_str));
            Err(bad(nearest.map_or_else(
                || format!("one of {}", words.join(", ")),
                |nearest| format!("did you mean {nearest}?"),
            )))
        }
        Kind::Bool if matches!(value, "true" | "false") => Ok(Wanted::Word(value.to_owned())),
        Kind::Bool => Err(bad("true or false".to_owned())),
        Kind::Text => Ok(Wanted::Word(value.trim_matches('"').to_owned())),
    }
}

fn number(unit: Unit, text: &str) -> Option<Wanted> {
    if text == "baseline" {
        return Some(Wanted::Baseline(1.0));
    }
    if let Some((one, other)) = text.split_once('*') {
        let ((part, "baseline") | ("baseline", part)) = (one.trim(), other.trim()) else {
            return None;
        };
        return finite(part).map(Wanted::Baseline);
    }
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_' | ' ');
    let end = text.find(|c| !is_digit(c)).unwrap_or(text.len());
    let (digits, suffix) = text.split_at_checked(end)?;
    let number = finite(digits)?;
    let is_nothing = suffix.trim().is_empty() && number == 0.0;
    // Nothing is the same in every unit.
    unit.of(number, suffix.trim()).or(is_nothing.then_some(0.0)).map(Wanted::Number)
}

/// What to write in place of `value`.
fn number_expected(unit: Unit, value: &str) -> String {
    let suffixes = unit.suffixes();
    match finite(value) {
        Some(_) => format!("{value} what? e.g. {value}{} ({suffixes})", unit.usual()),
        None if unit == Unit::Count => "a number without a unit".to_owned(),
        None => format!("a number with its unit ({suffixes})"),
    }
}

/// Digits may be grouped by spaces or underscores.
fn finite(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| !matches!(c, ' ' | '_')).collect();
    plain.parse::<f64>().ok().filter(|number| number.is_finite())
}

impl Assertion {
    /// The field it speaks of, by its path in a flow's JSON.
    pub(super) fn path(&self) -> &str {
        &self.field.path
    }

    /// Whether it means nothing without an earlier report.
    #[must_use]
    pub fn needs_baseline(&self) -> bool {
        matches!(self.wanted, Wanted::Baseline(_))
    }

    /// Holds `flow` to it.
    pub(super) fn judge(&self, flow: &Value, before: Before<'_>) -> (Verdict, String) {
        let value = self.value(flow);
        if flow.get("packets").and_then(Value::as_u64) == Some(0) {
            return (Verdict::Inconclusive, "this direction is not in the capture".to_owned());
        }
        if value.is_null() {
            return (Verdict::Inconclusive, format!("{} is not known", self.field.path));
        }
        match (&self.field.kind, &self.wanted) {
            (Kind::Number(unit), wanted) => {
                let Some(wanted) = self.number_wanted(wanted, before) else {
                    let why = match before {
                        Before::NotGiven => "no baseline was given",
                        Before::NoFlow => "the baseline has no flow between these ends",
                        Before::Flow(_) => "the baseline does not know it",
                    };
                    return (Verdict::Inconclusive, why.to_owned());
                };
                let measured = value.as_f64().unwrap_or_default();
                let (mut text, bound) = shown::pair(*unit, measured, wanted);
                if self.needs_baseline() {
                    text.push_str(", wanted ");
                    text.push_str(&bound);
                }
                let verdict = self.verdict(measured.total_cmp(&wanted));
                if verdict == Verdict::Fail {
                    text.extend(pacing::remark(flow, &self.field.path));
                }
                (verdict, text)
            }
            (_, Wanted::Word(wanted)) => self.judge_word(&text(value), wanted),
            _ => (Verdict::Inconclusive, "not a number".to_owned()),
        }
    }

    fn value<'a>(&self, flow: &'a Value) -> &'a Value {
        let pointer = format!("/{}", self.field.path.replace('.', "/"));
        flow.pointer(&pointer).unwrap_or(&Value::Null)
    }

    fn number_wanted(&self, wanted: &Wanted, before: Before<'_>) -> Option<f64> {
        match wanted {
            Wanted::Number(number) => Some(*number),
            Wanted::Baseline(part) => match before {
                Before::Flow(flow) => Some(self.value(flow).as_f64()? * part),
                Before::NotGiven | Before::NoFlow => None,
            },
            Wanted::Word(_) => None,
        }
    }

    fn judge_word(&self, measured: &str, wanted: &str) -> (Verdict, String) {
        // No limit was found: neither this one nor another.
        let is_open = self.field.path == "verdict.limit"
            && matches!(measured, "unknown" | "capture_gap")
            && measured != wanted;
        if is_open {
            return (Verdict::Inconclusive, measured.to_owned());
        }
        let order = match &self.field.kind {
            Kind::Words(words) => {
                let place = |word: &str| words.iter().position(|other| other == word);
                place(measured).cmp(&place(wanted))
            }
            _ => measured.cmp(wanted),
        };
        (self.verdict(order), measured.to_owned())
    }

    fn verdict(&self, order: std::cmp::Ordering) -> Verdict {
        let holds = match self.comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        };
        if holds { Verdict::Pass } else { Verdict::Fail }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
