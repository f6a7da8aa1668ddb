//! How does a reader see it? Takes a [`Report`], gives octets. It computes nothing.

mod model;

pub use model::*;
