//! Steps as command lines: what a user types to repeat them. What has its default is left out.

use crate::selfplay::SelfPlay;
use arena::adjudication::Resignation;
use arena::opening_maker::OpeningSettings;
use arena::request::MatchRequest;
use arena::selfplay::file::Existing;
use corpus::split::Split;
use std::fmt::{self, Display};
use std::path::Path;
use trainer::{TrainingOptions, TrainingRequest};

/// A program and its words, shown as a shell reads them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    program: String,
    words: Vec<String>,
}

#[allow(clippy::needless_pass_by_value, reason = "numbers and texts alike, without a forest of &")]
impl CommandLine {
    /// A program with the words that come first.
    pub fn new(program: &Path, words: &str) -> Self {
        let words = words.split_whitespace().map(str::to_owned).collect();
        Self { program: shown(program), words }
    }

    fn nue(words: &str) -> Self {
        Self::new(Path::new("nue"), words)
    }

    /// The words after the program.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Adds a word as it is.
    pub fn word(&mut self, word: impl ToString) -> &mut Self {
        self.words.push(word.to_string());
        self
    }

    /// Adds a flag and its value.
    pub fn pair(&mut self, name: &str, value: impl ToString) -> &mut Self {
        self.word(name).word(value)
    }

    fn path(&mut self, name: &str, path: &Path) -> &mut Self {
        self.pair(name, shown(path))
    }

    fn switch(&mut self, name: &str, on: bool) -> &mut Self {
        if on { self.word(name) } else { self }
    }

    fn given<T: ToString>(&mut self, name: &str, value: Option<T>) -> &mut Self {
        match value {
            Some(value) => self.pair(name, value),
            None => self,
        }
    }

    fn each<T: ToString>(&mut self, name: &str, values: &[T]) -> &mut Self {
        values.iter().fold(self, |line, value| line.pair(name, value.to_string()))
    }

    fn unless<T: ToString + PartialEq>(&mut self, name: &str, value: &T, usual: &T) -> &mut Self {
        if value == usual { self } else { self.pair(name, value.to_string()) }
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.program))?;
        self.words.iter().try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// `nue gen`.
pub fn selfplay(request: &SelfPlay) -> CommandLine {
    let (usual, settings) = (SelfPlay::default(), &request.settings);
    let mut line = CommandLine::nue("gen");
    line.switch("--resume", request.existing == Existing::Resume);
    line.switch("--force", request.existing == Existing::Replace);
    line.given("--net", request.net.as_deref().map(shown)).path("--out", &request.out);
    line.pair("--game", settings.game.name());
    line.given("--games", request.goal.games).given("--positions", request.goal.positions);
    line.given("--minutes", request.goal.time.map(|time| time.as_secs_f64() / 60.0));
    line.pair("--nodes", settings.nodes).given("--depth", settings.depth);
    line.pair("--seed", settings.seed).given("--threads", request.threads);
    line.unless("--fv-scale", &request.fv_scale, &usual.fv_scale);
    if request.isa != usual.isa {
        line.pair("--isa", request.isa.name());
    }
    line.unless("--hash", &request.hash, &usual.hash);
    line.unless("--block", &request.block, &usual.block);
    let usual = usual.settings;
    line.unless("--random", &settings.random.count, &usual.random.count);
    line.unless("--random-plies", &settings.random.plies, &usual.random.plies);
    line.given("--near-best", settings.near_best).given("--policy", settings.policy);
    line.given("--balance", settings.balance);
    line.each("--start", &settings.starts).each("--openings", &settings.openings);
    line.given("--plies", settings.plies);
    if settings.resign != usual.resign {
        line.pair("--resign", Resignation(settings.resign));
    }
    line.given("--draw", settings.draw);
    line.unless("--max-moves", &settings.max_moves, &usual.max_moves);
    line.unless("--declaration", &settings.declaration, &usual.declaration);
    line.switch("--separate", settings.separate);
    for (name, value) in &settings.options {
        line.pair("--option", format!("{name}={value}"));
    }
    line
}

/// `nue data split`.
pub fn split(request: &Split) -> CommandLine {
    let mut line = CommandLine::nue("data split");
    line.switch("--force", request.train.force);
    for path in &request.inputs.paths {
        line.word(shown(path));
    }
    line.path("--train", &request.train.path).path("--validation", &request.validation.path);
    line.pair("--share", request.share).pair("--seed", request.seed);
    line.pair("--damaged", request.inputs.damaged);
    line
}

/// `nue train`.
pub fn training(request: &TrainingRequest) -> CommandLine {
    let mut line = CommandLine::nue("train");
    for path in &request.data {
        line.word(shown(path));
    }
    for path in &request.validation {
        line.path("--validation", path);
    }
    line.path("--out", &request.out).pair("--game", request.game.name());
    line.switch("--resume", request.resume).switch("--force", request.force);
    line.given("--arch", request.architecture.as_deref());
    line.given("--from", request.from.as_deref().map(shown));
    line.pair("--seed", request.seed).given("--threads", request.threads);
    training_options(&mut line, &request.options);
    line
}

