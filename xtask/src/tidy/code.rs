//! Rust text with comments and literals blanked out, so that a rule sees only code.
//!
//! A few lines of lexing instead of a parser: enough to tell code from text, quick to build.

/// The same text with every comment, string and character literal replaced by blanks. Line
/// breaks stay, so line numbers agree.
pub(super) fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at).unwrap_or(at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal that begins at `at` ends; `None` if none begins there.
fn literal_end(chars: &[char], at: usize) -> Option<usize> {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        '/' if next == Some('/') => Some(find(chars, at, |c| c == '\n')),
        '/' if next == Some('*') => Some(block_comment_end(chars, at)),
        '"' => Some(string_end(chars, at + 1)),
        '\'' => char_end(chars, at),
        'r' if !follows_word(chars, at) => raw_string_end(chars, at),
        _ => None,
    }
}

fn follows_word(chars: &[char], at: usize) -> bool {
    // `br"…"` and `cr"…"` are raw strings too; any other word character means an identifier.
    let Some(before) = at.checked_sub(1).map(|index| chars[index]) else { return false };
    is_word(before) && !(matches!(before, 'b' | 'c') && (at < 2 || !is_word(chars[at - 2])))
}

/// Whether a character can be part of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn find(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|&c| wanted(c)).map_or(chars.len(), |offset| from + offset)
}

fn block_comment_end(chars: &[char], from: usize) -> usize {
    let mut depth = 0;
    let mut at = from;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn char_end(chars: &[char], at: usize) -> Option<usize> {
    match chars.get(at + 1)? {
        '\\' => Some((find(chars, at + 3, |c| c == '\'') + 1).min(chars.len())),
        _ => (chars.get(at + 2) == Some(&'\'')).then_some(at + 3), // otherwise a lifetime
    }
}

fn raw_string_end(chars: &[char], at: usize) -> Option<usize> {
    let quote = find(chars, at + 1, |c| c != '#');
    if chars.get(quote) != Some(&'"') {
        return None;
    }
    let hashes = quote - at - 1;
    let mut end = quote + 1;
    loop {
        end = find(chars, end, |c| c == '"') + 1;
        if end > chars.len() {
            return Some(chars.len());
        }
        if chars[end..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes {
            return Some(end + hashes);
        }
    }
}

/// Line numbers (from 1) on which `word` stands as a whole word.
pub(super) fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let has = |line: &str| {
        line.match_indices(word).any(|(index, _)| {
            let before = line[..index].chars().next_back();
            let after = line[index + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    };
    text.lines().enumerate().filter(|(_, line)| has(line)).map(|(index, _)| index + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_vanish_and_code_stays() {
        let check = |text: &str, code: &str| {
            let left: String = blanked(text).chars().filter(|&c| c != ' ').collect();
            assert_eq!(left, code, "{text}");
            assert_eq!(blanked(text).matches('\n').count(), text.matches('\n').count());
        };
        check("a // b\nc", "a\nc");
        check("a /* b /* c */ \n d */ e", "a\ne");
        check(r#"a "b \" c" d"#, "ad");
        check("a r#\"b \" c\"# d", "ad");
        check("a br\"b\\\" d", "abd");
        check("for r in x", "forrinx");
        check("'a' '\\n' '\\u{41}' '\\'' x", "x");
        check("fn f<'a>(x: &'a str)", "fnf<'a>(x:&'astr)");
        check("a \"open", "a");
        check("a r#\"open\"", "a");
        check("a /* open", "a");
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(lines_with_word("unsafely\nan unsafe thing\nunsafe_code", "unsafe"), [2]);
    }
}
