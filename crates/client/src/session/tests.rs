//! The client in virtual time, against a server played by hand and against our own room.

mod connection;

use super::*;
use csa::{ReasonWord, TimeRule};
use engines::PlayerEvent;
use rules::{AnyPosition, Move};
use server::conditions::Conditions;
use server::room::{Effect, Room};
use std::sync::Arc;
use think::{Answer, Best, Bound, Info, Score};

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn settings() -> SessionSettings {
    SessionSettings {
        name: "nue".to_owned(),
        password: "pw".to_owned(),
        comments: true,
        ponder: true,
        games: Some(1),
        challenge: false,
        keep_alive: s(60),
        margin: ms(200),
    }
}

fn answer(id: u64, answer: Answer, ponder: Option<Move>) -> PlayerEvent {
    PlayerEvent::Best(id, Best { answer, ponder })
}

fn summary(us: Color, moves: &[(&str, u64)], rule: TimeRule) -> String {
    let conditions = Arc::new(Conditions::plain("g", ["nue", "other"], rule));
    let moves: Vec<(String, Duration)> =
        moves.iter().map(|(m, t)| ((*m).to_owned(), s(*t))).collect();
    let stored = moves.iter().map(|(text, time)| (text.as_str(), *time));
    let room = Room::restore(Arc::clone(&conditions), None, stored, [0; 2]).unwrap();
    conditions.summary(us, room.played(), &[]).to_string()
}

/// The session, its time, what it has sent, and its last request.
struct Player {
    session: Session,
    now: Moment,
    sent: Vec<String>,
    request: Option<SearchRequest>,
    /// The request is to be answered now.
    due: bool,
    other: Vec<Action>,
}

impl Player {
    fn new(settings: SessionSettings) -> Self {
        let mut player = Self {
            session: Session::new(settings),
            now: s(10),
            sent: Vec::new(),
            request: None,
            due: false,
            other: Vec::new(),
        };
        let actions = player.session.connected(player.now);
        player.take(actions);
        player.lines("LOGIN:nue OK");
        player
    }

    fn playing(us: Color, moves: &[(&str, u64)], rule: TimeRule) -> Self {
        let mut player = Self::new(settings());
        player.lines(&summary(us, moves, rule));
        player.engine(PlayerEvent::Ready);
        player.lines("START:g");
        player.sent.clear();
        player
    }

    fn take(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(line) => self.sent.push(line),
                Action::Think(request) => {
                    self.due = !request.ponder;
                    self.request = Some(*request);
                }
                Action::PonderHit(_) => {
                    self.due = true;
                    self.other.push(action);
                }
                other => self.other.push(other),
            }
        }
    }

    fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            let actions = self.session.line(line, self.now);
            self.take(actions);
        }
    }

    fn engine(&mut self, event: PlayerEvent) {
        let actions = self.session.engine(event, self.now);
        self.take(actions);
    }

    fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.session.next_wake().filter(|&at| at <= end) {
            self.now = at.max(self.now);
            let actions = self.session.wake(self.now);
            self.take(actions);
        }
        self.now = end;
    }

    fn best(&mut self, best: &str, ponder: Option<&str>) {
        let request = self.request.clone().expect("a request");
        let m = request.position.parse_usi(best).unwrap();
        let mut after = request.position.clone();
        after.play(m);
        let ponder = ponder.map(|text| after.parse_usi(text).unwrap());
        self.engine(answer(request.id, Answer::Move(m), ponder));
    }

    fn sent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sent)
    }

    fn did(&self, what: &str) -> bool {
        self.other.iter().any(|action| format!("{action:?}").starts_with(what))
    }
}

#[test]
fn login_agreement_and_the_first_move() {
    let mut player = Player::new(settings());
    assert_eq!(player.sent(), ["LOGIN nue pw"]);
    player.lines(&summary(Color::Black, &[], TimeRule::fischer(300, 10)));
    assert!(player.sent().is_empty(), "not before the engine is ready");
    player.engine(PlayerEvent::Ready);
    assert_eq!(player.sent(), ["AGREE g"]);
    player.lines("START:g");
    let request = player.request.clone().unwrap();
    let clocks = request.clocks.unwrap();
    assert_eq!((clocks.time(Color::Black), clocks.increment(Color::Black)), (ms(299_500), s(10)));
    let line = vec![
        request.position.parse_usi("7g7f").unwrap(),
        Move::from_usi(Game::Shogi, "3c3d").unwrap(),
    ];
    let score = Some((Score::Cp(42), Bound::Exact));
    player.engine(PlayerEvent::Report(request.id, Info { score, pv: line, ..Info::default() }));
    player.best("7g7f", Some("3c3d"));
    assert_eq!(player.sent(), ["+7776FU,'* 42 -3334FU"]);
}

