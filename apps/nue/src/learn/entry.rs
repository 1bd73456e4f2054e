//! The entry of a generation: everything needed to repeat it, and what came of it.

use super::at;
use super::steps::{Gate, Steps};
use crate::evaluation::Evaluation;
use crate::failure::Failure;
use serde::Serialize;
use serde_json::Value;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use teacher::Reader;

/// One generation, as the ledger keeps it.
#[derive(Serialize)]
pub(super) struct Entry {
    game: String,
    generation: u32,
    /// Checksum of the net that played the games, or what played them.
    parent: String,
    /// Checksum of the net that was learned.
    net: String,
    accepted: bool,
    verdict: String,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Elo against the parent: low, middle and high end of the 95 % interval.
    elo: Vec<f64>,
    /// New games of this generation, and their positions.
    games: u64,
    positions: u64,
    seed: u64,
    /// The best validation of the training, as its log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<f64>,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    machine: String,
    seconds: f64,
    commands: Vec<String>,
}

/// The ledger is a list of these.
#[derive(Serialize)]
struct Ledger<'a> {
    generation: [&'a Entry; 1],
}

impl Entry {
    /// What the files of the generation say.
    pub(super) fn of(steps: &Steps<'_>, gate: &Gate) -> Result<Self, Failure> {
        let fingerprint = |path: &Path| -> Result<String, Failure> {
            let evaluation = Evaluation::find(path, nnue::DEFAULT_FV_SCALE)
                .map_err(|e| Failure::failed(e.to_string()))?;
            evaluation.fingerprint().map_err(|e| at(path, &e))
        };
        let count = |key: &str| gate.pairing[key].as_u64().unwrap_or(0);
        let elo = gate.pairing["elo"].as_array().cloned().unwrap_or_default();
        let (games, positions) = counted(&steps.games())?;
        let best = best_validation(&steps.losses());
        let done = steps.history()?;
        Ok(Self {
            game: steps.args.game.game.name().to_owned(),
            generation: steps.number,
            parent: steps.parent.map_or(Ok("material".to_owned()), fingerprint)?,
            net: match steps.net() {
                net if net.exists() => fingerprint(&net)?,
                _ => "none".to_owned(),
            },
            accepted: gate.accepted,
            verdict: gate.verdict.clone(),
            wins: count("wins"),
            draws: count("draws"),
            losses: count("losses"),
            elo: elo
                .iter()
                .filter_map(Value::as_f64)
                .map(|elo| (elo * 10.0).round() / 10.0)
                .collect(),
            games,
            positions,
            seed: steps.args.seed,
            loss: best.as_ref().and_then(held_out),
            epochs: best.as_ref().and_then(|line| line["epoch"].as_f64()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit(),
            machine: assembly::health::machine_name(),
            seconds: done.iter().map(|done| done.seconds).sum::<f64>().round(),
            commands: done.into_iter().map(|done| done.command).collect(),
        })
    }

    /// The entry as the ledger has it.
    pub(super) fn to_toml(&self) -> Result<String, Failure> {
        toml::to_string(&Ledger { generation: [self] })
            .map_err(|e| Failure::failed(format!("the entry cannot be written: {e}")))
    }

    /// The end of the generation in a sentence.
    pub(super) fn told(&self) -> String {
        let elo = match self.elo[..] {
            [low, middle, high] => format!("{middle:+.0} Elo ({low:+.0} to {high:+.0})"),
            _ => "no estimate".to_owned(),
        };
        format!(
            "generation {}: {} ({}) +{} ={} -{}, {elo} against its parent",
            self.generation,
            if self.accepted { "accepted" } else { "not accepted" },
            self.verdict,
            self.wins,
            self.draws,
            self.losses,
        )
    }
}

fn counted(path: &Path) -> Result<(u64, u64), Failure> {
    let file = File::open(path).map_err(|e| at(path, &e))?;
    let reader = Reader::new(BufReader::new(file)).map_err(|e| at(path, &e))?;
    let survey = reader.survey().map_err(|e| at(path, &e))?;
    Ok((survey.games, survey.positions))
}

/// The line of the training log with the lowest loss on games not learned from.
fn best_validation(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| held_out(line).is_some())
        .min_by(|a, b| held_out(a).unwrap_or(f64::MAX).total_cmp(&held_out(b).unwrap_or(f64::MAX)))
}

/// The loss on games not learned from, in a line of a training log.
fn held_out(line: &Value) -> Option<f64> {
    // The trainer in PyTorch has a line without parts.
    line["validation"]["total"].as_f64().or_else(|| line["validation_loss"].as_f64())
}

/// The commit the program was built from, where it lies in its repository.
fn commit() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(program.parent()?)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
