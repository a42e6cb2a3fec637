//! The program's own reader and writer of models, so that there is one of each.
#![allow(dead_code)]

#[path = "../../src/model/arrays.rs"]
pub mod arrays;
#[path = "../../src/model/error.rs"]
pub mod error;
#[path = "../../src/model/file.rs"]
pub mod file;
#[path = "../../src/model/header.rs"]
pub mod header;
