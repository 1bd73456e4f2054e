//! The fleet through a storm: broker, coordinator, gateway and workers killed and held at random, the
//! broker's room filled up, messages repeated, a worker that lies.
//!
//! The processes are this very program in different parts; the coordinator is the one of `nue fleet serve --nats`. Checked
//! from outside, in its ledger: every result is there, right, and counted once; every result that a worker was told is
//! accepted is among them; the liar is named, and nobody else.

mod ledger;
mod parts;
mod worker;

use crate::Failure;
use fixtures::nats::{NatsServer, free_port};
use fleet::{Priority, Spec};
use fleetd::orders::{Answer, Order, Reply};
use fleetd::{DataFolder, Request};
use gateway::{Identity, tokens};
use ledger::LedgerFile;
pub(crate) use parts::run as run_part;
pub(crate) use parts::{PartArgs, about, failed, persevere, worker_id, worker_name};
use rustix::process::{Pid, Signal, kill_process};
use seed::Rng;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use worker::AGAIN;
pub(crate) use worker::{batch, right};

/// Numbers of one sum.
const ROUNDS: u64 = 1;

#[derive(clap::Args)]
pub(crate) struct StormArgs {
    /// Results to bring in.
    #[arg(long, default_value_t = 100_000)]
    results: u64,
    /// Results of one task.
    #[arg(long, default_value_t = 10)]
    batches: u32,
    /// Workers; every other one speaks HTTP to the gateway.
    #[arg(long, default_value_t = 8)]
    workers: usize,
    /// Tasks at a time of each.
    #[arg(long, default_value_t = 4)]
    slots: usize,
    /// Milliseconds between faults, on average.
    #[arg(long, default_value_t = 700)]
    every: u64,
    /// What chance is made from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds after which it has failed, those of earlier runs included.
    #[arg(long, default_value_t = 3600)]
    limit: u64,
    /// Where the data lies; it stays there, and the same command goes on with it.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Rest after so many seconds of this run; the same command goes on.
    #[arg(long, requires = "folder")]
    seconds: Option<u64>,
}

/// What earlier runs of the same storm have seen.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct StormRecord {
    seconds: f64,
    faults: BTreeMap<String, u64>,
}

