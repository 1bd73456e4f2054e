//! Learning, read by room `lab` from its folder, as the page shows it.

use board::watch::{Generation, Lab, LabStep, LossCurve, LossPoint};
use lab::ledger;
use lab::reading::{self, LabReading};
use std::path::Path;

/// Points of a curve of losses.
const POINTS: usize = 400;

/// How it stands: once for each game its ledger knows.
pub(super) fn look(folder: &Path, name: &str) -> Vec<Lab> {
    let Some(reading) = reading::read(folder) else {
        let error = Some("there is no such folder".to_owned());
        return vec![Lab { name: name.to_owned(), error, ..Lab::default() }];
    };
    let mut games: Vec<&str> = reading.generations.iter().map(|g| g.game.as_str()).collect();
    games.sort_unstable();
    games.dedup();
    let whole = whole(&reading);
    let part = |game: &str, name: String| Lab {
        name,
        game: Some(game.to_owned()),
        generations: generations(reading.generations.iter().filter(|g| g.game == game)),
        ..whole.clone()
    };
    match games[..] {
        [] => vec![Lab { name: name.to_owned(), ..whole }],
        [game] => vec![part(game, name.to_owned())],
        _ => games.iter().map(|game| part(game, format!("{name} ({game})"))).collect(),
    }
}

/// What is the same for both games.
fn whole(reading: &LabReading) -> Lab {
    let step = |(generation, step): &(u32, reading::Step)| LabStep {
        generation: *generation,
        step: step.name().to_owned(),
        seconds: Some(step.seconds),
    };
    Lab {
        error: reading.error.clone(),
        current: reading.current,
        losses: reading.losses.iter().map(|(number, points)| curve(*number, points)).collect(),
        steps: reading.steps.iter().map(step).collect(),
        ..Lab::default()
    }
}

/// What the page shows of each, with Elo added up along those accepted.
fn generations<'a>(rows: impl Iterator<Item = &'a ledger::Generation>) -> Vec<Generation> {
    let mut total = 0.0;
    rows.map(|row| {
        let sum = total + row.elo.get(1).copied().unwrap_or(0.0);
        if row.accepted {
            total = sum;
        }
        let count = |n: u64| u32::try_from(n).ok();
        let words = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let elo = (!row.elo.is_empty()).then(|| [0, 1, 2].map(|i| row.elo.get(i).copied()));
        Generation {
            generation: Some(row.generation),
            accepted: Some(row.accepted),
            verdict: words(&row.verdict),
            elo,
            total: (sum * 10.0).round() / 10.0,
            wins: count(row.wins),
            draws: count(row.draws),
            losses: count(row.losses),
            games: Some(row.games),
            positions: Some(row.positions),
            loss: row.loss,
            epochs: row.epochs,
            seconds: Some(row.seconds),
            net: words(&row.net),
            parent: words(&row.parent),
        }
    })
    .collect()
}

/// A curve with no more points than can be seen.
fn curve(generation: u32, points: &[lab::losses::LossPoint]) -> LossCurve {
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len();
    let kept = points.iter().enumerate().filter(|(i, _)| i % step == 0 || i + 1 == last);
    let shown = |(_, point): (usize, &lab::losses::LossPoint)| LossPoint {
        epoch: point.epoch,
        steps: point.steps,
        train: point.train,
        validation: point.validation,
    };
    LossCurve { generation, points: kept.map(shown).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::fs;

    #[test]
    fn a_lab_is_told() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let generation = folder.join("generation-0002");
        fs::create_dir_all(&generation).unwrap();
        fs::create_dir_all(folder.join("generation-0001")).unwrap();
        let empty = &json!(look(folder, "lab"))[0];
        assert_eq!((&empty["generations"], &empty["error"]), (&json!([]), &Value::Null));
        let entry = |n: u32, accepted: bool, elo: f64| {
            format!(
                "[[generation]]\ngame = \"minishogi\"\ngeneration = {n}\naccepted = {accepted}\nelo = [0.0, {elo:.1}, 9.0]\nloss = 0.4\n"
            )
        };
        let other = entry(1, true, 7.0).replace("minishogi", "shogi");
        let text = entry(1, true, 100.0) + &entry(2, false, -30.0) + &entry(3, true, 20.0);
        fs::write(folder.join("ledger.toml"), text).unwrap();
        let log = "{\"run\":{}}\n{\"epoch\":1,\"steps\":10,\"training\":{\"total\":0.5},\"validation\":{\"total\":0.6}}\nhalf";
        fs::write(generation.join("net.bin.jsonl"), log).unwrap();
        let log = "{\"epoch\":1,\"step\":5,\"loss\":0.7,\"validation_loss\":0.8}\n";
        fs::write(folder.join("generation-0001/net.nuef.jsonl"), log).unwrap();
        let ran = "{\"command\":\"nue gen --game minishogi\",\"seconds\":3.5}\n";
        fs::write(generation.join("steps.jsonl"), ran).unwrap();
        let told = &json!(look(folder, "lab"))[0];
        assert_eq!((&told["game"], &told["current"]), (&json!("minishogi"), &json!(2)));
        let totals: Vec<f64> = told["generations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|g| g["total"].as_f64().unwrap())
            .collect();
        assert_eq!(totals, [100.0, 70.0, 120.0]);
        let point = json!({ "epoch": 1.0, "steps": 10, "train": 0.5, "validation": 0.6 });
        let python = json!({ "epoch": 1.0, "steps": 5, "train": 0.7, "validation": 0.8 });
        let curves = json!([
            { "generation": 1, "points": [python] },
            { "generation": 2, "points": [point] },
        ]);
        assert_eq!(told["losses"], curves);
        assert_eq!(told["steps"], json!([{ "generation": 2, "step": "gen", "seconds": 3.5 }]));
        fs::write(folder.join("ledger.toml"), entry(1, true, 5.0) + &other).unwrap();
        let names: Vec<Value> = look(folder, "lab").into_iter().map(|l| json!(l.name)).collect();
        assert_eq!(names, ["lab (minishogi)", "lab (shogi)"]);
        fs::write(folder.join("ledger.toml"), "= broken").unwrap();
        assert!(look(folder, "lab")[0].error.is_some());
    }
}
