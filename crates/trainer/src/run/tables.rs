//! Linear tables: what they begin with, and the files they become.

use super::{Ended, Material, Product, Run, RunError, write};
use crate::net::NetOptions;
use crate::optimiser::Optimiser;
use crate::table_files::publish_folder;
use crate::tables::{FourPiece, Scheme, TableModel, TableOptions, ThreePiece};
use corpus::batches::Units;
use eval::{KKPPT_FILE, KkpptTables, Tables};
use rules::{Game, Minishogi, Shogi, Variant};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;

/// Which pieces the entries of tables are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// Two kings and two pieces, for minishogi.
    Kkppt,
    /// A king and two pieces, with the tempo in all three tables.
    Kppt,
    /// The same without the tempo of the largest table.
    KppKkpt,
}

impl TableKind {
    /// The kind that a name means.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().replace('-', "_").as_str() {
            "kkppt" => Some(Self::Kkppt),
            "kppt" => Some(Self::Kppt),
            "kpp_kkpt" => Some(Self::KppKkpt),
            _ => None,
        }
    }

    /// What the field calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kkppt => "KKPPT",
            Self::Kppt => "KPPT",
            Self::KppKkpt => "KPP_KKPT",
        }
    }

    fn game(self) -> Game {
        if self == Self::Kkppt { Game::Minishogi } else { Game::Shogi }
    }

    /// A learning rate to begin with.
    pub fn usual_rate(self, optimiser: Optimiser) -> f32 {
        match self {
            Self::Kkppt => TableModel::<Minishogi, FourPiece>::usual_rate(optimiser),
            Self::Kppt | Self::KppKkpt => {
                TableModel::<Shogi, ThreePiece<Shogi, true>>::usual_rate(optimiser)
            }
        }
    }
}

impl std::fmt::Display for TableKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Trains tables.
pub(super) fn train(kind: TableKind, material: Material<'_>) -> Result<Ended, RunError> {
    let run = material.run;
    let (wanted, found) = (kind.game(), run.game);
    let why = if wanted != found {
        Some(format!("such tables are for {wanted}, the data are games of {found}"))
    } else if run.files.float.is_some() {
        Some("tables have no file in real numbers".to_owned())
    } else {
        None
    };
    if let Some(why) = why {
        return Err(RunError::Request(why));
    }
    let NetOptions { optimiser, factors, subspace } = run.options;
    let options = TableOptions { optimiser, factors, subspace };
    match kind {
        TableKind::Kkppt => {
            let mut model = TableModel::zeroed(FourPiece::default(), options);
            if let Some(path) = &run.files.from {
                model.set_tables(&read_kkppt(path)?);
            }
            material.train(Box::new(model))
        }
        TableKind::Kppt => three_piece::<true>(options, material),
        TableKind::KppKkpt => three_piece::<false>(options, material),
    }
}

fn three_piece<const TEMPO: bool>(
    options: TableOptions,
    material: Material<'_>,
) -> Result<Ended, RunError> {
    let mut model = TableModel::zeroed(ThreePiece::<Shogi, TEMPO>::default(), options);
    if let Some(path) = &material.run.files.from {
        let tables = Tables::load(path).map_err(|e| RunError::Failed(e.to_string()))?;
        model.set_tables(&tables);
    }
    material.train(Box::new(model))
}

/// Reads a file of KKPPT tables, or the one in a folder.
fn read_kkppt(path: &Path) -> Result<KkpptTables, RunError> {
    let inside = path.join(KKPPT_FILE);
    let path = if path.is_dir() { &inside } else { path };
    let failed = |e: &dyn std::fmt::Display| RunError::file(path, e);
    KkpptTables::read(File::open(path).map_err(|e| failed(&e))?).map_err(|e| failed(&e))
}

impl Product for TableModel<Minishogi, FourPiece> {
    fn publish(&self, run: &Run, _: &Units) -> Result<Value, RunError> {
        let (mut tables, cut) = self.to_tables();
        tables.description = concat!("by nue ", env!("CARGO_PKG_VERSION")).to_owned();
        write(&run.files.out, |to| tables.write(to).map_err(std::io::Error::other))
            .map_err(|e| RunError::cannot_write(&run.files.out, &e))?;
        Ok(json!({ "cut": cut }))
    }
}

impl<V: Variant, const TEMPO: bool> Product for TableModel<V, ThreePiece<V, TEMPO>>
where
    ThreePiece<V, TEMPO>: Scheme,
{
    /// A folder: the three files are written into another one beside it, then moved.
    fn publish(&self, run: &Run, _: &Units) -> Result<Value, RunError> {
        let (tables, cut) = self.to_tables();
        let folder = &run.files.out;
        publish_folder(folder, &mut |part| tables.save(part).map_err(std::io::Error::other))
            .map_err(|e| RunError::cannot_write(folder, &e))?;
        Ok(json!({ "cut": cut }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        for (name, kind) in [
            ("kkppt", Some(TableKind::Kkppt)),
            ("KPPT", Some(TableKind::Kppt)),
            ("kpp-kkpt", Some(TableKind::KppKkpt)),
            ("KPP_KKPT", Some(TableKind::KppKkpt)),
            ("kpp", None),
        ] {
            assert_eq!(TableKind::named(name), kind, "{name}");
        }
    }
}
