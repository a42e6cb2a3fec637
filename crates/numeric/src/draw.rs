//! Keyed random draws.
//!
//! Every random number in noregret comes from a generator whose seed is a hash of *names*: the experiment, the cell,
//! the purpose of the number, and the round. Nothing depends on the order in which things run. A new learner, grid
//! value or replicate therefore changes no other cell's numbers, and scoring a hypothesis twice changes nothing.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use sha2::{Digest, Sha256};

/// What a draw within a round is for. Roles never share random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Role {
    /// Once, before the first round (random features, initial points).
    Start = 1,
    /// The example of the round: inputs and target of a synthetic stream.
    Example = 2,
    /// The noisy copies of x_t handed out by an oracle.
    Copies = 3,
    /// The learner looking at x_t before it predicts.
    Attend = 4,
    /// A prediction that is itself an estimate.
    Predict = 5,
    /// The learner's update.
    Learn = 6,
    /// The noisy copies of y_t handed out by an oracle.
    TargetCopies = 7,
    /// What is added to a round's target to corrupt it.
    Corruption = 20,
}

/// A family of generators, one for each (role, round). The family is keyed by names through SHA-256.
///
/// ```
/// use noregret_numeric::draw::{Draws, Role};
///
/// let draws = Draws::named(&["seed 1", "casp", "learner", "replicate 0"]);
/// let first = draws.at(Role::Learn, 7).normal();
/// // The same names, role and round give the same number, whatever was drawn before.
/// assert_eq!(draws.at(Role::Learn, 7).normal(), first);
/// assert_ne!(draws.at(Role::Learn, 8).normal(), first);
/// assert_ne!(Draws::named(&["seed 2"]).at(Role::Learn, 7).normal(), first);
/// ```
#[derive(Clone, Debug)]
pub struct Draws {
    key: [u64; 4],
    /// The members chosen by [`Draws::of`], outermost first.
    members: Vec<u64>,
}

impl Draws {
    /// The family keyed by a list of names. The names are length-prefixed before hashing, so ("ab", "c") and
    /// ("a", "bc") differ.
    pub fn named(names: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"noregret draws 1");
        for name in names {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        let digest = hash.finalize();
        let mut key = [0u64; 4];
        for (word, bytes) in key.iter_mut().zip(digest.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
        }
        Self { key, members: Vec::new() }
    }

    /// A number for a name, by which [`Draws::of`] and [`Draw::of`] tell members apart.
    pub fn member(name: &str) -> u64 {
        Self::named(&[name]).key[0]
    }

    /// The draws of one member of whatever these draws are for. `draws.of(m).at(role, round)` is `draws.at(role,
    /// round).of(m)`, and members share no random numbers.
    pub fn of(&self, member: u64) -> Self {
        let mut draws = self.clone();
        draws.members.push(member);
        draws
    }

    /// The generator for `role` in `round` (rounds count from 1; [`Role::Start`] uses round 0).
    pub fn at(&self, role: Role, round: u64) -> Draw {
        // State and stream of PCG XSL-RR 128/64, from four words mixed with the round and the role.
        let mixed = |word: u64, salt: u64| u128::from(mix(word ^ mix(round.wrapping_add(salt))));
        let state = (mixed(self.key[0], 1) << 64) | mixed(self.key[1], 2);
        let stream = (mixed(self.key[2] ^ role as u64, 3) << 64) | mixed(self.key[3], 4 + role as u64);
        self.members.iter().fold(Draw(Pcg64::new(state, stream)), |draw, member| draw.of(*member))
    }
}

/// The finaliser of SplitMix64: a bijection of 64-bit words that spreads every input bit.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One generator of random numbers, for one role and round.
///
/// ```
/// use noregret_numeric::draw::{Draws, Role};
///
/// let mut draw = Draws::named(&["an example"]).at(Role::Start, 0);
/// assert!((0.0..1.0).contains(&draw.uniform()) && draw.below(6) < 6 && draw.sign().abs() == 1.0);
/// let mut order = draw.permutation(5);
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Debug)]
pub struct Draw(Pcg64);

impl Draw {
    /// The generator of one member of whatever this one is for; see [`Draws::of`]. It is taken from a generator that
    /// has not been drawn from.
    pub fn of(&self, member: u64) -> Self {
        let mut source = self.0.clone();
        let mut word = |salt: u64| u128::from(mix(source.next_u64() ^ mix(member.wrapping_add(salt))));
        let state = (word(1) << 64) | word(2);
        let stream = (word(3) << 64) | word(4);
        Self(Pcg64::new(state, stream))
    }

    /// Uniform on [0, 1) with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on [low, high).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Standard normal.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Uniform on 0..n. `n` must be at least 1.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n.max(1) as u64) as usize
    }

    /// +1 or -1, each with probability 1/2.
    #[inline]
    pub fn sign(&mut self) -> f64 {
        if self.0.next_u64() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// A uniformly random permutation of 0..n (Fisher-Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_joined_ambiguously() {
        let a = Draws::named(&["ab", "c"]).at(Role::Start, 0).uniform();
        let b = Draws::named(&["a", "bc"]).at(Role::Start, 0).uniform();
        assert_ne!(a, b);
    }

    #[test]
    fn roles_and_rounds_differ_and_repeat() {
        let draws = Draws::named(&["x"]);
        let first = draws.at(Role::Learn, 1).uniform();
        assert_eq!(first, draws.at(Role::Learn, 1).uniform());
        assert_ne!(first, draws.at(Role::Learn, 2).uniform());
        assert_ne!(first, draws.at(Role::Predict, 1).uniform());
    }

    #[test]
    fn members_have_draws_of_their_own() {
        let draws = Draws::named(&["x"]);
        let [a, b] = ["a", "b"].map(Draws::member);
        let mut first = draws.of(a).of(b).at(Role::Learn, 1);
        assert_eq!(first.uniform(), draws.at(Role::Learn, 1).of(a).of(b).uniform());
        let others = [draws.of(a), draws.of(b), draws.of(b).of(a), draws.clone()];
        assert!(others.iter().all(|other| other.at(Role::Learn, 1).uniform() != first.uniform()));
    }

    /// Mean of 100,000 uniforms over rounds within 5 standard errors (false-alarm rate 6e-7).
    #[test]
    fn uniform_across_rounds() {
        let draws = Draws::named(&["mean"]);
        let n = 100_000;
        let mean = (0..n).map(|t| draws.at(Role::Learn, t).uniform()).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0 / n as f64).sqrt(), "{mean}");
    }

    #[test]
    fn permutation_is_one() {
        let mut order = Draws::named(&["p"]).at(Role::Start, 0).permutation(100);
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &v)| i == v));
    }
}
