//! Slurm's commands.

use std::path::Path;
use std::process::Command;

use crate::cli::error::CliError;

/// The largest index of an array job where Slurm cannot be asked; it is Slurm's default.
const LARGEST_INDEX: usize = 1000;

/// Whether `sbatch` is on the PATH.
pub(super) fn is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("sbatch").is_file())
}

/// The largest index that an array job may have: one less than `MaxArraySize`.
pub(super) fn largest_index() -> usize {
    let output =
        Command::new("scontrol").args(["show", "config"]).output().ok().filter(|output| output.status.success());
    output
        .and_then(|output| max_array_size(&String::from_utf8_lossy(&output.stdout)))
        .map_or(LARGEST_INDEX, |n| n.saturating_sub(1))
}

fn max_array_size(config: &str) -> Option<usize> {
    let line = config.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
    line.split('=').nth(1)?.trim().parse().ok().filter(|size| *size > 1)
}

/// Submits a script from the project's folder, and returns the job's id.
pub(super) fn sbatch(root: &Path, options: &[&str], script: &Path) -> Result<String, CliError> {
    let mut command = Command::new("sbatch");
    command.arg("--parsable").args(options).arg(script).current_dir(root);
    let output = command.output().map_err(|error| CliError::failed(format!("cannot start sbatch: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(CliError::failed(format!("sbatch refused {}: {}", script.display(), said.trim())));
    }
    // `id`, or `id;cluster`
    let printed = String::from_utf8_lossy(&output.stdout);
    let id = printed.trim().split(';').next().unwrap_or_default();
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CliError::failed(format!("sbatch printed no job id but: {} {}", printed.trim(), said.trim())));
    }
    Ok(id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::max_array_size;

    #[test]
    fn the_size_is_read_from_the_configuration() {
        let config = "Configuration data as of now\nMailProg                = /bin/true\nMaxArraySize            = 10001\nMaxJobCount = 10000\n";
        assert_eq!(max_array_size(config), Some(10_001));
        assert_eq!(max_array_size("slurm_load_ctl_conf error"), None);
    }
}
