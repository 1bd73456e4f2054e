//! The commands an entry's net depends on, and the files nobody has.

use super::command::{CURRENT, Places, Repeats, Step, player};
use super::full_name;
use crate::error::LabError;
use crate::ledger::{Generation, Ledger};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a command is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The net comes of it.
    Net,
    /// The gate needs it, the net does not.
    Gate,
    /// Neither does.
    Other,
}

/// A command and what is to be done with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    pub step: Step,
    pub role: Role,
    /// What it makes is there.
    pub is_done: bool,
}

/// A file that is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    pub path: PathBuf,
    /// Other entries whose commands make it.
    pub makers: Vec<String>,
}

/// What it takes to repeat an entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    pub entry: Generation,
    pub steps: Vec<Planned>,
    /// What has to be there before the net can be made.
    pub missing: Vec<Missing>,
    /// The match that judges the net, where it can be played, and the name of the net in it.
    pub gate: Option<(usize, String)>,
}

impl Plan {
    /// Plans an entry. `openings` are taken where it only says that there were some; `exists` knows
    /// the files of the folder; a command that was begun and did not end is run again, whatever it
    /// left.
    pub fn new(
        ledger: &Ledger,
        entry: &Generation,
        openings: Option<&Path>,
        exists: &dyn Fn(&Path) -> bool,
        half_done: &dyn Fn(&str) -> bool,
    ) -> Result<Self, LabError> {
        let steps = steps_of(ledger, entry, openings)?;
        let mut steps: Vec<Planned> = steps
            .into_iter()
            .map(|step| {
                let made = !step.writes.is_empty() && step.writes.iter().all(|path| exists(path));
                let is_done = made && !half_done(&step.text);
                Planned { step, role: Role::Other, is_done }
            })
            .collect();
        let nets: Vec<usize> =
            (0..steps.len()).filter(|&n| steps[n].step.nets().next().is_some()).collect();
        let absent = give_role(&mut steps, &nets, Role::Net, exists);
        let made: Vec<&PathBuf> = steps.iter().flat_map(|planned| planned.step.nets()).collect();
        let gate = steps.iter().enumerate().find_map(|(n, planned)| {
            let plays = planned.step.is(&["match"]) && planned.step.runs();
            Some((n, player(&planned.step, &made).filter(|_| plays)?))
        });
        let gate =
            gate.filter(|(n, _)| give_role(&mut steps, &[*n], Role::Gate, exists).is_empty());
        let missing = with_makers(ledger, entry, absent);
        Ok(Self { entry: entry.clone(), missing, steps, gate })
    }

    /// Why the net cannot be made here, if it cannot.
    pub fn obstacle(&self) -> Option<String> {
        let made = self.nets().next().is_some();
        match self.missing.len() {
            _ if !made => Some("no command of this entry that can be run makes a net".to_owned()),
            0 => None,
            1 => Some("a file is missing".to_owned()),
            count => Some(format!("{count} files are missing")),
        }
    }

    /// The nets that its commands make, in order.
    pub fn nets(&self) -> impl Iterator<Item = &PathBuf> {
        self.steps.iter().flat_map(|planned| planned.step.nets())
    }
}

/// The commands of an entry, with paths as they are in the folder.
fn steps_of(
    ledger: &Ledger,
    entry: &Generation,
    openings: Option<&Path>,
) -> Result<Vec<Step>, LabError> {
    let mut places = Places::of(&entry.commands);
    places.openings = openings.map(Path::to_owned);
    places.current = parent(ledger, entry).and_then(|parent| {
        let own = Places::of(&parent.commands);
        let steps = parent.commands.iter().filter_map(|text| Step::new(text, &own).ok());
        steps.filter_map(|step| step.nets().last().cloned()).next_back()
    });
    entry.commands.iter().map(|text| Step::new(text, &places)).collect()
}

/// The entry of the net that played.
fn parent<'a>(ledger: &'a Ledger, entry: &Generation) -> Option<&'a Generation> {
    let before = ledger.generations.iter().filter(|other| other.game == entry.game);
    before.into_iter().find(|other| !entry.parent.is_empty() && other.net == entry.parent)
}

/// Gives a role to these commands and to all they depend on; the files that neither they nor the
/// folder have.
fn give_role(
    steps: &mut [Planned],
    ends: &[usize],
    role: Role,
    exists: &dyn Fn(&Path) -> bool,
) -> BTreeSet<PathBuf> {
    let mut wanted = BTreeSet::new();
    for n in (0..steps.len()).rev() {
        let planned = &mut steps[n];
        let makes = planned.step.runs() && planned.step.writes.iter().any(|p| wanted.contains(p));
        if !makes && !ends.contains(&n) {
            continue;
        }
        for path in &planned.step.writes {
            wanted.remove(path);
        }
        // What the net needs is there by the time the gate is played.
        if planned.role == Role::Other {
            planned.role = role;
            let reads = planned.step.reads.iter().filter(|_| !planned.is_done);
            wanted.extend(reads.cloned());
        }
    }
    wanted.retain(|path| !exists(path));
    wanted
}

/// Files, and for each the other entries whose commands make it.
fn with_makers(ledger: &Ledger, entry: &Generation, paths: BTreeSet<PathBuf>) -> Vec<Missing> {
    let mut missing: Vec<Missing> =
        paths.into_iter().map(|path| Missing { path, makers: Vec::new() }).collect();
    if missing.is_empty() {
        return missing;
    }
    let own = full_name(entry);
    let others = ledger.generations.iter().map(|other| (full_name(other), other));
    for (name, other) in others.filter(|(name, _)| *name != own) {
        let mut writes: BTreeSet<PathBuf> = steps_of(ledger, other, None)
            .unwrap_or_default()
            .into_iter()
            .filter(Step::runs)
            .flat_map(|step| step.writes)
            .collect();
        if other.game == entry.game && other.net == entry.parent {
            writes.insert(CURRENT.into());
        }
        for wanted in missing.iter_mut().filter(|wanted| writes.contains(&wanted.path)) {
            wanted.makers.push(name.clone());
        }
    }
    missing
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", full_name(&self.entry), self.entry.net)?;
        for (n, planned) in self.steps.iter().enumerate() {
            let Planned { step, role, is_done } = planned;
            let told = match (&step.repeats, role) {
                (Repeats::Never(why), _) => format!("cannot be run: {why}"),
                _ if *is_done => "is done: what it makes is there".to_owned(),
                (_, Role::Other) => "is not needed".to_owned(),
                (Repeats::Exactly, Role::Net) => "exact".to_owned(),
                (Repeats::Roughly(why), Role::Net) => format!("not exact: {why}"),
                (_, Role::Gate) => "only where the net is another".to_owned(),
            };
            writeln!(f, "{:3}. {}\n     {told}", n + 1, step.text)?;
        }
        for Missing { path, makers } in &self.missing {
            let hint = if makers.is_empty() {
                "no command of this ledger makes it".to_owned()
            } else {
                format!("made by {}", makers.join(" and by "))
            };
            writeln!(f, "missing: {} ({hint})", path.display())?;
        }
        Ok(())
    }
}
