//! Plans from ledgers as people write them.

use super::*;
use std::path::Path;

const LEDGER: &str = r#"
[[generation]]
game = "minishogi"
generation = 1
parent = "material"
net = "HalfKP 16x2-8-8 (minishogi) 00000001 10"
accepted = true
commands = [
  "nue gen -o g1.teacher --positions 100 --seed 1 --net material -j 2",
  "nue data split g1.teacher --train g1.train --validation g1.check --share 0.1",
  "nue train g1.train --validation g1.check --arch halfkp-16x2-8-8 --out n1.bin --resume --seed 1",
]

[[generation]]
game = "minishogi"
line = "wide,"
generation = 2
net = "HalfKP 32x2-8-8, not kept"
accepted = false
elo = [-10.0, 0.0, 10.0]
commands = [
  "nue gen -o g2.teacher --minutes 2 --net n1.bin --start even:9 --start entering=g1.teacher:1   # stopped at 80",
  "nue data split FILE.teacher --train FILE.train --validation FILE.check   # for each file",
  "python -m nue_trainer train --nue nue --data g2.train g1.train --validation g2.check --fast --out n2.nuef --init n1.nuef --stream-options --quiet x.teacher",
  "nue net import n2.nuef -o n2.bin",
  "nue openings make --count 9 -o gate.openings",
  "nue match --engine cmd=self,name=A,option.EvalDir=n2.bin --engine cmd=self,name=B,option.EvalDir=n1.bin --openings gate.openings --games 10",
  "nue match --engine cmd=self,name=A,option.EvalDir=n2.bin --engine cmd=self,name=B,option.EvalDir=n1.bin --each movetime=50 --openings OPENINGS --games 10",
]

[[generation]]
game = "minishogi"
line = "by hand,"
generation = 3
accepted = false
commands = ["NUE=nue script/deep games check.teacher out"]

[[generation]]
game = "minishogi"
line = "taught,"
generation = 4
accepted = false
commands = [
  "nue gen -o g4.teacher --positions 100 --seed 4 --net material -j 2",
  "python -m nue_trainer deep --nue nue --data g4.teacher --out t1.nuedf --blocks 1",
  "python -m nue_trainer deep --nue nue --data g4.teacher --out t2.nuedf --blocks 1 --init t1.nuedf.checkpoint",
  "python -m nue_trainer train --nue nue --data g4.teacher --out n4.nuef --teacher t2.nuedf",
  "nue net import n4.nuef -o n4.bin",
]
"#;

fn plan(name: &str, there: &[&str]) -> Plan {
    let ledger: Ledger = LEDGER.parse().unwrap();
    let exists = |path: &Path| there.iter().any(|name| path == Path::new(name));
    Plan::new(&ledger, find(&ledger, name).unwrap(), None, &exists, &|_| false).unwrap()
}

fn missing(plan: &Plan) -> Vec<(&str, Vec<&str>)> {
    plan.missing
        .iter()
        .map(|m| (m.path.to_str().unwrap(), m.makers.iter().map(String::as_str).collect()))
        .collect()
}

#[test]
fn entries_are_found_by_game_line_and_number() {
    let ledger: Ledger = LEDGER.parse().unwrap();
    for name in ["minishogi wide, 2", "Minishogi  wide 2"] {
        assert_eq!(find(&ledger, name).unwrap().generation, 2);
    }
    for wrong in ["minishogi 2", "shogi 1", "", "1"] {
        let why = find(&ledger, wrong).unwrap_err().to_string();
        assert!(why.contains("minishogi wide, 2"), "{why}");
    }
    let mut twice = ledger.clone();
    twice.generations.push(ledger.generations[0].clone());
    assert!(find(&twice, "minishogi 1").unwrap_err().to_string().contains("several"));
    assert!(
        find(&Ledger::default(), "shogi 1").unwrap_err().to_string().contains("no entry at all")
    );
}

