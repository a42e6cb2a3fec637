//! How much memory there is.

use std::env;
use std::fs;
use std::path::Path;

use noregret_platform::machine;

/// Bytes of memory that this process may use: all of the machine's memory, or less if a control group or a Slurm job
/// sets a limit.
pub(crate) fn total() -> f64 {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = group_limit(Path::new("/sys/fs/cgroup"), &own);
    let job = job_limit(|name| env::var(name).ok()?.parse().ok());
    [group, job].into_iter().flatten().fold(machine::memory(), f64::min)
}

/// The least limit of a control group (version 2) below `root` and of the groups that contain it. `own` is the text of
/// /proc/self/cgroup.
fn group_limit(root: &Path, own: &str) -> Option<f64> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let folders = Path::new(path.trim_start_matches('/')).ancestors();
    let limits = folders.filter_map(|folder| {
        let text = fs::read_to_string(root.join(folder).join("memory.max")).ok()?;
        text.trim().parse::<f64>().ok()
    });
    limits.reduce(f64::min)
}

/// The memory in bytes that Slurm gave the job. Slurm states it in megabytes; 0 means all of the node.
fn job_limit(variable: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let per_cpu = || Some(variable("SLURM_MEM_PER_CPU")? * variable("SLURM_CPUS_ON_NODE")?);
    let megabytes = variable("SLURM_MEM_PER_NODE").or_else(per_cpu)?;
    (megabytes > 0.0).then_some(megabytes * 1_048_576.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_nested_groups_counts() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        fs::create_dir_all(root.path().join("job/step"))?;
        fs::write(root.path().join("memory.max"), "max\n")?;
        fs::write(root.path().join("job/memory.max"), "3000\n")?;
        fs::write(root.path().join("job/step/memory.max"), "5000\n")?;
        let limit = |own: &str| group_limit(root.path(), own);
        assert_eq!(limit("0::/job/step\n"), Some(3000.0));
        assert_eq!(limit("1:memory:/elsewhere\n"), None);
        assert_eq!(limit(""), None);
        Ok(())
    }

    #[test]
    fn slurm_gives_memory_by_node_or_by_processor() {
        let with = |set: &[(&str, f64)]| {
            job_limit(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
        };
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("SLURM_MEM_PER_NODE", 2.0)]), Some(2_097_152.0));
        assert_eq!(with(&[("SLURM_MEM_PER_CPU", 1.0), ("SLURM_CPUS_ON_NODE", 4.0)]), Some(4_194_304.0));
        assert_eq!(with(&[("SLURM_MEM_PER_NODE", 0.0)]), None, "all of the node");
    }
}
