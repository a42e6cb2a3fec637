//! Registries: plain lists of members, each found by its name.

use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Given;

use super::ParamError;
use super::Part;
use super::check::{Parts, check_table, given, nearest};
use super::entry::{Build, Chosen, Entry};

/// All members of one kind.
///
/// ```
/// use noregret_core::prelude::*;
///
/// assert!(KERNELS.names().any(|name| name == "gaussian"));
/// let error = KERNELS.find("gausian").unwrap_err();
/// assert!(error.to_string().contains("gaussian"), "{error}");
/// // The member that a table names, built from its parameters.
/// let chosen = KERNELS.choose(&json!({ "name": "polynomial" }), None, "", &AllParts)?;
/// assert_eq!(chosen.part.name, "polynomial");
/// assert!(chosen.object.evaluate(&[1.0], &[2.0]) > 1.0);
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Debug)]
pub struct Registry<B: 'static> {
    /// What a member is, in messages.
    pub kind: &'static str,
    /// The members.
    pub members: &'static [&'static Entry<B>],
}

impl<B> Deref for Registry<B> {
    type Target = [&'static Entry<B>];

    fn deref(&self) -> &Self::Target {
        self.members
    }
}

impl<B> Registry<B> {
    /// The member of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<&'static Entry<B>> {
        self.iter().copied().find(|entry| entry.name == name)
    }

    /// The names of all members, in the order of the list.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.members.iter().map(|entry| entry.name)
    }

    /// The member of that name.
    ///
    /// # Errors
    /// [`ParamError::UnknownMember`], with the nearest name, if there is none.
    pub fn find(&self, name: &str) -> Result<&'static Entry<B>, ParamError> {
        self.get(name).ok_or_else(|| unknown_member(self.kind, name, self.names()))
    }

    /// The member that `table` names (or `default`, if it names none), and its checked parameters. `path` (empty, or
    /// ending in a dot) is put before the names in errors.
    ///
    /// # Errors
    /// A table without a name, an unknown name, parameters that are not allowed.
    pub fn chosen(
        &self,
        table: &impl Serialize,
        default: Option<&str>,
        path: &str,
        parts: &dyn Parts,
    ) -> Result<(&'static Entry<B>, super::Params), ParamError> {
        let mut rest = given(table, path)?;
        let name = match (rest.remove("name"), default) {
            (Some(Given::String(name)), _) => name,
            (None, Some(name)) => name.to_owned(),
            (Some(other), _) => {
                return Err(ParamError::NotAllowed {
                    path: format!("{path}name"),
                    value: other.to_string(),
                    allowed: format!("the name of a {}", self.kind),
                });
            }
            (None, None) => {
                return Err(ParamError::Missing {
                    path: format!("{path}name"),
                    doc: format!("which {} to use", self.kind),
                    allowed: "a name".into(),
                });
            }
        };
        let entry = self.find(&name)?;
        Ok((entry, check_table(entry.params, &rest, path, parts)?))
    }
}

impl<T: ?Sized + Send + Sync + 'static> Registry<Build<T>> {
    /// The member that `table` names, built; arguments and errors as for [`Registry::chosen`].
    ///
    /// # Errors
    /// Also what the member refuses when it is built.
    pub fn choose(
        &self,
        table: &impl Serialize,
        default: Option<&str>,
        path: &str,
        parts: &dyn Parts,
    ) -> Result<Chosen<T>, ParamError> {
        let (entry, params) = self.chosen(table, default, path, parts)?;
        let object: Arc<T> = (entry.build)(&params)?;
        Ok(Chosen { part: Part::new(entry.name, entry.module, params, object.clone()), object })
    }
}

/// The error for an unknown name.
pub fn unknown_member<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> ParamError {
    ParamError::UnknownMember {
        kind: kind.to_owned(),
        name: name.to_owned(),
        nearest: nearest(name, known.clone()),
        known: known.map(str::to_owned).collect(),
    }
}

/// Lists of members, joined where they are declared.
pub(crate) mod joined {
    use crate::params::entry::Entry;

    /// How many members they have together.
    pub(crate) const fn count<B>(lists: &[&[&Entry<B>]]) -> usize {
        let (mut sum, mut at) = (0, 0);
        while at < lists.len() {
            sum += lists[at].len();
            at += 1;
        }
        sum
    }

    /// Their members, one list after the other. `N` is their [`count`].
    pub(crate) const fn entries<B, const N: usize>(lists: &[&[&'static Entry<B>]]) -> [&'static Entry<B>; N] {
        let (mut all, mut list, mut first, mut next) = ([lists[0][0]; N], 0, 0, 0);
        while next < N {
            while next - first == lists[list].len() {
                first = next;
                list += 1;
            }
            all[next] = lists[list][next - first];
            next += 1;
        }
        all
    }
}

/// Declares the members of a registry. Each is a module, whose `ENTRY` goes into the list.
///
/// ```text
/// members! {
///     /// Every kernel.
///     KERNELS: Registry<Build<dyn Kernel>> = "kernel": arc_cosine, gaussian
/// }
/// ```
macro_rules! members {
    ($(#[$doc:meta])* $list:ident: $build:ty = $kind:literal: $($member:ident),+ $(,)?) => {
        $(pub mod $member;)+

        $(#[$doc])*
        pub static $list: $crate::params::registry::Registry<$build> =
            $crate::params::registry::Registry { kind: $kind, members: &[$(&$member::ENTRY),+] };
    };
}

pub(crate) use members;
