//! The values of a figure as JSON inside a page: what the enlarged figure draws and reads out.

use serde_json::{Value, json};

use crate::exhibit::{CurveValues, PanelValues};

/// Significant digits of ordinates, of half widths and of the values of single replicates. The read-out shows fewer.
const DIGITS: (usize, usize, usize) = (6, 3, 5);

/// The panels of a figure as JSON that can stand in a `script` element. Abscissae that several curves share are stored
/// once.
pub(crate) fn embedded(panels: &[PanelValues]) -> String {
    let panels: Vec<Value> = panels.iter().map(panel).collect();
    // `<` could end the element.
    json!(panels).to_string().replace('<', "\\u003c")
}

fn panel(panel: &PanelValues) -> Value {
    let mut grids: Vec<&Vec<f64>> = Vec::new();
    let mut curves = Vec::new();
    // A line without a name is an axis or a margin, which has no values to read.
    for curve in panel.curves.iter().filter(|curve| !curve.label.is_empty()) {
        let grid = grids.iter().position(|grid| **grid == curve.x).unwrap_or_else(|| {
            grids.push(&curve.x);
            grids.len() - 1
        });
        curves.push(values(curve, grid));
    }
    let grids: Vec<Vec<f64>> = grids.iter().map(|grid| rounded(grid, DIGITS.0)).collect();
    let mut value = json!({ "title": panel.title, "x": panel.x, "y": panel.y, "grids": grids, "curves": curves });
    if !panel.names.is_empty() {
        value["names"] = json!(panel.names);
    }
    value
}

fn values(curve: &CurveValues, grid: usize) -> Value {
    let mut value = json!({
        "label": curve.label,
        "color": curve.color,
        "grid": grid,
        "y": rounded(&curve.y, DIGITS.0),
    });
    if !curve.dash.is_empty() {
        value["dash"] = json!(curve.dash);
    }
    if curve.guide {
        value["guide"] = json!(true);
    }
    if curve.replicates > 0 {
        value["n"] = json!(curve.replicates);
    }
    if !curve.half_width.is_empty() {
        let widths = curve.half_width.iter().map(|width| width.map(|width| digits(width, DIGITS.1)));
        value["half"] = json!(widths.collect::<Vec<_>>());
    }
    if !curve.seeds.is_empty() {
        value["seeds"] = json!(curve.seeds.iter().map(|seed| rounded(seed, DIGITS.2)).collect::<Vec<_>>());
    }
    value
}

fn rounded(values: &[f64], most: usize) -> Vec<f64> {
    values.iter().map(|value| digits(*value, most)).collect()
}

/// A number with at most so many significant digits; whole numbers stay what they are.
fn digits(value: f64, most: usize) -> f64 {
    if value.fract() == 0.0 {
        return value;
    }
    format!("{value:.*e}", most.saturating_sub(1)).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rounded_and_grids_are_shared() {
        let curve = |label: &str, x: &[f64]| CurveValues {
            label: label.into(),
            color: "#0072b2".into(),
            dash: Vec::new(),
            guide: false,
            replicates: 3,
            x: x.to_vec(),
            y: vec![1.0 / 3.0, 45_730_123.0],
            half_width: vec![Some(0.123_456), None],
            seeds: Vec::new(),
        };
        let curves = vec![curve("a </script>", &[1.0, 2.0]), curve("b", &[1.0, 2.0]), curve("c", &[1.0, 0.125])];
        let (x, y) = (("t".into(), true), ("loss".into(), false));
        let panel = PanelValues { title: String::new(), x, y, names: Vec::new(), curves };
        let text = embedded(&[panel]);
        assert!(!text.contains('<'), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[0]["grids"], json!([[1.0, 2.0], [1.0, 0.125]]));
        assert_eq!(value[0]["curves"][2]["grid"], 1);
        assert_eq!(value[0]["curves"][0]["label"], "a </script>");
        assert_eq!(value[0]["curves"][0]["y"], json!([0.333_333, 45_730_123.0]));
        assert_eq!(value[0]["curves"][0]["half"], json!([0.123, null]));
    }
}
