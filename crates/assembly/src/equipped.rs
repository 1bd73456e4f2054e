//! An engine that loads what it evaluates by and plays from books: `Engine`, `EvalDir`, `FV_SCALE`,
//! `DNN_…` and `Book…` belong here, everything else to the search inside, which is built anew when one of them changes.

use crate::books::{self, Books, Pondering};
use crate::deep::{self, NetChoice, tree_search};
use crate::evaluation::{Evaluation, LARGEST_FV_SCALE, LoadError, USUAL_FOLDER};
use crate::search::search;
use crate::shipped::shipped;
use rules::{AnyPosition, Game, Move};
use std::path::Path;
use std::sync::Arc;
use think::{
    Best, Bound, Control, Engine, Info, Limits, OptionError, OptionKey, OptionSpec, Report, Score,
    Settings, TimeSource, WrongGame,
};

/// The option that names the evaluation.
pub const EVAL_DIR: OptionKey<String> = OptionKey::text(
    "EvalDir",
    USUAL_FOLDER,
    "Folder with a net (nn.bin) or tables (kkppt.bin; KK, KKP and KPP_synthesized.bin), or a file; \
     looked for where the program was started, then beside the executable. Without one the engine \
     uses the net inside the executable, or counts material where it has none; \"material\" asks for \
     that.",
);

/// What a net's output is divided by.
pub const FV_SCALE: OptionKey<i32> = OptionKey::spin(
    "FV_SCALE",
    nnue::DEFAULT_FV_SCALE as i64,
    1,
    LARGEST_FV_SCALE as i64,
    "Divisor of a net's output; a net's author says which.",
);

const ALPHABETA: &str = "alphabeta";
/// The value of [`ENGINE`] that asks for the tree search.
pub const PUCT: &str = "puct";

pub const ENGINE: OptionKey<String> = OptionKey::combo(
    "Engine",
    ALPHABETA,
    &[ALPHABETA, PUCT],
    "Which search plays: alpha-beta with an evaluation (EvalDir), or a tree search guided by a \
     policy-value net (DNN_Model).",
);

/// An engine for the game, at its start position, that loads its evaluation when it is needed.
pub fn engine(game: Game, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    Box::new(Equipped::new(game, time))
}

/// The engine.
pub struct Equipped {
    game: Game,
    time: Arc<dyn TimeSource>,
    settings: Settings,
    inner: Box<dyn Engine>,
    /// Options of both searches.
    known: Settings,
    /// Options given to the search, to be given to the next.
    chosen: Vec<(String, String)>,
    position: AnyPosition,
    /// Of the evaluation in use.
    win_rate_scale: f64,
    /// Folder and divisor that were tried last, while alpha-beta plays.
    tried: Option<(String, i32)>,
    /// What was tried last, while the tree search is asked for.
    tried_net: Option<NetChoice>,
    /// Whether the tree search plays.
    is_tree: bool,
    books: Books,
}

impl Equipped {
    /// An engine at the start position.
    pub fn new(game: Game, time: Arc<dyn TimeSource>) -> Self {
        let inner = search(game, &Evaluation::Material, Arc::clone(&time));
        Self {
            game,
            time,
            settings: Settings::new(
                [ENGINE.spec(), EVAL_DIR.spec(), FV_SCALE.spec()]
                    .into_iter()
                    .chain(deep::specs())
                    .chain(books::specs())
                    .collect(),
            ),
            known: Settings::new(both(inner.options())),
            inner,
            chosen: Vec::new(),
            position: AnyPosition::startpos(game),
            win_rate_scale: Evaluation::Material.win_rate_scale(),
            tried: None,
            tried_net: None,
            is_tree: false,
            books: Books::default(),
        }
    }

    /// Loads what is asked for if it is something else than was tried last. Whatever goes wrong, the
    /// engine goes on with what it had.
    fn equip(&mut self, note: &mut dyn FnMut(&str)) {
        self.books.load(self.game, &self.settings, note);
        if self.settings.get(&ENGINE) == PUCT {
            let wanted = NetChoice::of(|key| self.settings.get(key));
            if self.tried_net.as_ref() != Some(&wanted) {
                self.equip_tree(&wanted, note);
                self.tried_net = Some(wanted);
            }
            if self.is_tree {
                return;
            }
        } else {
            self.tried_net = None;
        }
        self.equip_evaluation(note);
    }