impl StormRecord {
    fn load(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("storm.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn note(&mut self, fault: String) {
        *self.faults.entry(fault).or_default() += 1;
    }

    fn keep(&self, folder: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string(self).map_err(|e| Failure::Failed(e.to_string()))?;
        Ok(std::fs::write(folder.join("storm.json"), text)?)
    }
}

/// A coordinator that nothing happens to.
pub(crate) struct SteadyCoordinator(Part);

impl SteadyCoordinator {
    /// Memory in use, in KiB, where the system tells.
    pub(crate) fn memory(&self) -> Option<u64> {
        let id = self.0.child.as_ref()?.id();
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

/// Starts a coordinator with more work than anybody can do.
pub(crate) fn steady_coordinator(
    folder: &Path,
    url: &str,
    batches: u32,
) -> Result<SteadyCoordinator, Failure> {
    let text = [
        "coordinator".to_owned(),
        "--steady".to_owned(),
        format!("--nats={url}"),
        format!("--folder={}", folder.display()),
        "--port=0".to_owned(),
    ];
    let mut part = Part::new("coordinator", text.to_vec());
    part.start()?;
    ask_for_sums(folder, batches, None)?;
    Ok(SteadyCoordinator(part))
}

/// Asks the coordinator of a folder, once it is there, for a run of sums; not twice.
fn ask_for_sums(folder: &Path, batches: u32, goal: Option<u64>) -> Result<(), Failure> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let (data, begun) = (DataFolder::new(folder), Instant::now());
    while !data.beside().is_ok_and(|ledger| ledger.is_served()) {
        if begun.elapsed() > PATIENCE {
            return Err(failed("no coordinator came"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    if !data.beside().map_err(failed)?.runs().map_err(failed)?.is_empty() {
        return Ok(());
    }
    let spec = Spec::Checksum { rounds: ROUNDS, batches };
    let (name, priority) = ("sums".to_owned(), Priority::Normal);
    let request = Request { name, spec, goal, priority, share: 1.0 };
    match data.submit(request, "storm", think::seconds_since_1970(), PATIENCE).map_err(failed)? {
        Reply::Answer(Answer::Refused(why)) => Err(failed(why)),
        Reply::Answer(Answer::Done(_)) | Reply::Later => Ok(()),
    }
}

/// A part, in a process that is started again whenever it is killed.
struct Part {
    name: String,
    args: Vec<String>,
    child: Option<Child>,
}

impl Part {
    fn new(name: &str, args: Vec<String>) -> Self {
        Self { name: name.to_owned(), args, child: None }
    }

    fn start(&mut self) -> Result<(), Failure> {
        let program = std::env::current_exe()?;
        self.child = Some(Command::new(program).arg("storm-part").args(&self.args).spawn()?);
        Ok(())
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn signal(&self, signal: Signal) {
        tell_process(self.child.as_ref().map(Child::id), signal);
    }

    /// Starts it again if it has ended by itself; says whether it had.
    fn revive(&mut self) -> Result<bool, Failure> {
        let ended = self.child.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)));
        if ended {
            self.start()?;
        }
        Ok(ended)
    }
}

/// Sends a signal to a process.
fn tell_process(id: Option<u32>, signal: Signal) {
    let pid = id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It has died meanwhile if it cannot be reached.
        let _ = kill_process(pid, signal);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        self.kill();
    }
}

struct Storm {
    server: NatsServer,
    data: DataFolder,
    parts: Vec<Part>,
    rng: Rng,
    record: StormRecord,
}

pub(crate) fn run(args: &StormArgs) -> Result<(), Failure> {
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder)?;
    let record = StormRecord::load(folder);
    let Some(server) = NatsServer::in_folder(&folder.join("broker")) else {
        return Err(Failure::Failed("nats-server is not installed".to_owned()));
    };
    let parts = parts_of(args, folder, &server.url())?;
    // Other faults than those of the run before.
    let rng = Rng::new(args.seed).split(record.seconds as u64);
    let before = record.seconds;
    let mut storm = Storm { server, data: DataFolder::new(folder), parts, rng, record };
    for part in &mut storm.parts {
        part.start()?;
    }
    let begun = Instant::now();
    ask_for_sums(folder, args.batches, Some(args.results))?;
    let ledger = LedgerFile::open(folder)?;
    let (first, mut told) = (ledger.done()?.0, Instant::now());
    loop {
        storm.record.seconds = before + begun.elapsed().as_secs_f64();
        storm.record.keep(folder)?;
        let (count, over) = ledger.done()?;
        if over {
            break;
        }
        if storm.record.seconds > args.limit as f64 {
            return Err(Failure::Failed(format!("{count} of {} results in time", args.results)));
        }
        if told.elapsed() > TELL {
            told = Instant::now();
            tell(args.results, count, count.saturating_sub(first), begun.elapsed())?;
        }
        if args.seconds.is_some_and(|seconds| begun.elapsed() > Duration::from_secs(seconds)) {
            tell(args.results, count, count.saturating_sub(first), begun.elapsed())?;
            writeln!(std::io::stderr(), "resting; the same command continues")?;
            return Ok(());
        }
        let pause = 1 + storm.rng.below(2 * args.every as usize);
        std::thread::sleep(Duration::from_millis(pause as u64));
        storm.fault()?;
    }
    let record = storm.record.clone();
    drop(storm);
    report(args, folder, &ledger, &record)
}

/// How often it is told how far it is.
const TELL: Duration = Duration::from_secs(10);

/// How far it is, and how long it will take.
fn tell(results: u64, count: u64, of_this: u64, took: Duration) -> Result<(), Failure> {
    let rate = of_this as f64 / took.as_secs_f64().max(1e-9);
    let minutes = results.saturating_sub(count) as f64 / rate.max(1e-9) / 60.0;
    let text = format!("{count} of {results} results, {rate:.0} a second, {minutes:.1} min left");
    Ok(writeln!(std::io::stderr(), "{text}")?)
}

fn parts_of(args: &StormArgs, folder: &Path, url: &str) -> Result<Vec<Part>, Failure> {
    let port = free_port()?;
    let common = |kind: &str| {
        let mut text = vec![kind.to_owned(), "--nats".to_owned(), url.to_owned()];
        text.extend(["--folder".to_owned(), folder.display().to_string()]);
        text.extend(["--port".to_owned(), port.to_string()]);
        text.extend(["--slots".to_owned(), args.slots.to_string()]);
        text
    };
    let mut parts = vec![
        Part::new("coordinator", common("coordinator")),
        Part::new("gateway", common("gateway")),
    ];
    let mut lines = String::new();
    for number in 0..args.workers {
        let name = worker_name(number);
        let (worker, owner) = (worker_id(&name)?, parts::owner(&name)?);
        let (token, line) = tokens::issue(&Identity { worker, owner })
            .map_err(|e| Failure::Failed(e.to_string()))?;
        lines.push_str(&line);
        let mut text = common("worker");
        text.extend(["--name".to_owned(), name.clone()]);
        text.extend(["--seed".to_owned(), (args.seed + number as u64).to_string()]);
        if number % 2 == 1 {
            text.extend(["--token".to_owned(), token]);
        }
        parts.push(Part::new("worker", text));
    }
    std::fs::write(folder.join("tokens"), lines)?;
    Ok(parts)
}

impl Storm {
    /// The liar begins anew, on probation, and lies again; at another time where the coordinator holds its ledger for
    /// long, as it does when it counts all results anew.
    fn pardon(&self) -> Result<(), Failure> {
        let ledger = self.data.beside().map_err(failed)?;
        let order = Order::Pardon { worker: worker_id(parts::LIAR)? };
        let _ = ledger.order(&order, think::seconds_since_1970(), Duration::ZERO);
        Ok(())
    }

