//! `nue data rescore`: scores replaced by those of another net or a deeper search.

use super::args::{InputArgs, OutputArgs, ResumeArg};
use super::summary::report;
use crate::evaluation::EvaluationArgs;
use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::FleetFlag;
use chart::grouped;
use corpus::Limit;
use corpus::rescore::{self, Rescore};
use display::InputBar;
use fleet::exchange::{score_piece, with_local_fleet};
use fleet::perform::Equipment;
use fleet::{RescoreSpec, Spec};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use think::WallTime;

/// Replace scores by those of another net or a deeper search
#[derive(clap::Args)]
pub(crate) struct RescoreArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Search so many nodes
    #[arg(long, value_name = "N", conflicts_with = "depth",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search so many plies; without --nodes and --depth the net's own value is taken
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=245))]
    depth: Option<u32>,
    /// MiB of table for each thread
    #[arg(long, value_name = "MIB", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Threads; as many as there are processors if missing
    #[arg(short = 'j', long, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    fleet: FleetFlag,
}

pub(crate) fn run(args: &RescoreArgs) -> CommandResult {
    let limit = match (args.nodes, args.depth) {
        (Some(nodes), _) => Limit::Nodes(nodes),
        (None, Some(depth)) => Limit::Depth(depth),
        (None, None) => Limit::Static,
    };
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let request = Rescore {
        inputs: args.input.interruptible(),
        target: args.output.resumable(args.resume),
        limit,
        hash: args.hash,
        threads: args.threads.map_or_else(all, usize::from),
        net: args.evaluation.path().map(Path::to_owned),
    };
    let (net, fv_scale) = (request.net.clone(), args.evaluation.fv_scale());
    let game = request.game()?.to_string();
    let spec = RescoreSpec { game, inputs: Vec::new(), limit, hash: args.hash, net, fv_scale };
    let with_inputs = || {
        let inputs = request.inputs.paths.clone();
        Spec::Rescore(RescoreSpec { inputs, ..spec.clone() })
    };
    let out = Some((&*request.target.path, request.target.force));
    if args.fleet.submitted("rescore", with_inputs, None, out)? {
        return Ok(());
    }
    let bar = InputBar::new();
    let evaluation = |game| args.evaluation.as_engine(game);
    let watch = |progress| bar.show(progress);
    let done = if args.fleet.is_local() {
        let equipment = Equipment::own(Arc::new(WallTime::start()), 1);
        let scored = with_local_fleet(Spec::Rescore(spec), request.threads, &equipment, |fleet| {
            let score = |piece| score_piece(fleet, piece);
            rescore::run_by(&request, evaluation, Some(&score), &watch)
        });
        scored.map_err(|e| Failure::failed(e.to_string()))??
    } else {
        rescore::run(&request, evaluation, &watch)?
    };
    let (positions, how) = (grouped(done.counts.positions), &done.how);
    let (name, rate) = (request.target.path.display(), bar.rate());
    report(&done.counts, &format!("{name}: {positions} positions, {how} ({rate})"))
}
