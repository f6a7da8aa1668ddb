//! Arguments in, report out: the only place that prints.

fn main() {}
