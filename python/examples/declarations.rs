//! Prints what the learners declare, from which `generate.py` writes the classes of the package before it is built.

#[path = "../src/declarations.rs"]
mod declarations;

fn main() -> Result<(), String> {
    println!("{}", declarations::all()?);
    Ok(())
}
