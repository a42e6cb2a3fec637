//! How much memory there is.

/// Bytes of memory that this process may use: that of the machine, or of its control group if that is less.
pub fn total() -> f64 {
    let system = rustix::system::sysinfo();
    let machine = system.totalram as f64 * f64::from(system.mem_unit.max(1));
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse::<f64>().ok());
    group.map_or(machine, |limit| limit.min(machine))
}
