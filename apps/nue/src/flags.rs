//! Flags that more than one command takes: each group fills the settings of a room.

pub(crate) mod fleet;
mod game_end;
mod game_match;
mod selfplay;
mod training;

pub(crate) use fleet::FleetFlag;
pub(crate) use game_end::GameEndFlags;
pub(crate) use game_match::MatchFlags;
pub(crate) use selfplay::SelfPlayFlags;
pub(crate) use training::TrainingFlags;

use crate::failure::Failure;
use clap::Args;

/// Reads flags that were typed as one value of another flag, as in `--gen "--random 10"`.
pub(crate) fn typed<T: Args>(flag: &str, text: &str) -> Result<T, Failure> {
    let words = words(flag, text)?;
    let command = T::augment_args(clap::Command::new("nue").no_binary_name(true));
    let found = command.disable_help_flag(true).try_get_matches_from(words);
    let found = found.and_then(|found| T::from_arg_matches(&found));
    found.map_err(|error| {
        let told = error.render().to_string();
        let why = told.lines().next().unwrap_or_default();
        let why = why.strip_prefix("error: ").unwrap_or(why);
        Failure::usage(format!("{flag} \"{text}\": {why}"))
    })
}

/// The words of such a value, as a shell reads them.
pub(crate) fn words(flag: &str, text: &str) -> Result<Vec<String>, Failure> {
    let wrong = || Failure::usage(format!("{flag} {text:?}: a quotation mark is not closed"));
    shlex::split(text).ok_or_else(wrong)
}