#[test]
fn an_exact_entry_needs_nothing() {
    let plan = plan("minishogi 1", &[]);
    assert!(plan.obstacle().is_none() && plan.gate.is_none(), "{plan}");
    for planned in &plan.steps {
        assert_eq!((&planned.step.repeats, planned.role), (&Repeats::Exactly, Role::Net), "{plan}");
    }
    let train = &plan.steps[2].step;
    assert_eq!(train.reads, ["g1.train", "g1.check"].map(PathBuf::from));
    assert_eq!(train.writes, ["n1.bin"].map(PathBuf::from));
}

#[test]
fn a_teacher_goes_on_from_what_another_left_beside_its_net() {
    let plan = plan("minishogi taught 4", &[]);
    assert_eq!(missing(&plan), []);
    assert!(plan.steps.iter().all(|planned| planned.role == Role::Net), "{plan}");
}

#[test]
fn what_is_there_is_not_made_again_and_asks_for_nothing() {
    let plan = plan("minishogi 1", &["g1.train", "g1.check"]);
    let roles: Vec<Role> = plan.steps.iter().map(|planned| planned.role).collect();
    assert_eq!(roles, [Role::Other, Role::Net, Role::Net]);
    assert!(plan.steps[1].is_done && !plan.steps[2].is_done);
    let ledger: Ledger = LEDGER.parse().unwrap();
    // Begun and not ended, its files are not to be trusted.
    let half =
        Plan::new(&ledger, &ledger.generations[0], None, &|_| true, &|text| text.contains("split"));
    let half = half.unwrap();
    assert!(!half.steps[1].is_done && half.steps[0].is_done);
}

#[test]
fn what_does_not_repeat_is_told_with_the_reason() {
    let plan = plan("minishogi wide 2", &["n1.bin"]);
    let told: Vec<String> =
        plan.steps.iter().map(|planned| format!("{:?}", planned.step.repeats)).collect();
    for (n, words) in [
        (0, &["Roughly", "--minutes", "stopped at 80"][..]),
        (1, &["Never", "FILE.teacher"]),
        (2, &["Roughly", "--fast"]),
        (3, &["Exactly"]),
        (4, &["Exactly"]),
        (5, &["Exactly"]),
        (6, &["Never", "OPENINGS"]),
    ] {
        assert!(words.iter().all(|word| told[n].contains(word)), "{n}: {}", told[n]);
    }
    assert_eq!(plan.steps[0].step.reads, ["n1.bin", "g1.teacher"].map(PathBuf::from));
    // What the command that cannot be run would have made is missing, and who else makes it is said.
    let missing = missing(&plan);
    let own = vec!["minishogi 1"];
    assert_eq!(
        missing,
        [("g1.train", own), ("g2.check", vec![]), ("g2.train", vec![]), ("n1.nuef", vec![])]
    );
    assert!(plan.obstacle().unwrap().contains("4 files"));
    assert_eq!(plan.gate, Some((5, "A".to_owned())));
    assert_eq!((plan.steps[4].role, plan.steps[6].role), (Role::Gate, Role::Other));
    let text = plan.to_string();
    assert!(text.contains("missing: g1.train (made by minishogi 1)"), "{text}");
    assert!(text.contains("missing: n1.nuef (no command of this ledger makes it)"), "{text}");
    assert!(text.contains("cannot be run: FILE.teacher"), "{text}");
}

/// Where the openings of a match were not kept, others may stand in.
#[test]
fn openings_may_be_named() {
    let ledger: Ledger = LEDGER.parse().unwrap();
    let entry = find(&ledger, "minishogi wide 2").unwrap();
    let plan = Plan::new(&ledger, entry, Some(Path::new("/other.usi")), &|_| false, &|_| false);
    let step = &plan.unwrap().steps[6].step;
    assert!(matches!(&step.repeats, Repeats::Roughly(why) if why.contains("other openings")));
    assert!(step.reads.contains(&PathBuf::from("/other.usi")), "{:?}", step.reads);
}

#[test]
fn a_program_of_somebody_else_is_not_run() {
    let plan = plan("minishogi by hand 3", &[]);
    assert!(plan.obstacle().unwrap().contains("makes a net"), "{plan}");
    assert!(plan.to_string().contains("neither nue"), "{plan}");
}

