//! Arrays of Arrow as numbers, text and dates.
//!
//! `arrow::compute::cast` gives the same (a test compares), but brings the casts between all pairs of types: a fifteenth
//! of the program.

use arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, LargeStringArray, StringArray, StringViewArray, make_array,
    new_null_array,
};
use arrow::compute::kernels::cast::single_decimal_to_float_lossy;
use arrow::compute::take;
use arrow::datatypes::{
    DataType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};

/// The values of a column in a batch.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) enum BatchColumn {
    Number(Float64Array),
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    /// In microseconds since 1970.
    Date(Int64Array),
}

/// Whether columns of this type are read.
pub(super) fn is_read(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_read(values),
        DataType::Boolean | DataType::Null => true,
        DataType::Interval(_) => false,
        kind => kind.is_string() || kind.is_numeric() || kind.is_temporal(),
    }
}

/// The values of a column: of times of the day hours, as text has them (13:45), and of durations the number of their unit.
///
/// # Errors
/// A type that is not read, or keys of a dictionary that are not in it.
pub(super) fn values(column: &ArrayRef) -> Result<BatchColumn, String> {
    Ok(match column.data_type() {
        DataType::Utf8 => BatchColumn::Text(column.as_string().clone()),
        DataType::LargeUtf8 => BatchColumn::LargeText(column.as_string().clone()),
        DataType::Utf8View => BatchColumn::TextView(column.as_string_view().clone()),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => BatchColumn::Date(dates(column)?),
        DataType::Time32(unit) => BatchColumn::Number(hours(&numbers(&integers(column, DataType::Int32)?)?, *unit)),
        DataType::Time64(unit) => BatchColumn::Number(hours(&numbers(&integers(column, DataType::Int64)?)?, *unit)),
        DataType::Duration(_) => BatchColumn::Number(numbers(&integers(column, DataType::Int64)?)?),
        DataType::Dictionary(..) => {
            let words = column.as_any_dictionary();
            values(&take(words.values(), words.keys(), None).map_err(|error| error.to_string())?)?
        }
        _ => BatchColumn::Number(numbers(column)?),
    })
}

/// Times of the day as hours, with the arithmetic of text, so that they have the same bits.
fn hours(counts: &Float64Array, unit: TimeUnit) -> Float64Array {
    let second = match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    let whole = |count: f64, length: f64| (count / (length * second)).floor();
    counts.unary(|count| {
        let hours = whole(count, 3600.0);
        let rest = count - hours * 3600.0 * second;
        let minutes = whole(rest, 60.0);
        hours + minutes / 60.0 + (rest - minutes * 60.0 * second) / second / 3600.0
    })
}

/// Numbers and truth values as the nearest f64.
///
/// # Errors
/// Another type.
pub(super) fn numbers(column: &ArrayRef) -> Result<Float64Array, String> {
    Ok(match column.data_type() {
        DataType::Float64 => column.as_primitive().clone(),
        DataType::Float32 => column.as_primitive::<Float32Type>().unary(f64::from),
        DataType::Float16 => column.as_primitive::<Float16Type>().unary(|value| value.to_f64()),
        DataType::Int8 => column.as_primitive::<Int8Type>().unary(f64::from),
        DataType::Int16 => column.as_primitive::<Int16Type>().unary(f64::from),
        DataType::Int32 => column.as_primitive::<Int32Type>().unary(f64::from),
        DataType::Int64 => column.as_primitive::<Int64Type>().unary(|value| value as f64),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().unary(f64::from),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().unary(f64::from),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().unary(f64::from),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().unary(|value| value as f64),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(column, *scale, f64::from),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(column, *scale, |value| value as f64),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(column, *scale, |value| value as f64),
        // What is too large for its own f64 to be exact is read from its digits.
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(column, *scale, |value| {
            value.to_i128().map_or(f64::INFINITY, |value| value as f64)
        }),
        DataType::Boolean => column.as_boolean().iter().map(|value| value.map(f64::from)).collect(),
        DataType::Null => new_null_array(&DataType::Float64, column.len()).as_primitive().clone(),
        kind => return Err(format!("{kind} is not read")),
    })
}

