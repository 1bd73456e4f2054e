//! The edges of a graph in a file that grows beside the book being written: a run that was ended goes on where it
//! was, and what does not fit into memory is read where it lies.

use super::graph::{Edge, Graph};
use crate::{BookError, NativeBook};
use crc32fast::Hasher;
use durable::{Mode, Opened, Resumable, ResumableError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// How far the file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reached {
    /// Parts of the book that are done.
    pub(crate) parts: u64,
    pub(crate) nodes: u32,
    pub(crate) edges: u64,
    /// Edges that the book does not list.
    pub(crate) joined: u64,
    /// Of everything in the file.
    sum: u32,
}

/// The file.
pub(crate) struct WorkFile {
    resumable: Resumable,
    output: BufWriter<File>,
    length: u64,
    sum: Hasher,
    pub(crate) reached: Reached,
}

fn other(error: ResumableError) -> BookError {
    std::io::Error::other(error).into()
}

impl WorkFile {
    /// Opens the file for a book: what an earlier run left of the same book is taken over, anything else is removed.
    pub(crate) fn open(path: &Path, book: &NativeBook) -> Result<Self, BookError> {
        let plan = json!({ "minimax": 1, "book": book.fingerprint(), "positions": book.size().0 });
        let found = match Self::attached(path, &plan, Mode::Resume) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) | Err(ResumableError::Journal(_)) => {
                Self::attached(path, &plan, Mode::Restart).map_err(other)?
            }
            Err(error) => return Err(other(error)),
        };
        found.ok_or_else(|| std::io::Error::from(ErrorKind::InvalidData).into())
    }

    /// What is there, if it is what was written.
    fn attached(
        path: &Path,
        plan: &serde_json::Value,
        mode: Mode,
    ) -> Result<Option<Self>, ResumableError> {
        let mut found = Hasher::new();
        let attach = |mut file: File, length: u64| {
            found = Hasher::new();
            file.rewind()?;
            let mut bytes = vec![0; 1 << 20];
            loop {
                let read = file.read(&mut bytes)?;
                if read == 0 {
                    break;
                }
                found.update(&bytes[..read]);
            }
            file.seek(SeekFrom::Start(length))?;
            Ok((file, length))
        };
        let opened: Opened<File, Reached> = Resumable::open(path, plan, mode, attach)?;
        let Opened { resumable, output, state } = opened;
        let reached: Reached = state.unwrap_or_default();
        if found.clone().finalize() != reached.sum {
            return Ok(None);
        }
        Ok(Some(Self {
            length: resumable.kept(),
            resumable,
            output: BufWriter::with_capacity(1 << 18, output),
            sum: found,
            reached,
        }))
    }

    /// Adds the next nodes, as they stand in the file.
    pub(crate) fn push(&mut self, bytes: &[u8], nodes: u32, edges: u64) -> Result<(), BookError> {
        self.sum.update(bytes);
        self.length += bytes.len() as u64;
        self.reached.nodes += nodes;
        self.reached.edges += edges;
        Ok(self.output.write_all(bytes)?)
    }

    /// A part of the book is done: a run that is ended now goes on after it.
    pub(crate) fn checkpoint(&mut self, joined: u64) -> Result<(), BookError> {
        self.output.flush()?;
        self.reached.parts += 1;
        self.reached.joined += joined;
        self.reached.sum = self.sum.clone().finalize();
        self.resumable.checkpoint(self.length, &self.reached).map_err(other)
    }

    /// The graph, in memory if its edges need no more than so many bytes.
    pub(crate) fn graph(&mut self, memory: usize) -> Result<Graph, BookError> {
        self.output.flush()?;
        let file = self.output.get_ref().try_clone()?;
        let fits = self.reached.edges as usize * Edge::SIZE <= memory;
        let mut graph = if fits { Graph::new() } else { Graph::in_file(file.try_clone()?) };
        let mut input = BufReader::with_capacity(1 << 20, file);
        input.rewind()?;
        graph.reserve(self.reached.nodes as usize, self.reached.edges as usize);
        each_node(input, self.reached.nodes, |edges, in_check, mated| {
            if fits {
                graph.push(edges, in_check, mated);
            } else {
                graph.note(edges.len(), in_check, mated);
            }
        })?;
        Ok(graph)
    }

    /// Everything is done: the file goes.
    pub(crate) fn remove(self) -> Result<(), BookError> {
        let output = self.output.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        self.resumable.discard(output);
        Ok(())
    }
}

/// Appends a node as it stands in the file.
pub(crate) fn put_node(out: &mut Vec<u8>, edges: &[Edge], in_check: bool, mated: bool) {
    let head = (edges.len() as u16) << 2 | u16::from(in_check) << 1 | u16::from(mated);
    out.extend(head.to_le_bytes());
    edges.iter().for_each(|edge| out.extend(edge.bytes()));
}

/// Takes nodes apart that stand as in the file.
pub(crate) fn each_node(
    mut input: impl Read,
    nodes: u32,
    mut take: impl FnMut(&[Edge], bool, bool),
) -> std::io::Result<()> {
    let (mut edges, mut bytes) = (Vec::new(), Vec::new());
    for _ in 0..nodes {
        let mut head = [0; Graph::HEAD];
        input.read_exact(&mut head)?;
        let head = u16::from_le_bytes(head);
        bytes.resize(usize::from(head >> 2) * Edge::SIZE, 0);
        input.read_exact(&mut bytes)?;
        edges.clear();
        edges.extend(bytes.as_chunks().0.iter().map(Edge::of_bytes));
        take(&edges, head & 2 != 0, head & 1 != 0);
    }
    Ok(())
}
