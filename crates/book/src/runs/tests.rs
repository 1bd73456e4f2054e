use super::*;
use crate::sample::random_entries;
use serde_json::json;

fn sorted(sorter: Sorter) -> Vec<Entry> {
    sorted_by(sorter, Combine::First)
}

fn sorted_by(sorter: Sorter, combine: Combine) -> Vec<Entry> {
    let mut entries = Vec::new();
    let make = |merged: Merged<'_>| {
        let mut part = Vec::new();
        merged.each(|_, entry| {
            part.push(entry);
            Ok(())
        })?;
        Ok(part)
    };
    let take = |part| {
        entries.extend(part);
        Ok(())
    };
    sorter.finish(combine, make, take).unwrap();
    entries
}

fn push(sorter: &mut Sorter, entries: &[Entry], place: Place) {
    let chunk = sorter.maker().chunk(entries).unwrap();
    sorter.push(chunk, place).unwrap();
}

#[test]
fn what_does_not_fit_is_sorted_all_the_same() {
    let entries = random_entries(Game::Shogi, 3000, 11);
    let mut mixed = entries.clone();
    seed::Rng::new(5).shuffle(&mut mixed);
    let folder = tempfile::tempdir().unwrap();
    for (memory, least, threads) in [(1 << 30, 0, 1), (1, 5, 1), (1, 5, 3), (1 << 18, 1, 2)] {
        let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), memory);
        sorter.set_threads(threads);
        for batch in mixed.chunks(70) {
            push(&mut sorter, batch, Place::default());
        }
        assert!(sorter.runs() >= least, "{} runs", sorter.runs());
        assert!(sorted(sorter) == entries, "memory {memory}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn many_runs_are_one() {
    let entries = random_entries(Game::Minishogi, 400, 12);
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(Format::Db, Game::Minishogi, folder.path(), 1 << 20);
    for batch in entries.rchunks(4) {
        push(&mut sorter, batch, Place::default());
        sorter.spill().unwrap();
    }
    assert_eq!(sorter.runs(), 100);
    let mut found = sorted(sorter);
    let texts: Vec<_> =
        found.iter().map(|e| crate::db::order_of(e, Game::Minishogi).unwrap()).collect();
    assert!(texts.is_sorted());
    found.sort_by_key(|entry| entry.key);
    assert!(found == entries);
}

#[test]
fn many_runs_are_put_together_before_the_end() {
    let entries = random_entries(Game::Shogi, 2000, 15);
    let mut mixed = entries.clone();
    seed::Rng::new(6).shuffle(&mut mixed);
    let folder = tempfile::tempdir().unwrap();
    // In disorder, and in order: then runs lie one behind the other.
    for (input, threads) in [(&mixed, 1), (&mixed, 3), (&entries, 2)] {
        let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), 1 << 20);
        sorter.set_threads(threads);
        sorter.most_runs = 4;
        for batch in input.chunks(15) {
            push(&mut sorter, batch, Place::default());
            sorter.spill().unwrap();
        }
        // 134 spilled: two of the third level, no more than three of each below.
        assert!(sorter.runs() <= 8, "{} runs", sorter.runs());
        assert!(sorted(sorter) == entries, "{threads} threads");
    }
}

#[test]
fn long_and_equal_entries_fit_whatever_is_held_of_a_run() {
    let entries = random_entries(Game::Shogi, 40, 16);
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), 1);
    let long = |length: usize| Some("x".repeat(length).into());
    for round in 0..300 {
        // One position again and again, many of it in one run; some of 100 KB.
        let mut batch: Vec<Entry> = entries[..round % 40].to_vec();
        batch.extend((0..20).map(|_| Entry { comment: long(200), ..entries[7].clone() }));
        if round % 50 == 3 {
            batch.push(Entry { comment: long(100_000), ..entries[39].clone() });
        }
        push(&mut sorter, &batch, Place::default());
    }
    assert!(sorter.runs() > 30, "{} runs", sorter.runs());
    let found = sorted(sorter);
    assert_eq!(found.len(), 40);
    assert!(found.iter().zip(&entries).all(|(found, entry)| found.key == entry.key));
    assert_eq!(found[7].comment.as_deref().map(str::len), Some(200), "it came first");
    assert_eq!(found[39].comment.as_deref().map(str::len), Some(100_000));
}

