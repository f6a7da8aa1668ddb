//! How does a reader see it? Takes a [`Report`], gives octets. It computes nothing.

pub mod codes;
pub(crate) mod figures;
mod json;
mod model;
#[cfg(test)]
mod sample;
mod summary;

pub use json::{Failure, Outcome, SCHEMA};
pub use model::*;
pub use summary::{LimitTotal, Summary};
