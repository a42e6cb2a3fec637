//! A table for a LaTeX document, for the packages booktabs, array, longtable and pdflscape. It is as wide as the line at
//! most: every column has a share of it, and the font is as small as its longest words need. In an article in one column, a
//! table that does not fit at 7 pt lies on its side, and a long one goes over pages. In an article in two columns, one that
//! does not fit into a column stands across both, and a long one comes in parts. One that is too wide for every page comes in
//! parts of its columns. Details and small lines are left out,
//! unless they are asked for. Rows of several papers stand below the names of the papers.

use std::ops::Range;

use crate::chart::text::width;
use crate::formula::{self, GREEK};
use crate::rates::cited;
use crate::table::format::{GridError, Heading, TableCell, TableGrid};
use crate::table::parts::by_columns;

/// A page of an article on which a table stands.
#[derive(Clone, Copy, Debug)]
struct LatexPage {
    /// The font.
    size: &'static str,
    /// The line, in units of the font's size.
    line: f64,
    /// What it stands in: `table` floats, in a column of two, `table*` across both, `landscape` is turned.
    stands: &'static str,
    /// Rows on more lines than this go over several pages.
    lines: f64,
}

/// The pages of a table of `\documentclass{article}` on letter paper: the line has 345 pt, and 550 pt on a turned page.
const PAGES: [LatexPage; 4] = [
    LatexPage { size: "footnotesize", line: 43.0, stands: "table", lines: 44.0 },
    LatexPage { size: "scriptsize", line: 49.0, stands: "table", lines: 50.0 },
    LatexPage { size: "footnotesize", line: 68.0, stands: "landscape", lines: 22.0 },
    LatexPage { size: "scriptsize", line: 78.0, stands: "landscape", lines: 25.0 },
];
/// The same of `\documentclass[twocolumn]{article}`: a column has 229 pt, both have 469 pt.
const COLUMNS: [LatexPage; 4] = [
    LatexPage { size: "footnotesize", line: 28.5, stands: "table", lines: 50.0 },
    LatexPage { size: "scriptsize", line: 32.5, stands: "table", lines: 56.0 },
    LatexPage { size: "footnotesize", line: 58.5, stands: "table*", lines: 50.0 },
    LatexPage { size: "scriptsize", line: 67.0, stands: "table*", lines: 56.0 },
];
/// The gap between two columns, in units of the font's size.
const GAP: f64 = 1.8;
/// The piece of the line, in the same units, by which a column grows.
const STEP: f64 = 0.5;

/// The table for an article in one column, with a caption and a label to refer to it.
pub fn latex(grid: &TableGrid, title: &str, caption: &str, label: &str) -> String {
    let (grid, groups) = grouped(&grid.printed());
    let parts = by_columns(&grid, |part| fits(part, &PAGES));
    if parts.len() > 1 {
        let floats = floats(&parts, &groups, &PAGES, "htbp", [title, caption, label]);
        return format!("\\begingroup\n{SEPARATION}{floats}\\endgroup\n");
    }
    let (page, shares, lines) = shares(&grid, &PAGES);
    let set = TypesetTable { grid: &grid, groups: &groups, shares: &shares, page };
    let caption = tex(&format!("{}. {caption}", title.trim_end_matches('.')));
    let body = if lines.iter().sum::<f64>() > page.lines {
        let (head, begin) = (set.head(), set.columns());
        format!(
            "\\begin{{longtable}}{begin}\n  \\caption{{{caption}}}\\label{{tab:{label}}}\\\\\n  \\toprule\n{head}  \\midrule\n  \
             \\endfirsthead\n  \\toprule\n{head}  \\midrule\n  \\endhead\n{}  \\bottomrule\n\\end{{longtable}}\n",
            set.rows(0..grid.rows.len())
        )
    } else {
        set.float("table", "htbp", &caption, Some(label), 0..grid.rows.len())
    };
    let text = format!("\\begingroup\n\\{}\n{SEPARATION}{body}\\endgroup\n", page.size);
    if page.stands == "landscape" { format!("\\begin{{landscape}}\n{text}\\end{{landscape}}\n") } else { text }
}

