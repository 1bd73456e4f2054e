//! `nue completions`: what shells and manuals know about the flags.

use crate::failure::{CommandResult, Failure};
use clap::{Args, ValueEnum};
use clap_complete::Shell;
use std::io::{self, Write};

/// Print the completions of a shell, or the manual page, made from the flags.
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    what: Made,
    /// The command whose manual page it is
    command: Option<String>,
}

/// What is made.
#[derive(Clone, Copy, ValueEnum)]
enum Made {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// The manual page, for man
    Man,
}

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs, mut command: clap::Command) -> CommandResult {
    let mut out = Vec::new();
    match args.what {
        Made::Man => clap_mangen::Man::new(page(command, args)?).render(&mut out)?,
        Made::Bash => clap_complete::generate(Shell::Bash, &mut command, "nue", &mut out),
        Made::Elvish => clap_complete::generate(Shell::Elvish, &mut command, "nue", &mut out),
        Made::Fish => clap_complete::generate(Shell::Fish, &mut command, "nue", &mut out),
        Made::Powershell => {
            clap_complete::generate(Shell::PowerShell, &mut command, "nue", &mut out);
        }
        Made::Zsh => clap_complete::generate(Shell::Zsh, &mut command, "nue", &mut out),
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
