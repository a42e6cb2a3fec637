//! Rows of numbers as points in panels, below each other under names or on two axes, beside lines of the theory and a line of
//! reference. The option `rows` says which rows. Those of each sort are one file here and one line of `rows!`.

mod api;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use self::api::{DrawnPoints, PointRows, PointsInput, PointsPanel};
use crate::analysis::record::ExperimentResults;
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, Chart, Guide, extent};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec, Name};

pub(crate) static KIND: FigureKind = FigureKind {
    name: "points",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<PointsOptions>,
    check,
    draw,
};

/// The options of the kind `points`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PointsOptions {
    /// Which rows are drawn: exactly one of these tables.
    #[schemars(schema_with = "NamedRows::schema")]
    rows: NamedRows,
}

/// Declares sorts of rows: the module of each, and the type of what it asks for.
macro_rules! rows {
    ($($module:ident :: $sort:ident),+ $(,)?) => {
        $(mod $module;)+

        /// Rows by their name.
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum NamedRows {
            $($sort($module::$sort)),+
        }

        impl NamedRows {
            fn of(&self) -> &dyn PointRows {
                match self {
                    $(Self::$sort(of) => of),+
                }
            }

            /// The name of these rows in files.
            fn name(&self) -> String {
                let module = match self {
                    $(Self::$sort(_) => stringify!($module)),+
                };
                module.replace('_', "-")
            }

            /// A table with exactly one of the sorts.
            fn schema(generator: &mut SchemaGenerator) -> Schema {
                let sorts = [$((stringify!($module).replace('_', "-"), generator.subschema_for::<$module::$sort>())),+];
                let sorts: serde_json::Map<String, serde_json::Value> =
                    sorts.into_iter().map(|(name, of)| (name, of.to_value())).collect();
                schemars::json_schema!({
                    "type": "object", "properties": sorts, "minProperties": 1, "maxProperties": 1,
                    "additionalProperties": false
                })
            }
        }

        /// The modules of all sorts. Each sort was a kind of its own, and files may still name it as one.
        const SORTS: &[&str] = &[$(stringify!($module)),+];
    };
}

rows! {
    forest::Forest,
    errata::Errata,
    query_law::QueryLaw,
    reported::Reported,
    dictionary_exponents::DictionaryExponents,
    regularity_exponents::RegularityExponents,
}

/// Makes a figure of this kind of one that names its rows as its kind.
pub(super) fn adopt(spec: &mut FigureSpec) {
    if SORTS.iter().any(|sort| sort.replace('_', "-") == spec.kind) {
        let name = std::mem::replace(&mut spec.kind, KIND.name.to_owned());
        let rows = toml::Table::from_iter([(name, std::mem::take(&mut spec.options).into())]);
        spec.options = toml::Table::from_iter([("rows".to_owned(), rows.into())]);
    }
}

/// What follows from the rows; the fields of their names become whole keys.
fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let rows = spec.options::<PointsOptions>()?.rows;
    let checked = rows.of().check(spec)?;
    let whole = |name: Name| Name { field: format!("options.rows.{}.{}", rows.name(), name.field), ..name };
    Ok(CheckedOptions { names: checked.names.into_iter().map(whole).collect(), ..checked })
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options: PointsOptions = spec.options()?;
    let points = options.rows.of().points(&PointsInput { spec, experiments, context })?;
    let DrawnPoints { x, y, panels, reference, columns, run, finding, notes } = points;
    let chart = |PointsPanel { title, names, series }| {
        let level = |at| extent(&series).map(|ends| Guide::level("", at, ends));
        let guide = reference.and_then(|at| if names.is_some() { Some(Guide::upright("", at)) } else { level(at) });
        let (y, guides) =
            (names.map_or_else(|| y.clone(), |names| AxisSpec::names(&spec.y, names)), guide.into_iter().collect());
        Chart { title, x: x.clone(), y, series, guides }
    };
    let mut panels: Vec<Chart> = panels.into_iter().map(chart).collect();
    if panels.is_empty() {
        panels.push(Chart::empty(x, y));
    }
    Ok(DrawnFigure { panels, columns, run, finding, notes, claims: Vec::new() })
}

#[cfg(test)]
mod tests {
    use crate::figure::registry::read;

    /// What a file names as its kind is drawn as the same rows of this kind.
    #[test]
    fn rows_may_be_named_as_a_kind() {
        let text = "kind = 'errata'\nerrata = true\ntitle = ''\nx = ''\ny = ''\nshows = ''\n[options]\nup_to = 10";
        let former = read("test", text).unwrap();
        let now = text.replace("'errata'", "'points'").replace("[options]", "[options.rows.errata]");
        assert_eq!(format!("{:?}", former.spec), format!("{:?}", read("test", &now).unwrap().spec));
        assert!(read("test", &now.replace("rows.errata", "rows.erratum")).is_err());
        assert!(read("test", &text.replace("up_to", "upto")).unwrap_err().to_string().contains("upto"));
    }
}