/// The table for an article in two columns, in one of them where it fits and else across both, in as many parts as it
/// needs. It has the columns of these names, in this order; without names, those that are printed.
///
/// # Errors
/// A name that is that of no column, with those that there are; a row that lacks cells.
pub fn latex_for_two_columns(
    grid: &TableGrid,
    names: &[String],
    title: &str,
    caption: &str,
    label: &str,
) -> Result<String, GridError> {
    if let Some(at) = grid.rows.iter().position(|row| row.len() != grid.columns.len()) {
        return Err(GridError::Ragged { row: at + 1, cells: grid.rows[at].len(), columns: grid.columns.len() });
    }
    let chosen = if names.is_empty() { grid.printed() } else { grid.chosen(names)? };
    let (grid, groups) = grouped(&chosen);
    let floats =
        floats(&by_columns(&grid, |part| fits(part, &COLUMNS)), &groups, &COLUMNS, "tbp", [title, caption, label]);
    Ok(format!("\\begingroup\n{SEPARATION}{floats}\\endgroup\n"))
}

/// Whether the longest words of all columns fit on the widest of these pages.
fn fits(grid: &TableGrid, pages: &[LatexPage; 4]) -> bool {
    let widest = pages.iter().map(|page| page.line).fold(0.0, f64::max);
    widths(grid).iter().map(|(_, least)| least + GAP).sum::<f64>() <= widest
}

/// Parts of a table, each in as many floats as its rows need, under one number.
fn floats(
    parts: &[TableGrid],
    groups: &[(usize, String)],
    pages: &[LatexPage; 4],
    place: &str,
    [title, caption, label]: [&str; 3],
) -> String {
    let mut told = (tex(&format!("{}. {caption}", title.trim_end_matches('.'))), Some(label));
    let mut out = String::new();
    for grid in parts {
        let (page, shares, lines) = shares(grid, pages);
        let set = TypesetTable { grid, groups, shares: &shares, page };
        let mut first = 0;
        while first < grid.rows.len().max(1) {
            let mut height = 0.0;
            let fit = lines[first..].iter().take_while(|lines| {
                height += **lines;
                height <= page.lines
            });
            let end = (first + fit.count().max(1)).min(grid.rows.len());
            let turned = page.stands == "landscape";
            let stands = if turned { "table" } else { page.stands };
            let float = set.float(stands, place, &told.0, told.1, first..end);
            out += &if turned { format!("\\begin{{landscape}}\n{float}\\end{{landscape}}\n") } else { float };
            told = (tex(&format!("{title} (continued)")), None);
            first = end.max(1);
        }
    }
    out
}

/// The gap between two columns.
const SEPARATION: &str = "\\setlength{\\tabcolsep}{0.3em}\n";

/// A table whose columns have their widths.
struct TypesetTable<'a> {
    grid: &'a TableGrid,
    /// Names that stand above some rows.
    groups: &'a [(usize, String)],
    /// The share of the line that each column has.
    shares: &'a [f64],
    page: LatexPage,
}

