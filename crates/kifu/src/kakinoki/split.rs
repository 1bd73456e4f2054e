//! Several games in one text.

use super::head::split_header;

/// Headers that only open a game: met after moves they begin the next one.
const OPENING: [&str; 9] =
    ["手合割", "開始日時", "対局日", "棋戦", "表題", "先手", "後手", "下手", "上手"];

/// The games of a text with the number (from 0) of their first line.
pub(crate) fn split(text: &str) -> Vec<(usize, &str)> {
    let mut games = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 0, 0);
    let mut content = false;
    let mut moves = false;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let trimmed = line.trim();
        let first = trimmed.starts_with("#KIF") || trimmed.starts_with("#KI2");
        if (first && content) || (moves && opens(trimmed)) {
            games.push((start_line, &text[start..offset]));
            (start, start_line) = (offset, number);
            (content, moves) = (false, false);
        }
        content |= !trimmed.is_empty() && !trimmed.starts_with('#');
        moves |= is_move(trimmed);
        offset += line.len();
    }
    games.push((start_line, &text[start..]));
    games
}

fn opens(line: &str) -> bool {
    split_header(line).is_some_and(|(name, _)| OPENING.contains(&name))
}

fn is_move(line: &str) -> bool {
    line.starts_with(crate::notation::MARKS)
        || line.starts_with("まで")
        || (line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_told_apart() {
        let two = "#KIF version=2.0\n先手：a\n   1 ７六歩(77)\nまで1手で中断\n\n#KIF version=2.0\n   1 投了\n";
        let parts = split(two);
        assert_eq!(parts.iter().map(|p| p.0).collect::<Vec<_>>(), [0, 5]);
        assert_eq!(parts.iter().map(|p| p.1).collect::<String>(), two);
        assert_eq!(split("先手：a\n▲７六歩\n\n先手：b\n▲２六歩\n").len(), 2);
        assert_eq!(split("先手：a\n後手：b\n▲７六歩\n変化：1手\n▲２六歩\n").len(), 1);
        assert_eq!(split("# comment\n#KIF version=2.0\n   1 投了\n").len(), 1);
    }
}
