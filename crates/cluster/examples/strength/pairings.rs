//! Who plays whom.

use crate::engines::{EngineChoice, EngineSet};
use cluster::Config;
use cluster::simulation::{Side, Thinker};
use cluster::weights::Weights;
use rules::Game;
use std::path::Path;

/// Playouts of the tree search for a node of alpha-beta: what a device gives it. On the same core it is
/// [`ON_A_CORE`] of that.
const PLAYOUTS: f64 = 0.06;

/// What the tree search reads on a core of its own, as a part of [`PLAYOUTS`]: 3 playouts in the time of 1,000 nodes.
const ON_A_CORE: f64 = 0.05;

/// How many times the usual nodes a move of `duo` has: with fewer its tree search would have no playouts.
const PACE_OF_DUO: f64 = 4.0;

/// A side: a configuration and the engines of its children, with how many cores each has.
#[derive(Clone)]
pub(crate) struct Team {
    pub(crate) name: String,
    config: String,
    engines: Vec<(EngineChoice, f64)>,
    ponders: bool,
    glimpses: bool,
}

/// Two sides.
pub(crate) struct Pairing {
    /// What it is about.
    pub(crate) topic: &'static str,
    pub(crate) first: Team,
    pub(crate) second: Team,
    /// How many times the usual nodes a move has.
    pub(crate) pace: f64,
}

impl Pairing {
    fn new(topic: &'static str, first: &Team, second: &Team) -> Self {
        Self { topic, first: first.clone(), second: second.clone(), pace: 1.0 }
    }

    /// Whether its topic begins with the text.
    pub(crate) fn is_about(&self, text: &str) -> bool {
        self.topic.starts_with(text)
    }

    /// As games are filed.
    pub(crate) fn name(&self) -> String {
        format!("{}: {} against {}", self.topic, self.first.name, self.second.name)
    }
}

impl Team {
    pub(crate) fn side(&self, engines: &EngineSet, speed: f64) -> Side {
        let child = |&(choice, cores): &(EngineChoice, f64)| {
            let kind = if choice == EngineChoice::Tree { PLAYOUTS } else { 1.0 };
            let thinker = Thinker::new(engines.engine(choice), Game::Shogi, speed * cores * kind);
            if self.glimpses { thinker.with_glimpses() } else { thinker }
        };
        Side {
            config: Config::parse(&self.config).expect("our own configurations are right"),
            children: self.engines.iter().map(child).collect(),
            ponders: self.ponders,
        }
    }

    /// One engine with that many cores.
    pub(crate) fn one(choice: EngineChoice, cores: f64, ponders: bool) -> Self {
        let kind = match choice {
            EngineChoice::Tree => "tree search",
            EngineChoice::Net => "one",
            EngineChoice::Disturbed(0) => "disturbed",
            EngineChoice::Disturbed(_) => "disturbed otherwise",
        };
        let with = if cores > 1.0 { format!(", {cores} cores") } else { String::new() };
        let ponder = if ponders { ", pondering" } else { "" };
        Self {
            name: format!("{kind}{with}{ponder}"),
            config: children(1),
            engines: vec![(choice, cores)],
            ponders,
            glimpses: false,
        }
    }

    /// That many groups of one, all pondering on what another one predicts.
    fn pondering(count: usize, seer: EngineChoice, ahead: bool) -> Self {
        let by = if seer == EngineChoice::Tree { "rank" } else { "score" };
        let ponder = format!(
            "[ponder]\npredictor = \"c{count}\"\nby = \"{by}\"\ndwell = 250\nmiss = \"last\"\nahead = {ahead}\n"
        );
        let policy =
            if seer == EngineChoice::Tree { " on what the policy net expects" } else { "" };
        let mut engines = vec![(EngineChoice::Net, 1.0); count];
        engines.push((seer, 1.0));
        Self {
            name: format!("{count} pondering{policy}{}", if ahead { ", ahead too" } else { "" }),
            config: ponder + &children(count + 1) + "role = \"predictor\"\n",
            engines,
            ponders: true,
            glimpses: ahead,
        }
    }

    /// Members that consult; the last is the arbiter if there is one.
    pub(crate) fn council(
        name: &str,
        engines: &[EngineChoice],
        group: &str,
        arbiter: bool,
    ) -> Self {
        let mut config = children(engines.len());
        if arbiter {
            config += "role = \"arbiter\"\n";
        }
        let players = engines.len() - usize::from(arbiter);
        let names: Vec<String> = (0..players).map(|place| format!("\"c{place}\"")).collect();
        config +=
            &format!("[[group]]\nname = \"all\"\nchildren = [{}]\n{group}\n", names.join(", "));
        if arbiter {
            config += &format!("arbiter = \"c{players}\"\n");
        }
        Self {
            name: name.to_owned(),
            config,
            engines: engines.iter().map(|&choice| (choice, 1.0)).collect(),
            ponders: false,
            glimpses: false,
        }
    }

    /// The majority of a council with weights that were learned.
    fn weighted(name: &str, engines: &[EngineChoice], file: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(file).ok()?;
        let weights = Weights::parse(&text).expect("a file of weights");
        let mut team = Self::council(name, engines, "", false);
        for place in 0..engines.len() {
            let child = format!("name = \"c{place}\"\n");
            let weight = weights.of(&format!("c{place}")).expect("a weight for every member");
            team.config = team.config.replacen(&child, &format!("{child}weight = {weight}\n"), 1);
        }
        Some(team)
    }

