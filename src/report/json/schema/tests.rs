use std::num::NonZeroUsize;

use serde_json::Value;

use super::*;
use crate::model::{Damage, Lu2007, Report, sample};
use crate::report::json::{Failure, Outcome, write, write_lines, write_list};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// After an intended change: `TCPLIMIT_WRITE_SCHEMA=1 cargo test schema`, and raise
/// [`Report::SCHEMA_VERSION`].
#[cfg(feature = "schema")]
#[test]
fn the_committed_schema_is_that_of_the_types() {
    use crate::report::json::documents::{FlowLine, ReportList};
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/json/documents-1.schema.json");
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    generator.subschema_for::<FlowLine>();
    generator.subschema_for::<Failure>();
    generator.subschema_for::<ReportList>();
    let derived = serde_json::json!({ "$defs": generator.take_definitions(true) });
    let derived = serde_json::to_string_pretty(&derived).unwrap() + "\n";
    if std::env::var_os("TCPLIMIT_WRITE_SCHEMA").is_some() {
        std::fs::write(path, &derived).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), derived);
}

#[test]
fn each_document_has_a_root_and_a_mark_of_its_own() {
    for document in JsonDocument::ALL {
        let schema: Value = serde_json::from_str(&document.schema()).unwrap();
        let root = schema["$ref"].as_str().and_then(|root| root.strip_prefix('#')).unwrap();
        let mark = &schema.pointer(root).unwrap()["properties"]["schema"]["const"];
        assert!(mark.as_str().unwrap().starts_with("tcplimit/"), "{document:?}: {mark}");
    }
}

/// With what a plain report has not: the paper's figures, lines to draw, more than one flow.
fn reports() -> [Report; 4] {
    let mut lu2007 = sample::report();
    lu2007.flows[0].lu2007 = Some(Lu2007 {
        rlimit: 0.9,
        slimit: 0.0,
        climit: 0.1,
        wnd_mean_bytes: 3e6,
        rtt_mean_us: None,
        cwnd_end_bytes: 1e6,
    });
    let mut drawn = sample::report();
    drawn.flows[0].series = Some(Box::new(sample::series()));
    [sample::report(), sample::busy_report(5), lu2007, drawn]
}

fn damaged() -> Report {
    let mut report = sample::report();
    report.input.damage = Some(Damage {
        file: "download.pcap".to_owned(),
        offset_bytes: 1204,
        packets_before: 4,
        what: "ends inside packet 5".to_owned(),
    });
    report
}

fn failure() -> Outcome {
    Outcome::Failure(Failure::new(vec!["x".to_owned()], "x is empty".to_owned()))
}

/// What `write` writes, each document of it.
fn documents(write: impl FnOnce(&mut Vec<u8>)) -> Vec<Value> {
    let mut json = Vec::new();
    write(&mut json);
    serde_json::Deserializer::from_slice(&json).into_iter().collect::<Result<_, _>>().unwrap()
}

fn check_all(document: JsonDocument, values: &[Value]) {
    let schema: Value = serde_json::from_str(&document.schema()).unwrap();
    assert!(!values.is_empty());
    for value in values {
        check(&schema, &schema, value, "root");
    }
}

#[test]
fn reports_obey_the_schema() {
    for report in reports().into_iter().chain([damaged()]) {
        let outcome = Outcome::Report(Box::new(report));
        let values = documents(|out| write(&outcome, ONE, out).unwrap());
        check_all(JsonDocument::Report, &values);
    }
}

#[test]
fn lines_obey_the_schema() {
    for report in reports() {
        let outcome = Outcome::Report(Box::new(report));
        let values = documents(|out| write_lines(&outcome, ONE, out).unwrap());
        check_all(JsonDocument::Flow, &values);
    }
}

