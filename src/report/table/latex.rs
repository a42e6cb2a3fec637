//! A table for a LaTeX document, for the packages booktabs, array and longtable. It is as wide as the line at most: every
//! column has a share of it, and the font is as small as its longest words need. Details are left out. Rows of several
//! papers stand below the names of the papers.

use crate::report::chart::text::width;
use crate::report::rates::cited;
use crate::report::table::format::{Cell, Grid};

/// A line of an article in its fonts: its width in units of the font's size, for the sizes that a table may have.
const SIZES: [(&str, f64); 3] = [("footnotesize", 43.0), ("scriptsize", 49.0), ("tiny", 69.0)];
/// The gap between two columns, in the same units.
const GAP: f64 = 1.8;
/// More rows than this go over several pages.
const LONG: usize = 28;

/// The table, with a caption and a label to refer to it.
pub fn latex(grid: &Grid, title: &str, caption: &str, label: &str) -> String {
    let (grid, groups) = grouped(&grid.brief());
    let columns: Vec<Column> = (0..grid.columns.len()).map(|index| Column::of(&grid, index)).collect();
    let (size, shares) = shares(&columns);
    let share = |(column, share): (&Column, &f64)| {
        let side = if column.words { "raggedright" } else { "raggedleft" };
        format!(">{{\\{side}\\arraybackslash}}p{{\\dimexpr{share:.3}\\linewidth-2\\tabcolsep\\relax}}")
    };
    let align = columns.iter().zip(&shares).map(share).collect::<Vec<_>>().join("\n    ");
    let caption = tex(&format!("{}. {caption}", title.trim_end_matches('.')));
    let long = grid.rows.len() > LONG;
    let head = row(grid.columns.iter().map(|column| tex(&column.title)).collect());
    let mut out = format!("\\begingroup\n\\{size}\n\\setlength{{\\tabcolsep}}{{0.3em}}\n");
    if long {
        out += &format!(
            "\\begin{{longtable}}{{@{{}}{align}@{{}}}}\n  \\caption{{{caption}}}\\label{{tab:{label}}}\\\\\n  \\toprule\n{head}  \
             \\midrule\n  \\endfirsthead\n  \\toprule\n{head}  \\midrule\n  \\endhead\n"
        );
    } else {
        out += &format!(
            "\\begin{{table}}[htbp]\n  \\{size}\n  \\centering\n  \\caption{{{caption}}}\n  \\label{{tab:{label}}}\n  \
             \\begin{{tabular}}{{@{{}}{align}@{{}}}}\n  \\toprule\n{head}  \\midrule\n"
        );
    }
    for (index, cells) in grid.rows.iter().enumerate() {
        if let Some((_, name)) = groups.iter().find(|(first, _)| *first == index) {
            let space = if index > 0 { "  \\addlinespace\n" } else { "" };
            out += &format!("{space}  \\multicolumn{{{}}}{{@{{}}l}}{{\\emph{{{}}}}} \\\\\n", columns.len(), tex(name));
        }
        let text = |cell: &Cell| {
            let text = tex(&cell.text());
            if cell.best() { format!("\\textbf{{{text}}}") } else { text }
        };
        out += &row(cells.iter().map(text).collect());
    }
    out += "  \\bottomrule\n";
    out += if long { "\\end{longtable}\n" } else { "  \\end{tabular}\n\\end{table}\n" };
    out + "\\endgroup\n"
}

fn row(cells: Vec<String>) -> String {
    format!("  {} \\\\\n", cells.join(" & "))
}

/// The rows by paper, where they have one: without the column of the paper, with the names of the papers and the first
/// row of each.
fn grouped(grid: &Grid) -> (Grid, Vec<(usize, String)>) {
    let at = |key: &str| grid.columns.iter().position(|column| column.key == key);
    let Some(column) = at("paper").or_else(|| at("theorem")) else { return (grid.clone(), Vec::new()) };
    let drop = grid.columns[column].key == "paper";
    let split = |cells: &Vec<Cell>| {
        let Some(Cell::Text(text)) = cells.get(column) else { return (String::new(), cells.clone()) };
        let mut cells = cells.clone();
        if drop {
            cells.remove(column);
            return (text.clone(), cells);
        }
        let (paper, place) = cited(text);
        cells[column] = Cell::Text(place.to_owned());
        (paper.map_or_else(String::new, |paper| paper.title().to_owned()), cells)
    };
    let mut rows: Vec<(String, Vec<Cell>)> = grid.rows.iter().map(split).collect();
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
    (Grid { columns, rows: rows.into_iter().map(|(_, cells)| cells).collect() }, groups)
}