#[test]
fn a_predicted_move_is_a_ponder_hit_with_new_clocks() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::fischer(300, 10));
    player.best("7g7f", Some("3c3d"));
    let asked = player.request.clone().unwrap().id;
    player.now += s(3);
    player.lines("+7776FU,T3");
    let ponder = player.request.clone().unwrap();
    assert!(ponder.ponder && ponder.id > asked);
    assert_eq!(ponder.position.ply(), 3);
    player.lines("-3334FU,T5");
    assert!(player.did("PonderHit"));
    assert_eq!(player.request.clone().unwrap().id, ponder.id, "no new request");
    player.best("2g2f", None);
    assert_eq!(player.sent().last().unwrap(), "+2726FU");
}

#[test]
fn another_move_is_a_new_question_and_late_answers_are_let_pass() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::fischer(300, 10));
    player.best("7g7f", Some("3c3d"));
    player.lines("+7776FU,T3\n-8384FU,T1");
    let request = player.request.clone().unwrap();
    assert!(!request.ponder);
    player.sent();
    let stale = answer(request.id - 1, Answer::Resign, None);
    player.engine(stale);
    assert!(player.sent().is_empty());
    player.best("2g2f", None);
    assert_eq!(player.sent(), ["+2726FU"]);
}

#[test]
fn an_engine_that_answers_while_it_should_ponder_is_taken_at_its_word() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::fischer(300, 10));
    player.best("7g7f", Some("3c3d"));
    player.lines("+7776FU,T3");
    player.sent();
    player.best("2g2f", None);
    assert!(player.sent().is_empty(), "it is not our turn");
    player.lines("-3334FU,T5");
    assert_eq!(player.sent(), ["+2726FU"]);
}

#[test]
fn two_lines_in_one_packet_and_zero_seconds() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 0));
    player.best("7g7f", None);
    player.lines("+7776FU,T0\n-3334FU,T0");
    assert_eq!(player.request.clone().unwrap().position.ply(), 3);
}

#[test]
fn an_engine_that_does_not_answer_is_stopped_and_then_done_without() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(10, 0));
    let line = vec![Move::from_usi(Game::Shogi, "2g2f").unwrap()];
    let search_id = player.request.clone().unwrap().id;
    player.engine(PlayerEvent::Report(search_id, Info { pv: line, ..Info::default() }));
    player.wait(ms(9_490));
    assert!(!player.did("Stop") && player.sent().is_empty());
    player.wait(ms(280));
    assert!(player.did("Stop") && player.sent().is_empty());
    player.wait(ms(20));
    assert_eq!(player.sent(), ["+2726FU"]);
    assert!(player.did("Restart"));
}

#[test]
fn an_engine_that_dies_costs_one_search_not_the_game() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 10));
    player.engine(PlayerEvent::Failed("it died".to_owned()));
    let sent = player.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].starts_with('+'), "{sent:?}");
    let text = sent[0].split(',').next().unwrap().to_owned();
    player.lines(&format!("{text},T0\n-8384FU,T1"));
    player.engine(PlayerEvent::Ready);
    assert!(!player.request.clone().unwrap().ponder);
    assert_eq!(player.request.clone().unwrap().position.ply(), 3);
}

#[test]
fn an_illegal_answer_is_not_sent() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 10));
    let search_id = player.request.clone().unwrap().id;
    let wrong = Move::from_usi(Game::Shogi, "7g7e").unwrap();
    player.engine(answer(search_id, Answer::Move(wrong), None));
    let sent = player.sent();
    assert!(sent.len() == 1 && sent[0].starts_with('+') && sent[0] != "+7775FU", "{sent:?}");
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 10));
    let search_id = player.request.clone().unwrap().id;
    player.engine(answer(search_id, Answer::Win, None));
    assert!(player.sent()[0].starts_with('+'), "no declaration that would lose");
}

#[test]
fn resignation_and_the_end() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 10));
    let search_id = player.request.clone().unwrap().id;
    player.engine(answer(search_id, Answer::Resign, None));
    assert_eq!(player.sent(), ["%TORYO"]);
    player.lines("%TORYO,T4\n#RESIGN\n#LOSE");
    assert!(player.did("Save") && player.did("GameOver(Some(Lose))"));
    assert_eq!(player.sent(), ["LOGOUT"], "one game was asked for");
    assert!(player.session.is_leaving());
    player.lines("LOGOUT:completed");
    assert!(player.did("Close(Done)"));
}

#[test]
fn a_game_taken_up_again_knows_its_clocks() {
    let moves = [("+7776FU", 20), ("-3334FU", 30)];
    let mut player = Player::new(settings());
    let text = summary(Color::Black, &moves, TimeRule::fischer(300, 10));
    player.lines(&text.replace("BEGIN Time", "Elapsed_Time:7\nBEGIN Time"));
    player.engine(PlayerEvent::Ready);
    player.lines("START:g");
    let clocks = player.request.clone().unwrap().clocks.unwrap();
    assert_eq!(clocks.time(Color::Black), s(290) - s(7) - ms(500));
    assert_eq!(clocks.time(Color::White), s(280));
}

