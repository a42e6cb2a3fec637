//! Traces: round trips, determinism, encodings, and what other readers see.

use std::collections::BTreeMap;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::file::reader::{FileReader, SerializedFileReader};
use polars::prelude::DataFrame;
use serde_json::json;

use crate::trace::cell::{
    CellTrace, ChosenParameters, EndStatus, Ending, Stored, TableProvenance, TraceRow, read_cell, write_cell,
};
use crate::trace::gauge::{Amount, GAUGES, Gauge, GaugeValues, QUERIES, STORED_POINTS};
use crate::trace::read;
use crate::trace::schema::{CHECKPOINTS, ENDINGS, IDENTITY, RUNS, TIMINGS, TRACE, Type};
use crate::trace::table::TraceError;
use crate::trace::write::{self, FlatParameters, RunColumns, RunIdentity, RunRow, Time, Traces, timings};
use noregret_numeric::draw::{Draw, Draws, Role};

fn provenance(key: &str) -> TableProvenance {
    TableProvenance {
        key: key.into(),
        config: r#"{"learner":{"lambda":1.0}}"#.into(),
        inputs: BTreeMap::from([("prepare/casp".into(), "ab".repeat(32))]),
        code: serde_json::json!({ "digest": "cd".repeat(32), "files": { "noregret": "ef" } }),
        tuned: (key == "0123")
            .then(|| ChosenParameters { candidate: 2, words: "eta = 0.5 (best of 3 settings)".into() }),
    }
}

/// A trace of random length and values, each optional value present or not for the whole trace or row by row.
fn random_trace(draw: &mut Draw) -> CellTrace {
    let rows = draw.below(200);
    let mut row = TraceRow::default();
    let extremes = [u64::MAX, 0, 1 << 40, 1, 8, 3];
    let present = draw.below(3);
    let mut rows: Vec<TraceRow> = (0..rows)
        .map(|_| {
            let mut some = |value: u64| (present > 0 && (present == 1 || draw.sign() > 0.0)).then_some(value);
            row = TraceRow {
                t: row.t + 1 + some(7).unwrap_or(0),
                cumulative_loss: row.cumulative_loss,
                cumulative_error: some(1).map(|one| one as f64 / 2.0),
                comparator_loss: some(9).map(|nine| nine as f64 / 3.0),
                gauges: Gauge::all().zip(extremes.iter().cycle()).fold(GaugeValues::default(), |values, (gauge, x)| {
                    let amount = |x| match gauge.column().kind {
                        Type::Count => Amount::Count(x),
                        _ => Amount::Number(5e-324 * x as f64),
                    };
                    values.with(gauge, some(*x).map(amount))
                }),
            };
            row
        })
        .collect();
    rows.iter_mut().for_each(|row| row.cumulative_loss = draw.normal() * 10f64.powi(draw.below(600) as i32 - 300));
    let diverged = draw.sign() > 0.0;
    CellTrace {
        provenance: provenance("0123"),
        ending: Ending {
            status: if diverged { EndStatus::Diverged } else { EndStatus::Done },
            detail: diverged.then(|| "round 17: the prediction is NaN".into()),
            rounds: rows.last().map_or(0, |row| row.t),
        },
        rows,
        measures: BTreeMap::from([("error".into(), draw.normal()), ("shrinks".into(), 3.0)]),
    }
}

fn traces(count: u64) -> Vec<CellTrace> {
    let draws = Draws::named(&["trace tests"]);
    (0..count).map(|i| random_trace(&mut draws.at(Role::Start, i))).collect()
}

/// 100 random traces, fixed seed.
#[test]
fn a_trace_comes_back_as_it_was() {
    for trace in traces(100) {
        let CellTrace { provenance, ending, rows, measures } = trace.clone();
        let stored = Stored { tuned: provenance.tuned, ending, rows, measures };
        assert_eq!(read_cell(&write_cell(&trace).unwrap()).unwrap(), stored);
    }
}

