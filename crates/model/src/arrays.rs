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

/// Writes the bytes that [`serialize`] gives, one array after the other, without holding all of them.
///
/// # Errors
/// If they cannot be written, or a shape does not agree with its length.
pub(super) fn write_to(
    out: &mut impl Write,
    arrays: &BTreeMap<String, Array>,
    metadata: HashMap<String, String>,
) -> io::Result<()> {
    let mut end = 0;
    let info = |(name, array): (&String, &Array)| {
        let (from, shape) = (end, array.shape.clone());
        end += 8 * array.values.len();
        (name.clone(), TensorInfo { dtype: Dtype::F64, shape, data_offsets: (from, end) })
    };
    let header = Metadata::new(Some(metadata), arrays.iter().map(info).collect()).map_err(io::Error::other)?;
    let mut header = serde_json::to_vec(&header)?;
    // What follows is to begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    for array in arrays.values() {
        for part in array.values.chunks(1 << 16) {
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
