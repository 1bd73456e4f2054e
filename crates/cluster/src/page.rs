//! What every child thinks, as one page of HTML for browsers: without scripts; it asks for itself again by
//! itself.

use crate::journal::Entry;
use crate::master::{ChildView, View};
use chart::{escape, grouped};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often a browser asks again, in seconds.
const AGAIN: u32 = 1;

/// The least time between two pages.
pub(crate) const PAUSE: Duration = Duration::from_millis(250);

/// Entries of the log that are shown.
pub(crate) const SHOWN: usize = 30;

/// Moves of a line that are shown.
const LONGEST_LINE: usize = 12;

/// The page; `recent` are the latest entries of the log, the oldest first.
pub fn html<'a>(view: &View, recent: impl DoubleEndedIterator<Item = &'a Entry> + Clone) -> String {
    let name = escape(&view.name);
    let since = view.elapsed.map_or(String::new(), |time| format!(" for {} ms", time.as_millis()));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"refresh\" content=\"{AGAIN}\"></head><body>\n<h1>{name}</h1>\n\
         <p>Ply {}: {}{since}</p>\n<pre>{}</pre>\n",
        view.ply,
        escape(&view.doing),
        escape(&view.diagram)
    );
    let children = view.children.iter().map(child_row).collect::<Vec<_>>();
    let head = [
        "child", "role", "state", "does", "score", "win rate", "", "depth", "nodes", "knps",
        "line", "stop ms",
    ];
    html += &table(&head, &children);
    if !view.replies.is_empty() {
        html += "<h2>Replies</h2>\n";
        let rows = view.replies.iter().map(|(reply, chance, groups)| {
            vec![escape(reply), percent(Some(*chance)), escape(&groups.join(", "))]
        });
        html += &table(&["reply", "likely", "pondered on by"], &rows.collect::<Vec<_>>());
    }
    html += "<h2>Decisions</h2>\n";
    let head = ["game", "ply", "move", "of", "why", "foreseen", "moves wanted", "ms"];
    html += &table(&head, &recent.clone().rev().filter_map(decision_row).collect::<Vec<_>>());
    html += "<h2>Faults</h2>\n";
    let rows = recent.rev().filter_map(|entry| match entry {
        Entry::Fault { child, fault, detail, .. } => {
            Some(vec![escape(child), escape(fault), escape(detail)])
        }
        _ => None,
    });
    html += &table(&["child", "fault", "what"], &rows.collect::<Vec<_>>());
    html + "</body></html>\n"
}

fn percent(rate: Option<f64>) -> String {
    rate.map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate))
}

fn child_row(child: &ChildView) -> Vec<String> {
    let number = |n: Option<u64>| n.map_or(String::new(), grouped);
    let bar = child.win_rate.map_or(String::new(), |rate| {
        format!("<meter min=\"0\" max=\"1\" value=\"{rate:.3}\"></meter>")
    });
    let line = child.pv.iter().take(LONGEST_LINE).map(String::as_str).collect::<Vec<_>>().join(" ");
    vec![
        escape(&child.name),
        child.role.to_owned(),
        escape(&child.state),
        escape(&child.doing),
        escape(child.score.as_deref().unwrap_or_default()),
        percent(child.win_rate),
        bar,
        number(child.depth.map(u64::from)),
        number(child.nodes),
        number(child.nps.map(|nps| nps / 1000)),
        escape(&line),
        child.slow.as_millis().to_string(),
    ]
}

fn decision_row(entry: &Entry) -> Option<Vec<String>> {
    let Entry::Decision { game, ply, answer, by, why, hit, moves, time, .. } = entry else {
        return None;
    };
    let foreseen = if *hit { "yes" } else { "" };
    Some(vec![
        game.to_string(),
        ply.to_string(),
        escape(answer),
        escape(by),
        escape(why),
        foreseen.to_owned(),
        moves.to_string(),
        time.to_string(),
    ])
}

/// A table of cells that are HTML already.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let row = |cells: &mut dyn Iterator<Item = &str>, tag: &str| {
        let cells: String = cells.map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = row(&mut head.iter().copied(), "th");
    let rows: String =
        rows.iter().map(|cells| row(&mut cells.iter().map(String::as_str), "td")).collect();
    format!("<table>\n{head}{rows}</table>\n")
}

/// Writes pages on a thread of its own: a disk that is slow or full costs the onlookers their sight and
/// nothing else. Dropped, it writes the last one.
pub(crate) struct PageWriter {
    next: Arc<(Mutex<Next>, Condvar)>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Next {
    page: Option<String>,
    over: bool,
}

impl PageWriter {
    pub(crate) fn new(path: PathBuf) -> std::io::Result<Self> {
        let next: Arc<(Mutex<Next>, Condvar)> = Arc::default();
        let shared = Arc::clone(&next);
        let work = move || write_pages(&shared, &path);
        let thread = thread::Builder::new().name("page".to_owned()).spawn(work)?;
        Ok(Self { next, thread: Some(thread) })
    }

    /// Writes a page, soon; one that waits is forgotten.
    pub(crate) fn show(&self, page: String) {
        self.next.0.lock().unwrap_or_else(PoisonError::into_inner).page = Some(page);
        self.next.1.notify_all();
    }
}

fn write_pages((next, changed): &(Mutex<Next>, Condvar), path: &Path) {
    loop {
        let waiting = next.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |next: &mut Next| next.page.is_none() && !next.over;
        let mut found = changed.wait_while(waiting, idle).unwrap_or_else(PoisonError::into_inner);
        let Some(page) = found.page.take() else { return };
        drop(found);
        // Whoever looks on sees an old page, or none.
        let _ = durable::write_whole(path, page.as_bytes(), true);
    }
}

impl Drop for PageWriter {
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

    fn view() -> View {
        View {
            name: "Team <1>".to_owned(),
            diagram: "P1-KY".to_owned(),
            ply: 7,
            doing: "thinking about our move".to_owned(),
            elapsed: Some(Duration::from_millis(42)),
            children: vec![ChildView {
                name: "ab".to_owned(),
                role: "player",
                state: "ready".to_owned(),
                doing: "thinks".to_owned(),
                score: Some("cp 52".to_owned()),
                win_rate: Some(0.516),
                depth: Some(18),
                nodes: Some(1_234_567),
                nps: Some(900_000),
                pv: vec!["7g7f".to_owned(), "3c3d".to_owned()],
                slow: Duration::from_millis(20),
            }],
            replies: vec![("3c3d".to_owned(), 0.61, vec!["first".to_owned(), "second".to_owned()])],
        }
    }

    #[test]
    fn the_page_says_what_everybody_thinks() {
        let fault = Entry::Fault {
            game: 1,
            child: "far".to_owned(),
            fault: "crash",
            detail: "<script>alert(1)</script>".to_owned(),
        };
        let page = html(&view(), [&fault].into_iter());
        for wanted in [
            "<h1>Team &lt;1&gt;</h1>",
            "thinking about our move for 42 ms",
            "<td>51.6 %</td>",
            "7g7f 3c3d",
            "first, second",
            "&lt;script&gt;",
        ] {
            assert!(page.contains(wanted), "{wanted} in {page}");
        }
        assert!(!page.contains("<script>"));
    }

    #[test]
    fn the_last_page_is_written_whatever_came_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let writer = PageWriter::new(path.clone()).unwrap();
        (0..100).for_each(|number| writer.show(format!("page {number}")));
        drop(writer);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "page 99");
        let nowhere = PageWriter::new(folder.path().join("no/such/folder/page.html")).unwrap();
        nowhere.show("lost".to_owned());
        drop(nowhere);
    }
}
