//! The flags of `nue train`, and what they mean.

use super::tables::Kind;
use crate::failure::{Failure, Outcome};
use clap::{ArgAction, Args};
use nnue::{Architecture, Shape, feature_kind};
use rules::Game;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use trainer::{NetOptions, Objective, Optimiser, Selection, Settings, Workers};

/// Learn a net from teacher files
///
/// The net in OUT is always the best so far, measured on the validation files. A checkpoint
/// beside it lets a stopped or killed run go on with --resume, to the same result.
#[derive(Args, Clone)]
pub(crate) struct TrainArgs {
    /// Teacher files to learn from
    #[arg(required = true, value_name = "DATA")]
    pub(super) data: Vec<PathBuf>,
    /// Teacher file to validate on: games not learned from (nue data split makes one)
    #[arg(long, required = true, value_name = "FILE")]
    pub(super) validation: Vec<PathBuf>,
    /// Where the net goes
    #[arg(short, long, visible_alias = "output", value_name = "OUT")]
    pub(super) out: PathBuf,
    /// Replace files that exist
    #[arg(long)]
    pub(super) force: bool,
    /// Architecture: halfkp-256x2-32-32, kp-256x2-32-32, halfkpe9-…, halfkpkrank-…, or tables:
    /// kppt, kpp_kkpt (OUT is a folder then), kkppt for minishogi; the game is that of the data
    #[arg(long, value_name = "NAME", required_unless_present = "from")]
    arch: Option<String>,
    /// Begin with this net (nn.bin or .nuef) instead of random numbers, or with these tables
    /// instead of zeros
    #[arg(long, value_name = "NET")]
    pub(super) from: Option<PathBuf>,
    /// Go on from the checkpoint of a run with the same flags; begin if there is none
    #[arg(long)]
    pub(super) resume: bool,

    /// Weight of the teacher's score against the result of the game, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7, value_parser = share)]
    lambda: f32,
    /// Score at which a win is e times as probable as a loss
    #[arg(long, value_name = "N", default_value_t = 600.0, value_parser = positive)]
    scale: f32,
    /// Most epochs (passes over the data)
    #[arg(long, value_name = "N", default_value_t = 20)]
    epochs: u64,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value_t = 16_384,
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,
    /// Rule of the steps: adam, adagrad or sgd [default: adam; adagrad for tables]
    #[arg(long, visible_alias = "optimiser", value_name = "NAME")]
    optimizer: Option<Optimiser>,
    /// Learning rate to begin with [default: 0.001 for adam, 0.01 for adagrad, 1 for sgd; for
    /// tables, in units of evaluation, 0.2, 2 and 10, for those of shogi a twentieth]
    #[arg(long, value_name = "X", value_parser = positive)]
    lr: Option<f32>,
    /// Validations without improvement before the learning rate is halved
    #[arg(long, value_name = "N", default_value_t = 0)]
    patience: u32,
    /// Halvings of the learning rate before training ends
    #[arg(long, value_name = "N", default_value_t = 6)]
    halvings: u32,
    /// Positions between validations; once an epoch if missing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: Option<u64>,
    /// Most positions to validate on
    #[arg(long, value_name = "N", default_value_t = 500_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    validation_positions: u32,
    /// Positions of the validation games in which to compare the net's move with the one played
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) agreement: usize,
    /// Do not learn rows of sets by king, or entries of tables, as sums of shared parts
    #[arg(long)]
    no_factors: bool,
    /// Of a hundred rows, how many may learn from a batch, drawn for every batch
    #[arg(long, value_name = "PERCENT", default_value_t = 100,
          value_parser = clap::value_parser!(u8).range(1..=100))]
    subspace: u8,
    /// Divisor of the net's output [default: 16, or that of the .nuef to begin with]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=128))]
    pub(super) fv_scale: Option<i32>,

    /// Mirror every other position left to right, drawn by lot
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set,
          num_args = 0..=1, default_missing_value = "true")]
    mirror: bool,
    /// Learn from the quiet position that captures lead to, instead of the position itself
    #[arg(long)]
    leaf: bool,
    /// Also learn from positions in check
    #[arg(long)]
    keep_checks: bool,
    /// Also learn from positions whose move captures or promotes
    #[arg(long)]
    keep_captures: bool,
    /// Also learn from positions whose move was drawn by lot
    #[arg(long)]
    keep_random: bool,
    /// Scores farther from zero, mates among them, teach as if they were this far
    #[arg(long, value_name = "N", default_value_t = 3000,
          value_parser = clap::value_parser!(i16).range(1..=i64::from(teacher::MATE_BOUND)))]
    limit: i16,
    /// Positions within which is shuffled; about 0.2 to 0.7 KB of memory each
    #[arg(long, value_name = "N", default_value_t = 1 << 20,
          value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    buffer: u32,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads; the result does not depend on them [default: all]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Also write the net in real numbers
    #[arg(long, value_name = "FILE")]
    pub(super) float: Option<PathBuf>,
    /// Losses as JSON lines [default: OUT.jsonl]
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Loss curve [default: OUT.svg]
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Checkpoint [default: OUT.checkpoint]
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(super) checkpoint_every: u64,
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("a number from 0 to 1 is expected".to_owned()),
    }
}