    /// `--preset duo` without its mate solver, which has no virtual clock: its core stands idle.
    fn duo(cores: usize) -> Self {
        let mut team = Self::council(
            &format!("duo on {cores} cores"),
            &[EngineChoice::Net, EngineChoice::Tree],
            "",
            false,
        );
        team.config = team.config.replacen("name = \"c0\"\n", "name = \"c0\"\nweight = 2\n", 1);
        team.engines[0].1 = cores.saturating_sub(2) as f64;
        team.engines[1].1 = ON_A_CORE;
        team
    }
}

fn children(count: usize) -> String {
    let child =
        |place| format!("[[child]]\nname = \"c{place}\"\ninside = \"alphabeta\"\nscale = 833\n");
    (0..count).map(child).collect()
}

/// The councils that learn what each vote is worth, and what the files of their weights are called.
pub(crate) fn councils() -> [(&'static str, [EngineChoice; 3]); 2] {
    use EngineChoice::{Disturbed, Net, Tree};
    [("council", [Net, Disturbed(0), Disturbed(1)]), ("mixed", [Net, Disturbed(0), Tree])]
}

/// All pairings, topic by topic; those with learned weights if the folder has them.
pub(crate) fn pairings(weights: Option<&Path>) -> Vec<Pairing> {
    let alone = Team::one(EngineChoice::Net, 1.0, false);
    let mut all = pondering_pairings();
    let learned = |place: usize, name: &str| {
        let (file, members) = councils()[place];
        Team::weighted(name, &members, &weights?.join(format!("{file}.toml")))
    };
    all.extend(council_pairings(&alone, learned(0, "majority of 3, learned weights")));
    let mixed = learned(1, "2 alpha-beta + tree, learned weights");
    all.extend(deep_pairings(&alone, mixed.as_ref()));
    for cores in [4, 8] {
        let threads = Team::one(EngineChoice::Net, cores as f64, false);
        let pairing = Pairing::new("duo", &Team::duo(cores), &threads);
        all.push(Pairing { pace: PACE_OF_DUO, ..pairing });
    }
    all
}

/// Groups that ponder against one engine that ponders, on one core and on as many as they have with their predictor.
fn pondering_pairings() -> Vec<Pairing> {
    let one = Team::one(EngineChoice::Net, 1.0, true);
    let mut all = vec![Pairing::new("ponder", &one, &Team::one(EngineChoice::Net, 1.0, false))];
    for (ahead, counts) in [(false, &[1, 2, 4, 8][..]), (true, &[2, 4, 8])] {
        for &count in counts {
            let team = Team::pondering(count, EngineChoice::Net, ahead);
            all.push(Pairing::new("ponder", &team, &one));
        }
    }
    all.push(Pairing::new("ponder", &Team::pondering(8, EngineChoice::Tree, false), &one));
    for count in [1, 2, 4, 8] {
        let threads = Team::one(EngineChoice::Net, (count + 1) as f64, true);
        let team = Team::pondering(count, EngineChoice::Net, count > 1);
        all.push(Pairing::new("ponder, equal cores", &team, &threads));
    }
    all
}

/// Three alpha-beta engines of slightly different opinions against the best of them, on one core and on three.
fn council_pairings(alone: &Team, learned: Option<Team>) -> Vec<Pairing> {
    let three = councils()[0].1;
    let thrice = Team::one(EngineChoice::Net, 3.0, false);
    let switch = "consult = \"switch\"\n[[group.switch]]\nchild = \"c1\"\nfrom_ply = 60";
    let modes = [
        ("majority of 3", "", false),
        ("optimistic of 3", "consult = \"optimistic\"", false),
        ("pessimistic of 3", "consult = \"pessimistic\"", false),
        ("exchange of 3", "consult = \"exchange\"", false),
        ("2 and an arbiter", "", true),
    ];
    let mut teams: Vec<Team> = modes
        .iter()
        .map(|&(name, group, arbiter)| Team::council(name, &three, group, arbiter))
        .collect();
    teams.extend(learned);
    let mut all = Vec::new();
    for place in 0..2 {
        let member = Team::one(EngineChoice::Disturbed(place), 1.0, false);
        all.push(Pairing::new("consult", &member, alone));
    }
    for team in &teams {
        all.push(Pairing::new("consult", team, alone));
    }
    // One plays at a time: its best member on one core is both.
    let switch = Team::council("switch at ply 60", &three[..2], switch, false);
    all.push(Pairing::new("consult", &switch, alone));
    for team in &teams {
        all.push(Pairing::new("consult, equal cores", team, &thrice));
    }
    all
}

/// Alpha-beta and the tree search together.
fn deep_pairings(alone: &Team, learned: Option<&Team>) -> Vec<Pairing> {
    let both = [EngineChoice::Net, EngineChoice::Tree];
    let judged = [EngineChoice::Net, EngineChoice::Tree, EngineChoice::Disturbed(0)];
    let judged = Team::council("alpha-beta + tree + arbiter", &judged, "", true);
    let vote =
        Team::council("alpha-beta + tree, optimistic", &both, "consult = \"optimistic\"", false);
    let switch = "consult = \"switch\"\n[[group.switch]]\nchild = \"c1\"\nto_ply = 60";
    let switch = Team::council("tree to ply 60, then alpha-beta", &both, switch, false);
    let cores = |count| Team::one(EngineChoice::Net, count, false);
    let mut all = vec![
        Pairing::new("deep", &Team::one(EngineChoice::Tree, 1.0, false), alone),
        Pairing::new("deep", &judged, alone),
        Pairing::new("deep", &vote, alone),
        Pairing::new("deep", &switch, alone),
    ];
    all.extend(learned.map(|team| Pairing::new("deep", team, alone)));
    all.push(Pairing::new("deep, equal cores", &judged, &cores(3.0)));
    all.push(Pairing::new("deep, equal cores", &vote, &cores(2.0)));
    all.extend(learned.map(|team| Pairing::new("deep, equal cores", team, &cores(3.0))));
    all
}
