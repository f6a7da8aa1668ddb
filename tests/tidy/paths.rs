//! Which modules does a file name? Paths as code writes them, from the crate's root on.

use std::path::Path;

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

#[test]
fn braces_within_braces_are_taken_apart() {
    let code = "pub use crate::{\n    a::{B, c::{self, D as E}},\n    f,\n};\nuse super::g::*;";
    assert_eq!(
        paths(code),
        ["crate::a::B", "crate::a::c::self", "crate::a::c::D", "crate::f", "super::g::"]
    );
}

/// The modules and items that `code`, of the module `from`, names, from the crate's root on.
pub(super) fn named(code: &str, from: &str) -> Vec<String> {
    paths(code).iter().map(|path| resolved(path, from)).collect()
}

/// `flow::side` of `src/flow/side.rs`, `flow` of `src/flow/mod.rs`.
pub(super) fn module(path: &Path) -> String {
    let parts: Vec<_> = path.with_extension("").iter().skip(1).map(ToOwned::to_owned).collect();
    let names: Vec<&str> = parts.iter().filter_map(|part| part.to_str()).collect();
    let names = names.strip_suffix(&["mod"]).unwrap_or(&names);
    names.join("::")
}

/// The paths from `crate`, `super` or `self` on, imports in braces taken apart.
fn paths(code: &str) -> Vec<String> {
    let starts = ["crate::", "super::", "self::"];
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = starts.iter().filter_map(|start| rest.find(start)).min() {
        let is_word = rest.get(..at).is_some_and(|before| before.ends_with(is_of_name));
        rest = rest.get(at..).unwrap();
        let len = rest.find(|c| !is_of_path(c)).unwrap_or(rest.len());
        let (path, behind) = rest.split_at(len);
        rest = behind;
        if is_word {
            continue;
        }
        match behind.strip_prefix('{') {
            Some(group) => rest = take_group(group, path, &mut found),
            None => found.push(path.to_owned()),
        }
    }
    found
}

/// Takes the items of an import's braces, which `group` begins with, each with `path` before it. Gives what
/// stands behind the closing one.
fn take_group<'a>(mut group: &'a str, path: &str, found: &mut Vec<String>) -> &'a str {
    loop {
        group = group.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if group.is_empty() {
            return group;
        }
        if let Some(behind) = group.strip_prefix('}') {
            return behind;
        }
        let (item, behind) = group.split_at(group.find(|c| !is_of_path(c)).unwrap_or(group.len()));
        let item = format!("{path}{item}");
        group = if let Some(inner) = behind.strip_prefix('{') {
            take_group(inner, &item, found)
        } else {
            found.push(item);
            // Its new name, if it gets one, or the star.
            behind.trim_start_matches(|c| !matches!(c, ',' | '}'))
        };
    }
}

fn is_of_path(c: char) -> bool {
    is_of_name(c) || c == ':'
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
