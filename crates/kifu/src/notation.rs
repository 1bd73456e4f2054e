//! Japanese words for squares, pieces and numbers.

use rules::{Game, Kind, Square};

const DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
const WIDE: [char; 10] = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// Kanji of a number below 100.
pub(crate) fn kanji_number(n: usize) -> String {
    let (tens, ones) = (n / 10 % 10, n % 10);
    let mut text = String::new();
    if tens > 1 {
        text.push(DIGITS[tens]);
    }
    if tens > 0 {
        text.push('十');
    }
    if ones > 0 || tens == 0 {
        text.push(DIGITS[ones]);
    }
    text
}

/// Reads a number below 100 written in kanji, ASCII or full width.
pub(crate) fn read_number(text: &str) -> Option<usize> {
    let mut total = 0;
    let mut ones: Option<usize> = None;
    for c in text.chars() {
        if c == '十' {
            total += ones.take().unwrap_or(1) * 10;
        } else {
            ones = Some(ones.unwrap_or(0) * 10 + digit(c)?);
        }
        if total > 99 || ones.is_some_and(|n| n > 99) {
            return None;
        }
    }
    if text.is_empty() { None } else { Some(total + ones.unwrap_or(0)) }
}

/// The value of one digit: ASCII, full width or kanji.
pub(crate) fn digit(c: char) -> Option<usize> {
    if let Some(n) = c.to_digit(10) {
        return Some(n as usize);
    }
    WIDE.iter().chain(&DIGITS).position(|&d| d == c).map(|n| n % 10)
}

/// `７六`.
pub(crate) fn square(game: Game, sq: Square) -> String {
    [WIDE[sq.file(game)], DIGITS[sq.rank(game)]].iter().collect()
}

/// The full-width digit of a file, as above a board diagram.
pub(crate) const fn wide_digit(n: usize) -> char {
    WIDE[n]
}

/// The kanji digit of a rank, as beside a board diagram.
pub(crate) const fn kanji_digit(n: usize) -> char {
    DIGITS[n]
}

/// The name of a piece in a move.
pub(crate) const fn piece_in_move(kind: Kind) -> &'static str {
    match kind {
        Kind::ProLance => "成香",
        Kind::ProKnight => "成桂",
        Kind::ProSilver => "成銀",
        _ => piece_on_board(kind),
    }
}

/// The one-character name of a piece in a diagram.
pub(crate) const fn piece_on_board(kind: Kind) -> &'static str {
    match kind {
        Kind::Pawn => "歩",
        Kind::Lance => "香",
        Kind::Knight => "桂",
        Kind::Silver => "銀",
        Kind::Bishop => "角",
        Kind::Rook => "飛",
        Kind::Gold => "金",
        Kind::King => "玉",
        Kind::ProPawn => "と",
        Kind::ProLance => "杏",
        Kind::ProKnight => "圭",
        Kind::ProSilver => "全",
        Kind::Horse => "馬",
        Kind::Dragon => "龍",
    }
}

/// The piece a character names.
pub(crate) const fn piece(c: char) -> Option<Kind> {
    Some(match c {
        '歩' | '兵' => Kind::Pawn,
        '香' => Kind::Lance,
        '桂' => Kind::Knight,
        '銀' => Kind::Silver,
        '角' => Kind::Bishop,
        '飛' => Kind::Rook,
        '金' => Kind::Gold,
        '玉' | '王' => Kind::King,
        'と' => Kind::ProPawn,
        '杏' => Kind::ProLance,
        '圭' => Kind::ProKnight,
        '全' => Kind::ProSilver,
        '馬' => Kind::Horse,
        '龍' | '竜' => Kind::Dragon,
        _ => return None,
    })
}

/// The characters that mark whose move follows.
pub(crate) const MARKS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for n in 0..100 {
            assert_eq!(read_number(&kanji_number(n)), Some(n), "{}", kanji_number(n));
        }
        for (text, want) in [("", None), ("18", Some(18)), ("１８", Some(18)), ("x", None)] {
            assert_eq!(read_number(text), want);
        }
        assert_eq!(read_number("九十十十"), None);
        assert_eq!(read_number("99999999999999999999"), None);
    }

    #[test]
    fn pieces_read_back() {
        for kind in Kind::ALL {
            let mut name = piece_on_board(kind).chars();
            assert_eq!(piece(name.next().unwrap()), Some(kind));
            assert_eq!(name.next(), None);
        }
    }
}
