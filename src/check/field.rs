//! The fields of a flow's JSON that an assertion can name, read from the schema.

use std::sync::LazyLock;

use serde_json::Value;

use crate::report::JsonDocument;

/// A field with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Path in the flow's JSON, with dots.
    pub(super) path: String,
    pub(super) kind: Kind,
}

/// What values it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Number(Unit),
    /// In the schema's order.
    Words(Vec<String>),
    Bool,
    Text,
}

/// What a number counts; told by the end of the field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    BitsPerSecond,
    Bytes,
    Seconds,
    Microseconds,
    /// 0 to 1.
    Share,
    /// Of a whole that it may exceed.
    Part,
    Count,
}

/// Short names for what is asked most.
const SHORT: &[(&str, &str)] = &[
    ("goodput", "goodput_bps"),
    ("rlimit", "limits.receive_window.share"),
    ("slimit", "limits.send_buffer.share"),
    ("climit", "limits.congestion_window.share"),
    ("alimit", "limits.application.share"),
    ("limit", "verdict.limit"),
    ("confidence", "verdict.confidence"),
    ("rtt", "rtt.usual_us"),
    ("min_rtt", "rtt.min_us"),
    ("duration", "duration_s"),
    ("bytes", "payload_bytes"),
    ("retransmissions", "retransmitted_segments"),
    ("timeouts", "retransmissions.timeouts"),
    ("stalls", "episodes.stalls_count"),
];

/// Nearer names than this are worth a hint: a slip or two in a word.
const HINT_MIN: f64 = 0.7;

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(&JsonDocument::Report.schema()).unwrap_or_default();
    let mut fields = Vec::new();
    collect(&schema, "FlowReport", "", &mut fields);
    fields
});

/// The field of that name.
///
/// # Errors
/// With the nearest name there is, if any is near.
pub(super) fn find(name: &str) -> Result<Field, Option<String>> {
    let path = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, path)| path);
    let found = FIELDS.iter().find(|field| field.path == path);
    found.cloned().ok_or_else(|| {
        let paths = FIELDS.iter().map(|field| field.path.as_str());
        beside(name).or_else(|| nearest(name, SHORT.iter().map(|(short, _)| *short).chain(paths)))
    })
}

/// What the structure holds that `name` looks into: `path.state` is as near to `path.loss_share` as its first
/// half makes it. `None` where a field of it is near, or there is no such structure.
fn beside(name: &str) -> Option<String> {
    let (structure, own) = name.rsplit_once('.')?;
    let held: Vec<&str> = FIELDS
        .iter()
        .filter_map(|field| field.path.strip_prefix(structure)?.strip_prefix('.'))
        .filter(|inner| !inner.contains('.'))
        .collect();
    let is_slip = nearest(own, held.iter().copied()).is_some();
    let listed = || held.iter().map(|inner| format!("{structure}.{inner}")).collect::<Vec<_>>();
    (!is_slip && !held.is_empty()).then(|| format!("one of {}", listed().join(", ")))
}

/// Of `names` the one most like `name`.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(likeness, _)| *likeness >= HINT_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other.to_owned())
}

/// Adds the fields of the definition `name`, those of structures in it with its own name before.
fn collect(schema: &Value, name: &str, before: &str, fields: &mut Vec<Field>) {
    let definition = schema.pointer(&format!("/$defs/{name}"));
    let properties = definition.and_then(|definition| definition.get("properties"));
    for (key, property) in properties.and_then(Value::as_object).into_iter().flatten() {
        let path = format!("{before}{key}");
        let inner = reference(property);
        let target = inner.and_then(|inner| schema.pointer(&format!("/$defs/{inner}")));
        match (inner, target) {
            (Some(inner), Some(target)) if target.get("properties").is_some() => {
                collect(schema, inner, &format!("{path}."), fields);
            }
            (_, target) => fields
                .extend(kind(target.unwrap_or(property), &path).map(|kind| Field { path, kind })),
        }
    }
}

/// The definition that a property refers to, be it optional.
fn reference(property: &Value) -> Option<&str> {
    let direct = property.get("$ref");
    let optional = || property.get("anyOf")?.as_array()?.iter().find_map(|one| one.get("$ref"));
    direct.or_else(optional)?.as_str()?.strip_prefix("#/$defs/")
}

