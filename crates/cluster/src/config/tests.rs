use super::*;
use proptest::prelude::*;

const WHOLE: &str = r#"
name = "Team"
margin = 300
log = "games.jsonl"

[ponder]
predictor = "seer"
replies = 6

[[child]]
name = "ab"
inside = "alphabeta"
options = { Threads = 2, EvalDir = "material", USI_Ponder = true }

[[child]]
name = "yane"
program = "./engine --fast 'a b'"
dir = "/opt/engine"
scale = 450
weight = 0.8

[[child]]
name = "far"
ssh = "me@gpu"
program = "nue"

[[child]]
name = "tls"
tcp = "host.example:4090"
token_file = "token"
ca = "cert.pem"

[[child]]
name = "seer"
role = "predictor"
inside = "puct"

[[child]]
name = "judge"
role = "arbiter"
inside = "puct"

[[group]]
name = "first"
children = ["ab", "yane"]
arbiter = "judge"

[[group]]
name = "second"
children = ["far", "tls"]
consult = "switch"
[[group.switch]]
child = "far"
to_ply = 40
phase = "opening"
[[group.switch]]
child = "tls"
from_win_rate = 20.5
"#;

#[test]
fn a_file_survives_being_written_and_read() {
    let config = Config::parse(WHOLE).unwrap();
    assert_eq!(config.children.len(), 6, "an engine inside leads: no guard is added");
    let again = Config::parse(&config.to_toml().unwrap()).unwrap();
    assert_eq!(again, config);
    assert_eq!(config.children[0].options["Threads"], OptionValue::Number(2));
    assert_eq!(config.groups[1].switches[0].phase, Some(Phase::Opening));
}

#[test]
fn files_are_loaded_with_the_folder_they_lie_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("team.toml");
    std::fs::write(&path, WHOLE).unwrap();
    let (config, from) = load(Some(&path)).unwrap();
    assert_eq!((config, from.as_path()), (Config::parse(WHOLE).unwrap(), folder.path()));
    std::fs::write(&path, "[[child]]\nname = 7\n").unwrap();
    let error = load(Some(&path)).unwrap_err().to_string();
    assert!(error.contains("team.toml: line 2: "), "{error}");
    assert_eq!(load(None).unwrap().0.name, "Nue duo");
}

#[test]
fn what_goes_without_saying_is_added() {
    let text =
        "[[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"y\"\n";
    let config = Config::parse(text).unwrap();
    assert_eq!(config.groups[0].children, ["a", "b"]);
    assert_eq!((config.children[2].name.as_str(), config.children[2].role), ("guard", Role::Guard));
    let config = Config::parse(&format!("{text}[ponder]\npredictor = \"a\"\n")).unwrap();
    assert_eq!(config.groups.len(), 2, "who ponders ponders alone unless groups are named");
    assert_eq!(Config::parse(&config.to_toml().unwrap()).unwrap(), config);
    for threads in [1, 2, 16] {
        let duo = preset::duo(threads).unwrap();
        assert!(duo.children[0].weight > duo.children[1].weight, "alpha-beta decides");
        assert_eq!(Config::parse(&duo.to_toml().unwrap()).unwrap(), duo);
    }
}

/// What is said about a file, after a child that is as it should be.
fn refused(text: &str) -> String {
    let text = format!("[[child]]\nname = \"a\"\nprogram = \"x\"\n{text}");
    Config::parse(&text).expect_err(&text).to_string()
}

#[test]
fn errors_name_the_line_and_the_value() {
    for (text, wanted) in [
        ("[[child]]\nname = \"b\"\n", "line 5: child \"b\": say where it runs by exactly one"),
        ("[[child]]\nname = \"b c\"\ninside = \"puct\"", "line 5: child \"b c\": a name has"),
        ("[[child]]\nname = \"A\"\ninside = \"puct\"", "line 5: child \"A\": the name is taken"),
        ("[[child]]\nname = \"b\"\ninside = \"mcts\"", "line 6: unknown variant `mcts`"),
        ("[[child]]\nname = \"b\"\nprogram = \"x 'y\"", "line 6: child \"b\": program: unbalanced"),
        (
            "[[child]]\nname = \"b\"\nprogram = \"x\"\nssh = \"-oX\"",
            "ssh is user@host, not \"-oX\"",
        ),
        ("[[child]]\nname = \"b\"\ninside = \"puct\"\nssh = \"h\"", "needs program beside it"),
        ("[[child]]\nname = \"b\"\ninside = \"puct\"\nscale = 0", "line 7: child \"b\": scale = 0"),
        (
            "[[child]]\nname = \"b\"\ntcp = \"host\"",
            "line 6: child \"b\": tcp is host:port, not \"host\"",
        ),
        ("[[child]]\nname = \"b\"\ntcp = \"h:0\"", "tcp is host:port"),
        ("[[child]]\nname = \"b\"\ntcp = \"h:1\"", "tcp needs token_file"),
        ("[[child]]\nname = \"b\"\ntcp = \"h:1\"\ntoken_file = \"t\"", "unencrypted"),
        (
            "[[child]]\nname = \"b\"\ninside = \"puct\"\ntokens = 1",
            "line 7: unknown field `tokens`",
        ),
        (
            "[[group]]\nname = \"g\"\nchildren = [\"a\", \"z\"]",
            "line 6: group \"g\": \"z\" is not a child",
        ),
        ("[[group]]\nname = \"g\"\nchildren = [\"a\", \"a\"]", "\"a\" is in a group already"),
        ("[[group]]\nname = \"g\"\nchildren = []", "line 6: group \"g\": children = []"),
        (
            "[[group]]\nname = \"g\"\nchildren = [\"a\"]\nconsult = \"vote\"",
            "unknown variant `vote`",
        ),
        ("[[group]]\nname = \"g\"\nchildren = [\"a\"]\nconsult = \"switch\"", "belong together"),
        ("[[group]]\nname = \"g\"\nchildren = [\"a\"]\narbiter = \"a\"", "role \"arbiter\""),
        ("[ponder]\npredictor = \"nobody\"", "line 5: ponder: predictor \"nobody\" is not a child"),
        ("[ponder]\npredictor = \"a\"\nreplies = 0", "line 6: ponder: replies = 0"),
        ("margin = ", "line 4"),
        ("[[child]]\nname = 7", "line 5: invalid type: integer `7`"),
        ("[[child]]\nname = \"b\"\ninside = \"puct\"\noptions = { X = \"a\\nb\" }", "line end"),
    ] {
        let got = refused(text);
        assert!(got.contains(wanted), "{got:?} does not say {wanted:?}");
        assert!(got.starts_with("line "), "{got}");
    }
    assert!(Config::parse("").unwrap_err().to_string().contains("no [[child]]"));
    let nobody = "[[child]]\nname = \"a\"\nprogram = \"x\"\nrole = \"mate\"\n";
    assert!(Config::parse(nobody).unwrap_err().to_string().contains("nobody would move"));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".*", cut in 0usize..1000) {
        let _ = Config::parse(&text);
        let cut = WHOLE.char_indices().map(|(i, _)| i).nth(cut).unwrap_or(WHOLE.len());
        let _ = Config::parse(&format!("{}{text}", &WHOLE[..cut]));
    }
}
