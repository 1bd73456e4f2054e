//! `cargo xtask contract`: writes the page's TypeScript and the OpenAPI document anew from the types
//! of the messages in room `board`, whose tests hold the generator.

use crate::{CommandResult, cargo};
use std::process::ExitCode;

pub(crate) fn run(_: &[String]) -> CommandResult {
    let status = cargo()
        .args(["test", "--quiet", "-p", "board", "--lib", "contract::"])
        .env("NUE_WRITE_CONTRACT", "1")
        .status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
