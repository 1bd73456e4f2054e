//! Nets and tables in words: what they are, and how they differ.

use crate::soundness::{Sound, ValueDistance};
use crate::table_files::TableInfo;
use nnue::{Difference, Isa, NetInfo, Spread, VERSION};
use std::fmt::{self, Display, Write};

/// A net's identity card as text.
pub struct NetText<'a>(pub &'a NetInfo);

impl Display for NetText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.0;
        let (architecture, shape) = (info.architecture, info.architecture.shape);
        let inputs = architecture.features.inputs();
        writeln!(f, "architecture  {architecture}")?;
        writeln!(f, "description   {}", clean(&info.description))?;
        writeln!(f, "game          {}", architecture.features.game())?;
        writeln!(f, "inputs        {inputs}")?;
        writeln!(f, "layers        2 x {} - {} - {} - 1", shape.l0, shape.h1, shape.h2)?;
        match info.win_rate_scale {
            Some(scale) => writeln!(f, "win rate      73 % at a score of {scale}")?,
            None => writeln!(f, "win rate      not said (nue net scale writes it)")?,
        }
        writeln!(f, "parameters    {}", info.parameters)?;
        writeln!(f, "bytes         {}", info.bytes)?;
        writeln!(f, "version       {VERSION:#010x}")?;
        let (found, expected) = (info.hashes, info.expected_hashes);
        writeln!(f, "\nhash         in the file    of the kind")?;
        for (name, found, expected) in [
            ("file", found.file, expected.file),
            ("transformer", found.transformer, expected.transformer),
            ("network", found.network, expected.network),
        ] {
            let verdict = if found == expected { "match" } else { "DIFFERENT" };
            writeln!(f, "{name:<12} {found:#010x}     {expected:#010x}     {verdict}")?;
        }
        spreads(f, &info.spreads)?;
        let share = 100.0 * info.empty_rows as f64 / inputs as f64;
        writeln!(f, "\ninputs without weights: {} of {inputs} ({share:.1} %)", info.empty_rows)?;
        if info.remarks.is_empty() {
            return writeln!(f, "nothing odd about it");
        }
        info.remarks.iter().try_for_each(|remark| writeln!(f, "odd: {remark}"))
    }
}

impl Display for TableInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "architecture  {}", self.kind)?;
        if let Some(description) = &self.description {
            writeln!(f, "description   {}", clean(description))?;
        }
        writeln!(f, "game          {}", self.game)?;
        writeln!(f, "kings         {}", self.kings)?;
        writeln!(f, "pieces        {}", self.pieces)?;
        let parameters: u64 = self.spreads.iter().map(|(_, spread)| spread.count).sum();
        writeln!(f, "parameters    {parameters}")?;
        writeln!(f, "bytes         {}", self.bytes)?;
        spreads(f, &self.spreads)
    }
}

impl Display for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets: Vec<&str> = Isa::available().iter().map(|isa| isa.name()).collect();
        writeln!(f, "instruction sets agree: {}", sets.join(", "))?;
        let Self { positions, mean, .. } = self;
        writeln!(f, "values by difference agree on {positions} positions; mean |value| {mean:.0}")?;
        match self.constant {
            Some(value) => writeln!(f, "odd: every position has the value {value}"),
            None => Ok(()),
        }
    }
}

fn spreads<S: AsRef<str>>(out: &mut impl Write, spreads: &[(S, Spread)]) -> fmt::Result {
    writeln!(
        out,
        "\n{:<22} {:>12} {:>9} {:>9} {:>12} {:>8}",
        "parameters", "count", "min", "max", "mean |x|", "zero"
    )?;
    for (name, s) in spreads {
        let (name, zero) = (name.as_ref(), 100.0 * s.zero);
        writeln!(
            out,
            "{name:<22} {:>12} {:>9} {:>9} {:>12.2} {zero:>6.1} %",
            s.count, s.min, s.max, s.mean_abs
        )?;
    }
    Ok(())
}

/// A description is whatever its writer put there: no control characters reach the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// How two nets or tables differ, group by group, and in what they think.
pub struct DifferenceText<'a> {
    pub groups: &'a [(&'static str, Difference)],
    pub values: ValueDistance,
}

impl Display for DifferenceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<20} {:>12} {:>12} {:>9} {:>10} {:>12}",
            "parameters", "count", "different", "largest", "mean", "correlation"
        )?;
        for (name, d) in self.groups {
            writeln!(
                f,
                "{name:<20} {:>12} {:>12} {:>9} {:>10.3} {:>12.4}",
                d.count, d.different, d.largest, d.mean, d.correlation
            )?;
        }
        let values = &self.values;
        writeln!(
            f,
            "values of {} positions: mean distance {:.1}, largest {}, another side ahead in {}",
            values.positions, values.mean, values.largest, values.other_side
        )
    }
}
