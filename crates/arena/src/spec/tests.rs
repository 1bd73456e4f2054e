use super::*;
use proptest::prelude::*;

fn spec(text: &str) -> Result<EngineSpec, String> {
    let pairs = pairs(text);
    EngineSpec::from_pairs(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())))
        .map_err(|e| e.to_string())
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn a_whole_specification() {
    let spec = spec(
        "cmd=bin/x,name=X,arg=-N,arg=1,dir=d,env.A=b=c,option.Threads=2,option.Book File=a\\,b,\
         tc=1:30+0.5,byoyomi=1s,nodes=2k,stall=3",
    )
    .unwrap();
    assert_eq!(spec.name, "X");
    let Launch::Process(command) = &spec.launch else { panic!("a process") };
    assert_eq!((command.program.as_str(), command.args.len()), ("bin/x", 2));
    assert_eq!(command.env, [("A".to_owned(), "b=c".to_owned())]);
    assert_eq!(spec.options[1], ("Book File".to_owned(), "a,b".to_owned()));
    assert_eq!(spec.threads(), 2);
    let clock = spec.control.clock.unwrap();
    assert_eq!((clock.main, clock.increment, clock.byoyomi), (ms(90_000), ms(500), ms(1000)));
    assert_eq!((spec.control.nodes, spec.stall), (Some(2000), Some(ms(3000))));
}

#[test]
fn names_and_defaults() {
    assert_eq!(spec("cmd=/usr/games/gpsusi,movetime=200").unwrap().name, "gpsusi");
    let own = spec("cmd=self,nodes=100").unwrap();
    assert_eq!((own.launch, own.name.as_str()), (Launch::Inside, "self"));
    assert_eq!(spec("cmd=x,tc=10,option.A=1,option.A=2").unwrap().options.len(), 1);
}

#[test]
fn a_margin_is_the_engines_own() {
    let margin = |text: &str| spec(text).unwrap().control.margin;
    assert_eq!(margin("cmd=x,movetime=5,margin=120"), Some(ms(120)));
    assert_eq!(margin("cmd=x,movetime=5,margin=1s"), Some(ms(1000)));
    assert_eq!(margin("cmd=x,movetime=5"), None);
    assert!(spec("cmd=x,movetime=5,margin=much").is_err());
}

#[test]
fn nothing_is_kept_back_for_a_network_unless_asked_for() {
    let told = |text: &str| {
        let rules = GameRules::default();
        let settings = spec(text).unwrap().settings(&[], rules);
        // What is asked for comes last, and counts.
        settings.optional.into_iter().chain(settings.options).collect::<Vec<_>>()
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let local = [pair("NetworkDelay", "0"), pair("NetworkDelay2", "10")];
    assert_eq!(told("cmd=self,byoyomi=1000"), local);
    let asked = told("cmd=self,byoyomi=1000,option.NetworkDelay2=500");
    assert_eq!(asked.last(), Some(&pair("NetworkDelay2", "500")));
}

#[test]
fn times_and_counts() {
    for (text, unit, want) in [
        ("500ms", SECOND, Some(500)),
        ("2s", MILLI, Some(2000)),
        ("1.5m", MILLI, Some(90_000)),
        ("200", MILLI, Some(200)),
        ("0.1", SECOND, Some(100)),
        ("0", SECOND, Some(0)),
        ("", SECOND, None),
        ("-1", SECOND, None),
        ("1e3", SECOND, None),
        ("inf", SECOND, None),
        ("99999999999999999999", SECOND, None),
    ] {
        assert_eq!(duration(text, unit), want.map(ms), "{text}");
    }
    for (text, want) in
        [("5", Some(5)), ("3k", Some(3000)), ("2M", Some(2_000_000)), ("0", None), ("x", None)]
    {
        assert_eq!(count(text), want, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (text, message) in [
        ("name=X", "an engine needs cmd=PROGRAM (or cmd=self for this program's own engine)"),
        ("cmd=x", "engine \"x\" has no limit: give tc, byoyomi, movetime, nodes or depth"),
        (
            "cmd=x,nodes=0",
            "nodes takes a whole number above 0, such as 5000, 100k or 2M, not \"0\"",
        ),
        ("cmd=x,movetime=0", "movetime takes a time above 0, such as 500ms, 2s or 5m, not \"0\""),
        ("cmd=x,byoyomi=0ms", "byoyomi takes a time above 0, such as 500ms, 2s or 5m, not \"0ms\""),
        ("cmd=x,tc=0", "tc takes a clock such as 10, 10+0.1 or 5:00+3 (seconds), not \"0\""),
        ("cmd=x,tc=5+", "tc takes a clock such as 10, 10+0.1 or 5:00+3 (seconds), not \"5+\""),
    ] {
        assert_eq!(spec(text).unwrap_err(), message);
    }
    assert!(spec("cmd=x,colour=red").unwrap_err().starts_with("unknown key \"colour\" (known: "));
    assert!(spec("cmd=x,option.=1").is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in ".*") {
        let _ = spec(&text);
        let _ = spec(&format!("cmd=x,tc={text},byoyomi={text}"));
    }

    #[test]
    fn escaped_values_come_back(value in ".+") {
        let text = format!("name={},cmd=x", escape(&value));
        prop_assert_eq!(pairs(&text)[0].clone(), ("name".to_owned(), value));
    }
}
