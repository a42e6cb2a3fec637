//! The bank: the members of `auto`, one line each.

use std::fmt;
use std::sync::LazyLock;

use crate::learner::api::WEIGHTS;
use crate::view::ViewKind;

use Sees::{Categories, Past, PastCategories, Plain};

/// The views, in the order of [`VIEWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// The columns.
    Plain,
    /// The columns and past targets.
    Past,
    /// The columns, with categories as indicators.
    Categories,
    /// The same and past targets.
    PastCategories,
}

/// What each view shows.
pub(crate) const VIEWS: [ViewKind; 4] = [
    ViewKind { past: false, categories: false },
    ViewKind { past: true, categories: false },
    ViewKind { past: false, categories: true },
    ViewKind { past: true, categories: true },
];

/// How a member forecasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MemberRule {
    /// The mean of the targets.
    Mean,
    /// The last target.
    Last,
    /// Ridge regression on the view.
    Linear {
        /// lambda.
        lambda: f64,
        /// The number of rows that count; infinite: all.
        memory: f64,
    },
    /// Ridge regression on the view, and a steeper link over it.
    Linked {
        /// lambda.
        lambda: f64,
        /// The number of rows that count; infinite: all.
        memory: f64,
    },
    /// Ridge regression over a Gaussian kernel's landmarks.
    Kernel {
        /// The bandwidth, in medians of the distance of two rows.
        bandwidth: f64,
        /// lambda.
        lambda: f64,
        /// The number of rows that count; infinite: all.
        memory: f64,
    },
    /// The mean of the targets of the 5 or 15 nearest among the newest rows.
    Neighbours(usize),
}

/// A member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BankMember {
    /// Its name.
    pub name: &'static str,
    /// What it sees.
    pub sees: Sees,
    /// How it forecasts.
    pub rule: MemberRule,
}

/// The families of members, of which the weights are shown: means of targets (all, the last one, the neighbours'), linear
/// members and kernels by their view, and the second look at the mean of all of these.
pub const FAMILIES: [&str; WEIGHTS] = [
    "averages",
    "linear",
    "past-linear",
    "categories-linear",
    "past-categories-linear",
    "kernel",
    "past-kernel",
    "categories-kernel",
    "past-categories-kernel",
    "second-look",
];

/// The place of the second look in [`FAMILIES`].
pub(crate) const SECOND_LOOK: usize = WEIGHTS - 1;

impl BankMember {
    /// The place of its family in [`FAMILIES`].
    pub(crate) fn family(&self) -> usize {
        let view = self.sees as usize;
        match self.rule {
            MemberRule::Mean | MemberRule::Last | MemberRule::Neighbours(_) => 0,
            MemberRule::Linear { .. } | MemberRule::Linked { .. } => 1 + view,
            MemberRule::Kernel { .. } => 1 + VIEWS.len() + view,
        }
    }
}

const ALL: f64 = f64::INFINITY;

const fn member(name: &'static str, sees: Sees, rule: MemberRule) -> BankMember {
    BankMember { name, sees, rule }
}

const fn linear(lambda: f64, memory: f64) -> MemberRule {
    MemberRule::Linear { lambda, memory }
}

const fn kernel(bandwidth: f64, lambda: f64, memory: f64) -> MemberRule {
    MemberRule::Kernel { bandwidth, lambda, memory }
}

/// All members.
pub(crate) const BANK: &[BankMember] = &[
    member("mean", Plain, MemberRule::Mean),
    member("last", Plain, MemberRule::Last),
    member("linear", Plain, linear(0.1, ALL)),
    member("linear-300", Plain, linear(0.1, 300.0)),
    member("linear-50", Plain, linear(0.3, 50.0)),
    member("linked", Plain, MemberRule::Linked { lambda: 0.1, memory: ALL }),
    member("linked-1000", Plain, MemberRule::Linked { lambda: 0.1, memory: 1000.0 }),
    member("linked-300", Plain, MemberRule::Linked { lambda: 0.1, memory: 300.0 }),
    member("past-linear", Past, linear(0.1, ALL)),
    member("past-linear-300", Past, linear(0.1, 300.0)),
    member("past-linear-50", Past, linear(0.3, 50.0)),
    member("categories-linear", Categories, linear(0.1, ALL)),
    member("categories-linear-300", Categories, linear(0.1, 300.0)),
    member("categories-linear-50", Categories, linear(0.3, 50.0)),
    member("past-categories-linear", PastCategories, linear(0.1, ALL)),
    member("past-categories-linear-300", PastCategories, linear(0.1, 300.0)),
    member("past-categories-linear-50", PastCategories, linear(0.3, 50.0)),
    member("kernel-0.5", Plain, kernel(0.5, 0.03, ALL)),
    member("kernel-0.5-smooth", Plain, kernel(0.5, 0.3, ALL)),
    member("kernel-1-sharp", Plain, kernel(1.0, 0.003, ALL)),
    member("kernel-1", Plain, kernel(1.0, 0.03, ALL)),
    member("kernel-1-smooth", Plain, kernel(1.0, 0.3, ALL)),
    member("kernel-1-500", Plain, kernel(1.0, 0.1, 500.0)),
    member("kernel-2-sharp", Plain, kernel(2.0, 0.003, ALL)),
    member("kernel-2", Plain, kernel(2.0, 0.03, ALL)),
    member("kernel-2-smooth", Plain, kernel(2.0, 0.3, ALL)),
    member("kernel-2-500", Plain, kernel(2.0, 0.1, 500.0)),
    member("kernel-4-sharp", Plain, kernel(4.0, 0.003, ALL)),
    member("kernel-4", Plain, kernel(4.0, 0.03, ALL)),
    member("past-kernel-1", Past, kernel(1.0, 0.03, ALL)),
    member("past-kernel-1-500", Past, kernel(1.0, 0.03, 500.0)),
    member("past-kernel-2", Past, kernel(2.0, 0.03, ALL)),
    member("categories-kernel-0.7-sharp", Categories, kernel(0.7, 0.01, ALL)),
    member("categories-kernel-0.7", Categories, kernel(0.7, 0.1, ALL)),
    member("categories-kernel-0.7-500", Categories, kernel(0.7, 0.1, 500.0)),
    member("categories-kernel-1.4-sharp", Categories, kernel(1.4, 0.01, ALL)),
    member("categories-kernel-1.4", Categories, kernel(1.4, 0.1, ALL)),
    member("past-categories-kernel-0.7-sharp", PastCategories, kernel(0.7, 0.01, ALL)),
    member("past-categories-kernel-0.7", PastCategories, kernel(0.7, 0.1, ALL)),
    member("past-categories-kernel-0.7-500", PastCategories, kernel(0.7, 0.1, 500.0)),
    member("past-categories-kernel-1.4-sharp", PastCategories, kernel(1.4, 0.01, ALL)),
    member("past-categories-kernel-1.4", PastCategories, kernel(1.4, 0.1, ALL)),
    member("neighbours-5", Plain, MemberRule::Neighbours(5)),
    member("neighbours-15", Plain, MemberRule::Neighbours(15)),
];