#[test]
fn failures_and_damage_obey_the_schema() {
    let damaged = Outcome::Report(Box::new(damaged()));
    let values = documents(|out| write_lines(&damaged, ONE, out).unwrap());
    let (damage, flows) = values.split_last().unwrap();
    check_all(JsonDocument::Flow, flows);
    check_all(JsonDocument::Failure, std::slice::from_ref(damage));
    let values = documents(|out| write(&failure(), ONE, out).unwrap());
    check_all(JsonDocument::Failure, &values);
}

#[test]
fn lists_obey_the_schema() {
    let outcomes = reports().map(|report| Outcome::Report(Box::new(report)));
    let mut outcomes = outcomes.into_iter().chain([failure()]);
    let values = documents(|out| write_list(&mut outcomes, out).unwrap());
    check_all(JsonDocument::ReportList, &values);
}

#[test]
#[should_panic(expected = "root.input.packets: \"many\" is not")]
fn the_check_finds_a_wrong_type() {
    let report = Outcome::Report(Box::new(sample::report()));
    let mut values = documents(|out| write(&report, ONE, out).unwrap());
    values[0]["input"]["packets"] = "many".into();
    check_all(JsonDocument::Report, &values);
}

#[test]
#[should_panic(expected = "root.flows is new")]
fn the_check_finds_another_document() {
    let report = Outcome::Report(Box::new(sample::report()));
    let values = documents(|out| write(&report, ONE, out).unwrap());
    check_all(JsonDocument::ReportList, &values);
}

/// Checks the keywords that the schema uses: `$ref`, `anyOf`, `oneOf`, `const`, `enum`,
/// `type`, `properties`, `required`, `items`, `prefixItems`. A key that the schema does not
/// know fails as well.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        return check(root, root.pointer(&name[1..]).unwrap(), value, at);
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let choice = choices.iter().find(|choice| fits(root, choice, value));
            check(root, choice.unwrap_or_else(|| panic!("{at}: {value} fits none")), value, at);
        }
    }
    if !schema["const"].is_null() {
        assert_eq!(&schema["const"], value, "{at}");
    }
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{at}: {value}");
    }
    check_type(schema, value, at);
    check_parts(root, schema, value, at);
}

/// By its type, or its mark: deep enough to tell one choice from another.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(root, root.pointer(&name[1..]).unwrap(), value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices.iter().any(|choice| fits(root, choice, value));
    }
    let is = |wanted: &Value, value: &Value| wanted.is_null() || wanted == value;
    let mut parts = schema["properties"].as_object().into_iter().flatten();
    parts.all(|(key, part)| is(&part["const"], &value[key]))
        && is(&schema["const"], value)
        && types_of(schema).is_none_or(|types| types.iter().any(|t| is_of(t, value)))
}

fn check_type(schema: &Value, value: &Value, at: &str) {
    if let Some(types) = types_of(schema) {
        assert!(types.iter().any(|t| is_of(t, value)), "{at}: {value} is not {types:?}");
    }
}

fn check_parts(root: &Value, schema: &Value, value: &Value, at: &str) {
    if let (Some(known), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for (key, part) in object {
            let part_schema = known.get(key).unwrap_or_else(|| panic!("{at}.{key} is new"));
            check(root, part_schema, part, &format!("{at}.{key}"));
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(object.contains_key(key.as_str().unwrap()), "{at}: {key} is missing");
        }
    }
    for (index, part) in value.as_array().into_iter().flatten().enumerate() {
        let of_place = &schema["prefixItems"][index];
        let part_schema = if of_place.is_null() { &schema["items"] } else { of_place };
        check(root, part_schema, part, &format!("{at}[{index}]"));
    }
}

fn types_of(schema: &Value) -> Option<Vec<String>> {
    let name = |v: &Value| v.as_str().unwrap().to_owned();
    match &schema["type"] {
        Value::Null => None,
        Value::Array(names) => Some(names.iter().map(name).collect()),
        one => Some(vec![name(one)]),
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type {other}"),
    }
}
