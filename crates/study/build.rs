//! Makes the table of code identity that `IDENTITY` serves, and the name of the compiler.

use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    noregret_identity::build()?;
    // The report names the compiler.
    let compiler = Command::new(std::env::var("RUSTC")?).arg("--version").output()?;
    println!("cargo::rustc-env=NOREGRET_COMPILER={}", String::from_utf8(compiler.stdout)?.trim());
    Ok(())
}
