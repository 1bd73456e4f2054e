use super::*;
use rules::Move;
use seed::Rng;

/// A node: whether its side to move is in check, the nodes its moves lead to, and the values of moves
/// that lead out.
type Node<'a> = (bool, &'a [u32], &'a [i16]);

fn graph(nodes: &[Node<'_>]) -> Graph {
    let mut graph = Graph::new();
    for &(in_check, next, values) in nodes {
        let inner = next.iter().map(|&to| Edge { to, mv: Move::NONE, value: UNKNOWN });
        let outer = values.iter().map(|&value| Edge { to: OUTSIDE, mv: Move::NONE, value });
        graph.push(&inner.chain(outer).collect::<Vec<_>>(), in_check, false);
    }
    graph
}

fn solve(graph: &Graph, contempt: [i32; 2]) -> Values {
    Values::of(graph, Draws::of_contempt(contempt), &mut |_| ())
}

/// Value and depth of each node where draws are worth nothing.
fn values(nodes: &[Node<'_>]) -> Vec<(i16, u16)> {
    let graph = graph(nodes);
    let solved = solve(&graph, [0, 0]);
    (0..graph.len() as u32)
        .map(|node| {
            let value = solved.get(node, 0);
            assert!((1..4).all(|state| solved.get(node, state) == value), "node {node}");
            (value.value, value.depth)
        })
        .collect()
}

#[test]
fn a_chain_and_a_transposition() {
    assert_eq!(
        values(&[(false, &[1], &[]), (false, &[2], &[]), (false, &[], &[30, 10])]),
        [(30, 2), (-30, 1), (30, 0)]
    );
    // Two ways lead to the last node.
    assert_eq!(
        values(&[
            (false, &[1, 2], &[]),
            (false, &[3], &[]),
            (false, &[3], &[80]),
            (false, &[], &[50]),
        ]),
        [(50, 2), (-50, 1), (80, 0), (50, 0)]
    );
}

#[test]
fn a_circle_is_a_draw_unless_somebody_gains_by_leaving() {
    let circle = |escape: &'static [i16]| {
        values(&[(false, &[1], &[]), (false, &[2], &[]), (false, &[3], &[]), (false, &[0], escape)])
    };
    assert!(circle(&[]).iter().all(|&value| value == (0, CIRCLE)));
    assert!(circle(&[-40]).iter().all(|&value| value == (0, CIRCLE)), "nobody leaves for less");
    assert_eq!(circle(&[25]), [(-25, 3), (25, 2), (-25, 1), (25, 0)]);
}

#[test]
fn a_draw_is_worth_what_the_owner_thinks() {
    // Node 0 may leave for -60 or go in circles.
    let graph = graph(&[(false, &[1], &[-60]), (false, &[0], &[])]);
    let solved = solve(&graph, [50, 150]);
    let facts: Vec<i16> = (0..4).map(|state| solved.get(0, state).value).collect();
    // As owner: Black draws for -50, White rather leaves than draws for -150. Against the owner a
    // draw is a gain.
    assert_eq!(facts, [-50, 50, -60, 150]);
    assert_eq!(solved.get(0, 2).depth, 0);
    assert_eq!(solved.get(1, 3).value, 60);
}

#[test]
fn whoever_gives_check_for_ever_loses() {
    // Node 0 can only give check, node 1 is in check and can only go back.
    let lost = -MATE as i16;
    assert_eq!(values(&[(false, &[1], &[]), (true, &[0], &[])]), [(lost, CIRCLE), (-lost, CIRCLE)]);
    // With a way out it takes it, however bad.
    assert_eq!(values(&[(false, &[1], &[-900]), (true, &[0], &[])]), [(-900, 0), (900, 1)]);
    // A quiet move that also goes in circles is a draw.
    assert_eq!(
        values(&[(false, &[1, 2], &[-900]), (true, &[0], &[]), (false, &[0], &[])])
            .into_iter()
            .map(|(value, _)| value)
            .collect::<Vec<_>>(),
        [0, 0, 0]
    );
    // The side in check may leave for something better than being checked, but need not for worse.
    let held = values(&[(false, &[1], &[-100]), (true, &[0], &[-500])]);
    assert_eq!((held[0].0, held[1].0), (-100, 100));
}

#[test]
fn perpetual_checks_are_judged_by_colour() {
    // The same circle, the checks given by whoever moves at node 1.
    let lost = -MATE as i16;
    assert_eq!(values(&[(true, &[1], &[]), (false, &[0], &[])]), [(-lost, CIRCLE), (lost, CIRCLE)]);
    // Checks of both sides are a draw.
    assert_eq!(values(&[(true, &[1], &[]), (true, &[0], &[])]), [(0, CIRCLE), (0, CIRCLE)]);
}

#[test]
fn the_way_out_of_a_perpetual_check_may_be_far() {
    // 0 and 2 give check, 1 and 3 are in check; the only way out is at 2, and it is bad.
    let found =
        values(&[(false, &[1], &[]), (true, &[2], &[]), (false, &[3], &[-70]), (true, &[0], &[])]);
    assert_eq!(found.iter().map(|(value, _)| *value).collect::<Vec<_>>(), [-70, 70, -70, 70]);
    // The way out leads to a line of the book.
    let found = values(&[(false, &[1], &[]), (true, &[0, 2], &[]), (false, &[], &[-45])]);
    assert_eq!(found[1].0, MATE as i16, "who is in check need not leave");
}

#[test]
fn circles_lost_by_black() {
    let graph = graph(&[(false, &[1], &[-500]), (false, &[0], &[])]);
    let solved = Values::of(&graph, Draws::lost_by_black(), &mut |_| ());
    // Black leaves for anything; White goes on for ever.
    assert_eq!(solved.get(0, 0).value, -500);
    assert_eq!(i32::from(solved.get(0, 1).value), MATE);
    assert_eq!(i32::from(solved.get(1, 3).value), -MATE);
}

#[test]
fn of_equal_values_good_comes_soon_and_bad_late() {
    let found = values(&[
        (false, &[1, 2], &[]),
        (false, &[], &[-20]),
        (false, &[3], &[]),
        (false, &[4], &[]),
        (false, &[], &[-20]),
    ]);
    assert_eq!(found[0], (20, 1));
    let mut late = vec![(false, &[1u32, 2][..], &[][..]), (false, &[], &[20i16][..])];
    late.extend([(false, &[3u32][..], &[][..]), (false, &[4], &[]), (false, &[], &[20])]);
    assert_eq!(values(&late)[0], (-20, 3));
}

#[test]
fn unknown_leaves_are_no_losses() {
    let unknown = [UNKNOWN];
    // Nothing is known: nothing is claimed.
    assert_eq!(values(&[(false, &[1], &[]), (false, &[], &unknown)])[0].0, UNKNOWN);
    // What is known counts, and the value of a move stands where the node behind it says nothing.
    let mut graph = Graph::new();
    let edge = |to, value| Edge { to, mv: Move::NONE, value };
    graph.push(&[edge(1, 35), edge(OUTSIDE, UNKNOWN), edge(OUTSIDE, -10)], false, false);
    graph.push(&[edge(OUTSIDE, UNKNOWN)], false, false);
    let solved = solve(&graph, [0, 0]);
    assert_eq!((solved.get(0, 0).value, solved.get(1, 0).value), (35, UNKNOWN));
}

#[test]
fn a_line_of_three_hundred_plies_and_mates_that_come_nearer() {
    let next: Vec<[u32; 1]> = (1..=300).map(|node| [node]).collect();
    let mut nodes: Vec<Node<'_>> = next.iter().map(|next| (false, &next[..], &[][..])).collect();
    nodes.push((false, &[], &[77]));
    let found = values(&nodes);
    assert_eq!((found[0], found[1]), ((77, 300), (-77, 299)));
    let mut graph = Graph::new();
    let edge = |to| Edge { to, mv: Move::NONE, value: UNKNOWN };
    graph.push(&[edge(1)], false, false);
    graph.push(&[edge(2)], false, false);
    graph.push(&[], true, true);
    let solved = solve(&graph, [0, 0]);
    assert_eq!([0, 1, 2].map(|node| solved.get(node, 0).value), [-31_998, 31_999, -32_000]);
}

/// What a node is worth where a line ends in a draw after so many plies.
fn within(graph: &Graph, plies: usize) -> Vec<i16> {
    let mut values = vec![0; graph.len()];
    for _ in 0..plies {
        values = (0..graph.len() as u32)
            .map(|node| {
                let worth = |edge: &Edge| match edge.to {
                    OUTSIDE => edge.value,
                    to => -values[to as usize],
                };
                graph.edges(node).iter().map(worth).max().unwrap()
            })
            .collect();
    }
    values
}

#[test]
fn random_graphs_agree_with_counting_plies() {
    let mut rng = Rng::new(9);
    for round in 0..400 {
        let size = 2 + rng.below(9) as u32;
        let mut graph = Graph::new();
        for _ in 0..size {
            let mut edges = Vec::new();
            for _ in 0..1 + rng.below(3) {
                let to = rng.below(size as usize) as u32;
                edges.push(Edge { to, mv: Move::NONE, value: UNKNOWN });
            }
            if rng.below(2) == 0 {
                let value = rng.below(9) as i16 - 4;
                edges.push(Edge { to: OUTSIDE, mv: Move::NONE, value });
            }
            graph.push(&edges, false, false);
        }
        let solved = solve(&graph, [0, 0]);
        let found: Vec<i16> = (0..size).map(|node| solved.get(node, 0).value).collect();
        assert_eq!(found, within(&graph, 200), "round {round}: {graph:?}");
    }
}
