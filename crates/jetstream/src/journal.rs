//! What is written of leases, and what it adds up to.
//!
//! The journal is a stream of lists of [`Record`]s. Reading all of it gives an [`Image`]; when it has
//! become long, the image is written once more at its end and everything before is removed. Reading a record a second
//! time changes nothing, so a broken rewriting does no harm.

use fleet::in_process::{Kept, KeptTask};
use fleet::{Event, RunId, Standing, Task, TaskId, WorkerId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Tasks that are over and still known after a restart.
const REMEMBERED: usize = 2000;

/// Bytes of a message that lists records; one record may be longer.
pub(crate) const MESSAGE: usize = 256 << 10;

/// One thing to be remembered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Record {
    Lent {
        task: Box<Task>,
        worker: WorkerId,
        secret: String,
        attempt: u32,
        done: Vec<u32>,
    },
    Done {
        task: TaskId,
        number: u32,
    },
    /// It failed and waits again.
    Returned {
        task: TaskId,
    },
    GivenUp {
        task: TaskId,
    },
    Standing {
        worker: WorkerId,
        standing: Standing,
    },
    Withdrawn {
        run: RunId,
    },
    Draining {
        draining: bool,
    },
}

impl Record {
    /// What an event means for the journal.
    pub(crate) const fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Finished { task, batch, .. } => {
                Some(Self::Done { task: *task, number: batch.number })
            }
            Event::Failed { task, .. } => Some(Self::Returned { task: *task }),
            Event::GivenUp { task, .. } => Some(Self::GivenUp { task: *task }),
            // Until somebody else has it, its last holder may still bring it.
            Event::Expired { .. } | Event::Announced { .. } => None,
        }
    }
}

/// What all records together say.
#[derive(Default, Debug)]
pub(crate) struct Image {
    tasks: HashMap<TaskId, KeptTask>,
    /// Tasks that are over, the oldest first.
    over: VecDeque<TaskId>,
    standings: BTreeMap<WorkerId, Standing>,
    withdrawn: BTreeSet<RunId>,
    draining: bool,
}

impl Image {
    pub(crate) fn apply(&mut self, record: Record) {
        match record {
            Record::Lent { task, worker, secret, attempt, mut done } => {
                let known = self.tasks.get(&task.id);
                if known.is_some_and(|known| known.secret == secret && known.attempt == attempt) {
                    return;
                }
                if let Some(known) = known {
                    done.extend(&known.done);
                }
                done.sort_unstable();
                done.dedup();
                let (id, over) = (task.id, done.len() >= task.batches.max(1) as usize);
                let kept = KeptTask { task: *task, worker, secret, attempt, done, over: false };
                self.tasks.insert(id, kept);
                if over {
                    self.is_over(id);
                }
            }
            Record::Done { task, number } => {
                let Some(kept) = self.tasks.get_mut(&task).filter(|kept| !kept.over) else {
                    return;
                };
                if !kept.done.contains(&number) {
                    kept.done.push(number);
                }
                if kept.done.len() >= kept.task.batches.max(1) as usize {
                    self.is_over(task);
                }
            }
            Record::Returned { task } => {
                if self.tasks.get(&task).is_some_and(|kept| !kept.over) {
                    self.tasks.remove(&task);
                }
            }
            Record::GivenUp { task } => self.is_over(task),
            Record::Standing { worker, standing } => {
                self.standings.insert(worker, standing);
            }
            Record::Withdrawn { run } => {
                self.withdrawn.insert(run);
                let of_run = |kept: &KeptTask| kept.task.run == run && !kept.over;
                let ids: Vec<TaskId> =
                    self.tasks.values().filter(|kept| of_run(kept)).map(|k| k.task.id).collect();
                ids.into_iter().for_each(|id| self.is_over(id));
            }
            Record::Draining { draining } => self.draining = draining,
        }
    }

    fn is_over(&mut self, id: TaskId) {
        let Some(kept) = self.tasks.get_mut(&id).filter(|kept| !kept.over) else { return };
        kept.over = true;
        self.over.push_back(id);
        while self.over.len() > REMEMBERED {
            if let Some(oldest) = self.over.pop_front() {
                self.tasks.remove(&oldest);
            }
        }
    }

