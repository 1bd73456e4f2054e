use super::*;

/// Files, nets and position keys were made with these numbers: they may never change.
#[test]
fn every_stream_is_fixed_for_all_time() {
    let take = |mut rng: Rng, n: usize| (0..n).map(|_| rng.bits()).collect::<Vec<_>>();
    // As published with the algorithm.
    let published =
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!(take(Rng::new(1_234_567), 3), published);
    let purpose = [2_445_543_825_638_632_404, 11_763_574_377_405_799_433];
    assert_eq!(take(Rng::for_purpose(1, &[2, 3]), 2), purpose);
    let split = [10_806_029_071_124_908_072, 9_796_541_800_661_259_659];
    assert_eq!(take(Rng::new(7).split(3), 2), split);

    let mut rng = Rng::new(42);
    assert_eq!([(); 6].map(|()| rng.below(1000)), [741, 159, 278, 344, 38, 868]);
    let mut rng = Rng::new(42);
    assert_eq!([(); 2].map(|()| rng.unit()), [0.741_564_878_771_823_3, 0.159_910_392_876_920_1]);
    let mut rng = Rng::new(42);
    assert_eq!([(); 2].map(|()| rng.signed_unit()), [0.483_129_74, -0.680_179_24]);
    let mut list = [0, 1, 2, 3, 4, 5, 6, 7];
    Rng::new(42).shuffle(&mut list);
    assert_eq!(list, [4, 3, 2, 0, 7, 6, 1, 5]);
}

#[test]
fn tables_can_be_made_at_compile_time() {
    const FIRST: u64 = Rng::new(1_234_567).bits();
    assert_eq!(FIRST, 6_457_827_717_110_365_317);
}

#[test]
fn numbers_stay_in_their_range_and_reach_all_of_it() {
    let mut rng = Rng::for_purpose(1, &[2, 3]);
    let mut counts = [0; 6];
    for _ in 0..6000 {
        counts[rng.below(6)] += 1;
        assert!((0.0..1.0).contains(&rng.unit()));
        let positive = rng.positive_unit();
        assert!(positive > 0.0 && positive <= 1.0);
        assert!((-1.0..1.0).contains(&rng.signed_unit()));
    }
    assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
    assert_eq!(rng.below(0), 0);
}

#[test]
fn shuffling_keeps_everything_and_depends_on_the_seed() {
    let order = |seed| {
        let mut list: Vec<u32> = (0..100).collect();
        Rng::new(seed).shuffle(&mut list);
        list
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let mut sorted = order(1);
    sorted.sort_unstable();
    assert_eq!(sorted, (0..100).collect::<Vec<_>>());
}

#[test]
fn streams_of_one_seed_differ() {
    let split = (0..1000).map(|i| Rng::new(9).split(i).bits());
    let purposes = (0..1000).map(|i| Rng::for_purpose(9, &[i]).bits());
    assert_eq!(split.collect::<std::collections::BTreeSet<_>>().len(), 1000);
    assert_eq!(purposes.collect::<std::collections::BTreeSet<_>>().len(), 1000);
}

/// As published with the algorithm; proofs, journals and lists of games have been written with it.
#[test]
fn the_hash_of_what_is_stored_is_fixed_for_all_time() {
    for (text, hash) in
        [("", FNV1A_START), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
    {
        assert_eq!(fnv1a(text.bytes()), hash, "{text:?}");
    }
}
