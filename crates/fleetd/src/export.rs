//! What a run made, as files.

use crate::error::FleetError;
use crate::ledger::{Ledger, TaskKind};
use arena::opening_maker::{MadeOpenings, OpeningCollector};
use arena::record::{Caption, record};
use assembly::{Evaluation, OwnSearch};
use corpus::rescore::{self, Piece, Rescore, ScoredPiece};
use fleet::driver::{inputs, leaves, problems};
use fleet::exchange::teacher_games;
use fleet::leaves::{LeafRecord, leaf};
use fleet::mates::problem;
use fleet::{MatchSpec, MateSpec, Product, RescoreSpec, RunId, SelfPlaySpec, Spec, TaskId};
use rules::AnyPosition;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use think::{TimeSource, WallTime};

/// Where a game lies: (how often it had been played before, task, batch, place in the batch).
type Place = (u64, TaskId, u32, usize);

/// Writes what a run made, in the order of its numbers: self-play as a teacher file, matches as CSA, openings as their
/// file, scores as the file that was read with new ones, answers to problems of mate as lines of JSON with their proofs in
/// files of their own, leaves as lines of JSON. The spec is the run's with paths in the place of references. Returns how many.
pub fn export(
    ledger: &Ledger,
    run: RunId,
    spec: &Spec,
    path: &Path,
    force: bool,
) -> Result<u64, FleetError> {
    if let Spec::Rescore(spec) = spec {
        return rescored_file(ledger, run, spec, path, force);
    }
    let failed = |source| FleetError::File { path: path.to_owned(), source };
    let mut draft = durable::Draft::new(path).map_err(failed)?;
    let places = places(ledger, run)?;
    let count = places.len() as u64;
    match spec {
        Spec::SelfPlay(spec) => {
            let bytes = teacher_file(ledger, spec, &places)?;
            draft.write_all(&bytes).map_err(failed)?;
        }
        Spec::Match(spec) => {
            let text = csa_file(ledger, spec, &places)?;
            draft.write_all(&text).map_err(failed)?;
        }
        Spec::Openings(_) => {
            let made = openings(ledger, run, &places)?;
            draft.write_all(made.text.as_bytes()).map_err(failed)?;
            draft.publish(force).map_err(failed)?;
            return Ok(made.count as u64);
        }
        Spec::Mate(spec) => {
            let text = mates(ledger, spec, &places, path, force)?;
            draft.write_all(text.as_bytes()).map_err(failed)?;
        }
        Spec::Leaves(_) => {
            for (position, record) in leaf_records(ledger, run, spec)? {
                let mut line = serde_json::json!(record);
                line["sfen"] = position.sfen().into();
                writeln!(draft, "{line}").map_err(failed)?;
            }
        }
        other => {
            let why = format!("a run of kind {} has no games to write", other.kind());
            return Err(FleetError::Refused(why));
        }
    }
    draft.publish(force).map_err(failed)?;
    Ok(count)
}

/// The leaves of a run with what was found in each.
pub(crate) fn leaf_records(
    ledger: &Ledger,
    run: RunId,
    spec: &Spec,
) -> Result<Vec<(AnyPosition, LeafRecord)>, FleetError> {
    let Spec::Leaves(spec) = spec else {
        return Err(FleetError::Refused(format!("{run} is not a run of leaves")));
    };
    let (asked, mut all, mut last) = (leaves(spec)?, Vec::new(), None);
    for (number, place) in places(ledger, run)? {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let Product::Leaves { leaves } = product(ledger, place, &mut last)? else {
            return Err(refused(format!("leaf {number}: nothing was found")));
        };
        let record = leaves.get(place.3).ok_or_else(|| refused("a batch without its leaf"))?;
        let text = asked.get(index).ok_or_else(|| refused(format!("no leaf {number}")))?;
        all.push((leaf(text).map_err(refused)?, record.clone()));
    }
    Ok(all)
}

