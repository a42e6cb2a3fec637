//! The members of `auto` in an epoch: made anew from all rows so far, then playing on.

use crate::draw::{Draw, Draws, Role};
use crate::learner::api::Block;
use crate::learner::auto::bank::{Member, Rule, VIEWS};
use crate::learner::auto::features::{Features, unit};
use crate::learner::auto::model::{Model, middle, ridge};
use crate::learner::nearest::Nearest;
use crate::linalg::matrix::{Matrix, Rows};
use crate::state::{State, StateError, Store};
use crate::view::{Column, PAST, View};

/// Kernels and neighbours begin at this many rows.
const KERNELS_FROM: usize = 8;

/// Neighbours are looked for among this many rows.
const NEAREST: usize = 1000;

/// How many of the nearest rows a mean is of.
const NEIGHBOURS: [usize; 2] = [5, 15];

/// Rows whose features are computed together when members are made anew.
const TOGETHER: usize = 512;

/// Members with the same features.
struct Group {
    /// The place of the view in [`VIEWS`].
    view: usize,
    features: Features,
    /// Each with its place in the bank; none once it has broken down.
    members: Vec<(usize, Option<Model>)>,
    written: Matrix,
}

/// An epoch.
#[derive(Default)]
pub struct Epoch {
    /// The mean of the targets before it.
    centre: f64,
    views: [Option<View>; 4],
    groups: Vec<Group>,
    nearest: Option<Nearest>,
}

/// Rows before an epoch.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// What the columns are.
    pub columns: &'a [Column],
    /// Rows, each with its past targets.
    pub rows: Rows<'a>,
    /// Their targets.
    pub targets: &'a [f64],
    /// The number of all rows so far, which names the epoch's draws.
    pub count: u64,
}

/// What the features of a member are: the view that it sees, and the bandwidth of a kernel; none for other members.
fn key(member: &Member) -> Option<(usize, Option<f64>)> {
    match member.rule {
        Rule::Linear { .. } | Rule::Linked { .. } => Some((member.sees as usize, None)),
        Rule::Kernel { bandwidth, .. } => Some((member.sees as usize, Some(bandwidth))),
        Rule::Mean | Rule::Last | Rule::Neighbours(_) => None,
    }
}

/// The kinds of features that the bank needs: view after view, and in the order of the bank.
fn keys(bank: &[Member]) -> Vec<(usize, Option<f64>)> {
    let mut keys = Vec::new();
    for key in bank.iter().filter_map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_by_key(|(view, _)| *view);
    keys
}

/// The members with these features, which have learnt nothing; `unit` is the middle of the targets, less their mean, and their
/// deviation.
fn members(
    bank: &[Member],
    of: (usize, Option<f64>),
    features: usize,
    unit: (f64, f64),
) -> Vec<(usize, Option<Model>)> {
    let own = bank.iter().enumerate().filter(|(_, member)| key(member) == Some(of));
    let model = |member: &Member| match member.rule {
        Rule::Linear { lambda, memory } | Rule::Kernel { lambda, memory, .. } => {
            Some(Model::Ridge(Box::new(ridge(features, lambda, memory))))
        }
        Rule::Linked { lambda, memory } => Some(Model::linked(ridge(features, lambda, memory), memory, unit)),
        _ => None,
    };
    own.map(|(k, member)| (k, model(member))).collect()
}

impl Epoch {
    /// The epoch that begins after these rows.
    pub fn new(bank: &[Member], draws: &Draws, before: &Before<'_>) -> Self {
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
    fn add(&mut self, place: usize, bank: &[Member], draws: &Draws, before: &Before<'_>) {
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
        let mut groups = Vec::new();
        for of in keys(bank).into_iter().filter(|(view, _)| *view == place) {
            let features = match (of.1, unit) {
                (None, _) => Features::linear(seen.cols()),
                (Some(bandwidth), Some(unit)) => {
                    Features::kernel(bandwidth * unit, &seen, &mut draw(&format!("landmarks {bandwidth}")))
                }
                (Some(_), None) => None,
            };
            let Some(features) = features else { continue };
            let members = members(bank, of, features.count(), (middle - self.centre, scale));
            groups.push(Group { view: place, features, members, written: Matrix::with_width(1) });
        }
        let centred: Vec<f64> = targets.iter().map(|y| y - self.centre).collect();
        groups.iter_mut().for_each(|group| group.learn(seen.view(), &centred));
        self.groups.extend(groups);
        if place == 0 && kernels && bank.iter().any(|member| matches!(member.rule, Rule::Neighbours(_))) {
            let mut nearest = Nearest::new(NEAREST, seen.cols());
            let from = targets.len().saturating_sub(NEAREST);
            (from..targets.len()).for_each(|i| nearest.push(seen.row(i), targets[i]));
            self.nearest = Some(nearest);
        }
    }

    /// Plays rows, and writes the forecast of member k for row i to `out[i][k]`; what is asleep stays as it is.
    pub fn play(&mut self, bank: &[Member], rows: Rows<'_>, targets: &[f64], out: &mut Matrix) {
        let centre = self.centre;
        let centred: Vec<f64> = targets.iter().map(|y| y - centre).collect();
        let seen = self.views.each_ref().map(|view| view.as_ref().map(|view| view.all(rows)));
        let mut said = vec![0.0; targets.len()];
        for group in &mut self.groups {
            let Some(seen) = &seen[group.view] else { continue };
            group.play(seen.view(), &centred, &mut said, |k, said| {
                said.iter().enumerate().for_each(|(i, forecast)| out.row_mut(i)[k] = forecast + centre);
            });
        }
        if let (Some(nearest), Some(seen)) = (&mut self.nearest, &seen[0]) {
            for (i, (z, y)) in seen.view().iter().zip(targets).enumerate() {
                near(nearest, bank, z, out.row_mut(i));
                nearest.push(z, *y);
            }
        }
    }

    /// Writes the forecasts for one row, as [`play`](Epoch::play) does, and learns nothing.
    pub fn predict(&self, bank: &[Member], row: &[f64], draw: &mut Draw, out: &mut [f64]) {
        let mut written = Matrix::with_width(1);
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
            group.features.write(Rows::single(z), &mut written);
            for (k, model) in &group.members {
                let forecast = model.as_ref().map(|model| model.predict(written.row(0), draw) + self.centre);
                out[*k] = forecast.filter(|forecast| forecast.is_finite()).unwrap_or(f64::NAN);
            }
        }
        if let (Some(nearest), Some(z)) = (&self.nearest, &seen[0]) {
            near(nearest, bank, z, out);
        }
    }