impl TypesetTable<'_> {
    /// The columns, as environments declare them.
    fn columns(&self) -> String {
        let share = |(column, share): (&Heading, &f64)| {
            let side = if column.kind.is_words() { "raggedright" } else { "raggedleft" };
            format!(">{{\\{side}\\arraybackslash}}p{{\\dimexpr{share:.3}\\linewidth-2\\tabcolsep\\relax}}")
        };
        let columns = self.grid.columns.iter().zip(self.shares).map(share).collect::<Vec<_>>().join("\n    ");
        format!("{{@{{}}{columns}@{{}}}}")
    }

    fn head(&self) -> String {
        row(self.grid.columns.iter().map(|column| tex(&column.title)).collect())
    }

    fn rows(&self, range: Range<usize>) -> String {
        let first = range.start;
        let text = |cell: &TableCell| {
            let text = tex(&cell.text());
            if cell.best() { format!("\\textbf{{{text}}}") } else { text }
        };
        let rows = range.map(|index| {
            let name = self.groups.iter().find(|(at, _)| *at == index).map(|(_, name)| {
                let space = if index > first { "  \\addlinespace\n" } else { "" };
                format!("{space}  \\multicolumn{{{}}}{{@{{}}l}}{{\\emph{{{}}}}} \\\\\n", self.shares.len(), tex(name))
            });
            name.unwrap_or_default() + &row(self.grid.rows[index].iter().map(text).collect())
        });
        rows.collect()
    }

    fn float(&self, environment: &str, place: &str, caption: &str, label: Option<&str>, rows: Range<usize>) -> String {
        // What goes on has the number of the first part.
        let goes_on = if label.is_some() { "" } else { "  \\addtocounter{table}{-1}\n" };
        let label = label.map(|label| format!("  \\label{{tab:{label}}}\n")).unwrap_or_default();
        format!(
            "\\begin{{{environment}}}[{place}]\n  \\{}\n  \\centering\n{goes_on}  \\caption{{{caption}}}\n{label}  \\begin{{tabular}}{}\n  \
             \\toprule\n{}  \\midrule\n{}  \\bottomrule\n  \\end{{tabular}}\n\\end{{{environment}}}\n",
            self.page.size,
            self.columns(),
            self.head(),
            self.rows(rows)
        )
    }
}

fn row(cells: Vec<String>) -> String {
    format!("  {} \\\\\n", cells.join(" & "))
}

/// The rows by paper, where they have one: without the column of the paper, with the names of the papers and the first
/// row of each.
fn grouped(grid: &TableGrid) -> (TableGrid, Vec<(usize, String)>) {
    let at = |key: &str| grid.columns.iter().position(|column| column.key == key);
    let Some(column) = at("paper").or_else(|| at("theorem")) else { return (grid.clone(), Vec::new()) };
    let drop = grid.columns[column].key == "paper";
    let split = |cells: &Vec<TableCell>| {
        let Some(TableCell::Text(text)) = cells.get(column) else { return (String::new(), cells.clone()) };
        let mut cells = cells.clone();
        if drop {
            cells.remove(column);
            return (text.clone(), cells);
        }
        let (paper, place) = cited(text);
        cells[column] = TableCell::Text(place.to_owned());
        (paper.map_or_else(String::new, |paper| paper.title().to_owned()), cells)
    };
    let mut rows: Vec<(String, Vec<TableCell>)> = grid.rows.iter().map(split).collect();
    let mut order: Vec<String> = Vec::new();
    for (paper, _) in &rows {
        if !order.contains(paper) {
            order.push(paper.clone());
        }
    }
    rows.sort_by_key(|(paper, _)| order.iter().position(|known| known == paper));
    let first = |paper: &String| Some((rows.iter().position(|(other, _)| other == paper)?, paper.clone()));
    let groups = order.iter().filter(|paper| !paper.is_empty()).filter_map(first).collect();
    let mut columns = grid.columns.clone();
    if drop {
        columns.remove(column);
    }
    (TableGrid { columns, rows: rows.into_iter().map(|(_, cells)| cells).collect() }, groups)
}

/// Where a line may be broken.
const BREAKS: [char; 6] = [' ', '-', '/', ',', '=', '_'];

/// The widths of the cells of each column, with its title, and the width of the longest part that cannot be broken, in
/// units of the font's size.
fn widths(grid: &TableGrid) -> Vec<(Vec<f64>, f64)> {
    let column = |index: usize| {
        let cells = grid.rows.iter().map(|cells| cells[index].text()).chain([grid.columns[index].title.clone()]);
        let texts: Vec<String> = cells.collect();
        let parts = texts.iter().flat_map(|text| parts(text));
        let least = parts.map(|part| width(part.trim_end(), 1.0)).fold(0.0, f64::max);
        (texts.iter().map(|text| width(text, 1.0)).collect(), least)
    };
    (0..grid.columns.len()).map(column).collect()
}

