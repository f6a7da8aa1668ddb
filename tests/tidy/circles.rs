//! Files name each other one way, too: where two need the same thing, it has a file of its own below both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::sources::{code_lines, sources};

/// By module, the modules that it names. A module may take from those that it stands in, and has what it
/// names from those in it: only what is not one of these counts.
type Arrows = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_files_name_each_other_in_a_circle() {
    let mut left = arrows();
    assert!(left.len() > 300 && left["flow::side"].contains("flow::riders"), "{left:?}");
    // Who names nobody that is left is in no circle, nor is whom nobody names that is left.
    loop {
        let before = left.len();
        let naming: BTreeSet<String> = left.keys().cloned().collect();
        for others in left.values_mut() {
            others.retain(|other| naming.contains(other));
        }
        let named: BTreeSet<String> = left.values().flatten().cloned().collect();
        left.retain(|name, others| !others.is_empty() && named.contains(name));
        if left.len() == before {
            break;
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn paths_are_told_apart() {
    let code = "use super::{a, b::C};\nlet x = crate::d::e(self::f::G, core::h, super::super::i);";
    assert_eq!(
        paths(code),
        ["super::a", "super::b::C", "crate::d::e", "self::f::G", "super::super::i"]
    );
    assert_eq!(resolved("super::b::C", "m::n"), "m::b::C");
    assert_eq!(resolved("super::super::i", "m::n"), "i");
    assert_eq!(resolved("crate::d::e", "m::n"), "d::e");
    assert_eq!(resolved("self::f::G", "m::n"), "m::n::f::G");
}

fn arrows() -> Arrows {
    let is_test = |path: &Path| path.ends_with("tests.rs") || path.components().any(is_tests);
    let files = sources(&["src"]).into_iter().filter(|(path, _)| !is_test(path));
    let code: BTreeMap<String, String> = files
        .map(|(path, text)| (module(&path), code_lines(&text).collect::<Vec<_>>().join("\n")))
        .collect();
    let named = |(name, text): (&String, &String)| {
        let paths = paths(text).into_iter().map(|path| resolved(&path, name));
        let modules = paths.filter_map(|path| longest(&path, &code));
        let is_around = |other: &String| name == other || is_in(name, other);
        let inside = code.keys().filter(|other| is_in(other, name)).cloned();
        (name.clone(), modules.filter(|other| !is_around(other)).chain(inside).collect())
    };
    code.iter().map(named).collect()
}

fn is_tests(part: std::path::Component<'_>) -> bool {
    part.as_os_str() == "tests"
}

/// `flow::side` of `src/flow/side.rs`, `flow` of `src/flow/mod.rs`.
fn module(path: &Path) -> String {
    let parts: Vec<_> = path.with_extension("").iter().skip(1).map(ToOwned::to_owned).collect();
    let names: Vec<&str> = parts.iter().filter_map(|part| part.to_str()).collect();
    let names = names.strip_suffix(&["mod"]).unwrap_or(&names);
    names.join("::")
}

/// Whether the module `inner` stands in `outer`, at any depth; none counts as in the crate's root.
fn is_in(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"))
}

/// The paths from `crate`, `super` or `self` on, imports in braces taken apart.
fn paths(code: &str) -> Vec<String> {
    let starts = ["crate::", "super::", "self::"];
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = starts.iter().filter_map(|start| rest.find(start)).min() {
        let is_word = rest.get(..at).is_some_and(|before| before.ends_with(is_of_name));
        rest = rest.get(at..).unwrap();
        let len = rest.find(|c| !is_of_name(c) && c != ':').unwrap_or(rest.len());
        let (path, behind) = rest.split_at(len);
        rest = behind;
        let group = behind.strip_prefix('{').and_then(|behind| behind.split(['}', '{']).next());
        match group {
            _ if is_word => {}
            Some(group) => {
                found.extend(group.split(',').map(|item| format!("{path}{}", item.trim())));
            }
            None => found.push(path.to_owned()),
        }
    }
    found
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `path` from the crate's root on, as the module `from` has it.
fn resolved(path: &str, from: &str) -> String {
    let mut around: Vec<&str> = from.split("::").collect();
    let mut rest = path;
    if let Some(of_crate) = rest.strip_prefix("crate::") {
        return of_crate.to_owned();
    }
    rest = rest.strip_prefix("self::").unwrap_or(rest);
    while let Some(above) = rest.strip_prefix("super::") {
        around.pop();
        rest = above;
    }
    around.push(rest);
    around.join("::")
}

/// The module that `path` leads into.
fn longest(path: &str, code: &BTreeMap<String, String>) -> Option<String> {
    let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
    let heads = ends.filter_map(|end| path.get(..end)).filter(|head| code.contains_key(*head));
    heads.last().map(str::to_owned)
}
