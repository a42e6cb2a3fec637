//! The values of a figure as JSON inside a page: what the enlarged figure draws and reads out.

use serde_json::{Value, json};

use crate::chart::plot::SeriesShape;
use crate::exhibit::{CurveValues, PanelValues};

/// Significant digits of abscissae, of ordinates and of half widths. The read-out shows no more.
const DIGITS: (usize, usize, usize) = (6, 5, 3);

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
    for curve in &panel.curves {
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
        "y": rounded(&curve.y, DIGITS.1),
    });
    // What most curves are is not said.
    if curve.shape != SeriesShape::Line {
        value["shape"] = json!(curve.shape);
    }
    if !curve.dash.is_empty() {
        value["dash"] = json!(curve.dash);
    }
    if curve.stops {
        value["stops"] = json!(true);
    }
    match curve.replicates.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => value["n"] = json!(first),
        Some(_) => value["n"] = json!(curve.replicates),
        None => {}
    }
    if !curve.half_width.is_empty() {
        let widths = curve.half_width.iter().map(|width| width.map(|width| digits(width, DIGITS.2)));
        value["half"] = json!(widths.collect::<Vec<_>>());
    }
    // The page works out the interval of a mean from its half width.
    if curve.half_width.is_empty() && !curve.interval.is_empty() {
        let ends = curve.interval.iter().map(|ends| ends.map(|(low, high)| rounded(&[low, high], DIGITS.0)));
        value["ends"] = json!(ends.collect::<Vec<_>>());
    }
    if !curve.values.is_empty() {
        value["values"] = json!(curve.values.iter().map(|value| rounded(value, DIGITS.0)).collect::<Vec<_>>());
    }
    if !curve.names.is_empty() {
        value["names"] = json!(curve.names);
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
            shape: SeriesShape::Dots,
            stops: false,
            replicates: vec![3, 3],
            x: x.to_vec(),
            y: vec![1.0 / 3.0, 45_730_123.0],
            values: Vec::new(),
            names: vec!["one".into(), "other".into()],
            half_width: vec![Some(0.123_456), None],
            interval: vec![Some((0.2, 1.0 / 3.0)), None],
        };
        let part = CurveValues { half_width: Vec::new(), ..curve("c", &[1.0, 0.125]) };
        let curves = vec![curve("a </script>", &[1.0, 2.0]), curve("b", &[1.0, 2.0]), part];
        let (x, y) = (("t".into(), true), ("loss".into(), false));
        let panel = PanelValues { title: String::new(), x, y, names: Vec::new(), curves };
        let text = embedded(&[panel]);
        assert!(!text.contains('<'), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[0]["grids"], json!([[1.0, 2.0], [1.0, 0.125]]));
        assert_eq!(value[0]["curves"][2]["grid"], 1);
        assert_eq!(value[0]["curves"][0]["label"], "a </script>");
        assert_eq!(value[0]["curves"][0]["y"], json!([0.333_33, 45_730_123.0]));
        assert_eq!(value[0]["curves"][0]["half"], json!([0.123, null]));
        assert!(value[0]["curves"][0]["ends"].is_null(), "they follow from the half widths");
        assert_eq!(value[0]["curves"][2]["ends"], json!([[0.2, 0.333_333], null]));
        assert_eq!(
            (&value[0]["curves"][0]["shape"], &value[0]["curves"][0]["names"][1]),
            (&json!("dots"), &json!("other"))
        );
    }
}
