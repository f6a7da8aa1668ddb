//! The page's octets: nothing from outside becomes markup, and the policy fits the assets.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::model::sample;

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    let options = HtmlOptions { flows_left_out: 3 };
    write(report, &Selection::default(), options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What stands between `<script type="application/json" id=...>` and the next end tag, as a browser
/// reads it.
fn document(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    format!("'sha256-{}'", BASE64_STANDARD.encode(hash.finalize()))
}

/// To write it anew: `TCPLIMIT_WRITE_POLICY=1 cargo test policy`.
#[test]
fn the_policy_allows_the_assets_and_nothing_else() {
    let policy = format!(
        "default-src 'none'; script-src {} {}; style-src {} {}; img-src data:; base-uri 'none'; \
         form-action 'none'\n",
        digest(PLOT),
        digest(SCRIPT),
        digest(PLOT_STYLE),
        digest(STYLE)
    );
    if std::env::var_os("TCPLIMIT_WRITE_POLICY").is_some() {
        std::fs::write("src/report/html/page/policy.txt", &policy).unwrap();
    } else {
        assert_eq!(POLICY, policy, "TCPLIMIT_WRITE_POLICY=1 cargo test policy");
    }
}

#[test]
fn the_page_holds_the_report_as_it_is_written_elsewhere() {
    let report = sample::busy_report(10);
    let mut json = Vec::new();
    json::write_compact(&report, &mut json).unwrap();
    let page = page(&report);
    let expected: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(document(&page, "report"), expected);
    assert_eq!(document(&page, "words")["flows_left_out"], 3);
    assert!(!page.contains("{{") && !page.contains("http-equiv=\"refresh\""));
}

/// No address that a browser would fetch: only a licence's and a project's in comments.
#[test]
fn the_page_names_nothing_to_fetch() {
    let page = page(&sample::busy_report(2));
    for attribute in
        ["src=", "@import", "url(", "<link", "<iframe", "<img", "<base", "fetch(", "XMLHttp"]
    {
        assert!(!page.contains(attribute), "{attribute}");
    }
}

#[test]
fn what_a_capture_names_cannot_become_markup() {
    let hostile =
        "</script><script>alert(1)</script><!--\"'><img src=x onerror=alert(1)>&amp;\u{2028}";
    let mut report = sample::busy_report(2);
    report.input.files = vec![hostile.to_owned(), hostile.to_owned()];
    report.flows[0].scope = Some(hostile.to_owned());
    report.notes.push(crate::model::Note {
        code: crate::model::codes::FILE_SKIPPED,
        text: hostile.to_owned(),
    });
    let plain = page(&sample::busy_report(2));
    let page = page(&report);
    for tag in ["<script", "</script", "<!--", "<img", "alert(1)<"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    let read = document(&page, "report");
    assert_eq!(read["input"]["files"][0], hostile);
    assert_eq!(read["flows"][0]["scope"], hostile);
    let (_, title) = page.split_once("<title>").unwrap();
    assert!(title.starts_with("&lt;/script&gt;&lt;script&gt;"), "{title:.80}");
}

#[test]
fn scripts_hold_nothing_that_would_end_them() {
    for asset in PLOT.iter().chain(SCRIPT) {
        assert!(!asset.contains("</script") && !asset.contains("<!--"));
    }
    for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        assert!(SCRIPT.iter().all(|part| !part.contains(forbidden)), "{forbidden}");
    }
}
