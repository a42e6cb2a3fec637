//! Members of `auto` that have the same features.

use std::cell::RefCell;

use crate::learner::api::Block;
use crate::learner::auto::alike::Alike;
use crate::learner::auto::bank::{BankMember, MemberRule};
use crate::learner::auto::features::LandmarkFeatures;
use crate::learner::auto::model::{MemberModel, ridge};
use crate::learner::last_input::LastInput;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{StateError, Store};

/// Rows whose features are computed together when members are made anew.
const TOGETHER: usize = 512;

/// The features of a view, and the members that have them.
pub(crate) struct MemberGroup {
    /// The place of the view among the views.
    pub view: usize,
    /// What it computes of a row of the view.
    pub features: LandmarkFeatures,
    /// Those that forget nothing.
    alike: Alike,
    /// The others, each with its place in the bank; none once it has broken down.
    members: Vec<(usize, Option<MemberModel>)>,
    /// The features of rows that are played, and of the last row alone.
    written: Matrix,
    last: RefCell<(LastInput, Matrix, Vec<f64>)>,
    work: Vec<f64>,
    /// The forecasts of `alike`, then those of `members`, as many for each as rows were played last.
    said: Vec<f64>,
}

impl MemberGroup {
    /// These members of the bank, with their places, which have learnt nothing; `unit` is the middle of the targets, less their
    /// mean, and their deviation.
    pub(crate) fn new<'a>(
        view: usize,
        features: LandmarkFeatures,
        own: impl Iterator<Item = (usize, &'a BankMember)>,
        unit: (f64, f64),
    ) -> Self {
        let (mut alike, mut members) = (Vec::new(), Vec::new());
        let r = features.count();
        for (k, member) in own {
            match member.rule {
                MemberRule::Linear { lambda, memory } | MemberRule::Kernel { lambda, memory, .. } => {
                    match memory == f64::INFINITY {
                        true => alike.push((k, lambda)),
                        false => members.push((k, Some(MemberModel::Ridge(Box::new(ridge(r, lambda, memory)))))),
                    }
                }
                MemberRule::Linked { lambda, memory } => {
                    members.push((k, Some(MemberModel::linked(ridge(r, lambda, memory), memory, unit))));
                }
                MemberRule::Mean | MemberRule::Last | MemberRule::Neighbours(_) => {}
            }
        }
        Self {
            view,
            alike: Alike::new(r, &alike),
            features,
            members,
            written: Matrix::with_width(1),
            last: RefCell::new((LastInput::default(), Matrix::with_width(1), Vec::new())),
            work: Vec::new(),
            said: Vec::new(),
        }
    }

    /// The place of one of its members in the bank.
    pub(crate) fn first(&self) -> Option<usize> {
        self.alike.places().chain(self.members.iter().map(|(k, _)| *k)).next()
    }

    /// Learns rows of the view, before all others.
    pub(crate) fn learn(&mut self, seen: Rows<'_>, targets: &[f64]) {
        // Members draw nothing.
        let draws = Draws::named(&[]);
        let count = targets.len();
        for from in (0..count).step_by(TOGETHER) {
            let to = count.min(from + TOGETHER);
            self.features.write(seen.slice(from, to), &mut self.written, &mut self.work);
            self.alike.gather(self.written.view(), &targets[from..to]);
            for (_, model) in &mut self.members {
                let block = Block { first_round: 1, inputs: self.written.view(), targets: &targets[from..to] };
                let learnt = model.as_mut().map(|model| model.learn_rows(block, &draws, to == count));
                if learnt.is_some_and(|learnt| learnt.is_err()) {
                    *model = None;
                }
            }
        }
        self.alike.settle();
    }

    /// Plays rows of the view; what its members forecast is then [`said`](Self::said).
    pub(crate) fn play(&mut self, seen: Rows<'_>, targets: &[f64]) {
        let draws = Draws::named(&[]);
        let count = targets.len();
        let written = if count == 1 {
            let (input, written, work) = self.last.get_mut();
            if input.replace(seen.row(0), 0) {
                self.features.write(seen, written, work);
            }
            written.view()
        } else {
            self.features.write(seen, &mut self.written, &mut self.work);
            self.written.view()
        };
        let alike = self.alike.places().count();
        self.said.clear();
        self.said.resize((alike + self.members.len()) * count, f64::NAN);
        let (ours, others) = self.said.split_at_mut(alike * count);
        self.alike.play(written, targets, ours);
        for ((_, model), said) in self.members.iter_mut().zip(others.chunks_exact_mut(count)) {
            let Some(learner) = model else { continue };
            let block = Block { first_round: 1, inputs: written, targets };
            // A member whose matrix is singular to working precision sleeps until the next epoch.
            if learner.play(block, &draws, said).is_err() {
                *model = None;
            }
        }
        self.said.iter_mut().filter(|forecast| !forecast.is_finite()).for_each(|forecast| *forecast = f64::NAN);
    }

    /// The forecasts of each member for the `count` rows that were played last, with its place in the bank.
    pub(crate) fn said(&self, count: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let places = self.alike.places().chain(self.members.iter().map(|(k, _)| *k));
        places.zip(self.said.chunks_exact(count.max(1)))
    }

    /// Gives the forecast of each member at a row of the view, with its place in the bank.
    pub(crate) fn predict(&self, z: &[f64], draw: &mut Draw, mut give: impl FnMut(usize, f64)) {
        let (input, written, work) = &mut *self.last.borrow_mut();
        if input.replace(z, 0) {
            self.features.write(Rows::single(z), written, work);
        }
        self.alike.predict(written.row(0), &mut give);
        for (k, model) in &self.members {
            give(*k, model.as_ref().map_or(f64::NAN, |model| model.predict(written.row(0), draw)));
        }
    }

    /// Bytes of the members.
    pub(crate) fn bytes(&self) -> u64 {
        let models = self.members.iter().filter_map(|(_, model)| model.as_ref());
        models.map(MemberModel::bytes).sum::<u64>() + self.alike.bytes()
    }

    /// Saves or loads the members.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    pub(crate) fn state(&mut self, bank: &[BankMember], store: &mut Store) -> Result<(), StateError> {
        if self.alike.places().next().is_some() {
            store.within("alike", |store| self.alike.state(|k| bank[k].name, store))?;
        }
        for (k, model) in &mut self.members {
            let mut there = model.is_some();
            let name = bank[*k].name;
            store.keep(&format!("{name}_there"), &mut there)?;
            match model {
                Some(model) if there => store.keep(name, model)?,
                _ => *model = None,
            }
        }
        Ok(())
    }
}