fn positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("a number above 0 is expected".to_owned()),
    }
}

/// A path with more after its name.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

impl TrainArgs {
    /// The log.
    pub(super) fn log(&self) -> PathBuf {
        self.log.clone().unwrap_or_else(|| beside(&self.out, "jsonl"))
    }

    /// The loss curve.
    pub(super) fn curve(&self) -> PathBuf {
        self.curve.clone().unwrap_or_else(|| beside(&self.out, "svg"))
    }

    /// The checkpoint.
    pub(super) fn checkpoint(&self) -> PathBuf {
        self.checkpoint.clone().unwrap_or_else(|| beside(&self.out, "checkpoint"))
    }

    /// No file is lost by mistake: outputs must not be inputs, nor exist unless asked for.
    pub(super) fn check_outputs(&self) -> Outcome {
        let inputs = self.data.iter().chain(&self.validation).chain(&self.from);
        let inputs: Vec<_> = inputs.filter_map(|p| p.canonicalize().ok()).collect();
        let outputs = [Some(self.out.clone()), self.float.clone(), Some(self.log())];
        let outputs = outputs.into_iter().chain([Some(self.curve()), Some(self.checkpoint())]);
        for path in outputs.flatten() {
            if path.canonicalize().is_ok_and(|p| inputs.contains(&p)) {
                return Err(Failure::usage(format!("{}: is an input", path.display())));
            }
            if path.exists() && !self.force && !self.resume {
                let name = path.display();
                return Err(Failure::usage(format!(
                    "{name}: exists; --force replaces it, --resume goes on"
                )));
            }
        }
        Ok(())
    }

    fn architecture(&self, game: Game) -> Result<Option<Architecture>, Failure> {
        let Some(name) = self.arch.as_ref().filter(|name| Kind::named(name).is_none()) else {
            return Ok(None);
        };
        let parsed = architecture(name, game);
        parsed.map(Some).map_err(|why| Failure::usage(format!("--arch {name}: {why}")))
    }
}

/// Reads `halfkp-256x2-32-32`.
fn architecture(name: &str, game: Game) -> Result<Architecture, String> {
    let shape = || {
        let mut parts = name.rsplitn(4, '-');
        let h2 = parts.next()?.parse().ok()?;
        let h1 = parts.next()?.parse().ok()?;
        let l0 = parts.next()?.strip_suffix("x2")?.parse().ok()?;
        Some((Shape { l0, h1, h2 }, parts.next()?))
    };
    let (shape, features) = shape().ok_or("expected something like halfkp-256x2-32-32")?;
    if features.starts_with("mini") && game != Game::Minishogi {
        return Err(format!("the data are games of {game}"));
    }
    let kind = feature_kind(features, game)
        .ok_or_else(|| format!("there is no feature set {features:?} for {game}"))?;
    if !shape.is_supported() {
        return Err(format!(
            "no engine has the shape {}: the first width must be a multiple of 16 up to {}, the \
             others at most {}",
            shape.name(),
            Shape::MAX_L0,
            nnue::Layers::MAX_HIDDEN
        ));
    }
    Ok(Architecture { features: kind, shape })
}

