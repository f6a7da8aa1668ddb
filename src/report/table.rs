//! Columns set flush. The last column may be longer than the page: its cell is then wrapped, or
//! takes a line of its own, so that nothing is cut.

use super::page::{columns, wrap};

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Cells by row; the first row is the heading.
pub(super) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// Between two columns.
const GAP: usize = 2;
/// A last column is not wrapped into less.
const LAST_MIN: usize = 20;

impl Table {
    pub(super) fn new(aligns: &[Align]) -> Self {
        Self { aligns: aligns.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, none longer than `width` unless a single cell is.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
        let widths = self.widths();
        let mut lines = Vec::new();
        for row in &self.rows {
            let (last, rest) = match row.split_last() {
                Some((last, rest)) => (last.as_str(), rest),
                None => ("", row.as_slice()),
            };
            let mut line = String::new();
            for ((cell, align), width) in rest.iter().zip(&self.aligns).zip(&widths) {
                push_cell(&mut line, cell, *align, *width);
            }
            push_last(&mut lines, line, last, width);
        }
        lines
    }

    fn widths(&self) -> Vec<usize> {
        let widest = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max()
        };
        (0..self.aligns.len()).map(|column| widest(column).unwrap_or_default()).collect()
    }
}

/// Ends `line` with the row's last cell.
fn push_last(lines: &mut Vec<String>, mut line: String, last: &str, width: usize) {
    let indent = columns(&line);
    let room = width.saturating_sub(indent);
    let parts = wrap(last, room);
    if parts.iter().all(|part| columns(part) <= room) && (parts.len() < 2 || room >= LAST_MIN) {
        for part in parts {
            line.push_str(&part);
            lines.push(line.trim_end().to_owned());
            line = " ".repeat(indent);
        }
    } else {
        lines.push(line.trim_end().to_owned());
        lines.push(" ".repeat(width.saturating_sub(columns(last))) + last);
    }
}

fn push_cell(line: &mut String, cell: &str, align: Align, width: usize) {
    let padding = " ".repeat(width.saturating_sub(columns(cell)));
    match align {
        Align::Left => line.extend([cell, &padding]),
        Align::Right => line.extend([&padding, cell]),
    }
    line.push_str(&" ".repeat(GAP));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_flush_and_a_long_last_cell_goes_beneath() {
        let mut table = Table::new(&[Align::Right, Align::Left, Align::Left]);
        table.row(["#", "limit", "flow"].map(str::to_owned));
        table.row(["17", "window", "a → b"].map(str::to_owned));
        table.row(["3", "loss", "a long name → b"].map(str::to_owned));
        assert_eq!(
            table.lines(24),
            [" #  limit   flow", "17  window  a → b", " 3  loss", "         a long name → b"]
        );
    }
}
