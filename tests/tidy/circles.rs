//! Files name each other one way, too: where two need the same thing, it has a file of its own below both.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{module, named};
use super::sources::{code_text, is_test, sources};

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

fn arrows() -> Arrows {
    let files = sources(&["src"]).into_iter().filter(|(path, _)| !is_test(path));
    let code: BTreeMap<String, String> =
        files.map(|(path, text)| (module(&path), code_text(&text))).collect();
    let arrows = |(name, text): (&String, &String)| {
        let modules = named(text, name).into_iter().filter_map(|path| longest(&path, &code));
        let is_around = |other: &String| name == other || is_in(name, other);
        let inside = code.keys().filter(|other| is_in(other, name)).cloned();
        (name.clone(), modules.filter(|other| !is_around(other)).chain(inside).collect())
    };
    code.iter().map(arrows).collect()
}

/// Whether the module `inner` stands in `outer`, at any depth; none counts as in the crate's root.
fn is_in(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"))
}

/// The module that `path` leads into.
fn longest(path: &str, code: &BTreeMap<String, String>) -> Option<String> {
    let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
    let heads = ends.filter_map(|end| path.get(..end)).filter(|head| code.contains_key(*head));
    heads.last().map(str::to_owned)
}
