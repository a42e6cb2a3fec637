//! Functions compiled for the vector instructions of the processor that they run on.

/// Declares a function whose body is compiled several times, for different vector instructions. At run time the best
/// version for the processor is chosen. The body is plain Rust, so that all versions give the same bits: no operation
/// is reordered or fused unless the body says so.
///
/// All references share the single lifetime that the declaration names. (A closure given to [`pulp::Arch::dispatch`]
/// would read better, but it is not reliably inlined, and is then compiled without the instructions.)
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
            pulp::Arch::new().dispatch(Call { $($argument),* })
        }
    };
}

pub(crate) use vectorised;
