//! `nue book`: opening books. The commands and their flags are room `bookwork`'s.

use crate::failure::{CommandResult, Failure};

pub(crate) fn run(args: &bookwork::BookArgs) -> CommandResult {
    let stop = crate::interrupt::flag().0;
    let fleet = fleetd::books::by_fleet(think::seconds_since_1970, display::say);
    args.carry_out(&mut std::io::stdout(), &mut display::say, &stop, &fleet).map_err(|error| {
        let text = error.to_string();
        match error {
            bookwork::WorkError::Exists(_) => Failure::usage(text),
            _ if error.is_interrupt() => Failure::Interrupted(text),
            _ => Failure::failed(text),
        }
    })
}