/// `None` for lists.
fn kind(definition: &Value, path: &str) -> Option<Kind> {
    if let Some(words) = definition.get("oneOf").and_then(Value::as_array) {
        let words = words.iter().filter_map(|word| word.get("const")?.as_str());
        return Some(Kind::Words(words.map(str::to_owned).collect()));
    }
    let types = definition.get("type")?;
    let is = |name: &str| {
        types == name || types.as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    match () {
        () if is("array") || is("object") => None,
        () if is("number") || is("integer") => Some(Kind::Number(unit(path))),
        () if is("boolean") => Some(Kind::Bool),
        () => Some(Kind::Text),
    }
}

fn unit(path: &str) -> Unit {
    let last = path.rsplit('.').next().unwrap_or(path);
    // `goodput_bps`, and `path.capacity.bps`.
    let is_in = |unit| last.strip_suffix(unit).is_some_and(|it| it.is_empty() || it.ends_with('_'));
    match () {
        () if is_in("bps") => Unit::BitsPerSecond,
        () if is_in("bytes") => Unit::Bytes,
        () if is_in("us") => Unit::Microseconds,
        () if is_in("s") => Unit::Seconds,
        () if last.starts_with("share") || last.ends_with("_share") => Unit::Share,
        () if matches!(last, "rlimit" | "slimit" | "climit" | "loss_rate") => Unit::Share,
        () if matches!(last, "utilization" | "back_off_factor") => Unit::Part,
        () => Unit::Count,
    }
}

impl Unit {
    /// What `number` of `suffix` is in the field's own unit; `None` if that does not fit. Without any, 900 of
    /// a rate may be meant in Mbit/s, and in bit/s would hold whatever the capture.
    pub(super) fn of(self, number: f64, suffix: &str) -> Option<f64> {
        let factor = self.factor(suffix)?;
        // 9 ms are 9 / 1000 s to the last digit, as the JSON has them; 9 * 0.001 are not.
        Some(if factor < 1.0 { number / (1.0 / factor).round() } else { number * factor })
    }

    /// How many of the field's own unit one of `suffix` is.
    pub(super) fn factor(self, suffix: &str) -> Option<f64> {
        let table: &[(&str, f64)] = match self {
            Self::BitsPerSecond => &[
                ("bit/s", 1.0),
                ("kbit/s", 1e3),
                ("Mbit/s", 1e6),
                ("Gbit/s", 1e9),
                ("bps", 1.0),
                ("kbps", 1e3),
                ("Mbps", 1e6),
                ("Gbps", 1e9),
            ],
            Self::Bytes => &[
                ("B", 1.0),
                ("kB", 1e3),
                ("MB", 1e6),
                ("GB", 1e9),
                ("KiB", 1024.0),
                ("MiB", 1_048_576.0),
                ("GiB", 1_073_741_824.0),
            ],
            Self::Seconds => &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("min", 60.0)],
            Self::Microseconds => &[("us", 1.0), ("ms", 1e3), ("s", 1e6)],
            Self::Share | Self::Part => &[("", 1.0), ("%", 0.01)],
            Self::Count => &[("", 1.0)],
        };
        table.iter().find(|(name, _)| *name == suffix).map(|(_, factor)| *factor)
    }

    /// The suffix that is meant most, for a hint.
    pub(super) fn usual(self) -> &'static str {
        match self {
            Self::BitsPerSecond => "Mbit/s",
            Self::Bytes => "MB",
            Self::Seconds => "s",
            Self::Microseconds => "ms",
            Self::Share | Self::Part => "%",
            Self::Count => "",
        }
    }

    /// The suffixes that fit, for a hint.
    pub(super) fn suffixes(self) -> &'static str {
        match self {
            Self::BitsPerSecond => "bit/s, kbit/s, Mbit/s, Gbit/s",
            Self::Bytes => "B, kB, MB, GB, KiB, MiB, GiB",
            Self::Seconds => "s, ms, us, min",
            Self::Microseconds => "us, ms, s",
            Self::Share | Self::Part => "%",
            Self::Count => "none",
        }
    }
}
