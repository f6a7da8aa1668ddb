//! The JSON Schema of what this module writes: one set of definitions, and a root for each kind of document.

/// The definitions of all documents, made from the types that are written (the test below).
const DEFINITIONS: &str = include_str!("documents-1.schema.json");

/// A kind of JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonDocument {
    /// What one run found out.
    Report,
    /// A line of JSON Lines that holds a flow.
    Flow,
    /// What stands for an input that cannot be read, or for its damage among JSON Lines.
    Failure,
    /// The reports of several inputs.
    ReportList,
}

impl JsonDocument {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Report, Self::Flow, Self::Failure, Self::ReportList];

    /// Its name among the definitions.
    fn definition(self) -> &'static str {
        match self {
            Self::Report => "Report",
            Self::Flow => "FlowLine",
            Self::Failure => "Failure",
            Self::ReportList => "ReportList",
        }
    }

    /// Its schema, of JSON Schema's draft 2020-12.
    #[must_use]
    pub fn schema(self) -> String {
        let name = self.definition();
        let definitions = DEFINITIONS.strip_prefix('{').unwrap_or(DEFINITIONS);
        format!(
            "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \
             \"title\": \"{name}\",\n  \"$ref\": \"#/$defs/{name}\",{definitions}"
        )
    }
}

#[cfg(test)]
mod tests;