/// `nue learn` names its folder; the net it plays with is the one of an entry before.
#[test]
fn the_folder_of_nue_learn_becomes_the_new_one() {
    let text = r#"
[[generation]]
game = "minishogi"
generation = 1
net = "a 1 1"
accepted = true
commands = [
  "nue gen --resume --net material --out '/tmp/my, lab/generation-0001/games.teacher' --games 2",
  "nue train '/tmp/my, lab/generation-0001/games.teacher' --out '/tmp/my, lab/generation-0001/net.bin'",
]
[[generation]]
game = "minishogi"
generation = 2
parent = "a 1 1"
accepted = true
commands = [
  "nue gen --resume --net '/tmp/my, lab/current.bin' --out '/tmp/my, lab/generation-0002/games.teacher' --games 2",
  "nue train '/tmp/my, lab/generation-0002/games.teacher' '/tmp/my, lab/generation-0001/games.teacher' --out '/tmp/my, lab/generation-0002/net.bin' --from '/tmp/my, lab/current.bin'",
  "nue match --engine 'cmd=self,name=new,option.EvalDir=/tmp/my\\, lab/generation-0002/net.bin,option.Threads=1' --engine 'cmd=self,name=current,option.EvalDir=/tmp/my\\, lab/current.bin,option.Threads=1' --games 2 --out '/tmp/my, lab/generation-0002/gate.csa'",
]
"#;
    let ledger: Ledger = text.parse().unwrap();
    let entry = find(&ledger, "minishogi 2").unwrap();
    let plan = Plan::new(&ledger, entry, None, &|_| false, &|_| false).unwrap();
    let reads = |n: usize| -> Vec<&str> {
        plan.steps[n].step.reads.iter().map(|path| path.to_str().unwrap()).collect()
    };
    assert_eq!(reads(0), ["generation-0001/net.bin"]);
    assert_eq!(
        reads(1),
        [
            "generation-0002/games.teacher",
            "generation-0001/games.teacher",
            "generation-0001/net.bin"
        ]
    );
    assert_eq!(reads(2), ["generation-0002/net.bin", "generation-0001/net.bin"]);
    let makers = vec!["minishogi 1"];
    assert_eq!(
        missing(&plan),
        [("generation-0001/games.teacher", makers.clone()), ("generation-0001/net.bin", makers)]
    );
    assert!(plan.gate.is_none(), "without the current net there is no match");
}

#[test]
fn ledgers_that_are_none_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let ledger = place.path().join("ledger.toml");
    let repetition = Repetition {
        ledger: ledger.clone(),
        entry: "minishogi 1".to_owned(),
        folder: place.path().join("new"),
        openings: None,
        program: "nue".into(),
        python: "python".into(),
    };
    assert!(matches!(repetition.plan(), Err(LabError::File { .. })));
    let entry = "[[generation]]\ngame = 'minishogi'\ngeneration = 1\naccepted = true\n";
    for (text, why) in [
        ("= broken".to_owned(), "ledger.toml"),
        (format!("{entry}colour = 'red'\n"), "colour"),
        (String::new(), "no entry at all"),
        (format!("{entry}commands = [\"nue gen 'a\"]\n"), "not a command line"),
        (format!("{entry}commands = [\"\"]\n"), "not a command line"),
    ] {
        fs::write(&ledger, &text).unwrap();
        let told = repetition.plan().unwrap_err().to_string();
        assert!(told.contains(why), "{text}: {told}");
    }
    fs::write(&ledger, entry).unwrap();
    assert!(repetition.plan().unwrap().obstacle().is_some());
    assert!(!repetition.folder.exists(), "a plan writes nothing");
}

