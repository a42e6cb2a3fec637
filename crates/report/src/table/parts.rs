//! A table that is too wide for a page, in parts of some of its columns. Each has the first column, which names its rows.

use crate::table::format::TableGrid;

/// The grid in as few parts as fit, whose other columns are about equally many; itself where it fits. A part that does not
/// fit with a single column stays as it is.
pub(super) fn by_columns(grid: &TableGrid, fits: impl Fn(&TableGrid) -> bool) -> Vec<TableGrid> {
    let others = grid.columns.len().saturating_sub(1);
    let split = |count: usize| -> Vec<TableGrid> {
        let ends: Vec<usize> = (0..=count).map(|part| 1 + (part * others).div_ceil(count)).collect();
        ends.windows(2).map(|ends| part(grid, ends[0]..ends[1])).collect()
    };
    let counts = 2..=others;
    if others < 2 || fits(grid) {
        return vec![grid.clone()];
    }
    counts.map(split).find(|parts| parts.iter().all(&fits)).unwrap_or_else(|| split(others))
}

/// The first column and these.
fn part(grid: &TableGrid, columns: std::ops::Range<usize>) -> TableGrid {
    let places = || std::iter::once(0).chain(columns.clone());
    TableGrid {
        columns: places().map(|at| grid.columns[at].clone()).collect(),
        rows: grid.rows.iter().map(|row| places().map(|at| row[at].clone()).collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::format::{CellKind, Heading, TableCell};
    use crate::table::latex::{latex, latex_for_two_columns};

    #[test]
    fn every_part_names_its_rows() {
        let columns: Vec<Heading> =
            (0..8).map(|at| Heading::new(&at.to_string(), &at.to_string(), CellKind::Count)).collect();
        let grid = TableGrid { columns, rows: vec![(0..8).map(TableCell::Count).collect(); 2] };
        let keys = |most: usize| -> Vec<String> {
            let parts = by_columns(&grid, |part| part.columns.len() <= most);
            assert!(parts.iter().all(|part| part.rows.iter().all(|row| row[0] == TableCell::Count(0))));
            parts.iter().map(|part| part.columns.iter().map(|column| &*column.key).collect()).collect()
        };
        assert_eq!(keys(8), ["01234567"]);
        assert_eq!(keys(7), ["01234", "0567"]);
        assert_eq!(keys(4), ["0123", "045", "067"]);
        assert_eq!(keys(1).len(), 7);
    }

    /// Twenty columns come in parts, each with the first column, under one number.
    #[test]
    fn a_table_that_is_too_wide_comes_in_parts() {
        let columns = (0..21).map(|at| Heading::new("key", ["Stream", "Learner"][at.min(1)], CellKind::Text)).collect();
        let grid = TableGrid { columns, rows: vec![vec![TableCell::Text("0.1234".into()); 21]; 3] };
        for text in [latex(&grid, "T", "C", "t"), latex_for_two_columns(&grid, &[], "T", "C", "t").unwrap()] {
            let count = text.matches("Stream").count();
            assert!(count > 1 && text.matches("Learner").count() == 20, "{text}");
            assert_eq!(
                (text.matches("\\label").count(), text.matches("\\addtocounter").count()),
                (1, count - 1),
                "{text}"
            );
        }
    }
}
