//! Reading one game of either format.

use super::head::Head;
use super::words;
use crate::error::{Located, Problem};
use crate::movetext::{self, NotAMove};
use crate::notation::MARKS;
use crate::record::{NodeId, Record};
use crate::replay::Builder;
use crate::termination::Termination;
use rules::Game;
use std::time::Duration;

/// A line of the tree being read: its first ply and its nodes.
struct Branch {
    first: u32,
    nodes: Vec<NodeId>,
}

impl Branch {
    /// The node after which step `ply` would come.
    fn before(&self, ply: u32) -> Option<NodeId> {
        if ply == 1 && self.first == 1 {
            return Some(NodeId::ROOT);
        }
        let index = ply.checked_sub(1)?.checked_sub(self.first)?;
        self.nodes.get(index as usize).copied()
    }
}

struct Reader {
    head: Head,
    default_game: Option<Game>,
    game: Option<Builder>,
    /// The main line and the variations that lead here.
    branches: Vec<Branch>,
    /// The number written before the first move, less one.
    offset: Option<u32>,
    /// What ended the line though it is no move that can be played, and its line. Another move after it
    /// tells that the text is damaged.
    foul: Option<Located>,
}

/// Reads the text of one game; `game` is taken where the text does not say.
pub(crate) fn read(text: &str, game: Option<Game>) -> Result<Record, Located> {
    let mut reader = Reader {
        head: Head::default(),
        default_game: game,
        game: None,
        branches: vec![Branch { first: 1, nodes: Vec::new() }],
        offset: None,
        foul: None,
    };
    for (number, line) in text.lines().enumerate() {
        reader.line(number, line)?;
    }
    if reader.game.is_none() && !reader.head.anything {
        return Err(Problem::Nothing.at(0));
    }
    reader.begin()?;
    reader.game.map(Builder::finish).ok_or(Problem::Nothing.at(0))
}

