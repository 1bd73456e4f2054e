//! PackedSfenValue: 40 bytes a position, as YaneuraOu's tools write and read them.

use crate::error::PackError;
use crate::labelled::{Labelled, legal};
use crate::packed::{Scheme, pack, unpack};
use crate::placement::Placement;
use play::Outcome;
use rules::{AnyPosition, Game, Move, Position, Variant};

/// Bytes of a record.
pub const SIZE: usize = 40;

/// A position with its labels, as the file has it.
pub type Record = [u8; SIZE];

/// Packs a position with its labels. Fails where the format has no place for them: positions
/// without a king, move numbers above 65,535, unknown results.
pub fn encode<V: Variant>(
    position: &Position<V>,
    mv: Option<Move>,
    score: i16,
    outcome: Outcome,
) -> Result<Record, PackError> {
    let result = outcome.for_side(position.turn());
    let result = result.ok_or_else(|| PackError::Unfit("nobody knows who won".to_owned()))?;
    let ply = u16::try_from(position.ply())
        .map_err(|_| PackError::Unfit(format!("move number {}", position.ply())))?;
    let mut record = [0; SIZE];
    record[..32].copy_from_slice(&pack(Scheme::YaneuraOu, &Placement::of(position))?);
    record[32..34].copy_from_slice(&score.to_le_bytes());
    record[34..36].copy_from_slice(&mv.map_or(0, Move::bits).to_le_bytes());
    record[36..38].copy_from_slice(&ply.to_le_bytes());
    record[38] = result as u8;
    Ok(record)
}

/// Reads a record. The position must be one that can be played from, the move legal in it.
pub fn decode(game: Game, record: &Record) -> Result<Labelled, PackError> {
    let number = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
    let position = placement(game, record)?.position(u32::from(number(36)))?;
    let outcome = match record[38] as i8 {
        0 => Outcome::Draw,
        1 => Outcome::Won(position.turn()),
        -1 => Outcome::Won(position.turn().opponent()),
        _ => return Err(PackError::Result(record[38])),
    };
    let mv = legal(&position, number(34), Move::from_bits(game, number(34)))?;
    Ok(Labelled { position, mv, score: number(32) as i16, outcome })
}

fn placement(game: Game, record: &Record) -> Result<Placement, PackError> {
    let Some(packed) = record.first_chunk() else { return Err(PackError::Record(String::new())) };
    unpack(Scheme::YaneuraOu, game, packed)
}

/// The packed position of a record as we would write it: equal positions have equal bytes,
/// whoever wrote them.
pub fn canonical(game: Game, record: &Record) -> Result<[u8; 32], PackError> {
    pack(Scheme::YaneuraOu, &placement(game, record)?)
}

/// A position without labels: the first 32 bytes of a record, which books use as well. Equal
/// positions have equal bytes.
pub fn pack_position(position: &AnyPosition) -> Result<[u8; 32], PackError> {
    pack(Scheme::YaneuraOu, &Placement::of_any(position))
}

/// The same for a position whose game is known.
pub fn pack_position_of<V: Variant>(position: &Position<V>) -> Result<[u8; 32], PackError> {
    pack(Scheme::YaneuraOu, &Placement::of(position))
}

/// Reads what [`pack_position`] writes, with that number for the next move. Kings may be missing.
pub fn unpack_position(game: Game, packed: &[u8; 32], ply: u32) -> Result<AnyPosition, PackError> {
    unpack(Scheme::YaneuraOu, game, packed)?.position(ply)
}

/// What [`AnyPosition::key`] is of a position in [`pack_position`]'s bytes, without setting it up.
pub fn hash_of_packed(game: Game, packed: &[u8; 32]) -> Result<u64, PackError> {
    Ok(unpack(Scheme::YaneuraOu, game, packed)?.hash())
}

/// The score of a record.
pub const fn score(record: &Record) -> i16 {
    i16::from_le_bytes([record[32], record[33]])
}
