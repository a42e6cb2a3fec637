//! How Linux isolates: Landlock says which files a thread may use, a filter of system calls takes the network and what
//! else outlives a process. Both restrict the thread that starts the process, and so the process and its children; the
//! other threads of this program are as they were. Neither needs root.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use close_fds::set_fds_cloexec_threadsafe;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use super::readable::Readable;

/// What is asked for, as far as the kernel knows it.
const RULES: ABI = ABI::V6;

/// What may be written to besides its folder.
const SINK: &str = "/dev/null";

/// What a kernel knows since Landlock came, and what a process can do before.
const SINCE: [(ABI, &str); 2] =
    [(ABI::V3, "empty files that its user may write to"), (ABI::V6, "send signals to other processes of its user")];

/// Calls that reach others or leave something behind: sockets (connected pairs are allowed), memory, queues and keys
/// that outlive a process, rings that make calls unseen, and marks on files, such as their times, which need no access.
const REFUSED: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    FILE_SETATTR,
];

/// Calls with numbers that not every list has; they are the same on all processors.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const FILE_SETATTR: c_long = 469;

/// Older forms of the same, which newer processors do not have.
#[cfg(target_arch = "x86_64")]
const OLDER: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[c_long] = &[];

/// The bits by which the same call has other numbers: on x86-64, those of programs with short addresses.
#[cfg(target_arch = "x86_64")]
const FORMS: &[c_long] = &[0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const FORMS: &[c_long] = &[0];

#[cfg(target_arch = "x86_64")]
const HERE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const HERE: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const HERE: TargetArch = TargetArch::riscv64;

/// Restricts this thread for good: it may read this, and do everything in `folder`.
pub(super) fn restrict(readable: &Readable, folder: Option<&Path>) -> io::Result<()> {
    let filter = filter().map_err(io::Error::other)?;
    // What this program was itself started with, such as `3<data.csv`, is not passed on.
    set_fds_cloexec_threadsafe(3, &[]);
    let restrict = || Ok::<_, RulesetError>(allow(rules()?, readable, folder)?.restrict_self()?.ruleset);
    if restrict().map_err(io::Error::other)? == RulesetStatus::NotEnforced {
        return Err(io::Error::other("this kernel has no Landlock, or it is not enabled"));
    }
    apply_filter(&filter).map_err(io::Error::other)
}

/// What a process can do although it is isolated.
pub(super) fn gaps() -> Vec<&'static str> {
    lacking(|abi| {
        let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let files = strict().handle_access(AccessFs::from_all(abi)).is_ok();
        files && (Scope::from_all(abi).is_empty() || strict().scope(Scope::from_all(abi)).is_ok())
    })
}

fn lacking(knows: impl Fn(ABI) -> bool) -> Vec<&'static str> {
    SINCE.iter().filter(|(abi, _)| !knows(*abi)).map(|(_, gap)| *gap).collect()
}

/// Nothing is allowed yet.
fn rules() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RULES))?
        .handle_access(AccessNet::from_all(RULES))?
        .scope(Scope::from_all(RULES))?
        .create()
}

fn allow(rules: RulesetCreated, readable: &Readable, folder: Option<&Path>) -> Result<RulesetCreated, RulesetError> {
    let read = AccessFs::from_read(RULES);
    let whole = readable.whole.iter().map(|path| (path.as_path(), read));
    let names = readable.names.iter().map(|path| (path.as_path(), AccessFs::ReadDir.into()));
    let sink = [(Path::new(SINK), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)];
    let folder = folder.map(|folder| (folder, AccessFs::from_all(RULES)));
    whole.chain(names).chain(sink).chain(folder).try_fold(rules, |rules, (path, access)| one(rules, path, access))
}

fn one(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    // Of a file, what is done to folders is no access.
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(RULES) };
    match PathFd::new(path) {
        Ok(opened) if !access.is_empty() => rules.add_rule(PathBeneath::new(opened, access)),
        // What is not there cannot be read either.
        _ => Ok(rules),
    }
}

/// Refuses the calls.
fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let forms = |call: c_long| FORMS.iter().map(move |form| call | form);
    let refused = REFUSED.iter().chain(OLDER).flat_map(|call| forms(*call));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = refused.map(|call| (call, Vec::new())).collect();
    // Limits of other processes end these; its own have the number 0.
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    for call in forms(libc::SYS_prlimit64) {
        rules.insert(call, vec![SeccompRule::new(vec![other.clone()])?]);
    }
    let denied = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, denied, HERE)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_kernels_lack_what_they_lack() {
        assert_eq!(lacking(|_| false).len(), 2);
        assert_eq!(lacking(|abi| abi <= ABI::V4), ["send signals to other processes of its user"]);
        assert!(lacking(|abi| abi <= ABI::V6).is_empty());
    }
}
