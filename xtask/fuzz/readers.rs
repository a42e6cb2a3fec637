//! Gives the inputs of libFuzzer to the reader that the environment variable `READER` names.

#![no_main]

use std::sync::LazyLock;

mod targets;

static READ: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("READER").expect("READER names a reader of xtask/fuzz/targets.rs");
    targets::TARGETS.iter().find(|target| target.name == name).expect("a reader has this name").read
});

// libFuzzer's hook would end the process at a panic that the reader turns into an error.
libfuzzer_sys::fuzz_target!(init: drop(std::panic::take_hook()), |bytes: &[u8]| READ(bytes));
