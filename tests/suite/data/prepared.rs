//! Scaling, target transforms, and prepared tables as Parquet.

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Float64Type};
use bytes::Bytes;
use noregret_data::error::DataError;
use noregret_data::format::ReadOptions;
use noregret_data::prepare::{InputScale, Preparation, TargetTransform, prepare};
use noregret_data::stored::{from_parquet, to_parquet};
use noregret_data::table::DataTable;
use noregret_model::inputs::Scaler;
use noregret_numeric::linalg::compact::Compact;
use noregret_numeric::linalg::matrix::Matrix;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::target;

/// A table with two inputs, of which the second is constant.
fn table(targets: &[f64]) -> DataTable {
    let rows = targets.len();
    let inputs: Vec<f64> = (0..rows).flat_map(|i| [2.0 + 2.0 * i as f64, 0.1]).collect();
    DataTable {
        input_names: vec!["a".into(), "b".into()],
        target_name: "y".into(),
        inputs: Matrix::from_data(rows, 2, inputs).unwrap().into(),
        targets: targets.to_vec(),
    }
}

#[test]
fn inputs_are_scaled_by_their_range() {
    let scaled = |scale| {
        let preparation = Preparation { scale, ..Preparation::default() };
        prepare(table(&[0.0; 5]), &preparation).unwrap().inputs.dense().data().to_vec()
    };
    assert_eq!(scaled(InputScale::None), [2.0, 0.1, 4.0, 0.1, 6.0, 0.1, 8.0, 0.1, 10.0, 0.1]);
    assert_eq!(scaled(InputScale::Unit), [0.0, 0.0, 0.25, 0.0, 0.5, 0.0, 0.75, 0.0, 1.0, 0.0]);
    assert_eq!(scaled(InputScale::Symmetric), [-1.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0]);
}

#[test]
fn targets_are_transformed_as_documented() {
    let transformed = |transform, targets: &[f64]| {
        prepare(table(targets), &Preparation { target: transform, ..Preparation::default() }).unwrap().targets
    };
    use TargetTransform::*;
    assert_eq!(transformed(None, &[3.0, -1.0]), [3.0, -1.0]);
    assert_eq!(transformed(Unit, &[3.0, -1.0, 0.0]), [1.0, 0.0, 0.25]);
    assert_eq!(transformed(Symmetric, &[3.0, -1.0, 0.0]), [1.0, -1.0, -0.5]);
    // Divided by the largest absolute value: 2y - 1 = 3, 0, -1 by 3, and -4, 1 by 4.
    assert_eq!(transformed(Authors, &[2.0, 0.5, 0.0]), [1.0, 0.0, -1.0 / 3.0]);
    assert_eq!(transformed(Authors, &[-1.5, 1.0]), [-1.0, 0.25]);
    assert_eq!(transformed(Sign, &[2.0, 0.0, -3.0, 1e-300]), [1.0, -1.0, -1.0, 1.0]);
    // The mean is 3, and the squared differences are 4, 0, 4 with mean 8/3.
    let unit = (8.0_f64 / 3.0).sqrt();
    assert_eq!(transformed(Standardise, &[1.0, 3.0, 5.0]), [-2.0 / unit, 0.0, 2.0 / unit]);
    for transform in [Unit, Symmetric, Standardise] {
        assert_eq!(transformed(transform, &[0.1; 7]), [0.0; 7], "{transform:?}");
    }
    assert_eq!(transformed(Authors, &[0.5; 3]), [0.0; 3]);
}

#[test]
fn the_whole_range_of_f64_can_be_scaled_or_is_refused() {
    let wide = [f64::MAX, -f64::MAX, 0.0];
    let unit = |transform| prepare(table(&wide), &Preparation { target: transform, ..Preparation::default() });
    assert_eq!(unit(TargetTransform::Unit).unwrap().targets, [1.0, 0.0, 0.5]);
    assert_eq!(unit(TargetTransform::Symmetric).unwrap().targets, [1.0, -1.0, 0.0]);
    let error = unit(TargetTransform::Authors).unwrap_err();
    assert!(matches!(error, DataError::Overflow { .. }) && error.to_string().contains("`y`"), "{error}");
}