/// A line for each member: its name, what it sees, and how it forecasts.
pub(crate) fn described() -> Vec<String> {
    let width = BANK.iter().map(|member| member.name.len()).max().unwrap_or(0);
    let line = |BankMember { name, sees, rule }: &BankMember| match rule {
        MemberRule::Mean | MemberRule::Last => format!("{name:width$}  {rule}"),
        _ => format!("{name:width$}  {rule}, of {sees}"),
    };
    BANK.iter().map(line).collect()
}

impl fmt::Display for Sees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Plain => "the columns",
            Past => "the columns and past targets",
            Categories => "the columns with categories",
            PastCategories => "the columns with categories and past targets",
        })
    }
}

impl fmt::Display for MemberRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = |memory: f64| if memory == ALL { String::new() } else { format!(", memory {memory}") };
        match *self {
            MemberRule::Mean => f.write_str("mean of the targets"),
            MemberRule::Last => f.write_str("last target"),
            MemberRule::Linear { lambda, memory: rows } => write!(f, "linear, lambda {lambda}{}", memory(rows)),
            MemberRule::Linked { lambda, memory: rows } => {
                write!(f, "linear with a link, lambda {lambda}{}", memory(rows))
            }
            MemberRule::Kernel { bandwidth, lambda, memory: rows } => {
                write!(f, "Gaussian kernel, bandwidth {bandwidth} medians, lambda {lambda}{}", memory(rows))
            }
            MemberRule::Neighbours(count) => write!(f, "mean of the {count} nearest"),
        }
    }
}

/// Whether a member sees neither past targets nor categories.
fn is_plain(member: &BankMember) -> bool {
    matches!(member.sees, Plain)
}

/// Whether a member has neither a kernel nor neighbours.
fn is_linear(member: &BankMember) -> bool {
    !matches!(member.rule, MemberRule::Kernel { .. } | MemberRule::Neighbours(_))
}

/// The members that see neither past targets nor categories.
pub(crate) static PLAIN: LazyLock<Vec<BankMember>> = LazyLock::new(|| BANK.iter().copied().filter(is_plain).collect());

/// The members without kernels and neighbours.
pub(crate) static LINEAR: LazyLock<Vec<BankMember>> =
    LazyLock::new(|| BANK.iter().copied().filter(is_linear).collect());

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, views and parameters are those of the table; nothing is left out.
    #[test]
    fn every_member_is_described() {
        let lines = described();
        assert_eq!(lines.len(), BANK.len());
        for (line, BankMember { name, .. }) in lines.iter().zip(BANK) {
            assert!(line.starts_with(&format!("{name} ")), "{line}");
        }
        let of = |name: &str| lines[BANK.iter().position(|member| member.name == name).unwrap()].clone();
        assert!(of("mean").ends_with("  mean of the targets"));
        let kernel = "Gaussian kernel, bandwidth 0.7 medians, lambda 0.1, memory 500, of the columns with categories";
        assert!(of("past-categories-kernel-0.7-500").ends_with(&format!("  {kernel} and past targets")));
        assert!(of("linear-50").ends_with("  linear, lambda 0.3, memory 50, of the columns"));
        assert!(of("linked").ends_with("  linear with a link, lambda 0.1, of the columns"));
        assert!(of("neighbours-15").ends_with("  mean of the 15 nearest, of the columns"));
    }

    #[test]
    fn names_are_different_and_subsets_are_whole() {
        let names: std::collections::BTreeSet<&str> = BANK.iter().map(|member| member.name).collect();
        assert_eq!(names.len(), BANK.len());
        assert_eq!(PLAIN.len(), BANK.iter().filter(|member| is_plain(member)).count());
        assert_eq!(LINEAR.len(), BANK.iter().filter(|member| is_linear(member)).count());
        assert!(PLAIN.iter().all(is_plain) && LINEAR.iter().all(is_linear));
    }

    /// A member of a family is called like it, up to what tells the members apart; averages have names of their own.
    #[test]
    fn families_are_named_like_their_members() {
        for member in BANK {
            let name = member.name.replace("linked", "linear");
            let rest = |family: &&str| name.strip_prefix(*family).map(str::to_owned);
            let named = |family: &&str| rest(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            let family = FAMILIES.iter().position(named).unwrap_or(0);
            assert_eq!(member.family(), family, "{name}");
            assert!(member.family() < SECOND_LOOK);
        }
    }
}
