//! The members of `auto` in an epoch: made anew from all rows so far, then playing on.

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _};

use crate::learner::auto::bank::{BankMember, MemberRule, VIEWS};
use crate::learner::auto::features::{LandmarkFeatures, unit};
use crate::learner::auto::group::MemberGroup;
use crate::learner::auto::model::middle;
use crate::learner::baseline::nearest::Nearest;
use crate::view::{ColumnKind, PAST, View};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::meter::{CpuMeter, join};
use noregret_numeric::state::{State as _, StateError, Store};

/// Kernels and neighbours begin at this many rows.
const KERNELS_FROM: usize = 8;

/// Neighbours are looked for among this many rows.
const NEAREST: usize = 1000;

/// How many of the nearest rows a mean is of.
const NEIGHBOURS: [usize; 2] = [5, 15];

/// From so many rows on, groups of members play side by side where threads are idle. Each does the same in any case.
const WORTH_SHARING: usize = 16;

/// An epoch.
#[derive(Default)]
pub(crate) struct Epoch {
    /// The mean of the targets before it.
    centre: f64,
    views: [Option<View>; 4],
    groups: Vec<MemberGroup>,
    nearest: Option<Nearest>,
}

/// Rows before an epoch.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a> {
    /// What the columns are.
    pub columns: &'a [ColumnKind],
    /// Rows, each with its past targets.
    pub rows: Rows<'a>,
    /// Their targets.
    pub targets: &'a [f64],
    /// The number of all rows so far, which names the epoch's draws.
    pub count: u64,
}

/// What the features of a member are: the view that it sees, and the bandwidth of a kernel; none for other members.
fn key(member: &BankMember) -> Option<(usize, Option<f64>)> {
    match member.rule {
        MemberRule::Linear { .. } | MemberRule::Linked { .. } => Some((member.sees as usize, None)),
        MemberRule::Kernel { bandwidth, .. } => Some((member.sees as usize, Some(bandwidth))),
        MemberRule::Mean | MemberRule::Last | MemberRule::Neighbours(_) => None,
    }
}

/// The kinds of features that the bank needs: view after view, and in the order of the bank.
fn keys(bank: &[BankMember]) -> Vec<(usize, Option<f64>)> {
    let mut keys = Vec::new();
    for key in bank.iter().filter_map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_by_key(|(view, _)| *view);
    keys
}

impl Epoch {
    /// The epoch that begins after these rows.
    pub(crate) fn new(bank: &[BankMember], draws: &Draws, before: &Before<'_>) -> Self {
        let Before { columns, rows, targets, .. } = *before;
        let centre = targets.iter().sum::<f64>() / targets.len() as f64;
        let views = VIEWS.map(|kind| View::of(kind, columns, rows));
        let mut epoch = Self { centre, views, ..Self::default() };
        for view in 0..VIEWS.len() {
            epoch.add(view, bank, draws, before);
        }
        epoch
    }

    /// Makes the members that see a view, from the rows.
    fn add(&mut self, place: usize, bank: &[BankMember], draws: &Draws, before: &Before<'_>) {
        let Some(view) = &self.views[place] else { return };
        let draw = |what: &str| draws.of(Draws::member(what)).of(place as u64).at(Role::Start, before.count);
        // The first row of all has no past targets.
        let first = before.rows.row(0)[before.columns.len()];
        let from = usize::from(VIEWS[place].past && first.is_nan());
        let (rows, targets) = (before.rows.slice(from, before.rows.rows()), &before.targets[from..]);
        let seen = view.all(rows);
        let (middle, scale) = middle(targets);
        let kernels = targets.len() >= KERNELS_FROM;
        let unit = kernels.then(|| unit(&seen, &mut draw("distances"))).flatten();
        let centred: Vec<f64> = targets.iter().map(|y| y - self.centre).collect();
        let make = |of: (usize, Option<f64>)| {
            let features = match (of.1, unit) {
                (None, _) => LandmarkFeatures::linear(seen.cols()),
                (Some(bandwidth), Some(unit)) => {
                    LandmarkFeatures::kernel(bandwidth * unit, &seen, &mut draw(&format!("landmarks {bandwidth}")))
                }
                (Some(_), None) => None,
            };
            let own = bank.iter().enumerate().filter(|(_, member)| key(member) == Some(of));
            let mut group = MemberGroup::new(place, features?, own, (middle - self.centre, scale));
            group.learn(seen.view(), &centred);
            Some(group)
        };
        let kinds: Vec<_> = keys(bank).into_iter().filter(|(view, _)| *view == place).collect();
        let meter = CpuMeter::current();
        let groups: Vec<Option<MemberGroup>> = match targets.len() < WORTH_SHARING {
            true => kinds.into_iter().map(make).collect(),
            false => kinds.into_par_iter().map(|kind| meter.charge(|| make(kind))).collect(),
        };
        self.groups.extend(groups.into_iter().flatten());
        if place == 0 && kernels && bank.iter().any(|member| matches!(member.rule, MemberRule::Neighbours(_))) {
            let mut nearest = Nearest::new(NEAREST, seen.cols());
            let from = targets.len().saturating_sub(NEAREST);
            (from..targets.len()).for_each(|i| nearest.push(seen.row(i), targets[i]));
            self.nearest = Some(nearest);
        }
    }