/// Where each game lies, the latest where one was played again.
pub(crate) fn places(ledger: &Ledger, run: RunId) -> Result<BTreeMap<u64, Place>, FleetError> {
    let mut places = BTreeMap::new();
    for task in ledger.tasks(run, false)? {
        if task.kind != TaskKind::Work {
            continue;
        }
        for batch in ledger.counting(task.id)? {
            let range = task.unit.part(task.batches, batch);
            for (index, number) in range.enumerate() {
                let place = (task.unit.retry, task.id, batch, index);
                let kept = places.entry(number).or_insert(place);
                *kept = (*kept).max(place);
            }
        }
    }
    Ok(places)
}

/// The product a game lies in; the last one asked for is kept.
pub(crate) fn product(
    ledger: &Ledger,
    (_, task, batch, _): Place,
    last: &mut Option<(TaskId, u32, Product)>,
) -> Result<Product, FleetError> {
    if let Some((at, number, product)) = last
        && (*at, *number) == (task, batch)
    {
        return Ok(product.clone());
    }
    let missing = || FleetError::Refused(format!("{task}, batch {batch}: no result"));
    let product = ledger.product(task, batch)?.ok_or_else(missing)?;
    *last = Some((task, batch, product.clone()));
    Ok(product)
}

fn refused(error: impl std::fmt::Display) -> FleetError {
    FleetError::Refused(error.to_string())
}

fn teacher_file(
    ledger: &Ledger,
    spec: &SelfPlaySpec,
    places: &BTreeMap<u64, Place>,
) -> Result<Vec<u8>, FleetError> {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let net = (spec.net.as_deref(), spec.fv_scale);
    let settings = &spec.settings;
    let (search, _) =
        OwnSearch::load(&settings.options, net, settings.game, &time).map_err(refused)?;
    let net = search.fingerprint().map_err(refused)?;
    let header = settings.header(concat!("Nue ", env!("CARGO_PKG_VERSION")), &net);
    let mut writer = teacher::Writer::new(Vec::new(), header).map_err(refused)?;
    let mut last = None;
    for place in places.values() {
        let games = teacher_games(&product(ledger, *place, &mut last)?).map_err(refused)?;
        let made = games.get(place.3).ok_or_else(|| refused("a batch without its game"))?;
        writer.write(&made.game).map_err(refused)?;
    }
    writer.finish().map_err(refused)
}

fn csa_file(
    ledger: &Ledger,
    spec: &MatchSpec,
    places: &BTreeMap<u64, Place>,
) -> Result<Vec<u8>, FleetError> {
    let (plan, _) = spec.request.plan()?;
    let mut all = Vec::new();
    let mut last = None;
    for (number, place) in places {
        let Product::Games { games } = product(ledger, *place, &mut last)? else {
            return Err(refused(format!("game {number}: no games")));
        };
        let game = games.get(place.3).ok_or_else(|| refused("a batch without its game"))?;
        let finished = game.replay(&plan).map_err(refused)?;
        let players = finished.scheduled.players;
        let caption = Caption {
            names: players.map(|index| plan.engines[index].name.clone()),
            controls: players.map(|index| plan.engines[index].control),
            event: format!("nue fleet, game {}", number + 1),
            began: None,
            max_moves: plan.terms.rules.max_moves.unwrap_or(0),
        };
        let options = kifu::WriteOptions { csa: kifu::CsaVersion::V30, ..Default::default() };
        let record = record(&finished.played, &caption);
        let (text, _) = kifu::to_bytes(&record, kifu::Format::Csa, &options).map_err(refused)?;
        if !all.is_empty() {
            all.extend_from_slice(b"/\n");
        }
        all.extend(text);
    }
    Ok(all)
}

