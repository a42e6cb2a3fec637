//! The look of a label: the same in every figure. The hue stands for the family of the learner, the lightness for its
//! order, dashes for tuned parameters and other variants.
//!
//! Labels of the papers' experiments are listed. The labels of other projects get their hue from the learner's family
//! and everything else from their letters, so that they look the same in every figure, too.

use noregret_core::learner::LEARNERS;
use noregret_core::learner::about::Kin;

use super::palette::Dash::{self, DashDot, Dashed, Dotted, Solid};
use super::palette::Hue::{self, Blue, Green, Ink, Magenta, Olive, Purple, Teal, Vermilion};
use super::palette::Marker::{self, Circle, Diamond, Nabla, Square, Triangle};
use super::palette::{STEPS, Style};

/// What the look of a curve follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NamedCurve<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Its label, which may be a part of the name.
    pub label: &'a str,
    /// The registered name of its learner; empty if it has none.
    pub learner: &'a str,
    /// Its number among the curves of this label in one panel, such as those of several streams.
    pub(crate) number: usize,
}

/// The look of a label, or of the labels that begin with these words.
struct LabelLook(&'static str, Hue, usize, Dash, Marker);

/// The looks of listed labels. Of several that fit, the longest one counts.
const LOOKS: &[LabelLook] = &[
    // Exact regression, and what everything else is compared with.
    LabelLook("KRR", Ink, 0, Solid, Circle),
    LabelLook("KRR to", Ink, 2, Dashed, Square),
    LabelLook("Kernel-AWV", Ink, 1, DashDot, Diamond),
    LabelLook("Kernel-AWV, lambda mixed", Ink, 3, Dashed, Triangle),
    LabelLook("lambda = n", Vermilion, 2, Dashed, Square),
    LabelLook("exact kernel", Ink, 0, Solid, Circle),
    LabelLook("exact Kernel-AWV", Ink, 0, Solid, Diamond),
    LabelLook("exact Kernel-AWV, b = 0.5", Olive, 2, Dashed, Circle),
    LabelLook("exact Kernel-AWV, b = 1", Blue, 2, Dashed, Circle),
    LabelLook("exact Kernel-AWV, b = 2", Purple, 2, Dashed, Circle),
    LabelLook("noise-free", Ink, 0, Solid, Circle),
    LabelLook("the others", Ink, 3, Solid, Square),
    LabelLook("least squares", Ink, 0, Solid, Circle),
    LabelLook("least squares, expected", Ink, 3, Dotted, Circle),
    // Taylor features: the higher the order, the darker.
    LabelLook("PKRR Taylor M=1", Magenta, 3, Solid, Circle),
    LabelLook("PKRR Taylor M=2", Blue, 3, Solid, Square),
    LabelLook("PKRR Taylor M=3", Blue, 2, Solid, Triangle),
    LabelLook("PKRR Taylor M=4", Blue, 0, Solid, Nabla),
    LabelLook("PKAWV Taylor", Blue, 1, Solid, Square),
    LabelLook("PKAWV Taylor M=2", Blue, 3, DashDot, Square),
    LabelLook("PKAWV Taylor M=3", Blue, 2, DashDot, Triangle),
    LabelLook("PKAWV Taylor M=4", Blue, 0, DashDot, Nabla),
    LabelLook("b = 0.5", Olive, 2, Solid, Square),
    LabelLook("b = 1", Blue, 2, Solid, Triangle),
    LabelLook("b = 2", Purple, 2, Solid, Nabla),
    // Nystrom features: the larger the dictionary, the darker.
    LabelLook("PKRR Nystrom", Teal, 2, Solid, Diamond),
    LabelLook("PKRR Nystrom, weights 1/p", Teal, 0, Dashed, Diamond),
    LabelLook("PKAWV Nystrom", Teal, 1, Dashed, Diamond),
    LabelLook("PKAWV Nystrom, mu = 0.1", Teal, 0, Solid, Circle),
    LabelLook("PKAWV Nystrom, mu = 1", Teal, 2, Solid, Square),
    LabelLook("PKAWV Nystrom, mu = 3", Teal, 3, Dashed, Diamond),
    LabelLook("PKAWV Nystrom, mu = 10", Green, 3, DashDot, Triangle),
    LabelLook("PKAWV, sequential", Teal, 2, Solid, Square),
    LabelLook("PKAWV, beforehand", Blue, 2, Solid, Triangle),
    LabelLook("sequential", Teal, 2, Solid, Square),
    LabelLook("sequential, at the knee", Teal, 0, Solid, Circle),
    LabelLook("sequential, below the knee", Teal, 2, Dashed, Square),
    LabelLook("sequential, one point", Teal, 3, Dotted, Triangle),
    LabelLook("beforehand", Blue, 2, Solid, Triangle),
    LabelLook("beforehand, at the knee", Blue, 0, Solid, Circle),
    LabelLook("beforehand, below the knee", Blue, 2, Dashed, Square),
    LabelLook("beforehand, one point", Blue, 3, Dotted, Triangle),
    // Gradient descent.
    LabelLook("FOGD", Vermilion, 3, Solid, Circle),
    LabelLook("Kernel OGD", Vermilion, 1, Solid, Square),
    LabelLook("NOGD", Magenta, 3, Solid, Triangle),
    LabelLook("linear OGD", Vermilion, 2, DashDot, Diamond),
    // Online Newton steps.
    LabelLook("KONS", Purple, 0, Solid, Circle),
    LabelLook("Sketched-KONS", Purple, 1, Solid, Diamond),
    LabelLook("Pros-N-KONS", Purple, 3, Solid, Nabla),
    LabelLook("Pros-N-KONS, authors' code", Purple, 2, DashDot, Nabla),
    // Rules that look at targets alone.
    LabelLook("constant", Ink, 3, Dotted, Circle),
    LabelLook("running-mean", Ink, 3, Dashed, Square),
    LabelLook("last-value", Ink, 3, DashDot, Triangle),
    LabelLook("majority", Ink, 3, Solid, Diamond),
    LabelLook("neighbours", Ink, 2, Dotted, Nabla),
    LabelLook("auto", Vermilion, 0, Solid, Circle),
    // Mixtures.
    LabelLook("one lambda", Blue, 2, Solid, Square),
    LabelLook("aggregating algorithm", Vermilion, 2, Solid, Circle),
    LabelLook("mixture of all", Olive, 2, Dashed, Diamond),
    // Aggregated forecasts, the form of regrets in dashes, and intervals.
    LabelLook("EWA", Olive, 2, Solid, Circle),
    LabelLook("EWA, loss", Olive, 3, Dashed, Circle),
    LabelLook("BOA", Blue, 2, Solid, Square),
    LabelLook("BOA, loss", Blue, 3, Dashed, Square),
    LabelLook("ML-Poly", Teal, 2, Solid, Triangle),
    LabelLook("Fixed-Share", Vermilion, 3, Solid, Diamond),
    LabelLook("best in hindsight", Magenta, 0, Dashed, Nabla),
    LabelLook("forecast 1", Blue, 2, Solid, Circle),
    LabelLook("forecast 2", Vermilion, 3, Solid, Square),
    LabelLook("forecast 3", Teal, 2, Solid, Triangle),
    LabelLook("forecast 4", Purple, 2, Solid, Diamond),
    LabelLook("forecast 5", Olive, 2, Solid, Nabla),
    // Families of members of `auto`, and what its losses are.
    LabelLook("averages", Ink, 3, Solid, Circle),
    LabelLook("linear", Blue, 2, Solid, Square),
    LabelLook("kernels", Teal, 2, Solid, Triangle),
    LabelLook("kernels, past", Purple, 2, Solid, Diamond),
    LabelLook("kernels, categories", Magenta, 2, Solid, Square),
    LabelLook("kernels, past and categories", Vermilion, 3, Solid, Nabla),
    LabelLook("second look", Olive, 2, Solid, Circle),
    LabelLook("squared error", Blue, 2, Solid, Circle),
    LabelLook("share of wrong labels", Vermilion, 3, Solid, Square),
    LabelLook("ACI", Blue, 2, Solid, Circle),
    LabelLook("tracking", Vermilion, 3, Solid, Square),
    LabelLook("betting", Teal, 2, Solid, Triangle),
    // Other losses and features beyond the papers.
    LabelLook("AIOLI", Purple, 2, Solid, Circle),
    LabelLook("AIOLI, lambda = 1", Purple, 3, DashDot, Nabla),
    LabelLook("AIOLI, C = 1", Purple, 3, Solid, Circle),
    LabelLook("AIOLI, C = 4", Blue, 2, Solid, Square),
    LabelLook("AIOLI, C = 16", Vermilion, 2, Solid, Triangle),
    LabelLook("coin betting", Olive, 2, Solid, Diamond),
    LabelLook("gradient descent", Vermilion, 2, Solid, Square),
    LabelLook("independent", Blue, 2, Solid, Circle),
    LabelLook("orthogonal", Vermilion, 2, Solid, Triangle),
    LabelLook("independent frequencies", Blue, 2, Solid, Circle),
    LabelLook("orthogonal frequencies", Vermilion, 2, Solid, Triangle),
    // Learners of other libraries.
    LabelLook("scikit-learn, random features", Purple, 2, Solid, Square),
    LabelLook("scikit-learn, Nystroem", Purple, 3, DashDot, Nabla),
    LabelLook("River, random features", Green, 2, Solid, Triangle),
    LabelLook("River, Mondrian forest", Teal, 2, Solid, Circle),
    LabelLook("River, random forest", Olive, 2, Solid, Diamond),
    LabelLook("River, tree", Green, 3, Solid, Nabla),
    LabelLook("River, neighbours", Magenta, 2, Solid, Square),
    LabelLook("Vowpal Wabbit", Olive, 3, Solid, Circle),
    // Noisy inputs.
    LabelLook("two copies (Alg. 1)", Blue, 2, Solid, Circle),
    LabelLook("known covariance (Alg. 2)", Teal, 2, Solid, Square),
    LabelLook("Alg. 2 as published", Green, 3, DashDot, Nabla),
    LabelLook("Alg. 2, step W / sqrt(T)", Teal, 0, Dotted, Diamond),
    LabelLook("Alg. 2, variance 2 told", Teal, 2, Solid, Square),
    LabelLook("Alg. 2, variance 4 told", Teal, 0, Dashed, Diamond),
    LabelLook("one naive copy", Vermilion, 3, Solid, Triangle),
    LabelLook("mean of 2 copies", Olive, 3, Solid, Square),
    LabelLook("mean of 4 copies", Olive, 2, Solid, Diamond),
    LabelLook("mean of 8 copies", Olive, 1, Solid, Nabla),
    LabelLook("surrogate kernel (Alg. 3)", Blue, 2, Solid, Circle),
    LabelLook("naive: no surrogate", Vermilion, 3, Solid, Triangle),
    LabelLook("the covariance known", Blue, 2, Solid, Circle),
    LabelLook("taken for isotropic", Olive, 2, Solid, Square),
    LabelLook("Algorithm 4", Blue, 2, Solid, Circle),
    LabelLook("single terms, geometric", Blue, 2, Solid, Circle),
    LabelLook("single terms, polynomial", Blue, 1, Dashed, Triangle),
    LabelLook("single terms, around an estimate", Blue, 3, DashDot, Diamond),
    LabelLook("all terms, geometric", Purple, 2, Solid, Square),
    LabelLook("all terms, polynomial", Purple, 1, Dashed, Nabla),
    LabelLook("all terms, around an estimate", Purple, 3, DashDot, Diamond),
    LabelLook("all terms kept", Purple, 2, Solid, Square),
    LabelLook("all terms kept, p = 1.5", Magenta, 2, Solid, Diamond),
    LabelLook("robust OGD (Huber)", Magenta, 1, Solid, Square),
    LabelLook("robust batch (Huber)", Magenta, 3, Dashed, Circle),
    // The two worlds that one copy does not tell apart.
    LabelLook("x = 3 or -1", Blue, 2, Solid, Circle),
    LabelLook("x = 1 behind noise", Vermilion, 3, Dashed, Triangle),
    LabelLook("dot product, p = 1.5", Blue, 3, Solid, Square),
    LabelLook("dot product, p = 2", Blue, 2, Solid, Triangle),
    LabelLook("dot product, p = 4", Blue, 0, Solid, Nabla),
    LabelLook("Gaussian, p = 2", Vermilion, 2, Solid, Diamond),
    // Infinite layers.
    LabelLook("draws of the proof", Blue, 2, Solid, Square),
    LabelLook("sampled, m = T", Vermilion, 3, Solid, Triangle),
    LabelLook("fixed m", Blue, 2, Solid, Square),
    LabelLook("adaptive m", Vermilion, 3, Solid, Circle),
    LabelLook("B = 1", Blue, 3, Solid, Square),
    LabelLook("B = 2", Blue, 2, Dashed, Triangle),
    LabelLook("B = 4", Blue, 0, DashDot, Nabla),
    // Theory, which is grey.
    LabelLook("PKAWV (theory)", Ink, 3, Solid, Circle),
    LabelLook("PKAWV, beforehand (theory)", Ink, 3, Dashed, Circle),
    LabelLook("Sketched-KONS (theory)", Ink, 3, DashDot, Circle),
    LabelLook("Pros-N-KONS (theory)", Ink, 3, Dotted, Circle),
    LabelLook("-2r/(2r+1)", Ink, 3, Solid, Circle),
    LabelLook("decreasing: at most -29/49", Ink, 3, Dashed, Circle),
    LabelLook("average: at most -4/5", Ink, 3, Dotted, Circle),
    LabelLook("constant step, exact", Blue, 2, Solid, Square),
    LabelLook("decreasing steps, exact", Vermilion, 3, Solid, Triangle),
    LabelLook("decreasing steps, measured", Vermilion, 1, Dotted, Diamond),
    LabelLook("average, exact", Teal, 2, Solid, Nabla),
    // Functions.
    LabelLook("absolute", Ink, 0, Solid, Circle),
    LabelLook("smoothed absolute, c = 1", Blue, 3, Solid, Square),
    LabelLook("smoothed absolute, c = 2", Blue, 1, Dashed, Triangle),
    LabelLook("hinge", Ink, 0, Solid, Circle),
    LabelLook("smoothed hinge, c = 1", Vermilion, 3, Solid, Square),
    LabelLook("smoothed hinge, c = 2", Vermilion, 1, Dashed, Triangle),
    LabelLook("g", Ink, 0, Solid, Circle),
    LabelLook("k, c = 2", Blue, 3, Solid, Square),
    LabelLook("k, c = 4", Blue, 1, Dashed, Triangle),
    LabelLook("found", Blue, 2, Solid, Circle),
    LabelLook("printed form", Vermilion, 3, Solid, Triangle),
    LabelLook("corrected form", Teal, 2, Solid, Circle),
    // Verdicts, in the colours that pages have for them.
    LabelLook("matches", Teal, 2, Solid, Circle),
    LabelLook("faster", Green, 2, Solid, Triangle),
    LabelLook("steeper", Vermilion, 3, Solid, Diamond),
    LabelLook("inconclusive", Purple, 2, Solid, Square),
    LabelLook("not testable here", Ink, 3, Solid, Nabla),
    LabelLook("local slope", Blue, 2, Solid, Circle),
    // Windows of robust losses.
    LabelLook("Fair", Blue, 2, Solid, Square),
    LabelLook("Cauchy", Teal, 3, Solid, Triangle),
    LabelLook("Welsch", Vermilion, 3, Solid, Diamond),
    LabelLook("Welsch, fixed scale", Vermilion, 1, DashDot, Diamond),
    LabelLook("Geman-McClure", Purple, 2, Solid, Nabla),
    LabelLook("Tukey", Olive, 3, Solid, Circle),
    LabelLook("Huber", Magenta, 2, Dashed, Square),
    LabelLook("batch, least squares", Ink, 0, Solid, Circle),
    LabelLook("batch, Welsch", Vermilion, 3, Dashed, Diamond),
    LabelLook("batch, Tukey", Olive, 3, Dotted, Triangle),
    LabelLook("batch, Welsch, scale 1/2", Vermilion, 2, Solid, Diamond),
    LabelLook("batch, Tukey, scale 1/2", Olive, 2, Solid, Triangle),
    LabelLook("online, least squares", Ink, 2, Solid, Square),
    LabelLook("online, Welsch", Vermilion, 1, DashDot, Nabla),
];

/// The hue of a kind of learners.
fn hue(kin: Kin) -> Hue {
    match kin {
        Kin::Exact | Kin::Baseline => Ink,
        Kin::Taylor => Blue,
        Kin::Nystrom => Teal,
        Kin::Fourier => Green,
        Kin::Gradient => Vermilion,
        Kin::Newton => Purple,
        Kin::Mixture | Kin::Noisy => Olive,
        Kin::Layers | Kin::Robust => Magenta,
    }
}

/// The styles of curves that are shown together, in their order. A look that would be taken for that of a curve before it
/// changes its dashes, then its lightness.
pub(crate) fn styles(curves: &[NamedCurve<'_>]) -> Vec<Style> {
    let mut given: Vec<(&str, Style)> = Vec::new();
    let mut found = Vec::new();
    for curve in curves {
        if let Some((_, style)) = given.iter().find(|(name, _)| *name == curve.name) {
            found.push(*style);
            continue;
        }
        let wanted = listed(curve.label).unwrap_or_else(|| unlisted(curve));
        let style = free(wanted, curve.number, &given);
        given.push((curve.name, style));
        found.push(style);
    }
    found
}

/// The look of a listed label, or of one with a listed beginning.
fn listed(label: &str) -> Option<(Hue, usize, Style)> {
    let begins = |words: &str| {
        label.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':', '/']))
    };
    let LabelLook(words, hue, step, dash, marker) =
        LOOKS.iter().filter(|look| begins(look.0)).max_by_key(|look| look.0.len())?;
    let rest = &label[words.len()..];
    let tuned = rest.contains("tuned");
    // Another step size of the same learner.
    let scaled = rest.contains(" x theory step") && !rest.contains(", 1 x theory step");
    let dash = if tuned || scaled { Dashed } else { *dash };
    let step = if scaled { (step + STEPS - 1) % STEPS } else { *step };
    Some((*hue, step, Style { color: hue.step(step), dash, marker: *marker, hollow: tuned || scaled }))
}