    /// Plays rows, and writes the forecast of member k for row i to `out[i][k]`; what is asleep stays as it is.
    pub(crate) fn play(&mut self, bank: &[BankMember], rows: Rows<'_>, targets: &[f64], out: &mut Matrix) {
        let centre = self.centre;
        let centred: Vec<f64> = targets.iter().map(|y| y - centre).collect();
        let seen = self.views.each_ref().map(|view| view.as_ref().map(|view| view.all(rows)));
        let groups = &mut self.groups;
        let play = |group: &mut MemberGroup| {
            if let Some(seen) = &seen[group.view] {
                group.play(seen.view(), &centred);
            }
        };
        let mut near = Vec::new();
        let nearest = &mut self.nearest;
        let look = || {
            if let (Some(nearest), Some(seen)) = (nearest, &seen[0]) {
                for (z, y) in seen.view().iter().zip(targets) {
                    near.push(nearest.means(z, NEIGHBOURS));
                    nearest.push(z, *y);
                }
            }
        };
        if targets.len() < WORTH_SHARING {
            groups.iter_mut().for_each(play);
            look();
        } else {
            let meter = CpuMeter::current();
            join(|| groups.par_iter_mut().for_each(|group| meter.charge(|| play(group))), look);
        }
        for group in groups.iter().filter(|group| seen[group.view].is_some()) {
            for (k, said) in group.said(targets.len()) {
                said.iter().enumerate().for_each(|(i, forecast)| out.row_mut(i)[k] = forecast + centre);
            }
        }
        near.into_iter().enumerate().for_each(|(i, means)| give_near(means, bank, out.row_mut(i)));
    }

    /// Writes the forecasts for one row, as [`play`](Epoch::play) does, and learns nothing.
    pub(crate) fn predict(&self, bank: &[BankMember], row: &[f64], draw: &mut Draw, out: &mut [f64]) {
        let seen = self.views.each_ref().map(|view| {
            let mut z = Vec::new();
            view.as_ref().map(|view| view.write(row, &mut z)).map(|()| z)
        });
        for group in &self.groups {
            let Some(z) = &seen[group.view] else { continue };
            // Before the first target there are no past ones.
            if z.iter().any(|z| z.is_nan()) {
                continue;
            }
            group.predict(z, draw, |k, forecast| {
                let forecast = forecast + self.centre;
                out[k] = if forecast.is_finite() { forecast } else { f64::NAN };
            });
        }
        if let (Some(nearest), Some(z)) = (&self.nearest, &seen[0]) {
            give_near(nearest.means(z, NEIGHBOURS), bank, out);
        }
    }

    /// Whether more than `share` of these rows have a number that is clipped, in one and the same column.
    pub(crate) fn clips(&self, rows: Rows<'_>, share: f64) -> bool {
        self.views[0].as_ref().is_some_and(|view| view.clips(rows, rows.cols() - PAST, share))
    }

    /// The largest number of features, and bytes of the members.
    pub(crate) fn size(&self) -> (u64, u64) {
        let most = self.groups.iter().map(|group| group.features.count()).max().unwrap_or(0);
        let bytes = self.groups.iter().map(MemberGroup::bytes).sum::<u64>();
        (most as u64, bytes + self.nearest.as_ref().map_or(0, Nearest::bytes))
    }