    /// Something happens to somebody.
    fn fault(&mut self) -> Result<(), Failure> {
        for part in &mut self.parts {
            if part.revive()? {
                self.record.note(format!("{} ended by itself", part.name));
            }
        }
        if self.rng.below(PARDON) == 0 {
            self.pardon()?;
        }
        let away = Duration::from_millis(self.rng.below(400) as u64);
        let held = Duration::from_millis(200 + self.rng.below(1500) as u64);
        let victim = self.rng.below(self.parts.len() + 2);
        let stop = self.rng.below(3) == 0;
        // The broker as often as two others.
        let what = if stop { "held" } else { "killed" };
        let Some(part) = self.parts.get_mut(victim) else {
            self.record.note(format!("broker {what}"));
            if stop {
                tell_process(self.server.id(), Signal::STOP);
                std::thread::sleep(held);
                tell_process(self.server.id(), Signal::CONT);
            } else {
                self.server.kill();
                std::thread::sleep(away);
                self.server.run();
            }
            return Ok(());
        };
        self.record.note(format!("{} {what}", part.name));
        if stop {
            part.signal(Signal::STOP);
            std::thread::sleep(held);
            part.signal(Signal::CONT);
        } else {
            part.kill();
            std::thread::sleep(away);
            part.start()?;
        }
        Ok(())
    }
}

/// Results of a storm in which everything must have happened.
const WHOLE: u64 = 100_000;

/// What can happen to processes.
fn every_blow() -> impl Iterator<Item = String> {
    let everybody = ["broker", "coordinator", "gateway", "worker"];
    everybody.into_iter().flat_map(|who| ["killed", "held"].map(|what| format!("{who} {what}")))
}

/// In how many faults the liar is let in once more.
const PARDON: usize = 25;

/// Checks everything, and says it.
fn report(
    args: &StormArgs,
    folder: &Path,
    ledger: &LedgerFile,
    record: &StormRecord,
) -> Result<(), Failure> {
    let found = ledger.check(args.results)?;
    let (mut promised, mut again) = (0, 0);
    let mut lost = Vec::new();
    let is_there = |line: &str| {
        let number = line.parse::<usize>().ok();
        number.and_then(|number| found.there.get(number).copied()).unwrap_or(false)
    };
    for number in 0..args.workers {
        let log = folder.join(format!("{}.accepted", worker_name(number)));
        let text = std::fs::read_to_string(log).unwrap_or_default();
        // A line that was cut by a death promises nothing.
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            if line == AGAIN {
                again += 1;
                continue;
            }
            promised += 1;
            if !is_there(line) {
                lost.push(line.to_owned());
            }
        }
    }
    let seconds = record.seconds;
    let mut text = String::new();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "{what:<28} {value}");
    };
    line("results", args.results.to_string());
    line("seconds", format!("{seconds:.1}"));
    line("results a second", format!("{:.0}", args.results as f64 / seconds));
    for (what, times) in &record.faults {
        line(what, times.to_string());
    }
    let full = std::fs::read_to_string(parts::fullness(folder)).unwrap_or_default();
    line("results sent again", again.to_string());
    line("wrong results refused", found.lies.to_string());
    line("results taken out again", found.taken_out.to_string());
    line("checked by second owners", found.checks.to_string());
    line("times the room was full", full.lines().count().to_string());
    line("promised to workers", promised.to_string());
    std::io::stdout().write_all(text.as_bytes())?;
    let mut complaints = found.complaints;
    if !lost.is_empty() {
        let some = &lost[..lost.len().min(10)];
        complaints.push(format!("{} accepted results are lost: {some:?} …", lost.len()));
    }
    if args.results >= WHOLE {
        let absent = |what: &String| !record.faults.contains_key(what);
        let mut missing: Vec<String> = every_blow().filter(absent).collect();
        missing.extend((again == 0).then(|| "results sent again".to_owned()));
        missing.extend(full.is_empty().then(|| "no room".to_owned()));
        if !missing.is_empty() {
            complaints.push(format!("it was no storm without: {}", missing.join(", ")));
        }
    }
    if promised < args.results / 2 {
        complaints.push(format!("only {promised} were promised: that is no test"));
    }
    if !complaints.is_empty() {
        return Err(Failure::Failed(complaints.join("; ")));
    }
    writeln!(std::io::stdout(), "no result lost, none counted twice, none wrong")?;
    Ok(())
}
