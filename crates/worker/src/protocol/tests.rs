use super::*;

const SHAPE: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

fn answer(kind: Kind, number: u64, counts: [u32; 2], payload: &[u8]) -> Vec<u8> {
    let mut out = head(ANSWER, kind, number, counts);
    out.extend(payload);
    sealed(out)
}

fn introduction() -> String {
    format!(
        r#"{{"protocol":"nue-worker","version":2,"game":"minishogi","planes":"minishogi",
        "labels":"minishogi","bytes":{},"label_count":{},"about":"a net","batch":256}}"#,
        SHAPE.planes.bytes(),
        SHAPE.labels.count()
    )
    .replace('\n', "")
}

#[test]
fn an_introduction_says_who_it_is() {
    let line = introduction();
    let found = Introduction::parse(&line).unwrap();
    assert_eq!(found, Introduction { shape: SHAPE, about: "a net".to_owned(), batch: 256 });
    for (from, to, words) in [
        ("nue-worker", "other", "not an introduction"),
        ("\"version\":2", "\"version\":3", "speaks version 3"),
        ("\"game\":\"minishogi\"", "\"game\":\"go\"", "game is \"go\""),
        ("\"label_count\":", "\"label_count\":9", "labels for"),
        ("\"batch\":256", "\"batch\":0", "batch is 0"),
        ("\"about\"", "\"error\":\"no such file\",\"about\"", "it says: no such file"),
        ("{", "", "not an introduction"),
    ] {
        let error = Introduction::parse(&line.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn answers_fill_their_batch_and_nothing_else() {
    let mut batch = Batch::new(SHAPE, 2);
    batch.push(1, |_| {}, [5, 6].into_iter());
    batch.push(2, |_| {}, [7].into_iter());
    let mut payload: Vec<u8> =
        [0x3c00u16, 0xc000, 0x0000].iter().flat_map(|x| x.to_le_bytes()).collect();
    payload.extend([0.25f32, 0.5, 0.75, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    let bytes = answer(Kind::Batch, 9, [2, 3], &payload);
    let read = Answer::read(&mut &bytes[..]).unwrap();
    assert_eq!((read.kind, read.number), (Kind::Batch, 9));
    read.fill(&mut batch).unwrap();
    assert_eq!((batch.policy(0), batch.policy(1)), (&[1.0, -2.0][..], &[0.0][..]));
    assert_eq!(batch.value(0), Value { win: 0.25, draw: 0.5 });
    let mut other = Batch::new(SHAPE, 1);
    other.push(1, |_| {}, [5, 6].into_iter());
    let error = read.fill(&mut other).unwrap_err().to_string();
    assert_eq!(error, "it sent answers for 2 positions and 3 labels instead of 1 and 2");
    for length in 0..bytes.len() {
        assert!(matches!(Answer::read(&mut &bytes[..length]), Err(ProtocolError::Ended)));
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Answer::read(&mut &damaged[..]).is_err(), "{at}");
    }
}

#[test]
fn a_request_has_everything_and_a_checksum() {
    let mut batch = Batch::new(SHAPE, 2);
    batch.push(1, |planes| planes[0] = 3, [5, 6].into_iter());
    batch.push(2, |_| {}, [7].into_iter());
    let bytes = request(Kind::Batch, 4, Some(&batch));
    assert_eq!(bytes.len(), HEAD + 2 * SHAPE.planes.bytes() + 2 * 2 + 3 * 2 + 4);
    assert_eq!(bytes[HEAD], 3);
    let (body, sum) = bytes.split_at(bytes.len() - 4);
    assert_eq!(crc32fast::hash(body).to_le_bytes(), sum);
    assert_eq!(request(Kind::Ping, 4, None).len(), HEAD + 4);
    let text = answer(Kind::Error, 0, [5, 0], b"wrong");
    assert_eq!(Answer::read(&mut &text[..]).unwrap().text(), "wrong");
}