impl Reader {
    /// The game, its start position now final.
    fn begin(&mut self) -> Result<&mut Builder, Located> {
        if self.game.is_none() {
            let mut record = Record::new(self.head.start(self.default_game)?);
            record.headers = std::mem::take(&mut self.head.headers);
            let mut game = Builder::new(record);
            let root = game.node();
            root.comments = std::mem::take(&mut self.head.comments);
            root.remarks = std::mem::take(&mut self.head.remarks);
            root.bookmark = self.head.bookmark.take();
            self.game = Some(game);
        }
        // The branch above filled it.
        self.game.as_mut().ok_or(Problem::Nothing.at(0))
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Located> {
        if let Some(text) = line.strip_prefix('#') {
            if !names_the_writer(text) {
                self.remark(text);
            }
            return Ok(());
        }
        if let Some(text) = line.strip_prefix('*') {
            match &mut self.game {
                Some(game) => game.node().comments.push(text.to_owned()),
                None => self.head.comments.push(text.to_owned()),
            }
            return Ok(());
        }
        if let Some(text) = line.strip_prefix('&') {
            self.bookmark(text);
            return Ok(());
        }
        let text = line.trim();
        if text.is_empty() {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix("変化：").or_else(|| text.strip_prefix("変化:"))
        {
            return self.variation(number, rest);
        }
        if text.starts_with("まで") {
            return self.sentence(text);
        }
        if text.starts_with(MARKS) {
            return self.marked_moves(number, text);
        }
        if let Some((count, rest)) = numbered(text) {
            return self.numbered_move(number, count, rest);
        }
        if self.game.is_some() {
            self.late_line(text);
        } else if !self.head.line(number, text)? {
            self.remark(text);
        }
        Ok(())
    }

    /// A line that belongs to no move, after the first move: a header, or something unknown.
    fn late_line(&mut self, text: &str) {
        let Some(game) = &mut self.game else { return };
        match super::head::split_header(text) {
            Some((name, value)) if !text.starts_with(['|', '+']) => {
                game.record.headers.set_line(crate::headers::Key::named(name), value);
            }
            _ => game.node().remarks.push(text.to_owned()),
        }
    }

    fn remark(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match &mut self.game {
            Some(game) => game.node().remarks.push(text.to_owned()),
            None => self.head.remarks.push(text.to_owned()),
        }
    }

    fn bookmark(&mut self, text: &str) {
        let place = match &mut self.game {
            Some(game) => &mut game.node().bookmark,
            None => &mut self.head.bookmark,
        };
        if place.is_none() {
            *place = Some(text.to_owned());
        } else {
            self.remark(&format!("&{text}"));
        }
    }

    /// `変化：9手`
    fn variation(&mut self, line: usize, text: &str) -> Result<(), Located> {
        let digits = |c: char| crate::notation::digit(c).filter(|_| !c.is_whitespace());
        let written: String =
            text.trim().chars().map_while(digits).map(|d| d.to_string()).collect();
        let Ok(ply) = written.parse::<u32>() else {
            self.remark(&format!("変化：{text}"));
            return Ok(());
        };
        self.begin()?;
        self.branch(line, ply, ply.saturating_sub(self.offset.unwrap_or(0)))
    }

    /// Starts a variation: its first step is number `ply`. `written` is what the file called it.
    fn branch(&mut self, line: usize, written: u32, ply: u32) -> Result<(), Located> {
        self.begin()?;
        let Some(game) = &mut self.game else { return Ok(()) };
        while self.branches.len() > 1 && self.branches.last().is_some_and(|b| b.first >= ply) {
            self.branches.pop();
        }
        let before = self.branches.last().and_then(|b| b.before(ply));
        let playable = before.filter(|&id| game.record.node(id).ending().is_none());
        let Some(at) = playable else { return Err(Problem::Variation(written).at(line)) };
        game.go_to(at);
        self.foul = None;
        self.branches.push(Branch { first: ply, nodes: Vec::new() });
        Ok(())
    }

    /// Something was added at the end of the current line.
    fn extended(&mut self) {
        if let (Some(game), Some(branch)) = (&self.game, self.branches.last_mut()) {
            branch.nodes.push(game.at());
        }
    }

    /// `まで98手で後手の勝ち`: the only place where KI2 tells how a line ended.
    fn sentence(&mut self, text: &str) -> Result<(), Located> {
        let game = self.begin()?;
        if !game.is_over()
            && let Some(ending) = words::read_sentence(text, game.position().turn())
        {
            game.end(ending);
            self.extended();
        }
        Ok(())
    }

    /// `▲７六歩　△３四歩 …`
    fn marked_moves(&mut self, line: usize, text: &str) -> Result<(), Located> {
        let mut rest = text;
        while let Some(mark) = rest.chars().next() {
            let after = &rest[mark.len_utf8()..];
            let end = after.find(MARKS).unwrap_or(after.len());
            self.step(line, after[..end].trim())?;
            rest = &after[end..];
        }
        Ok(())
    }

    /// `   1 ７六歩(77)   ( 0:16/00:00:16)+`
    fn numbered_move(&mut self, line: usize, count: u32, text: &str) -> Result<(), Located> {
        let offset = *self.offset.get_or_insert(count.saturating_sub(1));
        let ply = count.saturating_sub(offset);
        let here = self.begin()?;
        let here = here.record.node(here.at()).ply();
        // Files exist that list variations without announcing them: the number goes back.
        if ply <= here {
            self.branch(line, count, ply)?;
        }
        let (text, time) = split_time(text);
        let was_over = self.begin()?.is_over();
        self.step(line, text)?;
        // A number was left out, and what comes after it does not fit.
        if ply > here + 1
            && !was_over
            && let Some(foul) = self.foul.take()
        {
            return Err(foul);
        }
        let node = self.begin()?.node();
        if !was_over {
            node.time = node.time.or(time);
        }
        Ok(())
    }

    /// Adds one move or ending.
    fn step(&mut self, line: usize, text: &str) -> Result<(), Located> {
        self.begin()?;
        let Some(game) = &mut self.game else { return Ok(()) };
        if game.is_over() {
            let read = movetext::read(game.position(), game.last_move(), text);
            if let Some(foul) = self.foul.take_if(|_| read != Err(NotAMove::Unreadable)) {
                return Err(foul);
            }
            if !text.is_empty() {
                game.node().remarks.push(text.to_owned());
            }
            return Ok(());
        }
        let read = movetext::read(game.position(), game.last_move(), text);
        let ending = match read {
            Ok(_) => None,
            Err(NotAMove::Illegal) => Some(Termination::illegal(text)),
            Err(NotAMove::Ambiguous) => Some(Termination::other(text)),
            Err(NotAMove::Unreadable) => {
                let word: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                Some(words::ending(&word, game.position().turn()))
            }
        };
        if let Err(why) = read
            && matches!(ending, Some(Termination::IllegalMove(Some(_)) | Termination::Other(_)))
        {
            let number = game.position().ply();
            self.foul = Some(Problem::Move { number, text: text.to_owned(), why }.at(line));
        }
        match (read, ending) {
            (Ok(m), _) => game.play(m),
            (_, Some(ending)) => game.end(ending),
            (Err(_), None) => {}
        }
        self.extended();
        Ok(())
    }
}

/// Lines that describe the file rather than the game.
fn names_the_writer(text: &str) -> bool {
    text.starts_with("KIF") || text.starts_with("KI2") || text.contains("棋譜ファイル")
}

/// A move number and what follows.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let count = text[..end].parse().ok().filter(|&n| n < 1_000_000)?;
    let rest = &text[end..];
    rest.starts_with(char::is_whitespace).then(|| (count, rest.trim_start()))
}

/// The move, and the time in brackets after it: `( 0:16/00:00:16)`.
fn split_time(text: &str) -> (&str, Option<Duration>) {
    let text = text.trim_end().trim_end_matches('+').trim_end();
    let Some(open) = text.rfind('(') else { return (text, None) };
    let inner = text[open + 1..].trim_end_matches(')');
    if !inner.contains(':') {
        return (text, None);
    }
    let spent = inner.split('/').next().unwrap_or_default();
    (text[..open].trim_end(), clock(spent))
}

/// `m:ss` or `h:mm:ss`, with fractions of a second if there are any.
fn clock(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let mut seconds = 0_u64;
    for part in whole.split(':') {
        let n = part.trim().parse::<u32>().ok()?;
        seconds = seconds.checked_mul(60)?.checked_add(u64::from(n))?;
    }
    let millis = format!("{fraction:0<3}").get(..3)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(seconds.checked_mul(1000)?.checked_add(millis)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Outcome;
    use rules::Color;

    fn read_ok(text: &str) -> Record {
        read(text, None).unwrap_or_else(|e| panic!("line {}: {}", e.line, e.reason))
    }

    #[test]
    fn variations_attach_to_the_latest_line_that_has_their_ply() {
        let record = read_ok(
            "手数----指手--\n1 ７六歩(77) +\n2 ３四歩(33) +\n3 ２六歩(27) +\n\n変化：3手\n3 ７五歩(76)\n\n\
             変化：2手\n2 ８四歩(83)\n3 ６八銀(79) +\n\n変化：3手\n3 ２六歩(27)\n\n変化：1手\n1 ２六歩(27)\n",
        );
        assert_eq!(record.variations(), 4);
        let root = record.node(NodeId::ROOT).children().to_vec();
        assert_eq!(root.len(), 2);
        let replies = record.node(root[0]).children();
        assert_eq!(replies.len(), 2);
        assert_eq!(record.node(replies[0]).children().len(), 2);
        assert_eq!(record.node(replies[1]).children().len(), 2);
    }

    #[test]
    fn a_variation_from_nowhere_is_reported_with_its_line() {
        let error = read("1 ７六歩(77)\n変化：9手\n9 ２六歩(27)\n", None).unwrap_err();
        assert_eq!((error.line, error.reason), (1, Problem::Variation(9)));
    }

    #[test]
    fn illegal_and_ambiguous_moves_end_the_line() {
        let record =
            read_ok("1 ７六歩(77) ( 0:03/00:00:03)\n2 ３五歩(33) ( 0:04/00:00:04)\n3 反則勝ち\n");
        assert_eq!(record.ending(), Some(&Termination::IllegalMove(Some("３五歩(33)".to_owned()))));
        assert_eq!(record.outcome(), Outcome::Won(Color::Black));
        let last = record.line_from(NodeId::ROOT).last().unwrap();
        assert_eq!(record.node(last).time, Some(Duration::from_secs(4)));
        let record = read_ok("▲５八金\n");
        assert_eq!(record.ending(), Some(&Termination::Other("５八金".to_owned())));
    }

    /// A move that cannot be played where the line goes on is damage, not an ending.
    #[test]
    fn damaged_moves_are_reported_with_their_line() {
        for (text, line) in [
            ("1 ７六歩(77)\n2 ３四歩(33)\n3 ２六x(27)\n4 ８四歩(83)\n5 投了\n", 2),
            ("1 ７六歩(77)\n2 ３五歩(33)\n3 ２六歩(27)\n", 1),
            // A move is missing: the next one is the wrong side's.
            ("1 ７六歩(77)\n2 ３四歩(33)\nx ２六歩(27)\n4 ８四歩(83)\n5 投了\n", 3),
            ("▲７六歩 △３四歩 ▲２六x △８四歩\nまで4手で後手の勝ち\n", 0),
        ] {
            let error = read(text, None).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(matches!(error.reason, Problem::Move { .. }), "{}", error.reason);
        }
        // Another line of the tree is another game.
        read_ok("1 ７六歩(77)\n2 ３五歩(33)\n変化：2手\n2 ３四歩(33)\n3 ２六歩(27)\n");
        read_ok("1 ７六歩(77)\n2 封じ手\n");
    }

    #[test]
    fn times_comments_bookmarks_and_the_rest() {
        let record = read_ok(
            "#KIF version=2.0 encoding=UTF-8\n# written by hand\n先手：甲\n手合割：平手　　\n手数----指手---------消費時間--\n\
             *初手の前\n   1 ▲７六歩(77)   (61:02/01:01:02)\n*一\n*二\n&栞\n&二つ目\n???\n   2 同　歩(33)\n",
        );
        let nodes: Vec<_> = record.line_from(NodeId::ROOT).map(|id| record.node(id)).collect();
        assert_eq!(nodes[0].comments, ["初手の前"]);
        assert_eq!(nodes[0].remarks, [" written by hand"]);
        assert_eq!(nodes[1].time, Some(Duration::from_secs(3662)));
        assert_eq!(nodes[1].comments, ["一", "二"]);
        assert_eq!(nodes[1].bookmark.as_deref(), Some("栞"));
        assert_eq!(nodes[1].remarks, ["&二つ目", "???"]);
        assert!(matches!(nodes[2].ending(), Some(Termination::IllegalMove(Some(_)))));
    }

    #[test]
    fn numbers_may_start_anywhere_and_go_back() {
        let record =
            read_ok("37 ７六歩(77)\n38 ３四歩(33)\n38 ８四歩(83)\n変化：37手\n37 ２六歩(27)\n");
        assert_eq!(record.variations(), 2);
        assert_eq!(record.moves().len(), 2);
    }

    #[test]
    fn clocks() {
        for (text, want) in [
            (" 0:16", Some(16_000)),
            ("61:02", Some(3_662_000)),
            ("1:00:01", Some(3_601_000)),
            ("0:01.5", Some(1_500)),
            ("", None),
            ("a:b", None),
            ("99999999999:0", None),
        ] {
            assert_eq!(clock(text), want.map(Duration::from_millis), "{text}");
        }
    }
}
