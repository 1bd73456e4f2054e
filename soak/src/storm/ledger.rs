//! The coordinator's ledger, read from outside: by its tables, not by the room that writes them.

use super::parts::LIAR;
use crate::Failure;
use fleet::perform::checksum;
use fleet::{Product, Unit};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::path::Path;
use std::time::Duration;

pub(super) struct LedgerFile {
    data: Connection,
}

/// What a check found.
#[derive(Default)]
pub(super) struct Found {
    /// Whether each sum is there.
    pub(super) there: Vec<bool>,
    /// Results that were taken out because of who had made them.
    pub(super) taken_out: u64,
    /// Lies that were noticed.
    pub(super) lies: u64,
    /// Tasks that a second owner did too.
    pub(super) checks: u64,
    pub(super) complaints: Vec<String>,
}

#[allow(clippy::needless_pass_by_value, reason = "errors are handed over by value")]
fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("ledger: {error}"))
}

/// The sum of one number.
fn sum(number: u64) -> u64 {
    match checksum(super::ROUNDS, 0, number..number + 1) {
        Product::Checksum { sum } => sum,
        _ => 0,
    }
}

impl LedgerFile {
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("fleet.db");
        let data = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let data = data.map_err(failed)?;
        data.busy_timeout(Duration::from_secs(10)).map_err(failed)?;
        Ok(Self { data })
    }

    /// How many results count, as the coordinator last wrote it down, and whether all do.
    pub(super) fn done(&self) -> Result<(u64, bool), Failure> {
        let sql =
            "SELECT state, coalesce(json_extract(progress, '$.done'), 0) FROM runs WHERE id = 1";
        let mut found = self.data.prepare_cached(sql).map_err(failed)?;
        let row = found.query_row([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)));
        match row.optional().map_err(failed)? {
            None => Ok((0, false)),
            Some((state, count)) if state != "stopped" => {
                Ok((count.cast_unsigned(), state == "done"))
            }
            Some(_) => Err(failed(format!("the run was stopped: {}", self.reason()?))),
        }
    }

    fn reason(&self) -> Result<String, Failure> {
        let sql = "SELECT reason FROM runs WHERE id = 1";
        self.data.query_row(sql, [], |row| row.get(0)).map_err(failed)
    }

    fn number(&self, sql: &str) -> Result<u64, Failure> {
        let number = self.data.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(number.map_err(failed)?.cast_unsigned())
    }

    fn names(&self, sql: &str) -> Result<Vec<String>, Failure> {
        let mut found = self.data.prepare(sql).map_err(failed)?;
        let rows = found.query_map([], |row| row.get(0)).map_err(failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Whether everything is there, once and right, and nobody but the liar is blamed.
    pub(super) fn check(&self, results: u64) -> Result<Found, Failure> {
        let mut found = Found { there: vec![false; results as usize], ..Found::default() };
        self.check_results(&mut found)?;
        let missing = found.there.iter().filter(|there| !**there).count();
        if missing > 0 {
            found.complaints.push(format!("{missing} of {results} results are missing"));
        }
        let all = (0..results).fold(0, |all: u64, number| all.wrapping_add(sum(number)));
        let (said, right) = (self.reason()?, format!("all sums, together {all}"));
        if said != right {
            found.complaints.push(format!("the run says {said:?}, not {right:?}"));
        }
        // Where two disagree nobody is named until a third has decided.
        let named =
            "SELECT DISTINCT worker FROM faults WHERE kind = 'dishonest' AND worker NOT NULL";
        let barred = "SELECT id FROM workers WHERE standing = 'barred'";
        for name in [self.names(named)?, self.names(barred)?].concat() {
            if name != LIAR {
                found.complaints.push(format!("{name:?} is called a liar, and is none"));
            }
        }
        found.lies = self.number("SELECT count(*) FROM faults WHERE kind = 'dishonest'")?;
        found.checks = self.number("SELECT count(*) FROM tasks WHERE kind = 'check'")?;
        let taken = "SELECT count(*) FROM results r JOIN tasks t ON t.id = r.task \
                     WHERE t.kind = 'work' AND r.counts = 0";
        found.taken_out = self.number(taken)?;
        Ok(found)
    }

    fn check_results(&self, found: &mut Found) -> Result<(), Failure> {
        let sql = "SELECT t.unit, t.batches, r.batch, r.product FROM results r \
                   JOIN tasks t ON t.id = r.task WHERE t.kind = 'work' AND r.counts = 1";
        let mut all = self.data.prepare(sql).map_err(failed)?;
        let mut rows = all.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let text = |column: usize| row.get::<_, String>(column).map_err(failed);
            let unit: Unit = serde_json::from_str(&text(0)?).map_err(failed)?;
            let product: Product = serde_json::from_str(&text(3)?).map_err(failed)?;
            let batches: u32 = row.get(1).map_err(failed)?;
            let batch: u32 = row.get(2).map_err(failed)?;
            for number in unit.part(batches, batch) {
                let place = usize::try_from(number).unwrap_or(usize::MAX);
                match found.there.get_mut(place) {
                    Some(there) if !*there => *there = true,
                    Some(_) => found.complaints.push(format!("sum {number} counts twice")),
                    None => found.complaints.push(format!("there is no sum {number}")),
                }
                if product != (Product::Checksum { sum: sum(number) }) {
                    found.complaints.push(format!("sum {number} is wrong: {product:?}"));
                }
            }
        }
        Ok(())
    }
}
