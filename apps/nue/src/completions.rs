//! `nue completions`: what shells and manuals know about the flags.

use crate::failure::{CommandResult, Failure};
use clap::Args;
use clap_complete::Shell;
use std::io::{self, Write};

/// Print the completions of a shell, or the manual page, made from the flags.
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh; man for the manual page
    what: String,
    /// The command whose manual page it is
    command: Option<String>,
}

pub(crate) fn run(args: &CompletionsArgs, mut command: clap::Command) -> CommandResult {
    let mut out = Vec::new();
    if args.what == "man" {
        clap_mangen::Man::new(page(command, args)?).render(&mut out)?;
    } else {
        let what = &args.what;
        let unknown = |_| {
            Failure::usage(format!("{what:?} is not bash, elvish, fish, powershell, zsh or man"))
        };
        clap_complete::generate(
            what.parse::<Shell>().map_err(unknown)?,
            &mut command,
            "nue",
            &mut out,
        );
    }
    Ok(io::stdout().write_all(&out)?)
}

/// Whose page it is: the program's, or a command's.
fn page(command: clap::Command, args: &CompletionsArgs) -> Result<clap::Command, Failure> {
    let Some(name) = &args.command else { return Ok(command) };
    let found = command.find_subcommand(name).cloned();
    let found = found.ok_or_else(|| Failure::usage(format!("there is no command {name:?}")))?;
    Ok(found.display_name(format!("nue-{name}")).bin_name(format!("nue {name}")))
}
