//! What several formats have to do with each other.

mod files;
mod other_programs;
