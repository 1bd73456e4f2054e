//! `nue gen`: teacher data by self-play, which is `lab::selfplay`'s.

mod args;

pub(crate) use args::GenArgs;

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use arena::selfplay::file::Existing;
use display::{SelfPlayDisplay, say};
use fleet::exchange::{play_self, with_local_fleet};
use fleet::perform::Equipment;
use fleet::{SelfPlaySpec, Spec};
use std::sync::Arc;
use think::{TimeSource, WallTime};

pub(crate) fn run(args: &GenArgs) -> CommandResult {
    let request = args.request()?;
    let spec = || {
        let (settings, net) = (request.complete_settings(), request.net.clone());
        Spec::SelfPlay(Box::new(SelfPlaySpec { settings, net, fv_scale: request.fv_scale }))
    };
    let out = Some((&*request.out, request.existing == Existing::Replace));
    if args.fleet.submitted("gen", spec, request.goal.games, out)? {
        return Ok(());
    }
    let (stop, handled) = interrupt::flag();
    if !handled {
        say("warning: an interrupt will lose the games that are not yet written");
    }
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut display = SelfPlayDisplay::default();
    let ended = if args.fleet.is_local() {
        let equipment = Equipment::own(Arc::clone(&time), 1);
        let slots = request.games_at_a_time();
        let played = with_local_fleet(spec(), slots, &equipment, |fleet| {
            let play = |order| play_self(fleet, order);
            request.run_by(&time, &stop, Some(&play), &mut display)
        });
        played.map_err(|e| Failure::failed(e.to_string()))?
    } else {
        request.run(&time, &stop, &mut display)
    };
    display.clear();
    let Some(ended) = ended? else { return Ok(()) };
    SelfPlayDisplay::report(&request.out, &ended);
    if ended.interrupted {
        return Err(Failure::Interrupted("interrupted; --resume continues".to_owned()));
    }
    Ok(())
}