/// What a column asks for, in units of the font's size.
struct Column {
    words: bool,
    /// The longest part that cannot be broken.
    least: f64,
    /// The longest cell.
    most: f64,
}

impl Column {
    fn of(grid: &Grid, index: usize) -> Self {
        let words = grid.columns[index].kind.is_words();
        let cells = grid.rows.iter().map(|cells| (cells[index].text(), words));
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        for (text, breaks) in cells.chain([(grid.columns[index].title.clone(), true)]) {
            most = most.max(width(&text, 1.0));
            let parts =
                |text: &str| text.split_inclusive(BREAKS).map(|part| width(part.trim_end(), 1.0)).fold(0.0, f64::max);
            least = least.max(if breaks { parts(&text) } else { width(&text, 1.0) });
        }
        Self { words, least, most }
    }
}

/// Where a line may be broken.
const BREAKS: [char; 6] = [' ', '-', '/', ',', '=', '_'];

/// The largest font in which the longest words of all columns fit, and the share of the line of each column.
fn shares(columns: &[Column]) -> (&'static str, Vec<f64>) {
    let gaps = GAP * columns.len() as f64;
    let least: f64 = columns.iter().map(|column| column.least).sum::<f64>() + gaps;
    let (size, line) = SIZES.into_iter().find(|(_, line)| least <= *line).unwrap_or(SIZES[SIZES.len() - 1]);
    let wanted: f64 = columns.iter().map(|column| column.most - column.least).sum();
    // Long cells share what is left by the square roots of what they want, so that short ones stay on one line.
    let wishes: Vec<f64> = columns.iter().map(|column| (column.most - column.least).max(0.0).sqrt()).collect();
    let all: f64 = wishes.iter().sum::<f64>().max(1e-9);
    let rest = (line - least).max(0.0).min(wanted);
    let width = |(column, wish): (&Column, &f64)| {
        ((column.least + GAP + rest * wish / all) / line.max(least)).min((column.most + GAP) / line.max(least) + 0.01)
    };
    (size, columns.iter().zip(&wishes).map(width).collect())
}

const GREEK: [&str; 16] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "kappa", "lambda", "mu", "nu", "rho", "sigma", "tau",
    "phi", "psi",
];

/// Text as LaTeX prints it: formulas as mathematics, and places where a line may be broken.
pub fn tex(text: &str) -> String {
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
        if let Some(name) = GREEK.into_iter().find(|name| alone(name)) {
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
        if let Some(symbol) = match pair {
            Some(('<', '=')) => Some("$\\le$"),
            Some(('>', '=')) => Some("$\\ge$"),
            Some(('-', '>')) => Some("$\\to$"),
            _ => None,
        } {
            out += symbol;
            at += 2;
            continue;
        }
        match c {
            '&' | '%' | '$' | '#' | '{' | '}' => out.extend(['\\', c]),
            '_' => out += "\\_\\allowbreak{}",
            '/' | '=' => out += &format!("{c}\\allowbreak{{}}"),
            ',' if rest.get(1).is_some_and(|next| *next != ' ') => out += ",\\allowbreak{}",
            '<' => out += "$<$",
            '>' => out += "$>$",
            '|' => out += "$|$",
            '*' => out += "$\\cdot$",
            '-' if before.is_none_or(|c| " ([".contains(c)) && rest.get(1).is_some_and(char::is_ascii_digit) => {
                out += "$-$"
            }
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '\\' => out += "\\textbackslash{}",
            '\u{b1}' => out += "$\\pm$",
            '\u{b5}' => out += "$\\mu$",
            '\u{d7}' => out += "$\\times$",
            '\u{2212}' => out += "$-$",
            '\u{2264}' => out += "$\\le$",
            '\u{2265}' => out += "$\\ge$",
            '\u{2013}' => out += "--",
            '\u{202f}' => out += "\\,",
            other => out.push(other),
        }
        at += 1;
    }
    out
}