/// Their file says who judged: another engine by its hash, as the run has it, not by where it lies on this machine.
fn openings(
    ledger: &Ledger,
    run: RunId,
    places: &BTreeMap<u64, Place>,
) -> Result<MadeOpenings, FleetError> {
    let Spec::Openings(settings) = &*ledger.run(run)?.spec else {
        return Err(refused(format!("{run} is not a run of openings")));
    };
    let mut collector = OpeningCollector::new(settings)?;
    let mut last = None;
    for (number, place) in places {
        let Product::Values { values } = product(ledger, *place, &mut last)? else {
            return Err(refused(format!("candidate {number}: no values")));
        };
        let value = values.get(place.3).ok_or_else(|| refused("a batch without its value"))?;
        collector.judged(*number, *value);
    }
    Ok(collector.made())
}

/// A line of JSON for each problem; the proof of the one with number 7 in `NAME-7.proof`.
fn mates(
    ledger: &Ledger,
    spec: &MateSpec,
    places: &BTreeMap<u64, Place>,
    path: &Path,
    force: bool,
) -> Result<String, FleetError> {
    let (problems, _) = problems(spec)?;
    let (mut text, mut last) = (String::new(), None);
    for (number, place) in places {
        let index = usize::try_from(*number).unwrap_or(usize::MAX);
        let Product::Mates { answers } = product(ledger, *place, &mut last)? else {
            return Err(refused(format!("problem {number}: no answers")));
        };
        let answer = answers.get(place.3).ok_or_else(|| refused("a batch without its answer"))?;
        let asked = problems.get(index).ok_or_else(|| refused(format!("no problem {number}")))?;
        let position = problem(asked).map_err(refused)?;
        let study = answer.study(&position).map_err(refused)?;
        let mut line = serde_json::json!({
            "number": number + 1,
            "game": study.game.to_string(),
            "sfen": position.sfen(),
            "answer": answer.verdict,
            "line": answer.line,
            "shortest": answer.is_shortest,
            "nodes": answer.nodes,
        });
        if let Some(Ok(proof)) = &study.proof {
            let file = durable::numbered(&path.with_extension("proof"), index + 1);
            let written = durable::write_whole(&file, proof, force);
            written.map_err(|source| FleetError::File { path: file.clone(), source })?;
            line["proof"] = durable::path_value(&file);
        }
        text += &format!("{line}\n");
    }
    Ok(text)
}

/// The file that was read with the scores of the run: written by the very code of `nue data rescore`, which asks for its
/// pieces here.
fn rescored_file(
    ledger: &Ledger,
    run: RunId,
    spec: &RescoreSpec,
    path: &Path,
    force: bool,
) -> Result<u64, FleetError> {
    let places = places(ledger, run)?;
    let request = Rescore {
        inputs: inputs(spec)?,
        target: corpus::Target { path: path.to_owned(), force, resume: false },
        limit: spec.limit,
        hash: spec.hash,
        // One after the other: that is how they are found.
        threads: 1,
        net: spec.net.clone(),
    };
    // Asked for from another thread, by a connection of its own.
    let ledger = Mutex::new((ledger.again()?, 0_u64, None));
    let score = |_: Piece| -> Result<ScoredPiece, String> {
        let mut held = ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let (ledger, number, last) = &mut *held;
        let place =
            *places.get(number).ok_or_else(|| format!("piece {number} is not scored yet"))?;
        *number += 1;
        match product(ledger, place, last).map_err(|e| e.to_string())? {
            Product::Rescored { bytes, kept, problems } => {
                Ok(ScoredPiece { bytes: bytes.0, kept, problems })
            }
            _ => Err(format!("piece {number}: no scores")),
        }
    };
    let evaluation = |game| {
        Evaluation::as_engine(spec.net.as_deref(), game, spec.fv_scale)
            .map_err(|e| corpus::Error::Failed(e.to_string()))
    };
    rescore::run_by(&request, evaluation, Some(&score), &|_| ()).map_err(refused)?;
    Ok(places.len() as u64)
}
