//! Rows of numbers as points in panels, below each other under names or on two axes, beside lines of the theory and a line of
//! reference. The option `rows` says which rows. Those of each sort are one file here and one line of `rows!`.

mod api;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use self::api::{Input, Panel, Points, Rows};
use crate::analysis::record::Experiment;
use crate::caption::Context;
use crate::chart::plot::{AxisSpec, Chart, Guide, extent};
use crate::error::ReportError;
use crate::figure::api::{Drawn, FigureSpec, Kind};

pub(crate) static KIND: Kind = Kind {
    name: "points",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<PointsOptions>,
    check: |spec| spec.options::<PointsOptions>()?.rows.of().check(spec),
    draw,
};

/// The options of the kind `points`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PointsOptions {
    /// The rows, by their name, with what they ask for.
    rows: Named,
}

/// Declares sorts of rows: the module of each, and the type of what it asks for.
macro_rules! rows {
    ($($module:ident :: $sort:ident),+ $(,)?) => {
        $(mod $module;)+

        /// Rows by their name.
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        enum Named {
            $(#[doc = concat!("See `", stringify!($sort), "`.")] $sort($module::$sort)),+
        }

        impl Named {
            fn of(&self) -> &dyn Rows {
                match self {
                    $(Self::$sort(of) => of),+
                }
            }
        }

        /// The modules of all sorts. Each sort was a kind of its own, and files may still name it as one.
        const SORTS: &[&str] = &[$(stringify!($module)),+];
    };
}

rows! {
    forest::Forest,
    errata::Errata,
    local_slopes::LocalSlopes,
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

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: PointsOptions = spec.options()?;
    let points = options.rows.of().points(&Input { spec, experiments, context })?;
    let Points { x, y, panels, reference, columns, run, finding, notes } = points;
    let chart = |Panel { title, names, series }| {
        let level = |at| {
            let line = |(from, to)| Guide { label: String::new(), slope: 0.0, factor: at, from, to, upright: false };
            extent(&series).map(line)
        };
        let guide = reference.and_then(|at| if names.is_some() { Some(Guide::upright("", at)) } else { level(at) });
        let (y, guides) =
            (names.map_or_else(|| y.clone(), |names| AxisSpec::names(&spec.y, names)), guide.into_iter().collect());
        Chart { title, x: x.clone(), y, series, guides }
    };
    let mut panels: Vec<Chart> = panels.into_iter().map(chart).collect();
    if panels.is_empty() {
        panels.push(Chart::empty(x, y));
    }
    Ok(Drawn { panels, columns, run, finding, notes, claims: Vec::new() })
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
