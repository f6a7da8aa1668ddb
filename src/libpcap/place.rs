//! Where is a filter wrong? libpcap says what, and not where.

use std::ops::Range;

/// How a filter can go on, so that what precedes can be judged: with a number, an address, a
/// protocol, the rest of a comparison or of an index.
const GOES_ON: &[&str] = &["", "1", "1.2.3.4", "tcp", "= 1", "1 = 1", "] = 1", "1] = 1", "port 1"];

/// Longer expressions are not searched: compiling them many times takes too long.
const EXPRESSION_LEN_MAX: usize = 1024;

/// Octets of the first word that cannot stand where it does, or of the word that libpcap quotes;
/// empty and at the end if something is missing there. `judge` compiles an expression and gives
/// what libpcap says against it.
pub(crate) fn place_of_error(
    expression: &str,
    said: &str,
    judge: impl Fn(&str) -> Option<String>,
) -> Range<usize> {
    if expression.len() > EXPRESSION_LEN_MAX {
        return 0..expression.len();
    }
    let words = words(expression);
    if !is_syntax_error(said) {
        let is_quoted = |word: &&Range<usize>| {
            let word = expression.get((*word).clone()).unwrap_or_default();
            said.split(|c: char| c.is_whitespace() || c == '\'' || c == '"').any(|it| it == word)
        };
        // The last one: numbers stand after the word that they belong to.
        return words.iter().rfind(is_quoted).cloned().unwrap_or(0..expression.len());
    }
    let is_possible = |end: usize| {
        let start = expression.get(..end).unwrap_or_default();
        let open = start.matches('(').count().saturating_sub(start.matches(')').count());
        let close = ")".repeat(open);
        GOES_ON.iter().any(|rest| {
            // What is wrong with the meaning of a word does not make it wrong where it stands.
            judge(&format!("{start} {rest}{close}")).is_none_or(|said| !is_syntax_error(&said))
        })
    };
    // What can go on could go on from any earlier word, too.
    let first = words.partition_point(|word| is_possible(word.end));
    words.get(first).cloned().unwrap_or(expression.len()..expression.len())
}

/// libpcap says no more of it than that.
pub(crate) fn is_syntax_error(said: &str) -> bool {
    said.contains("syntax error")
}

/// The words, and what stands between them: operators, and brackets one by one.
fn words(expression: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut last = Kind::Space;
    for (at, c) in expression.char_indices() {
        let end = at.saturating_add(c.len_utf8());
        let kind = Kind::of(c);
        match words.last_mut() {
            _ if kind == Kind::Space => {}
            Some(word) if kind == last && kind != Kind::Bracket => word.end = end,
            _ => words.push(at..end),
        }
        last = kind;
    }
    words
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Word,
    Operator,
    Bracket,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '(' | ')' | '[' | ']' => Self::Bracket,
            '!' | '&' | '|' | '=' | '<' | '>' | '+' | '*' | '^' => Self::Operator,
            c if c.is_whitespace() => Self::Space,
            // Minus, too: it joins the parts of names.
            _ => Self::Word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_signs_stand_by_themselves() {
        let expression = "tcp[13]&2!=0 and host a.b-c";
        let words: Vec<&str> =
            words(expression).into_iter().map(|word| &expression[word]).collect();
        let expected = ["tcp", "[", "13", "]", "&", "2", "!=", "0", "and", "host", "a.b-c"];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_word_that_is_quoted_is_the_place() {
        let said = "illegal port number 99999 > 65535";
        let place = place_of_error("tcp port 99999", said, |_| unreachable!());
        assert_eq!(place, 9..14);
    }

    /// A language of two words, each at most once.
    #[test]
    fn the_first_impossible_word_is_the_place() {
        let judge = |text: &str| {
            let is_right = ["", "tcp", "udp"].contains(&text.trim());
            (!is_right).then(|| "syntax error".to_owned())
        };
        assert_eq!(place_of_error("tcp prot", "syntax error", judge), 4..8);
    }
}
