//! The machine.

use crate::system;

/// The name of the machine in its network.
pub fn host_name() -> String {
    system::host_name()
}

/// Bytes of memory of the whole machine.
pub fn memory() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let system = rustix::system::sysinfo();
        system.totalram as f64 * f64::from(system.mem_unit.max(1))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let memory = sysinfo::MemoryRefreshKind::nothing().with_ram();
        let known = sysinfo::RefreshKind::nothing().with_memory(memory);
        sysinfo::System::new_with_specifics(known).total_memory() as f64
    }
}

/// The limit of this process's address space in bytes, where there is one (`ulimit -v`).
pub fn address_limit() -> Option<u64> {
    system::address_limit()
}

/// The ticks in a second of the clock by which /proc states processor times; 1 where there is no /proc (Windows).
pub fn clock_ticks() -> u64 {
    system::clock_ticks()
}
