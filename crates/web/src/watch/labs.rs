//! Learning from its folder: generations that are over, losses of those being trained.

use board::watch::{Generation, Lab, LabStep, LossCurve, LossPoint};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Points of a curve of losses.
const POINTS: usize = 400;

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;

#[derive(Deserialize)]
struct Ledger {
    #[serde(default)]
    generation: Vec<toml::Table>,
}

/// How it stands: once for each game its ledger knows.
pub(super) fn look(folder: &Path, name: &str) -> Vec<Lab> {
    let (whole, rows) = whole(folder, name);
    let mut games: Vec<&str> = rows.iter().filter_map(|g| g["game"].as_str()).collect();
    games.sort_unstable();
    games.dedup();
    let part = |game: Option<&str>, name: &str| {
        let of = |g: &&Value| game.is_none() || g["game"].as_str() == game;
        Lab {
            name: name.to_owned(),
            game: game.map(str::to_owned),
            generations: generations(rows.iter().filter(of)),
            ..whole.clone()
        }
    };
    match games[..] {
        [] => vec![part(None, name)],
        [game] => vec![part(Some(game), name)],
        _ => games.iter().map(|game| part(Some(game), &format!("{name} ({game})"))).collect(),
    }
}

/// What is the same for both games, and the entries of the ledger.
fn whole(folder: &Path, name: &str) -> (Lab, Vec<Value>) {
    let mut lab = Lab { name: name.to_owned(), ..Lab::default() };
    let rows = match ledger(&folder.join("ledger.toml")) {
        Ok(rows) => rows,
        Err(error) if folder.is_dir() => {
            lab.error = error;
            Vec::new()
        }
        Err(_) => {
            lab.error = Some("there is no such folder".to_owned());
            return (lab, Vec::new());
        }
    };
    let folders = folders(folder);
    lab.current = folders.last().map(|(number, _)| *number);
    lab.losses = folders.iter().filter_map(|(n, path)| losses(*n, path)).collect();
    lab.steps = folders.iter().flat_map(|(n, path)| steps(*n, path)).collect();
    (lab, rows)
}

fn text(path: &Path) -> Option<String> {
    let small = fs::metadata(path).is_ok_and(|m| m.len() <= LARGEST);
    small.then(|| fs::read_to_string(path).ok()).flatten()
}

/// The generations that are over; `None` for an error where there are none yet.
fn ledger(path: &Path) -> Result<Vec<Value>, Option<String>> {
    let text = text(path).ok_or(None)?;
    let ledger: Ledger = toml::from_str(&text).map_err(|e| Some(e.to_string()))?;
    Ok(ledger.generation.iter().map(|table| json!(table)).collect())
}

/// What the page shows of each, with Elo added up along those accepted.
fn generations<'a>(rows: impl Iterator<Item = &'a Value>) -> Vec<Generation> {
    let mut total = 0.0;
    rows.map(|row| {
        let middle = row["elo"].get(1).and_then(Value::as_f64).unwrap_or(0.0);
        let sum = total + middle;
        if row["accepted"] == true {
            total = sum;
        }
        let count = |key: &str| row[key].as_u64().and_then(|n| u32::try_from(n).ok());
        let words = |key: &str| row[key].as_str().map(str::to_owned);
        let elo = row["elo"].as_array().map(|e| [0, 1, 2].map(|i| e.get(i)?.as_f64()));
        Generation {
            generation: count("generation"),
            accepted: row["accepted"].as_bool(),
            verdict: words("verdict"),
            elo,
            total: (sum * 10.0).round() / 10.0,
            wins: count("wins"),
            draws: count("draws"),
            losses: count("losses"),
            games: row["games"].as_u64(),
            positions: row["positions"].as_u64(),
            loss: row["loss"].as_f64(),
            epochs: row["epochs"].as_f64(),
            seconds: row["seconds"].as_f64(),
            net: words("net"),
            parent: words("parent"),
        }
    })
    .collect()
}

/// Folders of generations, in order.
fn folders(folder: &Path) -> Vec<(u32, PathBuf)> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix("generation-")?.parse().ok()?;
            entry.path().is_dir().then(|| (number, entry.path()))
        })
        .collect();
    found.sort();
    found
}

fn lines(path: &Path) -> Vec<Value> {
    let text = text(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The curve of a training; our trainer and the one in Python word it differently.
fn losses(number: u32, folder: &Path) -> Option<LossCurve> {
    let log = ["net.bin.jsonl", "net.float.jsonl"].iter().map(|name| folder.join(name));
    let lines: Vec<Value> = log.flat_map(|path| lines(&path)).collect();
    let points: Vec<LossPoint> = lines
        .iter()
        .filter(|line| line["steps"].is_u64() || line["step"].is_u64())
        .map(|line| LossPoint {
            epoch: line["epoch"].as_f64(),
            steps: line["steps"].as_u64().or(line["step"].as_u64()),
            train: line["training"]["total"].as_f64().or(line["loss"].as_f64()),
            validation: line["validation"]["total"].as_f64().or(line["validation_loss"].as_f64()),
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len();
    let kept = points.into_iter().enumerate().filter(|(i, _)| i % step == 0 || i + 1 == last);
    Some(LossCurve { generation: number, points: kept.map(|(_, point)| point).collect() })
}

/// The commands a generation has run, by their names.
fn steps(number: u32, folder: &Path) -> Vec<LabStep> {
    let word = |line: &Value| -> Option<String> {
        let command = line["command"].as_str()?;
        let mut words = command.split_whitespace().skip(1);
        Some(words.next().unwrap_or_default().to_owned())
    };
    lines(&folder.join("steps.jsonl"))
        .iter()
        .filter_map(|line| {
            let seconds = line["seconds"].as_f64();
            Some(LabStep { generation: number, step: word(line)?, seconds })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(told["losses"], json!([{ "generation": 2, "points": [point] }]));
        assert_eq!(told["steps"], json!([{ "generation": 2, "step": "gen", "seconds": 3.5 }]));
        fs::write(folder.join("ledger.toml"), entry(1, true, 5.0) + &other).unwrap();
        let names: Vec<Value> = look(folder, "lab").into_iter().map(|l| json!(l.name)).collect();
        assert_eq!(names, ["lab (minishogi)", "lab (shogi)"]);
        fs::write(folder.join("ledger.toml"), "= broken").unwrap();
        assert!(look(folder, "lab")[0].error.is_some());
    }
}
