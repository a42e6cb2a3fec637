//! The process of a learner where a system has no process groups, by which all that it starts would end with it: none is
//! started.

use std::convert::Infallible;
use std::ffi::OsString;
use std::time::Duration;

use super::readable::Readable;
use super::usage::Usage;
use super::wire::ProcessTrouble;

/// A process that there is not.
pub(crate) struct Process(Infallible);

impl Process {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn start(_: &[OsString], _: Option<&Readable>) -> Result<Self, ProcessTrouble> {
        Err(ProcessTrouble::Failure("learners in processes of their own run on Linux and macOS, or in WSL".into()))
    }

    /// There is none to be called.
    pub(crate) fn allow(&mut self, _: Duration) {
        match self.0 {}
    }

    /// There is none to be called.
    ///
    /// # Errors
    /// None.
    pub(crate) fn ask(&mut self, _: &[u8]) -> Result<(), ProcessTrouble> {
        match self.0 {}
    }

    pub(crate) fn tell(&mut self, _: &[u8]) -> Result<(), ProcessTrouble> {
        match self.0 {}
    }

    /// There is none to be called.
    ///
    /// # Errors
    /// None.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>, ProcessTrouble> {
        match self.0 {}
    }

    /// There is none to be called.
    ///
    /// # Errors
    /// None.
    pub(crate) fn numbers(&mut self, _: &mut [f64]) -> Result<(), ProcessTrouble> {
        match self.0 {}
    }

    pub(crate) fn usage(&self) -> Option<Usage> {
        match self.0 {}
    }

    pub(crate) fn spent(&self) -> Option<u64> {
        match self.0 {}
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        match self.0 {}
    }

    pub(crate) fn close(&mut self) {
        match self.0 {}
    }
}
