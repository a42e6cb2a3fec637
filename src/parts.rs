//! Where all registries are known: builds the nested parts of checked parameters.

use toml::{Table, Value as Toml};

use crate::feature::registry as features;
use crate::kernel::registry as kernels;
use crate::learner::registry as learners;
use crate::loss::registry as losses;
use crate::params::check::nearest;
use crate::params::{ParamError, Part, PartKind, PartObject, Parts, check};
use crate::window::registry as windows;

/// All registries of the library.
#[derive(Clone, Copy, Debug)]
pub struct AllParts;

impl Parts for AllParts {
    fn part(&self, kind: PartKind, table: &Table, default: Option<&str>, path: &str) -> Result<Part, ParamError> {
        let mut rest = table.clone();
        let name = match (rest.remove("name"), default) {
            (Some(Toml::String(name)), _) => name,
            (None, Some(name)) => name.to_owned(),
            (Some(other), _) => {
                return Err(ParamError::NotAllowed {
                    path: format!("{path}name"),
                    value: other.to_string(),
                    allowed: format!("the name of a {}", kind.word()),
                });
            }
            (None, None) => {
                return Err(ParamError::Missing {
                    path: format!("{path}name"),
                    doc: format!("which {} to use", kind.word()),
                    allowed: "a name".into(),
                });
            }
        };
        match kind {
            PartKind::Kernel => {
                let entry = kernels::KERNELS
                    .iter()
                    .find(|entry| entry.name == name)
                    .ok_or_else(|| unknown_member("kernel", &name, kernels::KERNELS.iter().map(|entry| entry.name)))?;
                let params = check(entry.params, &rest, path, self)?;
                let object = PartObject::Kernel((entry.build)(&params)?);
                Ok(Part { name: entry.name, file: entry.file, params, object })
            }
            PartKind::Feature => {
                let entry = features::FAMILIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
                    unknown_member("feature", &name, features::FAMILIES.iter().map(|entry| entry.name))
                })?;
                let params = check(entry.params, &rest, path, self)?;
                let object = PartObject::Feature((entry.build)(&params)?);
                Ok(Part { name: entry.name, file: entry.file, params, object })
            }
            PartKind::Learner => {
                let entry = learners::find(&name).ok_or_else(|| {
                    unknown_member("learner", &name, learners::LEARNERS.iter().map(|entry| entry.name))
                })?;
                let params = check(entry.params, &rest, path, self)?;
                Ok(Part { name: entry.name, file: entry.file, params, object: PartObject::Learner(entry) })
            }
            PartKind::Loss => {
                let entry = losses::LOSSES
                    .iter()
                    .find(|entry| entry.name == name)
                    .ok_or_else(|| unknown_member("loss", &name, losses::LOSSES.iter().map(|entry| entry.name)))?;
                let params = check(entry.params, &rest, path, self)?;
                let object = PartObject::Loss((entry.build)(&params)?);
                Ok(Part { name: entry.name, file: entry.file, params, object })
            }
            PartKind::Window => {
                let entry = windows::find(&name)
                    .ok_or_else(|| unknown_member("window", &name, windows::WINDOWS.iter().map(|entry| entry.name)))?;
                let params = check(entry.params, &rest, path, self)?;
                let object = PartObject::Window((entry.build)(&params)?);
                Ok(Part { name: entry.name, file: entry.file, params, object })
            }
        }
    }
}

/// The error for a name that a registry does not hold.
pub fn unknown_member<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> ParamError {
    ParamError::UnknownMember {
        kind: kind.to_owned(),
        name: name.to_owned(),
        nearest: nearest(name, known.clone()),
        known: known.map(str::to_owned).collect(),
    }
}
