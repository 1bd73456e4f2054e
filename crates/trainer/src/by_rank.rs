//! A net or tables put together from several, by the rank of a king (W@nderER's chimera).
//!
//! A rank is as the side sees it whose features they are: 1 is the far side. What belongs to no single king (biases
//! and layers of a net, KK and KKP of tables) is taken from one of them whole.

use crate::stored::{Stored, StoredError};
use crate::table_files::TableFiles;
use nnue::{AnyNet, SurgeryError};
use rules::Game;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Ranks and where what is taken for them lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankPart {
    pub ranks: RangeInclusive<usize>,
    pub path: PathBuf,
}

impl RankPart {
    /// Ranks, as `N` or `N-M`, and a path.
    pub fn new(ranks: &str, path: &Path) -> Result<Self, String> {
        let (from, to) = ranks.split_once('-').unwrap_or((ranks, ranks));
        let number = |text: &str| {
            let rank = usize::from_str(text).ok().filter(|n| (1..=9).contains(n));
            rank.ok_or_else(|| {
                format!("{text:?} is not a rank: expected 1 (far side) to 9 (own side)")
            })
        };
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            return Err(format!("{ranks:?} is empty: expected the smaller rank first"));
        }
        Ok(Self { ranks: from..=to, path: path.to_owned() })
    }
}

/// Why nothing was put together.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// It was asked wrongly.
    #[error("{0}")]
    Request(String),
    #[error(transparent)]
    Stored(#[from] StoredError),
    #[error(transparent)]
    Surgery(#[from] SurgeryError),
}

fn request(text: impl Into<String>) -> AssembleError {
    AssembleError::Request(text.into())
}

/// What is put together: all of one kind.
pub enum RankParts {
    Nets(PartsOf<AnyNet>),
    Tables(PartsOf<TableFiles>),
}

/// A part for each rank, and the one whose rest is taken.
pub struct PartsOf<T> {
    parts: Vec<T>,
    /// By rank, from the far side: which of the parts.
    by_rank: Vec<usize>,
    rest: Option<T>,
}

impl<T> PartsOf<T> {
    fn new(
        parts: Vec<(RangeInclusive<usize>, T)>,
        rest: Option<T>,
        game: Game,
    ) -> Result<Self, AssembleError> {
        let mut by_rank = Vec::new();
        for rank in 1..=game.size() {
            let mut found = (0..parts.len()).filter(|&i| parts[i].0.contains(&rank));
            match (found.next(), found.next()) {
                (Some(part), None) => by_rank.push(part),
                (None, _) => return Err(request(format!("no net for rank {rank}"))),
                _ => return Err(request(format!("several nets for rank {rank}"))),
            }
        }
        if let Some((ranks, _)) = parts.iter().find(|(ranks, _)| *ranks.end() > by_rank.len()) {
            return Err(request(format!("{game} has no rank {}", ranks.end())));
        }
        Ok(Self { parts: parts.into_iter().map(|(_, part)| part).collect(), by_rank, rest })
    }

    fn by_rank(&self) -> Vec<&T> {
        self.by_rank.iter().map(|&part| &self.parts[part]).collect()
    }

    fn rest(&self) -> &T {
        self.rest.as_ref().unwrap_or(&self.parts[0])
    }

    /// Whether one must say whose rest is taken.
    fn is_unclear(
        &self,
        alike: impl Fn(&T) -> Result<bool, StoredError>,
    ) -> Result<bool, StoredError> {
        if self.rest.is_some() {
            return Ok(false);
        }
        for part in &self.parts {
            if !alike(part)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl RankParts {
    /// Loads the parts, and what the rest is taken from where that is said.
    pub fn load(parts: &[RankPart], rest: Option<&Path>) -> Result<Self, AssembleError> {
        let Some(first) = parts.first() else { return Err(request("no net for rank 1")) };
        if let Some(tables) = TableFiles::find(&first.path)? {
            let game = tables.game();
            let found = parts.iter().map(|part| Ok((part.ranks.clone(), tables_at(&part.path)?)));
            let found = found.collect::<Result<_, AssembleError>>()?;
            let rest = rest.map(tables_at).transpose()?;
            return Ok(Self::Tables(PartsOf::new(found, rest, game)?));
        }
        let found = parts
            .iter()
            .map(|part| Ok((part.ranks.clone(), Stored::load_integers(&part.path)?)))
            .collect::<Result<Vec<_>, AssembleError>>()?;
        let rest = rest.map(Stored::load_integers).transpose()?;
        let game = rest.as_ref().unwrap_or(&found[0].1).game();
        Ok(Self::Nets(PartsOf::new(found, rest, game)?))
    }
}

fn tables_at(path: &Path) -> Result<TableFiles, AssembleError> {
    TableFiles::find(path)?.ok_or_else(|| {
        request(format!("{}: not tables: they are not put together with nets", path.display()))
    })
}

impl PartsOf<AnyNet> {
    /// The net; with `krank` a HalfKPKrank net, with a whole matrix for each rank.
    pub fn assemble(&self, krank: bool) -> Result<AnyNet, AssembleError> {
        let rest = self.rest();
        let alike =
            |net: &AnyNet| Ok(net.architecture() != rest.architecture() || net.same_layers(rest));
        if self.is_unclear(alike)? {
            return Err(request(
                "biases and layers of the nets differ, and a net has only one of each: --layers \
                 says whose",
            ));
        }
        Ok(AnyNet::assemble_by_rank(krank, rest, &self.by_rank())?)
    }
}

impl PartsOf<TableFiles> {
    /// Writes the tables to a folder.
    pub fn assemble(&self, folder: &Path) -> Result<(), AssembleError> {
        let rest = self.rest();
        for part in &self.parts {
            rest.same_kind(part)?;
        }
        if !rest.belongs_to_single_kings() {
            return Err(request(format!(
                "{} tables are for both kings at once: the rank of one says nothing about them",
                rest.kind()
            )));
        }
        if self.is_unclear(|part| rest.same_for_both_kings(part))? {
            return Err(request(
                "KK and KKP of the tables differ, and belong to both kings: --layers says whose",
            ));
        }
        Ok(TableFiles::assemble_by_rank(rest, &self.by_rank(), folder)?)
    }
}
