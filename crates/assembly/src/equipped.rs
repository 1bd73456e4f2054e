//! An engine that loads its evaluation: `EvalDir` and `FV_SCALE` belong here, everything else to
//! the search inside, which is built anew when the evaluation changes.

use crate::evaluation::{Evaluation, LARGEST_FV_SCALE, LoadError, USUAL_FOLDER};
use crate::search::search;
use crate::shipped::shipped;
use rules::{AnyPosition, Game};
use std::path::Path;
use std::sync::Arc;
use think::{
    Control, Engine, Limits, OptionError, OptionKey, OptionSpec, Report, Settings, TimeSource,
    WrongGame,
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

/// The engine.
pub struct Equipped {
    game: Game,
    time: Arc<dyn TimeSource>,
    settings: Settings,
    inner: Box<dyn Engine>,
    /// Options given to the search, to be given to the next.
    chosen: Vec<(String, String)>,
    position: AnyPosition,
    /// Of the evaluation in use.
    win_rate_scale: f64,
    /// Folder and divisor that were tried last.
    tried: Option<(String, i32)>,
}

impl Equipped {
    /// An engine at the start position.
    pub fn new(game: Game, time: Arc<dyn TimeSource>) -> Self {
        let inner = search(game, &Evaluation::Material, Arc::clone(&time));
        Self {
            game,
            time,
            settings: Settings::new(vec![EVAL_DIR.spec(), FV_SCALE.spec()]),
            inner,
            chosen: Vec::new(),
            position: AnyPosition::startpos(game),
            win_rate_scale: Evaluation::Material.win_rate_scale(),
            tried: None,
        }
    }

    /// Loads the evaluation if it is another one than was tried last. Whatever goes wrong, the
    /// engine goes on with what it had.
    fn equip(&mut self, note: &mut dyn FnMut(&str)) {
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
        self.inner = search(self.game, evaluation, Arc::clone(&self.time));
        self.win_rate_scale = evaluation.win_rate_scale();
        for (name, value) in &self.chosen {
            // They were accepted before, by the same search around another evaluation.
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
        self.inner.go(limits, report);
    }

    fn think(&mut self, limits: Limits, report: &mut dyn Report) {
        self.equip(&mut |text| report.note(text));
        self.inner.think(limits, report);
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
        self.inner.options().into_iter().chain(self.settings.specs().cloned()).collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if self.settings.find(name).is_some() {
            self.settings.set(name, value)?;
            return Ok(());
        }
        self.inner.set_option(name, value)?;
        self.chosen.retain(|(earlier, _)| !earlier.eq_ignore_ascii_case(name));
        self.chosen.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    fn win_rate_scale(&self) -> f64 {
        self.win_rate_scale
    }

    fn static_value(&mut self) -> Option<i32> {
        self.equip(&mut |_| ());
        self.inner.static_value()
    }
}
