//! All that a learner has learnt as one list of numbers, so that many learners take little room.

use std::collections::{BTreeMap, HashMap};

use noregret_numeric::state::Array;

/// The most dimensions of an array.
const MOST_SIDES: usize = 8;

/// Names of arrays, by number. Learners of one run have nearly the same names, so that each is kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct ArrayNames {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl ArrayNames {
    /// These, from number 0 on.
    pub(super) fn of(names: &[String]) -> Self {
        let numbers = names.iter().cloned().zip(0..).collect();
        Self { names: names.to_vec(), numbers }
    }

    /// All of them, in the order of their numbers.
    pub(super) fn all(&self) -> &[String] {
        &self.names
    }

    fn number(&mut self, name: String) -> usize {
        let next = self.names.len();
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        })
    }
}

/// The arrays in one list: how many there are; for each the number of its name, the number of its sides, and these; then the
/// numbers of all.
pub(super) fn pack(arrays: BTreeMap<String, Array>, names: &mut ArrayNames) -> Vec<f64> {
    let mut packed = vec![arrays.len() as f64];
    let mut values = Vec::with_capacity(arrays.values().map(|array| array.values.len()).sum());
    for (name, array) in arrays {
        packed.push(names.number(name) as f64);
        packed.push(array.shape.len() as f64);
        packed.extend(array.shape.iter().map(|side| *side as f64));
        values.extend(array.values);
    }
    packed.extend(values);
    packed
}

/// The arrays that were packed; None if the list is not one that [`pack`] made.
pub(super) fn unpack(packed: &[f64], names: &ArrayNames) -> Option<BTreeMap<String, Array>> {
    let mut rest = packed.iter();
    let mut count = || {
        let value = *rest.next()?;
        ((0.0..=packed.len() as f64).contains(&value) && value.fract() == 0.0).then_some(value as usize)
    };
    let mut shapes = Vec::new();
    for _ in 0..count()? {
        let (name, sides) = (names.names.get(count()?)?, count()?);
        let shape = (0..sides.min(MOST_SIDES + 1)).map(|_| count()).collect::<Option<Vec<usize>>>()?;
        shapes.push((name.clone(), Some(shape).filter(|shape| shape.len() <= MOST_SIDES)?));
    }
    let mut values = rest.as_slice();
    let mut arrays = BTreeMap::new();
    for (name, shape) in shapes {
        let size = shape.iter().try_fold(1_usize, |size, side| size.checked_mul(*side))?;
        let (own, others) = values.split_at_checked(size)?;
        values = others;
        arrays.insert(name, Array { shape, values: own.to_vec() });
    }
    values.is_empty().then_some(arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_nothing_else_is() {
        let arrays = BTreeMap::from([
            ("learner.points".to_owned(), Array { shape: vec![2, 3], values: vec![0.1, -0.0, 1e300, 3.0, 4.0, 5.0] }),
            ("learner.none".to_owned(), Array { shape: vec![0, 4], values: Vec::new() }),
            ("rounds".to_owned(), Array { shape: Vec::new(), values: vec![f64::INFINITY] }),
        ]);
        let mut names = ArrayNames::default();
        names.number("another".into());
        let packed = pack(arrays.clone(), &mut names);
        assert_eq!(packed.len(), 1 + 3 * 2 + 4 + 7);
        assert_eq!(unpack(&packed, &names), Some(arrays.clone()));
        assert_eq!(unpack(&packed, &ArrayNames::of(names.all())), Some(arrays));
        assert_eq!(unpack(&packed, &ArrayNames::default()), None);
        for end in 0..packed.len() {
            assert_eq!(unpack(&packed[..end], &names), None, "the first {end} numbers");
        }
        for (at, value) in [(0, 4.0), (0, 0.5), (0, -1.0), (0, f64::NAN), (1, 9.0), (2, 1e300), (3, 1.0)] {
            let mut broken = packed.clone();
            broken[at] = value;
            assert_eq!(unpack(&broken, &names), None, "{value} at {at}");
        }
    }
}
