//! What a run made, as files.

use crate::error::FleetError;
use crate::ledger::{Ledger, TaskKind};
use arena::record::{Caption, record};
use fleet::exchange::teacher_games;
use fleet::{MatchSpec, Product, RunId, SelfPlaySpec, Spec, TaskId};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Where a game lies: (how often it had been played before, task, batch, place in the batch).
type Place = (u64, TaskId, u32, usize);

/// Writes the games of a run: self-play as a teacher file, matches as CSA, in the order of their
/// numbers. The spec is the run's with paths in the place of references. Returns how many.
pub fn export(
    ledger: &Ledger,
    run: RunId,
    spec: &Spec,
    path: &Path,
    force: bool,
) -> Result<u64, FleetError> {
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
        other => {
            let why = format!("a run of kind {} has no games to write", other.kind());
            return Err(FleetError::Refused(why));
        }
    }
    draft.publish(force).map_err(failed)?;
    Ok(count)
}

/// Where each game lies, the latest where one was played again.
fn places(ledger: &Ledger, run: RunId) -> Result<BTreeMap<u64, Place>, FleetError> {
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
fn product(
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
    let net = spec.net.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let header = spec.settings.header(concat!("Nue ", env!("CARGO_PKG_VERSION")), &net);
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
