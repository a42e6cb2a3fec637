//! Functions compiled for the vector instructions of the processor that they run on.
//!
//! Results have the same bits whatever the width of the registers; to test that, [`limit`] leaves the wider ones unused.

use std::sync::atomic::{AtomicUsize, Ordering};

use pulp::Arch;

/// The most numbers that a register may hold.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// From now on, registers that hold more than `lanes` numbers are not used, in the whole process. (faer's eigenvalues,
/// in the module `eigen`, still take the widest.)
pub fn limit(lanes: usize) {
    LIMIT.store(lanes, Ordering::Relaxed);
}

/// How many numbers the registers of each instruction set hold that this processor has, ascending: limits to choose from.
pub fn widths() -> Vec<usize> {
    let mut widths: Vec<usize> = [1, 2, 4, 8].map(|lanes| within(lanes).dispatch(Lanes)).into();
    widths.dedup();
    widths
}

/// The best instruction set that the processor has and [`limit`] allows.
#[inline]
pub fn arch() -> Arch {
    match LIMIT.load(Ordering::Relaxed) {
        usize::MAX => Arch::new(),
        lanes => within(lanes),
    }
}

/// The best instruction set with at most `lanes` numbers in a register.
#[cold]
fn within(lanes: usize) -> Arch {
    let best = Arch::new();
    if best.dispatch(Lanes) <= lanes {
        return best;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new().filter(|_| lanes >= 4) {
        return Arch::V3(simd);
    }
    Arch::Scalar
}

/// The numbers in a register.
struct Lanes;

impl pulp::WithSimd for Lanes {
    type Output = usize;

    fn with_simd<S: pulp::Simd>(self, _: S) -> usize {
        S::F64_LANES
    }
}

/// Declares a function whose body is compiled several times, for different vector instructions. At run time the best
/// version for the processor is chosen. The body is plain Rust, so that all versions give the same bits: no operation
/// is reordered or fused unless the body says so.
///
/// All references share the single lifetime that the declaration names. (A closure given to [`pulp::Arch::dispatch`]
/// would read better, but it is not reliably inlined, and is then compiled without the instructions.)
#[macro_export]
macro_rules! vectorised {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident<$life:lifetime>(
        $($argument:ident: $kind:ty),* $(,)?
    ) -> $output:ty $body:block) => {
        $(#[$attribute])*
        $visibility fn $name<$life>($($argument: $kind),*) -> $output {
            struct Call<$life> {
                $($argument: $kind),*
            }
            impl<$life> pulp::WithSimd for Call<$life> {
                type Output = $output;

                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) -> $output {
                    let Self { $($argument),* } = self;
                    $body
                }
            }
            $crate::linalg::simd::arch().dispatch(Call { $($argument),* })
        }
    };
}

pub use vectorised;

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum([f64; 16]);

    impl pulp::WithSimd for Sum {
        type Output = f64;

        fn with_simd<S: pulp::Simd>(self, simd: S) -> f64 {
            let zero = simd.splat_f64s(0.0);
            simd.reduce_sum_f64s(S::as_simd_f64s(&self.0).0.iter().fold(zero, |sum, x| simd.add_f64s(sum, *x)))
        }
    }

    /// A sum with one part for each lane shows that the limit holds. Half a unit in the last place of 1 is lost when it
    /// is added to 1, but two of them in another lane are not: 1, 1 + 2 h and 1 + 4 h for 1, 4 and 8 lanes.
    #[test]
    fn a_limit_decides_which_registers_are_used() {
        let h = f64::EPSILON / 2.0;
        let bits: Vec<u64> = widths()
            .into_iter()
            .map(|lanes| {
                limit(lanes);
                assert_eq!(arch().dispatch(Lanes), lanes);
                arch().dispatch(Sum([1.0, h, 0.0, 0.0, h, h, 0.0, 0.0, h, 0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0])).to_bits()
            })
            .collect();
        limit(usize::MAX);
        assert!(bits.windows(2).all(|pair| pair[0] != pair[1]), "{bits:?}");
        assert_eq!(arch().dispatch(Lanes), Arch::new().dispatch(Lanes));
    }
}