    fn equip_tree(&mut self, wanted: &NetChoice, note: &mut dyn FnMut(&str)) {
        match wanted.open(self.game, &self.time) {
            Ok(net) => {
                note(&format!("policy-value net: {}", net.describe()));
                self.put_in(tree_search(net, Arc::clone(&self.time)));
                self.win_rate_scale = self.inner.win_rate_scale();
                self.is_tree = true;
                self.tried = None;
            }
            Err(error) if self.is_tree => note(&format!("policy-value net not changed: {error}")),
            Err(error) => note(&format!("{error}. Playing with alpha-beta")),
        }
    }

    fn equip_evaluation(&mut self, note: &mut dyn FnMut(&str)) {
        let wanted = (self.settings.get(&EVAL_DIR), self.settings.get(&FV_SCALE));
        if self.tried.as_ref() == Some(&wanted) {
            return;
        }
        let first = self.tried.is_none();
        let usual = wanted.0 == USUAL_FOLDER;
        match Evaluation::load(Path::new(&wanted.0), self.game, wanted.1) {
            Ok(evaluation) => {
                self.use_evaluation(&evaluation);
                note(&format!("evaluation: {}", evaluation.describe()));
                for remark in evaluation.remarks() {
                    note(&format!("warning: {}: {remark}", wanted.0));
                }
            }
            // Nobody asks for another one than that inside the executable.
            Err(LoadError::Nothing { .. }) if usual => self.use_shipped(wanted.1, note),
            Err(error) => {
                note(&format!("evaluation not changed: {error}"));
                // With nothing loaded yet, what stays is the net inside the executable.
                if first {
                    self.use_shipped(wanted.1, note);
                }
            }
        }
        self.tried = Some(wanted);
    }

    fn use_shipped(&mut self, fv_scale: i32, note: &mut dyn FnMut(&str)) {
        let evaluation = match shipped(self.game) {
            Evaluation::Net(net) if fv_scale != nnue::DEFAULT_FV_SCALE => {
                Evaluation::Net(net.with_fv_scale(fv_scale))
            }
            other => other,
        };
        self.use_evaluation(&evaluation);
        note(&format!("evaluation: {}, shipped", evaluation.describe()));
    }

    /// Builds the search anew around an evaluation.
    pub fn use_evaluation(&mut self, evaluation: &Evaluation) {
        self.put_in(search(self.game, evaluation, Arc::clone(&self.time)));
        self.win_rate_scale = evaluation.win_rate_scale();
        self.is_tree = false;
    }

    /// The book's answer with its line, and what it has to say about every move.
    fn book_answer(
        &mut self,
        limits: &Limits,
        report: &mut dyn Report,
    ) -> Option<(Best, Option<Info>)> {
        let seed = self.time.now().as_nanos() as u64 ^ self.position.key();
        let analysing = books::is_analysis(&self.known);
        let decided = self.books.decide(&self.position, limits, &self.settings, analysing, seed)?;
        match decided {
            Ok(decision) => {
                let best = books::best(&decision);
                let value = best.and_then(|_| self.inner.static_value());
                let seen = Info {
                    score: value.map(|value| (Score::Cp(value), Bound::Exact)),
                    time: Some(self.time.now().saturating_sub(limits.start)),
                    ..Info::default()
                };
                let line =
                    self.books.tell(&self.position, &decision, &self.settings, &seen, report);
                best.map(|best| (best, line))
            }
            Err(error) => {
                report.note(&format!("book: {error}"));
                None
            }
        }
    }

    fn put_in(&mut self, search: Box<dyn Engine>) {
        self.inner = search;
        for (name, value) in &self.chosen {
            // They were accepted before, by the same search around another evaluation, or are the
            // other search's.
            let _ = self.inner.set_option(name, value);
        }
        let _ = self.inner.set_position(self.position.clone());
    }
}

impl Engine for Equipped {
    fn set_position(&mut self, position: AnyPosition) -> Result<(), WrongGame> {
        self.inner.set_position(position.clone())?;
        self.position = position;
        Ok(())
    }