#[test]
fn preparations_are_written_in_toml() {
    let preparation: Preparation = toml::from_str("scale = 'symmetric'\ntarget = 'authors'").unwrap();
    assert_eq!(preparation, Preparation { scale: InputScale::Symmetric, target: TargetTransform::Authors });
    assert_eq!(toml::from_str::<Preparation>("").unwrap(), Preparation::default());
    for (word, scale) in [
        ("none", InputScale::None),
        ("unit", InputScale::Unit),
        ("symmetric", InputScale::Symmetric),
        ("running", InputScale::Running),
        ("epochs", InputScale::Epochs),
    ] {
        assert_eq!(word.parse(), Ok(scale));
        assert_eq!(toml::from_str::<Preparation>(&format!("scale = '{word}'")).unwrap().scale, scale);
    }
    assert!("large".parse::<InputScale>().unwrap_err().contains("none, unit, symmetric, running or epochs"));
    assert!(toml::from_str::<Preparation>("scale = 'large'").is_err());
    assert!(toml::from_str::<Preparation>("shift = 1").is_err());
}

#[test]
fn streaming_scales_as_preparing_does() {
    let text = b"a,c,y\n2,5,1\n-6,5,0\n10,5,1\n0.3,5,0\n";
    for scale in [InputScale::Unit, InputScale::Symmetric] {
        let whole = super::table(text, &target("y")).unwrap();
        let mut scaler = Scaler::new(scale.bounds().unwrap(), whole.inputs.cols());
        scaler.observe(whole.inputs.dense().data());
        let expected = prepare(whole.clone(), &Preparation { scale, ..Preparation::default() }).unwrap();
        for i in 0..whole.rows() {
            let mut row = whole.inputs.dense().row(i).to_vec();
            scaler.apply(&mut row);
            assert_eq!(row, expected.inputs.dense().row(i), "{scale:?}");
        }
    }
}

#[test]
fn prepared_tables_come_back_bit_for_bit() {
    // Three row groups, of which the last is partial, and numbers of every kind.
    let rows = 250_000_usize;
    let odd = [-0.0, f64::MIN_POSITIVE / 8.0, f64::MAX, 0.1, 1.0 / 3.0];
    let mut large = table(&(0..rows).map(|i| odd[i % odd.len()]).collect::<Vec<_>>());
    large.input_names = vec!["1".into(), "label".into()];
    let metadata = [("noregret.key".to_owned(), "abc".to_owned())];
    let bytes = to_parquet(&large, &metadata).unwrap();
    assert_eq!(bytes, to_parquet(&large, &metadata).unwrap());
    let back = from_parquet(&bytes).unwrap();
    assert_eq!(back, large);
    assert!(back.targets.iter().zip(&large.targets).all(|(a, b)| a.to_bits() == b.to_bits()));
}

