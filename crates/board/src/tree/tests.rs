use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn view(record: &Record) -> Value {
    json!(super::view(record, Scales::default()))
}

fn read(bytes: &[u8], name: &str, variant: Option<&str>) -> Result<Value, ApiError> {
    super::read(bytes, name, variant, Scales::default()).map(|trees| json!(trees))
}

const KIF: &str = "手合割：平手\n先手：あ\n後手：い\n手数----指手---------消費時間--\n\
    *開始前\n   1 ７六歩(77)   ( 0:12/00:00:12)\n   2 ３四歩(33)   ( 0:03/00:00:03)\n*よい手\n\
    3 ２六歩(27)   ( 0:01/00:00:13)\n   4 投了\n\n変化：3手\n   3 ６六歩(67)   ( 0:02/00:00:14)\n";

fn tree(text: &str) -> Value {
    read(text.as_bytes(), "paste", None).unwrap()["games"][0].clone()
}

fn resolved(value: &Value) -> Result<Record, ApiError> {
    let sent: SentTree =
        serde_json::from_value(value.clone()).map_err(|e| ApiError::bad(e.to_string()))?;
    sent.resolve()
}

#[test]
fn a_record_becomes_a_flat_tree() {
    let told = read(KIF.as_bytes(), "a.kif", None).unwrap();
    assert_eq!(told["format"], "kif");
    let tree = &told["games"][0];
    assert_eq!((&tree["black"], &tree["handicap"]), (&json!("あ"), &json!("even")));
    let nodes = tree["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 6);
    assert_eq!(nodes[0]["comments"], json!(["開始前"]));
    assert_eq!(nodes[2]["comments"], json!(["よい手"]));
    assert_eq!((&nodes[1]["move"], &nodes[1]["ms"]), (&json!("7g7f"), &json!(12_000)));
    assert_eq!(nodes[4]["end"], json!({ "reason": "resign", "winner": "black" }));
    assert_eq!((&nodes[5]["parent"], &nodes[5]["move"]), (&json!(2), &json!("6g6f")));
}

#[test]
fn trees_return_as_they_went_in_every_format_that_holds_them() {
    let first = tree(KIF);
    let record = resolved(&first).unwrap();
    assert_eq!(view(&record), first);
    for format in ["kif", "ki2", "jkf", "csa", "usi"] {
        let file = write(&record, format, None).unwrap();
        let again = read(&file.bytes, &format!("x.{}", file.extension), None).unwrap();
        assert_eq!(again["format"], format);
        assert_eq!(again["games"][0]["nodes"][1]["move"], "7g7f");
        if format == "kif" || format == "jkf" {
            assert_eq!(again["games"][0]["nodes"], first["nodes"], "{format}");
            assert_eq!(file.losses, "");
        }
    }
    assert_ne!(write(&record, "usi", None).unwrap().losses, "");
    let sjis = write(&record, "kif", Some("shift_jis")).unwrap();
    assert!(String::from_utf8(sjis.bytes.clone()).is_err());
    assert_eq!(read(&sjis.bytes, "x.kif", None).unwrap()["games"][0]["black"], "あ");
}

#[test]
fn evaluations_travel() {
    let mut tree = tree(KIF);
    tree["nodes"][1]["eval"] = json!({ "score": { "cp": -35 }, "winrate": 0.4854, "depth": 9,
        "nodes": 1234, "pv": ["3c3d", "2g2f"] });
    tree["nodes"][2]["eval"] =
        json!({ "score": { "mate": -5, "winner": "white" }, "winrate": 0.0 });
    let record = resolved(&tree).unwrap();
    assert_eq!(view(&record)["nodes"][1]["eval"], tree["nodes"][1]["eval"]);
    for format in ["kif", "csa", "jkf"] {
        let file = write(&record, format, None).unwrap();
        let again = read(&file.bytes, "x", None).unwrap();
        assert_eq!(
            again["games"][0]["nodes"][1]["eval"]["score"],
            json!({ "cp": -35 }),
            "{format}"
        );
        assert_eq!(again["games"][0]["nodes"][2]["eval"]["score"]["mate"], -5, "{format}");
    }
}

#[test]
fn positions_and_minishogi() {
    let mini = read(b"rbsgk/4p/5/P4/KGSBR b - 1", "", Some("minishogi")).unwrap();
    assert_eq!(mini["games"][0]["variant"], "minishogi");
    let line = read(b"position startpos moves 5d5c", "", Some("minishogi")).unwrap();
    assert_eq!(line["games"][0]["nodes"][1]["move"], "5d5c");
    let problem = read("4k4/9/4P4/9/9/9/9/9/9 b G 1".as_bytes(), "", None).unwrap();
    assert_eq!(problem["games"][0]["nodes"].as_array().unwrap().len(), 1);
    let record = resolved(&problem["games"][0]).unwrap();
    assert_eq!(write(&record, "sfen", None).unwrap().bytes, b"4k4/9/4P4/9/9/9/9/9/9 b G 1\n");
}

#[test]
fn what_is_no_record_is_said() {
    for text in ["", "hello", "\u{0}\u{1}"] {
        let code = read(text.as_bytes(), "", None).unwrap_err().code;
        assert_eq!(code, ErrorCode::Unreadable, "{text:?}");
    }
    let record = resolved(&tree(KIF)).unwrap();
    assert_eq!(write(&record, "pdf", None).unwrap_err().code, ErrorCode::BadRequest);
    assert_eq!(write(&record, "kif", Some("utf-7")).unwrap_err().code, ErrorCode::BadRequest);
}

#[test]
fn many_games_are_cut() {
    let text = "7g7f 3c3d\n".repeat(GAMES + 7);
    let told = read(text.as_bytes(), "x.usi", None).unwrap();
    assert_eq!(told["games"].as_array().unwrap().len(), GAMES);
    assert_eq!(told["left_out"], 7);
}

#[test]
fn broken_trees_are_refused() {
    for (nodes, code) in [
        (json!([{ "parent": 0 }]), ErrorCode::BadRequest),
        (json!([{ "parent": null }, { "parent": null }]), ErrorCode::BadRequest),
        (json!([{ "parent": null }, { "parent": 1, "move": "7g7f" }]), ErrorCode::BadRequest),
        (json!([{ "parent": null }, { "parent": 0, "move": "7g7e" }]), ErrorCode::IllegalMove),
        (json!([{ "parent": null }, { "parent": 0 }]), ErrorCode::BadRequest),
        (
            json!([{ "parent": null }, { "parent": 0, "end": { "reason": "?" } }]),
            ErrorCode::BadRequest,
        ),
        (
            json!([{ "parent": null }, { "parent": 0, "end": { "reason": "resign" } }, { "parent": 1, "move": "7g7f" }]),
            ErrorCode::BadRequest,
        ),
        (Value::from(vec![json!({ "parent": null }); NODES + 1]), ErrorCode::TooLarge),
    ] {
        assert_eq!(resolved(&json!({ "nodes": nodes })).unwrap_err().code, code);
    }
    assert!(resolved(&json!({ "nodes": [{ "parent": null }] })).unwrap().is_empty());
    assert!(resolved(&json!({})).is_err());
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>(), name in ".{0,8}") {
        let _ = read(&bytes, &name, None);
    }

    #[test]
    fn no_comment_breaks_a_record(comment in any::<String>(), name in any::<String>()) {
        let tree = json!({ "black": name, "headers": [[name, comment]], "nodes": [
            { "parent": null, "comments": [comment], "bookmark": name },
            { "parent": 0, "move": "7g7f", "comments": [comment] },
        ] });
        let record = resolved(&tree).unwrap();
        for format in ["kif", "ki2", "csa", "jkf", "usi"] {
            let file = write(&record, format, None).unwrap();
            let again = read(&file.bytes, &format!("x.{format}"), None).unwrap();
            prop_assert_eq!(&again["games"][0]["nodes"][1]["move"], "7g7f");
        }
    }
}
