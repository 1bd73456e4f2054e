//! The executable as it is run: commands, conversations, servers, files. One program for all of
//! them, so that everything is linked once.

mod commands;
mod completions;
mod csa_client;
mod csa_faults;
mod csa_harness;
mod csa_referee;
mod csa_server;
mod data;
mod evaluating;
mod fleet;
#[cfg(unix)]
mod full_disk;
mod games;
mod gui;
#[cfg(unix)]
mod interrupts;
mod lab;
mod learn;
mod matches;
mod mate;
mod nets;
mod protocol;
mod reinforce;
mod resume;
#[cfg(unix)]
mod scripted_engine;
mod selfplay;
mod storm;
mod surgery;
mod tables;
mod train;
mod transcripts;
mod tune;
#[cfg(unix)]
mod web;