/// The parts of a text that stay on one line each.
fn parts(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut parts = vec![String::new()];
    let mut at = 0;
    while at < chars.len() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let length = script(&chars[at..], before).map_or(1, |(length, _)| length);
        // What follows a sign of an interval stays beside it.
        let ends = length == 1 && BREAKS.contains(&chars[at]) && before != Some('\u{b1}');
        if let Some(part) = parts.last_mut() {
            part.extend(&chars[at..at + length]);
        }
        if ends {
            parts.push(String::new());
        }
        at += length;
    }
    parts
}

/// The first page on which the longest words of all columns fit, the share of the line of each column, and about how many
/// lines each row has.
fn shares(grid: &TableGrid, pages: &[LatexPage; 4]) -> (LatexPage, Vec<f64>, Vec<f64>) {
    let columns = widths(grid);
    let least: f64 = columns.iter().map(|(_, least)| least + GAP).sum();
    let page = pages.iter().find(|page| least <= page.line).copied().unwrap_or(pages[pages.len() - 1]);
    // Tall cells count more, because the tallest cell of a row makes its height.
    let height = |index: usize, width: f64| -> f64 {
        let (cells, _) = &columns[index];
        cells.iter().map(|cell| (cell / width).max(1.0).powi(3)).sum()
    };
    let mut widths: Vec<f64> = columns.iter().map(|(_, least)| *least).collect();
    // Each piece of what is left goes to the column that it serves best.
    for _ in 0..((page.line - least).max(0.0) / STEP) as usize {
        let gain = |index: usize| height(index, widths[index]) - height(index, widths[index] + STEP);
        let best = (0..widths.len()).map(|index| (gain(index), index)).max_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((gain, index)) if gain > 0.0 => widths[index] += STEP,
            _ => break,
        }
    }
    let row = |row: usize| {
        let cells = columns.iter().zip(&widths).map(|((cells, _), width)| (cells[row] / width).ceil());
        cells.fold(1.0, f64::max)
    };
    let lines = (0..grid.rows.len()).map(row).collect();
    let line = page.line.max(least);
    (page, widths.iter().map(|width| (width + GAP) / line).collect(), lines)
}

/// What two characters together are printed as.
const PAIRS: [((char, char), &str); 3] = [(('<', '='), "$\\le$"), (('>', '='), "$\\ge$"), (('-', '>'), "$\\to$")];

/// What single characters are printed as, where that is not themselves.
const SYMBOLS: [(char, &str); 24] = [
    ('&', "\\&"),
    ('%', "\\%"),
    ('$', "\\$"),
    ('#', "\\#"),
    ('{', "\\{"),
    ('}', "\\}"),
    ('_', "\\_\\allowbreak{}"),
    ('/', "/\\allowbreak{}"),
    ('=', "=\\allowbreak{}"),
    ('<', "$<$"),
    ('>', "$>$"),
    ('|', "$|$"),
    ('*', "$\\cdot$"),
    ('~', "\\textasciitilde{}"),
    ('^', "\\textasciicircum{}"),
    ('\\', "\\textbackslash{}"),
    ('\u{b1}', "$\\pm$"),
    ('\u{b5}', "$\\mu$"),
    ('\u{d7}', "$\\times$"),
    ('\u{2212}', "$-$"),
    ('\u{2264}', "$\\le$"),
    ('\u{2265}', "$\\ge$"),
    ('\u{2013}', "--"),
    ('\u{202f}', "\\,"),
];

