//! What differs between operating systems, behind functions that do not.
//!
//! | module | what it asks the system for |
//! |---|---|
//! | [`memory`] | large blocks on huge pages; how much memory is free |
//! | [`process`] | a program and all it started, ended together; a lower priority |
//! | [`affinity`] | which processors a thread may run on |
//! | [`delay`] | how long a thread has waited for a processor |
//! | [`signals`] | Ctrl-C, and requests to end |
//! | [`files`] | reading at a place, replacing, files for their owner alone |
//! | [`names`] | names of files that are no text; text in the system's code page |
//! | [`folders`] | where a user's data lie |
//! | [`console`] | whether a window was opened for this program alone |
//! | [`browser`] | showing an address |
//! | [`machine`] | the processor by name |
//!
//! Every function works everywhere: what a system does not have is left out, and the function says
//! what that means. Nothing else in the product asks which system it runs on; `cargo xtask tidy` sees
//! to that. Systems that are neither Unix nor Windows (WebAssembly) get what the standard library
//! gives, and nothing.
//!
//! Deliberately absent: any knowledge of shogi; anything the standard library does alike everywhere,
//! such as locks on files.

pub mod affinity;
pub mod browser;
pub mod console;
pub mod delay;
pub mod files;
pub mod folders;
pub mod machine;
pub mod memory;
pub mod names;
pub mod process;
pub mod signals;
