//! Named arrays as safetensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use noregret_numeric::state::Array;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensorError, SafeTensors, View, serialize};

/// What is wrong with arrays, or with the bytes that should hold some.
#[derive(Debug, thiserror::Error)]
pub enum ArrayError {
    /// They are not in the format.
    #[error(transparent)]
    Format(#[from] SafeTensorError),
    /// This one holds no numbers of 64 bits.
    #[error("its array {0} is not of type F64")]
    Type(String),
}

/// An array in the form that the writer takes.
pub(super) struct ArrayView<'a>(pub(super) &'a Array);

impl View for ArrayView<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F64
    }

    fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.0.values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn data_len(&self) -> usize {
        8 * self.0.values.len()
    }
}

/// The arrays as the bytes of a safetensors file.
///
/// # Errors
/// A shape that does not agree with its length.
pub fn pack(arrays: &BTreeMap<String, Array>) -> Result<Vec<u8>, ArrayError> {
    Ok(serialize(arrays.iter().map(|(name, array)| (name, ArrayView(array))), None)?)
}

/// Named arrays that are fetched one at a time, so that not all of them have to be in memory.
pub trait ArraySource {
    /// Their names and shapes, in the order of the names.
    fn shapes(&self) -> Vec<(String, Vec<usize>)>;

    /// The numbers of the array called `name`, in row-major order: as many as the product of its sides.
    ///
    /// # Errors
    /// If they cannot be fetched.
    fn values(&self, name: &str) -> io::Result<Cow<'_, [f64]>>;
}

impl ArraySource for BTreeMap<String, Array> {
    fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        self.iter().map(|(name, array)| (name.clone(), array.shape.clone())).collect()
    }

    fn values(&self, name: &str) -> io::Result<Cow<'_, [f64]>> {
        Ok(self.get(name).map(|array| &array.values[..]).unwrap_or_default().into())
    }
}

/// Writes the bytes that [`serialize`] gives, one array after the other, without holding all of them.
///
/// # Errors
/// If they cannot be fetched or written, or a shape does not agree with its length.
pub(super) fn write_to(
    out: &mut impl Write,
    arrays: &dyn ArraySource,
    metadata: HashMap<String, String>,
) -> io::Result<()> {
    let (shapes, mut end) = (arrays.shapes(), 0);
    let info = |(name, shape): &(String, Vec<usize>)| {
        let from = end;
        end += 8 * shape.iter().product::<usize>();
        (name.clone(), TensorInfo { dtype: Dtype::F64, shape: shape.clone(), data_offsets: (from, end) })
    };
    let header = Metadata::new(Some(metadata), shapes.iter().map(info).collect()).map_err(io::Error::other)?;
    let mut header = serde_json::to_vec(&header)?;
    // What follows is to begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    for (name, shape) in &shapes {
        let values = arrays.values(name)?;
        if values.len() != shape.iter().product::<usize>() {
            return Err(io::Error::other(format!("the array {name} has another number of values than its shape says")));
        }
        for part in values.chunks(1 << 16) {
            out.write_all(&part.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
        }
    }
    Ok(())
}

/// The arrays in the bytes of a safetensors file.
///
/// # Errors
/// What is wrong with them.
pub fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Array>, ArrayError> {
    of(&SafeTensors::deserialize(bytes)?)
}

/// The arrays of a file that was parsed.
pub(super) fn of(tensors: &SafeTensors<'_>) -> Result<BTreeMap<String, Array>, ArrayError> {
    let one = |(name, tensor): (&str, safetensors::tensor::TensorView<'_>)| {
        if tensor.dtype() != Dtype::F64 {
            return Err(ArrayError::Type(name.to_owned()));
        }
        let values = tensor.data().as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        Ok((name.to_owned(), Array { shape: tensor.shape().to_vec(), values }))
    };
    tensors.iter().map(one).collect()
}