fn decimals<D: DecimalType>(column: &ArrayRef, scale: i8, unscaled: impl Fn(D::Native) -> f64) -> Float64Array {
    column.as_primitive::<D>().unary(|value| single_decimal_to_float_lossy::<D, _>(&unscaled, value, scale.into()))
}

/// Dates and times in microseconds since 1970; null where that is no i64.
fn dates(column: &ArrayRef) -> Result<Int64Array, String> {
    let (factor, divisor) = match column.data_type() {
        DataType::Date32 => (86_400_000_000, 1),
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => (1_000, 1),
        DataType::Timestamp(TimeUnit::Second, _) => (1_000_000, 1),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => (1, 1_000),
        _ => (1, 1),
    };
    let counts = match column.data_type() {
        DataType::Date32 => column.as_primitive::<Date32Type>().unary(i64::from),
        _ => integers(column, DataType::Int64)?.as_primitive::<Int64Type>().clone(),
    };
    Ok(counts.unary_opt(|count| Some(count.checked_mul(factor)? / divisor)))
}

/// The integers, of the same width, that stand for times.
fn integers(column: &ArrayRef, kind: DataType) -> Result<ArrayRef, String> {
    let data = column.to_data().into_builder().data_type(kind).build();
    Ok(make_array(data.map_err(|error| error.to_string())?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::*;
    use arrow::buffer::NullBuffer;
    use arrow::compute::cast;
    use arrow::datatypes::*;

    use super::*;

    /// What `arrow::compute::cast` makes of a column.
    fn by_cast(column: &ArrayRef) -> BatchColumn {
        let to = |column: &ArrayRef, kind: DataType| cast(column, &kind).unwrap();
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        let kind = match column.data_type() {
            DataType::Dictionary(_, values) => values,
            kind => kind,
        };
        match kind {
            DataType::Utf8 => BatchColumn::Text(to(column, DataType::Utf8).as_string().clone()),
            DataType::LargeUtf8 => BatchColumn::LargeText(to(column, DataType::LargeUtf8).as_string().clone()),
            DataType::Utf8View => BatchColumn::TextView(to(column, DataType::Utf8View).as_string_view().clone()),
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
                BatchColumn::Date(to(&to(column, micros), DataType::Int64).as_primitive().clone())
            }
            DataType::Duration(_) => {
                BatchColumn::Number(to(&to(column, DataType::Int64), DataType::Float64).as_primitive().clone())
            }
            _ => BatchColumn::Number(to(column, DataType::Float64).as_primitive().clone()),
        }
    }

    /// The integer, in every type of 32 or 64 bits and of decimals, with a null before it.
    fn columns(value: i64) -> Vec<ArrayRef> {
        let small = Int32Array::from(vec![None, Some(value as i32)]);
        let large = Int64Array::from(vec![None, Some(value)]);
        let hundred = DataType::Decimal128(38, 2);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(small.unary::<_, Int8Type>(|value| value as i8)),
            Arc::new(small.unary::<_, Int16Type>(|value| value as i16)),
            Arc::new(small.unary::<_, UInt8Type>(|value| value as u8)),
            Arc::new(small.unary::<_, UInt16Type>(|value| value as u16)),
            Arc::new(small.unary::<_, UInt32Type>(|value| value as u32)),
            Arc::new(large.unary::<_, UInt64Type>(|value| value as u64)),
            Arc::new(large.unary::<_, Float32Type>(|value| value as f32 / 7.0)),
            Arc::new(large.unary::<_, Float64Type>(|value| value as f64 / 7.0)),
            cast(&large.unary::<_, Float64Type>(|value| value as f64 / 1e15), &DataType::Float16).unwrap(),
            Arc::new(small.reinterpret_cast::<Date32Type>()),
            Arc::new(small.reinterpret_cast::<Decimal32Type>()),
            Arc::new(large.reinterpret_cast::<Date64Type>()),
            Arc::new(large.reinterpret_cast::<TimestampSecondType>().with_timezone("+05:00")),
            Arc::new(large.reinterpret_cast::<TimestampMillisecondType>()),
            Arc::new(large.reinterpret_cast::<TimestampMicrosecondType>()),
            Arc::new(large.reinterpret_cast::<TimestampNanosecondType>()),
            Arc::new(large.reinterpret_cast::<DurationSecondType>()),
            Arc::new(large.reinterpret_cast::<DurationNanosecondType>()),
            Arc::new(large.reinterpret_cast::<Decimal64Type>()),
            Arc::new(large.unary::<_, Decimal128Type>(|value| i128::from(value) * 1_000_003).with_data_type(hundred)),
            Arc::new(
                large.unary::<_, Decimal256Type>(|value| i256::from_i128(value.into()) * i256::from_i128(i128::MAX)),
            ),
            Arc::new(BooleanArray::from(vec![None, Some(value > 0)])),
            Arc::new(NullArray::new(2)),
            Arc::new(StringArray::from(vec![None, Some(value.to_string())])),
            Arc::new(LargeStringArray::from(vec![None, Some(value.to_string())])),
            Arc::new(StringViewArray::from_iter([None, Some(value.to_string())])),
            Arc::new(small),
            Arc::new(large),
        ];
        let of_dictionary = |values: &ArrayRef| -> ArrayRef {
            let keys = Int8Array::new(vec![1, 0, 1, 0].into(), Some(NullBuffer::from(vec![true, true, true, false])));
            Arc::new(DictionaryArray::new(keys, values.clone()))
        };
        let dictionaries: Vec<_> =
            columns.iter().filter(|values| !values.data_type().is_null()).map(of_dictionary).collect();
        columns.extend(dictionaries);
        columns
    }

    #[test]
    fn the_values_of_a_column_are_what_the_casts_of_arrow_make_of_it() {
        for value in [0, 1, -1, 86_399, 1_234_567_891, (1 << 53) + 1, i64::MAX, i64::MIN, 1 << 40, -(1 << 62) - 999] {
            for column in columns(value) {
                let kind = column.data_type();
                assert!(is_read(kind), "{kind}");
                assert_eq!(values(&column).unwrap(), by_cast(&column), "{kind} {value}");
            }
        }
    }

    #[test]
    fn other_types_are_not_read() {
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]));
        let binary: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"a"]));
        let months: ArrayRef = Arc::new(IntervalYearMonthArray::from(vec![1]));
        for column in [list, binary, months] {
            assert!(!is_read(column.data_type()));
            assert!(values(&column).unwrap_err().ends_with("is not read"));
        }
    }

    /// Times of the day in columns of all units are the hours that text says.
    #[test]
    fn times_of_the_day_are_those_of_text() {
        let number = |text: &str| crate::encode::number::parse(text.as_bytes(), crate::encode::choices::Decimal::Point);
        let whole = [0_i64, 49_530, 86_399];
        for (text, at) in [("0:00", 0), ("13:45:30", 1), ("23:59:59", 2)] {
            let small = |factor: i32| Int32Array::from(vec![whole[at] as i32 * factor]);
            let large = |factor: i64| Int64Array::from(vec![whole[at] * factor]);
            let columns: [ArrayRef; 4] = [
                Arc::new(small(1).reinterpret_cast::<Time32SecondType>()),
                Arc::new(small(1_000).reinterpret_cast::<Time32MillisecondType>()),
                Arc::new(large(1_000_000).reinterpret_cast::<Time64MicrosecondType>()),
                Arc::new(large(1_000_000_000).reinterpret_cast::<Time64NanosecondType>()),
            ];
            let hours = number(text);
            for column in &columns {
                let expected = BatchColumn::Number(Float64Array::from(vec![hours]));
                assert_eq!(values(column).unwrap(), expected, "{text} {}", column.data_type());
            }
        }
        let nanoseconds = Int64Array::from(vec![49_530_123_456_789]).reinterpret_cast::<Time64NanosecondType>();
        let expected = Float64Array::from(vec![number("13:45:30.123456789")]);
        assert_eq!(values(&(Arc::new(nanoseconds) as ArrayRef)).unwrap(), BatchColumn::Number(expected));
    }
}
