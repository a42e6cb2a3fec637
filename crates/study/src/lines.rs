//! Lines of text in columns.

/// Columns side by side; the last one as it is.
pub fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns.saturating_sub(1)).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut out = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            out += &format!("{cell:<width$}  ");
        }
        out += line.last().map_or("", String::as_str);
        text += out.trim_end();
        text.push('\n');
    }
    text
}
