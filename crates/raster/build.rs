//! Makes the table of code identity that `IDENTITY` serves.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    noregret_identity::build()
}
