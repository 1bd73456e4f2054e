//! HuffmanCodedPosAndEval: 38 bytes a position, as Apery, dlshogi and cshogi write and read them.

use crate::error::PackError;
use crate::labelled::{Labelled, apery_bits, apery_code, apery_outcome, from_apery_bits, legal};
use crate::packed::{Scheme, pack, unpack};
use crate::placement::Placement;
use play::Outcome;
use rules::{Game, Move, Position, Variant};

/// Bytes of a record.
pub const SIZE: usize = 38;

/// A position with its labels, as the file has it.
pub type Record = [u8; SIZE];

/// Packs a position with its labels. Fails where the format has no place for them: positions
/// without a king, unknown results. The move number is not kept.
pub fn encode<V: Variant>(
    position: &Position<V>,
    mv: Option<Move>,
    score: i16,
    outcome: Outcome,
) -> Result<Record, PackError> {
    let mut record = [0; SIZE];
    record[..32].copy_from_slice(&pack(Scheme::Apery, &Placement::of(position))?);
    record[32..34].copy_from_slice(&score.to_le_bytes());
    record[34..36].copy_from_slice(&mv.map_or(0, apery_bits).to_le_bytes());
    record[36] = apery_code(outcome)?;
    Ok(record)
}

/// Reads a record, of hcpe or hcpe2. The position must be one that can be played from, the move
/// legal in it.
pub fn decode(game: Game, record: &Record) -> Result<Labelled, PackError> {
    let number = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
    let position = placement(game, record)?.position(1)?;
    if record[36] >= 32 {
        return Err(PackError::Result(record[36]));
    }
    let outcome = apery_outcome(record[36])?;
    let mv = legal(&position, number(34), from_apery_bits(game, number(34)))?;
    Ok(Labelled { position, mv, score: number(32) as i16, outcome })
}

fn placement(game: Game, record: &Record) -> Result<Placement, PackError> {
    let Some(packed) = record.first_chunk() else { return Err(PackError::Record(String::new())) };
    unpack(Scheme::Apery, game, packed)
}

/// The packed position of a record as we would write it: equal positions have equal bytes,
/// whoever wrote them.
pub fn canonical(game: Game, record: &Record) -> Result<[u8; 32], PackError> {
    pack(Scheme::Apery, &placement(game, record)?)
}

/// The score of a record.
pub const fn score(record: &Record) -> i16 {
    i16::from_le_bytes([record[32], record[33]])
}
