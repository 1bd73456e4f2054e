//! What must hold however long and however often is searched.

use super::*;

/// Bytes of memory this process has, where the system tells.
fn resident() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Subtrees are given up thousands of times: neither what is accounted for nor what the process has
/// grows.
#[test]
fn memory_is_flat_however_often_it_is_recycled() {
    for (threads, share) in [("1", "0"), ("2", "40")] {
        let options = [("USI_Hash", "1"), ("UCT_Threads", threads), ("DNN_Cache_Share", share)];
        let mut engine = engine::<Shogi>(&options);
        // The first search takes what it needs.
        listen(&start(&mut engine, "startpos", nodes(20_000)));
        let tree = sound_tree(&mut engine);
        let (before, bytes) = (resident(), tree.arena.bytes());
        let recycled = tree.arena.lock().recycled;
        for _ in 0..3 {
            listen(&go(&mut engine, nodes(20_000)));
            sound_tree(&mut engine);
        }
        assert!(tree.arena.lock().recycled > recycled + 3000);
        assert_eq!(tree.arena.bytes(), bytes);
        if let (Some(before), Some(now)) = (before, resident()) {
            assert!(now < before + (1 << 20), "{before} bytes before, {now} after");
        }
    }
}

#[test]
fn any_stop_leaves_a_sound_tree() {
    for threads in ["1", "4"] {
        let habit = Habit { delay: Duration::from_micros(300), reorder: true };
        let backends: [Arc<dyn Backend>; 2] = [
            Arc::new(Hashed::new(shape(Game::Shogi), 1)),
            Arc::new(Later::new(shape(Game::Shogi), habit)),
        ];
        for backend in backends {
            let options = [("UCT_Threads", threads), ("DNN_Batch_Size", "8"), ("USI_Hash", "1")];
            let mut engine = engine_with::<Shogi>(backend, &options);
            for moment in 0..12u64 {
                let forever = Limits { infinite: true, ..Limits::default() };
                let said = start(&mut engine, "startpos", forever);
                thread::sleep(Duration::from_micros(moment * moment * 137));
                engine.control().stop();
                listen(&said);
                sound_tree(&mut engine);
            }
        }
    }
}

/// The best of a few, because others may be at work on the machine.
fn best_of(times: usize, mut measure: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| measure()).min().unwrap()
}

#[test]
fn a_stop_is_answered_within_twenty_milliseconds() {
    let mut engine = engine::<Shogi>(&[("USI_Hash", "64"), ("UCT_Threads", "2")]);
    let took = best_of(5, || {
        let said = start(&mut engine, "startpos", Limits { infinite: true, ..Limits::default() });
        thread::sleep(Duration::from_millis(60));
        let stopped = Instant::now();
        engine.control().stop();
        listen(&said);
        stopped.elapsed()
    });
    assert!(took < Duration::from_millis(20), "{took:?}");
}

/// Going on to the next move walks nothing: the rest is garbage, taken apart when it is needed.
#[test]
fn going_on_takes_less_than_a_millisecond() {
    let mut engine = engine::<Shogi>(&[("USI_Hash", "64")]);
    let took = best_of(3, || {
        listen(&start(&mut engine, "startpos", nodes(8000)));
        let tree = sound_tree(&mut engine);
        let line = engine_line(&tree);
        let moves: Vec<String> = line[..2].iter().map(|m| m.usi(Game::Shogi)).collect();
        engine.set_position(position::<Shogi>("startpos", &moves.join(" "))).unwrap();
        let begun = Instant::now();
        engine.memory_of_position();
        let took = begun.elapsed();
        let tree = sound_tree(&mut engine);
        assert!(tree.node(tree.root()).visits() > 10, "it went on");
        took
    });
    assert!(took < Duration::from_millis(1), "{took:?}");
}

#[test]
fn answers_nobody_asked_for_are_not_taken_for_others() {
    for threads in ["1", "3"] {
        let backend = Arc::new(Lying::new(shape(Game::Shogi), false));
        let mut engine =
            engine_with::<Shogi>(backend, &[("UCT_Threads", threads), ("DNN_Cache_Share", "0")]);
        listen(&start(&mut engine, "startpos", nodes(2000)));
        let tree = sound_tree(&mut engine);
        assert_eq!(tree.node(tree.root()).visits(), 2000);
    }
}

#[test]
fn a_net_that_says_nothing_it_was_asked_is_given_up() {
    let backend = Arc::new(Lying::new(shape(Game::Shogi), true));
    let mut engine = engine_with::<Shogi>(backend, &[("DNN_Cache_Share", "0")]);
    let limits = Limits { movetime: Some(Duration::from_secs(120)), ..Limits::default() };
    let begun = Instant::now();
    let (before, best) = listen(&start(&mut engine, "startpos", limits));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(matches!(best.answer, Answer::Move(_)));
    assert!(notes(&before).iter().any(|n| n.contains("was not asked")), "{before:?}");
    engine.wait();
}
