//! Datasets of others, registered by their number or name on OpenML, their number at UCI, or their address.
//!
//! What a server says of its dataset (target, kinds of columns, columns to leave out, terms) is taken where the user says
//! nothing. What is registered is pinned by the hash of its content, and fetched on other machines as declared data are.
//! The answers of the servers are read as their documentation describes them.

pub mod add;
mod ask;
pub(crate) mod description;
mod openml;
pub mod place;
mod uci;