/// A file that the repository keeps is written as it was, and a command of that form alone is run.
#[test]
fn what_the_repository_keeps_is_taken_from_it() {
    let text = r#"
[[generation]]
game = "shogi"
generation = 2
accepted = true
commands = [
  "git show 0123abcd:nets/shogi.nnz > old.nnz",
  "nue net unpack old.nnz -o old.bin",
  "git show 0123abcd:nets/shogi-teacher.nuedf > t1.nuedf",
  "python -m nue_trainer deep --nue nue --data g.teacher --out t2.nuedf --init t1.nuedf   # 9 positions read",
  "python -m nue_trainer half --net t2.nuedf --out half.nuedf",
  "git show --help > old.nnz",
  "git show 0123abcd:nets/shogi.nnz",
]
"#;
    let ledger: Ledger = text.parse().unwrap();
    let there = |path: &Path| path == Path::new("g.teacher");
    let plan = Plan::new(&ledger, &ledger.generations[0], None, &there, &|_| false).unwrap();
    assert_eq!(missing(&plan), []);
    // What was a net before and is only unpacked is none that the entry made.
    assert_eq!(plan.nets().collect::<Vec<_>>(), [Path::new("half.nuedf")]);
    let told: Vec<String> = plan.steps.iter().map(|p| format!("{:?}", p.step.repeats)).collect();
    for (n, words) in
        ["Exactly", "Exactly", "Exactly", "9 positions read", "Exactly", "Never", "Never"]
            .iter()
            .enumerate()
    {
        assert!(told[n].contains(words), "{n}: {}", told[n]);
    }
    assert_eq!(plan.steps[2].role, Role::Net, "{plan}");
}

/// Whoever has the repository of a ledger has the nets that lie in its history.
#[cfg(unix)]
#[test]
fn a_kept_net_is_fetched_where_the_ledger_lies() {
    use std::process::Command;
    use std::sync::atomic::AtomicBool;
    let place = tempfile::tempdir().unwrap();
    let repository = place.path().join("repository");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.example"]).args(words);
        assert!(git.current_dir(&repository).status().unwrap().success(), "{words:?}");
    };
    fs::create_dir(&repository).unwrap();
    git(&["init", "-q"]);
    fs::write(repository.join("kept.nnz"), b"of before").unwrap();
    let entry = "[[generation]]\ngame = 'shogi'\ngeneration = 1\naccepted = true\n\
        commands = ['git show HEAD:kept.nnz > old.bin', 'nue net import old.bin -o new.bin']\n";
    fs::write(repository.join("ledger.toml"), entry).unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "kept"]);
    fs::write(repository.join("kept.nnz"), b"of now").unwrap();
    let repetition = Repetition {
        ledger: repository.join("ledger.toml"),
        entry: "shogi 1".to_owned(),
        folder: place.path().join("again"),
        openings: None,
        program: "true".into(),
        python: "python".into(),
    };
    let verdict = repetition.run(&AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_eq!(verdict, Verdict::Another("none was made".to_owned()));
    assert_eq!(fs::read(repetition.folder.join("old.bin")).unwrap(), b"of before");
}

/// The ledger of the shipped nets can be planned, every entry of it: each command can be run, and
/// each file that one needs is made by another, but for the net of other people that measures.
#[test]
fn every_file_of_our_own_ledger_is_made_by_a_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets/ledger.toml");
    let ledger: Ledger = fs::read_to_string(path).unwrap().parse().unwrap();
    let mut steps = Vec::new();
    for entry in &ledger.generations {
        let name = full_name(entry);
        let found = find(&ledger, &name).unwrap();
        let plan = Plan::new(&ledger, found, None, &|_| false, &|_| false).unwrap();
        assert_eq!(plan.steps.len(), entry.commands.len());
        for Missing { path, makers } in &plan.missing {
            assert!(!makers.is_empty(), "{name}: nobody makes {}", path.display());
        }
        steps.extend(plan.steps.into_iter().map(|planned| (name.clone(), planned.step)));
    }
    let made: Vec<PathBuf> =
        steps.iter().flat_map(|(_, step)| step.writes.iter().cloned()).collect();
    for (name, step) in &steps {
        assert!(step.runs(), "{name}: {:?}: {}", step.repeats, step.text);
        let played = !step.is(&["gen"]) || step.value(&["--minutes", "--seconds"]).is_none();
        assert!(played, "{name}: games by the clock: {}", step.text);
        // The net inside the executable is another one after every generation.
        let named = !step.is(&["gen"]) || step.value(&["--net"]).is_some();
        assert!(named, "{name}: games by whatever net is shipped: {}", step.text);
        for path in step.reads.iter().filter(|path| **path != *Path::new("kp256.bin")) {
            assert!(made.contains(path), "{name}: nobody makes {}", path.display());
        }
    }
}
