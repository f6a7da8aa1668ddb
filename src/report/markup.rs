//! Text inside XML, HTML and what takes their elements.

/// `text` as it stands, in the content and the attributes of an element.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
