//! `nue net info`: what a net file is, and whether it is what it says.

use super::deep;
use crate::evaluation::{Single, single};
use crate::failure::{CommandResult, Failure};
use clap::Args;
use infer::native::FileKind;
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{NetText, TableFiles};

/// Say what a net or tables hold: architecture, sizes, hashes, statistics, and what is odd about it
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// A net file, or a folder with nn.bin, kkppt.bin or three-piece tables
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
}

pub(crate) fn run(args: &InfoArgs) -> CommandResult {
    if let Some(kind) = FileKind::of_file(&args.file) {
        return deep::info(&args.file, kind);
    }
    let mut out = io::stdout().lock();
    if let Some(tables) = TableFiles::find(&args.file)? {
        write!(out, "file          {}\n{}", tables.path().display(), tables.info()?)?;
        return Ok(());
    }
    let (path, found) = single(&args.file).map_err(|e| Failure::failed(e.to_string()))?;
    writeln!(out, "file          {}", path.display())?;
    match found {
        Single::Net(net) => write!(out, "{}", NetText(&net.info()))?,
        // Beside the executable, where a relative path is looked for too.
        Single::Kkppt(_) => {
            if let Some(tables) = TableFiles::find(&path)? {
                write!(out, "{}", tables.info()?)?;
            }
        }
    }
    Ok(())
}