    fn go(&mut self, limits: Limits, mut report: Box<dyn Report>) {
        self.equip(&mut |text| report.note(text));
        match self.book_answer(&limits, &mut *report) {
            Some((best, line)) if limits.ponder => {
                self.inner.go(limits, Box::new(Pondering { report, best, line }));
                books::end_at_our_turn(self.inner.control());
            }
            Some((best, _)) => {
                self.inner.control().stop();
                self.inner.wait();
                report.best(&best);
            }
            None => self.inner.go(limits, report),
        }
    }

    fn think(&mut self, limits: Limits, report: &mut dyn Report) {
        self.equip(&mut |text| report.note(text));
        match self.book_answer(&limits, report).filter(|_| !limits.ponder) {
            Some((best, _)) => report.best(&best),
            None => self.inner.think(limits, report),
        }
    }

    fn control(&self) -> Control {
        self.inner.control()
    }

    fn wait(&mut self) {
        self.inner.wait();
    }

    fn new_game(&mut self) {
        self.position = AnyPosition::startpos(self.game);
        self.inner.new_game();
    }

    fn is_ready(&mut self, note: &mut dyn FnMut(&str)) {
        self.inner.wait();
        self.equip(note);
        self.inner.is_ready(note);
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.known.specs().chain(self.settings.specs()).cloned().collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if self.settings.find(name).is_some() {
            self.settings.set(name, value)?;
            return Ok(());
        }
        match self.known.set(name, value) {
            Ok(_) => match self.inner.set_option(name, value) {
                // The other search's.
                Err(OptionError::Unknown { .. }) => {}
                result => result?,
            },
            // Numbers of a search that are not declared.
            Err(OptionError::Unknown { .. }) => self.inner.set_option(name, value)?,
            Err(error) => return Err(error),
        }
        self.chosen.retain(|(earlier, _)| !earlier.eq_ignore_ascii_case(name));
        self.chosen.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    fn win_rate_scale(&self) -> f64 {
        if self.is_tree { self.inner.win_rate_scale() } else { self.win_rate_scale }
    }

    fn static_value(&mut self) -> Option<i32> {
        self.equip(&mut |_| ());
        self.inner.static_value()
    }

    fn policy_target(&mut self) -> Vec<(Move, f32)> {
        self.inner.policy_target()
    }
}

/// The options of alpha-beta, and what the tree search has besides.
fn both(mut options: Vec<OptionSpec>) -> Vec<OptionSpec> {
    for spec in mcts::options::specs() {
        if !options.iter().any(|known| known.is_called(&spec.name)) {
            options.push(spec);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deep::DNN_MODEL;
    use think::ManualTime;
    use think::key::universal::HASH;

    fn notes(engine: &mut Equipped) -> Vec<String> {
        let mut notes = Vec::new();
        engine.is_ready(&mut |note| notes.push(note.to_owned()));
        notes
    }

    #[test]
    fn without_a_net_the_engine_says_so_and_keeps_alpha_beta() {
        let mut engine = Equipped::new(Game::Minishogi, Arc::new(ManualTime::new()));
        let options =
            [HASH.to(4), ENGINE.to(PUCT.to_owned()), DNN_MODEL.to("nowhere.nued".to_owned())];
        for (name, value) in options {
            engine.set_option(name, &value).unwrap();
        }
        let said = notes(&mut engine);
        assert!(said[0].contains("nowhere.nued") && said[0].contains("alpha-beta"), "{said:?}");
        assert!(said[1].starts_with("evaluation:"), "{said:?}");
        assert_eq!(notes(&mut engine), Vec::<String>::new(), "told once");
    }

    #[test]
    fn options_of_both_searches_are_known_and_checked() {
        let mut engine = Equipped::new(Game::Shogi, Arc::new(ManualTime::new()));
        engine.set_option("uct_threads", "3").unwrap();
        engine.set_option("SkillLevel", "3").unwrap();
        assert!(matches!(
            engine.set_option("UCT_Threads", "x"),
            Err(OptionError::NotInRange { .. })
        ));
        assert!(matches!(engine.set_option("Nothing", "1"), Err(OptionError::Unknown { .. })));
        let names: Vec<String> = engine.options().into_iter().map(|spec| spec.name).collect();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }
}