/// A superscript, or the subscript of a single letter, at the start of `rest`: how many characters it takes, and its
/// LaTeX.
fn script(rest: &[char], before: Option<char>) -> Option<(usize, String)> {
    let mark = *rest.first()?;
    let next = *rest.get(1)?;
    let body = |from: usize, end: char| {
        let length = rest.get(from..)?.iter().position(|c| *c == end)?;
        Some((from + length + 1, rest[from..from + length].iter().collect::<String>()))
    };
    let (length, inner) = match (mark, next) {
        ('^' | '_', '{') => body(2, '}')?,
        ('^', '(') => body(2, ')')?,
        ('^' | '_', _) => {
            let signed = usize::from(next == '-');
            let tail = &rest[1 + signed..];
            let length = tail.iter().take_while(|c| c.is_alphanumeric() || **c == '.').count();
            let length = if tail.get(length.wrapping_sub(1)) == Some(&'.') { length - 1 } else { length };
            // What follows an underscore in a name, as in `cpu_seconds`, is no subscript.
            let single = mark == '^' || (length <= 2 && before.is_some_and(char::is_alphabetic));
            if length == 0 || !single {
                return None;
            }
            (1 + signed + length, rest[1..1 + signed + length].iter().collect())
        }
        _ => return None,
    };
    let inner: String = inner.chars().filter(|c| !"\\$%#&{}~".contains(*c)).collect();
    Some((length, format!("${mark}{{{inner}}}$")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::format::{CellKind, Heading};

    fn grid(rows: Vec<Vec<Cell>>) -> Grid {
        let columns = vec![
            Heading::new("theorem", "Theorem", CellKind::Prose),
            Heading::new("loss", "Loss", CellKind::Interval),
            Heading::new("row", "Row", CellKind::Text).detail(),
        ];
        Grid { columns, rows }
    }

    fn cells(theorem: &str, mean: f64, best: bool) -> Vec<Cell> {
        let loss = Cell::Interval { mean, half_width: Some(0.00125), best };
        vec![Cell::Text(theorem.into()), loss, Cell::Text("left-out".into())]
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
        assert!(text.contains("\\emph{PKAWV}} \\\\\n  Theorem 4 & \\textbf{0.0625 $\\pm$ 0.0013} \\\\\n"), "{text}");
        assert!(text.contains("  a$_{b}$ & 0.5000 $\\pm$ 0.0013 \\\\\n  \\addlinespace\n"), "{text}");
        assert!(text.contains("\\begin{tabular}") && !text.contains("left-out"), "{text}");
        let many = grid((0..40).map(|_| cells("PKAWV: Theorem 4", 1.0, false)).collect());
        let text = latex(&many, "T", "C", "t");
        assert!(text.contains("\\begin{longtable}") && text.contains("\\endhead"), "{text}");
    }

    #[test]
    fn shares_fill_no_more_than_the_line() {
        let words = |count: usize| Column { words: true, least: 5.0, most: 5.0 * count as f64 };
        for columns in [vec![words(1), words(90), words(2)], (0..12).map(words).collect(), (0..30).map(words).collect()]
        {
            let (_, shares) = shares(&columns);
            let total: f64 = shares.iter().sum();
            assert!(total <= 1.0 + 1e-9 && shares.iter().all(|share| *share > 0.0), "{total}");
        }
    }

    #[test]
    fn formulas_are_mathematics() {
        for (text, expected) in [
            ("n^{1/3} and T^2 <= x_t", "n$^{1/3}$ and T$^{2}$ $\\le$ x$_{t}$"),
            ("cpu_seconds", "cpu\\_\\allowbreak{}seconds"),
            ("lambda = -1.5", "$\\lambda$ =\\allowbreak{} $-$1.5"),
            ("T^(1/2) / sqrt(n)", "T$^{1/2}$ /\\allowbreak{} $\\surd$(n)"),
            ("50 % & #1 {a} \\ ~ lambdas", "50 \\% \\& \\#1 \\{a\\} \\textbackslash{} \\textasciitilde{} lambdas"),
            ("ends with ^", "ends with \\textasciicircum{}"),
        ] {
            assert_eq!(tex(text), expected);
        }
    }
}