/// Text as LaTeX prints it: formulas as mathematics, and places where a line may be broken.
pub(crate) fn tex(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let (c, before) = (chars[at], at.checked_sub(1).and_then(|at| chars.get(at)).copied());
        let rest = &chars[at..];
        let alone = |word: &str| {
            let length = word.chars().count();
            let inside = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
            rest.iter().take(length).copied().eq(word.chars()) && !inside(before.as_ref()) && !inside(rest.get(length))
        };
        if let Some(name) = GREEK.into_iter().map(|(name, _)| name).find(|name| alone(name)) {
            out += &format!("$\\{name}$");
            at += name.len();
            continue;
        }
        if alone("sqrt") {
            out += "$\\surd$";
            at += 4;
            continue;
        }
        if let Some((length, script)) = script(rest, before) {
            out += &script;
            at += length;
            continue;
        }
        let pair = rest.get(1).map(|next| (c, *next));
        if let Some((_, symbol)) = PAIRS.into_iter().find(|(known, _)| Some(*known) == pair) {
            out += symbol;
            at += 2;
            continue;
        }
        match c {
            ',' if rest.get(1).is_some_and(|next| *next != ' ') => out += ",\\allowbreak{}",
            '-' if before.is_none_or(|c| " ([".contains(c)) && rest.get(1).is_some_and(char::is_ascii_digit) => {
                out += "$-$"
            }
            // What follows stays on the line of the sign.
            '\u{b1}' if rest.get(1) == Some(&' ') => {
                out += "$\\pm$~";
                at += 1;
            }
            _ => match SYMBOLS.into_iter().find(|(known, _)| *known == c) {
                Some((_, symbol)) => out += symbol,
                None => out.push(c),
            },
        }
        at += 1;
    }
    out
}

