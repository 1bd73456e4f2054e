//! A ready server: `nue server init`.

use crate::failure::{Failure, Outcome};
use std::io::Write;
use std::path::Path;

/// The file it begins with: a floodgate at home, with everything else explained.
pub(super) const FILE: &str = r#"# A CSA server. `nue server --config THIS_FILE --check` says whether this file is right,
# `nue server --config THIS_FILE` runs it. Paths are meant from where this file lies.

listen = "0.0.0.0:4081"          # players
status = "127.0.0.1:4082"        # http: /status.json, /metrics, records; "" for none
data = "games.sqlite"            # everything that must not be lost
records = "records"              # finished games as CSA files
log = "server.log"               # one JSON object a line; "-" for the terminal

# "process": a stored move survives the death of this program. "power": also of the machine, at
# the price of waiting for the disk with every move.
durability = "process"

registration = true              # a new name with a secret becomes an account
guests = true                    # names without a secret may play unrated
open_games = true                # any game name that can be read, such as test-600-10F
default_game = "default-1500-0"  # for who names none
max_moves = 320                  # 0 for no limit
declaration = "CSARule27"
interruptions = 1                # how often each side may send %CHUDAN
repeat = "challenge"             # after a game: "challenge", "wait" or "close"
patience = 600                   # seconds a player may be away from its game
abandon = 1440                   # minutes an interrupted game waits for its players; 0 for ever
drain = 0                        # seconds a stopping server waits for running games

# Rated rounds by the clock, everybody who waits is paired: LOGIN name floodgate-300-10F,secret
[[rounds]]
game = "floodgate-300-10F"
every_minutes = 30
offset_minutes = 0

# Games with a start position or clocks of their own.
# [[game]]
# name = "two-pieces-600-10"
# start = "2"                    # a handicap, "minishogi", or SFEN
# black_time = { total = 300, byoyomi = 10 }
# white_time = { total = 1200, byoyomi = 60 }

# A tournament that runs by itself.
# [[tournament]]
# name = "cup"
# kind = "swiss"                 # or "round-robin", "championship"
# rounds = 7
# entrants = ["first-seed", "second-seed", "third-seed", "fourth-seed"]
# start = "2030-01-01T10:00"     # Universal Time
# time = { total = 900, increment = 5 }
# max_moves = 320
# pause = 300                    # seconds between rounds
# walkover = 900                 # seconds a player may be late
# withdrawn = [{ name = "fourth-seed", stage = 1, round = 5 }]   # plays no more from that round on

# [limits]
# connections = 10000
# per_address = 200
# burst = 60                     # lines at once
# rate = 20                      # lines a second

# [tls]                          # a second port for encrypted connections
# listen = "0.0.0.0:4083"
# certificate = "certificate.pem"
# key = "key.pem"
"#;

/// Makes a folder with the file in it.
pub(super) fn init(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::failed(format!("{}: {error}", folder.display())))?;
    let path = folder.join("server.toml");
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(FILE.as_bytes()));
    written.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {}", path.display())?;
    writeln!(out, "run it:   nue server --config {}", path.display())?;
    writeln!(out, "play:     nue csa --host localhost --name me --password test-300-10F")?;
    Ok(())
}