/// Wide rows with few numbers in them are kept without their zeros, and come back bit for bit.
#[test]
fn sparse_tables_come_back_bit_for_bit() {
    let mut text: String = (0..300).map(|row| format!("{row} {}:-0 {}:{}.5\n", row + 1, 2 * row + 900, row)).collect();
    text += "1\n-1 5000:1e-3\n";
    let sparse = super::table(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(matches!(sparse.inputs, Compact::Sparse(_)));
    let rows = sparse.inputs.dense().into_owned();
    let expected: Vec<(usize, u64)> =
        (0..300).flat_map(|row| [(row, (-0.0_f64).to_bits()), (2 * row + 899, (row as f64 + 0.5).to_bits())]).collect();
    let stored = (0..300).flat_map(|i| [i, 2 * i + 899].map(|column| (column, rows.row(i)[column].to_bits())));
    assert_eq!(stored.collect::<Vec<_>>(), expected);
    assert_eq!((rows.rows(), rows.cols(), rows.row(301)[4999]), (302, 5000, 1e-3));
    assert_eq!(rows.data().iter().filter(|value| value.to_bits() != 0).count(), 601);
    let dense = DataTable { inputs: rows.into(), ..sparse.clone() };
    for scale in [InputScale::None, InputScale::Unit, InputScale::Symmetric] {
        let preparation = Preparation { scale, ..Preparation::default() };
        let prepared = prepare(sparse.clone(), &preparation).unwrap();
        let expected = prepare(dense.clone(), &preparation).unwrap();
        assert!(matches!(prepared.inputs, Compact::Sparse(_)), "{scale:?}");
        assert_eq!(prepared.inputs.dense(), expected.inputs.dense(), "{scale:?}");
        let bytes = to_parquet(&prepared, &[("noregret.key".to_owned(), "abc".to_owned())]).unwrap();
        let back = from_parquet(&bytes).unwrap();
        assert_eq!(back, prepared, "{scale:?}");
    }
    // Rows that are mostly full are stored with their zeros, as ever.
    let row: String = (1..=2000).map(|index| format!(" {index}:{index}")).collect();
    let full = super::table(format!("1{row}\n2{row}\n").as_bytes(), &ReadOptions::default()).unwrap();
    assert!(matches!(&full.inputs, Compact::Dense(rows) if rows.row(1)[1999] == 2000.0));
}

#[test]
fn other_programs_can_read_prepared_tables() {
    let metadata = [("b".to_owned(), "1".to_owned()), ("a".to_owned(), "2".to_owned())];
    let bytes = to_parquet(&table(&[5.0, 6.0, 7.0]), &metadata).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap();
    let footer = builder.metadata().file_metadata();
    assert_eq!(footer.created_by(), Some("noregret"));
    let pairs: Vec<_> =
        footer.key_value_metadata().unwrap().iter().map(|pair| (pair.key.as_str(), pair.value.as_deref())).collect();
    assert_eq!(pairs, [("b", Some("1")), ("a", Some("2"))]);
    let fields: Vec<_> =
        builder.schema().fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
    assert_eq!(fields, ["a", "b", "y"].map(|name| (name.to_owned(), DataType::Float64)));
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(2).as_primitive::<Float64Type>().values(), &[5.0, 6.0, 7.0]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Default::default()
    })]

    /// Scaled inputs lie in the range of the scale, for all finite numbers.
    #[test]
    fn scaled_inputs_lie_in_their_range(values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, 1..20)) {
        let one_column = DataTable {
            input_names: vec!["a".into()],
            target_name: "y".into(),
            inputs: Matrix::from_data(values.len(), 1, values.clone()).unwrap().into(),
            targets: values.clone(),
        };
        for (scale, low) in [(InputScale::Unit, 0.0), (InputScale::Symmetric, -1.0)] {
            let prepared = prepare(one_column.clone(), &Preparation { scale, ..Preparation::default() }).unwrap();
            prop_assert!(prepared.inputs.dense().data().iter().all(|value| (low..=1.0).contains(value)), "{:?}", prepared.inputs);
        }
    }
}

#[test]
fn running_scales_see_no_later_row() {
    let preparation = Preparation { scale: InputScale::Running, target: TargetTransform::Epochs };
    let all = prepare(table(&[3.0, 5.0, 4.0, 9.0]), &preparation).unwrap();
    // By epochs it is the learners that scale.
    assert_eq!(all.targets, [3.0, 5.0, 4.0, 9.0]);
    // The inputs are 2, 4, 6, 8 and a constant: the mean includes the row.
    let inputs = all.inputs.dense();
    assert_eq!((inputs.row(0), inputs.row(1)), (&[0.0, 0.0][..], &[1.0, 0.0][..]));
    let some = prepare(table(&[3.0, 5.0]), &preparation).unwrap();
    assert_eq!((some.inputs.dense().data(), &some.targets[..]), (&inputs.data()[..4], &all.targets[..2]));
}