/// A superscript or subscript at the start of `rest`: how many characters it takes, and its LaTeX.
fn script(rest: &[char], before: Option<char>) -> Option<(usize, String)> {
    let (length, mark, inner) = formula::script(rest, before)?;
    let inner: String = inner.chars().filter(|c| !"\\$%#&{}~".contains(*c)).collect();
    let inner = GREEK.iter().fold(inner, |inner, (name, _)| match inner.match_indices(name).next() {
        // `eta` is the end of `beta` and `theta`, which are one letter each.
        Some((at, _)) if !inner[..at].ends_with(char::is_alphabetic) => inner.replace(name, &format!("\\{name} ")),
        _ => inner,
    });
    Some((length, format!("${mark}{{{inner}}}$")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::format::CellKind;

    fn grid(rows: Vec<Vec<TableCell>>) -> TableGrid {
        let columns = vec![
            Heading::new("theorem", "Theorem", CellKind::Prose),
            Heading::new("loss", "Loss", CellKind::Interval),
            Heading::new("row", "Row", CellKind::Text).detail(),
        ];
        TableGrid { columns, rows }
    }

    fn cells(theorem: &str, mean: f64, best: bool) -> Vec<TableCell> {
        let loss = TableCell::Interval { mean, half_width: Some(0.00125), best };
        vec![TableCell::Text(theorem.into()), loss, TableCell::Text("left-out".into())]
    }

    #[test]
    fn rows_stand_below_their_papers() {
        let rows = vec![
            cells("PKAWV: Theorem 4", 0.0625, true),
            cells("Noisy data: Theorem 6", 0.5, false),
            cells("PKAWV: a_b", 0.5, false),
        ];
        let text = latex(&grid(rows), "Losses", "50 % of them.", "losses");
        assert!(text.contains("\\caption{Losses. 50 \\% of them.}"), "{text}");
        assert!(text.contains("\\emph{PKAWV}} \\\\\n  Theorem 4 & \\textbf{0.0625 $\\pm$~0.0013} \\\\\n"), "{text}");
        assert!(text.contains("  a$_{b}$ & 0.5000 $\\pm$~0.0013 \\\\\n  \\addlinespace\n"), "{text}");
        assert!(text.contains("\\begin{tabular}") && !text.contains("left-out"), "{text}");
        let many = grid((0..60).map(|_| cells("PKAWV: Theorem 4", 1.0, false)).collect());
        let text = latex(&many, "T", "C", "t");
        assert!(text.contains("\\begin{longtable}") && text.contains("\\endhead"), "{text}");
        assert!(!text.contains("landscape"), "{text}");
    }

    /// In two columns: what fits into one stands there, what does not across both, in parts with one number.
    #[test]
    fn an_article_in_two_columns() {
        let of = |rows: usize, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            latex_for_two_columns(&grid(vec![cells("PKAWV: Theorem 4", 1.0, false); rows]), &names, "T", "C", "t")
        };
        let short = of(2, &["row", "theorem"]).unwrap();
        assert!(short.contains("\\begin{table}[tbp]") && short.contains("left-out & Theorem 4"), "{short}");
        assert!(!short.contains("1.0"), "{short}");
        let long = of(90, &[]).unwrap();
        assert_eq!(long.matches("\\begin{table}").count(), 2, "{long}");
        assert_eq!((long.matches("\\label").count(), long.matches("\\addtocounter{table}{-1}").count()), (1, 1));
        assert_eq!(long.matches("Theorem 4").count(), 90);
        let wide = of(2, &["theorem", "loss", "theorem", "loss", "theorem", "loss", "loss"]).unwrap();
        assert!(wide.contains("\\begin{table*}[tbp]"), "{wide}");
        let why = latex_for_two_columns(&grid(vec![Vec::new()]), &[], "T", "C", "t").unwrap_err();
        assert_eq!(why.to_string(), "row 1 has 0 cells for 3 columns");
        let why = of(1, &["rows"]).unwrap_err().to_string();
        assert_eq!(why, "there is no column `rows`; there are theorem, loss, row");
    }

    #[test]
    fn a_wide_table_lies_on_its_side() {
        let columns: Vec<Heading> =
            (0..9).map(|at| Heading::new(["a", "b"][at % 2], "Parameters", CellKind::Text)).collect();
        let wide = |rows: usize| TableGrid {
            columns: columns.clone(),
            rows: vec![vec![TableCell::Text("word".into()); 9]; rows],
        };
        let text = latex(&wide(3), "T", "C", "t");
        assert!(text.starts_with("\\begin{landscape}\n\\begingroup\n\\footnotesize\n"), "{text}");
        assert!(text.ends_with("\\end{tabular}\n\\end{table}\n\\endgroup\n\\end{landscape}\n"), "{text}");
        assert!(latex(&wide(30), "T", "C", "t").contains("\\begin{longtable}"));
    }

    #[test]
    fn shares_fill_no_more_than_the_line() {
        for columns in [vec![1, 90, 2], (0..12).collect(), (0..30).collect()] {
            let headings = columns.iter().map(|_| Heading::new("word", "Word", CellKind::Text)).collect();
            let cells: Vec<TableCell> = columns.iter().map(|count| TableCell::Text("words ".repeat(*count))).collect();
            let (page, shares, _) = shares(&TableGrid { columns: headings, rows: vec![cells] }, &PAGES);
            let total: f64 = shares.iter().sum();
            assert!(total <= 1.0 + 1e-9 && shares.iter().all(|share| *share > 0.0), "{total}");
            assert!(columns.iter().all(|count| *count < 20) || total > 0.98, "a long cell uses the line: {total}");
            assert!(columns.len() > 3 || shares[0] < 6.0 / page.line && shares[1] > 0.6, "{shares:?}");
        }
    }

    #[test]
    fn exponents_and_intervals_stay_together() {
        assert_eq!(parts("n^(a / (1 + a)), 0.5 \u{b1} 0.1"), ["n^(a / (1 + a)),", " ", "0.5 ", "\u{b1} 0.1"]);
    }

    #[test]
    fn formulas_are_mathematics() {
        for (text, expected) in [
            ("n^{1/3} and T^2 <= x_t", "n$^{1/3}$ and T$^{2}$ $\\le$ x$_{t}$"),
            ("cpu_seconds", "cpu\\_\\allowbreak{}seconds"),
            ("lambda = -1.5", "$\\lambda$ =\\allowbreak{} $-$1.5"),
            ("T^(1/2) / sqrt(n)", "T$^{1/2}$ /\\allowbreak{} $\\surd$(n)"),
            ("50 % & #1 {a} \\ ~ lambdas", "50 \\% \\& \\#1 \\{a\\} \\textbackslash{} \\textasciitilde{} lambdas"),
            ("n^(2 gamma / (1 + gamma)), |a|_1", "n$^{2 \\gamma  / (1 + \\gamma )}$, $|$a$|$$_{1}$"),
            ("T^{-1/(2r)}", "T$^{-1/(2r)}$"),
            ("ends with ^", "ends with \\textasciicircum{}"),
        ] {
            assert_eq!(tex(text), expected);
        }
    }
}
