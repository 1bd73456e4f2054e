//! `nue book`: opening books. The commands and their flags are room `bookwork`'s.

use crate::failure::{CommandResult, Failure};
use bookwork::searcher::SearchSettings;
use fleetd::books::searcher;
use std::path::Path;
use think::seconds_since_1970;

pub(crate) fn run(args: &bookwork::BookArgs) -> CommandResult {
    let stop = crate::interrupt::flag().0;
    let fleet =
        |folder: &Path, settings: &SearchSettings| searcher(folder, settings, seconds_since_1970);
    let done = args.carry_out(&mut std::io::stdout(), &mut display::say, &stop, &fleet);
    done.map_err(|error| {
        let text = error.to_string();
        if error.is_interrupt() { Failure::Interrupted(text) } else { Failure::failed(text) }
    })
}
