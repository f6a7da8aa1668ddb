//! Why can a stream of known format not be read at all?

use super::summary::DamageKind;

/// What is wrong with its header.
#[derive(Debug)]
pub(super) enum Refusal {
    HeaderCut,
    Version { major: u16, minor: u16 },
    Damaged(DamageKind),
}

impl From<DamageKind> for Refusal {
    fn from(kind: DamageKind) -> Self {
        match kind {
            DamageKind::Truncated => Self::HeaderCut,
            DamageKind::SectionVersion { major, minor } => Self::Version { major, minor },
            kind => Self::Damaged(kind),
        }
    }
}