    /// Saves or loads an epoch over rows of these columns; what loads is [`Epoch::default`].
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    pub(crate) fn state(&mut self, bank: &[BankMember], columns: usize, store: &mut Store) -> Result<(), StateError> {
        store.keep("centre", &mut self.centre)?;
        for (i, view) in self.views.iter_mut().enumerate() {
            some(store, &format!("view_{i}"), view, View::default, |view, store| {
                view.state(store)?;
                store.check(view.fits(columns + PAST), "names columns that are not there")
            })?;
        }
        let mut groups = std::mem::take(&mut self.groups).into_iter().peekable();
        for (i, of) in keys(bank).into_iter().enumerate() {
            let kernel = of.1.is_some();
            let width = self.views[of.0].as_ref().map_or(0, View::width);
            let is_next = |group: &MemberGroup| group.first().and_then(|k| key(&bank[k])) == Some(of);
            let mut group = groups.next_if(is_next);
            let own = || bank.iter().enumerate().filter(|(_, member)| key(member) == Some(of));
            let fresh = || MemberGroup::new(of.0, LandmarkFeatures::empty(width, kernel), own(), (0.0, 1.0));
            some(store, &format!("group_{i}"), &mut group, fresh, |group, store| {
                store.check(width > 0, "sees a view that is not there")?;
                store.keep("features", &mut group.features)?;
                if store.is_loading() {
                    let features = std::mem::replace(&mut group.features, LandmarkFeatures::empty(width, kernel));
                    *group = MemberGroup::new(of.0, features, own(), (0.0, 1.0));
                }
                group.state(bank, store)
            })?;
            self.groups.extend(group);
        }
        let width = self.views[0].as_ref().map_or(0, View::width);
        some(
            store,
            "nearest",
            &mut self.nearest,
            || Nearest::new(NEAREST, width),
            |nearest, store| nearest.state(store),
        )
    }
}

/// Saves or loads a part that may be absent; what is loaded begins as `fresh`.
fn some<T>(
    store: &mut Store,
    name: &str,
    part: &mut Option<T>,
    fresh: impl FnOnce() -> T,
    visit: impl FnOnce(&mut T, &mut Store) -> Result<(), StateError>,
) -> Result<(), StateError> {
    store.within(name, |store| {
        let mut there = part.is_some();
        store.keep("there", &mut there)?;
        if !there {
            *part = None;
            return Ok(());
        }
        visit(part.get_or_insert_with(fresh), store)
    })
}

/// Writes the forecasts of the neighbours.
fn give_near(means: [f64; NEIGHBOURS.len()], bank: &[BankMember], out: &mut [f64]) {
    for (member, out) in bank.iter().zip(out) {
        if let MemberRule::Neighbours(count) = member.rule {
            *out = NEIGHBOURS.iter().zip(means).find(|(of, _)| **of == count).map_or(f64::NAN, |(_, mean)| mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::{Block, Learner as _};
    use crate::learner::auto::Auto;
    use crate::learner::auto::bank::PLAIN;

    /// The bits of the predictions of 120 rows in blocks of 40, on so many threads.
    fn played(threads: usize) -> Vec<u64> {
        let draws = Draws::named(&["threads"]);
        let mut draw = draws.at(Role::Example, 0);
        let mut inputs = Matrix::zeros(120, 2);
        inputs.data_mut().iter_mut().for_each(|x| *x = draw.normal());
        let targets: Vec<f64> = inputs.view().iter().map(|x| (2.0 * x[0]).sin() + x[1]).collect();
        let mut predictions = vec![0.0; 120];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut auto = Auto::over(vec![ColumnKind::Number; 2], &PLAIN, &draws);
            for from in (0..120).step_by(40) {
                let (inputs, targets) = (inputs.slice(from, from + 40), &targets[from..from + 40]);
                let block = Block { first_round: from as u64 + 1, inputs, targets };
                auto.play(block, &draws, &mut predictions[from..from + 40]).unwrap();
            }
        });
        predictions.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn threads_change_no_bit() {
        assert_eq!(played(1), played(3));
    }
}
