//! The board and its engine together, as the two workers of a page have them.

mod browser;
mod games;
mod kept;
mod searches;