/// What the flags mean.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) game: Game,
    /// `None`: that of the net to begin with.
    pub(super) architecture: Option<Architecture>,
    /// Tables instead of a net.
    pub(super) tables: Option<Kind>,
    pub(super) options: NetOptions,
    pub(super) settings: Settings,
    pub(super) workers: Workers,
}

impl Plan {
    pub(super) fn new(args: &TrainArgs, game: Game) -> Result<Self, Failure> {
        let batch = args.batch as usize;
        let tables = args.arch.as_deref().and_then(Kind::named);
        let optimiser = args.optimizer.unwrap_or(match tables {
            Some(_) => Optimiser::AdaGrad,
            None => Optimiser::Adam,
        });
        let usual_rate = match tables {
            Some(kind) => kind.usual_rate(optimiser),
            None => optimiser.usual_rate(),
        };
        let settings = Settings {
            objective: Objective { lambda: args.lambda, scale: args.scale },
            selection: Selection {
                no_checks: !args.keep_checks,
                no_captures: !args.keep_captures,
                no_random: !args.keep_random,
                limit: args.limit,
                mirror: args.mirror,
                leaf: args.leaf,
            },
            batch,
            epochs: args.epochs,
            buffer: args.buffer as usize,
            seed: args.seed,
            rate: args.lr.unwrap_or(usual_rate),
            patience: args.patience,
            halvings: args.halvings,
            interval: args.validate_every.map_or(0, |n| n.div_ceil(batch as u64)),
            validation: args.validation_positions as usize,
        };
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let workers = Workers::new(args.threads.unwrap_or_else(all));
        let (factors, subspace) = (!args.no_factors, args.subspace);
        let options = NetOptions { optimiser, factors, subspace };
        let architecture = args.architecture(game)?;
        Ok(Self { game, architecture, tables, options, settings, workers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::FeatureKind;

    #[test]
    fn architectures_have_names() {
        let shape = Shape { l0: 256, h1: 32, h2: 32 };
        for (name, game, features) in [
            ("halfkp-256x2-32-32", Game::Shogi, FeatureKind::HalfKp),
            ("halfkp-256x2-32-32", Game::Minishogi, FeatureKind::MiniHalfKp),
            ("mini-halfkp-256x2-32-32", Game::Minishogi, FeatureKind::MiniHalfKp),
            ("kp-256x2-32-32", Game::Shogi, FeatureKind::KP),
            ("k-p-256x2-32-32", Game::Shogi, FeatureKind::KP),
            ("HalfKPE9-256x2-32-32", Game::Shogi, FeatureKind::HalfKpE9),
        ] {
            assert_eq!(architecture(name, game), Ok(Architecture { features, shape }), "{name}");
        }
        for (name, game, why) in [
            ("halfkp", Game::Shogi, "something like"),
            ("halfkp-256-32-32", Game::Shogi, "something like"),
            ("halfka-256x2-32-32", Game::Shogi, "halfka"),
            ("mini-halfkp-256x2-32-32", Game::Shogi, "games of shogi"),
            ("kp-256x2-32-32", Game::Minishogi, "kp"),
            ("halfkp-250x2-32-32", Game::Shogi, "multiple of 16"),
            ("halfkp-256x2-0-32", Game::Shogi, "multiple of 16"),
            ("halfkp-99999999999999999999x2-8-8", Game::Shogi, "something like"),
        ] {
            let error = architecture(name, game).unwrap_err();
            assert!(error.contains(why), "{name}: {error}");
        }
    }

    #[test]
    fn other_files_lie_beside_the_net() {
        assert_eq!(beside(Path::new("a/nn.bin"), "svg"), Path::new("a/nn.bin.svg"));
    }
}
