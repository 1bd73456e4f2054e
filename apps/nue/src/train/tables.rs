//! Linear tables: what they begin with, and the files they become.

use super::args::{Plan, TrainArgs};
use super::nets::write;
use super::run::{self, Product};
use crate::failure::{Failure, Outcome};
use ::eval::{FILES, KKPPT_FILE, KkpptTables, Tables};
use rules::{Game, Minishogi, Shogi, Variant};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;
use trainer::{Corpus, FourPiece, Optimiser, Scheme, TableModel, TableOptions, ThreePiece};

/// Which tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Kkppt,
    Kppt,
    KppKkpt,
}

impl Kind {
    /// The kind that a name means.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().replace('-', "_").as_str() {
            "kkppt" => Some(Self::Kkppt),
            "kppt" => Some(Self::Kppt),
            "kpp_kkpt" => Some(Self::KppKkpt),
            _ => None,
        }
    }

    fn game(self) -> Game {
        if self == Self::Kkppt { Game::Minishogi } else { Game::Shogi }
    }

    /// A learning rate to begin with.
    pub(super) fn usual_rate(self, optimiser: Optimiser) -> f32 {
        match self {
            Self::Kkppt => TableModel::<Minishogi, FourPiece>::usual_rate(optimiser),
            Self::Kppt | Self::KppKkpt => {
                TableModel::<Shogi, ThreePiece<Shogi, true>>::usual_rate(optimiser)
            }
        }
    }
}

/// Trains tables.
pub(super) fn train(
    kind: Kind,
    args: &TrainArgs,
    plan: &Plan,
    data: Corpus,
    validation: Corpus,
) -> Outcome {
    if kind.game() != plan.game {
        let (wanted, found) = (kind.game(), plan.game);
        return Err(Failure::usage(format!(
            "such tables are for {wanted}, the data are games of {found}"
        )));
    }
    if args.float.is_some() {
        return Err(Failure::usage("--float is for nets; tables have no file in real numbers"));
    }
    if plan.options.subspace != 100 {
        return Err(Failure::usage("--subspace is for nets"));
    }
    let options = TableOptions { optimiser: plan.options.optimiser, factors: plan.options.factors };
    match kind {
        Kind::Kkppt => {
            let mut model = TableModel::zeroed(FourPiece::default(), options);
            if let Some(path) = &args.from {
                model.set_tables(&read_kkppt(path)?);
            }
            run::train(args, plan, data, validation, model)
        }
        Kind::Kppt => three_piece::<true>(options, args, plan, data, validation),
        Kind::KppKkpt => three_piece::<false>(options, args, plan, data, validation),
    }
}

fn three_piece<const TEMPO: bool>(
    options: TableOptions,
    args: &TrainArgs,
    plan: &Plan,
    data: Corpus,
    validation: Corpus,
) -> Outcome {
    let mut model = TableModel::zeroed(ThreePiece::<Shogi, TEMPO>::default(), options);
    if let Some(path) = &args.from {
        let tables = Tables::load(path).map_err(|e| Failure::failed(e.to_string()))?;
        model.set_tables(&tables);
    }
    run::train(args, plan, data, validation, model)
}

/// Reads a file of KKPPT tables, or the one in a folder.
fn read_kkppt(path: &Path) -> Result<KkpptTables, Failure> {
    let inside = path.join(KKPPT_FILE);
    let path = if path.is_dir() { &inside } else { path };
    let failed = |e: &dyn std::fmt::Display| Failure::failed(format!("{}: {e}", path.display()));
    KkpptTables::read(File::open(path).map_err(|e| failed(&e))?).map_err(|e| failed(&e))
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::failed(format!("{}: cannot write: {error}", path.display()))
}

impl Product for TableModel<Minishogi, FourPiece> {
    fn publish(&self, args: &TrainArgs, _: &Corpus) -> Result<Value, Failure> {
        let (mut tables, cut) = self.to_tables();
        tables.description = concat!("by nue ", env!("CARGO_PKG_VERSION")).to_owned();
        write(&args.out, |to| tables.write(to).map_err(std::io::Error::other))
            .map_err(|e| cannot_write(&args.out, &e))?;
        Ok(json!({ "cut": cut }))
    }
}

impl<V: Variant, const TEMPO: bool> Product for TableModel<V, ThreePiece<V, TEMPO>>
where
    ThreePiece<V, TEMPO>: Scheme,
{
    /// A folder: the three files are written into another one beside it, then moved.
    fn publish(&self, args: &TrainArgs, _: &Corpus) -> Result<Value, Failure> {
        let (tables, cut) = self.to_tables();
        let folder = &args.out;
        let mut name = folder.as_os_str().to_owned();
        name.push(".part");
        let part = Path::new(&name);
        let failed = |e: std::io::Error| cannot_write(folder, &e);
        fs::create_dir_all(folder).map_err(failed)?;
        fs::create_dir_all(part).map_err(failed)?;
        tables.save(part).map_err(|e| Failure::failed(e.to_string()))?;
        for file in FILES {
            fs::rename(part.join(file), folder.join(file)).map_err(failed)?;
        }
        fs::remove_dir(part).map_err(failed)?;
        Ok(json!({ "cut": cut }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        for (name, kind) in [
            ("kkppt", Some(Kind::Kkppt)),
            ("KPPT", Some(Kind::Kppt)),
            ("kpp-kkpt", Some(Kind::KppKkpt)),
            ("KPP_KKPT", Some(Kind::KppKkpt)),
            ("kpp", None),
        ] {
            assert_eq!(Kind::named(name), kind, "{name}");
        }
    }
}