    /// Whether more than `share` of these rows have a number that is clipped, in one and the same column.
    pub fn clips(&self, rows: Rows<'_>, share: f64) -> bool {
        self.views[0].as_ref().is_some_and(|view| view.clips(rows, rows.cols() - PAST, share))
    }

    /// The largest number of features, and bytes of the members.
    pub fn size(&self) -> (u64, u64) {
        let most = self.groups.iter().map(|group| group.features.count()).max().unwrap_or(0);
        let models = self.groups.iter().flat_map(|group| &group.members).filter_map(|(_, model)| model.as_ref());
        (most as u64, models.map(Model::bytes).sum::<u64>() + self.nearest.as_ref().map_or(0, Nearest::bytes))
    }

    /// Saves or loads an epoch over rows of these columns; what loads is [`Epoch::default`].
    ///
    /// # Errors
    /// As [`State::state`].
    pub fn state(&mut self, bank: &[Member], columns: usize, store: &mut Store) -> Result<(), StateError> {
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
            let is_next = |group: &Group| group.members.first().and_then(|(k, _)| key(&bank[*k])) == Some(of);
            let mut group = groups.next_if(is_next);
            let fresh = || Group {
                view: of.0,
                features: Features::empty(width, kernel),
                members: Vec::new(),
                written: Matrix::with_width(1),
            };
            some(store, &format!("group_{i}"), &mut group, fresh, |group, store| {
                store.check(width > 0, "sees a view that is not there")?;
                store.keep("features", &mut group.features)?;
                if store.is_loading() {
                    group.members = members(bank, of, group.features.count(), (0.0, 1.0));
                }
                for (k, model) in &mut group.members {
                    let mut there = model.is_some();
                    let name = bank[*k].name;
                    store.keep(&format!("{name}_there"), &mut there)?;
                    match model {
                        Some(model) if there => store.keep(name, model)?,
                        _ => *model = None,
                    }
                }
                Ok(())
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
fn near(nearest: &Nearest, bank: &[Member], z: &[f64], out: &mut [f64]) {
    let means = nearest.means(z, NEIGHBOURS);
    for (member, out) in bank.iter().zip(out) {
        if let Rule::Neighbours(count) = member.rule {
            *out = NEIGHBOURS.iter().zip(means).find(|(of, _)| **of == count).map_or(f64::NAN, |(_, mean)| mean);
        }
    }
}

impl Group {
    /// Learns rows of the view.
    fn learn(&mut self, seen: Rows<'_>, targets: &[f64]) {
        // Members draw nothing.
        let draws = Draws::named(&[]);
        let mut all = Matrix::with_width(self.features.count());
        for from in (0..targets.len()).step_by(TOGETHER) {
            self.features.write(seen.slice(from, targets.len().min(from + TOGETHER)), &mut self.written);
            all.push_rows(self.written.view());
        }
        for (_, model) in &mut self.members {
            let learnt = model.as_mut().map(|model| model.learn_rows(all.view(), targets, &draws));
            if learnt.is_some_and(|learnt| learnt.is_err()) {
                *model = None;
            }
        }
    }

    /// Plays rows of the view, and gives each member's forecasts.
    fn play(&mut self, seen: Rows<'_>, targets: &[f64], said: &mut [f64], mut give: impl FnMut(usize, &[f64])) {
        self.features.write(seen, &mut self.written);
        let draws = Draws::named(&[]);
        for (k, model) in &mut self.members {
            let Some(learner) = model else { continue };
            let said = &mut said[..targets.len()];
            said.fill(f64::NAN);
            let block = Block { first_round: 1, inputs: self.written.view(), targets };
            // A member whose matrix is singular to working precision sleeps until the next epoch.
            if learner.play(block, &draws, said).is_err() {
                *model = None;
            }
            said.iter_mut().filter(|forecast| !forecast.is_finite()).for_each(|forecast| *forecast = f64::NAN);
            give(*k, said);
        }
    }
}