/// The look of a label that is not listed: the hue of its learner, the rest by its letters (FNV-1a).
fn unlisted(curve: &NamedCurve<'_>) -> (Hue, usize, Style) {
    let hash = curve
        .label
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let pick = |shift: u32, of: usize| ((hash >> shift) % of as u64) as usize;
    let kin = LEARNERS.get(curve.learner).and_then(|entry| entry.build.about.kin);
    let hue = kin.map_or(Hue::ALL[pick(40, Hue::ALL.len())], hue);
    // The learner's own name has the plain look of its family.
    let plain = curve.label == curve.learner;
    let (step, dash) = if plain { (2, Solid) } else { (pick(16, STEPS), Dash::ALL[pick(24, 2)]) };
    let marker = Marker::ALL[pick(32, Marker::ALL.len())];
    (hue, step, Style { color: hue.step(step), dash, marker, hollow: false })
}

/// The wanted look, or the next one that is not taken.
fn free((hue, step, wanted): (Hue, usize, Style), number: usize, given: &[(&str, Style)]) -> Style {
    let at = |list: &[Dash], dash: Dash| list.iter().position(|one| *one == dash).unwrap_or_default();
    let (dashes, markers) = (Dash::ALL, Marker::ALL);
    let first = at(&dashes, wanted.dash) + number;
    let marker = markers.iter().position(|one| *one == wanted.marker).unwrap_or_default();
    let variants = (0..STEPS).flat_map(|lighter| (0..dashes.len()).map(move |more| (lighter, more)));
    let styles = variants.enumerate().map(|(tried, (lighter, more))| Style {
        color: hue.step(step + lighter),
        dash: dashes[(first + more) % dashes.len()],
        marker: markers[(marker + number + tried) % markers.len()],
        hollow: wanted.hollow,
    });
    let mut styles = styles.filter(|style| given.iter().all(|(_, other)| !style.resembles(other)));
    // Of more than sixteen curves of one hue, some look alike.
    styles.next().unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'a>(label: &'a str, learner: &'a str) -> NamedCurve<'a> {
        NamedCurve { name: label, label, learner, number: 0 }
    }

    #[test]
    fn a_label_looks_the_same_beside_any_others() {
        let alone = styles(&[named("PKRR Taylor M=3", "pkrr-taylor")])[0];
        let labels = ["FOGD", "KRR", "PKRR Taylor M=3", "FOGD, tuned"];
        let together = styles(&labels.map(|label| named(label, "")));
        assert_eq!(together[2], alone);
        assert!(together[0].color != together[1].color, "FOGD and KRR");
        assert_eq!(together[0].color, together[3].color, "a tuned learner keeps its colour");
        assert!(together[0].dash != together[3].dash && together[3].hollow);
    }

    #[test]
    fn the_longest_beginning_counts() {
        assert_eq!(listed("KRR to 1e-8").unwrap().2.dash, Dashed);
        assert_eq!(listed("Fair, scale 2").unwrap().0, Blue);
        assert!(listed("KRRs").is_none() && listed("my own").is_none());
    }

    #[test]
    fn unlisted_labels_have_the_hue_of_their_learner() {
        let one = styles(&[named("mine", "fogd"), named("other", "fogd"), named("fogd", "fogd")]);
        for (index, style) in one.iter().enumerate() {
            assert!((0..STEPS).any(|step| Vermilion.step(step) == style.color), "{style:?}");
            assert!(one[..index].iter().all(|other| !style.resembles(other)));
        }
        assert_eq!(styles(&[named("mine", "fogd")])[0], one[0]);
    }

    #[test]
    fn curves_of_one_label_differ_by_their_dashes() {
        let of =
            |number| NamedCurve { name: if number == 0 { "a, s" } else { "a, t" }, label: "FOGD", learner: "", number };
        let [first, second] = styles(&[of(0), of(1)])[..] else { panic!("two curves have two looks") };
        assert!(first.color == second.color && first.dash != second.dash);
    }

    /// A look that is listed twice, or that two labels share, would be found by no reader of this file.
    #[test]
    fn no_label_is_listed_twice() {
        for (index, look) in LOOKS.iter().enumerate() {
            assert!(LOOKS[..index].iter().all(|other| other.0 != look.0), "{} is listed twice", look.0);
        }
    }
}
