//! What is printed about problems: a page for one, a table row for each of many, JSON for programs.

use indicatif::{ProgressBar, ProgressStyle};
use kifu::MateProblem;
use mate::{Branch, Study, Try, Verdict};
use rules::AnyPosition;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A problem's answers, and where its proof was written or why not.
pub struct MateAnswer {
    pub study: Study,
    pub proof: Option<Result<PathBuf, String>>,
}

/// One problem for a person.
pub fn page(position: &AnyPosition, answer: &MateAnswer, branches: bool) -> String {
    let study = &answer.study;
    let mut text = format!("{}\n\n{}", kifu::diagram(position), study.solution_text());
    text += &study.details(branches);
    match &answer.proof {
        Some(Ok(path)) => text += &format!("proof in {}\n", path.display()),
        Some(Err(why)) => text += &format!("{why}\n"),
        None => {}
    }
    let (nodes, seconds) = (study.solution.nodes, study.time.as_secs_f64());
    text + &format!("{nodes} nodes, {seconds:.3} s")
}

/// A bar for so many problems; none for a single one, nor where standard error is no terminal.
pub fn bar(problems: Option<usize>) -> ProgressBar {
    let Some(count) = problems else { return ProgressBar::hidden() };
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// What a proof file proves, in words, or why it proves nothing.
pub fn checked(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("cannot read: {error}"))?;
    let proven = mate::verify(&bytes).map_err(|error| error.to_string())?;
    let (positions, sfen) = (proven.positions, proven.position.sfen());
    Ok(format!("{}, proven ({positions} positions)\nsfen {sfen}", proven.claim))
}

/// The head of the table of a collection.
pub fn table_head() -> String {
    format!("{:24} {:>24} {:>12} {:>9}  first move", "problem", "answer", "nodes", "seconds")
}

/// One row of the table.
pub fn row(problem: &MateProblem, answer: &MateAnswer, branches: bool) -> String {
    let study = &answer.study;
    let mut text = format!(
        "{:24} {:>24} {:>12} {:>9.3}  {}\n{}",
        short_name(problem),
        study.verdict(),
        study.solution.nodes,
        study.time.as_secs_f64(),
        study.usi(&study.solution.line).first().map_or("", String::as_str),
        study.details(branches),
    );
    if let Some(Err(why)) = &answer.proof {
        text += &format!("{:24} {why}\n", "");
    }
    text.trim_end().to_owned()
}

/// A problem that could not be read.
pub fn unreadable(as_json: bool, problem: &MateProblem, error: &str) -> String {
    if as_json {
        return json!({"name": problem.name, "error": error}).to_string();
    }
    format!("{:24} {error}", short_name(problem))
}

/// As much of the name as the table has room for.
fn short_name(problem: &MateProblem) -> String {
    problem.name.chars().take(24).collect()
}

/// One problem for a program.
pub fn json(problem: &MateProblem, position: &AnyPosition, answer: &MateAnswer) -> Value {
    let study = &answer.study;
    let (game, s) = (study.game, &study.solution);
    let word = |v: Verdict| match v {
        Verdict::Mate => "mate",
        Verdict::NoMate => "nomate",
        Verdict::Unknown(_) => "unknown",
    };
    let list = |tries: &[Try]| -> Vec<Value> {
        let one = |t: &Try| json!({"at": t.at, "move": t.m.usi(game), "answer": word(t.verdict), "plies": t.plies});
        tries.iter().map(one).collect()
    };
    let mut value = json!({
        "name": problem.name,
        "game": game.to_string(),
        "sfen": position.sfen(),
        "answer": word(s.verdict),
        "nodes": s.nodes,
        "seconds": study.time.as_secs_f64(),
    });
    if let Verdict::Unknown(why) = s.verdict {
        value["reason"] = json!(why.to_string());
    }
    if s.verdict == Verdict::Mate {
        value["plies"] = json!(s.line.len());
        value["plain_plies"] = json!(s.plain_plies);
        value["shortest"] = json!(s.is_shortest);
        value["line"] = json!(study.usi(&s.line));
        let branch = |b: &Branch| {
            json!({"at": b.at, "reply": b.reply.usi(game), "plies": b.plies,
                   "answer": b.answer.usi(game)})
        };
        value["branches"] = s.branches.iter().map(branch).collect();
    }
    match &study.counted {
        Some(Ok(c)) => {
            value["counted"] = json!({"futile": c.futile.name(), "plies": c.plies,
                "shortest": c.is_shortest, "line": study.usi(&c.line), "free": c.free});
        }
        Some(Err(why)) => value["counted"] = json!({"error": why.to_string()}),
        None => {}
    }
    for (key, tries) in [("first_moves", &study.first_moves), ("cooks", &study.cooks)] {
        if !tries.is_empty() {
            value[key] = json!(list(tries));
        }
    }
    match &answer.proof {
        Some(Ok(path)) => value["proof"] = json!(path.to_string_lossy()),
        Some(Err(why)) => value["proof_error"] = json!(why),
        None => {}
    }
    value
}