    /// Records that say the same, the fewest there are.
    pub(crate) fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        let standing = |(worker, standing): (&WorkerId, &Standing)| Record::Standing {
            worker: worker.clone(),
            standing: *standing,
        };
        records.extend(self.standings.iter().map(standing));
        let over = self.over.iter().filter_map(|id| self.tasks.get(id));
        let held = self.tasks.values().filter(|kept| !kept.over);
        for kept in over.chain(held) {
            let KeptTask { task, worker, secret, attempt, done, over } = kept.clone();
            let (id, all) = (task.id, done.len() >= task.batches.max(1) as usize);
            records.push(Record::Lent { task: Box::new(task), worker, secret, attempt, done });
            if over && !all {
                records.push(Record::GivenUp { task: id });
            }
        }
        records.extend(self.withdrawn.iter().map(|run| Record::Withdrawn { run: *run }));
        records.push(Record::Draining { draining: self.draining });
        records
    }

    /// What a queue is to know of it.
    pub(crate) fn kept(&self) -> Kept {
        let over = self.over.iter().filter_map(|id| self.tasks.get(id));
        let held = self.tasks.values().filter(|kept| !kept.over);
        Kept {
            tasks: over.chain(held).cloned().collect(),
            withdrawn: self.withdrawn.iter().copied().collect(),
            standings: self.standings.iter().map(|(w, s)| (w.clone(), *s)).collect(),
            draining: self.draining,
            ..Kept::default()
        }
    }

    /// How many records it is.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len() + self.standings.len() + self.withdrawn.len()
    }
}

/// Lists of records as messages, none longer than it must be.
pub(crate) fn messages(records: &[Record]) -> Result<Vec<Vec<u8>>, serde_json::Error> {
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut open = Vec::new();
    for record in records {
        let text = serde_json::to_vec(record)?;
        if !open.is_empty() && open.len() + text.len() > MESSAGE {
            open.push(b']');
            messages.push(std::mem::take(&mut open));
        }
        open.push(if open.is_empty() { b'[' } else { b',' });
        open.extend(text);
    }
    if !open.is_empty() {
        open.push(b']');
        messages.push(open);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleet::conformance::{name, task};

    fn lent(id: u64, secret: &str, attempt: u32, batches: u32) -> Record {
        Record::Lent {
            task: Box::new(Task { batches, ..task(id) }),
            worker: name("a"),
            secret: secret.to_owned(),
            attempt,
            done: Vec::new(),
        }
    }

    fn image(records: &[Record]) -> Image {
        let mut image = Image::default();
        records.iter().cloned().for_each(|record| image.apply(record));
        image
    }

    fn sorted(image: &Image) -> Vec<KeptTask> {
        let mut tasks = image.kept().tasks;
        tasks.sort_by_key(|kept| kept.task.id);
        tasks
    }

    fn story() -> Vec<Record> {
        vec![
            Record::Standing { worker: name("a"), standing: Standing::Admitted },
            lent(1, "x", 1, 1),
            lent(2, "y", 1, 3),
            lent(3, "z", 1, 1),
            Record::Done { task: TaskId(1), number: 0 },
            Record::Done { task: TaskId(2), number: 2 },
            Record::Returned { task: TaskId(3) },
            lent(4, "u", 5, 1),
            Record::GivenUp { task: TaskId(4) },
            lent(2, "w", 2, 3),
            Record::Withdrawn { run: RunId(7) },
        ]
    }

    #[test]
    fn records_add_up() {
        let tasks = sorted(&image(&story()));
        let said: Vec<_> = tasks
            .iter()
            .map(|k| (k.task.id.0, k.secret.as_str(), k.done.clone(), k.over))
            .collect();
        let (none, zero, two) = (vec![], vec![0], vec![2]);
        assert_eq!(said, [(1, "x", zero, true), (2, "w", two, false), (4, "u", none, true)]);
    }

    /// A rewriting that was broken off leaves an old journal with a part of the new one behind it.
    #[test]
    fn reading_twice_changes_nothing() {
        let first = image(&story());
        let again = first.records();
        for cut in 0..=again.len() {
            let mut records = story();
            records.extend_from_slice(&again[..cut]);
            assert_eq!(sorted(&image(&records)), sorted(&first), "{cut}");
        }
        assert_eq!(sorted(&image(&again)), sorted(&first));
        assert_eq!(image(&again).kept().withdrawn, [RunId(7)]);
    }

    #[test]
    fn messages_are_lists_and_none_is_long() {
        let records: Vec<Record> = (0..5000).map(|i| lent(i, "s", 1, 1)).collect();
        let messages = messages(&records).unwrap();
        assert!(messages.len() > 2 && messages.iter().all(|m| m.len() <= MESSAGE + 8));
        let read: Vec<Record> = messages
            .iter()
            .flat_map(|m| serde_json::from_slice::<Vec<Record>>(m).unwrap())
            .collect();
        assert_eq!(read, records);
    }

    #[test]
    fn what_is_over_is_forgotten_in_the_end() {
        let mut image = Image::default();
        for id in 0..2 * REMEMBERED as u64 {
            image.apply(lent(id, "s", 1, 1));
            image.apply(Record::Done { task: TaskId(id), number: 0 });
        }
        assert_eq!(image.len(), REMEMBERED);
    }
}
