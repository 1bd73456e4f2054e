//! What every child thinks, for whoever looks on: a file that is written anew as long as anything changes, which
//! `nue web --watch-cluster` shows on the board's page.

use crate::journal::Entry;
use crate::master::{Master, choices};
use board::watch_cluster::{ClusterDecision, ClusterFault, ClusterView};
use durable::Lock;
use rules::{AnyPosition, Game};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use think::Moment;

/// The least time between two views.
const PAUSE: Duration = Duration::from_millis(250);

/// Decisions and faults that are shown, of each.
const SHOWN: usize = 30;

/// Who looks on, and what they have seen.
pub(crate) struct Onlookers {
    writer: ViewWriter,
    decisions: VecDeque<ClusterDecision>,
    faults: VecDeque<ClusterFault>,
    shown: Moment,
}

impl Onlookers {
    /// Writes to that file from now on. It belongs to one master at a time.
    pub(crate) fn new(path: PathBuf) -> io::Result<Self> {
        Ok(Self {
            writer: ViewWriter::new(path)?,
            decisions: VecDeque::new(),
            faults: VecDeque::new(),
            shown: Moment::ZERO,
        })
    }

    /// Something was written into the log.
    pub(crate) fn note(&mut self, entry: &Entry, game: Game) {
        match entry {
            Entry::Opinion { .. } => {}
            Entry::Decision { .. } => {
                self.decisions.truncate(SHOWN - 1);
                decision(entry, game).into_iter().for_each(|new| self.decisions.push_front(new));
            }
            Entry::Fault { game, child, fault, detail } => {
                self.faults.truncate(SHOWN - 1);
                self.faults.push_front(ClusterFault {
                    game: *game,
                    child: child.clone(),
                    fault: (*fault).to_owned(),
                    detail: detail.clone(),
                });
            }
        }
    }

    /// Shows how everything stands, unless it was shown a moment ago: then it says when it wants to.
    pub(crate) fn show(&mut self, master: &Master, now: Moment) -> Option<Moment> {
        let next = self.shown + PAUSE;
        if now < next {
            return Some(next);
        }
        self.shown = now;
        self.writer.show(ClusterView {
            decisions: self.decisions.iter().cloned().collect(),
            faults: self.faults.iter().cloned().collect(),
            ..master.view()
        });
        None
    }
}

fn decision(entry: &Entry, variant: Game) -> Option<ClusterDecision> {
    let Entry::Decision { game, ply, position, answer, by, why, hit, moves, time } = entry else {
        return None;
    };
    let played = AnyPosition::from_sfen(variant, position).ok();
    let played = played.and_then(|at| Some(choices(&at, &[at.parse_usi(answer).ok()?])));
    Some(ClusterDecision {
        game: *game,
        ply: *ply,
        played: played.unwrap_or_default(),
        answer: answer.clone(),
        by: by.clone(),
        why: (*why).to_owned(),
        foreseen: *hit,
        wanted: u32::try_from(*moves).unwrap_or(u32::MAX),
        time: *time,
    })
}

/// Writes views on a thread of its own: a disk that is slow or full costs the onlookers their sight and
/// nothing else. Dropped, it writes the last one.
struct ViewWriter {
    next: Arc<(Mutex<Next>, Condvar)>,
    thread: Option<thread::JoinHandle<()>>,
    /// Says that a master is running, however it ends.
    _lock: Lock,
}

#[derive(Default)]
struct Next {
    view: Option<ClusterView>,
    over: bool,
}

impl ViewWriter {
    fn new(path: PathBuf) -> io::Result<Self> {
        let named = |error: &dyn std::fmt::Display| {
            io::Error::other(format!("view {}: {error}", path.display()))
        };
        let lock = Lock::beside(&path).map_err(|e| named(&e))?.map_err(|e| named(&e))?;
        let next: Arc<(Mutex<Next>, Condvar)> = Arc::default();
        let shared = Arc::clone(&next);
        let work = move || write_views(&shared, &path);
        let thread = thread::Builder::new().name("view".to_owned()).spawn(work)?;
        Ok(Self { next, thread: Some(thread), _lock: lock })
    }

    /// Writes a view, soon; one that waits is forgotten.
    fn show(&self, view: ClusterView) {
        self.next.0.lock().unwrap_or_else(PoisonError::into_inner).view = Some(view);
        self.next.1.notify_all();
    }
}

fn write_views((next, changed): &(Mutex<Next>, Condvar), path: &Path) {
    loop {
        let waiting = next.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |next: &mut Next| next.view.is_none() && !next.over;
        let mut found = changed.wait_while(waiting, idle).unwrap_or_else(PoisonError::into_inner);
        let Some(view) = found.view.take() else { return };
        drop(found);
        // Plain values under fixed names: this cannot fail.
        let text = serde_json::to_string(&view).unwrap_or_default();
        // Whoever looks on sees an old view, or none.
        let _ = durable::write_whole(path, text.as_bytes(), true);
    }
}

impl Drop for ViewWriter {
    fn drop(&mut self) {
        self.next.0.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.next.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // It fails only if writing did.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::watch_cluster::ClusterDoing;

    fn view(ply: u32) -> ClusterView {
        ClusterView {
            name: "Team <1>".to_owned(),
            sfen: AnyPosition::startpos(Game::Shogi).sfen(),
            ply,
            doing: ClusterDoing::Idle,
            foreseen: false,
            elapsed: None,
            children: Vec::new(),
            replies: Vec::new(),
            decisions: Vec::new(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn the_last_view_is_written_whatever_came_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("team.json");
        let writer = ViewWriter::new(path.clone()).unwrap();
        assert!(Lock::is_held_beside(&path), "a master is there");
        let second = ViewWriter::new(path.clone()).err().unwrap().to_string();
        assert!(second.contains("team.json") && second.contains("in use"), "{second}");
        (0..100).for_each(|ply| writer.show(view(ply)));
        drop(writer);
        assert!(!Lock::is_held_beside(&path));
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(serde_json::from_str::<ClusterView>(&text).unwrap(), view(99));
    }

    #[test]
    fn decisions_and_faults_are_kept_newest_first_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let mut onlookers = Onlookers::new(folder.path().join("team.json")).unwrap();
        for ply in 1..=40 {
            let (answer, by) = if ply == 40 { ("resign", "own") } else { ("7g7f", "ab") };
            let position = AnyPosition::startpos(Game::Shogi).sfen();
            let entry = Entry::Decision {
                game: 1,
                ply,
                position,
                answer: answer.to_owned(),
                by: by.to_owned(),
                why: "majority",
                hit: false,
                moves: 2,
                time: 5,
            };
            onlookers.note(&entry, Game::Shogi);
            let (child, detail) = ("far".to_owned(), format!("{ply}"));
            let fault = Entry::Fault { game: 1, child, fault: "crash", detail };
            onlookers.note(&fault, Game::Shogi);
        }
        let (decisions, faults) = (&onlookers.decisions, &onlookers.faults);
        assert_eq!((decisions.len(), faults.len()), (SHOWN, SHOWN));
        assert_eq!((decisions[0].ply, faults[0].detail.as_str()), (40, "40"));
        assert_eq!((&*decisions[0].answer, decisions[0].played.usi.len()), ("resign", 0));
        assert_eq!((&*decisions[1].played.ja[0], &*decisions[1].played.en[0]), ("▲７六歩", "P-7f"));
    }
}
