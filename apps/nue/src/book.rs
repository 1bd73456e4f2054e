//! `nue book`: opening books. The commands and their flags are room `bookwork`'s.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use bookwork::{BookArgs, Console, WorkError};
use std::io;

/// Runs the command.
pub(crate) fn run(args: &BookArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let mut tell = |text: &str| display::say(text);
    let mut console = Console { output: &mut io::stdout(), tell: &mut tell, stop: &stop };
    args.run(&mut console).map_err(|error| match error {
        WorkError::Io(error) => Failure::from(error),
        WorkError::Exists(_) | WorkError::Position(_) => Failure::usage(error.to_string()),
        error if error.is_interrupt() => Failure::Interrupted(error.to_string()),
        error => Failure::failed(error.to_string()),
    })
}