#[test]
fn equal_traces_give_equal_bytes_on_any_thread() {
    let expected: Vec<Vec<u8>> = traces(10).iter().map(|trace| write_cell(trace).unwrap()).collect();
    let again: Vec<Vec<Vec<u8>>> = std::thread::scope(|scope| {
        let write = || traces(10).iter().map(|trace| write_cell(trace).unwrap()).collect();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(write)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(again.iter().all(|bytes| *bytes == expected));
    let mut changed = traces(10).remove(1);
    changed.rows[0].cumulative_loss = 1.0;
    assert!(write_cell(&changed).unwrap() != expected[1]);
}

#[test]
fn metadata_is_sorted_and_names_no_library() {
    let trace = traces(20).into_iter().find(|trace| trace.ending.detail.is_some()).unwrap();
    let file = SerializedFileReader::new(Bytes::from(write_cell(&trace).unwrap())).unwrap();
    let footer = file.metadata().file_metadata();
    assert_eq!(footer.created_by(), Some("noregret"));
    let pairs = footer.key_value_metadata().unwrap();
    let own: Vec<&str> = pairs.iter().map(|pair| pair.key.as_str()).filter(|key| key.starts_with("noregret")).collect();
    let expected =
        ["code", "config", "detail", "inputs", "key", "measures", "rounds", "schema", "status", "tuned", "units"];
    assert_eq!(own, expected.map(|name| format!("noregret.{name}")));
    let value = |name: &str| pairs.iter().find(|pair| pair.key == name).unwrap().value.clone().unwrap();
    assert_eq!(value("noregret.schema"), TRACE);
    let units: BTreeMap<String, String> = serde_json::from_str(&value("noregret.units")).unwrap();
    assert_eq!(units["t"], "rounds");
    assert!(!units.contains_key("norm"));
}

#[test]
fn encodings_are_the_measured_ones() {
    let trace = traces(20).into_iter().find(|trace| trace.rows.len() > 50).unwrap();
    let cell = write_cell(&trace).unwrap();
    let table = experiment_traces(&provenance("s"), [(identity(1), trace)]).unwrap();
    for bytes in [cell, table] {
        let file = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
        for column in file.metadata().row_group(0).columns() {
            let name = column.column_path().string();
            assert!(matches!(column.compression(), Compression::ZSTD(_)), "{name}");
            let encodings: Vec<Encoding> = column.encodings().collect();
            let (expected, dictionary) = match column.column_type() {
                parquet::basic::Type::INT64 => (Encoding::DELTA_BINARY_PACKED, false),
                parquet::basic::Type::DOUBLE => (Encoding::BYTE_STREAM_SPLIT, false),
                _ => (Encoding::RLE_DICTIONARY, true),
            };
            assert!(encodings.contains(&expected), "{name}: {encodings:?}");
            assert_eq!(column.dictionary_page_offset().is_some(), dictionary, "{name}");
            assert!(column.statistics().is_some(), "{name}");
        }
    }
}

#[test]
fn columns_carry_their_descriptions() {
    let bytes = Bytes::from(write_cell(&traces(1)[0]).unwrap());
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    let expected: Vec<_> = CHECKPOINTS.iter().chain(GAUGES).map(|column| (column.name, column.doc)).collect();
    let described: Vec<_> = reader
        .schema()
        .fields()
        .iter()
        .map(|field| (field.name().as_str(), field.metadata()["description"].as_str()))
        .collect();
    assert_eq!(described, expected);
}

#[test]
fn what_is_no_trace_is_refused() {
    let bytes = write_cell(&traces(2)[1]).unwrap();
    for length in (0..bytes.len()).step_by(bytes.len() / 50) {
        assert!(read_cell(&bytes[..length]).is_err(), "truncated to {length} bytes");
    }
    let error = read_cell(&timings([]).unwrap()).unwrap_err().to_string();
    assert!(error.contains(TIMINGS) && error.contains(TRACE), "{error}");
    let error = read_cell(b"PAR1, or so it seems. PAR1").unwrap_err();
    assert!(matches!(error, TraceError::Read(_)), "{error}");
}

fn experiment_traces(
    provenance: &TableProvenance,
    cells: impl IntoIterator<Item = (RunIdentity, CellTrace)>,
) -> Result<Vec<u8>, TraceError> {
    let mut traces = Traces::new(provenance)?;
    cells.into_iter().try_for_each(|(run, trace)| traces.push(&run, &trace.rows))?;
    traces.finish()
}

fn runs(provenance: &TableProvenance, rows: &[RunRow]) -> Result<Vec<u8>, TraceError> {
    let mut columns = RunColumns::default();
    for row in rows {
        row.measures.iter().for_each(|(name, _)| drop(columns.measure(name)));
        columns.learner(&row.learner_parameters);
        columns.stream(&row.stream_parameters);
    }
    write::runs(provenance, &columns, rows.iter().cloned())
}

fn identity(run: u64) -> RunIdentity {
    RunIdentity {
        run_id: format!("{run:016x}"),
        experiment: "casp-loss".into(),
        stream: "casp".into(),
        learner: if run.is_multiple_of(2) { "fogd" } else { "pkawv-taylor" }.into(),
        label: "PKAWV".into(),
        replicate: run,
        horizon: 1_000,
    }
}

fn names(frame: &DataFrame) -> Vec<String> {
    frame.get_column_names().iter().map(|name| name.to_string()).collect()
}

/// The tables as the analysis half reads them.
#[test]
fn joined_traces_read_back_as_a_frame() {
    let cells: Vec<_> = (0..).map(identity).zip(traces(30)).collect();
    let bytes = experiment_traces(&provenance("stage"), cells.clone()).unwrap();
    let frame = read::traces("traces", bytes).unwrap();
    let expected: Vec<&str> = IDENTITY.iter().chain(CHECKPOINTS).chain(GAUGES).map(|column| column.name).collect();
    assert_eq!(names(&frame), expected);
    let flat: Vec<(&RunIdentity, &TraceRow)> =
        cells.iter().flat_map(|(identity, trace)| trace.rows.iter().map(move |row| (identity, row))).collect();
    assert_eq!(frame.height(), flat.len());
    let (ids, t) = (frame.column("run_id").unwrap(), frame.column("t").unwrap());
    let (loss, points) = (frame.column("cumulative_loss").unwrap(), frame.column("stored_points").unwrap());
    for (i, (identity, row)) in flat.iter().enumerate() {
        assert_eq!(ids.str().unwrap().get(i), Some(identity.run_id.as_str()));
        assert_eq!(t.u64().unwrap().get(i), Some(row.t));
        assert_eq!(loss.f64().unwrap().get(i), Some(row.cumulative_loss));
        assert_eq!(points.u64().unwrap().get(i), row.gauges.count(STORED_POINTS));
    }
}

#[test]
fn row_groups_hold_whole_runs() {
    let long = |rows: u64| {
        let mut trace = traces(1).remove(0);
        trace.rows = (1..=rows).map(|t| TraceRow { t, cumulative_loss: t as f64, ..TraceRow::default() }).collect();
        trace
    };
    let lengths = [4_000, 4_000, 4_000, 25_000, 9_999, 1, 3];
    let cells = (0..).zip(lengths).map(|(run, rows)| (identity(run), long(rows)));
    let file = SerializedFileReader::new(Bytes::from(experiment_traces(&provenance("s"), cells).unwrap())).unwrap();
    let groups: Vec<i64> = file.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [12_000, 25_000, 10_000, 3]);
    let sorted = file.metadata().row_group(0).sorting_columns().unwrap();
    assert_eq!((sorted.len(), sorted[0].column_idx), (1, 0));
}

#[test]
fn runs_must_come_in_order() {
    let trace = traces(1).remove(0);
    for (first, second) in [(2, 1), (1, 1)] {
        let cells = [first, second].map(|run| (identity(run), trace.clone()));
        let error = experiment_traces(&provenance("s"), cells).unwrap_err();
        assert!(matches!(error, TraceError::Order { .. }), "{error}");
        let rows = [first, second].map(|i| run(i, json!({}), None));
        assert!(matches!(runs(&provenance("s"), &rows), Err(TraceError::Order { .. })));
    }
}

fn run(i: u64, learner: serde_json::Value, last: Option<TraceRow>) -> RunRow {
    RunRow {
        identity: identity(i),
        ending: Ending {
            status: if last.is_some() { EndStatus::Done } else { EndStatus::Failed },
            detail: last.is_none().then(|| "out of memory".into()),
            rounds: last.as_ref().map_or(0, |row| row.t),
        },
        last,
        measures: vec![("error".into(), i as f64)],
        comparator_loss: (i == 0).then_some(0.5),
        key: format!("{i:064x}"),
        config: format!("{{\"run\":{i}}}"),
        tuned: (i == 1).then(|| "eta = 0.5".into()),
        learner_parameters: FlatParameters::new(&learner).into(),
        stream_parameters: FlatParameters::new(&json!({"name": "casp", "rows": 10})).into(),
    }
}

#[test]
fn runs_have_parameters_as_columns() {
    let gauges = GaugeValues::default().with(QUERIES, Some(Amount::Count(8)));
    let last = TraceRow { t: 4, cumulative_loss: 2.0, cumulative_error: Some(0.5), gauges, ..TraceRow::default() };
    let rows = [
        run(0, json!({"lambda": 0.1, "eta": "theory", "kernel": {"name": "gaussian", "bandwidth": 2}}), Some(last)),
        run(1, json!({"lambda": 1, "eta": 0.25, "clip": true}), None),
    ];
    let bytes = runs(&provenance("stage"), &rows).unwrap();
    assert!(bytes == runs(&provenance("stage"), &rows).unwrap());
    let file = SerializedFileReader::new(Bytes::from(bytes.clone())).unwrap();
    let pairs = file.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(pairs.iter().any(|pair| pair.key == "noregret.schema" && pair.value.as_deref() == Some(RUNS)));

    let frame = read::runs("runs", bytes).unwrap();
    let fixed = IDENTITY.iter().chain(ENDINGS).chain(GAUGES).map(|column| column.name.to_owned());
    let more = [
        "m_error",
        "p_learner_clip",
        "p_learner_eta_word",
        "p_learner_eta",
        "p_learner_kernel_bandwidth",
        "p_learner_kernel_name",
        "p_learner_lambda",
        "p_stream_name",
        "p_stream_rows",
    ];
    assert_eq!(names(&frame), fixed.chain(more.map(str::to_owned)).collect::<Vec<_>>());
    let number = |name: &str| -> [Option<f64>; 2] {
        let column = frame.column(name).unwrap().f64().unwrap();
        [column.get(0), column.get(1)]
    };
    let text = |name: &str| -> [Option<String>; 2] {
        let column = frame.column(name).unwrap().str().unwrap();
        [column.get(0).map(str::to_owned), column.get(1).map(str::to_owned)]
    };
    assert_eq!(number("m_error"), [Some(0.0), Some(1.0)]);
    assert_eq!(number("p_learner_lambda"), [Some(0.1), Some(1.0)]);
    assert_eq!(number("p_learner_eta"), [None, Some(0.25)]);
    assert_eq!(text("p_learner_eta_word"), [Some("theory".into()), None]);
    assert_eq!(number("p_learner_kernel_bandwidth"), [Some(2.0), None]);
    assert_eq!(text("p_learner_kernel_name"), [Some("gaussian".into()), None]);
    assert_eq!(text("p_learner_clip"), [None, Some("true".into())]);
    assert_eq!(text("status"), [Some("done".into()), Some("failed".into())]);
    assert_eq!(text("detail"), [None, Some("out of memory".into())]);
    assert_eq!(number("cumulative_loss"), [Some(2.0), None]);
    assert_eq!(number("average_loss"), [Some(0.5), None]);
    assert_eq!(number("comparator_loss"), [Some(0.5), None]);
    assert_eq!(frame.column("queries").unwrap().u64().unwrap().get(0), Some(8));
}

#[test]
fn times_are_a_table_of_their_own() {
    let times = [Time { t: 1, cpu_ns: 10, wall_ns: 20 }, Time { t: 5, cpu_ns: 50, wall_ns: 90 }];
    let bytes = timings([("a", &times[..], "host"), ("b", &times[1..], "host")]).unwrap();
    let frame = read::times("times", bytes).unwrap();
    assert_eq!(names(&frame), ["run_id", "t", "cpu_ns", "wall_ns", "host"]);
    let wall: Vec<_> = (0..3).map(|i| frame.column("wall_ns").unwrap().u64().unwrap().get(i)).collect();
    assert_eq!(wall, [Some(20), Some(90), Some(90)]);
}
