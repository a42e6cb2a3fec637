//! SplitMix64, with which the reference implementation drew.

use std::f64::consts::TAU;

/// The generator; its state is the seed at first.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Two independent standard normals (Box and Muller).
    pub fn normals(&mut self) -> [f64; 2] {
        let (radius, angle) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), TAU * self.uniform());
        [radius * angle.cos(), radius * angle.sin()]
    }

    /// A permutation of 0..n (Fisher and Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
        order
    }
}