fn training_options(line: &mut CommandLine, options: &TrainingOptions) {
    let usual = TrainingOptions::default();
    let (selection, usual_selection) = (&options.selection, &usual.selection);
    line.unless("--lambda", &options.objective.lambda, &usual.objective.lambda);
    line.unless("--scale", &options.objective.scale, &usual.objective.scale);
    line.unless("--epochs", &options.epochs, &usual.epochs);
    line.unless("--batch", &options.batch, &usual.batch);
    line.given("--optimizer", options.optimiser).given("--lr", options.rate);
    line.unless("--schedule", &options.schedule, &usual.schedule);
    line.given("--lr-end", options.rate_end).given("--lambda-end", options.lambda_end);
    line.unless("--patience", &options.patience, &usual.patience);
    line.unless("--halvings", &options.halvings, &usual.halvings);
    line.given("--validate-every", options.validate_every);
    let (positions, usual_positions) = (options.validation_positions, usual.validation_positions);
    line.unless("--validation-positions", &positions, &usual_positions);
    line.unless("--agreement", &options.agreement, &usual.agreement);
    line.switch("--no-factors", !options.factors);
    line.unless("--subspace", &options.subspace, &usual.subspace);
    line.given("--fv-scale", options.fv_scale);
    line.unless("--mirror", &selection.mirror, &usual_selection.mirror);
    line.switch("--leaf", selection.leaf).switch("--keep-checks", !selection.sieve.no_check);
    line.switch("--keep-captures", !selection.sieve.quiet);
    line.switch("--keep-random", !selection.sieve.no_random);
    line.unless("--limit", &selection.limit, &usual_selection.limit);
    line.unless("--buffer", &options.buffer, &usual.buffer);
    for (name, path) in [
        ("--float", &options.float),
        ("--log", &options.log),
        ("--curve", &options.curve),
        ("--checkpoint", &options.checkpoint),
    ] {
        line.given(name, path.as_deref().map(shown));
    }
    let seconds = |options: &TrainingOptions| options.checkpoint_every.as_secs();
    line.unless("--checkpoint-every", &seconds(options), &seconds(&usual));
}

/// `nue openings make`.
pub fn openings(settings: &OpeningSettings, out: &Path, force: bool) -> CommandLine {
    let usual = OpeningSettings::default();
    let mut line = CommandLine::nue("openings make");
    line.switch("--force", force).path("--out", out).pair("--game", settings.game.name());
    line.pair("--count", settings.count).pair("--nodes", settings.nodes);
    line.unless("--margin", &settings.margin, &usual.margin);
    line.unless("--plies", &settings.plies, &usual.plies);
    line.given("--engine", settings.engine.as_deref());
    line.unless("--start", &settings.start, &usual.start);
    line.pair("--seed", settings.seed);
    line.unless("-j", &settings.concurrency, &usual.concurrency);
    line
}

/// `nue match`.
pub fn game_match(request: &MatchRequest) -> CommandLine {
    let usual = MatchRequest::default();
    let mut line = CommandLine::nue("match");
    line.switch("--resume", request.resume).switch("--force", request.force);
    line.each("--engine", &request.engines).each("--each", &request.each);
    line.pair("--game", request.game.name()).pair("--games", request.games);
    line.unless("--format", &request.format, &usual.format);
    line.given("--openings", request.openings.as_deref().map(shown));
    line.given("--plies", request.plies).unless("--start", &request.start, &usual.start);
    line.pair("--seed", request.seed);
    line.unless("-j", &request.concurrency, &usual.concurrency);
    line.switch("--pin", request.pin).given("--sprt", request.sprt);
    line.given("--resign", request.resign).given("--draw", request.draw);
    line.unless("--max-moves", &request.max_moves, &usual.max_moves);
    line.unless("--declaration", &request.declaration, &usual.declaration);
    line.unless("--margin", &request.margin.as_millis(), &usual.margin.as_millis());
    line.unless("--give-up", &request.give_up, &usual.give_up);
    line.given("--out", request.out.as_deref().map(shown));
    line
}

/// `nue net convert` and `nue net import`, which replace what is there.
pub fn net(verb: &str, from: &Path, to: &Path) -> CommandLine {
    let mut line = CommandLine::nue("net");
    line.word(verb).word("--force").path("--output", to).word(shown(from));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        let mut line = CommandLine::nue("gen");
        line.pair("--out", "a b").word("").word("it's");
        let text = line.to_string();
        assert_eq!(text, "nue gen --out 'a b' '' 'it'\\''s'");
        let read = shlex::split(&text).unwrap();
        assert_eq!(read[1..], *line.words());
    }
}
