//! An allocator that counts. A binary that includes this module has it as its global one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

thread_local! {
    /// The number of allocations and reallocations of this thread, and the bytes that they asked for.
    static ASKED: Cell<[u64; 2]> = const { Cell::new([0; 2]) };
}

/// The bytes that all threads have asked for: a reallocation counts with what it adds.
static BYTES: AtomicU64 = AtomicU64::new(0);
/// The bytes that are in use.
static LIVE: AtomicU64 = AtomicU64::new(0);
/// The most bytes that were in use at once.
static PEAK: AtomicU64 = AtomicU64::new(0);

struct Counting;

/// `size` bytes instead of `before`.
fn asked(before: usize, size: usize) {
    let more = size.saturating_sub(before) as u64;
    // A thread that is ending has no counter any more.
    let _ = ASKED.try_with(|asked| asked.set([asked.get()[0] + 1, asked.get()[1] + more]));
    BYTES.fetch_add(more, Relaxed);
    LIVE.fetch_sub(before as u64, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(size as u64, Relaxed) + size as u64, Relaxed);
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        asked(0, layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        asked(0, layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        asked(layout.size(), size);
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often this thread has asked for memory, and for how many bytes.
pub fn of_thread() -> [u64; 2] {
    ASKED.get()
}

/// The bytes that all threads have asked for, and the most that were in use at once.
pub fn of_all() -> [u64; 2] {
    [BYTES.load(Relaxed), PEAK.load(Relaxed)]
}
