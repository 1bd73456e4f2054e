//! Measures Nue's rules against others, single thread, in one process.
//!
//! Run through `cargo xtask bench`, which builds for the very processor it runs on. Names:
//! `perft` (move generation against rsshogi, then the sliding attacks) and `sliding` (those alone).

mod perft;
mod rounds;
mod sliding;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rounds) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("{message}\nusage: cargo xtask bench perft|sliding [--rounds N]");
            return ExitCode::from(2);
        }
    };
    let counts_agree = name != "perft" || perft::run(rounds);
    let attacks_agree = sliding::run(rounds * 5);
    if counts_agree && attacks_agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(arguments: &[String]) -> Result<(&str, usize), String> {
    let rounds = match arguments {
        [_] => 5,
        [_, flag, count] if flag == "--rounds" => match count.parse() {
            Ok(count @ 1..=1000) => count,
            _ => return Err(format!("{count:?} is not a number of rounds from 1 to 1000")),
        },
        _ => return Err("one benchmark name is needed".to_owned()),
    };
    match arguments[0].as_str() {
        name @ ("perft" | "sliding") => Ok((name, rounds)),
        other => Err(format!("unknown benchmark {other:?}")),
    }
}
