//! Rules in a file that a team keeps: TOML, one `[[rule]]` each.

use serde::Deserialize;
use toml::Spanned;

use super::{Assertion, BadAssertion};

/// An assertion with a name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// What it is called in reports.
    pub name: String,
    /// What has to hold.
    pub assertion: Assertion,
    /// The same as it was written.
    pub text: String,
    /// Only for this connection.
    pub flow: Option<u32>,
    /// Line of its file, from 1; `None` where it comes from no file.
    pub line: Option<usize>,
}

impl Rule {
    /// A rule that is called as it reads.
    ///
    /// # Errors
    /// If `text` is no assertion.
    pub fn of(text: &str) -> Result<Self, BadAssertion> {
        let (assertion, text) = (text.parse()?, text.trim().to_owned());
        Ok(Self { name: text.clone(), assertion, text, flow: None, line: None })
    }
}

/// Why a file holds no rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadRules {
    /// Not TOML, or not of this form.
    #[error("not a file of rules: {0}")]
    Form(String),
    /// One of the rules is wrong.
    #[error("rule {name:?}: {cause}")]
    Rule {
        /// Its name.
        name: String,
        /// What is wrong.
        cause: BadAssertion,
    },
    /// There is none.
    #[error("no rules: write  [[rule]]  name = \"fast enough\"  assert = \"goodput >= 900Mbit/s\"")]
    Empty,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    assert: Spanned<String>,
    flow: Option<u32>,
}

/// The rules that `text` holds, in its order.
///
/// # Errors
/// If it is not of the form, has no rule, or one that is no assertion.
pub fn read_rules(text: &str) -> Result<Vec<Rule>, BadRules> {
    let form = |error: toml::de::Error| BadRules::Form(error.to_string().trim_end().to_owned());
    let file: File = toml::from_str(text).map_err(form)?;
    if file.rule.is_empty() {
        return Err(BadRules::Empty);
    }
    let rule = |entry: Entry| {
        let before = text.get(..entry.assert.span().start).unwrap_or_default();
        let line = Some(before.matches('\n').count().saturating_add(1));
        let text = entry.assert.into_inner().trim().to_owned();
        let name = entry.name.unwrap_or_else(|| text.clone());
        match text.parse() {
            Ok(assertion) => Ok(Rule { name, assertion, text, flow: entry.flow, line }),
            Err(cause) => Err(BadRules::Rule { name, cause }),
        }
    };
    file.rule.into_iter().map(rule).collect()
}