#[test]
fn a_position_a_thousand_times_takes_little_and_comes_to_the_same() {
    let mut entries = random_entries(Game::Shogi, 3, 17);
    // One says nothing of games, in an order that is not that of its values; one counts.
    for (entry, count) in entries.iter_mut().zip([0, 5, 0]) {
        entry.moves.reverse();
        entry.moves.iter_mut().for_each(|m| (m.count, m.wins, m.draws) = (count, 0, 0));
    }
    let folder = tempfile::tempdir().unwrap();
    for combine in Combine::ALL.map(|(_, combine)| combine) {
        let results = [1 << 30, 1].map(|memory| {
            let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), memory);
            sorter.most_runs = 4;
            for _ in 0..1000 {
                push(&mut sorter, &entries, Place::default());
                push(&mut sorter, &entries[..1], Place::default());
            }
            if memory == 1 {
                sorter.spill().unwrap();
                assert!((1000..1100).contains(&sorter.most()), "{} records", sorter.most());
            }
            sorted_by(sorter, combine)
        });
        assert_eq!(results[0].len(), 3);
        assert!(results[0] == results[1], "{combine:?}");
    }
}

#[test]
fn of_equals_the_first_comes_first_wherever_it_lies() {
    let [entry] = &random_entries(Game::Shogi, 1, 13)[..] else { panic!("one") };
    let folder = tempfile::tempdir().unwrap();
    for spilled in [&[][..], &[0], &[0, 1], &[0, 2], &[0, 1, 2]] {
        let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), 1 << 20);
        for number in 0..3 {
            let later = Entry { comment: Some(format!("{number}").into()), ..entry.clone() };
            push(&mut sorter, &[later], Place::default());
            if spilled.contains(&number) {
                sorter.spill().unwrap();
            }
        }
        let found = sorted(sorter);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].comment.as_deref(), Some("0"), "{spilled:?}");
    }
}

#[test]
fn a_later_process_goes_on_after_the_last_run() {
    let entries = random_entries(Game::Shogi, 900, 14);
    let folder = tempfile::tempdir().unwrap();
    let (file, plan) = (folder.path().join("sort"), json!({ "of": 1 }));
    let begin = |plan: &Value| {
        let mut sorter = Sorter::new(Format::Native, Game::Shogi, folder.path(), 1 << 30);
        let place = sorter.resume(&file, plan).unwrap();
        (sorter, place)
    };
    let place = |at| Place { at, positions: at, ..Place::default() };
    // Nothing was worth keeping: nothing is left.
    let (mut sorter, from) = begin(&plan);
    assert_eq!(from, Place::default());
    push(&mut sorter, &entries[..300], place(300));
    drop(sorter);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // Two runs, and entries that were in memory when it ended.
    let (mut sorter, _) = begin(&plan);
    for (first, end) in [(0, 300), (300, 600)] {
        push(&mut sorter, &entries[first..end], place(end as u64));
        sorter.spill().unwrap();
    }
    push(&mut sorter, &entries[600..700], place(700));
    drop(sorter);
    let (mut sorter, from) = begin(&plan);
    assert_eq!((from, sorter.runs()), (place(600), 2));
    push(&mut sorter, &entries[600..], place(900));
    // Put together now, and ended again.
    sorter.most_runs = 3;
    sorter.spill().unwrap();
    assert_eq!(sorter.runs(), 1);
    drop(sorter);
    let (sorter, from) = begin(&plan);
    assert_eq!((from, sorter.runs()), (place(900), 1));
    assert!(sorted(sorter) == entries);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
    // Another plan, or damage: from the beginning.
    for damage in [false, true] {
        let (mut sorter, _) = begin(&plan);
        push(&mut sorter, &entries[..300], place(300));
        sorter.spill().unwrap();
        drop(sorter);
        if damage {
            let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let largest = left.max_by_key(|path| path.metadata().unwrap().len()).unwrap();
            let mut bytes = std::fs::read(&largest).unwrap();
            bytes[1000] ^= 1;
            std::fs::write(&largest, bytes).unwrap();
        }
        let (sorter, from) = begin(&if damage { plan.clone() } else { json!({ "of": 2 }) });
        assert_eq!((from, sorter.runs()), (Place::default(), 0));
    }
}
