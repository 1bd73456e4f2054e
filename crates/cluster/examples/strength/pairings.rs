//! Who plays whom.

use crate::engines::{EngineChoice, EngineSet};
use cluster::Config;
use cluster::simulation::{Side, Thinker};
use rules::Game;

/// Playouts of the tree search for a node of alpha-beta: what it reads on the same core is less, but then
/// it would not be worth asking at so few nodes.
const PLAYOUTS: f64 = 0.06;

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
    topic: &'static str,
    pub(crate) first: Team,
    pub(crate) second: Team,
}

impl Pairing {
    /// Whether its topic begins with the text.
    pub(crate) fn is_called(&self, text: &str) -> bool {
        self.topic.starts_with(text)
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
    fn one(choice: EngineChoice, cores: f64, ponders: bool) -> Self {
        let kind = match choice {
            EngineChoice::Tree => "tree search",
            EngineChoice::Net => "one",
            EngineChoice::Disturbed(_) => "disturbed",
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
            "[ponder]\npredictor = \"c{count}\"\nby = \"{by}\"\ndwell = 250\nahead = {ahead}\n"
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
    fn council(name: &str, engines: &[EngineChoice], group: &str, arbiter: bool) -> Self {
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
}

fn children(count: usize) -> String {
    let child =
        |place| format!("[[child]]\nname = \"c{place}\"\ninside = \"alphabeta\"\nscale = 833\n");
    (0..count).map(child).collect()
}

/// All pairings, the most telling first.
pub(crate) fn pairings() -> Vec<Pairing> {
    let pair = |topic, first: &Team, second: &Team| Pairing {
        topic,
        first: first.clone(),
        second: second.clone(),
    };
    let one = Team::one(EngineChoice::Net, 1.0, true);
    let mut all = vec![pair("ponder", &one, &Team::one(EngineChoice::Net, 1.0, false))];
    for count in [2, 4, 8] {
        all.push(pair("ponder", &Team::pondering(count, EngineChoice::Net, false), &one));
    }
    for count in [2, 4, 8] {
        all.push(pair("ponder", &Team::pondering(count, EngineChoice::Net, true), &one));
    }
    all.push(pair("ponder", &Team::pondering(8, EngineChoice::Tree, false), &one));
    for count in [2, 4] {
        let threads = Team::one(EngineChoice::Net, count as f64, true);
        all.push(pair("cores", &Team::pondering(count, EngineChoice::Net, true), &threads));
    }
    let alone = Team::one(EngineChoice::Net, 1.0, false);
    let three = [EngineChoice::Net, EngineChoice::Disturbed(0), EngineChoice::Disturbed(1)];
    let thrice = Team::one(EngineChoice::Net, 3.0, false);
    let switch = "consult = \"switch\"\n[[group.switch]]\nchild = \"c1\"\nfrom_ply = 60";
    let councils = [
        ("majority of 3", "", false),
        ("optimistic of 3", "consult = \"optimistic\"", false),
        ("pessimistic of 3", "consult = \"pessimistic\"", false),
        ("exchange of 3", "consult = \"exchange\"", false),
        ("2 and an arbiter", "", true),
        ("switch at ply 60", switch, false),
    ];
    let teams = councils.map(|(name, group, arbiter)| Team::council(name, &three, group, arbiter));
    for team in &teams {
        all.push(pair("consult", team, &alone));
    }
    for team in &teams[..5] {
        all.push(pair("consult", team, &thrice));
    }
    for place in 0..2 {
        all.push(pair("member", &Team::one(EngineChoice::Disturbed(place), 1.0, false), &alone));
    }
    all.extend(deep_pairings(&alone));
    all
}

/// Alpha-beta and the tree search together.
fn deep_pairings(alone: &Team) -> Vec<Pairing> {
    let both = [EngineChoice::Net, EngineChoice::Tree];
    let vote =
        Team::council("alpha-beta + tree, optimistic", &both, "consult = \"optimistic\"", false);
    let judged = [EngineChoice::Net, EngineChoice::Tree, EngineChoice::Disturbed(0)];
    let judged = Team::council("alpha-beta + tree + arbiter", &judged, "", true);
    let pair = |first: &Team, second: &Team| Pairing {
        topic: "deep",
        first: first.clone(),
        second: second.clone(),
    };
    let (twice, thrice) =
        (Team::one(EngineChoice::Net, 2.0, false), Team::one(EngineChoice::Net, 3.0, false));
    vec![
        pair(&Team::one(EngineChoice::Tree, 1.0, false), alone),
        pair(&judged, alone),
        pair(&vote, alone),
        pair(&judged, &thrice),
        pair(&vote, &twice),
    ]
}