#[test]
fn a_win_is_declared_as_soon_as_it_can_be() {
    let sfen = "+P+P+P+P+P+P+P2/K+P+P+P+P4/9/9/9/9/9/9/8k b 2B2R2G2S2P 1";
    let conditions = Conditions {
        start: AnyPosition::from_sfen(Game::Shogi, sfen).unwrap(),
        ..Conditions::plain("g", ["nue", "other"], TimeRule::seconds(60, 10))
    };
    let mut player = Player::new(settings());
    player.lines(&conditions.summary(Color::Black, &[], &[]).to_string());
    player.engine(PlayerEvent::Ready);
    player.sent();
    player.lines("START:g");
    assert_eq!(player.sent(), ["%KACHI"]);
}

#[test]
fn a_whole_game_of_two_clients_in_a_room() {
    let rule = TimeRule::fischer(60, 1);
    let conditions =
        Arc::new(Conditions { max_moves: Some(60), ..Conditions::plain("g", ["a", "b"], rule) });
    let mut room = Room::new(conditions, None);
    let mut players = [Player::new(settings()), Player::new(settings())];
    let mut now = s(10);
    let mut queue = room.propose(now);
    let mut choice = seed::Rng::new(1);
    for _ in 0..10_000 {
        for effect in std::mem::take(&mut queue) {
            if let Effect::Tell(to, text) = effect {
                let player = &mut players[to.index()];
                player.now = now;
                player.lines(&text);
            }
        }
        if room.finish().is_some() {
            break;
        }
        now += ms(300);
        for color in Color::BOTH {
            let player = &mut players[color.index()];
            player.now = now;
            player.engine(PlayerEvent::Ready);
            if player.due
                && let Some(request) = player.request.clone()
            {
                player.due = false;
                // Any move, and any guess at the reply.
                let moves = request.position.legal_moves();
                let m = moves[choice.below(moves.len())];
                let mut after = request.position.clone();
                after.play(m);
                let ponder = after.legal_moves().first().copied();
                player.engine(answer(request.id, Answer::Move(m), ponder));
            }
            for line in player.sent() {
                let line = ClientLine::parse(&line);
                if !matches!(line, ClientLine::Login { .. } | ClientLine::Logout) {
                    queue.extend(room.receive(color, &line, now));
                }
            }
        }
    }
    assert_eq!(room.finish().map(csa::record::Finish::reason), Some(ReasonWord::MaxMoves));
    assert!(players.iter().all(|p| p.did("Save") && p.did("GameOver(Some(Draw))")));
}

#[test]
fn the_engine_is_told_by_what_rules_a_game_is_played() {
    let mut player = Player::new(settings());
    let text = summary(Color::Black, &[], TimeRule::seconds(60, 0));
    let text = text.replace("To_Move:+", "To_Move:+\nMax_Moves:256\nEntering_King_Rule:CSARule24");
    player.lines(&text);
    let want = GameTerms { declaration: Declaration::Points24, max_moves: Some(256) };
    let told = player.other.iter().find_map(|action| match action {
        Action::Prepare(_, terms) => Some(*terms),
        _ => None,
    });
    assert_eq!(told, Some(want));
}

#[test]
fn a_try_is_played_and_not_declared() {
    let start = AnyPosition::from_sfen(Game::Shogi, "9/4K4/9/9/9/9/9/4k4/9 b - 1").unwrap();
    let rule = TimeRule::seconds(60, 0);
    let plain = Conditions::plain("g", ["nue", "other"], rule);
    let conditions = Conditions { start, declaration: Declaration::Try, ..plain };
    let mut player = Player::new(settings());
    player.lines(&conditions.summary(Color::Black, &[], &[]).to_string());
    player.engine(PlayerEvent::Ready);
    player.lines("START:g");
    player.sent();
    let id = player.request.clone().expect("the engine is asked: nothing is declared").id;
    player.engine(answer(id, Answer::Win, None));
    assert_eq!(player.sent(), ["+5251OU"]);
}

#[test]
fn a_slow_network_leaves_time_to_think() {
    let rule = TimeRule::seconds(0, 3);
    let mut player = Player::playing(Color::Black, &[], rule);
    // Our own moves take two seconds to come back.
    for (best, echo, reply) in
        [("7g7f", "+7776FU,T2", "-3334FU,T0"), ("2g2f", "+2726FU,T2", "-8384FU,T0")]
    {
        player.best(best, None);
        player.now += s(2);
        player.lines(echo);
        player.lines(reply);
        let clocks = player.request.as_ref().unwrap().clocks.unwrap();
        assert_eq!(clocks.byoyomi, s(2), "a third is kept, not all of it");
    }
    // Stopped with a moment to answer, and done without only later.
    player.other.clear();
    player.sent.clear();
    player.wait(ms(2050));
    assert!(matches!(player.other[..], [Action::Stop]), "{:?}", player.other);
    assert!(player.sent.is_empty());
    player.wait(ms(250));
    assert_eq!(player.sent.len(), 1, "a move is sent in time");
}
